// See LowerTile.h: a kernel is lowered as its layouts and its schedule say. How much of everything
// fits is known from the schedule's arithmetic (ir/target/MemoryBudget.h).
#include "ir/simt/LowerTile.h"
#include "ir/distribute/Facts.h"
#include "ir/schedule/Expand.h"
#include "ir/schedule/Stages.h"
#include "ir/simt/LowerKernel.h"
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/Remarks.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using schedule::SchedDialect;

namespace {
/// One kernel's way from tiles to threads.
class KernelLowering {
public:
  KernelLowering(func::FuncOp kernel, const LowerOptions &options)
      : kernel(kernel), options(options), layouts(kernel, *options.target, options.numWarps) {}
  LogicalResult run();

private:
  FailureOr<func::FuncOp> lower();
  /// The lowered kernel with shared memory in its place; null if it does not fit.
  FailureOr<func::FuncOp> lowerAndPlace();
  /// The one case in which a kernel is lowered a second time: see lowerAndPlace.
  FailureOr<func::FuncOp> lowerWithLeastMemory();
  /// Advice for a kernel that does not fit.
  std::string advise();
  bool fitsWith(unsigned numWarps);
  /// The kernel in tile IR alone.
  func::FuncOp tiles() { return least ? least : kernel; }

  func::FuncOp kernel;
  const LowerOptions &options;
  LayoutAssignment layouts;
  func::FuncOp least; ///< The kernel with nothing that runs ahead; null if it is like that itself.
};
} // namespace

FailureOr<func::FuncOp> KernelLowering::lower() {
  auto conversions = kernel->getAttrOfType<IntegerAttr>(SchedDialect::kConversions);
  return lowerKernel(kernel, layouts, options, conversions.getInt());
}

/// The schedule knows how many bytes are needed at any time, but not where first fit leaves gaps
/// between buffers of different lives. Where these gaps make the difference, and only there, the
/// kernel is lowered again with as little as possible; unless its schedule was written by hand.
FailureOr<func::FuncOp> KernelLowering::lowerAndPlace() {
  FailureOr<func::FuncOp> lowered = lower();
  if (failed(lowered))
    return failure();
  if (schedule::isByHand(kernel)) {
    if (failed(placeShared(*lowered, *options.target, "use fewer slots in the schedule")))
      return failure();
    return lowered;
  }
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  if (succeeded(placeShared(*lowered, *options.target)))
    return lowered;
  lowered->erase();
  return func::FuncOp();
}

FailureOr<func::FuncOp> KernelLowering::lowerWithLeastMemory() {
  emitRemark(kernel, RemarkName::LeastMemory,
             "the kernel was lowered again without loads that run ahead: the gaps between its "
             "buffers do not fit shared memory");
  if (least) {
    // It takes the kernel's place.
    least.setName(kernel.getName());
    least.setPublic();
    least->setAttr(tile::TileDialect::kKernelAttr, UnitAttr::get(kernel.getContext()));
    kernel.erase();
    kernel = std::exchange(least, {});
    layouts = LayoutAssignment(kernel, *options.target, options.numWarps);
  } else {
    schedule::useLeastMemory(kernel, layouts);
  }
  FailureOr<func::FuncOp> lowered = lower();
  if (failed(lowered) || failed(placeShared(*lowered, *options.target, advise())))
    return failure();
  return lowered;
}

bool KernelLowering::fitsWith(unsigned numWarps) {
  // A copy, with layouts for this number of warps.
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernel.getLoc());
  func::FuncOp copy = tiles().clone();
  scratch->push_back(copy);
  AccessAnalysis analysis(*scratch);
  if (failed(
          assignLayouts(copy, {numWarps, options.target, analysis.getRuns()}, analysis.getFacts())))
    return false;
  return schedule::fitsWithLeast(copy, LayoutAssignment(copy, *options.target, numWarps));
}

std::string KernelLowering::advise() {
  std::string advice = "use smaller blocks";
  int64_t stages = 1;
  tiles().walk([&](scf::ForOp loop) {
    stages = std::max(stages, schedule::askedSlots(loop, options.numStages));
  });
  ScopedDiagnosticHandler ignore(kernel.getContext(), [](Diagnostic &) { return success(); });
  for (unsigned warps = options.numWarps / 2; warps; warps /= 2) {
    uint64_t option =
        numWarpsOption({options.target, options.numWarps, options.numStages, options.unit},
                       uint64_t(warps) * options.target->warpSize);
    if (!option)
      break;
    if (!fitsWith(warps))
      continue;
    advice += " or num_warps=" + std::to_string(option);
    break;
  }
  if (stages > 1)
    advice += "; num_stages=1 is not enough";
  return advice;
}

LogicalResult KernelLowering::run() {
  // Kernels without a schedule get one now.
  if (!kernel->hasAttr(SchedDialect::kConversions) &&
      failed(schedule::scheduleStages(kernel, layouts, {options.numStages})))
    return failure();
  if (failed(schedule::expandSchedule(kernel, layouts)))
    return failure();
  least = schedule::getFallback(kernel);
  if (least && failed(checkAssignment(least)))
    return failure();
  FailureOr<func::FuncOp> lowered = lowerAndPlace();
  if (succeeded(lowered) && !*lowered)
    lowered = lowerWithLeastMemory();
  if (failed(lowered))
    return failure();
  kernel.erase();
  if (least)
    least.erase();
  auto threads = (*lowered)->getAttrOfType<IntegerAttr>(SimtDialect::kThreadsAttr);
  return insertBarriers(*lowered, scopeOf(threads.getInt(), *options.target));
}

/// A kernel that is per-thread IR already, for this number of threads, only needs places and
/// barriers.
static LogicalResult finishKernel(func::FuncOp kernel, int64_t threads,
                                  const LowerOptions &options) {
  const TargetInfo &target = *options.target;
  if (int64_t asked = int64_t(options.numWarps) * target.warpSize; asked != threads)
    return kernel.emitError("kernel '")
           << kernel.getName() << "' is per-thread IR for " << threads
           << " threads, but num_warps=" << options.numWarps << " makes " << asked;
  if (failed(placeShared(kernel, target)))
    return failure();
  kernel->setDiscardableAttrs(schedule::withoutSchedule(kernel->getDiscardableAttrDictionary()));
  return insertBarriers(kernel, scopeOf(threads, target));
}

LogicalResult simt::lowerTileToSimt(ModuleOp module, const LowerOptions &options) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels) {
    auto threads = kernel->getAttrOfType<IntegerAttr>(SimtDialect::kThreadsAttr);
    if (threads ? failed(finishKernel(kernel, threads.getInt(), options))
                : failed(checkAssignment(kernel)) || failed(KernelLowering(kernel, options).run()))
      return failure();
  }
  return success();
}
