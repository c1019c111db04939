// schedule-allocate as a pass: target and layouts around allocateSlots. The schedule is whole then,
// and is checked.
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Check.h"
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEALLOCATE
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleAllocatePass : public schedule::impl::ScheduleAllocateBase<ScheduleAllocatePass> {
  using ScheduleAllocateBase::ScheduleAllocateBase;

  LogicalResult run() {
    ModuleOp module = getOperation();
    bool hasTarget = module->hasAttr(distribute::DistributeDialect::kTargetAttr);
    auto allocate = [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                        const distribute::Program &) -> LogicalResult {
      if (isExpanded(kernel))
        return success();
      if (failed(allocateSlots(kernel, layouts)))
        return failure();
      // Without a target of the module nothing can be checked later.
      return hasTarget ? success() : checkSchedule(kernel, layouts);
    };
    if (failed(forEachKernel(module, {getArgument(), target, numWarps}, allocate)))
      return failure();
    return success(!hasTarget || getAnalysis<ScheduleCheck>().isValid());
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAnalysesPreserved<ScheduleCheck>();
  }
};
} // namespace
