// The scaled complementary error function, inverses, and the gamma function: float64, SingleForms.h
// has float32. See Composed.h.
#include "ir/math/Composed.h"
#include "ir/math/Functions.h"
#include "ir/math/SingleForms.h"
#include "ir/math/SpecialCoefficients.h"
#include "ir/math/WideForms.h"

#include <numbers>

using namespace mlir;
using namespace tilerun::mathx;

namespace {

Pair select(Bool condition, Pair x, Pair y) {
  return {tilerun::mathx::select(condition, x.hi, y.hi),
          tilerun::mathx::select(condition, x.lo, y.lo)};
}
using tilerun::mathx::select;

Real poly(const Polynomial &p, Real x) { return evaluate(p, x); }

/// y > 0 with erfc y = tail, 0 < tail <= 1/2: Winitzki's estimate (see Composed.cpp) and Newton's
/// steps on log(erfc y) = log(erfcx y) - y², which nothing underflows in.
Real erfcinvOfTail(Real tail) {
  Calculator &c = *tail.c;
  constexpr double a = 0.147;
  Real target = apply<math::LogOp>(tail), logarithm = target + apply<math::LogOp>(2.0 - tail);
  Real first = fma(logarithm, c.real(0.5), c.real(2 / (std::numbers::pi * a)));
  Real root = sqrt(first * first - logarithm * (1 / a));
  Real y = sqrt(abs(root - first));
  for (int i = 0; i < 4; ++i) {
    Real scaled = wide::erfcx(y, c.real(1));
    Real excess = apply<math::LogOp>(scaled) - fma(y, y, target);
    y = fma(excess, scaled * 0.88622692545275801, y);
  }
  return y;
}

/// erf y = target for |target| <= 1/2 by Halley's steps.
Real erfinvNearZero(Real target) {
  Calculator &c = *target.c;
  Real y = target * fma(target * target, c.real(0.2320136665), c.real(0.88622692545275801));
  for (int i = 0; i < 3; ++i) {
    Real density = apply<math::ExpOp>(-(y * y)) * 1.1283791670955126;
    Real step = (apply<math::ErfOp>(y) - target) / density;
    y = y - step / fma(y, step, c.real(1));
  }
  return select(target == 0.0, target, y);
}

/// sin(πx) for x >= 0, from polynomials alone; exactly zero at integers.
Real sineOfPi(Real x) {
  Calculator &c = *x.c;
  Real whole = apply<math::RoundEvenOp>(x), rest = abs(x - whole);
  rest = select(x < c.infinity(), rest, c.nan());
  // Up to 1/4 the sine of π · rest, beyond the cosine of π · (1/2 - rest).
  Bool isCosine = rest > 0.25;
  auto pi = c.split(kPi);
  Pair angle = multiply(select(isCosine, 0.5 - rest, rest), Pair{pi.a, pi.b});
  Real square = angle.hi * angle.hi;
  Real sine = angle.hi + fma(square * angle.hi, poly(kSin, square), angle.lo);
  Real cosine =
      1.0 - fma(angle.hi, angle.lo, square * fma(-square, poly(kCos, square), c.real(0.5)));
  Real magnitude = select(isCosine, cosine, sine);
  Real half = whole * 0.5;
  Bool isOdd = apply<math::FloorOp>(half) != half;
  return select(isOdd ^ (x < whole), -magnitude, magnitude);
}

/// Γ(x) = pair · 2^exponent for x > 0 within what any power of two of the type reaches; |Γ(-x)|
/// where `reflected`, which demands x < 8.
Scaled gammaOfPositive(Real x, Bool reflected) {
  Calculator &c = *x.c;
  // From 8 on, Stirling's series: 2^((x - 1/2) log2 x - x log2 e + …) (DLMF 5.11.1).
  constexpr Constant kLog2RootTwoPi{0x1.536439a4c6efcp+0, -0x1.49e49a361efebp-54,
                                    0x1.1c4e970c93c98p-110};
  Real large = clamp(x, 8, 260);
  auto log2E = c.split(kLog2E);
  Pair a = multiply(large - 0.5, log2Pair(large)), b = multiply(-large, {log2E.a, log2E.b});
  Real inverse = 1.0 / large;
  Real series = poly(kStirling, inverse * inverse) * inverse * 1.4426950408889634;
  auto constant = c.split(kLog2RootTwoPi);
  Pair s = twoSum(a.hi, b.hi), t = twoSum(s.hi, constant.a);
  Real low = (t.lo + s.lo) + ((a.lo + b.lo) + (series + constant.b));
  Scaled stirling = exp2Pair(fastTwoSum(t.hi, low));
  // Below, (x-1) … (x-n) Γ(x-n) with x - n in [1, 2), every factor exact; Γ(1+x) / x below 1.
  Real whole = apply<math::FloorOp>(x);
  Pair factors{c.real(1), c.real(0)};
  for (int k = 1; k <= 6; ++k) {
    Pair more = multiply(x - double(k), factors);
    factors = select(whole > double(k), more, factors);
  }
  Real fraction = x - whole;
  // Γ(-x) = Γ(1+z) / (z (z-1) … (-x)) with z = 1 - fraction, products as pairs.
  Real z = 1.0 - fraction;
  Pair ends = twoProduct(z, fraction);
  ends.lo = fma((1.0 - z) - fraction, fraction, ends.lo);
  Real last = select(whole > 0.0, x, 1.0);
  Pair product = multiply(last, factors);
  Real core = poly(kReciprocalGamma, select(reflected, z, fraction));
  Real times = select(x < 1.0, core * x, core);
  Pair usual{times, select(x < 1.0, fma(core, x, -times), 0.0)};
  Pair divisor = select(reflected, multiply(core, multiply(ends, product)), usual);
  factors = select(reflected, Pair{c.real(1), c.real(0)}, factors);
  Real reciprocal = 1.0 / divisor.hi, quotient = factors.hi * reciprocal;
  Real missing = fma(-quotient, divisor.hi, factors.hi) + factors.lo;
  Real rest = fma(-quotient, divisor.lo, missing) * reciprocal;
  Bool isLarge = x >= 8.0;
  return {select(isLarge, stirling.pair, Pair{quotient, rest}),
          select(isLarge, stirling.integer, c.integer(0))};
}

} // namespace

Real composed::erfcx(Real x) {
  if (!x.c->wide)
    return single::erfcx(x);
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  // Huge numbers in units of 2^520: the product of divisors does not overflow then, and only the
  // last step makes a subnormal number.
  Real unit = select(magnitude < 0x1p508, c.real(1), c.real(0x1p-520));
  Real upper = wide::erfcx(magnitude * unit, unit) * unit;
  upper = select(magnitude == c.infinity(), 0.0, upper);
  // erfcx(-x) = 2 e^(x²) - erfcx x, over 2^65 before the last step.
  Real limited = atMost(magnitude, 27);
  Scaled e = expPair(twoProduct(limited, limited));
  Real power = powerOfTwo(e.integer - 64);
  Real low = fma(e.pair.lo, power, upper * -0x1p-65);
  Real lower = fma(e.pair.hi, power, low) * 0x1p65;
  return select(x < 0.0, lower, upper);
}

Real composed::erfcinv(Real x) {
  if (!x.c->wide)
    return single::erfcinv(x);
  Calculator &c = *x.c;
  Bool high = x > 1.5, low = x < 0.5, inside = (x > 0.0) & (x < 2.0);
  Real tail = select(high, 2.0 - x, select(low, x, 0.5));
  tail = select(inside, tail, 0.5);
  Real outer = erfcinvOfTail(tail);
  Real inner = erfinvNearZero(select(inside & !high & !low, 1.0 - x, 0.0));
  Real result = select(high, -outer, select(low, outer, inner));
  result = select(x == 0.0, c.infinity(), select(x == 2.0, -c.infinity(), result));
  return select((x >= 0.0) & (x <= 2.0), result, c.nan());
}

Real composed::normcdfinv(Real x) {
  if (!x.c->wide)
    return single::normcdfinv(x);
  Calculator &c = *x.c;
  Real y = erfcinv(x + x);
  constexpr Constant kRootTwo{0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54, 0};
  auto root = c.split(kRootTwo);
  return -select(abs(y) < c.infinity(), fma(y, root.a, y * root.b), y);
}

Real composed::tgamma(Real x) {
  if (!x.c->wide)
    return single::tgamma(x);
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  // Factors where they are few; the reflection below loses more.
  Bool isNear = (x < 0.0) & (magnitude < 8.0);
  Scaled gamma = gammaOfPositive(magnitude, isNear);
  Real usual = sum(gamma.pair), above = scale(usual, gamma.integer);
  // Γ(-x) = -π / (x sin(πx) Γ(x)) (DLMF 5.5.3); the sine is exactly zero at integers.
  Real sine = sineOfPi(magnitude);
  Real divisor = clamp(magnitude, 0, 300) * sine * usual;
  Real below = scale(-std::numbers::pi * (1.0 / divisor), c.integer(0) - gamma.integer);
  Real half = 0.5 * apply<math::FloorOp>(magnitude);
  Real near = select(apply<math::FloorOp>(half) == half, -usual, usual);
  below = select(isNear, near, below);
  below = select(sine == 0.0, c.nan(), below);
  Real result = select(x < 0.0, below, above);
  result = select(magnitude < 0x1p-60, 1.0 / x, result);
  return select(unordered(x, x), c.nan(), result);
}

Real composed::lgamma(Real x) {
  if (!x.c->wide)
    return single::lgamma(x);
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  // From 8 on: (x - 1/2) (log x - 1) + (log 2π - 1) / 2 + Stirling's series (DLMF 5.11.1).
  Bool finite = magnitude < c.infinity();
  Real large = select((magnitude >= 8.0) & finite, magnitude, 8.0);
  auto ln2 = c.split(kLn2);
  Pair logarithm = multiply(log2Pair(large), Pair{ln2.a, ln2.b});
  Pair less = twoSum(logarithm.hi, c.real(-1));
  Pair main = multiply(large - 0.5, Pair{less.hi, less.lo + logarithm.lo});
  Real inverse = 1.0 / large;
  Real series = poly(kStirling, inverse * inverse) * inverse + 0.4189385332046727418;
  Real stirling = main.hi + (main.lo + series);
  stirling = select(main.hi < c.infinity(), stirling, c.infinity());
  // Below: from [5/4, 9/4) on by factors, under 3/4 by one. The zeros at 1 and 2 are factors of
  // their own.
  Bool isTiny = magnitude < 0.75;
  Real steps = apply<math::FloorOp>(clamp(magnitude, 1.25, 8.5) - 1.25);
  Real factors = c.real(1);
  for (int k = 1; k <= 6; ++k)
    factors = select(steps >= double(k), factors * (magnitude - double(k)), factors);
  Real z = select(isTiny, magnitude, clamp((magnitude - steps) - 1.0, -1, 2));
  Real core = wide::logGammaNear(z);
  // log |Γ(-x)| = log(π / (x |sin πx|)) - log Γ(x), where under 3/4 the log x cancel. All take one
  // logarithm.
  Bool isLarge = magnitude >= 8.0, isNegative = x < 0.0;
  factors = select(isLarge, 1.0, factors);
  Real sine = abs(sineOfPi(magnitude));
  Real reflected = std::numbers::pi * (1.0 / (sine * select(isTiny, 1.0, magnitude * factors)));
  Bool isZero = magnitude < 0x1p-60;
  Real argument = select(isNegative & !isZero, reflected, select(isTiny, magnitude, factors));
  Real logArgument = apply<math::LogOp>(argument);
  Real base = select(isLarge, stirling, core);
  Real above = select(isTiny, base - logArgument, base + logArgument);
  Real below = select(sine == 0.0, c.infinity(), logArgument - base);
  Real result = select(isNegative, below, above);
  result = select(isZero, -logArgument, result);
  result = select(finite, result, magnitude);
  return select(unordered(x, x), c.nan(), result);
}
