// Reads a module, compiles it, writes a file.
#include "backends/common/StageTool.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace tilerun;

cl::OptionCategory &backend::getStageToolCategory() {
  static cl::OptionCategory category("Options");
  return category;
}

static cl::opt<std::string> input(cl::Positional, cl::desc("<tile IR>"), cl::init("-"),
                                  cl::cat(backend::getStageToolCategory()));
static cl::opt<std::string> output("o", cl::desc("output file"), cl::init("-"),
                                   cl::cat(backend::getStageToolCategory()));
static cl::opt<unsigned> numWarps("num-warps", cl::desc("warps of a program"), cl::init(4),
                                  cl::cat(backend::getStageToolCategory()));
static cl::opt<unsigned> numStages("num-stages", cl::desc("stages of loops"), cl::init(3),
                                   cl::cat(backend::getStageToolCategory()));
static cl::opt<bool> lineInfo("line-info", cl::desc("lines of the source"), cl::init(false),
                              cl::cat(backend::getStageToolCategory()));
static cl::opt<bool> metadata("metadata", cl::desc("print launch metadata instead"),
                              cl::cat(backend::getStageToolCategory()));

static int fail(const Twine &message) {
  errs() << "error: " << message << "\n";
  return 1;
}

int backend::runStageTool(int argc, char **argv, const StageTool &tool) {
  InitLLVM init(argc, argv);
  // --mlir-print-ir-after and the like, for the passes that all backends share.
  mlir::registerPassManagerCLOptions();
  mlir::registerAsmPrinterCLOptions();
  cl::HideUnrelatedOptions(getStageToolCategory());
  cl::ParseCommandLineOptions(argc, argv, std::string(tool.overview) + "\n");
  mlir::DialectRegistry registry;
  tool.registerDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  std::vector<std::string> printed;
  mlir::ScopedDiagnosticHandler noting(&context, [&](mlir::Diagnostic &diagnostic) {
    printed.push_back(diagnostic.str());
    return mlir::failure(); // The handler above prints it.
  });
  Expected<std::string> text = tool.run(*module, {numWarps, numStages, lineInfo, metadata});
  if (!text) {
    const std::string message = toString(text.takeError());
    return llvm::any_of(printed,
                        [&](StringRef known) { return StringRef(message).contains(known); })
               ? 1
               : fail(message);
  }
  std::error_code error;
  ToolOutputFile file(output, error, sys::fs::OF_None);
  if (error)
    return fail("cannot write " + output + ": " + error.message());
  file.os() << *text;
  file.keep();
  return 0;
}

std::string backend::describe(const KernelParameter &parameter) {
  const char *kinds[] = {"pointer", "integer", "float"};
  return std::string(kinds[static_cast<int>(parameter.kind)]) + " " +
         std::to_string(parameter.bits);
}
