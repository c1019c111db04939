// schedule-evictions as a pass: chooseEvictions() for each kernel.
#include "ir/schedule/Evictions.h"
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEEVICTIONS
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleEvictionsPass : public schedule::impl::ScheduleEvictionsBase<ScheduleEvictionsPass> {
  using ScheduleEvictionsBase::ScheduleEvictionsBase;

  void runOnOperation() override {
    auto choose = [](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                     Choice choice) -> LogicalResult {
      chooseEvictions(kernel, layouts.target(), choice);
      return success();
    };
    if (failed(chooseForKernels(getOperation(), {getArgument(), target, numWarps}, "evictions",
                                evictions, choose)))
      signalPassFailure();
  }
};
} // namespace
