// The backend's conversion patterns, from per-thread IR to LLVM's dialect.
#pragma once

#include "backends/nvptx/Target.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilerun::nvptx {

/// The name of the shared arena.
inline constexpr llvm::StringLiteral kArenaName("tilerun_shared");

void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateThreadPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateMatrixPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateSmallFloatPatterns(mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns, const Architecture &arch);
void populateAtomicPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateMathPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          const Architecture &arch);
/// Instructions of warp groups as wgmma. Precondition: checkWarpGroups has found nothing.
void populateWgmmaPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);
/// Whether the architecture has what `module` uses of warp groups: products, which must be a wgmma,
/// and their fences, commits and waits. Reports the first op that it does not have.
mlir::LogicalResult checkWarpGroups(mlir::ModuleOp module, const Architecture &arch);
/// Rewrites mathematics in `module` to what the hardware and LLVM have. Reports what has no form.
mlir::LogicalResult expandMath(mlir::ModuleOp module, const Architecture &arch);
/// Inline assembly, and what overlapping launches wait for.
void populateAssemblyPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateDebugPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           const Architecture &arch);

/// Inline PTX with `results` outputs, `inputs` inputs and the given constraints ("=r,r,b").
/// Returns the outputs.
llvm::SmallVector<mlir::Value> inlinePtx(mlir::OpBuilder &b, mlir::Location loc,
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
mlir::Value integerConstant(mlir::OpBuilder &b, mlir::Location loc, unsigned bits, int64_t value);

} // namespace tilerun::nvptx
