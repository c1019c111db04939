// schedule-stages as a pass: the schedule by hand around scheduleStages.
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULESTAGES
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleStagesPass : public schedule::impl::ScheduleStagesBase<ScheduleStagesPass> {
  using ScheduleStagesBase::ScheduleStagesBase;

  LogicalResult run() {
    FailureOr<HandSchedule> byHand = HandSchedule::get(file, text, name, &getContext());
    if (failed(byHand))
      return failure();
    std::optional<BoxChoice> choice = getBoxChoice(boxes);
    if (!choice)
      return getOperation().emitError("'")
             << boxes << "' is not a choice of boxes; use 'auto', 'off' or 'on'";
    return forEachKernel(
        getOperation(), {getArgument(), target, numWarps, numStages},
        [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
            const distribute::Program &program) -> LogicalResult {
          if (!isExpanded(kernel))
            return scheduleStages(kernel, layouts, {program.numStages, &*byHand, *choice});
          if (file.empty() && text.empty())
            return success();
          return kernel.emitError("the loops of kernel '")
                 << kernel.getName() << "' are expanded already; no schedule can be given for them";
        });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
