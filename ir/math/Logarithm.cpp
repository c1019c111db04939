// Logarithms: x = 2^e · m with sqrt(1/2) <= m < sqrt(2), and a polynomial in m - 1; sums are kept
// with their rounding errors (Tang, "Table-driven implementation of the logarithm function in IEEE
// floating-point arithmetic", ACM TOMS 16 (1990), without the table).
#include "ir/math/Functions.h"

#include <cmath>

using namespace tilerun::mathx;

namespace {
struct Normalized {
  Real fraction; ///< m - 1
  Int exponent;
};

Normalized split(Calculator &c, Int pattern) {
  const uint64_t rootHalf = c.wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Int exponent = shiftSigned(pattern - rootHalf, c.mantissa);
  return {fromBits(pattern - (exponent << c.mantissa)) - 1.0, exponent};
}

/// For positive finite x.
Normalized normalize(Real x) {
  Calculator &c = *x.c;
  Bool small = x < c.real(0x1p-126, 0x1p-1022);
  const int shift = c.wide ? 54 : 25;
  Int pattern = bits(select(small, x * std::ldexp(1.0, shift), x));
  Normalized n = split(c, pattern);
  n.exponent = n.exponent - select(small, c.integer(shift), c.integer(0));
  return n;
}

/// log(1 + f) - f.
Real logTail(Real f) { return f * f * fma(f, evaluate(kLog, f), f.c->real(-0.5)); }

/// Zero, negative numbers, infinity, NaN.
Real withSpecial(Real x, Real result) {
  Calculator &c = *x.c;
  result = select(x < c.infinity(), result, x);
  Real outside = select(x == 0.0, -c.infinity(), c.nan());
  return select(x <= 0.0, outside, result);
}

/// The logarithm to the base whose log of 2 and of e are given.
Real logarithm(Real x, const Constant *of2, const Constant *ofE) {
  Calculator &c = *x.c;
  auto [f, exponent] = normalize(x);
  Real e = toReal(exponent), tail = logTail(f), head = f;
  if (ofE) {
    auto factor = c.split(*ofE);
    Pair product = multiply(f, {factor.a, factor.b});
    head = product.hi;
    tail = fma(tail, factor.a, product.lo);
  }
  Real whole = e;
  if (of2) {
    auto factor = c.split(*of2, c.shortBits());
    whole = e * factor.a; // exact
    tail = fma(e, factor.b, tail);
  }
  Pair s = fastTwoSum(whole, head);
  return withSpecial(x, s.hi + (s.lo + tail));
}

/// float32: e of x = 2^e m in its place among the bits, where the least m is given. From 3/4 on, x
/// - 1 of log1p is exact; from sqrt(1/2) on, log2 m is no larger than the sum with e.
constexpr uint32_t kThreeQuarters = 0x3f400000, kRootHalf = 0x3f3504f3;
Int exponentBits(Int pattern, uint32_t least) { return (pattern - least) & 0xff800000; }

/// log(1 + f).
Real logNearOne(Real f) {
  return fma(f, f * fma(f, evaluate(kLogQuarters, f), f.c->real(-0.5)), f);
}

struct Single {
  Real fraction; ///< m - 1
  Real exponent;
};
Single normalizeSingle(Real x, uint32_t least) {
  Calculator &c = *x.c;
  Bool small = x < 0x1p-126;
  Int pattern = bits(select(small, x * 0x1p25, x)), field = exponentBits(pattern, least);
  Real shift = select(small, c.real(-25), c.real(0));
  return {fromBits(pattern - field) - 1.0, fma(toReal(field), c.real(0x1p-23), shift)};
}
} // namespace

Real tilerun::mathx::log(Real x) {
  if (x.c->wide)
    return logarithm(x, &kLn2, nullptr);
  auto [f, exponent] = normalizeSingle(x, kThreeQuarters);
  return withSpecial(x, fma(exponent, x.c->real(kLn2.a), logNearOne(f)));
}
Real tilerun::mathx::log2(Real x) {
  if (x.c->wide)
    return logarithm(x, nullptr, &kLog2E);
  auto [f, exponent] = normalizeSingle(x, kRootHalf);
  return withSpecial(x, exponent + fma(f, x.c->real(kLog2E.a), f * evaluate(kLog2Root, f)));
}
Real tilerun::mathx::log10(Real x) {
  if (x.c->wide)
    return logarithm(x, &kLog10Of2, &kLog10E);
  auto [f, exponent] = normalizeSingle(x, kRootHalf);
  return withSpecial(x, fma(exponent, x.c->real(kLog10Of2.a), f * evaluate(kLog10Root, f)));
}

Real tilerun::mathx::log1pPair(Pair x) {
  Calculator &c = *x.hi.c;
  Pair u = twoSum(c.real(1), x.hi);
  auto [f, exponent] = split(c, bits(u.hi));
  Int down = select(isLess(c.integer(c.bias), exponent + 1), c.integer(-uint64_t(c.bias)),
                    c.integer(0) - exponent);
  Pair argument = fastTwoSum(f, (u.lo + x.lo) * powerOfTwo(down));
  Real tail = logTail(argument.hi) + fma(-argument.hi, argument.lo, argument.lo);
  auto factor = c.split(kLn2, c.shortBits());
  Real e = toReal(exponent);
  Pair s = fastTwoSum(e * factor.a, argument.hi);
  return s.hi + (s.lo + fma(e, factor.b, tail));
}

/// float32: 1 + x = 2^e (1 + f), where f = 2^-e x + (2^-e - 1) is exact for all but small 2^-e.
static Real log1pSingle(Real x) {
  Calculator &c = *x.c;
  Real u = x + 1.0;
  Int field = exponentBits(bits(u), kThreeQuarters);
  Real scaled = fromBits(bits(x) - field),
       power = fromBits(c.integer(0x40800000) - field); // 4 · 2^-e
  Real f = scaled + fma(power, c.real(0.25), c.real(-1));
  return fma(toReal(field), c.real(0x1p-23 * kLn2.a), logNearOne(f));
}

Real tilerun::mathx::log1p(Real x) {
  Calculator &c = *x.c;
  Real result = c.wide ? log1pPair({x, c.real(0)}) : log1pSingle(x);
  result = select(abs(x) < c.real(0x1p-26, 0x1p-55), x, result);
  result = select(x < c.infinity(), result, x);
  Real outside = select(x == -1.0, -c.infinity(), c.nan());
  return select(x <= -1.0, outside, result);
}

Pair tilerun::mathx::log2Pair(Real x) {
  // log m = 2 atanh(s) = 2s + 2/3 s³ + …, s = f / (2 + f), the first two terms as pairs.
  Calculator &c = *x.c;
  auto [f, exponent] = normalize(x);
  Pair divisor = fastTwoSum(c.real(2), f);
  Real inverse = reciprocal(divisor.hi), quotient = f * inverse;
  Real rest = fma(-quotient, divisor.hi, f) - quotient * divisor.lo;
  Pair s = fastTwoSum(quotient, rest * inverse);
  Pair square = multiply(s, s);
  auto third = c.split(kTwoThirds);
  Pair factor = fastTwoSum(third.a, fma(square.hi, evaluate(kLogTail, square.hi), third.b));
  Pair cubic = multiply(s, multiply(square, factor));
  Pair sum = fastTwoSum(2.0 * s.hi, cubic.hi);
  Pair natural = fastTwoSum(sum.hi, sum.lo + fma(c.real(2), s.lo, cubic.lo));
  auto log2E = c.split(kLog2E);
  Pair product = multiply(natural, {log2E.a, log2E.b});
  Pair head = fastTwoSum(toReal(exponent), product.hi);
  return fastTwoSum(head.hi, head.lo + product.lo);
}
