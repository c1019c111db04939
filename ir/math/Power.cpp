// x^y by a logarithm of nearly twice the precision, and on float32 the cube root by iterations
// without division and one over the square root by a corrected estimate (WideRoots.cpp has
// float64's).
#include "ir/math/Functions.h"
#include "ir/math/WideForms.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tilerun::mathx;

static bool isTen(Real x) {
  FloatAttr number;
  DenseElementsAttr numbers;
  if (matchPattern(x.v, m_Constant(&numbers)) && numbers.isSplat())
    return numbers.getSplatValue<APFloat>().isExactlyValue(10);
  return matchPattern(x.v, m_Constant(&number)) && number.getValue().isExactlyValue(10);
}

Real tilerun::mathx::pow(Real x, Real y) {
  Calculator &c = *x.c;
  const bool estimates = c.has(&Estimates::exp2);
  if (estimates && isTen(x))
    return exp10(y);
  Real magnitude = abs(x);
  Pair exponent = multiply(y, log2Pair(magnitude));
  // Beyond the limit the result over- or underflows; NaN stays.
  const double limit = c.choose(250, 2040);
  Bool inside = abs(exponent.hi) < c.real(limit);
  Pair limited{clamp(exponent.hi, -limit, limit), select(inside, exponent.lo, 0.0)};
  Real result;
  if (estimates) {
    result = estimatedExp2(limited);
  } else {
    Scaled power = exp2Pair(limited);
    result = scale(sum(power.pair), power.integer);
  }

  // Special values as IEEE 754-2019, 9.2.1.
  Bool isZero = magnitude == 0.0, isInfinite = magnitude == c.infinity();
  result = select(isZero | isInfinite, select(isZero ^ (y < 0.0), 0.0, c.infinity()), result);
  result = select(magnitude == 1.0, c.real(1), result);
  Real half = 0.5 * y;
  Bool isInteger = trunc(y) == y, isOdd = isInteger & (trunc(half) != half);
  // x < 0, or -0, to an odd power.
  Bool negative = isLess(bits(x), 0) & isOdd;
  result = select(negative, -result, result);
  result = select((x < 0.0) & !isInteger & (magnitude < c.infinity()), c.nan(), result);
  result = select(unordered(x, y), c.nan(), result);
  return select((x == 1.0) | (y == 0.0), c.real(1), result);
}

/// 2^(log2 |x| / 3) and a step of Newton's method.
static Real estimatedCbrt(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), logarithm = approximate<math::Log2Op>(magnitude);
  // Zeros and infinities go through the step, too: it starts from a number, and the addend keeps
  // the square of 0, but of no other root, from being 0.
  Real y = c.estimate(&Estimates::exp2, atMost(logarithm * (1.0 / 3), 43));
  Real excess = fma(-magnitude, reciprocal(fma(y, y, c.real(0x1p-126))), y);
  return copySign(fma(excess, c.real(-1.0 / 3), y), x);
}

Real tilerun::mathx::cbrt(Real x) {
  Calculator &c = *x.c;
  if (c.wide)
    return wide::cbrt(x);
  if (c.has(&Estimates::log2) && c.has(&Estimates::exp2))
    return estimatedCbrt(x);
  Real magnitude = abs(x);
  // Away from the range's ends, so that cubes and their errors stay normal.
  Bool small = magnitude < 0x1p-70, large = magnitude > 0x1p70;
  auto choose = [&](double up, double down) {
    return select(small, c.real(up), select(large, c.real(down), c.real(1)));
  };
  Real a = magnitude * choose(0x1p72, 0x1p-72);
  // The exponent over -3 gives a^(-1/3) to 4 %.
  Int pattern = bits(a);
  Int third{&c, mlir::arith::DivUIOp::create(c.b, c.loc, pattern.v, c.integer(3).v)};
  Real y = fromBits(c.integer(0x54a2fa8c) - third);
  // a y³ = 1 - h, so that a^(-1/3) = y (1 - h)^(-1/3), by its series.
  Real h = fma(-(a * y * y), y, c.real(1));
  Real series = fma(h, fma(h, c.real(14.0 / 81), c.real(2.0 / 9)), c.real(1.0 / 3));
  y = fma(y, h * series, y);
  // One Newton step for t³ = a, with the cube as a pair.
  Real square = y * y, t = a * square;
  Pair cube = multiply(t, twoProduct(t, t));
  Real rest = (a - cube.hi) - cube.lo;
  t = fma(rest * (1.0 / 3), square, t);
  t = copySign(t * choose(0x1p-24, 0x1p24), x);
  return select((magnitude > 0.0) & (magnitude < c.infinity()), t, x + x);
}

Real tilerun::mathx::rsqrt(Real x) {
  Calculator &c = *x.c;
  if (c.wide)
    return wide::rsqrt(x);
  Real estimate = c.has(&Estimates::rsqrt) ? c.estimate(&Estimates::rsqrt, x) : 1.0 / sqrt(x);
  // 1 - x r² with the product's error.
  Pair product = twoProduct(x, estimate);
  Real rest = fma(-product.hi, estimate, c.real(1)) - product.lo * estimate;
  Real result = fma(0.5 * estimate, rest, estimate);
  return select((x > 0.0) & (x < c.infinity()), result, estimate);
}
