// asin, acos, atan, atan2: polynomials on a reduced argument, and π/2 or π added as pairs.
#include "ir/math/Functions.h"

using namespace tilerun::mathx;

/// The angle of (x, y) for y, x >= 0, as an unevaluated sum; 0 for (0, 0).
static Pair angleInQuadrant(Real y, Real x) {
  Calculator &c = *x.c;
  Bool steep = y > x, bothInfinite = (y == c.infinity()) & (x == c.infinity());
  Real small = select(steep, x, y), large = select(steep, y, x);
  Real quotient = small / select(large == 0.0, 1.0, large);
  Real t = select(bothInfinite, 1.0, quotient), square = t * t;
  Real tail = t * square * evaluate(kAtan, square);
  auto [p1, p2, p3] = c.split(kPiOver2);
  Pair turned = fastTwoSum(p1, -t);
  return {select(steep, turned.hi, t), select(steep, turned.lo + (p2 - tail), tail)};
}

Real tilerun::mathx::atan(Real x) {
  return copySign(sum(angleInQuadrant(abs(x), x.c->real(1))), x);
}

Real tilerun::mathx::atan2(Real y, Real x) {
  Calculator &c = *x.c;
  Pair angle = angleInQuadrant(abs(y), abs(x));
  auto [p1, p2, p3] = c.split(kPi);
  Pair turned = fastTwoSum(p1, -angle.hi);
  Real left = turned.hi + (turned.lo + (p2 - angle.lo));
  Real result = select(isLess(bits(x), 0), left, sum(angle));
  return select(unordered(x, y), x + y, copySign(result, y));
}

namespace {
/// asin of |x| <= 1/2 is x + tail; beyond, asin |x| = π/2 - 2 (root + tail).
struct Arc {
  Real magnitude, base, low, tail;
  Bool outer;
};
} // namespace

static Arc arc(Real x) {
  Real magnitude = abs(x);
  Bool outer = magnitude > 0.5;
  Real z = select(outer, fma(magnitude, x.c->real(-0.5), x.c->real(0.5)), x * x);
  Real root = sqrt(z), base = select(outer, root, magnitude);
  // The root's rounding error, by one step of Newton's method.
  Real error = fma(-root, root, z) / select(root == 0.0, 1.0, root + root);
  Real low = select(outer, error, 0.0);
  return {magnitude, base, low, base * z * evaluate(kAsin, z), outer};
}

Real tilerun::mathx::asin(Real x) {
  Calculator &c = *x.c;
  Arc a = arc(x);
  auto [p1, p2, p3] = c.split(kPiOver2);
  Pair turned = fastTwoSum(p1, -2.0 * a.base);
  Real outer = turned.hi + (turned.lo + fma(c.real(-2), a.tail + a.low, p2));
  return copySign(select(a.outer, outer, a.base + a.tail), x);
}

Real tilerun::mathx::acos(Real x) {
  Calculator &c = *x.c;
  Arc a = arc(x);
  auto [h1, h2, h3] = c.split(kPiOver2);
  auto [p1, p2, p3] = c.split(kPi);
  Real tail = a.tail + a.low;
  Pair inner = fastTwoSum(h1, -copySign(a.base, x));
  Real middle = inner.hi + (inner.lo + (h2 - copySign(a.tail, x)));
  Real right = 2.0 * (a.base + tail);
  Pair turned = fastTwoSum(p1, -2.0 * a.base);
  Real left = turned.hi + (turned.lo + fma(c.real(-2), tail, p2));
  return select(a.outer, select(x < 0.0, left, right), middle);
}
