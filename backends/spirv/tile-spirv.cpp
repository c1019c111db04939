// tile-spirv: compiles tile IR (text or bytecode) for Vulkan and prints one stage. For tests
// and for looking at what the backend does; needs no device.
#include "backends/spirv/Compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace tilerun;

static cl::OptionCategory category("tile-spirv");
static cl::opt<std::string> input(cl::Positional, cl::desc("<tile IR>"), cl::cat(category),
                                  cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("output file"), cl::cat(category), cl::init("-"));
static cl::opt<std::string> targetText("target", cl::desc("target: vulkan:1.3,WORD,…"),
                                       cl::cat(category), cl::init("vulkan:1.3"));
static cl::opt<unsigned> numWarps("num-warps", cl::desc("warps of a program"), cl::cat(category),
                                  cl::init(4));
static cl::opt<unsigned> numStages("num-stages", cl::desc("stages of loops"), cl::cat(category),
                                   cl::init(3));
static cl::opt<bool> lineInfo("line-info", cl::desc("lines of the source"), cl::cat(category),
                              cl::init(false));
static cl::opt<spirvbackend::Stage>
    emit("emit", cl::desc("what to print"), cl::cat(category),
         cl::init(spirvbackend::Stage::SpirvAsm),
         cl::values(clEnumValN(spirvbackend::Stage::Simt, "simt", "per-thread IR"),
                    clEnumValN(spirvbackend::Stage::SpirvDialect, "spirv-dialect",
                               "MLIR's SPIR-V dialect"),
                    clEnumValN(spirvbackend::Stage::Spirv, "spirv", "a binary module"),
                    clEnumValN(spirvbackend::Stage::SpirvAsm, "spirv-asm", "assembly")));
static cl::opt<bool> metadata("metadata", cl::desc("print launch metadata instead"),
                              cl::cat(category));

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "tile IR to SPIR-V\n");
  mlir::DialectRegistry registry;
  spirvbackend::registerDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(input, sources, &context);
  if (!module)
    return 1;
  spirvbackend::SpirvOptions options;
  Expected<spirvbackend::Target> target = spirvbackend::parseTarget(targetText);
  if (!target) {
    errs() << "error: " << toString(target.takeError()) << "\n";
    return 1;
  }
  options.target = std::move(*target);
  options.numWarps = numWarps;
  options.numStages = numStages;
  options.lineInfo = lineInfo;
  std::string text;
  if (metadata) {
    Expected<spirvbackend::SpirvArtifact> artifact = spirvbackend::compile(*module, options);
    if (!artifact) {
      errs() << "error: " << toString(artifact.takeError()) << "\n";
      return 1;
    }
    raw_string_ostream os(text);
    os << "kernel " << artifact->kernel << "\ntarget " << artifact->target << "\nshared "
       << artifact->sharedBytes << "\nthreads " << artifact->numThreads << "\nsubgroup "
       << artifact->subgroupSize << (artifact->requiresSubgroupSize ? " required" : "") << "\npush "
       << artifact->pushBytes << "\narguments " << artifact->argumentBytes
       << (artifact->argumentsInMemory ? " in memory" : "") << "\nwords " << artifact->words.size()
       << "\n";
    const char *kinds[] = {"pointer", "integer", "float"};
    for (const spirvbackend::SpirvParameter &parameter : artifact->parameters)
      os << "parameter " << kinds[int(parameter.kind)] << " " << parameter.bits << " at "
         << parameter.offset << " " << parameter.name << "\n";
  } else {
    Expected<std::string> result = spirvbackend::compileTo(*module, options, emit);
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
