// schedule-stages as a pass: target and layouts around scheduleStages.
#include "ir/distribute/Facts.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/Stages.h"
#include "ir/target/GenericTarget.h"

#include "mlir/IR/BuiltinOps.h"

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
    ModuleOp module = getOperation();
    llvm::Expected<target::TargetInfo> info = target::parseTarget(target);
    if (!info)
      return module.emitError("schedule-stages: ") << llvm::toString(info.takeError());
    HandSchedule byHand;
    if (!file.empty()) {
      FailureOr<HandSchedule> read = HandSchedule::read(file, &getContext());
      if (failed(read))
        return failure();
      byHand = std::move(*read);
    }
    distribute::AccessAnalysis accesses(module);
    distribute::Options distribution{numWarps, &*info, accesses.getRuns()};
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr))
        continue;
      auto layouts =
          distribute::LayoutAssignment::compute(kernel, distribution, accesses.getFacts());
      if (failed(layouts) || failed(scheduleStages(kernel, *layouts, {numStages, &byHand})))
        return failure();
    }
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
