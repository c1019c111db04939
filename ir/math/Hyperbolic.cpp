// Hyperbolic functions from e^|x| as a pair, or by polynomials near 0; their inverses by log1p of a
// pair.
#include "ir/math/Functions.h"

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
} // namespace

Real tilerun::mathx::sinh(Real x) {
  Halves h = halves(x);
  Real far = h.growing.hi + (h.growing.lo - h.falling), magnitude = abs(x), square = x * x;
  Real near = fma(magnitude * square, evaluate(kSinh, square), magnitude);
  return copySign(select(magnitude < 1.0, near, far), x);
}

Real tilerun::mathx::cosh(Real x) {
  Halves h = halves(x);
  return h.growing.hi + (h.growing.lo + h.falling);
}

Real tilerun::mathx::tanh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = x * x;
  Real near = fma(magnitude * square, evaluate(kTanh, square), magnitude);
  // 1 - 2 / (e^2|x| + 1); beyond the limit that rounds to 1.
  Real limited = clamp(magnitude, 0, c.choose(10, 20));
  Real far = 1.0 - 2.0 / (expInside(limited + limited) + 1.0);
  return copySign(select(magnitude < 0.6, near, far), x);
}

Real tilerun::mathx::asinh(Real x) {
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
