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

/// The inverse of erf at x, or of its complement at 1 - x, given w = -log2(1 - x²) and w - 2: up
/// to 5.5 x + x times a polynomial in w - 2 (Giles, "Approximating the erfinv function", GPU
/// Computing Gems 2 (2010)), from there on a multiple of √w and a polynomial in 1 / √w. `constant`
/// is the first polynomial's, with what x should add to it.
Real inverseErf(Real x, Real w, Real centered, Real constant) {
  Calculator &c = *x.c;
  ArrayRef<double> p = kShortErfinv;
  Real near = fma(x, fma(centered, evaluate(p.drop_front(), centered), constant), x);
  // √w by a step of Newton's method, whose correction is not added before the sum of all.
  Real inverse = approximate<math::RsqrtOp>(w), root = w * inverse, lost = fma(-root, root, w);
  Real rest =
      fma(lost, inverse * (0.5 * kShortErfinvSlope), evaluate(kShortErfinvTail, inverse - 0.25));
  Real far = fma(root, c.real(kShortErfinvSlope), rest);
  far = select(w < c.infinity(), far, w);
  return copySign(select(w < 5.5, near, far), x);
}

} // namespace

Real single::rcbrt(Real x) {
  // 2^(-log2 |x| / 3) and a step of Newton's method.
  Calculator &c = *x.c;
  Real magnitude = abs(x), logarithm = approximate<math::Log2Op>(magnitude);
  Real y = approximate<math::Exp2Op>(logarithm * (-1.0 / 3));
  Real product = magnitude * y;
  Pair square = twoProduct(y, y);
  Real rest = fma(-product, square.lo, fma(-product, square.hi, c.real(1)));
  Real result = fma(y * (1.0 / 3), rest, y);
  return copySign(select(abs(logarithm) < c.infinity(), result, y), x);
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
  Real w = -apply<math::Log2Op>(fma(-x, x, c.real(1)));
  return inverseErf(x, w, w - 2.0, c.real(kShortErfinv[0]));
}

Real single::erfcinv(Real x) {
  Calculator &c = *x.c;
  // The fast logarithm's error grows with it: of 4x (2 - x), what the polynomial needs is small.
  Real centered = -approximate<math::Log2Op>(x * fma(x, c.real(-4), c.real(8)));
  // Below 1/2 the difference 1 - x is rounded. What it lost, over it and times erfinv(rest) / rest,
  // which together are 1.65 to within 16%, belongs to the polynomial's constant.
  Real rest = 1.0 - x, lost = (1.0 - rest) - x;
  Real constant = fma(lost, c.real(1.65), c.real(kShortErfinv[0]));
  return inverseErf(rest, centered + 2.0, centered, constant);
}

Real single::normcdfinv(Real x) { return single::erfcinv(x + x) * -std::numbers::sqrt2; }

Real single::erfcx(Real x) {
  // As erfc (Error.cpp), without the power for x >= 0.
  Calculator &c = *x.c;
  const double a = kShortErfcScale;
  Real magnitude = abs(x), divisor = fma(magnitude, c.real(a), c.real(2 * a));
  Real inverse = approximateReciprocal(divisor);
  Real lost = fma(magnitude, c.real(-a), divisor - 2 * a);
  Real rest = fma(inverse, lost, fma(-inverse, divisor, c.real(1)));
  // (x - 2) / (x + 2) as 1 - 4 / (x + 2).
  Real four = c.real(-4 * a), t = fma(inverse * rest, four, fma(inverse, four, c.real(1)));
  Real factor = evaluate(kShortErfcxAll, t);
  Real u = fma(t, factor, fma(t, factor, c.real(1)) * rest);
  // At infinity it is NaN, in place of the limit of a (x + 2) exp(x²) erfc(x), less 1.
  u = select(magnitude < c.infinity(), u, a * 0.56418958354775629 - 1);
  Real upper = fma(inverse, u, inverse);
  // erfc(-x) = 2 - erfc x. From the limit on e^x² = 2^k (1 + e) overflows, but 2^(k-3) does not.
  Real limited = atMost(magnitude, 9.48);
  Pair square = twoProduct(limited, limited);
  Rounded k = roundProduct(square.hi, kLog2E.a);
  auto ln2 = c.split(kLn2);
  Real r = fma(k.real, -ln2.a, square.hi) + fma(k.real, -ln2.b, square.lo);
  Real e = fma(r * r, evaluate(kExp, r), r), power = powerOfTwo(k.integer - 3);
  Real lower = fma(fma(power, e, power), c.real(16), -upper);
  return select(x < 0.0, lower, upper);
}

Real single::modifiedBessel(Real x, int order) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Real small = clamp(magnitude, 0, 8);
  Real square = small * small, inner;
  ArrayRef<double> p = order == 0 ? kI0Small.single : kI1Small.single;
  // With a part of what the square's rounding loses; the second coefficient of I0 and x / 2 are
  // exact.
  Real low = fma(small, small, -square);
  if (order == 0) {
    Real rest = square * evaluate(p.drop_front(2), square);
    inner = p[0] + fma(square, c.real(p[1]), fma(square, rest, low * (rest + p[1])));
  } else {
    Real rest = evaluate(p.drop_front(), square);
    inner = fma(small, fma(square, rest, low * rest), 0.5 * small);
  }
  // The rest of I(x) is close to e^x / sqrt x; from the limit on that overflows.
  Real large = clamp(magnitude, 8, 93), root = approximate<math::RsqrtOp>(large);
  root = fma(0.5 * root, fma(-(large * root), root, c.real(1)), root);
  Scaled power = expPair(large);
  Real outer = evaluate(order == 0 ? kI0Large : kI1Large, 8.0 * root * root) * root;
  outer = outer * sum(power.pair) * powerOfTwo(power.integer - 8) * 0x1p8;
  Real result = select(magnitude < 8.0, inner, outer);
  if (order == 1)
    result = fromBits(bits(result) ^ (bits(x) & (uint64_t(1) << (c.width - 1))));
  return result;
}
