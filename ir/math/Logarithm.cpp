// Logarithms: x = 2^e · m with sqrt(1/2) <= m < sqrt(2), and a polynomial in m - 1; sums are kept
// with their rounding errors (Tang, "Table-driven implementation of the logarithm function in IEEE
// floating-point arithmetic", ACM TOMS 16 (1990), without the table).
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"

#include <cmath>

using namespace mlir;
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
  // Positive finite numbers have the least patterns, as unsigned numbers.
  Bool usual = isBelow(bits(x), uint64_t(2 * c.bias + 1) << c.mantissa);
  result = select(usual, result, fma(x, c.infinity(), c.infinity()));
  return select(x == 0.0, -c.infinity(), result);
}

/// log(1 + f) to nearly twice the precision: 2 atanh(s) = 2s + 2/3 s³ + …, s = f / (2 + f), the
/// first two terms as pairs.
Pair logOfFraction(Pair f) {
  Calculator &c = *f.hi.c;
  Pair divisor = fastTwoSum(c.real(2), f.hi);
  Real inverse = reciprocal(divisor.hi), quotient = f.hi * inverse;
  Real rest = fma(-quotient, divisor.hi, f.hi) + fma(-quotient, divisor.lo + f.lo, f.lo);
  Pair s = fastTwoSum(quotient, rest * inverse);
  Pair square = multiply(s, s);
  auto third = c.split(kTwoThirds);
  Pair factor = fastTwoSum(third.a, fma(square.hi, evaluate(kLogTail, square.hi), third.b));
  Pair cubic = multiply(s, multiply(square, factor));
  Pair sum = fastTwoSum(2.0 * s.hi, cubic.hi);
  return fastTwoSum(sum.hi, sum.lo + fma(c.real(2), s.lo, cubic.lo));
}

/// e ln 2 + log.
Pair plusTurns(Real e, Pair log) {
  Calculator &c = *e.c;
  auto ln2 = c.split(kLn2, c.shortBits());
  Pair s = fastTwoSum(e * ln2.a, log.hi); // The product is exact.
  return {s.hi, s.lo + fma(e, ln2.b, log.lo)};
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

/// float32: e of x = 2^e m in its place among the bits, where the least m is given. From 2/3 on,
/// |m - 1| is least for all; from sqrt(1/2) on, log10 m is at most as large as the sum with e.
constexpr uint32_t kTwoThirdsPattern = 0x3f2aaaab, kRootHalf = 0x3f3504f3;
Int exponentBits(Int pattern, uint32_t least) { return (pattern - least) & 0xff800000; }

/// Of log2: from 0.686 on, and the factor that makes e + f · factor at least 1/2 where |e| is 1,
/// and the rest of log2 (1 + f) at most 1/8, whose rounding error counts most where e is 1.
constexpr uint32_t kLog2Least = 0x3f2f9db2;
constexpr double kLog2Factor = 1.34375;

/// Of log1p: 3/4 less its last place, and 1 less twice its last place. The rounded product of 1 + x
/// with the latter is 2^e times the former, or more, where 1 + x > 2^e 3/4: at 1 + x = 2^e 3/4 it
/// is halfway between two floats, the even one of which is the smaller. A rounded 1 + x cannot tell
/// that, and f below is not exact on the wrong side.
constexpr uint32_t kLog1pLeast = 0x3f3fffff;
constexpr double kLog1pFactor = 0x1.fffffcp-1;

/// A part of ln 2 that is a float, but for 2^-36.8 of it: ln 2 as a float is wrong by 2^-28.4,
/// which counts where e is 1 or -1.
constexpr double kPart = 1.0 / 6741;
/// log(1 + f), given f.
Real logOfSum(Real f, ArrayRef<double> coefficients) {
  Real tail = f * fma(f, evaluate(coefficients, f), f.c->real(-0.5));
  return fma(f, tail, f);
}
/// log + e ln 2, given e in parts.
Real plusParts(Real log, Real parts) { return fma(parts, log.c->real(kLn2.a * kPart), log); }
/// log(1 + f) + e ln 2.
Real logOfProduct(Real f, Real parts, ArrayRef<double> coefficients) {
  return plusParts(logOfSum(f, coefficients), parts);
}

struct Single {
  Real fraction; ///< m - 1
  Real exponent; ///< in units of `unit`
};
Single normalizeSingle(Real x, uint32_t least, double unit = 1) {
  Calculator &c = *x.c;
  Bool small = x < 0x1p-126;
  Int pattern = bits(select(small, x * 0x1p25, x)), field = exponentBits(pattern, least);
  Real shift = select(small, c.real(-25 / unit), c.real(0));
  return {fromBits(pattern - field) - 1.0, fma(toReal(field), c.real(0x1p-23 / unit), shift)};
}
} // namespace

Real tilerun::mathx::log(Real x) {
  if (x.c->wide)
    return withSpecial(x, sum(logPair(x)));
  auto [f, parts] = normalizeSingle(x, kTwoThirdsPattern, kPart);
  return withSpecial(x, logOfProduct(f, parts, kShortLog));
}
Real tilerun::mathx::logPlus(Real x, Real addend) {
  auto [f, parts] = normalizeSingle(x, kTwoThirdsPattern, kPart);
  return plusParts(logOfSum(f, kShortLog) + addend, parts);
}
Real tilerun::mathx::logOfTwice(Real x) {
  if (x.c->wide) {
    auto [f, exponent] = normalize(x);
    return withSpecial(x, sum(plusTurns(toReal(exponent) + 1.0, logOfFraction({f, x.c->real(0)}))));
  }
  auto [f, parts] = normalizeSingle(x, kTwoThirdsPattern, kPart);
  return withSpecial(x, logOfProduct(f, parts + 1 / kPart, kShortLog));
}
Real tilerun::mathx::log2(Real x) {
  if (x.c->wide)
    return logarithm(x, nullptr, &kLog2E);
  auto [f, e] = normalizeSingle(x, kLog2Least);
  // e + f log2 E in two parts. Where e is 1 or -1, the first is 1/2 or more, so that its rounding
  // error is exact and goes into the other.
  Real factor = x.c->real(kLog2Factor), head = fma(f, factor, e);
  Real lost = fma(f, factor, e - head);
  return withSpecial(x, head + fma(f, evaluate(kShortLog2, f), lost));
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
  Real e = toReal(exponent);
  if (c.wide)
    return sum(plusTurns(e, logOfFraction(argument)));
  Real tail = logTail(argument.hi) + fma(-argument.hi, argument.lo, argument.lo);
  return sum(plusTurns(e, {argument.hi, tail}));
}

/// float32: 1 + x = 2^e (1 + f), -1/4 <= f <= 1/2, where f = 2^-e x + (2^-e - 1) is exact for all
/// but small 2^-e.
static Real log1pSingle(Real x) {
  Calculator &c = *x.c;
  Real factor = c.real(kLog1pFactor);
  Int field = exponentBits(bits(fma(x, factor, factor)), kLog1pLeast);
  Real scaled = fromBits(bits(x) - field),
       power = fromBits(c.integer(0x40800000) - field); // 4 · 2^-e
  Real f = scaled + fma(power, c.real(0.25), c.real(-1));
  return logOfProduct(f, toReal(field) * (0x1p-23 / kPart), kLogQuarters.single);
}

Real tilerun::mathx::log1p(Real x) {
  Calculator &c = *x.c;
  Real result = c.wide ? log1pPair({x, c.real(0)}) : log1pSingle(x);
  result = select(abs(x) < c.real(0x1p-26, 0x1p-55), x, result);
  result = select(x < c.infinity(), result, x);
  Real outside = select(x == -1.0, -c.infinity(), c.nan());
  return select(x <= -1.0, outside, result);
}

Pair tilerun::mathx::logPair(Real x) {
  auto [f, exponent] = normalize(x);
  return plusTurns(toReal(exponent), logOfFraction({f, x.c->real(0)}));
}

Pair tilerun::mathx::log2Pair(Real x) {
  Calculator &c = *x.c;
  auto [f, exponent] = normalize(x);
  Pair natural = logOfFraction({f, c.real(0)});
  auto log2E = c.split(kLog2E);
  Pair product = multiply(natural, {log2E.a, log2E.b});
  Pair head = fastTwoSum(toReal(exponent), product.hi);
  return fastTwoSum(head.hi, head.lo + product.lo);
}
