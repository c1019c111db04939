// See LowerTile.h: a kernel is lowered as its layouts and its schedule say. How much of everything
// fits is known from the schedule's arithmetic (ir/target/MemoryBudget.h).
#include "ir/simt/LowerTile.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/Expand.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/schedule/Stages.h"
#include "ir/simt/LowerKernel.h"
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"

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
  /// Gives a kernel without a schedule one, expands it, and checks it where no pass has.
  LogicalResult prepare();
  /// Advice for a kernel that does not fit.
  std::string advise();

  func::FuncOp kernel;
  const LowerOptions &options;
  LayoutAssignment layouts;
};
} // namespace

std::string KernelLowering::advise() {
  std::string advice = "use smaller blocks";
  int64_t stages = 1;
  bool isPipelined = false;
  kernel.walk([&](Operation *op) {
    isPipelined |= isa<schedule::RingOp>(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      stages = std::max(stages, schedule::askedSlots(loop, options.numStages));
  });
  if (auto fewer = kernel->getAttrOfType<IntegerAttr>(SchedDialect::kFewerWarps))
    if (uint64_t option =
            numWarpsOption({options.target, options.numWarps, options.numStages, options.unit},
                           uint64_t(fewer.getInt()) * options.target->warpSize))
      advice += " or num_warps=" + std::to_string(option);
  // Rings that a schedule has are those that fit: without them, or with fewer slots, nothing else
  // would take less.
  if (stages > 1 && !isPipelined)
    advice += "; num_stages=1 is not enough";
  return advice;
}

LogicalResult KernelLowering::prepare() {
  if (schedule::isExpanded(kernel))
    return options.isChecked ? success() : schedule::checkExpanded(kernel, layouts);
  LogicalResult scheduled = schedule::isAllocated(kernel)
                                ? schedule::checkSchedule(kernel, layouts)
                                : schedule::scheduleKernel(kernel, layouts, {options.numStages});
  if (failed(scheduled) || failed(schedule::expandSchedule(kernel, layouts)))
    return failure();
  return schedule::checkExpanded(kernel, layouts);
}

LogicalResult KernelLowering::run() {
  if (failed(prepare()))
    return failure();
  auto conversions = kernel->getAttrOfType<IntegerAttr>(SchedDialect::kConversions);
  if (!conversions)
    return kernel.emitError("kernel '") << kernel.getName()
                                        << "' is expanded, but has no 'sched.conversions'; add it: "
                                           "the bytes of shared memory that "
                                           "one conversion between layouts may take";
  FailureOr<func::FuncOp> lowered = lowerKernel(kernel, layouts, options, conversions.getInt());
  if (failed(lowered) || failed(placeShared(*lowered, *options.target, [&] { return advise(); })))
    return failure();
  kernel.erase();
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
