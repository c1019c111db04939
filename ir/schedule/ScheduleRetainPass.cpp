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

  void runOnOperation() override {
    auto choose = [](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                     Choice choice) -> LogicalResult {
      return retainTiles(kernel, layouts, choice);
    };
    if (failed(chooseForKernels(getOperation(), {getArgument(), target, numWarps}, "retain", retain,
                                choose)))
      signalPassFailure();
  }
};
} // namespace
