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
    StageOptions options;
    options.byHand = &*byHand;
    for (auto [name, text, to] : {std::tuple("boxes", StringRef(boxes), &options.boxes),
                                  std::tuple("late", StringRef(late), &options.late),
                                  std::tuple("turns", StringRef(turns), &options.turns)}) {
      std::optional<Choice> choice = getChoice(text);
      if (!choice)
        return getOperation().emitError("'")
               << text << "' is not a choice of " << name << "; use 'auto', 'off' or 'on'";
      *to = *choice;
    }
    return forEachKernel(getOperation(), {getArgument(), target, numWarps, numStages},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &program) -> LogicalResult {
                           options.numStages = program.numStages;
                           if (!isExpanded(kernel))
                             return scheduleStages(kernel, layouts, options);
                           if (file.empty() && text.empty())
                             return success();
                           return kernel.emitError("the loops of kernel '")
                                  << kernel.getName()
                                  << "' are expanded already; no schedule can be given for them";
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
