// tile-opt: reads tile IR, runs the passes named on its command line, writes the result: tile IR,
// with layouts, or per-thread IR. For tests and for inspecting a single pass.
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/Passes.h"
#include "ir/schedule/Passes.h"
#include "ir/simt/Passes.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace tilerun;

static llvm::cl::OptionCategory category("Target of the passes that distribute and lower");
static llvm::cl::opt<std::string>
    targetText("target",
               llvm::cl::desc("runs tile-set-target first: generic:lanes=64,shared=64k,…"),
               llvm::cl::cat(category));
static llvm::cl::opt<unsigned> numWarps("num-warps", llvm::cl::desc("warps of a program"),
                                        llvm::cl::init(4), llvm::cl::cat(category));
static llvm::cl::opt<unsigned> numStages("num-stages", llvm::cl::desc("buffers of pipelined loops"),
                                         llvm::cl::init(3), llvm::cl::cat(category));
static llvm::cl::opt<unsigned> numCtas("num-ctas",
                                       llvm::cl::desc("blocks to divide a program into"),
                                       llvm::cl::init(1), llvm::cl::cat(category));

// Bytecode as MLIR's own driver writes it has no checksum, so it goes through our writer.
static mlir::LogicalResult writeBytecode(llvm::raw_ostream &out,
                                         std::unique_ptr<llvm::MemoryBuffer> input,
                                         mlir::DialectRegistry &registry,
                                         const mlir::MlirOptMainConfig &config) {
  std::string plain;
  llvm::raw_string_ostream os(plain);
  if (mlir::failed(mlir::MlirOptMain(os, std::move(input), registry, config)))
    return mlir::failure();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(plain); // Aligned, as the reader requires.
  auto module = mlir::parseSourceString<mlir::ModuleOp>(copy->getBuffer(), &context);
  if (!module)
    return mlir::failure();
  std::vector<uint8_t> bytes = tile::writeModule(*module);
  out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return mlir::success();
}

static mlir::LogicalResult run(llvm::StringRef inputName, llvm::StringRef outputName,
                               mlir::DialectRegistry &registry,
                               const mlir::MlirOptMainConfig &config) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return mlir::failure();
  }
  mlir::LogicalResult result =
      config.shouldEmitBytecode()
          ? writeBytecode(output->os(), std::move(input), registry, config)
          : mlir::MlirOptMain(output->os(), std::move(input), registry, config);
  if (mlir::succeeded(result))
    output->keep();
  return result;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect>();
  mlir::registerTransformsPasses();
  mlir::registerSCFPasses();
  mlir::arith::registerArithPasses();
  registerOptimizer();
  registerDistributePasses();
  registerSimtPasses();
  schedule::registerSchedulePasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tile IR optimizer driver\n", registry);
  auto named = mlir::MlirOptMainConfig::createFromCLOptions();
  auto config = named;
  config.setPassPipelineSetupFn([&named](mlir::PassManager &manager) {
    if (targetText.getNumOccurrences()) {
      TileSetTargetOptions options;
      options.target = targetText;
      options.numWarps = numWarps;
      options.numStages = numStages;
      options.numCtas = numCtas;
      manager.addPass(createTileSetTarget(options));
    }
    return named.setupPassPipeline(manager);
  });
  return mlir::asMainReturnCode(run(input, output, registry, config));
}
