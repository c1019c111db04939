// schedule-stores as a pass: chooseAsyncStores of each kernel.
#include "ir/schedule/Allocate.h"
#include "ir/schedule/AsyncStores.h"
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULESTORES
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleStoresPass : public schedule::impl::ScheduleStoresBase<ScheduleStoresPass> {
  using ScheduleStoresBase::ScheduleStoresBase;

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "async-stores", stores);
    if (failed(choice))
      return failure();
    return forEachKernel(getOperation(), {getArgument(), target, numWarps},
                         [&](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                             const distribute::Program &) -> LogicalResult {
                           if (!isExpanded(kernel) && !isAllocated(kernel))
                             chooseAsyncStores(kernel, layouts, *choice);
                           return success();
                         });
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
