// schedule-expand as a pass: layouts of the module around expandSchedule, and the checks before and
// after it.
#include "ir/schedule/Check.h"
#include "ir/schedule/Expand.h"
#include "ir/schedule/Passes.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEEXPAND
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleExpandPass : public schedule::impl::ScheduleExpandBase<ScheduleExpandPass> {
  LogicalResult run() {
    ModuleOp module = getOperation();
    FailureOr<distribute::Program> program = distribute::getProgram(module);
    if (failed(program) || !getAnalysis<ScheduleCheck>().isValid())
      return failure();
    bool changed = false;
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr) || isExpanded(kernel))
        continue;
      distribute::LayoutAssignment layouts(kernel, *program->target, program->numWarps);
      if (failed(expandSchedule(kernel, layouts)))
        return failure();
      changed = true;
    }
    if (changed)
      getAnalysisManager().invalidate({});
    return success(getAnalysis<ExpandedCheck>().isValid());
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAnalysesPreserved<ExpandedCheck>();
  }
};
} // namespace
