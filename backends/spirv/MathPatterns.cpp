// The mathematical ops that expandMath (Math.cpp) leaves, at conversion: one instruction each, and
// counts of bits, of which GLSL.std.450 has those of 32 bits.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

constexpr uint32_t kTrunc = 3;

/// One instruction of the dialect.
template <typename Op, typename To> struct Direct : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Operation *result =
        To::create(rewriter, op.getLoc(), this->convert(op.getType()), adaptor.getOperands());
    noContraction(result);
    rewriter.replaceOp(op, result->getResults());
    return success();
  }
};

struct TruncPattern : KernelPattern<math::TruncOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(math::TruncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, emitGlsl(rewriter, op.getLoc(), kernel, kTrunc, convert(op.getType()),
                                    adaptor.getOperand()));
    return success();
  }
};

/// Halves of a 64-bit integer: GLSL's instructions know 32 bits.
struct Words {
  Value low, high;
};
Words split(OpBuilder &b, Location loc, Value wide) {
  Type i32 = b.getI32Type();
  Value shifted =
      spirv::ShiftRightLogicalOp::create(b, loc, wide.getType(), wide, constantOf(b, loc, i32, 32));
  return {spirv::UConvertOp::create(b, loc, i32, wide),
          spirv::UConvertOp::create(b, loc, i32, shifted)};
}

Value countBits(OpBuilder &b, Location loc, Value word) {
  return spirv::BitCountOp::create(b, loc, word.getType(), word);
}
/// 32 if there is none.
Value countLeading(OpBuilder &b, Location loc, Value word) {
  Value position = spirv::GLFindUMsbOp::create(b, loc, word); // -1 if there is none
  return spirv::ISubOp::create(b, loc, constantOf(b, loc, b.getI32Type(), 31), position);
}
Value isZero(OpBuilder &b, Location loc, Value word) {
  return spirv::IEqualOp::create(b, loc, word, constantOf(b, loc, word.getType(), 0));
}
Value countTrailing(OpBuilder &b, Location loc, Value word) {
  Value position = spirv::GLFindILsbOp::create(b, loc, word);
  return spirv::SelectOp::create(b, loc, isZero(b, loc, word),
                                 constantOf(b, loc, b.getI32Type(), 32), position);
}

template <typename Op> struct Count : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    OpBuilder &b = rewriter;
    Value x = adaptor.getOperand();
    auto count = std::is_same_v<Op, math::CtPopOp>               ? countBits
                 : std::is_same_v<Op, math::CountLeadingZerosOp> ? countLeading
                                                                 : countTrailing;
    if (x.getType().isInteger(32)) {
      rewriter.replaceOp(op, count(b, loc, x));
      return success();
    }
    if (!x.getType().isInteger(64))
      return failure();
    Words words = split(b, loc, x);
    Value low = count(b, loc, words.low), high = count(b, loc, words.high), result;
    Value sum = spirv::IAddOp::create(b, loc, low, high);
    if (std::is_same_v<Op, math::CtPopOp>)
      result = sum;
    else if (std::is_same_v<Op, math::CountLeadingZerosOp>)
      result = spirv::SelectOp::create(b, loc, isZero(b, loc, words.high), sum, high);
    else
      result = spirv::SelectOp::create(b, loc, isZero(b, loc, words.low), sum, low);
    rewriter.replaceOp(op, resizeUnsigned(b, loc, result, 64));
    return success();
  }
};

} // namespace

void spirvbackend::populateMathPatterns(SPIRVTypeConverter &converter, RewritePatternSet &patterns,
                                        KernelContext &kernel) {
  patterns
      .add<Direct<math::AbsFOp, spirv::GLFAbsOp>, Direct<math::CeilOp, spirv::GLCeilOp>,
           Direct<math::FloorOp, spirv::GLFloorOp>, Direct<math::RoundEvenOp, spirv::GLRoundEvenOp>,
           Direct<math::SqrtOp, spirv::GLSqrtOp>, Direct<math::FmaOp, spirv::GLFmaOp>, TruncPattern,
           Count<math::CtPopOp>, Count<math::CountLeadingZerosOp>,
           Count<math::CountTrailingZerosOp>>(converter, kernel);
}
