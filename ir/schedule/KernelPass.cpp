// See KernelPass.h.
#include "ir/schedule/KernelPass.h"
#include "ir/distribute/Facts.h"
#include "ir/distribute/ProgramOptions.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/target/GenericTarget.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;

static bool isKernel(func::FuncOp function) {
  return function->hasAttr(tile::TileDialect::kKernelAttr);
}

/// Gives the module the target and layouts for it.
static LogicalResult assignOwn(ModuleOp module, const schedule::OwnTarget &own) {
  llvm::Expected<target::TargetInfo> info = target::parseTarget(own.target);
  if (!info)
    return module.emitError(own.pass) << ": " << llvm::toString(info.takeError());
  Program settings{&*info, own.numWarps, own.numStages, /*warpUnit=*/0};
  if (failed(checkOptions(module, own.numWarps, own.numStages)))
    return failure();
  setProgram(module, settings);
  AccessAnalysis accesses(module);
  Options options{own.numWarps, &*info, accesses.getRuns()};
  for (auto kernel : module.getOps<func::FuncOp>())
    if (isKernel(kernel) && !schedule::isExpanded(kernel) &&
        (failed(checkThreads(kernel, settings)) ||
         failed(assignLayouts(kernel, options, accesses.getFacts()))))
      return failure();
  return success();
}

LogicalResult schedule::forEachKernel(
    ModuleOp module, const OwnTarget &own,
    function_ref<LogicalResult(func::FuncOp, const LayoutAssignment &, const Program &)> work) {
  bool hasTarget = module->hasAttr(DistributeDialect::kTargetAttr);
  if (!hasTarget && failed(assignOwn(module, own)))
    return failure();
  FailureOr<Program> program = getProgram(module);
  if (failed(program))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!isKernel(kernel))
      continue;
    if (failed(checkAssignment(kernel)))
      return failure();
    LayoutAssignment layouts(kernel, *program->target, program->numWarps);
    if (failed(work(kernel, layouts, *program)))
      return failure();
  }
  if (!hasTarget)
    dropAttributes(module);
  return success();
}

FailureOr<schedule::Choice> schedule::readChoice(ModuleOp module, StringRef name, StringRef word) {
  if (std::optional<Choice> choice = schedule::getChoice(word))
    return *choice;
  return module.emitError("'") << word << "' is not a choice of " << name
                               << "; use 'auto', 'off' or 'on'";
}

LogicalResult schedule::chooseForKernels(
    ModuleOp module, const OwnTarget &own, StringRef name, StringRef word,
    function_ref<LogicalResult(func::FuncOp, const LayoutAssignment &, Choice)> work) {
  FailureOr<Choice> choice = readChoice(module, name, word);
  if (failed(choice))
    return failure();
  return forEachKernel(
      module, own,
      [&](func::FuncOp kernel, const LayoutAssignment &layouts, const Program &) -> LogicalResult {
        return isExpanded(kernel) ? success() : work(kernel, layouts, *choice);
      });
}
