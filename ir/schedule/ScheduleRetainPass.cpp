// schedule-retain as a pass: retainTiles() for each kernel.
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Retain.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULERETAIN
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleRetainPass : public schedule::impl::ScheduleRetainBase<ScheduleRetainPass> {
  using ScheduleRetainBase::ScheduleRetainBase;

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "retain", retain);
    if (failed(choice))
      return failure();
    return forEachKernel(getOperation(), {getArgument(), target, numWarps},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &) {
                           return isExpanded(kernel) ? success()
                                                     : retainTiles(kernel, layouts, *choice);
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
