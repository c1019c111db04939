// schedule-persist as a pass: choosePersistence of each kernel.
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Persistence.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEPERSIST
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct SchedulePersistPass : public schedule::impl::SchedulePersistBase<SchedulePersistPass> {
  using SchedulePersistBase::SchedulePersistBase;

  void runOnOperation() override {
    auto choose = [](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                     Choice choice) -> LogicalResult {
      choosePersistence(kernel, layouts, choice);
      return success();
    };
    if (failed(chooseForKernels(getOperation(), {getArgument(), target, numWarps}, "persistent",
                                persistent, choose)))
      signalPassFailure();
  }
};
} // namespace
