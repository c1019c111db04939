// Hyperbolic functions from e^|x| as a pair, or by polynomials near 0; their inverses by log1p of a
// pair.
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"

#include <cmath>

using namespace tilerun::mathx;

namespace {
/// e^|x| / 2 as a pair, and its inverse over 4: what sinh and cosh add.
struct Halves {
  Pair growing;
  Real falling;
};
Halves halves(Real x) {
  Calculator &c = *x.c;
  Real limited = clamp(abs(x), 0, c.choose(91, 712));
  Scaled e = expPair(limited);
  Pair pair = fastTwoSum(e.pair.hi, e.pair.lo);
  Int n = e.integer - 1;
  Pair growing{scale(pair.hi, n), scale(pair.lo, n)};
  return {growing, 0.25 / growing.hi};
}

/// e^|x| / 2 + sign · e^-|x| / 2 by the device's 2^x and 1 / x.
Real estimatedHalves(Real x, double sign) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  // Below 129, so that half of the power is finite; beyond, the rest is large enough to overflow.
  Real product = atMost(magnitude * kLog2E.a, 0x1.01ffffp+7);
  Real half = c.estimate(&Estimates::exp2, product - 1.0);
  Powered e = powerOfE(magnitude, product, half);
  Real falling = reciprocal(half);
  return half + fma(half, e.rest, falling * (0.25 * sign));
}
} // namespace

Real tilerun::mathx::sinh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = x * x, far;
  if (c.has(&Estimates::exp2)) {
    far = estimatedHalves(x, -1);
  } else {
    Halves h = halves(x);
    far = h.growing.hi + (h.growing.lo - h.falling);
  }
  Real near = fma(magnitude, square * evaluate(kSinh, square), magnitude);
  return copySign(select(magnitude < c.real(1.5, 1), near, far), x);
}

Real tilerun::mathx::cosh(Real x) {
  if (x.c->has(&Estimates::exp2))
    return estimatedHalves(x, 1);
  Calculator &c = *x.c;
  Halves h = halves(x);
  // Near 0 both count: the quotient 1/4 / hi with its error, less what lo takes from it.
  Real rest = fma(-h.falling, h.growing.hi, c.real(0.25)) - h.falling * h.growing.lo;
  Pair s = fastTwoSum(h.growing.hi, h.falling);
  Real near = s.hi + (s.lo + (h.growing.lo + 4.0 * (rest * h.falling)));
  return select(abs(x) < 16.0, near, h.growing.hi + (h.growing.lo + h.falling));
}

Real tilerun::mathx::tanh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = x * x;
  Real near = fma(magnitude * square, evaluate(kTanh, square), magnitude);
  // 1 - 2 / (e^2|x| + 1).
  if (c.has(&Estimates::exp2)) {
    Real power = c.estimate(&Estimates::exp2, magnitude * (2 * kLog2E.a));
    Real far = fma(reciprocal(power + 1.0), c.real(-2), c.real(1));
    return copySign(select(magnitude < 0.6, near, far), x);
  }
  // Beyond the limit that rounds to 1.
  Real limited = clamp(magnitude, 0, c.choose(10, 20));
  Real far = 1.0 - 2.0 / (expInside(limited + limited) + 1.0);
  return copySign(select(magnitude < 0.6, near, far), x);
}

/// log(1 + hi + lo) for hi + lo >= 0, where 1 + hi does not overflow and lo may be dropped in the
/// logarithm's argument's exponent; plus `more`.
static Real log1pOfSum(Pair x, Real more) {
  Calculator &c = *x.hi.c;
  // 1 + hi + lo = (1 + f) 2^e with 3/4 <= 1 + f < 3/2; f by way of 2^-e, with one rounding.
  Int shifted = (bits(x.hi + 1.0) - 0x3f400000) & 0xff800000;
  Real down = fromBits(c.integer(0x3f800000) - shifted);
  Real f = fma(x.lo, down, fma(x.hi, down, down - 1.0));
  Real tail = fma(f * f, evaluate(kShortLog1p, f), f);
  return fma(toReal(shifted), c.real(kLn2.a * 0x1p-23), more + tail);
}

namespace {
/// Large arguments of asinh and acosh go as log(x / 4) + 3 ln 2.
constexpr double kLarge = 0x1p60, kThreeLn2 = 2.0794415416798357;
} // namespace

/// log1p(|x| + x² / (1 + sqrt(1 + x²))).
static Real estimatedAsinh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = magnitude * magnitude;
  Bool large = magnitude > kLarge;
  Real root = c.estimate(&Estimates::sqrt, square + 1.0);
  Real inverse = reciprocal(root + 1.0), sum = fma(square, inverse, magnitude);
  Real low = select(large, 0.0, fma(square, inverse, magnitude - sum));
  Real result = log1pOfSum({select(large, magnitude * 0.25, sum), low},
                           select(large, c.real(kThreeLn2), c.real(0)));
  return copySign(select(magnitude < c.infinity(), result, magnitude), x);
}

/// log1p(d + sqrt(d² + 2d)) with d = x - 1.
static Real estimatedAcosh(Real x) {
  Calculator &c = *x.c;
  Bool large = x > kLarge;
  Real d = x - 1.0, twice = d + d, square = fma(d, d, twice);
  Real inverse = c.estimate(&Estimates::rsqrt, square), root = square * inverse;
  // What the root's and the square's rounding lost; then the sum's.
  Real lost = fma(-root, root, square) + fma(d, d, twice - square);
  root = select(d > 0.0, root, 0.0);
  Pair sum = fastTwoSum(root, d);
  Real low = fma(lost, 0.5 * inverse, sum.lo);
  low = select((d > 0.0) & !large, low, 0.0);
  Real result = log1pOfSum({select(large, x * 0.25, sum.hi), low},
                           select(large, c.real(kThreeLn2), c.real(0)));
  result = select(x < c.infinity(), result, x);
  return select(x < 1.0, c.nan(), result);
}

/// log1p(2|x| / (1 - |x|)) / 2.
static Real estimatedAtanh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), twice = magnitude + magnitude;
  Pair divisor = fastTwoSum(c.real(1), -magnitude);
  Real inverse = reciprocal(divisor.hi), quotient = twice * inverse;
  Real rest = fma(-quotient, divisor.lo, fma(-quotient, divisor.hi, twice));
  Real result = 0.5 * log1pOfSum({quotient, rest * inverse}, c.real(0));
  result = select(magnitude < 1.0, result, select(magnitude == 1.0, c.infinity(), c.nan()));
  return copySign(result, x);
}

Real tilerun::mathx::asinh(Real x) {
  if (x.c->has(&Estimates::sqrt) && x.c->has(&Estimates::reciprocal))
    return estimatedAsinh(x);
  // log1p(|x| + x² / (1 + sqrt(1 + x²))); log |x| + log 2 where squares are out of range.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  const double limit = c.choose(0x1p28, 0x1p56);
  Bool large = magnitude > limit;
  Real a = select(large, 1.0, magnitude), square = a * a;
  Real root = sqrt(square + 1.0), term = square / (root + 1.0);
  Real inner = log1pPair(twoSum(a, term));
  Real outer = log(magnitude) + 0.69314718055994531;
  Real result = select(large, outer, inner);
  result = select(magnitude < c.real(0x1p-14, 0x1p-28), magnitude, result);
  return copySign(result, x);
}

Real tilerun::mathx::acosh(Real x) {
  if (x.c->has(&Estimates::rsqrt))
    return estimatedAcosh(x);
  // log1p(d + sqrt(d² + 2d)) with d = x - 1.
  Calculator &c = *x.c;
  const double limit = c.choose(0x1p28, 0x1p56);
  Bool large = x > limit;
  Pair d = twoSum(select(large, 2.0, x), c.real(-1));
  Real twice = 2.0 * d.hi, square = fma(d.hi, d.hi, twice);
  Real error = fma(d.hi, d.hi, twice - square) + 2.0 * d.lo;
  Real root = sqrt(square);
  Real low = (fma(-root, root, square) + error) / select(root == 0.0, 1.0, root + root);
  Pair s = twoSum(d.hi, root);
  Real inner = log1pPair({s.hi, s.lo + (low + d.lo)});
  Real outer = log(x) + 0.69314718055994531;
  return select(x >= 1.0, select(large, outer, inner), c.nan());
}

Real tilerun::mathx::atanh(Real x) {
  if (x.c->has(&Estimates::reciprocal))
    return estimatedAtanh(x);
  // log1p(2|x| / (1 - |x|)) / 2.
  Calculator &c = *x.c;
  Real magnitude = abs(x), twice = magnitude + magnitude;
  Pair divisor = fastTwoSum(c.real(1), -magnitude);
  Real quotient = twice / divisor.hi;
  Real rest = fma(-quotient, divisor.hi, twice) - quotient * divisor.lo;
  Real result = 0.5 * log1pPair({quotient, rest / divisor.hi});
  result = select(magnitude < c.real(0x1p-14, 0x1p-28), magnitude, result);
  result = select(magnitude == 1.0, c.infinity(), result);
  result = select(magnitude <= 1.0, result, c.nan());
  return copySign(result, x);
}
