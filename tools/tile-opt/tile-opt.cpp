// tile-opt: reads tile IR, runs the passes named on its command line, writes tile IR. For tests and
// for looking at what one pass does.
#include "ir/schedule/Passes.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace tilerun;

// Bytecode as MLIR's own driver writes it has no checksum, so it goes through our writer.
static mlir::LogicalResult writeBytecode(llvm::StringRef inputName, llvm::StringRef outputName,
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
  std::string plain;
  llvm::raw_string_ostream os(plain);
  if (mlir::failed(mlir::MlirOptMain(os, std::move(input), registry, config)))
    return mlir::failure();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(plain); // Aligned, as the reader wants it.
  auto module = mlir::parseSourceString<mlir::ModuleOp>(copy->getBuffer(), &context);
  if (!module)
    return mlir::failure();
  std::vector<uint8_t> bytes = tile::writeModule(*module);
  output->os().write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  output->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<schedule::SchedDialect>();
  mlir::registerTransformsPasses();
  mlir::registerSCFPasses();
  mlir::arith::registerArithPasses();
  registerOptimizer();
  schedule::registerSchedulePasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tile IR optimizer driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  return mlir::asMainReturnCode(config.shouldEmitBytecode()
                                    ? writeBytecode(input, output, registry, config)
                                    : mlir::MlirOptMain(argc, argv, input, output, registry));
}
