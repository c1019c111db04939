// From the LLVM dialect to an LLVM module for one target.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tilerun::llvmbackend {

/// `triple` is of a target that the process has initialized.
struct MachineForm {
  llvm::StringRef triple, cpu, features;
  std::optional<llvm::Reloc::Model> relocation;
  unsigned level; ///< 0 to 3; up to 1 for debugging.
  /// The code generator's, for levels above 1.
  llvm::CodeGenOptLevel generator = llvm::CodeGenOptLevel::Aggressive;
};

/// A module with the machine that it is for. It must not outlive its context.
struct Translation {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  Translation();
  Translation(Translation &&) noexcept;
  ~Translation();
};

/// `name` is the new module's. Operations are contracted only where they say so, because expansions
/// of functions rely on their roundings.
llvm::Expected<Translation> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                      llvm::StringRef name, const MachineForm &form);

/// Makes debug information of the functions' locations. Fails with a diagnostic.
mlir::LogicalResult addLineInfo(mlir::ModuleOp module, mlir::LLVM::DIEmissionKind kind);

} // namespace tilerun::llvmbackend
