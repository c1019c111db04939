// Bessel functions of order 0 and 1. See Composed.h. Below 8 polynomials, with the zeros as factors
// of their own so that errors stay relative; from 8 on the form of Hankel's expansions (DLMF 10.17)
// with fitted P and Q. The second kind has its logarithm taken out below the second zero (DLMF
// 10.8.1).
#include "ir/math/Composed.h"
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"
#include "ir/math/SingleForms.h"
#include "ir/math/SpecialCoefficients.h"
#include "ir/math/WideForms.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tilerun::mathx;

namespace {

constexpr double kTwoOverPi = 2 / std::numbers::pi;

/// factor · (x² - zero²).
Real timesFromSquare(Real factor, Real x, const Constant &zero) {
  const double square = zero.a * zero.a;
  const double low = std::fma(zero.a, zero.a, -square) + 2 * zero.a * zero.b;
  auto parts = x.c->split(Constant{square, low, 0});
  return fma(factor, fma(x, x, -parts.a), -(factor * parts.b));
}
/// factor · (x - zero).
Real timesFrom(Real factor, Real x, const Constant &zero) {
  auto parts = x.c->split(zero);
  return fma(factor, x - parts.a, -(factor * parts.b));
}

/// J of order 0 or 1 for x in [0, 8].
Real jSmall(Real x, int order) {
  if (x.c->wide)
    return wide::firstKind(x, order);
  const Constant *zeros = order == 0 ? kJ0Zeros : kJ1Zeros;
  Real t = fma(x, x * 0.03125, x.c->real(-1));
  Real result = evaluate(order == 0 ? kJ0Small : kJ1Small, t);
  for (int i = 2; i >= 0; --i)
    result = timesFromSquare(result, x, zeros[i]);
  return order == 0 ? result : result * x;
}

/// J or Y for x >= 8.
Real large(Real x, int order, bool second) {
  Real root, v;
  if (x.c->wide) {
    v = 8.0 / x;
    root = sqrt(x) * 1.7724538509055160273;
  } else {
    Real inverse = approximate<math::RsqrtOp>(x);
    v = 8.0 * inverse * inverse;
    root = inverse * 0.56418958354775628695;
  }
  Real u = v * v;
  Real p = evaluate(order == 0 ? kP0 : kP1, u), q = evaluate(order == 0 ? kQ0 : kQ1, u) * v;
  Real sine = apply<math::SinOp>(x), cosine = apply<math::CosOp>(x);
  // cos and sin of x - π/4 or x - 3π/4, times sqrt 2.
  Real c = order == 0 ? cosine + sine : sine - cosine;
  Real s = order == 0 ? sine - cosine : -(sine + cosine);
  Real wave = second ? fma(p, s, q * c) : fma(p, c, -(q * s));
  return select(x == x.c->infinity(), 0.0, x.c->wide ? wave / root : wave * root);
}

Real firstKind(Real x, int order) {
  Real magnitude = abs(x);
  Real inner = jSmall(clamp(magnitude, 0, 8), order);
  Real outer = large(select(magnitude < 8.0, 8.0, magnitude), order, false);
  Real result = select(magnitude < 8.0, inner, outer);
  if (order == 1 && !x.c->wide) // x / 2 close to 0, rounded once.
    result = select(magnitude < 0x1p-12, 0.5 * magnitude, result);
  if (order == 1) // Odd, and a zero has the sign of x.
    result = fromBits(bits(result) ^ (bits(x) & (uint64_t(1) << (x.c->width - 1))));
  return result;
}

/// float32: log(x / zero) with small absolute errors close to the zero.
Real logarithmOfRatio(Real x, const Constant &zero) {
  Calculator &c = *x.c;
  // The ratio as a pair, whose low half small numbers do without.
  auto inverse = c.split(Constant{1 / zero.a, 0, 0});
  Pair ratio = multiply(x, {inverse.a, inverse.b});
  Bool small = x < 0x1p-20;
  Real rest = select(small, c.real(-std::log(zero.a)), ratio.lo * approximateReciprocal(ratio.hi));
  return apply<math::LogOp>(select(small, x, ratio.hi)) + rest;
}

/// Y of float32 for x below the limit.
Real secondKindNear(Real near, int order, double limit) {
  Calculator &c = *near.c;
  const Constant *zeros = order == 0 ? kY0Zeros : kY1Zeros;
  Real logarithm = logarithmOfRatio(near, zeros[0]);
  Real t = fma(near, near * (2 / (limit * limit)), c.real(-1));
  Real rest = timesFromSquare(evaluate(order == 0 ? kY0Small : kY1Small, t), near, zeros[0]);
  // Near 0 the zero need not be a factor.
  ArrayRef<double> p = order == 0 ? ArrayRef(kShortY0Small) : ArrayRef(kShortY1Small);
  rest = select(near < (order == 0 ? 0.625 : 1.25), evaluate(p, near * near), rest);
  if (order == 1) {
    // A step of Newton's method, but for numbers so small that their inverse may overflow.
    Real inverse = approximateReciprocal(near + near), quotient = 2.0 * (rest * inverse);
    Real left = fma(-quotient, near, rest);
    rest = select(near < 0x1p-100, quotient, fma(left + left, inverse, quotient));
  }
  Real first = jSmall(near, order);
  if (order == 0) // The power series (DLMF 10.2.2).
    first =
        select(near < 0.625,
               evaluate({1, -1.0 / 4, 1.0 / 64, -1.0 / 2304, 1.0 / 147456}, near * near), first);
  Real inner = fma(kTwoOverPi * logarithm, first, rest);
  if (order == 0) // Around the first zero the terms cancel.
    inner = select(abs(near - 1.0625) < 0.4375,
                   timesFrom(evaluate(kShortY0Zero, near - 1.0) + 0x1.a89a6ep-1, near, zeros[0]),
                   inner);
  return inner;
}

Real secondKind(Real x, int order) {
  Calculator &c = *x.c;
  const Constant *zeros = order == 0 ? kY0Zeros : kY1Zeros;
  const double limit = order == 0 ? 3 : 4;
  Real near = clamp(x, 0, limit);
  Real inner = c.wide ? wide::secondKind(near, order) : secondKindNear(near, order, limit);
  Real between = clamp(x, limit, 8), middle;
  if (order == 0)
    middle = timesFrom(timesFrom(evaluate(kY0Middle, (between - 5.5) * 0.4), between, zeros[2]),
                       between, zeros[1]);
  else
    middle = timesFrom(evaluate(kY1Middle, (between - 6.0) * 0.5), between, zeros[1]);
  Real outer = large(select(x < 8.0, 8.0, x), order, true);
  Real result = select(x < limit, inner, select(x < 8.0, middle, outer));
  // Zero and, for order 1 of float64, numbers whose 2 / πx overflows.
  Bool overflows = order == 1 && c.wide ? x < 0x0.28be60db93911p-1022 : x == 0.0;
  result = select(overflows, -c.infinity(), result);
  return select(x >= 0.0, result, c.nan());
}

Real modified(Real x, int order) {
  if (!x.c->wide)
    return single::modifiedBessel(x, order);
  Real result = wide::modifiedBessel(abs(x), order);
  if (order == 1)
    result = fromBits(bits(result) ^ (bits(x) & (uint64_t(1) << (x.c->width - 1))));
  return result;
}

} // namespace

Real composed::i0(Real x) { return modified(x, 0); }
Real composed::i1(Real x) { return modified(x, 1); }
Real composed::j0(Real x) { return firstKind(x, 0); }
Real composed::j1(Real x) { return firstKind(x, 1); }
Real composed::y0(Real x) { return secondKind(x, 0); }
Real composed::y1(Real x) { return secondKind(x, 1); }
