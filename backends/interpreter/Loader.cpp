// From bytecode to a decoded program. The IR and its context live only here.
#include "backends/interpreter/Decoder.h"
#include "backends/interpreter/Interpreter.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

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

llvm::Expected<std::unique_ptr<Program>> interp::loadProgram(llvm::ArrayRef<uint8_t> bytecode,
                                                             llvm::StringRef name) {
  auto fail = [&](ErrorKind kind, const llvm::Twine &message) {
    return makeError(kind, "cpu: load: " + message);
  };
  // A copy, because the reader wants alignment.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(reinterpret_cast<const char *>(bytecode.data()), bytecode.size()),
      "<module>");
  if (!isBytecode(buffer->getMemBufferRef()))
    return fail(ErrorKind::Compile, "the module is not MLIR bytecode");

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { return collect(diagnostic, errors); });
  auto module = parseSourceString<ModuleOp>(buffer->getBuffer(), ParserConfig(&context));
  if (!module)
    return fail(ErrorKind::Compile,
                errors.empty() ? "the module cannot be read" : llvm::StringRef(errors));

  std::vector<std::string> kernels;
  func::FuncOp kernel;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::TileDialect::kKernelAttr))
      continue;
    kernels.push_back("'" + function.getName().str() + "'");
    if (function.getName() == name)
      kernel = function;
  }
  if (!kernel)
    return fail(ErrorKind::InvalidArgument,
                "no kernel '" + name + "' in the module; it has " +
                    (kernels.empty() ? std::string("none") : llvm::join(kernels, ", ")));

  auto program = std::make_unique<Program>();
  if (failed(Decoder(*module, *program).decode(kernel)))
    return fail(ErrorKind::Compile, errors);
  return program;
}
