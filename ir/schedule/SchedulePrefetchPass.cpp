// schedule-prefetch as a pass: prefetch() for each kernel that has no layouts yet.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/KernelPass.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Prefetch.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEPREFETCH
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct SchedulePrefetchPass : public schedule::impl::SchedulePrefetchBase<SchedulePrefetchPass> {
  using SchedulePrefetchBase::SchedulePrefetchBase;

  LogicalResult run() {
    FailureOr<Choice> choice = readChoice(getOperation(), "prefetch", prefetch);
    if (failed(choice))
      return failure();
    FailureOr<distribute::Program> program = distribute::getProgram(getOperation());
    if (failed(program))
      return failure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr) && !distribute::keepsLayouts(kernel))
        schedule::prefetch(kernel, *program, *choice);
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
