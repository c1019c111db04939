// See SingleForms.h.
#include "ir/math/SingleForms.h"
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"
#include "ir/math/SpecialCoefficients.h"

#include <numbers>

using namespace mlir;
using namespace tilerun::mathx;

namespace {

/// sin(π (x + turns / 2)).
Real sineOfPi(Real x, unsigned turns) {
  Calculator &c = *x.c;
  // x = 2k + n / 2 + rest exactly, |rest| <= 1/4; infinities become NaN.
  Real inTurn = fma(apply<math::RoundEvenOp>(x * 0.5), c.real(-2), x);
  // Adding 1.5 · 2^22 leaves halves in the low bits.
  Real shifted = inTurn + 0x1.8p22;
  Real rest = inTurn - (shifted - 0x1.8p22), square = rest * rest;
  Int quadrant = turns ? bits(shifted) + uint64_t(turns) : bits(shifted);
  Real sine = fma(rest, c.split(kPi).a, rest * evaluate(kShortSinPi, square));
  Real cosine = fma(square, evaluate(kShortCosPi, square), c.real(1));
  Real result = select(isEqual(quadrant & 1, 0), sine, cosine);
  return fromBits(bits(result) ^ ((quadrant & 2) << 30));
}

/// -log2(1 - x²), given 1 - x², and erfinv(x) where that is at most 6: the inverse in the form of
/// Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2010).
struct Inverse {
  Real w, near;
};
Inverse inverseNearZero(Real x, Real complement) {
  Calculator &c = *x.c;
  ArrayRef<double> p = kShortErfinv;
  Real w = -approximate<math::Log2Op>(complement);
  return {w, fma(x, c.real(p[0]), x * (w * evaluate(p.drop_front(), w)))};
}

} // namespace

Real single::rcbrt(Real x) {
  // 2^(-log2 |x| / 3) and a step of Newton's method.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Real y = approximate<math::Exp2Op>(approximate<math::Log2Op>(magnitude) * (-1.0 / 3));
  Real rest = fma(-(magnitude * y), y * y, c.real(1));
  Real result = fma(y * (1.0 / 3), rest, y);
  return copySign(select(x + x == x, y, result), x);
}

Real single::sinpi(Real x) {
  // A zero has the sign of x.
  Real result = sineOfPi(x, 0);
  return select(result == 0.0, copySign(0.0, x), result);
}
Real single::cospi(Real x) {
  Real result = sineOfPi(x, 1);
  return select(result == 0.0, x.c->real(0), result);
}

Real single::normcdf(Real x) {
  // erfc(-x / sqrt 2) / 2, and the derivative times what rounding the argument lost.
  Calculator &c = *x.c;
  constexpr Constant kRootHalf{0x1.6a09e667f3bcdp-1, 0, 0};
  auto root = c.split(kRootHalf);
  Pair z = multiply(-clamp(x, -20, 20), {root.a, root.b});
  Real density = approximate<math::Exp2Op>(z.hi * z.hi * -std::numbers::log2e);
  return fma(z.lo * -0.5641895835, density, 0.5 * apply<math::ErfcOp>(z.hi));
}

Real single::erfinv(Real x) {
  Calculator &c = *x.c;
  auto [w, near] = inverseNearZero(x, fma(-x, x, c.real(1)));
  Real tail = x * evaluate(kShortErfinvMiddle, approximate<math::SqrtOp>(w) - 3.75);
  Real result = select(w < 6.0, near, select(w == c.infinity(), c.infinity(), tail));
  return copySign(result, x);
}

Real single::erfcinv(Real x) {
  Calculator &c = *x.c;
  Real t = 1.0 - x;
  auto [w, near] = inverseNearZero(t, x * (2.0 - x));
  Real root = approximate<math::SqrtOp>(w);
  Real middle = evaluate(kShortErfinvMiddle, root - 3.75);
  Real tail = t * select(w < 24.0, middle, evaluate(kShortErfcinvTail, root - 8.5));
  Real result = select(w < 6.0, near, tail);
  return select(w == c.infinity(), t * c.infinity(), result);
}

Real single::normcdfinv(Real x) { return single::erfcinv(x + x) * -std::numbers::sqrt2; }

Real single::erfcx(Real x) {
  // Shepherd and Laframboise's form (Error.cpp) with 2 in place of 4, and the quotient's error.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Real divisor = magnitude + 2.0, inverse = approximateReciprocal(divisor);
  Real rest = fma(inverse, (divisor - 2.0) - magnitude, fma(-inverse, divisor, c.real(1)));
  // Far out (x + 2) / (x sqrt π).
  Real scaled = select(magnitude < 0x1p13, evaluate(kShortErfcxAll, (magnitude - 2.0) * inverse),
                       fma(inverse, c.real(1.1283791670955126), c.real(0.56418958354775629)));
  Real upper = inverse * scaled;
  upper = select(magnitude < 0x1p60, fma(upper, rest, upper), upper);
  // erfc(-x) = 2 - erfc x. From the limit on the power overflows.
  Real limited = clamp(magnitude, 0, 9.48);
  Pair square = twoProduct(limited, limited);
  Rounded turns = roundProduct(square.hi, std::numbers::log2e);
  auto log2E = c.split(kLog2E);
  Real fraction = fma(square.hi, log2E.a, -turns.real);
  Real power = approximate<math::Exp2Op>(fraction + fma(square.lo, log2E.a, square.hi * log2E.b));
  Real lower = fma(power * powerOfTwo(turns.integer - 2), c.real(8), -upper);
  Real near = evaluate(kShortErfcxNear, x - 0.4375);
  return select(abs(x - 0.5) < 0.75, near, select(x < 0.0, lower, upper));
}

Real single::modifiedBessel(Real x, int order) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Real small = clamp(magnitude, 0, 8);
  Real square = small * small, inner;
  ArrayRef<double> p = order == 0 ? kI0Small.single : kI1Small.single;
  Real rest = evaluate(p.drop_front(), square);
  // With a part of what the square's rounding loses; x / 2 is exact.
  Real low = fma(small, small, -square);
  if (order == 0)
    inner = fma(square, rest, fma(low, rest, c.real(p[0])));
  else
    inner = fma(small, fma(square, rest, low * rest), 0.5 * small);
  // The rest of I(x) is close to e^x / sqrt x; from the limit on that overflows.
  Real large = clamp(magnitude, 8, 93), root = approximate<math::RsqrtOp>(large);
  Scaled power = expPair(large);
  Real outer = evaluate(order == 0 ? kI0Large : kI1Large, 8.0 * root * root) * root;
  outer = outer * sum(power.pair) * powerOfTwo(power.integer - 8) * 0x1p8;
  Real result = select(magnitude < 8.0, inner, outer);
  if (order == 1)
    result = fromBits(bits(result) ^ (bits(x) & (uint64_t(1) << (c.width - 1))));
  return result;
}
