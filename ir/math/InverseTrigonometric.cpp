// asin, acos, atan, atan2: polynomials on a reduced argument, and π/2 or π added as pairs. On a
// device with estimates the reduction takes the root and the reciprocal as they are.
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"

using namespace tilerun::mathx;

/// π/2 + x with one rounding: two float32 have π/2 as their product, but for 2^-42.
static Real addToQuarterTurn(Real x) {
  Calculator &c = *x.c;
  return fma(c.real(0x1.ffc638p-1), c.real(0x1.924d1cp+0), x);
}

/// The angle of (x, y) for y, x >= 0, as an unevaluated sum; 0 for (0, 0). float64: where x and y
/// are close, from π/4, so that the difference of the two is exact and the quotient's rounding
/// error small. Sums of x and y must not overflow.
static Pair wideAngleInQuadrant(Real y, Real x) {
  Calculator &c = *x.c;
  Bool bothInfinite = (y == c.infinity()) & (x == c.infinity()), steep = y > x;
  Bool close = ((1.5 * y > x) & (1.5 * x > y)) | bothInfinite;
  Real upper = select(close, y - x, select(steep, -x, y));
  Real lower = select(close, x + y, select(steep, y, x));
  Real quotient = upper / select(lower == 0.0, 1.0, lower);
  Real t = select(bothInfinite, 0.0, quotient), square = t * t;
  auto [p1, p2, p3] = c.split(kPiOver2);
  Real base = select(close, 0.5 * p1, select(steep, p1, 0.0));
  Real low = select(close, 0.5 * p2, select(steep, p2, 0.0));
  Pair turned = fastTwoSum(base, t);
  return {turned.hi, turned.lo + fma(t * square, evaluate(kAtan, square), low)};
}

/// The same for both types.
static Pair angleInQuadrant(Real y, Real x) {
  Calculator &c = *x.c;
  if (c.wide)
    return wideAngleInQuadrant(y, x);
  Bool steep = y > x, bothInfinite = (y == c.infinity()) & (x == c.infinity());
  Real small = select(steep, x, y), large = select(steep, y, x);
  Real quotient = small / select(large == 0.0, 1.0, large);
  Real t = select(bothInfinite, 1.0, quotient), square = t * t;
  Real tail = t * square * evaluate(kAtan, square);
  auto [p1, p2, p3] = c.split(kPiOver2);
  Pair turned = fastTwoSum(p1, -t);
  return {select(steep, turned.hi, t), select(steep, turned.lo + (p2 - tail), tail)};
}

static Real estimatedAtan(Real x) {
  Real magnitude = abs(x);
  Bool steep = magnitude > 1.0;
  Real t = select(steep, reciprocal(magnitude), magnitude), square = t * t;
  Real angle = fma(t * square, evaluate(kShortAtan, square), t);
  return copySign(select(steep, addToQuarterTurn(-angle), angle), x);
}

Real tilerun::mathx::atan(Real x) {
  if (x.c->has(&Estimates::reciprocal))
    return estimatedAtan(x);
  return copySign(sum(angleInQuadrant(abs(x), x.c->real(1))), x);
}

Real tilerun::mathx::atan2(Real y, Real x) {
  Calculator &c = *x.c;
  Real height = abs(y), width = abs(x);
  if (c.wide) {
    Real factor = select((height > 0x1p1000) | (width > 0x1p1000), c.real(0x1p-60), c.real(1));
    height = height * factor;
    width = width * factor;
  }
  Pair angle = angleInQuadrant(height, width);
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

/// asin x, or half of acos |x| where |x| is large.
static Real estimatedArc(Real magnitude, Bool outer, Real x) {
  Calculator &c = *x.c;
  Real z = select(outer, fma(magnitude, c.real(-0.5), c.real(0.5)), x * x);
  Real t = select(outer, c.estimate(&Estimates::sqrt, z), x);
  return fma(t * z, evaluate(kShortAsin, z), t);
}

static Real estimatedAsin(Real x) {
  Real magnitude = abs(x);
  Bool outer = magnitude > 0.55;
  Real angle = estimatedArc(magnitude, outer, x);
  return copySign(select(outer, addToQuarterTurn(-(angle + angle)), angle), x);
}

static Real estimatedAcos(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Bool outer = magnitude > 0.55;
  Real angle = estimatedArc(magnitude, outer, x);
  Real twice = angle + angle, far = select(x < 0.0, c.split(kPi).a - twice, twice);
  return select(outer, far, addToQuarterTurn(-angle));
}

Real tilerun::mathx::asin(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::sqrt))
    return estimatedAsin(x);
  Arc a = arc(x);
  auto [p1, p2, p3] = c.split(kPiOver2);
  Pair turned = fastTwoSum(p1, -2.0 * a.base);
  Real outer = turned.hi + (turned.lo + fma(c.real(-2), a.tail + a.low, p2));
  return copySign(select(a.outer, outer, a.base + a.tail), x);
}

Real tilerun::mathx::acos(Real x) {
  Calculator &c = *x.c;
  if (c.has(&Estimates::sqrt))
    return estimatedAcos(x);
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
