// Conversions of 8-bit floats as integer arithmetic on every register: those of float8e4b15, which
// no GPU of ours knows, and those of other formats that the target does not have. (The rest are
// simt.fp_cast, a target's own: of float8e4nv and float8e5, or of float8e4b8 and float8e5b16.)
#include "ir/simt/FloatCasts.h"
#include "ir/math/Functions.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {
struct Format {
  unsigned mantissa;
  int bias;
  uint32_t largest;         ///< The code of the largest finite value.
  bool isUnsignedZero;      ///< 0x80 is NaN, and there is no negative zero.
  uint32_t nan;             ///< Else the code of NaN, or of what stands for it.
  uint32_t special = 0x80;  ///< Codes from here on are NaN.
  bool hasInfinity = false; ///< As float16 has it, whose upper byte these codes are.
};

/// A format that no target knows, or this one does not: it `converts` its own formats.
std::optional<Format> formatOf(Type type, const target::TargetInfo &target, bool converts) {
  type = getElementTypeOrSelf(type);
  const bool isFnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  const bool isTargetsOwn = converts && isFnuz == target.hasUnsignedZeros8;
  if (isa<Float8E4M3FNUZType>(type) && !isTargetsOwn)
    return Format{3, 8, 0x7f, true, 0x80};
  if (isa<Float8E5M2FNUZType>(type) && !isTargetsOwn)
    return Format{2, 16, 0x7f, true, 0x80};
  if (isa<tile::F8E4M3B15Type>(type))
    return Format{3, 15, 0x7f, false, 0x7f};
  if (isa<Float8E4M3FNType>(type) && !isTargetsOwn)
    return Format{3, 7, 0x7e, false, 0x7f, 0x7f};
  // Rounding saturates, which leaves no way to its infinity.
  if (isa<Float8E5M2Type>(type) && !isTargetsOwn)
    return Format{2, 15, 0x7b, false, 0x7e, 0x7d, true};
  return std::nullopt;
}

/// Arithmetic on values of one shape.
struct Emit {
  ImplicitLocOpBuilder &b;
  Type shape; ///< Of i32.

  Type typed(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value fixed(Type element, Attribute value) const {
    Type type = typed(element);
    if (isa<VectorType>(type))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(cast<ShapedType>(type), value));
    return arith::ConstantOp::create(b, cast<TypedAttr>(value));
  }
  Value number(uint32_t value) const {
    return fixed(b.getI32Type(), b.getIntegerAttr(b.getI32Type(), int32_t(value)));
  }
  Value real(double value) const {
    return fixed(b.getF32Type(), b.getFloatAttr(b.getF32Type(), value));
  }
  template <typename Op> Value op(Value x, Value y) const { return Op::create(b, x, y); }
  Value shiftLeft(Value x, unsigned n) const { return op<arith::ShLIOp>(x, number(n)); }
  Value shiftRight(Value x, unsigned n) const { return op<arith::ShRUIOp>(x, number(n)); }
  Value bits(Value x, Type element) const { return arith::BitcastOp::create(b, typed(element), x); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, condition, x, y);
  }
};
} // namespace

/// float32 of codes in an i8.
static Value decode(const Emit &e, Value codes, const Format &format) {
  Type f32 = e.b.getF32Type(), i32 = e.b.getI32Type();
  Value code = arith::ExtUIOp::create(e.b, e.shape, codes);
  if (format.hasInfinity) {
    // The upper byte of a float16.
    Value half = arith::TruncIOp::create(e.b, e.typed(e.b.getI16Type()), e.shiftLeft(code, 8));
    half = e.bits(half, e.b.getF16Type());
    return arith::ExtFOp::create(e.b, e.typed(f32), half);
  }
  Value magnitude = e.op<arith::AndIOp>(code, e.number(0x7f));
  Value normal = e.op<arith::AddIOp>(e.shiftLeft(magnitude, 23 - format.mantissa),
                                     e.number(uint32_t(127 - format.bias) << 23));
  // A subnormal is a multiple of the smallest one.
  Value count = arith::UIToFPOp::create(e.b, e.typed(f32), magnitude);
  Value small =
      e.op<arith::MulFOp>(count, e.real(std::ldexp(1.0, 1 - format.bias - int(format.mantissa))));
  Value isSmall = e.compare(arith::CmpIPredicate::ult, magnitude, e.number(1u << format.mantissa));
  Value result = e.select(isSmall, e.bits(small, i32), normal);
  Value sign = e.shiftLeft(e.op<arith::AndIOp>(code, e.number(0x80)), 24);
  if (format.special < 0x80) {
    Value isNan = e.compare(arith::CmpIPredicate::uge, magnitude, e.number(format.special));
    result = e.select(isNan, e.number(0x7fc00000), result);
  }
  result = e.op<arith::OrIOp>(result, sign);
  if (format.isUnsignedZero) {
    Value isNan = e.compare(arith::CmpIPredicate::eq, code, e.number(0x80));
    // Its sign bit is set, which formats without a NaN keep.
    result = e.select(isNan, e.number(0xffc00000), result);
  }
  return e.bits(result, f32);
}

/// Codes in an i8 of float32 bits.
static Value encode(const Emit &e, Value source, const Format &format, bool towardZero) {
  Type f32 = e.b.getF32Type(), i32 = e.b.getI32Type();
  Value magnitude = e.op<arith::AndIOp>(source, e.number(0x7fffffff));
  unsigned shift = 23 - format.mantissa;
  uint32_t smallestNormal = uint32_t(128 - format.bias) << 23;
  Value scaled = e.op<arith::SubIOp>(magnitude, e.number(uint32_t(127 - format.bias) << 23));
  if (!towardZero) {
    Value odd = e.op<arith::AndIOp>(e.shiftRight(scaled, shift), e.number(1));
    scaled =
        e.op<arith::AddIOp>(scaled, e.op<arith::AddIOp>(odd, e.number((1u << (shift - 1)) - 1)));
  }
  Value normal = e.shiftRight(scaled, shift);
  // Below, codes count multiples of the smallest subnormal; adding 2^23 rounds to whole ones.
  Value count = e.op<arith::MulFOp>(
      e.bits(magnitude, f32), e.real(std::ldexp(1.0, format.bias - 1 + int(format.mantissa))));
  Value small;
  if (towardZero)
    small = arith::FPToUIOp::create(e.b, e.shape, count);
  else
    small = e.op<arith::AndIOp>(e.bits(e.op<arith::AddFOp>(count, e.real(8388608.0)), i32),
                                e.number(0x7fffff));
  Value isSmall = e.compare(arith::CmpIPredicate::ult, magnitude, e.number(smallestNormal));
  // The other form's result is of no use then, and not defined for what is too large.
  Value code = e.select(isSmall, small, normal);
  Value isLarge = e.compare(arith::CmpIPredicate::ugt, code, e.number(format.largest));
  code = e.select(isLarge, e.number(format.largest), code);
  Value sign = e.op<arith::AndIOp>(e.shiftRight(source, 24), e.number(0x80));
  Value result = e.op<arith::OrIOp>(code, sign);
  Value isNan = e.compare(arith::CmpIPredicate::ugt, magnitude, e.number(0x7f800000));
  if (format.isUnsignedZero) {
    Value isZero = e.compare(arith::CmpIPredicate::eq, code, e.number(0));
    result = e.select(isNan, e.number(format.nan), e.select(isZero, e.number(0), result));
  } else {
    result = e.select(isNan, e.op<arith::OrIOp>(e.number(format.nan), sign), result);
  }
  return arith::TruncIOp::create(e.b, e.typed(e.b.getI8Type()), result);
}

/// Bits of a float32 that rounds like the float64 `source` into any narrower format.
static Value roundToOdd(const Emit &e, Value source) {
  mathx::Calculator single(e.b, e.b.getLoc(), e.typed(e.b.getF32Type()));
  mathx::Calculator wide(e.b, e.b.getLoc(), source.getType());
  return mathx::bits(mathx::cutToSingle(wide.real(source), single, /*odd=*/true)).v;
}

Value simt::castFloat8(LowerContext &c, Value source, Type from, Type to,
                       tile::RoundingMode rounding) {
  bool isTargetsOwn = c.target.roundsToFloat8 && rounding == tile::RoundingMode::NearestEven;
  // Formats without NaN keep its sign, which instructions do not give.
  const bool keepsSign =
      c.target.hasUnsignedZeros8 && isa<tile::F8E4M3B15Type>(getElementTypeOrSelf(to));
  std::optional<Format> fromFormat = formatOf(from, c.target, c.target.readsFloat8 && !keepsSign),
                        toFormat = formatOf(to, c.target, isTargetsOwn);
  if (!fromFormat && !toFormat)
    return {};
  Type i32 = c.b.getI32Type();
  auto vector = dyn_cast<VectorType>(source.getType());
  Emit e{c.b, vector ? Type(vector.clone(i32)) : i32};
  Type f32 = e.typed(c.b.getF32Type());
  auto isNarrow = [](Type type) { return type.getIntOrFloatBitWidth() == 8; };

  // To the bits of a float32, from which every such format rounds once.
  Value bits;
  if (fromFormat)
    bits = e.bits(decode(e, source, *fromFormat), i32);
  else if (from.isF64())
    bits = roundToOdd(e, source);
  else if (isNarrow(from))
    bits = e.bits(
        FpCastOp::create(c.b, f32, source, from, c.b.getF32Type(), tile::RoundingMode::NearestEven),
        i32);
  else
    bits = e.bits(from.isF32() ? source : arith::ExtFOp::create(c.b, f32, source).getResult(), i32);
  if (toFormat)
    return encode(e, bits, *toFormat, rounding == tile::RoundingMode::TowardZero);
  Value value = e.bits(bits, c.b.getF32Type());
  if (isNarrow(to))
    return FpCastOp::create(c.b, e.typed(c.b.getI8Type()), value, c.b.getF32Type(), to, rounding);
  if (to.isF32())
    return value;
  // Exact: the format has fewer bits than any wider one.
  if (to.isF64())
    return arith::ExtFOp::create(c.b, e.typed(to), value);
  return arith::TruncFOp::create(c.b, e.typed(to), value);
}

Value simt::castFloat(LowerContext &c, Value vector, Type from, Type to, Type held) {
  auto rounding = tile::RoundingMode::NearestEven;
  if (Value expanded = castFloat8(c, vector, from, to, rounding))
    return expanded;
  return FpCastOp::create(c.b, cast<VectorType>(vector.getType()).clone(held), vector, from, to,
                          rounding);
}
