// Memory as LLVM's loads and stores, so that LLVM can reason about it: accesses without a mask and
// without hints about caches, and the arena of shared memory.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace tilerun::llvmbackend {

/// The address spaces of global and of shared memory, which all targets number alike.
inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

/// The name of the shared arena.
inline constexpr llvm::StringLiteral kArenaName("tilerun_shared");

/// At least `least`, and as much as any buffer of the module asks for.
int64_t getArenaAlignment(mlir::ModuleOp module, int64_t least);
/// The variable that all buffers of shared memory are parts of. With 0 `bytes` the launch says how
/// many there are.
void createArena(mlir::ModuleOp module, mlir::LLVM::Linkage linkage, uint64_t bytes,
                 int64_t alignment);
/// Buffers of shared memory are pointers.
void addSharedConversion(mlir::LLVMTypeConverter &converter);

/// The pointer to the byte at `offset` in a buffer of shared memory.
mlir::Value placeInBuffer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer,
                          mlir::Value offset);
/// The pointer to an address in global memory.
mlir::Value toGlobalPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value address);
/// The bytes of an access, which are its alignment.
unsigned getAccessBytes(mlir::Type vector);

/// Plain accesses. Those with a mask or a hint are left to the backend.
void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace tilerun::llvmbackend
