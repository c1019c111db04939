// schedule-rematerialize as a pass: rematerialize() for each kernel.
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Rematerialize.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEREMATERIALIZE
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleRematerializePass
    : public schedule::impl::ScheduleRematerializeBase<ScheduleRematerializePass> {
  using ScheduleRematerializeBase::ScheduleRematerializeBase;

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "rematerialize", rematerialize);
    if (failed(choice))
      return failure();
    FailureOr<distribute::Program> program = distribute::getProgram(getOperation());
    if (failed(program))
      return failure();
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr) || !isExpanded(kernel))
        continue;
      distribute::LayoutAssignment layouts(kernel, *program->target, program->numWarps);
      schedule::rematerialize(kernel, layouts, *choice);
    }
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
