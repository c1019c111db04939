// Builders of LLVM's dialect that conversion patterns share: calls of intrinsics, inline assembly,
// vectors as words and as elements.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilerun::llvmbackend {

/// Inline assembly with `results` outputs, `inputs` inputs and the given constraints ("=r,r,b").
/// Returns the outputs.
llvm::SmallVector<mlir::Value> inlineAssembly(mlir::OpBuilder &b, mlir::Location loc,
                                              llvm::ArrayRef<mlir::Type> results,
                                              mlir::ValueRange inputs, llvm::StringRef text,
                                              llvm::StringRef constraints, bool hasSideEffects);

/// The 32-bit address of the byte at `offset` in a buffer of shared memory.
mlir::Value sharedAddress(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer,
                          mlir::Value offset);

/// One of LLVM's intrinsics by name; null type: no result.
mlir::Value callIntrinsic(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                          llvm::StringRef name, mlir::ValueRange operands);

/// Applies `body` to each element of vectors (or to scalars) and packs the results in `type`.
mlir::Value mapElements(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                        mlir::ValueRange operands,
                        llvm::function_ref<mlir::Value(mlir::ValueRange)> body);

/// `vector` as `count` integers of `bits` bits, and back.
llvm::SmallVector<mlir::Value> toWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector,
                                       unsigned bits);
mlir::Value fromWords(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange words,
                      mlir::VectorType type);

/// Applies `move` to each 32-bit word of a scalar of up to 64 bits; a shorter one is the low part
/// of a word.
mlir::Value mapWords(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar,
                     llvm::function_ref<mlir::Value(mlir::Value)> move);

mlir::Value integerConstant(mlir::OpBuilder &b, mlir::Location loc, unsigned bits, int64_t value);

} // namespace tilerun::llvmbackend
