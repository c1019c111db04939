// tile-template: compiles tile IR (text or bytecode) to C and prints one stage.
#include "backends/common/StageTool.h"
#include "backends/template/Compile.h"

using namespace llvm;
using namespace tilerun;
using templatebackend::Stage;

static cl::opt<Stage> emit("emit", cl::desc("what to print"), cl::init(Stage::C),
                           cl::cat(backend::getStageToolCategory()),
                           cl::values(clEnumValN(Stage::Layout, "layout", "tile IR with layouts"),
                                      clEnumValN(Stage::Simt, "simt", "per-thread IR"),
                                      clEnumValN(Stage::C, "c", "a C function")));

static Expected<std::string> compile(mlir::ModuleOp module,
                                     const backend::StageToolOptions &common) {
  Expected<templatebackend::Artifact> artifact = templatebackend::compile(module, emit);
  if (!artifact)
    return artifact.takeError();
  if (!common.metadata)
    return artifact->code;
  std::string text = "kernel " + artifact->kernel + "\n";
  for (const backend::KernelParameter &parameter : artifact->parameters)
    text += "parameter " + backend::describe(parameter) + " " + parameter.name + "\n";
  return text;
}

int main(int argc, char **argv) {
  return backend::runStageTool(argc, argv,
                               {"tile IR to C", templatebackend::registerDialects, compile});
}
