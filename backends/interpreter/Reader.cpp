// See Reader.h.
#include "backends/interpreter/Reader.h"

#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// Collects errors as "file:line:column: error: text" lines.
static LogicalResult collect(Diagnostic &diagnostic, std::string &text) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return success();
  llvm::raw_string_ostream out(text);
  if (!text.empty())
    out << "\n";
  if (auto position = diagnostic.getLocation()->findInstanceOf<FileLineColRange>())
    out << position.getFilename().getValue() << ":" << position.getStartLine() << ":"
        << position.getStartColumn() << ": ";
  out << "error: " << diagnostic.str();
  return success();
}

ModuleReader::ModuleReader()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED),
      handler(&context, [this](Diagnostic &diagnostic) { return collect(diagnostic, errors); }) {}

llvm::Error ModuleReader::readText(llvm::StringRef text) {
  module = tile::readModule(text, &context);
  if (module && succeeded(expandDescriptors(*module)))
    return llvm::Error::success();
  module = nullptr;
  return makeError(ErrorKind::Compile, "cpu: load: " + (errors.empty() ? "the module cannot be read"
                                                                       : llvm::Twine(errors)));
}

llvm::Error ModuleReader::readBytecode(llvm::ArrayRef<uint8_t> bytecode) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytecode.data()), bytecode.size());
  if (!isBytecode(llvm::MemoryBufferRef(text, "<module>")))
    return makeError(ErrorKind::Compile, "cpu: load: the module is not MLIR bytecode");
  return readText(text);
}

std::vector<std::string> ModuleReader::getKernels() {
  std::vector<std::string> kernels;
  for (auto function : module->getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr))
      kernels.push_back(function.getName().str());
  return kernels;
}
