// f8E4M3FN and f8E5M2 where the hardware does not read them: every value is one of f32, found by
// moving the bits to where f32 has them and correcting the exponent by a multiplication.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

struct Format {
  unsigned mantissaBits;
  int bias;
  bool hasInfinity; ///< The largest exponent is infinity or NaN; else only all ones is NaN.
};

std::optional<Format> formatOf(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Format{3, 7, false};
  if (isa<Float8E5M2Type>(type))
    return Format{2, 15, true};
  return std::nullopt;
}

/// From an 8-bit format to any wider one, without the hardware's conversions.
struct WidenPattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  WidenPattern(const LLVMTypeConverter &converter, unsigned arch)
      : ConvertOpToLLVMPattern(converter, PatternBenefit(2)), arch(arch) {}

  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    std::optional<Format> format = formatOf(op.getFrom());
    if (!format || arch >= 89 || formatOf(op.getTo()))
      return failure();
    Location loc = op.getLoc();
    Type type = typeConverter->convertType(op.getType());
    rewriter.replaceOp(op, mapElements(rewriter, loc, type, adaptor.getSource(), [&](ValueRange x) {
                         return widen(rewriter, loc, x[0], *format, getElementTypeOrSelf(type));
                       }));
    return success();
  }

  static Value widen(OpBuilder &b, Location loc, Value byte, const Format &format, Type to) {
    Type i32 = b.getI32Type(), f32 = b.getF32Type();
    auto word = [&](int64_t value) { return integerConstant(b, loc, 32, value); };
    auto isEqual = [&](Value x, int64_t y) -> Value {
      return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, x, word(y));
    };
    Value bits = LLVM::ZExtOp::create(b, loc, i32, byte);
    Value magnitude = LLVM::AndOp::create(b, loc, bits, word(0x7f));
    Value moved = LLVM::ShlOp::create(b, loc, magnitude, word(23 - format.mantissaBits));
    Value value = LLVM::BitcastOp::create(b, loc, f32, moved);
    auto scale = b.getF32FloatAttr(std::ldexp(1.0f, 127 - format.bias));
    value = LLVM::FMulOp::create(b, loc, value, LLVM::ConstantOp::create(b, loc, f32, scale));
    Value sign =
        LLVM::ShlOp::create(b, loc, LLVM::AndOp::create(b, loc, bits, word(0x80)), word(24));
    Value result = LLVM::BitcastOp::create(b, loc, i32, value);
    auto choose = [&](Value condition, int64_t special) {
      result = LLVM::SelectOp::create(b, loc, condition, word(special), result);
    };
    if (format.hasInfinity)
      choose(isEqual(magnitude, 0x7c), 0x7f800000);
    Value isNan = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ugt, magnitude,
                                       word(format.hasInfinity ? 0x7c : 0x7e));
    choose(isNan, 0x7fc00000);
    result = LLVM::OrOp::create(b, loc, result, sign);
    value = LLVM::BitcastOp::create(b, loc, f32, result);
    if (to.getIntOrFloatBitWidth() < 32)
      return LLVM::FPTruncOp::create(b, loc, to, value);
    return to.isF32() ? value : Value(LLVM::FPExtOp::create(b, loc, to, value));
  }
  unsigned arch;
};

} // namespace

void nvptx::populateSmallFloatPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                       const Architecture &arch) {
  patterns.add<WidenPattern>(converter, arch.number);
}
