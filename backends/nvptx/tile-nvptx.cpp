// tile-nvptx: compiles tile IR (text or bytecode) for an NVIDIA GPU and prints one stage. For tests
// and for looking at what the backend does; needs no GPU.
#include "backends/nvptx/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace tilerun;

static cl::OptionCategory category("tile-nvptx");
static cl::opt<std::string> input(cl::Positional, cl::desc("<tile IR>"), cl::cat(category),
                                  cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("output file"), cl::cat(category), cl::init("-"));
static cl::opt<std::string> arch("arch", cl::desc("architecture"), cl::cat(category),
                                 cl::init("sm_80"));
static cl::opt<unsigned> ptxVersion("ptx-version", cl::desc("PTX version times ten"),
                                    cl::cat(category), cl::init(0));
static cl::opt<unsigned> numWarps("num-warps", cl::desc("warps of a program"), cl::cat(category),
                                  cl::init(4));
static cl::opt<unsigned> numStages("num-stages", cl::desc("stages of loops"), cl::cat(category),
                                   cl::init(3));
static cl::opt<unsigned> maxRegisters("maxnreg", cl::desc("most registers of a thread"),
                                      cl::init(0), cl::cat(category));
static cl::opt<bool> lineInfo("line-info", cl::desc("lines of the source"), cl::cat(category),
                              cl::init(false));
static cl::opt<nvptx::Stage>
    emit("emit", cl::desc("what to print"), cl::cat(category), cl::init(nvptx::Stage::Ptx),
         cl::values(clEnumValN(nvptx::Stage::Simt, "simt", "per-thread IR"),
                    clEnumValN(nvptx::Stage::LlvmDialect, "llvm-dialect", "LLVM's MLIR dialect"),
                    clEnumValN(nvptx::Stage::Llvm, "llvm", "optimized LLVM IR"),
                    clEnumValN(nvptx::Stage::Ptx, "ptx", "PTX")));
static cl::opt<bool> metadata("metadata", cl::desc("print launch metadata instead"),
                              cl::cat(category));

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "tile IR to PTX\n");
  mlir::DialectRegistry registry;
  nvptx::registerDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  nvptx::NvptxOptions options;
  options.arch = arch;
  options.ptxVersion = ptxVersion;
  options.numWarps = numWarps;
  options.numStages = numStages;
  options.maxRegisters = maxRegisters;
  options.lineInfo = lineInfo;
  std::string text;
  if (metadata) {
    Expected<nvptx::NvptxArtifact> artifact = nvptx::compile(*module, options);
    if (!artifact) {
      errs() << "error: " << toString(artifact.takeError()) << "\n";
      return 1;
    }
    raw_string_ostream os(text);
    os << "kernel " << artifact->kernel << "\narch " << artifact->arch << "\nshared "
       << artifact->sharedBytes << "\nthreads " << artifact->numThreads << "\n";
    const char *kinds[] = {"pointer", "integer", "float"};
    for (const nvptx::NvptxParameter &parameter : artifact->parameters)
      os << "parameter " << kinds[int(parameter.kind)] << " " << parameter.bits << " "
         << parameter.name << "\n";
  } else {
    Expected<std::string> result = nvptx::compileTo(*module, options, emit);
    if (!result) {
      errs() << "error: " << toString(result.takeError()) << "\n";
      return 1;
    }
    text = std::move(*result);
  }
  std::error_code error;
  ToolOutputFile file(output, error, sys::fs::OF_None);
  if (error) {
    errs() << "error: cannot write " << output << ": " << error.message() << "\n";
    return 1;
  }
  file.os() << text;
  file.keep();
  return 0;
}
