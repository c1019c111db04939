// tile-spirv: compiles tile IR (text or bytecode) for Vulkan and prints one stage. For tests
// and for looking at what the backend does; needs no device.
#include "backends/common/StageTool.h"
#include "backends/spirv/Compile.h"

using namespace llvm;
using namespace tilerun;

static cl::OptionCategory &category = backend::getStageToolCategory();
static cl::opt<std::string> targetText("target", cl::desc("target: vulkan:1.3,WORD,…"),
                                       cl::cat(category), cl::init("vulkan:1.3"));
static cl::opt<spirvbackend::Stage> emit(
    "emit", cl::desc("what to print"), cl::cat(category), cl::init(spirvbackend::Stage::SpirvAsm),
    cl::values(
#define TILERUN_THREAD_STAGE(enumerator, word, summary)                                            \
  clEnumValN(spirvbackend::Stage::enumerator, word, summary),
#include "backends/common/ThreadStages.def"
        clEnumValN(spirvbackend::Stage::SpirvDialect, "spirv-dialect", "MLIR's SPIR-V dialect"),
        clEnumValN(spirvbackend::Stage::Spirv, "spirv", "a binary module"),
        clEnumValN(spirvbackend::Stage::SpirvAsm, "spirv-asm", "assembly")));

static Expected<std::string> compile(mlir::ModuleOp module,
                                     const backend::StageToolOptions &common) {
  spirvbackend::SpirvOptions options;
  Expected<spirvbackend::Target> target = spirvbackend::parseTarget(targetText);
  if (!target)
    return target.takeError();
  options.target = std::move(*target);
  options.numWarps = common.numWarps;
  options.numStages = common.numStages;
  options.lineInfo = common.lineInfo;
  if (!common.metadata)
    return spirvbackend::compileTo(module, options, emit);
  Expected<spirvbackend::SpirvArtifact> artifact = spirvbackend::compile(module, options);
  if (!artifact)
    return artifact.takeError();
  std::string text;
  raw_string_ostream os(text);
  os << "kernel " << artifact->kernel << "\ntarget " << artifact->target << "\nshared "
     << artifact->sharedBytes << "\nthreads " << artifact->numThreads << "\nsubgroup "
     << artifact->subgroupSize << (artifact->requiresSubgroupSize ? " required" : "") << "\npush "
     << artifact->pushBytes << "\narguments " << artifact->argumentBytes
     << (artifact->argumentsInMemory ? " in memory" : "") << "\nwords " << artifact->words.size()
     << "\n";
  for (const spirvbackend::SpirvParameter &parameter : artifact->parameters)
    os << "parameter " << backend::describe(parameter) << " at " << parameter.offset << " "
       << parameter.name << "\n";
  return text;
}

int main(int argc, char **argv) {
  return backend::runStageTool(argc, argv,
                               {"tile IR to SPIR-V", spirvbackend::registerDialects, compile});
}
