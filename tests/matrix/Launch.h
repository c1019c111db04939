// The steps between a cell's text and its results, for runners of cells: compile, make memory and
// arguments, check the bytes that must not change.
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

/// As for a launch. Empty on success; else the messages.
std::string optimize(mlir::ModuleOp module);
/// The same of bytecode.
std::string optimize(const Request &request, std::vector<uint8_t> &out);

/// Compiles the cell's kernel, or its form in float64 if `wide`, by the frontend alone. Empty on
/// success; else the messages.
std::string compileModule(const Cell &cell, bool wide, llvm::StringRef languageTarget,
                          mlir::MLIRContext &context, CompiledKernel &out);

/// The same as bytecode.
std::string compileCell(const Cell &cell, bool wide, llvm::StringRef languageTarget,
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

/// Whether results of a cell may be those of inputs without subnormal numbers, on a target that
/// takes float32's for zeros: it has such numbers and does more than move them.
bool mayTakeSubnormalsForZeros(const Cell &cell);
/// Makes zeros, with their signs, of float32's and bfloat16's subnormal numbers.
void flushSubnormals(const Cell &cell, Memory &memory, bool wide);

std::vector<RunArgument> makeArguments(const Cell &cell, const CompiledCell &compiled,
                                       const Memory &memory);

/// Empty, or which byte outside the outputs was written.
std::string checkGuards(const Cell &cell, const Memory &before, const Memory &after);

} // namespace tilerun::matrix
