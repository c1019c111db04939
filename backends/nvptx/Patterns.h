// The backend's conversion patterns, from per-thread IR to LLVM's dialect.
#pragma once

#include "backends/llvm/Builders.h"
#include "backends/llvm/MathScheme.h"
#include "backends/nvptx/Target.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilerun::nvptx {

void populateMemoryPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
/// `blocks`: of a program, as below. `mostLooks`: NvptxOptions::boundedWaits.
void populateThreadPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch, unsigned blocks, unsigned mostLooks);
/// Copies of boxes. Precondition: addTensorMaps has given them their parameters.
void populateBoxPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                         const Architecture &arch, unsigned blocks);
void populateMatrixPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateSmallFloatPatterns(mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns, const Architecture &arch);
void populateAtomicPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            const Architecture &arch);
void populateMathPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          const Architecture &arch);
/// Instructions of warp groups as wgmma. Precondition: checkWarpGroups has found nothing.
/// For programs of so many blocks.
void populateWgmmaPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           unsigned blocks);
/// Whether the architecture has what `module` uses of warp groups: products, which must be a wgmma,
/// and their fences, commits and waits. Reports the first op that it does not have.
mlir::LogicalResult checkWarpGroups(mlir::ModuleOp module, const Architecture &arch);
llvmbackend::MathUnits getMathUnits(const Architecture &arch);
/// Inline assembly, and what overlapping launches wait for.
void populateAssemblyPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateDebugPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           const Architecture &arch);

using llvmbackend::callIntrinsic;
using llvmbackend::fromWords;
using llvmbackend::integerConstant;
using llvmbackend::mapElements;
using llvmbackend::sharedAddress;
using llvmbackend::toWords;

/// Inline PTX: inline assembly of this target.
inline llvm::SmallVector<mlir::Value> inlinePtx(mlir::OpBuilder &b, mlir::Location loc,
                                                llvm::ArrayRef<mlir::Type> results,
                                                mlir::ValueRange inputs, llvm::StringRef text,
                                                llvm::StringRef constraints, bool hasSideEffects) {
  return llvmbackend::inlineAssembly(b, loc, results, inputs, text, constraints, hasSideEffects);
}

/// Ops whose instructions take none of their operands.
template <typename Op> struct StatementPattern : mlir::ConvertOpToLLVMPattern<Op> {
  StatementPattern(const mlir::LLVMTypeConverter &converter, const char *text)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), text(text) {}
  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const final {
    inlinePtx(rewriter, op.getLoc(), {}, {}, text, "~{memory}", true);
    rewriter.eraseOp(op);
    return mlir::success();
  }
  const char *text;
};

} // namespace tilerun::nvptx
