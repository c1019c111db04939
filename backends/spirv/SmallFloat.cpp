// See SmallFloat.h.
#include "backends/spirv/SmallFloat.h"
#include "ir/math/Functions.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::mathx;
using namespace tilerun::spirvbackend;

namespace {

using tile::RoundingMode;

/// Arithmetic on registers of one shape, as float32 and its bits.
struct Emit {
  Emit(OpBuilder &b, Location loc, Value like)
      : single(b, loc, shapeLike(like.getType(), b.getF32Type())) {}
  static Type shapeLike(Type like, Type element) {
    auto shaped = dyn_cast<ShapedType>(like);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  OpBuilder &b() { return single.b; }
  Location loc() { return single.loc; }
  Type typed(Type element) { return single.like(element); }

  /// The 16 bits of a float or integer, in 32; and lower halves as one.
  Int widen(Value narrow) {
    Value bits = arith::BitcastOp::create(b(), loc(), typed(b().getI16Type()), narrow);
    return {&single, arith::ExtUIOp::create(b(), loc(), single.integerType(), bits)};
  }
  Value narrow(Int word, Type element) {
    Value half = arith::TruncIOp::create(b(), loc(), typed(b().getI16Type()), word.v);
    return arith::BitcastOp::create(b(), loc(), typed(element), half);
  }
  Bool isAbove(Int x, uint64_t limit) { return isBelow(single.integer(limit), x); }

  Calculator single;
};

Real decodeHalf(Emit &e, Value half) {
  Calculator &c = e.single;
  Int code = e.widen(half), magnitude = code & 0x7fff, moved = magnitude << 13;
  Int offset = select(e.isAbove(magnitude, 0x7bff), c.integer(224u << 23), c.integer(112u << 23));
  // A subnormal is a multiple of 2^-24.
  Real small = toReal(magnitude) * 0x1p-24;
  Int result = select(isBelow(magnitude, 0x400), bits(small), moved + offset);
  return fromBits(result | ((code & 0x8000) << 16));
}

Value encodeHalf(Emit &e, Real x, RoundingMode rounding, Type type) {
  Calculator &c = e.single;
  const bool cuts = rounding == RoundingMode::TowardZero;
  Int source = bits(x), magnitude = source & 0x7fffffff;
  Int scaled = magnitude - uint64_t(112u << 23);
  if (!cuts)
    scaled = scaled + ((magnitude >> 13) & 1) + 0xfff;
  Int normal = scaled >> 13, small{nullptr, {}};
  // Below, multiples of 2^-24: next to 1/2 that is the last place.
  Real number = fromBits(magnitude);
  if (cuts) {
    Real count = number * 0x1p24;
    small = {&c, arith::FPToSIOp::create(e.b(), e.loc(), c.integerType(),
                                         select(number < 0x1p-14, count, 0.0).v)};
  } else {
    small = bits(number + 0.5) - uint64_t(126u << 23);
  }
  Int result = select(isBelow(magnitude, 113u << 23), small, normal);
  Bool isLarge = e.isAbove(magnitude, cuts ? 0x477fffff : 0x477fefff);
  result = select(isLarge, c.integer(cuts ? 0x7bff : 0x7c00), result);
  if (cuts)
    result = select(isEqual(magnitude, 0x7f800000), c.integer(0x7c00), result);
  result = select(e.isAbove(magnitude, 0x7f800000), c.integer(0x7e00), result);
  return e.narrow(result | ((source >> 16) & 0x8000), type);
}

Real decodeBFloat(Emit &e, Value code) { return fromBits(e.widen(code) << 16); }

Value encodeBFloat(Emit &e, Real x, RoundingMode rounding, Type type) {
  Int source = bits(x), result = source;
  if (rounding != RoundingMode::TowardZero)
    result = source + ((source >> 16) & 1) + 0x7fff;
  Bool isNan = e.isAbove(source & 0x7fffffff, 0x7f800000);
  result = select(isNan, source | 0x400000, result);
  return e.narrow(result >> 16, type);
}

Value extend(Emit &e, Value source, Type to) {
  return arith::ExtFOp::create(e.b(), e.loc(), e.typed(to), source);
}
Value truncate(Emit &e, Value source, Type to) {
  return arith::TruncFOp::create(e.b(), e.loc(), e.typed(to), source);
}

} // namespace

bool spirvbackend::isNativeFloatCast(Type from, Type to, const Target &target) {
  if (from.isF16() && to.isF32())
    return target.hasFloat16;
  if (from.isF32() && to.isF16())
    return target.hasFloat16 && target.roundsFloat16ToEven;
  return (from.isF32() && to.isF64()) || (from.isF64() && to.isF32());
}

Value spirvbackend::castFloat(OpBuilder &b, Location loc, Value source, Type to,
                              RoundingMode rounding, const Target &target) {
  Type from = getElementTypeOrSelf(source.getType());
  if (from == to)
    return source;
  Emit e(b, loc, source);
  Calculator &c = e.single;
  const bool cuts = rounding == RoundingMode::TowardZero;
  // To float32: exactly, or rounded to odd so that only the second rounding counts.
  Real x{&c, source};
  if (from.isF64()) {
    Calculator wide(b, loc, source.getType());
    if (to.isF32() && !cuts)
      return truncate(e, source, to);
    x = cutToSingle(wide.real(source), c, /*odd=*/!to.isF32());
  } else if (from.isF16()) {
    x = target.hasFloat16 ? Real{&c, extend(e, source, b.getF32Type())} : decodeHalf(e, source);
  } else if (from.isBF16()) {
    x = decodeBFloat(e, source);
  }
  if (to.isF32())
    return x.v;
  if (to.isF64())
    return extend(e, x.v, to);
  if (to.isBF16())
    return encodeBFloat(e, x, rounding, to);
  if (!cuts && isNativeFloatCast(b.getF32Type(), to, target))
    return truncate(e, x.v, to);
  return encodeHalf(e, x, rounding, to);
}

Value spirvbackend::roundToHalf(OpBuilder &b, Location loc, Value single, Type to) {
  Emit e(b, loc, single);
  return encodeHalf(e, {&e.single, single}, RoundingMode::NearestEven, to);
}

Value spirvbackend::castInteger(OpBuilder &b, Location loc, Value source, bool isSigned, Type to,
                                const Target &target) {
  unsigned width = getElementTypeOrSelf(source.getType()).getIntOrFloatBitWidth();
  auto typed = [&](Type element) { return Emit::shapeLike(source.getType(), element); };
  auto convert = [&](Type element) -> Value {
    if (isSigned)
      return arith::SIToFPOp::create(b, loc, typed(element), source);
    return arith::UIToFPOp::create(b, loc, typed(element), source);
  };
  if (width < 32) {
    if (isSigned)
      source = arith::ExtSIOp::create(b, loc, typed(b.getI32Type()), source);
    else
      source = arith::ExtUIOp::create(b, loc, typed(b.getI32Type()), source);
    return castInteger(b, loc, source, isSigned, to, target);
  }
  if (!to.isBF16()) {
    // Integers that float32 rounds are beyond float16's range.
    Value number = convert(to.isF64() ? to : b.getF32Type());
    return castFloat(b, loc, number, to, RoundingMode::NearestEven, target);
  }
  // Eight bits at a time are cut off while there are more than float32 holds, and the last bit set
  // if they were not 0.
  auto constant = [&](const APInt &value) -> Value {
    Type type = source.getType();
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto number = [&](uint64_t value) { return constant(APInt(width, value)); };
  Type f32 = typed(b.getF32Type());
  Value scale;
  auto floatConstant = [&](double value) -> Value {
    TypedAttr attribute = b.getF32FloatAttr(float(value));
    if (auto shaped = dyn_cast<ShapedType>(f32))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  scale = floatConstant(1);
  for (unsigned bits = width; bits > 24; bits -= 8) {
    Value shifted = isSigned ? Value(arith::ShRSIOp::create(b, loc, source, number(8)))
                             : Value(arith::ShRUIOp::create(b, loc, source, number(8)));
    Value lost = arith::AndIOp::create(b, loc, source, number(0xff));
    Value isLost = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, lost, number(0));
    Value bit = arith::SelectOp::create(b, loc, isLost, number(1), number(0));
    Value odd = arith::OrIOp::create(b, loc, shifted, bit);
    // Whether |source| >= 2^24; of signed numbers, in one comparison.
    Value offset =
        isSigned ? Value(arith::AddIOp::create(b, loc, source, number(1u << 24))) : source;
    Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, offset,
                                         number(isSigned ? (2u << 24) - 1 : (1u << 24) - 1));
    source = arith::SelectOp::create(b, loc, isLong, odd, source);
    Value larger = arith::MulFOp::create(b, loc, scale, floatConstant(256));
    scale = arith::SelectOp::create(b, loc, isLong, larger, scale);
  }
  Value exact = arith::MulFOp::create(b, loc, convert(b.getF32Type()), scale);
  return castFloat(b, loc, exact, to, RoundingMode::NearestEven, target);
}
