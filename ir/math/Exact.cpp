// Operations that IEEE 754 rounds once, for targets that round them twice or loosely: fma where the
// target has a product and a sum for it, division and square root where its own are only close.
// Sums and products of two floats must round to nearest here as everywhere in this folder.
// Arguments are taken apart into exponents and numbers in [1, 2), so that nothing inside over- or
// underflows.
#include "ir/math/Functions.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::mathx;

/// `nearest` made odd: cut toward zero with the last bit set if `rest`, what is missing of it, is
/// not 0. Rounding that to fewer bits rounds once (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums: proved algorithms using rounding to odd", IEEE TC 57 (2008)).
static Real toOdd(Real nearest, Real rest) {
  Calculator &c = *nearest.c;
  Int zero = c.integer(0), one = c.integer(1), pattern = bits(nearest);
  Bool lost = (rest < 0.0) | (rest > 0.0); // NaN loses nothing.
  Bool beyond = lost & isLess(pattern ^ bits(rest), 0);
  return fromBits((pattern - select(beyond, one, zero)) | select(lost, one, zero));
}

/// (hi + lo) · 2^exponent, rounded once, to nearest or to odd.
static Real finish(Real hi, Real lo, Int exponent, bool odd = false) {
  Calculator &c = *hi.c;
  Int most = c.integer(uint64_t(2 * c.bias - 2)), least = c.integer(0) - most;
  exponent = select(isLess(most, exponent), most, exponent);
  exponent = select(isLess(exponent, least), least, exponent);
  Real usual = scale(odd ? toOdd(hi, lo) : hi, exponent);
  // Where the result is subnormal: next to a number whose last place is the smallest one's.
  Real large = copySign(powerOfTwo(c.integer(uint64_t(1 - c.bias)) - exponent), hi);
  Pair first = fastTwoSum(large, hi), rest = twoSum(first.lo, lo);
  Real rounded = (first.hi + toOdd(rest.hi, rest.lo)) - large;
  Real small = copySign(scale(rounded, exponent), hi);
  if (odd)
    small = toOdd(small, (hi - rounded) + lo);
  return select(abs(usual) < c.real(0x1p-126, 0x1p-1022), small, usual);
}

/// Products by splitting (Dekker, "A floating-point technique for extending the available
/// precision", 1971): for targets without a fused fma.
static Pair productBySplitting(Real x, Real y) {
  Calculator &c = *x.c;
  const double factor = c.choose(0x1p12 + 1, 0x1p27 + 1);
  auto split = [&](Real value) -> Pair {
    Real scaled = value * factor, high = scaled - (scaled - value);
    return {high, value - high};
  };
  Pair a = split(x), b = split(y);
  Real product = x * y;
  Real error = ((a.hi * b.hi - product) + a.hi * b.lo) + a.lo * b.hi;
  return {product, error + a.lo * b.lo};
}

static Bool isFinite(Real x) { return abs(x) < x.c->infinity(); }

Real tilerun::mathx::fmaByParts(Real x, Real y, Real z, bool odd) {
  Calculator &c = *x.c;
  const int distance = 2 * int(c.mantissa) + 6;
  FloatParts a = takeApart(x), b = takeApart(y), d = takeApart(z);
  // Far apart, only the lesser term's sign matters; its exponent may be any that is far enough.
  Int exponent = a.exponent + b.exponent;
  Int offset = d.exponent - exponent;
  Int far = c.integer(uint64_t(distance)), near = c.integer(0) - uint64_t(distance);
  Bool zRules = isLess(far, offset);
  exponent = select(zRules, d.exponent - uint64_t(distance), exponent);
  offset = select(zRules, far, select(isLess(offset, near), near, offset));
  Real addend = d.m * powerOfTwo(offset);
  // Boldo and Melquiond's algorithm, with the last sum rounded either way.
  Pair product = productBySplitting(a.m, b.m);
  Pair low = twoSum(addend, product.lo), high = twoSum(product.hi, low.hi);
  Pair rest = twoSum(low.lo, high.lo);
  Pair whole = twoSum(high.hi, toOdd(rest.hi, rest.lo));
  Real result = finish(whole.hi, whole.lo, exponent, odd);
  // Sums of exact opposites are +0; zeros, infinities and NaN follow the plain operations.
  Real plainProduct = x * y;
  result = select(whole.hi == 0.0, 0.0, result);
  result = select(z == 0.0, plainProduct, result);
  result = select((x == 0.0) | (y == 0.0), plainProduct + z, result);
  Bool finiteFactors = isFinite(x) & isFinite(y);
  return select(finiteFactors, select(isFinite(z), result, z), plainProduct + z);
}

Real tilerun::mathx::widen(Real x, Calculator &wide) {
  return {&wide, arith::ExtFOp::create(wide.b, wide.loc, wide.type, x.v)};
}

Real tilerun::mathx::fmaOddInWide(Real x, Real y, Real z) {
  // The product is exact.
  Pair sum = twoSum(x * y, z);
  return toOdd(sum.hi, sum.lo);
}

Real tilerun::mathx::fmaThroughWide(Real x, Real y, Real z) {
  Calculator &c = *x.c;
  Calculator wide(c.b, c.loc, c.like(c.b.getF64Type()));
  Real sum = fmaOddInWide(widen(x, wide), widen(y, wide), widen(z, wide));
  return {&c, arith::TruncFOp::create(c.b, c.loc, c.type, sum.v)};
}

Real tilerun::mathx::cutToSingle(Real x, Calculator &single, bool odd) {
  Real nearest{&single, arith::TruncFOp::create(single.b, single.loc, single.type, x.v)};
  Real back = abs(widen(nearest, *x.c)), magnitude = abs(x);
  Int zero = single.integer(0), one = single.integer(1), pattern = bits(nearest);
  // As bits: NaN is beyond nothing.
  Int cut = pattern - select(Bool{&single, (magnitude < back).v}, one, zero);
  if (odd)
    cut = cut | select(Bool{&single, (back != magnitude).v}, one, zero);
  Bool isNan{&single, unordered(x, x).v};
  return fromBits(select(isNan, pattern, cut));
}

/// The unit in the last place of |x| in [1/2, 2).
static Real unitOf(Real x) {
  Calculator &c = *x.c;
  return select(abs(x) < 1.0, c.real(std::ldexp(0.5, -int(c.mantissa))),
                c.real(std::ldexp(1.0, -int(c.mantissa))));
}

Real tilerun::mathx::divideExactly(Real x, Real y, DivideFunction quotient) {
  Calculator &c = *x.c;
  FloatParts a = takeApart(x), b = takeApart(y);
  // Newton's steps from whatever the target gives to less than a unit; then the remainder, exact by
  // now, says which neighbour is nearest. No quotient of such numbers is a tie.
  Real inverse = quotient(c.real(1), b.m), q = quotient(a.m, b.m);
  for (int i = 0; i < (c.wide ? 2 : 1); ++i)
    q = fma(fma(-q, b.m, a.m), inverse, q);
  Real unit = unitOf(q), rest = fma(-q, b.m, a.m);
  Bool isOff = abs(rest + rest) > abs(b.m) * unit;
  Int sign = bits(rest) ^ bits(b.m);
  Real step = fromBits((bits(unit)) | (sign & (uint64_t(1) << (c.width - 1))));
  q = select(isOff, q + step, q);
  rest = fma(-q, b.m, a.m);
  // The remainder over the divisor: of use is its sign.
  Real missing = fromBits(bits(rest) ^ (bits(b.m) & (uint64_t(1) << (c.width - 1))));
  Real result = finish(q, 0.25 * missing, a.exponent - b.exponent);
  Bool usual = isFinite(x) & isFinite(y) & (x != 0.0) & (y != 0.0);
  return select(usual, result, quotient(x, y));
}

Real tilerun::mathx::sqrtExactly(Real x, RootFunction root, DivideFunction quotient) {
  Calculator &c = *x.c;
  FloatParts a = takeApart(x);
  // x = m · 4^half with m in [1, 4).
  Int half = shiftSigned(a.exponent, 1);
  Real m = select(isNotEqual(a.exponent & 1, 0), a.m + a.m, a.m);
  Real s = root(m), slope = quotient(c.real(0.5), s);
  for (int i = 0; i < (c.wide ? 2 : 1); ++i)
    s = fma(fma(-s, s, m), slope, s);
  // The root is beyond s ± unit / 2 exactly if the remainder is beyond s · unit (both are multiples
  // of the unit's square).
  Real unit = unitOf(s), rest = fma(-s, s, m), limit = s * unit;
  s = select(rest > limit, s + unit, select(rest <= -limit, s - unit, s));
  Real result = s * powerOfTwo(half);
  Bool usual = (x > 0.0) & isFinite(x);
  return select(usual, result, root(x));
}
