// e^x, 2^x and e^x - 1: reduction by multiples of ln 2 in three parts (Cody and Waite, "Software
// Manual for the Elementary Functions", 1980, chapter 6), a polynomial, and scaling in two steps,
// so that results near overflow and subnormal ones are rounded once. A device's 2^x takes the
// polynomial's place.
#include "ir/math/Functions.h"

using namespace tilerun::mathx;

/// e^(r + low) as a pair, for |r| <= ln 2 / 2 and |low| up to r's last place.
static Pair expReduced(Real r, Real low) {
  Pair head = fastTwoSum(r.c->real(1), r);
  Real tail = fma(r * r, evaluate(kExp, r), fma(low, r, low));
  return {head.hi, head.lo + tail};
}

namespace {
struct ByLn2 {
  Pair rest;
  Rounded turns;
};
/// x = turns · ln 2 + rest.
ByLn2 reduceByLn2(Real x) {
  Calculator &c = *x.c;
  Rounded k = roundProduct(x, 1.4426950408889634);
  auto [l1, l2, l3] = c.split(kLn2, c.shortBits());
  Real first = fma(k.real, -l1, x); // exact: l1 is short
  Real r = fma(k.real, -l2, first);
  Real low = fma(k.real, -l3, fma(k.real, -l2, first - r));
  return {{r, low}, k};
}
} // namespace

Scaled tilerun::mathx::expPair(Real x) {
  auto [rest, turns] = reduceByLn2(x);
  return {expReduced(rest.hi, rest.lo), turns.integer};
}

Scaled tilerun::mathx::expPair(Pair x) {
  auto [rest, turns] = reduceByLn2(x.hi);
  Pair r = twoSum(rest.hi, rest.lo + x.lo);
  return {expReduced(r.hi, r.lo), turns.integer};
}

Scaled tilerun::mathx::exp2Pair(Pair x) {
  Calculator &c = *x.hi.c;
  Rounded k = roundProduct(x.hi, 1);
  auto ln2 = c.split(kLn2);
  Pair product = multiply(x.hi - k.real, {ln2.a, ln2.b});
  Pair r = twoSum(product.hi, fma(x.lo, ln2.a, product.lo));
  return {expReduced(r.hi, r.lo), k.integer};
}

Real tilerun::mathx::expInside(Real x) {
  Calculator &c = *x.c;
  Rounded k = roundProduct(x, 1.4426950408889634);
  auto ln2 = c.split(kLn2);
  Real r = fma(k.real, -ln2.b, fma(k.real, -ln2.a, x));
  return (1.0 + fma(r * r, evaluate(kExp, r), r)) * powerOfTwo(k.integer);
}

Powered tilerun::mathx::powerOfE(Real x, Real product, Real power) {
  auto ln2 = x.c->split(kLn2);
  return {power, fma(product, -ln2.b, fma(product, -ln2.a, x))};
}

/// 2^(2i) 2^f by the device's 2^f; scaled by 2^i twice, so that nothing else rounds a normal
/// result.
static Real estimatedScaled(Real f, Int i) {
  Real power = powerOfTwo(i);
  return f.c->estimate(&Estimates::exp2, f) * power * power;
}

Real tilerun::mathx::estimatedExp2(Pair x) {
  Rounded i = roundProduct(x.hi, 0.5);
  return estimatedScaled(fma(i.real, x.hi.c->real(-2), x.hi) + x.lo, i.integer);
}

/// float32: b^x, where log_b 2 and its inverse are given.
static Real estimatedPower(Real x, const Constant &unit, const Constant &inverse) {
  Calculator &c = *x.c;
  Rounded i = roundProduct(x, 0.5 * inverse.a);
  Real rest = fma(i.real, c.real(-2 * float(unit.a)), x); // exact
  const double low = unit.a - float(unit.a);
  return estimatedScaled(fma(rest, c.real(inverse.a), i.real * (-2 * low * inverse.a)), i.integer);
}

Real tilerun::mathx::exp(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::exp2))
    return estimatedPower(clamp(x, -105, 90), kLn2, kLog2E);
  Real limited = clamp(x, c.choose(-105, -746), c.choose(90, 711));
  Scaled e = expPair(limited);
  return scale(sum(e.pair), e.integer);
}

Real tilerun::mathx::exp2(Real x) {
  Calculator &c = *x.c;
  Real limited = clamp(x, c.choose(-152, -1077), c.choose(129, 1025));
  Scaled e = exp2Pair({limited, c.real(0)});
  return scale(sum(e.pair), e.integer);
}

Real tilerun::mathx::exp10(Real x) {
  return estimatedPower(clamp(x, -46, 39), kLog10Of2, kLog2Of10);
}

/// float32: 2^k (e^r - 1) + (2^k - 1) for x = k ln 2 + r, all halved so that 2^k does not overflow.
/// Up to 1/2 k is 0, so that the sum does not cancel.
static Real expm1Single(Real x) {
  Calculator &c = *x.c;
  Real limited = clamp(x, -19, 89);
  Rounded k = roundProduct(limited, kLog2E.a);
  Bool near = abs(x) < 0.5;
  Real turns = select(near, 0.0, k.real);
  auto ln2 = c.split(kLn2);
  Real r = fma(turns, -ln2.b, fma(turns, -ln2.a, limited));
  Real small = fma(r * r, evaluate(kExpm1, r), r);
  Real half = select(near, 0.5, powerOfTwo(k.integer - 1));
  Real result = fma(half, small, half - 0.5);
  return select(abs(x) < 0x1p-25, x, result + result);
}

Real tilerun::mathx::expm1(Real x) {
  Calculator &c = *x.c;
  if (!c.wide)
    return expm1Single(x);
  // The upper limit overflows, but 2^(k-1) there does not.
  Real limited = clamp(x, -39, 710);
  auto [rest, turns] = reduceByLn2(limited);
  Real r = rest.hi, tail = fma(r * r, evaluate(kExp, r), fma(rest.lo, r, rest.lo));
  // 2^k (r + tail) + (2^k - 1), all halved so that 2^k does not overflow.
  Real half = powerOfTwo(turns.integer - 1);
  Pair whole = twoSum(half, c.real(-0.5));
  Pair head = twoSum(whole.hi, half * r);
  Real result = 2.0 * (head.hi + (head.lo + fma(half, tail, whole.lo)));
  return select(abs(x) < 0x1p-55, x, result);
}
