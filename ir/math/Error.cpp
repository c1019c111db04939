// The error function and its complement. erfc goes through (1 + 2x) e^x² erfc x, which one
// polynomial in (x - 4) / (x + 4) covers (Shepherd and Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x²) erfc x in 0 <= x < ∞", Math. Comp. 36 (1981)).
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"

using namespace tilerun::mathx;

/// erf x for 0 <= x <= 1 and a little more. On float32 the first two terms of the polynomial are a
/// sum of their own: close to 1 Horner's sum before the last is the largest, and so is its rounding
/// error.
static Real erfNear(Real x) {
  Calculator &c = *x.c;
  Real square = x * x;
  if (c.wide)
    return fma(x, evaluate(kErf, square), x);
  llvm::ArrayRef<double> p = kErf.single;
  Real first = fma(square, c.real(p[1]), c.real(p[0]));
  return fma(x, fma(square * square, evaluate(p.drop_front(2), square), first), x);
}

/// 1 - 2^(log2 erfc x) with the exponent's rounding error.
static Real estimatedErf(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), near = erfNear(magnitude);
  Real limited = atMost(magnitude, 3.95), twice = limited + limited;
  Real factor = evaluate(kShortLog2Erfc, limited), exponent = fma(limited, factor, twice);
  Real rest = fma(limited, factor, twice - exponent);
  Real complement = c.estimate(&Estimates::exp2, -exponent);
  Real far = fma(complement, fma(rest, c.split(kLn2).a, c.real(-1)), c.real(1));
  return copySign(select(magnitude < 1.001, near, far), x);
}

/// As below, with 2 in place of 4 and a factor a that makes W(x) = a (x + 2) e^x² erfc x equal to 1
/// at 2, where the polynomial's variable t is 0: W = 1 + u, e^-x² = 2^k (1 + e), and the inverse of
/// a (x + 2) times 1 + u + (1 + u) e is rounded once. The inverse's error goes into e and t.
static Real estimatedErfc(Real x) {
  Calculator &c = *x.c;
  Real magnitude = atMost(abs(x), 10.1);
  const double a = kShortErfcScale;
  Real divisor = fma(magnitude, c.real(a), c.real(2 * a)), inverse = reciprocal(divisor);
  Real lost = fma(magnitude, c.real(-a), divisor - 2 * a);
  Real rest = fma(inverse, lost, fma(-inverse, divisor, c.real(1)));
  Real t = fma(magnitude, c.real(a), c.real(-2 * a)) * inverse;
  t = fma(t, rest, t);
  Pair square = twoProduct(magnitude, magnitude);
  Rounded k = roundProduct(-square.hi, kLog2E.a);
  auto ln2 = c.split(kLn2);
  Real r = fma(k.real, -ln2.a, -square.hi) + fma(k.real, -ln2.b, rest - square.lo);
  Real e = fma(r * r, evaluate(kExp, r), r), u = t * evaluate(kShortErfcx, t);
  Real far = fma(inverse, fma(u + 1.0, e, u), inverse);
  // 2^k may be subnormal.
  far = far * powerOfTwo(k.integer + 24) * 0x1p-24;
  return select(x < 0.0, 2.0 - far, far);
}

Real tilerun::mathx::erf(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::exp2))
    return estimatedErf(x);
  Real magnitude = abs(x), near = erfNear(magnitude);
  // 1 - exp(log erfc x). The sum's rounding error counts while erfc is not small, and log(erfc(1))
  // beyond its first part.
  Real distance = clamp(magnitude, 0, c.choose(4.1, 6.1)) - 1.0;
  llvm::ArrayRef<double> p = c.wide ? kLogErfc.wide : kLogErfc.single;
  constexpr Constant kLogErfc1{-0x1.d97fbf27aa2a1p+0, -0x1.9b2f9379f1952p-57, 0};
  Real factor = evaluate(p.drop_front(), distance), first = c.real(p[0]);
  Real sumOfTerms = fma(distance, factor, first);
  Real lost = fma(distance, factor, first - sumOfTerms) + ((kLogErfc1.a - p[0]) + kLogErfc1.b);
  Scaled e = expPair(Pair{sumOfTerms, lost});
  if (!c.wide) {
    Real far = fma(sum(e.pair), -powerOfTwo(e.integer), c.real(1));
    return copySign(select(magnitude < 1.0, near, far), x);
  }
  Real power = powerOfTwo(e.integer);
  Pair head = fastTwoSum(c.real(1), -(e.pair.hi * power));
  Real far = head.hi + fma(-e.pair.lo, power, head.lo);
  constexpr Constant kSlope{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56, 0}; // 2 / sqrt π
  near = select(magnitude < 0x1p-900, multiplyTiny(magnitude, kSlope), near);
  return copySign(select(magnitude < 0.75, near, far), x);
}

/// erfc(x + low) for 0 <= x <= 28: the numerator over 1 + 2x times e^(-x²), each with its rounding
/// error.
static Scaled complement(Real x, const Real *low) {
  Calculator &c = *x.c;
  Real t = (x - 4.0) / (x + 4.0);
  llvm::ArrayRef<double> p = c.wide ? kErfcx.wide : kErfcx.single;
  Real first = c.real(p[0]), beyond = evaluate(p.drop_front(), t);
  Real numerator = fma(beyond, t, first);
  Pair divisor = twoSum(c.real(1), x + x);
  if (low)
    divisor.lo = fma(*low, c.real(2), divisor.lo);
  Real quotient = numerator / divisor.hi;
  Real lost = fma(-quotient, divisor.hi, numerator) - quotient * divisor.lo;
  if (low) // With what the polynomial's last step loses.
    lost = lost + fma(beyond, t, first - numerator);
  Real rest = lost / divisor.hi;
  Pair square = twoProduct(x, x);
  if (low)
    square.lo = fma(x + x, *low, square.lo);
  Scaled e = expPair({-square.hi, -square.lo});
  Pair product = multiply(fastTwoSum(quotient, rest), fastTwoSum(e.pair.hi, e.pair.lo));
  return {product, e.integer};
}

Scaled tilerun::mathx::erfcPair(Real x, Real low) { return complement(x, &low); }

Real tilerun::mathx::erfc(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::exp2) && c.has(&Estimates::reciprocal))
    return estimatedErfc(x);
  Real magnitude = clamp(abs(x), 0, c.choose(11, 28));
  Scaled tail = complement(magnitude, nullptr);
  Real upper = scale(sum(tail.pair), tail.integer);
  Real far = select(x < 0.0, 2.0 - upper, upper);
  // 1 - erf x, without rounding before the last addition.
  Pair head = fastTwoSum(c.real(1), -x);
  Real near = head.hi + fma(-x, evaluate(kErf, x * x), head.lo);
  return select(magnitude < 0.6, near, far);
}
