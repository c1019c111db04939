// From bytecode to a decoded program. The IR and its context live only here.
#include "backends/interpreter/Decoder.h"
#include "backends/interpreter/Interpreter.h"
#include "backends/interpreter/Reader.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

llvm::Expected<std::unique_ptr<Program>> interp::loadProgram(llvm::ArrayRef<uint8_t> bytecode,
                                                             llvm::StringRef name) {
  ModuleReader reader;
  if (llvm::Error error = reader.readBytecode(bytecode))
    return error;
  ModuleOp module = reader.getModule();
  auto kernel = module.lookupSymbol<func::FuncOp>(name);
  if (!kernel || !kernel->hasAttr(tile::TileDialect::kKernelAttr)) {
    std::vector<std::string> kernels = reader.getKernels();
    return makeError(
        ErrorKind::InvalidArgument,
        "cpu: load: no kernel '" + name + "' in the module; it has " +
            (kernels.empty() ? std::string("none") : "'" + llvm::join(kernels, "', '") + "'"));
  }
  auto program = std::make_unique<Program>();
  if (failed(Decoder(module, *program).decode(kernel)))
    return makeError(ErrorKind::Compile, "cpu: load: " + reader.getErrors());
  return program;
}
