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

  void runOnOperation() override {
    auto choose = [](func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
                     Choice choice) -> LogicalResult {
      if (!isAllocated(kernel))
        chooseAsyncStores(kernel, layouts, choice);
      return success();
    };
    if (failed(chooseForKernels(getOperation(), {getArgument(), target, numWarps}, "async-stores",
                                stores, choose)))
      signalPassFailure();
  }
};
} // namespace
