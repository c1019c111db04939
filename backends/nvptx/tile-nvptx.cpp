// tile-nvptx: compiles tile IR (text or bytecode) for an NVIDIA GPU and prints one stage. For tests
// and for looking at what the backend does; needs no GPU.
#include "backends/common/StageTool.h"
#include "backends/nvptx/Compile.h"

using namespace llvm;
using namespace tilerun;

static cl::OptionCategory &category = backend::getStageToolCategory();
static cl::opt<std::string> arch("arch", cl::desc("architecture"), cl::cat(category),
                                 cl::init("sm_80"));
static cl::opt<unsigned> ptxVersion("ptx-version", cl::desc("PTX version times ten"),
                                    cl::cat(category), cl::init(0));
static cl::opt<unsigned> maxRegisters("maxnreg", cl::desc("most registers of a thread"),
                                      cl::init(0), cl::cat(category));
static cl::opt<std::string> fewPrograms("few-programs", cl::desc("auto, off or on"),
                                        cl::init("auto"), cl::cat(category));
static cl::opt<unsigned> numCtas("num-ctas", cl::desc("blocks to divide a program into"),
                                 cl::init(1), cl::cat(category));
static cl::opt<distribute::AcrossK>
    acrossK("operands-across-k",
            cl::desc("how they come to instructions that take no such operands"), cl::cat(category),
            cl::init(distribute::AcrossK::Auto),
            cl::values(clEnumValN(distribute::AcrossK::Auto, "auto", "as the compiler thinks best"),
                       clEnumValN(distribute::AcrossK::Registers, "registers", "threads read them"),
                       clEnumValN(distribute::AcrossK::Copies, "copies", "copies transpose them")));
static cl::opt<nvptx::Stage>
    emit("emit", cl::desc("what to print"), cl::cat(category), cl::init(nvptx::Stage::Ptx),
         cl::values(
#define TILERUN_THREAD_STAGE(enumerator, word, summary)                                            \
  clEnumValN(nvptx::Stage::enumerator, word, summary),
#include "backends/common/ThreadStages.def"
             clEnumValN(nvptx::Stage::LlvmDialect, "llvm-dialect", "LLVM's MLIR dialect"),
             clEnumValN(nvptx::Stage::Llvm, "llvm", "optimized LLVM IR"),
             clEnumValN(nvptx::Stage::Ptx, "ptx", "PTX")));

static Expected<std::string> compile(mlir::ModuleOp module,
                                     const backend::StageToolOptions &common) {
  nvptx::NvptxOptions options;
  options.arch = arch;
  options.ptxVersion = ptxVersion;
  options.numWarps = common.numWarps;
  options.numStages = common.numStages;
  options.maxRegisters = maxRegisters;
  options.lineInfo = common.lineInfo;
  options.acrossK = acrossK;
  options.numCtas = numCtas;
  options.fewPrograms = fewPrograms;
  if (!common.metadata)
    return nvptx::compileTo(module, options, emit);
  Expected<nvptx::NvptxArtifact> artifact = nvptx::compile(module, options);
  if (!artifact)
    return artifact.takeError();
  std::string text;
  raw_string_ostream os(text);
  os << "kernel " << artifact->kernel << "\narch " << artifact->arch << "\nshared "
     << artifact->sharedBytes << "\nthreads " << artifact->numThreads << "\n";
  if (artifact->blocks > 1)
    os << "blocks " << artifact->blocks << "\n";
  for (const backend::KernelParameter &parameter : artifact->parameters)
    os << "parameter " << backend::describe(parameter) << " " << parameter.name << "\n";
  return text;
}

int main(int argc, char **argv) {
  return backend::runStageTool(argc, argv, {"tile IR to PTX", nvptx::registerDialects, compile});
}
