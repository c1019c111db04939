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

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "persistent", persistent);
    if (failed(choice))
      return failure();
    return forEachKernel(getOperation(), {getArgument(), target, numWarps},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &) -> LogicalResult {
                           if (!isExpanded(kernel))
                             choosePersistence(kernel, layouts, *choice);
                           return success();
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
