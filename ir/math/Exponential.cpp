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

/// 2^y by the device's, where `rest` says what remains of y beyond the whole number nearest to
/// `near`, which is about y, or y - 1/2: devices err less above 0. The whole number stays within
/// the normal powers: from there on the device's power goes on, so that one product rounds a
/// subnormal result or overflows.
static Real estimatedScaled(Real near, llvm::function_ref<Real(Real)> rest) {
  Calculator &c = *near.c;
  // A sum with this number has the whole number, as an exponent, in its low bits.
  constexpr double kShift = 0x1.8p23 + 127;
  Real shifted = clamp(near, -126, 127) + kShift;
  return c.estimate(&Estimates::exp2, rest(shifted - kShift)) * fromBits(bits(shifted) << 23);
}

Real tilerun::mathx::estimatedExp2(Pair x) {
  // Near 0, which powers of numbers near 1 come from, the nearest whole number is better.
  return estimatedScaled(x.hi, [&](Real whole) { return (x.hi - whole) + x.lo; });
}

/// float32: b^x, given log2 b.
static Real estimatedPower(Real x, const Constant &log2) {
  Calculator &c = *x.c;
  auto factor = c.split(log2);
  return estimatedScaled(fma(x, factor.a, c.real(-0.5)),
                         [&](Real whole) { return fma(x, factor.b, fma(x, factor.a, -whole)); });
}

Real tilerun::mathx::exp(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::exp2))
    return estimatedPower(x, kLog2E);
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

Real tilerun::mathx::exp10(Real x) { return estimatedPower(x, kLog2Of10); }

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
  // With what the difference loses from k = 25 on.
  Real head = half - 0.5, lost = (half - head) - 0.5;
  Real result = head + fma(half, small, lost);
  return select(abs(x) < 0x1p-25, x, result + result);
}

Real tilerun::mathx::expm1(Real x) {
  Calculator &c = *x.c;
  if (!c.wide)
    return expm1Single(x);
  // The upper limit overflows, but 2^(k-1) there does not.
  Real limited = clamp(x, -39, 710);
  auto [rest, turns] = reduceByLn2(limited);
  // r / 2 is exact.
  Real r = rest.hi, beyond = evaluate(kExp.wide.drop_front(), r);
  Real most = fma(r * r, beyond, 0.5 * r), tail = fma(rest.lo, r, rest.lo);
  // 2^k (r + r · most + tail) + (2^k - 1), all halved so that 2^k does not overflow.
  Real half = powerOfTwo(turns.integer - 1), part = half * r;
  Pair whole = twoSum(half, c.real(-0.5));
  Pair head = twoSum(whole.hi, part);
  Real low = head.lo + fma(half, tail, whole.lo);
  Real result = 2.0 * (head.hi + fma(part, most, low));
  // Without a power of two all but r is small.
  return select(turns.real == 0.0, fma(r, most, r), result);
}
