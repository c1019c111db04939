// Reads a module of tile IR and keeps its diagnostics. Separate from the loader because the
// compiler of the device `cpu` reads modules as well.
#pragma once

#include "backends/interpreter/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilerun::interp {

/// A context with what is read into it. For one thread.
class ModuleReader {
public:
  ModuleReader();
  ModuleReader(const ModuleReader &) = delete;
  ModuleReader &operator=(const ModuleReader &) = delete;

  /// Reads and verifies bytecode, and expands descriptors. Errors: `Compile`.
  llvm::Error readBytecode(llvm::ArrayRef<uint8_t> bytecode);
  llvm::Error readText(llvm::StringRef text);
  mlir::ModuleOp getModule() { return *module; }
  /// The kernels of the module, in its order.
  std::vector<std::string> getKernels();
  /// The errors so far as "file:line:column: error: text" lines.
  llvm::StringRef getErrors() const { return errors; }

private:
  mlir::MLIRContext context;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilerun::interp
