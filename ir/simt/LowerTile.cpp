// See LowerTile.h: a kernel is lowered as its options say, and with less and less shared memory
// until it fits; what cannot fit says by how much, and what would help.
#include "ir/simt/LowerTile.h"
#include "ir/distribute/Facts.h"
#include "ir/simt/Lowering.h"
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
  KernelLowering(func::FuncOp kernel, const LowerOptions &options)
      : kernel(kernel), options(options) {}
  LogicalResult run();

private:
  /// num_warps for so many threads, 0 if it cannot be.
  uint64_t optionFor(uint64_t threads) const;
  /// `from`, lowered with shared memory in its place, if it fits; null if it does not; failure
  /// with a diagnostic if it cannot be lowered.
  FailureOr<func::FuncOp> tryLower(func::FuncOp from, const LayoutAssignment &layouts,
                                   const LowerOptions &options, int64_t stages,
                                   int64_t conversionBytes);
  /// The same with fewer stages of pipelined loops and smaller conversions, as many as it takes.
  FailureOr<func::FuncOp> lowerToFit(func::FuncOp from, const LowerOptions &options);
  /// What would help a kernel that does not fit.
  std::string advise();

  func::FuncOp kernel;
  const LowerOptions &options;
  bool hasStages = false;
};
} // namespace

uint64_t KernelLowering::optionFor(uint64_t threads) const {
  return numWarpsOption({options.target, options.numWarps, options.numStages, options.unit},
                        threads);
}

FailureOr<func::FuncOp> KernelLowering::tryLower(func::FuncOp from, const LayoutAssignment &layouts,
                                                 const LowerOptions &options, int64_t stages,
                                                 int64_t conversionBytes) {
  FailureOr<func::FuncOp> lowered = Lowering(from, layouts, options, stages, conversionBytes).run();
  if (failed(lowered))
    return failure();
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  if (succeeded(placeShared(*lowered, *options.target)))
    return lowered;
  lowered->erase();
  return func::FuncOp();
}

FailureOr<func::FuncOp> KernelLowering::lowerToFit(func::FuncOp from, const LowerOptions &options) {
  LayoutAssignment layouts(from, *options.target, options.numWarps);
  int64_t stages = 1, memory = int64_t(options.target->sharedMemoryBytes);
  from.walk([&](scf::ForOp loop) { stages = std::max(stages, stagesOf(loop, options)); });
  hasStages = stages > 1;
  // Without asynchronous copies one stage is a single buffer, filled from registers.
  int64_t least = options.target->hasAsyncCopy ? 1 : 0;
  if (!options.target->hasAsyncCopy)
    stages = std::min(stages, kMaxRegisterStages);
  for (;; stages = stages > 8 ? stages / 2 : stages - 1) {
    FailureOr<func::FuncOp> lowered = tryLower(from, layouts, options, stages, memory);
    if (failed(lowered) || *lowered)
      return lowered;
    if (stages == least)
      break;
  }
  // Conversions take turns with what else is in shared memory.
  for (int64_t part : {4, 16}) {
    FailureOr<func::FuncOp> lowered = tryLower(from, layouts, options, least, memory / part);
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
    // A copy, with layouts for so many warps.
    OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
    func::FuncOp copy = kernel.clone();
    scratch->push_back(copy);
    AccessAnalysis analysis(*scratch);
    if (failed(
            assignLayouts(copy, {warps, options.target, analysis.getRuns()}, analysis.getFacts())))
      continue;
    FailureOr<func::FuncOp> lowered = lowerToFit(copy, fewer);
    if (failed(lowered) || !*lowered)
      continue;
    advice += " or num_warps=" + std::to_string(option);
    break;
  }
  if (hasStages)
    advice += "; num_stages=1 is not enough";
  return advice;
}

LogicalResult KernelLowering::run() {
  if (failed(checkAssignment(kernel)))
    return failure();
  FailureOr<func::FuncOp> lowered = lowerToFit(kernel, options);
  if (failed(lowered))
    return failure();
  const TargetInfo &target = *options.target;
  if (!*lowered) {
    std::string advice = advise();
    LayoutAssignment layouts(kernel, target, options.numWarps);
    lowered = Lowering(kernel, layouts, options, 1, int64_t(target.sharedMemoryBytes) / 16).run();
    if (failed(lowered))
      return failure();
    return placeShared(*lowered, target, advice);
  }
  kernel.erase();
  bool isOneWarp = options.numWarps == 1 && target.hasShuffle;
  return insertBarriers(*lowered, isOneWarp ? BarrierScope::Warp : BarrierScope::Program);
}

LogicalResult simt::lowerTileToSimt(ModuleOp module, const LowerOptions &options) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels)
    if (failed(KernelLowering(kernel, options).run()))
      return failure();
  return success();
}
