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

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "evictions", evictions);
    if (failed(choice))
      return failure();
    return forEachKernel(getOperation(), {getArgument(), target, numWarps},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &) {
                           if (!isExpanded(kernel))
                             chooseEvictions(kernel, layouts.target(), *choice);
                           return success();
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
