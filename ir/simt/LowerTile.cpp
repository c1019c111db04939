// See LowerTile.h: a kernel is lowered as its options say, and with less and less shared memory
// until it fits; what cannot fit says by how much, and what would help.
#include "ir/simt/LowerTile.h"
#include "ir/simt/LowerKernel.h"
#include "ir/simt/LowerPipeline.h"
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;

namespace {
/// One kernel, lowered with less and less shared memory until the target has enough.
class KernelLowering {
public:
  KernelLowering(func::FuncOp kernel, const LowerOptions &options, const FactsFunction &facts)
      : kernel(kernel), options(options), facts(facts) {}
  LogicalResult run();

private:
  LogicalResult checkThreads();
  /// num_warps for so many threads, 0 if it cannot be.
  uint64_t optionFor(uint64_t threads) const;
  /// The lowered kernel with shared memory in its place, if it fits; null if it does not; failure
  /// with a diagnostic if it cannot be lowered.
  FailureOr<func::FuncOp> tryLower(const LayoutAssignment &layouts, const LowerOptions &options,
                                   int64_t stages, int64_t conversionBytes);
  /// The same with fewer stages of pipelined loops and smaller conversions, as many as it takes.
  FailureOr<func::FuncOp> lowerToFit(const LowerOptions &options);
  /// What would help a kernel that does not fit.
  std::string advise();

  func::FuncOp kernel;
  const LowerOptions &options;
  const FactsFunction &facts;
  bool hasStages = false;
};
} // namespace

uint64_t KernelLowering::optionFor(uint64_t threads) const {
  return threads / (options.unit ? options.unit : options.target->warpSize);
}

LogicalResult KernelLowering::checkThreads() {
  const TargetInfo &target = *options.target;
  uint64_t threads = uint64_t(options.numWarps) * target.warpSize;
  if (threads <= target.maxThreads)
    return success();
  auto error = kernel.emitError("kernel '")
               << kernel.getName() << "' would run in " << threads
               << " threads with num_warps=" << std::max<uint64_t>(optionFor(threads), 1)
               << ", but " << target.name << " allows " << target.maxThreads
               << " in a program, which is " << threads - target.maxThreads << " fewer; ";
  if (uint64_t most = llvm::bit_floor(optionFor(target.maxThreads)))
    return error << "use num_warps=" << most << (most > 1 ? " or less" : "");
  return error << "one warp alone is too large";
}

FailureOr<func::FuncOp> KernelLowering::tryLower(const LayoutAssignment &layouts,
                                                 const LowerOptions &options, int64_t stages,
                                                 int64_t conversionBytes) {
  FailureOr<func::FuncOp> lowered =
      lowerKernel(kernel, layouts, options, {stages, conversionBytes});
  if (failed(lowered))
    return failure();
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  if (succeeded(placeShared(*lowered, *options.target)))
    return lowered;
  lowered->erase();
  return func::FuncOp();
}

FailureOr<func::FuncOp> KernelLowering::lowerToFit(const LowerOptions &options) {
  distribute::Options distribution{options.numWarps, options.target, options.runs};
  FailureOr<LayoutAssignment> layouts = LayoutAssignment::compute(kernel, distribution, facts);
  if (failed(layouts))
    return failure();
  int64_t stages = 1, memory = int64_t(options.target->sharedMemoryBytes);
  kernel.walk([&](scf::ForOp loop) { stages = std::max(stages, stagesOf(loop, options)); });
  hasStages = stages > 1;
  // Without asynchronous copies one stage is a single buffer, filled from registers.
  int64_t least = options.target->hasAsyncCopy ? 1 : 0;
  if (!options.target->hasAsyncCopy)
    stages = std::min(stages, kMaxRegisterStages);
  for (;; stages = stages > 8 ? stages / 2 : stages - 1) {
    FailureOr<func::FuncOp> lowered = tryLower(*layouts, options, stages, memory);
    if (failed(lowered) || *lowered)
      return lowered;
    if (stages == least)
      break;
  }
  // Conversions take turns with what else is in shared memory.
  for (int64_t part : {4, 16}) {
    FailureOr<func::FuncOp> lowered = tryLower(*layouts, options, least, memory / part);
    if (failed(lowered) || *lowered)
      return lowered;
  }
  return func::FuncOp();
}

std::string KernelLowering::advise() {
  std::string advice = "use smaller blocks";
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  for (unsigned warps = options.numWarps / 2; warps; warps /= 2) {
    LowerOptions fewer = options;
    fewer.numWarps = warps;
    uint64_t option = optionFor(uint64_t(warps) * options.target->warpSize);
    if (!option)
      break;
    FailureOr<func::FuncOp> lowered = lowerToFit(fewer);
    if (failed(lowered) || !*lowered)
      continue;
    lowered->erase();
    advice += " or num_warps=" + std::to_string(option);
    break;
  }
  if (hasStages)
    advice += "; num_stages=1 is not enough";
  return advice;
}

LogicalResult KernelLowering::run() {
  if (failed(checkThreads()))
    return failure();
  FailureOr<func::FuncOp> lowered = lowerToFit(options);
  if (failed(lowered))
    return failure();
  const TargetInfo &target = *options.target;
  if (!*lowered) {
    std::string advice = advise();
    distribute::Options distribution{options.numWarps, options.target, options.runs};
    FailureOr<LayoutAssignment> layouts = LayoutAssignment::compute(kernel, distribution, facts);
    if (failed(layouts))
      return failure();
    lowered = lowerKernel(kernel, *layouts, options, {1, int64_t(target.sharedMemoryBytes) / 16});
    if (failed(lowered))
      return failure();
    return placeShared(*lowered, target, advice);
  }
  kernel.erase();
  bool isOneWarp = options.numWarps == 1 && target.hasShuffle;
  return insertBarriers(*lowered, isOneWarp ? BarrierScope::Warp : BarrierScope::Program);
}

LogicalResult simt::lowerTileToSimt(ModuleOp module, const LowerOptions &options,
                                    const FactsFunction &facts) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels)
    if (failed(KernelLowering(kernel, options, facts).run()))
      return failure();
  return success();
}
