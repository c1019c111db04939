// Hyperbolic functions from e^|x| as a pair, or by polynomials near 0; on float32 sinh by an
// addition theorem, cosh from e^|x|. Their inverses by log1p of a pair.
#include "ir/math/Functions.h"
#include "ir/math/SingleCoefficients.h"

#include <cmath>
#include <optional>

using namespace tilerun::mathx;

namespace {
/// e^|x| / 2 as a pair, and its inverse over 4: what sinh and cosh add.
struct Halves {
  Pair growing;
  Real falling;
};
Halves halves(Real x) {
  Real limited = atMost(abs(x), 712);
  Scaled e = expPair(limited);
  Pair pair = fastTwoSum(e.pair.hi, e.pair.lo);
  Int n = e.integer - 1;
  Pair growing{scale(pair.hi, n), scale(pair.lo, n)};
  return {growing, 0.25 / growing.hi};
}

/// float32: |x| = k ln 2 + rest, and the bits of 2^(k - 2), where k is 0 if `near`.
struct Turns {
  Real rest;
  Int quarter;
};
Turns reduceSingle(Real x, std::optional<Bool> near) {
  Calculator &c = *x.c;
  Real magnitude = atMost(abs(x), 89.6); // At the limit k is 129 and results overflow.
  // A sum with this number has k - 2, as an exponent, in its low bits.
  constexpr double kShift = 0x1.8p23 + 125;
  Real shifted = fma(magnitude, c.real(kLog2E.a), c.real(kShift));
  if (near)
    shifted = select(*near, kShift, shifted);
  Real k = shifted - kShift;
  auto ln2 = c.split(kLn2, c.shortBits());
  Real rest = fma(k, -ln2.b, fma(k, -ln2.a, magnitude)); // The first product and sum are exact.
  return {rest, bits(shifted) << 23};
}

/// sinh(rest) cosh(k ln 2) + cosh(rest) sinh(k ln 2).
Real sinhSingle(Real x) {
  Bool near = abs(x) < 1.0;
  auto [rest, growing] = reduceSingle(x, near);
  // (2^k + 2^-k) / 4 and (2^k - 2^-k) / 4, by way of 2^(4 - k), which is normal for all k.
  Calculator &c = *x.c;
  Real up = fromBits(growing), down = fromBits(c.integer(0x80000000) - growing);
  Real sum = fma(down, c.real(0x1p-6), up), difference = fma(down, c.real(-0x1p-6), up);
  // The rounding error of the square counts close to 1, as does that of the series' second term.
  Real square = rest * rest, low = fma(rest, rest, -square);
  llvm::ArrayRef<double> p = kSinh.single;
  Real beyond = square * (square * evaluate(p.drop_front(), square)), third = c.real(p[0]);
  Real sine = fma(rest, fma(square, third, fma(low, third, beyond)), rest);
  Real half = difference + fma(sum, sine, (difference * square) * evaluate(kShortCosh, square));
  // Half of a number close to the smallest normal one is not exact.
  return copySign(select(near, sine, half + half), x);
}

/// e^|x| / 4 and one over it. What is lost in the first, the second one loses with the other sign,
/// so that close to 0 neither counts.
Real coshSingle(Real x) {
  Calculator &c = *x.c;
  auto [rest, quarter] = reduceSingle(x, std::nullopt);
  Real power = fromBits(quarter), beyond = fma(rest * rest, evaluate(kExp, rest), rest);
  Real growing = fma(power, beyond, power), inverse = reciprocal(growing);
  inverse = fma(inverse, fma(-growing, inverse, c.real(1)), inverse);
  Real half = fma(inverse, c.real(0x1p-4), growing);
  return half + half;
}
} // namespace

Real tilerun::mathx::sinh(Real x) {
  Calculator &c = *x.c;
  if (!c.wide)
    return sinhSingle(x);
  Real magnitude = abs(x), square = x * x;
  Halves h = halves(x);
  Real far = h.growing.hi + (h.growing.lo - h.falling);
  // Close to 1/4 the square's rounding error counts, and what the first coefficient lacks of 1/6.
  static_assert(kSinhWide[0] == 0x1.5555555555555p-3); // 1/6 is 1 + 2^-54 times that.
  llvm::ArrayRef<double> p = kSinh.wide;
  Real low = fma(square, c.real(0x1p-54), fma(x, x, -square));
  Real beyond = square * (square * evaluate(p.drop_front(), square));
  Real factor = fma(square, c.real(p[0]), fma(low, c.real(p[0]), beyond));
  Real near = fma(magnitude, factor, magnitude);
  return copySign(select(magnitude < 1.0, near, far), x);
}

Real tilerun::mathx::cosh(Real x) {
  Calculator &c = *x.c;
  if (!c.wide)
    return coshSingle(x);
  Halves h = halves(x);
  // Near 0 both count: the quotient 1/4 / hi with its error, less what lo takes from it.
  Real rest = fma(-h.falling, h.growing.hi, c.real(0.25)) - h.falling * h.growing.lo;
  Pair s = fastTwoSum(h.growing.hi, h.falling);
  Real near = s.hi + (s.lo + (h.growing.lo + 4.0 * (rest * h.falling)));
  return select(abs(x) < 16.0, near, h.growing.hi + (h.growing.lo + h.falling));
}

Real tilerun::mathx::tanh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = x * x;
  Real near = fma(magnitude * square, evaluate(kTanh, square), magnitude);
  // 1 - 2 / (e^2|x| + 1).
  if (c.has(&Estimates::exp2)) {
    Real power = c.estimate(&Estimates::exp2, magnitude * (2 * kLog2E.a));
    Real far = fma(reciprocal(power + 1.0), c.real(-2), c.real(1));
    return copySign(select(magnitude < 0.6, near, far), x);
  }
  // Beyond the limit that rounds to 1.
  Real limited = clamp(magnitude, 0, c.choose(10, 20));
  Real far = 1.0 - 2.0 / (expInside(limited + limited) + 1.0);
  return copySign(select(magnitude < 0.6, near, far), x);
}

/// log(1 + hi + lo) for hi + lo >= 0, where 1 + hi does not overflow and lo may be dropped in the
/// logarithm's argument's exponent; plus `more`.
static Real log1pOfSum(Pair x, Real more) {
  Calculator &c = *x.hi.c;
  // 1 + hi + lo = (1 + f + low) 2^e with 3/4 <= 1 + f < 3/2, by way of 2^-e.
  Int shifted = (bits(x.hi + 1.0) - 0x3f400000) & 0xff800000;
  Real down = fromBits(c.integer(0x3f800000) - shifted);
  Real f = fma(x.hi, down, down - 1.0), low = x.lo * down;
  Real tail = fma(f * f, evaluate(kShortLog1p, f), fma(-f, low, low));
  return fma(toReal(shifted), c.real(kLn2.a * 0x1p-23), more + (f + tail));
}

namespace {
/// Large arguments of asinh and acosh go as log(x / 4) + 3 ln 2.
constexpr double kLarge = 0x1p60, kThreeLn2 = 2.0794415416798357;
} // namespace

/// log1p(|x| + x² / (1 + sqrt(1 + x²))).
static Real estimatedAsinh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), square = magnitude * magnitude;
  Bool large = magnitude > kLarge;
  Real root = c.estimate(&Estimates::sqrt, square + 1.0);
  Real inverse = reciprocal(root + 1.0), sum = fma(square, inverse, magnitude);
  Real low = select(large, 0.0, fma(square, inverse, magnitude - sum));
  Real result = log1pOfSum({select(large, magnitude * 0.25, sum), low},
                           select(large, c.real(kThreeLn2), c.real(0)));
  return copySign(select(magnitude < c.infinity(), result, magnitude), x);
}

/// log1p(d + sqrt(d² + 2d)) with d = x - 1.
static Real estimatedAcosh(Real x) {
  Calculator &c = *x.c;
  Bool large = x > kLarge;
  Real d = x - 1.0, twice = d + d, square = fma(d, d, twice);
  Real inverse = c.estimate(&Estimates::rsqrt, square), root = square * inverse;
  // What the root's and the square's rounding lost; then the sum's.
  Real lost = fma(-root, root, square) + fma(d, d, twice - square);
  root = select(d > 0.0, root, 0.0);
  Pair sum = fastTwoSum(root, d);
  Real low = fma(lost, 0.5 * inverse, sum.lo);
  low = select((d > 0.0) & !large, low, 0.0);
  Real result = log1pOfSum({select(large, x * 0.25, sum.hi), low},
                           select(large, c.real(kThreeLn2), c.real(0)));
  result = select(x < c.infinity(), result, x);
  return select(x < 1.0, c.nan(), result);
}

/// log1p(2|x| / (1 - |x|)) / 2.
static Real estimatedAtanh(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x), twice = magnitude + magnitude;
  Pair divisor = fastTwoSum(c.real(1), -magnitude);
  Real inverse = reciprocal(divisor.hi), quotient = twice * inverse;
  Real rest = fma(-quotient, divisor.lo, fma(-quotient, divisor.hi, twice));
  Real result = 0.5 * log1pOfSum({quotient, rest * inverse}, c.real(0));
  result = select(magnitude < 1.0, result, select(magnitude == 1.0, c.infinity(), c.nan()));
  return copySign(result, x);
}

Real tilerun::mathx::asinh(Real x) {
  if (x.c->has(&Estimates::sqrt) && x.c->has(&Estimates::reciprocal))
    return estimatedAsinh(x);
  // log1p(|x| + x² / (1 + sqrt(1 + x²))); log |x| + log 2 where squares are out of range.
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  const double limit = c.choose(0x1p28, 0x1p56);
  Bool large = magnitude > limit;
  Real a = select(large, 1.0, magnitude), square = a * a;
  Real root = sqrt(square + 1.0), term = square / (root + 1.0);
  Real inner = log1pPair(twoSum(a, term));
  Real outer = logOfTwice(magnitude);
  Real result = select(large, outer, inner);
  result = select(magnitude < c.real(0x1p-14, 0x1p-28), magnitude, result);
  return copySign(result, x);
}

Real tilerun::mathx::acosh(Real x) {
  if (x.c->has(&Estimates::rsqrt))
    return estimatedAcosh(x);
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
  Real outer = logOfTwice(x);
  return select(x >= 1.0, select(large, outer, inner), c.nan());
}

Real tilerun::mathx::atanh(Real x) {
  if (x.c->has(&Estimates::reciprocal))
    return estimatedAtanh(x);
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
