// Patterns for the vectors that scalarize leaves: around ops that need them whole, and
// reinterpretation between element sizes. A vector is as many values as it has elements.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

struct FromElementsPattern : KernelPattern<vector::FromElementsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(vector::FromElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(adaptor.getElements())});
    return success();
  }
};

struct ToElementsPattern : KernelPattern<vector::ToElementsOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(vector::ToElementsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, SmallVector<Value>(adaptor.getSource()));
    return success();
  }
};

struct BroadcastPattern : KernelPattern<vector::BroadcastOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(vector::BroadcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (op.getResultVectorType().getRank() != 1)
      return failure();
    SmallVector<Value> source(adaptor.getSource());
    size_t count = op.getResultVectorType().getNumElements();
    if (source.size() != count)
      source = SmallVector<Value>(count, source.front());
    rewriter.replaceOpWithMultiple(op, {source});
    return success();
  }
};

/// Between vectors of different element sizes, by words.
struct BitCastPattern : KernelPattern<vector::BitCastOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(vector::BitCastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
    SmallVector<Value> words =
        toWords(rewriter, op.getLoc(), adaptor.getSource(), from.getElementType(), target);
    rewriter.replaceOpWithMultiple(op, {fromWords(rewriter, op.getLoc(), words, to.getElementType(),
                                                  to.getNumElements(), target)});
    return success();
  }
};

/// Poison is zero, so that results never depend on a driver.
struct PoisonPattern : KernelPattern<ub::PoisonOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(constantOf(rewriter, op.getLoc(), type, 0));
    rewriter.replaceOpWithMultiple(op, {zeros});
    return success();
  }
};

} // namespace

void spirvbackend::populateVectorPatterns(SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns, KernelContext &kernel) {
  patterns
      .add<FromElementsPattern, ToElementsPattern, BroadcastPattern, BitCastPattern, PoisonPattern>(
          converter, kernel);
}
