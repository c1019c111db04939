// The error function and its complement. erfc goes through (1 + 2x) e^x² erfc x, which one
// polynomial in (x - 4) / (x + 4) covers (Shepherd and Laframboise, "Chebyshev approximation of
// (1 + 2x) exp(x²) erfc x in 0 <= x < ∞", Math. Comp. 36 (1981)).
#include "ir/math/Functions.h"

using namespace tilerun::mathx;

Real tilerun::mathx::erf(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = x * x;
  Real near = fma(magnitude, evaluate(kErf, square), magnitude);
  // 1 - exp(log erfc x).
  Real distance = clamp(magnitude, 0, c.choose(4.1, 6.1)) - 1.0;
  Real far = 1.0 - expInside(evaluate(kLogErfc, distance));
  return copySign(select(magnitude < 1.0, near, far), x);
}

Real tilerun::mathx::erfc(Real x) {
  Calculator &c = *x.c;
  Real magnitude = clamp(abs(x), 0, c.choose(11, 28));
  Real t = (magnitude - 4.0) / (magnitude + 4.0);
  Real numerator = evaluate(kErfcx, t);
  // numerator / (1 + 2x) · e^(-x²), each with its rounding error.
  Pair divisor = twoSum(c.real(1), magnitude + magnitude);
  Real quotient = numerator / divisor.hi;
  Real rest = (fma(-quotient, divisor.hi, numerator) - quotient * divisor.lo) / divisor.hi;
  Pair square = twoProduct(magnitude, magnitude);
  Scaled e = expPair({-square.hi, -square.lo});
  Pair product = multiply(fastTwoSum(quotient, rest), fastTwoSum(e.pair.hi, e.pair.lo));
  Real upper = scale(sum(product), e.integer);
  Real far = select(x < 0.0, 2.0 - upper, upper);
  // 1 - erf x, without rounding before the last addition.
  Pair head = fastTwoSum(c.real(1), -x);
  Real near = head.hi + fma(-x, evaluate(kErf, x * x), head.lo);
  return select(magnitude < 0.6, near, far);
}
