// See Composed.h.
#include "ir/math/Composed.h"
#include "ir/math/Functions.h"
#include "ir/math/SingleForms.h"
#include "ir/math/WideForms.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tilerun::mathx;

namespace {

/// The device's own on float32, where it is good to a unit in the last place.
template <typename Op> Real applyFast(Real x) {
  auto flags = x.c->wide ? arith::FastMathFlags::none : arith::FastMathFlags::afn;
  return {x.c, Op::create(x.c->b, x.c->loc, x.v, flags)};
}

Bool isUsual(Real x) { return (abs(x) > 0.0) & (abs(x) < x.c->infinity()); }

/// The exponent field's mask.
uint64_t exponentMask(const Calculator &c) { return uint64_t(2 * c.bias + 1) << c.mantissa; }

/// The sum of squares of numbers scaled by a power of two, and the power.
struct ScaledSquares {
  Real sum, up, down;
  Bool infinite;
  SmallVector<Real> terms; ///< not scaled
};

ScaledSquares scaledSquares(ArrayRef<Real> x) {
  Calculator &c = *x[0].c;
  SmallVector<Real> magnitudes;
  for (Real value : x)
    magnitudes.push_back(abs(value));
  // Numbers, where others are NaN.
  Real largest = magnitudes[0];
  for (Real value : ArrayRef(magnitudes).drop_front())
    largest = {&c, arith::MaxNumFOp::create(c.b, c.loc, largest.v, value.v)};
  // 2^(the largest one's exponent), within what has a normal reciprocal.
  const double low = std::ldexp(1.0, 1 - c.bias), high = std::ldexp(1.0, c.bias - 1);
  auto bound = [&](auto op, Real a, double b) {
    return Real{&c, decltype(op)::create(c.b, c.loc, a.v, c.real(b).v)};
  };
  Real limited = bound(arith::MinNumFOp(), bound(arith::MaxNumFOp(), largest, low), high);
  Int field = bits(limited) & exponentMask(c);
  Real up = fromBits(field), down = fromBits(c.integer(uint64_t(2 * c.bias) << c.mantissa) - field);
  SmallVector<Real> terms(x);
  if (x.size() == 2) { // The larger square is not rounded.
    Value a = magnitudes[0].v, b = magnitudes[1].v;
    // That of float32 is one instruction which keeps NaN.
    terms = {{&c, c.wide ? arith::MinNumFOp::create(c.b, c.loc, a, b).getResult()
                         : arith::MinimumFOp::create(c.b, c.loc, a, b).getResult()},
             largest};
  }
  Real sum = c.real(0);
  for (auto [i, value] : llvm::enumerate(terms)) {
    Real scaled = value * down;
    sum = i == 0 ? scaled * scaled : fma(scaled, scaled, sum);
  }
  if (x.size() == 2 && c.wide)
    sum = select(unordered(x[0], x[1]), c.nan(), sum);
  return {sum, up, down, largest == c.infinity(), terms};
}

/// float64: one over the root of the sum as a pair.
Real reciprocalRoot(const ScaledSquares &s) {
  Calculator &c = *s.sum.c;
  Pair sum{c.real(0), c.real(0)};
  for (auto [i, value] : llvm::enumerate(s.terms)) {
    Real scaled = value * s.down;
    Pair square = twoProduct(scaled, scaled), more = i == 0 ? square : twoSum(sum.hi, square.hi);
    sum = {more.hi, i == 0 ? more.lo : more.lo + (sum.lo + square.lo)};
  }
  Real special = select(s.sum == 0.0, c.infinity(), s.sum);
  return select(s.sum > 0.0, wide::inverseRoot(sum), special);
}

/// sin(π (x + turns / 2)).
Real sineOfPi(Real x, uint64_t turns) {
  Calculator &c = *x.c;
  // Modulo 2, exactly; infinities become NaN.
  Real inTurn = fma(apply<math::TruncOp>(x * 0.5), c.real(-2), x);
  // n / 2 + rest exactly, |rest| <= 1/4.
  Rounded n = roundProduct(inTurn, 2);
  auto pi = c.split(kPi);
  Pair angle = multiply(fma(n.real, c.real(-0.5), inTurn), {pi.a, pi.b});
  Real square = angle.hi * angle.hi;
  Real sine = sum(sinReduced(angle, square)), cosine = sum(cosReduced(angle, square));
  Int quadrant = turns == 0 ? n.integer : n.integer + turns;
  return signedBy(quadrant, select(isNotEqual(quadrant & 1, 0), cosine, sine));
}

} // namespace

/// Sums of more than two squares err more: their roots are corrected.
static bool isCorrected(ArrayRef<Real> x) { return x.size() > 2 && !x[0].c->wide; }

Real composed::norm(ArrayRef<Real> x) {
  ScaledSquares s = scaledSquares(x);
  Real root = s.sum;
  if (isCorrected(x)) {
    // A step of Newton's method; the sum is 0 or at least 1, but for subnormal numbers.
    Real inverse = approximate<math::RsqrtOp>(atLeast(s.sum, 0x1p-100)), close = s.sum * inverse;
    root = fma(fma(-close, close, s.sum), 0.5 * inverse, close);
  } else {
    root = applyFast<math::SqrtOp>(s.sum);
  }
  return select(s.infinite, x[0].c->infinity(), root * s.up);
}

Real composed::reciprocalNorm(ArrayRef<Real> x) {
  ScaledSquares s = scaledSquares(x);
  Real inverse = x[0].c->wide     ? reciprocalRoot(s)
                 : isCorrected(x) ? apply<math::RsqrtOp>(s.sum)
                                  : applyFast<math::RsqrtOp>(s.sum);
  return select(s.infinite, 0.0, inverse * s.down);
}

Real composed::sinpi(Real x) {
  if (!x.c->wide)
    return single::sinpi(x);
  // A zero has the sign of x.
  Real result = select(abs(x) < 0x1p-900, multiplyTiny(x, kPi), sineOfPi(x, 0));
  return select(result == 0.0, copySign(0.0, x), result);
}

Real composed::cospi(Real x) {
  if (!x.c->wide)
    return single::cospi(x);
  Real result = sineOfPi(x, 1);
  return select(result == 0.0, x.c->real(0), result);
}

Real composed::normcdf(Real x) {
  if (!x.c->wide)
    return single::normcdf(x);
  // erfc(z) / 2 for z = -x / sqrt 2 as a pair.
  Calculator &c = *x.c;
  constexpr Constant kRootHalf{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55,
                               0x1.57d3e3adec175p-109};
  auto root = c.split(kRootHalf);
  Pair z = multiply(-clamp(x, -39, 39), {root.a, root.b});
  Bool isUpper = z.hi < 0.0;
  // Divided by two before a subnormal result is rounded.
  Scaled tail = erfcPair(abs(z.hi), select(isUpper, -z.lo, z.lo));
  Real far = scale(sum(tail.pair), tail.integer - 1);
  far = select(isUpper, 1.0 - far, far);
  // 1 - erf z before the last addition.
  Real square = z.hi * z.hi, slope = (1.0 - square) * 1.1283791670955126;
  Pair head = fastTwoSum(c.real(1), -z.hi);
  Real low = fma(-z.lo, slope, fma(-z.hi, evaluate(kErf, square), head.lo));
  return select(abs(z.hi) < 0.6, 0.5 * (head.hi + low), far);
}

Real composed::rcbrt(Real x) { return x.c->wide ? wide::rcbrt(x) : single::rcbrt(x); }

Real composed::remainder(Real x, Real y) {
  Calculator &c = *x.c;
  Real divisor = abs(y), magnitude = abs(x);
  Real rest{&c, arith::RemFOp::create(c.b, c.loc, magnitude.v, (divisor + divisor).v)};
  // Now below two divisors: one less if it is above half of one, another if it is still not below.
  Real less = rest - divisor;
  less = select(less + less >= divisor, less - divisor, less);
  rest = select(rest + rest > divisor, less, rest);
  return select(isLess(bits(x), 0), -rest, rest);
}

Real composed::nextafter(Real x, Real y) {
  Calculator &c = *x.c;
  Int pattern = bits(x), one = c.integer(1);
  // Away from zero the pattern grows.
  Bool grows = (x < y) ^ isLess(pattern, 0);
  Real result = fromBits(select(grows, pattern + one, pattern - one));
  result = select(x == 0.0, copySign(fromBits(one), y), result);
  result = select(x == y, y, result);
  return select(unordered(x, y), c.nan(), result);
}

Real composed::ldexp(Real x, Int n) {
  Calculator &c = *x.c;
  auto [m, exponent] = takeApart(x);
  // Far beyond either end, and still without overflow of the sum.
  const uint64_t far = 4 * uint64_t(c.bias), limit = 2 * uint64_t(c.bias) - 4;
  auto limited = [&](Int value, uint64_t bound) {
    value = select(isLess(value, c.integer(0) - bound), c.integer(0) - bound, value);
    return select(isLess(c.integer(bound), value), c.integer(bound), value);
  };
  Real result = scale(m, limited(exponent + limited(n, far), limit));
  return select(isUsual(x), result, x);
}

Real composed::logb(Real x) {
  Calculator &c = *x.c;
  Real result = select(isUsual(x), toReal(takeApart(x).exponent), x * x);
  return select(x == 0.0, -c.infinity(), result);
}

Int composed::ilogb(Real x) {
  Calculator &c = *x.c;
  const uint64_t most = uint64_t(0x7fffffff), least = ~most;
  Int other = select(abs(x) == c.infinity(), c.integer(most), c.integer(least));
  return select(isUsual(x), takeApart(x).exponent, other);
}

/// The inverse of erfc on (0, 1/2]: Winitzki's estimate ("A handy approximation for the error
/// function and its inverse", 2008) and Halley's steps.
static Real erfcinvOfTail(Real tail) {
  Calculator &c = *tail.c;
  constexpr double a = 0.147;
  Real logarithm = apply<math::LogOp>(tail * (2.0 - tail));
  Real first = fma(logarithm, c.real(0.5), c.real(2 / (std::numbers::pi * a)));
  Real root = sqrt(first * first - logarithm * (1 / a));
  Real y = sqrt(abs(root - first));
  for (int i = 0; i < (c.wide ? 3 : 2); ++i) {
    Real density = apply<math::ExpOp>(-(y * y)) * 1.1283791670955126;
    Real step = (apply<math::ErfcOp>(y) - tail) / density;
    y = y + step / fma(-y, step, c.real(1));
  }
  return y;
}

Real composed::erfinv(Real x) {
  if (!x.c->wide)
    return single::erfinv(x);
  // Near 0 by Halley's steps on erf; beyond 1/2, where 1 - |x| is exact, on erfc.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Bool outer = magnitude > 0.5;
  Real tail = erfcinvOfTail(select(outer, 1.0 - magnitude, 0.5));
  Real target = select(outer, 0.5, magnitude), square = target * target;
  Real y = target * fma(square, c.real(0.2320136665), c.real(0.88622692545275801));
  for (int i = 0; i < (c.wide ? 3 : 2); ++i) {
    Real density = apply<math::ExpOp>(-(y * y)) * 1.1283791670955126;
    Real step = (apply<math::ErfOp>(y) - target) / density;
    y = y - step / fma(y, step, c.real(1));
  }
  Real result = copySign(select(outer, tail, y), x);
  result = select(magnitude == 1.0, copySign(c.infinity(), x), result);
  result = select(magnitude <= 1.0, result, c.nan());
  return select(x == 0.0, x, result);
}
