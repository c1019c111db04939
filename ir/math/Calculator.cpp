// See Calculator.h.
#include "ir/math/Calculator.h"

#include <cmath>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::mathx;

static Value constant(Calculator &c, Type type, TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return arith::ConstantOp::create(c.b, c.loc, element);
}

Type Calculator::like(Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}
Type Calculator::integerType() { return like(b.getIntegerType(width)); }

Real Calculator::real(double value) {
  return {this, constant(*this, type, b.getFloatAttr(getElementTypeOrSelf(type), value))};
}
Int Calculator::integer(uint64_t value) {
  Type element = b.getIntegerType(width);
  APInt exact = APInt(64, value).trunc(width);
  return {this, constant(*this, integerType(), b.getIntegerAttr(element, exact))};
}
Real Calculator::infinity() { return real(std::numeric_limits<double>::infinity()); }
Real Calculator::nan() { return real(std::numeric_limits<double>::quiet_NaN()); }

Calculator::Parts Calculator::split(const Constant &constant, unsigned bits) {
  // The sums here are exact up to the last: cutting removes low bits only.
  auto cut = [](double value, unsigned precision) {
    int exponent = 0;
    const double scaled = std::ldexp(std::frexp(value, &exponent), int(precision));
    return std::ldexp(std::nearbyint(scaled), exponent - int(precision));
  };
  const double first = cut(constant.a, bits), rest = constant.a - first;
  if (!wide) {
    const double second = rest == 0 ? cut(constant.b, 24) : cut(rest, 24);
    return {real(first), real(second), real((rest - second) + constant.b)};
  }
  const double second = rest + constant.b;
  return {real(first), real(second), real((constant.b - (second - rest)) + constant.c)};
}

Bool mathx::operator!(Bool x) {
  Type type = x.v.getType();
  Value ones = constant(*x.c, type, x.c->b.getBoolAttr(true));
  return {x.c, arith::XOrIOp::create(x.c->b, x.c->loc, x.v, ones)};
}

Int mathx::bits(Real x) {
  return {x.c, arith::BitcastOp::create(x.c->b, x.c->loc, x.c->integerType(), x.v)};
}
Real mathx::fromBits(Int x) {
  return {x.c, arith::BitcastOp::create(x.c->b, x.c->loc, x.c->type, x.v)};
}
Real mathx::toReal(Int x) {
  return {x.c, arith::SIToFPOp::create(x.c->b, x.c->loc, x.c->type, x.v)};
}
Real mathx::powerOfTwo(Int n) { return fromBits((n + uint64_t(n.c->bias)) << n.c->mantissa); }

Real mathx::scale(Real x, Int n) {
  Int half = shiftSigned(n, 1);
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

FloatParts mathx::takeApart(Real x) {
  Calculator &c = *x.c;
  const uint64_t exponentMask = uint64_t(2 * c.bias + 1) << c.mantissa;
  Bool small = abs(x) < c.real(0x1p-126, 0x1p-1022);
  // A subnormal float32 as the integer that it is a multiple of: some devices multiply zeros in
  // place of such numbers.
  const int shift = int(c.wide ? c.mantissa + 1 : c.mantissa + c.bias - 1);
  Real scaled = x;
  if (c.wide) {
    scaled = x * std::ldexp(1.0, shift);
  } else {
    const uint64_t sign = uint64_t(1) << (c.width - 1);
    scaled = fromBits(bits(toReal(bits(x) & (sign - 1))) | (bits(x) & sign));
  }
  Real normal = select(small, scaled, x);
  Int field = (bits(normal) & exponentMask) >> c.mantissa;
  Int offset = select(small, c.integer(uint64_t(c.bias) + shift), c.integer(uint64_t(c.bias)));
  Int one = (bits(normal) & ~exponentMask) | (uint64_t(c.bias) << c.mantissa);
  return {fromBits(one), field - offset};
}

Real mathx::atMost(Real x, double high) {
  Calculator &c = *x.c;
  if (c.estimates && c.estimates->hasMinimum)
    return {&c, arith::MinimumFOp::create(c.b, c.loc, x.v, c.real(high).v)};
  return select(x > high, high, x);
}
Real mathx::atLeast(Real x, double low) {
  Calculator &c = *x.c;
  if (c.estimates && c.estimates->hasMinimum)
    return {&c, arith::MaximumFOp::create(c.b, c.loc, x.v, c.real(low).v)};
  return select(x < low, low, x);
}
Real mathx::clamp(Real x, double low, double high) { return atLeast(atMost(x, high), low); }

Real mathx::reciprocal(Real x) {
  Calculator &c = *x.c;
  return c.has(&Estimates::reciprocal) ? c.estimate(&Estimates::reciprocal, x) : 1.0 / x;
}

Real mathx::evaluate(const Polynomial &polynomial, Real x) {
  return evaluate(x.c->wide ? polynomial.wide : polynomial.single, x);
}

Real mathx::evaluate(ArrayRef<double> c, Real x) {
  Real result = x.c->real(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    result = fma(result, x, x.c->real(coefficient));
  return result;
}

Rounded mathx::roundProduct(Real x, double factor) {
  // Adding 1.5 · 2^mantissa leaves the integer in the low bits.
  Real magic = x.c->real(1.5 * std::ldexp(1.0, int(x.c->mantissa)));
  Real shifted = factor == 1 ? x + magic : fma(x, x.c->real(factor), magic);
  return {shifted - magic, bits(shifted) - bits(magic)};
}

Pair mathx::fastTwoSum(Real x, Real y) {
  Real s = x + y;
  return {s, y - (s - x)};
}
Pair mathx::twoSum(Real x, Real y) {
  Real s = x + y, partOfY = s - x;
  return {s, (x - (s - partOfY)) + (y - partOfY)};
}
Pair mathx::twoProduct(Real x, Real y) {
  Real p = x * y;
  return {p, fma(x, y, -p)};
}
Pair mathx::multiply(Pair x, Pair y) {
  Pair p = twoProduct(x.hi, y.hi);
  return {p.hi, fma(x.lo, y.hi, fma(x.hi, y.lo, p.lo))};
}
Pair mathx::multiply(Real x, Pair y) {
  Pair p = twoProduct(x, y.hi);
  return {p.hi, fma(x, y.lo, p.lo)};
}

Real mathx::multiplyTiny(Real x, const Constant &factor) {
  // The product of a larger number as a pair; what its upper half loses as it becomes small again
  // goes with the lower half.
  Calculator &c = *x.c;
  const int shift = c.wide ? 200 : 60;
  Real up = c.real(std::ldexp(1.0, shift)), down = c.real(std::ldexp(1.0, -shift));
  auto parts = c.split(factor);
  Pair product = multiply(x * up, {parts.a, parts.b});
  Real result = product.hi * down;
  return fma(fma(-result, up, product.hi) + product.lo, down, result);
}
