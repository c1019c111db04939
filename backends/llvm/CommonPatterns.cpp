// See CommonPatterns.h.
#include "backends/llvm/CommonPatterns.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace {
/// vector.shuffle of any two lengths as extractions and insertions: LLVM requires equal types, and
/// the scalarizer expands both.
struct ShuffleToLLVM : ConvertOpToLLVMPattern<vector::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(vector::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(typeConverter->convertType(op.getType()));
    int64_t split = cast<VectorType>(op.getV1().getType()).getNumElements();
    Value result = LLVM::PoisonOp::create(rewriter, loc, type);
    auto index = [&](int64_t i) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(i));
    };
    for (auto [i, position] : llvm::enumerate(op.getMask())) {
      Value source = position < split ? adaptor.getV1() : adaptor.getV2();
      Value element = LLVM::ExtractElementOp::create(
          rewriter, loc, source, index(position < split ? position : position - split));
      result = LLVM::InsertElementOp::create(rewriter, loc, result, element, index(i));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct FromElementsToLLVM : ConvertOpToLLVMPattern<vector::FromElementsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(vector::FromElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value result = LLVM::PoisonOp::create(rewriter, loc, typeConverter->convertType(op.getType()));
    for (auto [i, element] : llvm::enumerate(adaptor.getElements())) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(i));
      result = LLVM::InsertElementOp::create(rewriter, loc, result, element, index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ToElementsToLLVM : ConvertOpToLLVMPattern<vector::ToElementsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(vector::ToElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < int64_t(op->getNumResults()); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(i));
      elements.push_back(LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getSource(), index));
    }
    rewriter.replaceOp(op, elements);
    return success();
  }
};
} // namespace

void tilerun::llvmbackend::populateCommonPatterns(LLVMTypeConverter &converter,
                                                  RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  patterns.add<ShuffleToLLVM, FromElementsToLLVM, ToElementsToLLVM>(converter, PatternBenefit(5));
}

LogicalResult tilerun::llvmbackend::lowerControlFlow(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false); // What follows converts the rest.
  passes.addPass(createSCFToControlFlowPass({.allowPatternRollback = false}));
  return passes.run(module);
}
