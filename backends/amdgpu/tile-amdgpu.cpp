// tile-amdgpu: compiles tile IR (text or bytecode) for an AMD GPU and prints one stage, or what the
// code object needs. For tests and for looking at what the backend does; needs no GPU.
#include "backends/amdgpu/Compile.h"
#include "backends/common/StageTool.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilerun;

static cl::OptionCategory &category = backend::getStageToolCategory();
static cl::opt<std::string> arch("arch", cl::desc("architecture, with features"), cl::cat(category),
                                 cl::init("gfx942"));
static cl::opt<unsigned> wavesPerSimd("waves-per-eu",
                                      cl::desc("waves of a SIMD that must have room"),
                                      cl::cat(category), cl::init(0));
static cl::opt<unsigned> matrixSize("matrix-instr-nonkdim",
                                    cl::desc("rows and columns of MFMA instructions"),
                                    cl::cat(category), cl::init(0));
static cl::opt<unsigned> kPack("kpack", cl::desc("instructions along k of one shared access"),
                               cl::cat(category), cl::init(0));
static cl::opt<unsigned> xcds("xcds", cl::desc("dies that get programs in turn"), cl::cat(category),
                              cl::init(0));
static cl::opt<bool> asyncCopies("async-copies",
                                 cl::desc("copy to shared memory without registers"),
                                 cl::cat(category));
static cl::opt<std::string> turns("turns", cl::desc("waves multiply in turns: auto, off or on"),
                                  cl::cat(category), cl::init("auto"));
static cl::opt<std::string> evictions("evictions",
                                      cl::desc("reads that stay in the caches: auto, off or on"),
                                      cl::cat(category), cl::init("auto"));
static cl::opt<std::string> prefetch("prefetch",
                                     cl::desc("loads made one iteration early: auto, off or on"),
                                     cl::cat(category), cl::init("auto"));
static cl::opt<std::string> buffers("buffers",
                                    cl::desc("masked accesses as buffer instructions: auto, off, "
                                             "or on for tensors below 2 GiB"),
                                    cl::cat(category), cl::init("auto"));
static cl::opt<std::string> schedule("schedule", cl::desc("text of a schedule by hand"),
                                     cl::cat(category));
static cl::opt<amdgpu::Stage>
    emit("emit", cl::desc("what to print"), cl::cat(category), cl::init(amdgpu::Stage::Amdgcn),
         cl::values(
#define TILERUN_THREAD_STAGE(enumerator, word, summary)                                            \
  clEnumValN(amdgpu::Stage::enumerator, word, summary),
#include "backends/common/ThreadStages.def"
             clEnumValN(amdgpu::Stage::LlvmDialect, "llvm-dialect", "LLVM's MLIR dialect"),
             clEnumValN(amdgpu::Stage::Llvm, "llvm", "optimized LLVM IR"),
             clEnumValN(amdgpu::Stage::Amdgcn, "amdgcn", "assembly"),
             clEnumValN(amdgpu::Stage::Resources, "resources",
                        "registers, memory and waves of the code object"),
             clEnumValN(amdgpu::Stage::ResourcesJson, "resources-json", "the same as JSON"),
             clEnumValN(amdgpu::Stage::Hsaco, "hsaco", "the code object, an ELF file")));

static std::string printMetadata(const amdgpu::AmdgpuArtifact &artifact) {
  std::string text;
  raw_string_ostream os(text);
  os << "kernel " << artifact.kernel << "\narch " << artifact.arch << "\nshared "
     << artifact.sharedBytes << "\nthreads " << artifact.numThreads << "\nwave "
     << artifact.waveSize << "\n";
  for (const backend::KernelParameter &parameter : artifact.parameters)
    os << "parameter " << backend::describe(parameter) << " " << parameter.name << "\n";
  const char *hidden[] = {"integer 32 num_programs(0)", "integer 32 num_programs(1)",
                          "integer 32 num_programs(2)", "pointer 64 debug_buffer"};
  for (amdgpu::HiddenArgument argument : artifact.hidden)
    os << "hidden " << hidden[static_cast<int>(argument)] << "\n";
  for (const backend::DebugSite &site : artifact.debugSites) {
    const bool isPrint = site.kind == backend::DebugSite::Kind::Print;
    os << (isPrint ? "print " : "assert ") << site.file << ":" << site.line << ":" << site.column
       << " \"";
    printEscapedString(site.text, os);
    os << "\"" << (isPrint ? " " + site.arguments : "") << "\n";
  }
  return text;
}

static Expected<std::string> compile(mlir::ModuleOp module,
                                     const backend::StageToolOptions &common) {
  amdgpu::AmdgpuOptions options;
  options.arch = arch;
  options.numWarps = common.numWarps;
  options.numStages = common.numStages;
  options.wavesPerSimd = wavesPerSimd;
  options.matrixSize = matrixSize;
  options.kPack = kPack;
  options.xcds = xcds;
  options.copiesAsync = asyncCopies;
  options.turns = turns;
  options.evictions = evictions;
  options.prefetch = prefetch;
  options.buffers = buffers;
  options.schedule = schedule;
  options.lineInfo = common.lineInfo;
  if (!common.metadata)
    return amdgpu::compileTo(module, options, emit);
  Expected<amdgpu::AmdgpuArtifact> artifact = amdgpu::compile(module, options);
  if (!artifact)
    return artifact.takeError();
  return printMetadata(*artifact);
}

int main(int argc, char **argv) {
  return backend::runStageTool(argc, argv,
                               {"tile IR to code objects", amdgpu::registerDialects, compile});
}
