// Conversions that are one instruction: legalizeTypes has left no others. (Integers of other widths
// are in Arith.cpp.)
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

template <typename Op, typename To> struct CastPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Type type = this->convert(op.getType());
    if (type != op.getType() || adaptor.getIn().getType() != op.getIn().getType())
      return rewriter.notifyMatchFailure(op, "a type that is not held as itself");
    rewriter.replaceOpWithNewOp<To>(op, type, adaptor.getIn());
    return success();
  }
};

} // namespace

void spirvbackend::populateCastPatterns(SPIRVTypeConverter &converter, RewritePatternSet &patterns,
                                        KernelContext &kernel) {
  patterns.add<CastPattern<arith::ExtFOp, spirv::FConvertOp>,
               CastPattern<arith::TruncFOp, spirv::FConvertOp>,
               CastPattern<arith::SIToFPOp, spirv::ConvertSToFOp>,
               CastPattern<arith::UIToFPOp, spirv::ConvertUToFOp>,
               CastPattern<arith::FPToSIOp, spirv::ConvertFToSOp>,
               CastPattern<arith::FPToUIOp, spirv::ConvertFToUOp>>(converter, kernel);
}
