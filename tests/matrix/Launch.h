// The steps between a cell's text and its results, for what runs cells: compile, make memory and
// arguments, look for bytes that must not change.
#pragma once

#include "frontend/Frontend.h"
#include "tests/matrix/Target.h"

#include "mlir/IR/DialectRegistry.h"

namespace tilerun::matrix {

struct CompiledCell {
  std::vector<uint8_t> bytecode;
  std::vector<CompiledParameter> parameters;
  std::string name;
};

/// All dialects that a kernel's module may have.
mlir::DialectRegistry makeDialects();

std::vector<uint8_t> getBytecode(mlir::ModuleOp module);

/// Empty on success; else the messages.
std::string optimize(mlir::ModuleOp module);

/// Compiles the cell's kernel, or its form in float64 if `wide`. Empty on success; else the
/// messages.
std::string compileCell(const Cell &cell, bool wide, bool optimize, bool defaultTf32,
                        mlir::MLIRContext &context, CompiledCell &out);

/// The memory of one launch: each tensor between guard bytes.
struct Memory {
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<uint64_t> offsets; ///< Of the tensors in their buffers.
  std::vector<uint64_t> sizes;   ///< Of the tensors.

  llvm::ArrayRef<uint8_t> getTensor(size_t i) const {
    return llvm::ArrayRef(buffers[i]).slice(offsets[i], sizes[i]);
  }
};
Memory makeMemory(const Cell &cell, uint64_t seed, bool wide);

std::vector<RunArgument> makeArguments(const Cell &cell, const CompiledCell &compiled,
                                       const Memory &memory);

/// Empty, or which byte outside the outputs was written.
std::string checkGuards(const Cell &cell, const Memory &before, const Memory &after);

} // namespace tilerun::matrix
