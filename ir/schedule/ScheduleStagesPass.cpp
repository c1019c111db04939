// schedule-stages as a pass: target and layouts around scheduleStages.
#include "ir/distribute/Facts.h"
#include "ir/distribute/ProgramOptions.h"
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

  /// Target and layouts of the module, or by the pass's own options.
  FailureOr<distribute::Program> prepare() {
    ModuleOp module = getOperation();
    if (module->hasAttr(distribute::DistributeDialect::kTargetAttr))
      return distribute::getProgram(module);
    llvm::Expected<target::TargetInfo> info = target::parseTarget(target);
    if (!info)
      return module.emitError("schedule-stages: ") << llvm::toString(info.takeError());
    distribute::Program settings{&*info, numWarps, numStages, /*warpUnit=*/0};
    if (failed(distribute::checkOptions(module, numWarps, numStages)))
      return failure();
    distribute::setProgram(module, settings);
    distribute::AccessAnalysis accesses(module);
    distribute::Options options{numWarps, &*info, accesses.getRuns()};
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr) && !isExpanded(kernel) &&
          (failed(distribute::checkThreads(kernel, settings)) ||
           failed(distribute::assignLayouts(kernel, options, accesses.getFacts()))))
        return failure();
    return distribute::getProgram(module);
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    bool hasTarget = module->hasAttr(distribute::DistributeDialect::kTargetAttr);
    FailureOr<distribute::Program> program = prepare();
    if (failed(program))
      return failure();
    FailureOr<HandSchedule> byHand = file.empty() ? HandSchedule::parse(text, name, &getContext())
                                                  : HandSchedule::read(file, &getContext());
    if (failed(byHand))
      return failure();
    for (auto kernel : module.getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr))
        continue;
      if (isExpanded(kernel)) {
        if (file.empty() && text.empty())
          continue;
        return kernel.emitError("the loops of kernel '")
               << kernel.getName() << "' are expanded already; no schedule can be given for them";
      }
      if (failed(distribute::checkAssignment(kernel)))
        return failure();
      distribute::LayoutAssignment layouts(kernel, *program->target, program->numWarps);
      if (failed(scheduleStages(kernel, layouts, {program->numStages, &*byHand})))
        return failure();
    }
    if (!hasTarget)
      distribute::dropAttributes(module);
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
