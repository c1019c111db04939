// The main function of tools that compile tile IR for one kind of target and print one stage.
#pragma once

#include "backends/common/Stages.h"

#include "llvm/Support/CommandLine.h"

namespace tilerun::backend {

/// Options that every such tool takes besides its own.
struct StageToolOptions {
  unsigned numWarps, numStages;
  bool lineInfo;
  bool metadata; ///< Print launch metadata instead of a stage.
};

struct StageTool {
  const char *overview; ///< "tile IR to PTX"
  StageRunner::RegisterDialects registerDialects;
  /// Returns the text to print. Diagnostics are printed already.
  llvm::function_ref<llvm::Expected<std::string>(mlir::ModuleOp, const StageToolOptions &)> run;
};

/// For the options of such tools; LLVM's own are hidden.
llvm::cl::OptionCategory &getStageToolCategory();

int runStageTool(int argc, char **argv, const StageTool &tool);

/// "pointer 64", as metadata shows it.
std::string describe(const KernelParameter &parameter);

} // namespace tilerun::backend
