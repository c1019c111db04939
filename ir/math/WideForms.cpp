// See WideForms.h.
#include "ir/math/WideForms.h"
#include "ir/math/Functions.h"
#include "ir/math/SpecialCoefficients.h"

#include <cmath>

using namespace tilerun::mathx;
using llvm::ArrayRef;

namespace {

constexpr Constant kTwoOverPi{0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55,
                              -0x1.6447e493ad4cep-109};

/// The polynomial, with the rounding error of Horner's last step.
Pair evaluateToPair(const Polynomial &polynomial, Real x) {
  Real first = x.c->real(polynomial.wide[0]), rest = evaluate(polynomial.wide.drop_front(), x);
  Real head = fma(rest, x, first);
  return {head, fma(rest, x, first - head)};
}

/// The polynomial of a pair, Horner's last `steps` with their rounding errors.
Pair evaluateToPair(const Polynomial &polynomial, Pair x, unsigned steps) {
  Calculator &c = *x.hi.c;
  ArrayRef<double> p = polynomial.wide;
  Pair product = multiply(evaluate(p.drop_front(steps), x.hi), x);
  while (true) {
    Pair head = twoSum(c.real(p[--steps]), product.hi);
    head.lo = head.lo + product.lo;
    if (steps == 0)
      return head;
    product = multiply(x, head);
  }
}

/// x² - zero².
Pair fromSquare(Pair square, const Constant &zero) {
  const double high = zero.a * zero.a;
  const double low = std::fma(zero.a, zero.a, -high) + 2 * zero.a * zero.b;
  Pair difference = twoSum(square.hi, square.hi.c->real(-high));
  return {difference.hi, difference.lo + (square.lo - low)};
}

/// J0(x) for x up to 3 or J1(x) / x up to 4, given the square: the power series' first two terms,
/// whose coefficients are exact, and a polynomial.
Pair firstKindNear(Pair square, int order) {
  Calculator &c = *square.hi.c;
  Real rest = evaluate(order == 0 ? kJ0Near : kJ1Near, square.hi);
  Real second = c.real(order == 0 ? -1.0 / 4 : -1.0 / 16), factor = fma(square.hi, rest, second);
  Real low = fma(square.hi, rest, second - factor);
  Pair product = twoProduct(square.hi, factor);
  Pair head = fastTwoSum(c.real(order == 0 ? 1 : 0.5), product.hi);
  return {head.hi, fma(square.hi, low, fma(square.lo, factor, head.lo + product.lo))};
}

/// 2/π log(x / zero), also as a relative number close to the zero, whose logarithm is given.
Pair scaledLogarithm(Real x, const Constant &logOfZero) {
  Calculator &c = *x.c;
  Pair logarithm = logPair(x);
  auto less = c.split(logOfZero), scale = c.split(kTwoOverPi);
  Pair head = twoSum(logarithm.hi, -less.a);
  return multiply(fastTwoSum(head.hi, head.lo + (logarithm.lo - less.b)), {scale.a, scale.b});
}

/// 1 / √x for numbers whose halves are normal, with an error of 2^-68: an estimate with half of the
/// exponent, negated, whose error is 0.034, and steps of Newton's method. The lower half is up to
/// 2^-34 of the upper one.
Pair reciprocalRoot(Real x) {
  Calculator &c = *x.c;
  Real y = fromBits(c.integer(0x5fe6eb5000000000) - (bits(x) >> 1)), half = 0.5 * x;
  for (int i = 0; i < 3; ++i)
    y = fma(y, fma(-half * y, y, c.real(0.5)), y);
  Pair product = twoProduct(half, y);
  Real rest = fma(-product.lo, y, fma(-product.hi, y, c.real(0.5)));
  return {y, y * rest};
}

} // namespace

Real wide::firstKind(Real x, int order) {
  Pair square = twoProduct(x, x), near = firstKindNear(square, order);
  // A polynomial times factors for the zeros.
  Real t = fma(square.hi, x.c->real(0.03125), x.c->real(-1));
  Pair far = evaluateToPair(order == 0 ? kJ0Small : kJ1Small, t);
  for (const Constant &zero : order == 0 ? kJ0Zeros : kJ1Zeros)
    far = multiply(far, fromSquare(square, zero));
  Bool isNear = x < (order == 0 ? 1.75 : 2.0);
  Real hi = select(isNear, near.hi, far.hi), lo = select(isNear, near.lo, far.lo);
  return order == 0 ? hi + lo : fma(x, hi, x * lo);
}

Real wide::secondKind(Real x, int order) {
  // 2/π log(x / z) J(x) + (x² - z²) R(x²), the latter over x for order 1, with the first zero z
  // (DLMF 10.8.1): neither term cancels the other, and both are 0 at z.
  Calculator &c = *x.c;
  const Constant &zero = order == 0 ? kY0Zeros[0] : kY1Zeros[0];
  const double limit = order == 0 ? 3 : 4;
  Pair square = twoProduct(x, x);
  Real t = fma(square.hi, c.real(2 / (limit * limit)), c.real(-1));
  Pair factor = evaluateToPair(order == 0 ? kY0Small : kY1Small, t);
  Pair product = multiply(factor, fromSquare(square, zero));
  Pair logarithm = scaledLogarithm(x, order == 0 ? kLogY0Zero : kLogY1Zero);
  Pair first = firstKindNear(square, order);
  if (order == 0) {
    Pair other = multiply(logarithm, first), head = twoSum(other.hi, product.hi);
    return head.hi + (head.lo + (other.lo + product.lo));
  }
  // The quotient with its error, by 1 / 4x, which does not overflow where the result is finite.
  Real inverse = 0.25 / x, quotient = 4.0 * product.hi * inverse;
  Real rest = 4.0 * (fma(-quotient, x, product.hi) + product.lo) * inverse;
  Real j1 = fma(x, first.hi, x * first.lo);
  return quotient + fma(logarithm.hi, j1, fma(logarithm.lo, j1, rest));
}

Real wide::modifiedBessel(Real x, int order) {
  Calculator &c = *x.c;
  Pair near = evaluateToPair(order == 0 ? kI0Small : kI1Small, twoProduct(x, x), 3);
  Real inner = order == 0 ? sum(near) : fma(x, near.hi, x * near.lo);
  // From 8 on e^x / √x times a polynomial that differs from its first coefficient by less than a
  // twentieth. From the limit on the result overflows.
  Real limited = atMost(x, 740);
  Pair root = reciprocalRoot(limited);
  Real inverse = sum(root), t = fma(16.0 * inverse, inverse, c.real(-1));
  ArrayRef<double> p = order == 0 ? kI0Far.wide : kI1Far.wide;
  Real beyond = fma(t, evaluate(p.drop_front(), t), c.real(order == 0 ? kI0FarLow : kI1FarLow));
  Scaled e = expPair(limited);
  Pair most = twoProduct(e.pair.hi, c.real(p[0]));
  Real low = fma(beyond, e.pair.hi + e.pair.lo, fma(e.pair.lo, c.real(p[0]), most.lo));
  Pair product = twoProduct(most.hi, root.hi);
  Real mantissa = product.hi + fma(low, inverse, fma(most.hi, root.lo, product.lo));
  // In two steps, since e^x overflows before the result does.
  Real outer = mantissa * powerOfTwo(e.integer - 64) * 0x1p64;
  return select(x < 8.0, inner, outer);
}

Real wide::erfcx(Real x, Real unit) {
  // Shepherd and Laframboise's form (Error.cpp) with the factor x + 3/4, for which the polynomial
  // stays within a sixth of its first coefficient: the others' rounding errors count little. One
  // inverse gives both quotients, which are corrected.
  Calculator &c = *x.c;
  Pair divisor = twoSum(x, 0.75 * unit);
  Real above = x + 3.0 * unit, below = x - 3.0 * unit;
  Real both = 1.0 / (divisor.hi * above);
  Real inverse = above * both, inverseOfAbove = divisor.hi * both;
  Real rest = fma(-inverse, divisor.lo, fma(-inverse, divisor.hi, c.real(1)));
  Real t = below * inverseOfAbove;
  t = fma(fma(-t, above, below), inverseOfAbove, t);
  Pair p = evaluateToPair(kErfcxAll, t), product = twoProduct(p.hi, inverse);
  Real low = fma(p.lo + kErfcxAllLow, inverse, product.lo);
  return product.hi + fma(p.hi, inverse * rest, low);
}

Real wide::logGammaNear(Real z) {
  // z (z - 1) times a polynomial, each with its rounding error.
  Pair factor = multiply(z, fastTwoSum(z.c->real(-1), z));
  Pair p = evaluateToPair(kLogGamma, z - 0.5);
  return fma(factor.hi, p.hi, fma(factor.hi, p.lo, factor.lo * p.hi));
}
