// schedule-roles as a pass: the schedule by hand around assignRoles.
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Roles.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEROLES
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleRolesPass : public schedule::impl::ScheduleRolesBase<ScheduleRolesPass> {
  using ScheduleRolesBase::ScheduleRolesBase;

  LogicalResult run() {
    FailureOr<HandSchedule> byHand = HandSchedule::get(file, text, name, &getContext());
    if (failed(byHand))
      return failure();
    return forEachKernel(getOperation(), {getArgument(), target, numWarps},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &) -> LogicalResult {
                           return isExpanded(kernel) ? success()
                                                     : assignRoles(kernel, layouts, &*byHand);
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
