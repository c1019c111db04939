// The stages: tile IR, per-thread IR, scalars, C.
#include "backends/template/Compile.h"

#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/Scalarize.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilerun;

void templatebackend::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                  ub::UBDialect, vector::VectorDialect>();
}

target::TargetInfo templatebackend::getTargetInfo() {
  target::TargetInfo info;
  info.name = "template:c"; // As diagnostics say it.
  info.warpSize = 1;
  info.maxThreads = 1;
  info.sharedMemoryBytes = 16 * 1024;
  info.hasShuffle = false;
  info.readsFloat8 = false;
  return info;
}

/// Afterwards only accesses to memory have vectors. Canonicalization comes first, because it forms
/// splats again.
static LogicalResult toScalars(ModuleOp module) {
  PassManager before(module.getContext()), after(module.getContext());
  before.addPass(createCanonicalizerPass());
  after.addPass(createCSEPass());
  if (failed(before.run(module)))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>())
    simt::scalarize(kernel, simt::PoisonIs::Zero);
  return after.run(module);
}

llvm::Expected<templatebackend::Artifact> templatebackend::compile(ModuleOp module, Stage stage) {
  backend::StageRunner runner(module, registerDialects);
  llvm::Expected<func::FuncOp> kernel = backend::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  Artifact artifact{kernel->getName().str(), backend::getParameters(*kernel), ""};
  const target::TargetInfo info = getTargetInfo();
  const distribute::Program program = {&info, /*numWarps=*/1, /*numStages=*/1, /*warpUnit=*/1};
  std::optional<backend::ThreadStage> wanted;
  if (stage != Stage::C)
    wanted = stage == Stage::Layout ? backend::ThreadStage::Layout : backend::ThreadStage::Simt;
  llvm::Expected<std::optional<std::string>> asked = runner.lowerToThreads(program, wanted);
  if (!asked)
    return asked.takeError();
  if (*asked) {
    artifact.code = std::move(**asked);
    return artifact;
  }
  if (llvm::Error error = runner.check(toScalars(module), "taking vectors apart"))
    return std::move(error);
  // Lowering to threads has replaced the kernel's function.
  kernel = backend::findKernel(module);
  if (!kernel)
    return kernel.takeError();
  FailureOr<std::string> code = writeC(*kernel);
  if (llvm::Error error = runner.check(code, "writing C"))
    return std::move(error);
  artifact.code = std::move(*code);
  return artifact;
}
