// Integers of one width as those of another: extension, truncation, casts of the index type, and
// sums and products that have twice the width.
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

template <typename Op, bool isSigned> struct ExtendPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value source = adaptor.getIn();
    Type from = op.getIn().getType(), to = this->convert(op.getType());
    unsigned bits = from.isIndex() ? 64 : from.getIntOrFloatBitWidth();
    if (from.isInteger(1)) {
      // A type that is held in a wider one has zeros above.
      int64_t ones = isSigned ? -1 : 1;
      unsigned width = op.getType().isIndex() ? 64 : op.getType().getIntOrFloatBitWidth();
      if (width < to.getIntOrFloatBitWidth())
        ones &= (int64_t(1) << width) - 1;
      rewriter.replaceOpWithNewOp<spirv::SelectOp>(
          op, to, source, constantOf(rewriter, loc, to, ones), constantOf(rewriter, loc, to, 0));
      return success();
    }
    if (isSigned && source.getType().getIntOrFloatBitWidth() != bits) {
      Type i32 = rewriter.getI32Type();
      Value shift = constantOf(rewriter, loc, i32, 32 - bits);
      source = spirv::ShiftLeftLogicalOp::create(rewriter, loc, i32, source, shift);
      source = spirv::ShiftRightArithmeticOp::create(rewriter, loc, i32, source, shift);
      unsigned width = op.getType().getIntOrFloatBitWidth();
      if (width < 32 && to == i32)
        source = spirv::BitwiseAndOp::create(
            rewriter, loc, source, constantOf(rewriter, loc, i32, (int64_t(1) << width) - 1));
    } else if (isSigned && op.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()) {
      // i8 is held as itself, i16 in an i32.
      source = spirv::SConvertOp::create(rewriter, loc, to, source);
      source =
          spirv::BitwiseAndOp::create(rewriter, loc, source, constantOf(rewriter, loc, to, 0xffff));
    }
    if (source.getType() == to)
      rewriter.replaceOp(op, source);
    else if (isSigned && isMisread(source.getType(), to))
      rewriter.replaceOp(op, extendWord(rewriter, loc, source));
    else if (isSigned)
      rewriter.replaceOpWithNewOp<spirv::SConvertOp>(op, to, source);
    else
      rewriter.replaceOpWithNewOp<spirv::UConvertOp>(op, to, source);
    return success();
  }

  /// Drivers that see through an extension, even of a value that becomes constant only by unrolling
  /// a loop, compare the narrow integer; some with another constant.
  bool isMisread(Type from, Type to) const {
    return from.isInteger(32) && to.isInteger(64) && !this->target.comparesExtended;
  }
  static Value extendWord(OpBuilder &b, Location loc, Value word) {
    Value shift = constantOf(b, loc, word.getType(), 31);
    return joinWords(b, loc, word,
                     spirv::ShiftRightArithmeticOp::create(b, loc, word.getType(), word, shift));
  }
};

/// trunci, and index_cast to a narrower or equal type.
Value truncate(OpBuilder &b, Location loc, Value source, unsigned bits, Type to) {
  if (bits == 1)
    return resizeUnsigned(b, loc, source, 1);
  if (source.getType() != to)
    source = spirv::UConvertOp::create(b, loc, to, source);
  if (bits < to.getIntOrFloatBitWidth())
    source = spirv::BitwiseAndOp::create(b, loc, source,
                                         constantOf(b, loc, to, (int64_t(1) << bits) - 1));
  return source;
}

struct TruncatePattern : KernelPattern<arith::TruncIOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::TruncIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, truncate(rewriter, op.getLoc(), adaptor.getIn(),
                                    op.getType().getIntOrFloatBitWidth(), convert(op.getType())));
    return success();
  }
};

template <typename Op, typename Extend> struct IndexCastPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (op.getType().isIndex() && !op.getIn().getType().isInteger(64)) {
      Value wide = Extend::create(rewriter, op.getLoc(), rewriter.getI64Type(), op.getIn());
      rewriter.replaceOp(op, wide);
      return success();
    }
    unsigned bits = op.getType().isIndex() ? 64 : op.getType().getIntOrFloatBitWidth();
    rewriter.replaceOp(
        op, truncate(rewriter, op.getLoc(), adaptor.getIn(), bits, this->convert(op.getType())));
    return success();
  }
};

/// Sum and carry.
struct AddExtendedPattern : KernelPattern<arith::AddUIExtendedOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::AddUIExtendedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    if (x.getType().isInteger(1)) {
      Value sum = spirv::LogicalNotEqualOp::create(rewriter, loc, x, y);
      Value carry = spirv::LogicalAndOp::create(rewriter, loc, x, y);
      rewriter.replaceOp(op, {sum, carry});
      return success();
    }
    Value sum = spirv::IAddOp::create(rewriter, loc, x, y);
    Value carry = spirv::ULessThanOp::create(rewriter, loc, sum, x);
    rewriter.replaceOp(op, {sum, carry});
    return success();
  }
};

/// The low and the high half of a product. Up to 32 bits the double width has it; 64 bits are
/// multiplied by halves.
template <typename Op, bool isSigned> struct MultiplyExtendedPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    Type type = x.getType(), i64 = rewriter.getI64Type();
    unsigned bits = type.getIntOrFloatBitWidth();
    if (bits == 1)
      return failure();
    Value low = spirv::IMulOp::create(rewriter, loc, x, y);
    auto shift = [&](Value value, unsigned count) -> Value {
      return spirv::ShiftRightLogicalOp::create(rewriter, loc, i64, value,
                                                constantOf(rewriter, loc, i64, count));
    };
    if (bits < 64) {
      auto widen = [&](Value value) -> Value {
        if (isSigned)
          return spirv::SConvertOp::create(rewriter, loc, i64, value);
        return spirv::UConvertOp::create(rewriter, loc, i64, value);
      };
      Value product = spirv::IMulOp::create(rewriter, loc, widen(x), widen(y));
      Value high = spirv::UConvertOp::create(rewriter, loc, type, shift(product, bits));
      rewriter.replaceOp(op, {low, high});
      return success();
    }
    auto add = [&](Value a, Value b) -> Value {
      return spirv::IAddOp::create(rewriter, loc, a, b);
    };
    auto multiply = [&](Value a, Value b) -> Value {
      return spirv::IMulOp::create(rewriter, loc, a, b);
    };
    auto cut = [&](Value value) -> Value {
      return spirv::BitwiseAndOp::create(rewriter, loc, value,
                                         constantOf(rewriter, loc, i64, 0xffffffff));
    };
    // Hacker's Delight, section 8-2.
    Value x0 = cut(x), x1 = shift(x, 32), y0 = cut(y), y1 = shift(y, 32);
    Value middle = add(multiply(x1, y0), shift(multiply(x0, y0), 32));
    Value other = add(multiply(x0, y1), cut(middle));
    Value high = add(add(multiply(x1, y1), shift(middle, 32)), shift(other, 32));
    if (isSigned) {
      auto correction = [&](Value a, Value b) -> Value {
        Value sign = spirv::ShiftRightArithmeticOp::create(rewriter, loc, i64, a,
                                                           constantOf(rewriter, loc, i64, 63));
        return spirv::BitwiseAndOp::create(rewriter, loc, sign, b);
      };
      high = spirv::ISubOp::create(rewriter, loc, high, correction(x, y));
      high = spirv::ISubOp::create(rewriter, loc, high, correction(y, x));
    }
    rewriter.replaceOp(op, {low, high});
    return success();
  }
};

} // namespace

void spirvbackend::populateWidthPatterns(SPIRVTypeConverter &converter, RewritePatternSet &patterns,
                                         KernelContext &kernel) {
  using namespace arith;
  patterns.add<ExtendPattern<ExtSIOp, true>, ExtendPattern<ExtUIOp, false>, TruncatePattern,
               IndexCastPattern<IndexCastOp, ExtSIOp>, IndexCastPattern<IndexCastUIOp, ExtUIOp>,
               AddExtendedPattern, MultiplyExtendedPattern<MulUIExtendedOp, false>,
               MultiplyExtendedPattern<MulSIExtendedOp, true>>(converter, kernel);
}
