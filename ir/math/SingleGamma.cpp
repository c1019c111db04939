// The gamma function and its logarithm on float32. See SingleForms.h. Both are one quotient or one
// logarithm of a product: (x - 1) … (x - n) Γ(x - n), or from 8 on Stirling's series; times
// x sin(πx) / π for negative arguments.
#include "ir/math/Functions.h"
#include "ir/math/SingleForms.h"
#include "ir/math/SpecialCoefficients.h"

using namespace mlir;
using namespace tilerun::mathx;

namespace {

/// factors · Γ(base) = Γ(x), with base in [least, least + 1) for x in [least, least + 8), and
/// base = x, factors = 1 below. All x - k are exact. Four factors, two and one where they fit: a
/// chain of selections as long as the number of its bits.
struct Recurrence {
  Real factors, base;
};
Recurrence recur(Real x, double least) {
  // (x-1) (x-4) = x (x-5) + 4, and (x-2) (x-3) is 2 more: each is rounded once.
  Bool four = x >= least + 4;
  Real less = x - 5.0, outer = fma(x, less, x.c->real(4)), inner = fma(x, less, x.c->real(6));
  Real factors = select(four, outer * inner, 1.0);
  Real base = select(four, x - 4.0, x);
  Bool two = base >= least + 2;
  less = base - 2.0;
  factors = select(two, factors * ((base - 1.0) * less), factors);
  base = select(two, less, base);
  Bool one = base >= least + 1;
  less = base - 1.0;
  return {select(one, factors * less, factors), select(one, less, base)};
}

/// Where kReciprocalGammaAround, a polynomial for 1 / Γ(1 + z), has its origin.
constexpr double kAround = 121.0 / 256;

/// sin(πx) / π for |x| <= 1/2.
Real sineOverPi(Real x) {
  Real square = x * x;
  return fma(x * square, evaluate(kSineOfPi, square), x);
}

/// (log Γ(x) - (x - 1/2) (log x - 1)) for x >= 8.
Real beyondStirling(Real x) {
  Real inverse = approximateReciprocal(x);
  return fma(evaluate(kStirling, inverse * inverse), inverse, x.c->real(0.4189385332046727418));
}

/// log x - 1 for x from 8 to 48, to some 2^-30.
Pair logMinusOne(Real x) {
  Calculator &c = *x.c;
  // x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
  Int field = (bits(x) - 0x3f3504f3) & 0xff800000;
  Real f = fromBits(bits(x) - field) - 1.0, e = toReal(field) * 0x1p-23;
  // log(1 + f) = f - f² / 2 + …, where what the square and the difference lose counts.
  Real square = f * f, lost = fma(f, f, -square), near = fma(square, c.real(-0.5), f);
  Real rest = fma(square, c.real(-0.5), f - near);
  Real low = fma(f * square, evaluate(kLog, f), fma(lost, c.real(-0.5), rest));
  auto ln2 = c.split(kLn2, c.shortBits());
  Pair sum = fastTwoSum(fma(e, ln2.a, c.real(-1)), near); // The first is exact.
  return {sum.hi, fma(e, ln2.b, sum.lo + low)};
}

/// Γ(x) = fraction · power² for x from 8 to 48; 1 / power.
struct Squared {
  Real fraction, power, inverse;
};
Squared stirling(Real x) {
  Calculator &c = *x.c;
  Pair main = multiply(x - 0.5, logMinusOne(x));
  Real low = main.lo + beyondStirling(x);
  // Γ(x) = 4^half e^(2 rest), |rest| <= ln 2 / 2. A sum with this number has `half`, as an
  // exponent, in its low bits. All of it is IEEE operations: a device's fast power would be the
  // result's last bits, which differ then.
  constexpr double kShift = 0x1.8p23 + 127;
  Real shifted = fma(main.hi + low, c.real(0.5 * kLog2E.a), c.real(kShift));
  Real half = shifted - kShift;
  auto ln2 = c.split(kLn2, c.shortBits());
  Real rest = fma(half, -ln2.b, fma(half, -ln2.a, 0.5 * main.hi)); // The inner one is exact.
  rest = fma(low, c.real(0.5), rest);
  Real e = fma(rest * rest, evaluate(kExp, rest), rest); // e^rest - 1
  Int up = bits(shifted) << 23;
  return {fma(e, e + 2.0, c.real(1)), fromBits(up), fromBits(c.integer(0x7f000000) - up)};
}

/// log Γ(1 + z) for -1/4 <= z <= 5/4.
Real logGammaNear(Real z) {
  // The zeros at 0 and 1 times a polynomial. Its constant times the zeros is the largest part: that
  // product's rounding error counts.
  ArrayRef<double> p = kLogGamma.single;
  Real t = z - 0.5, zeros = fma(z, z, -z);
  Pair first = twoProduct(zeros, z.c->real(p[0]));
  return first.hi + fma(zeros, t * evaluate(p.drop_front(), t), first.lo);
}

} // namespace

Real single::tgamma(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Bool isNegative = x < 0.0, isSmall = magnitude < 1.0, isLarge = magnitude >= 8.0;
  // Γ(-x) = -π / (x sin(πx) Γ(x)) (DLMF 5.5.3), where x = 2k + n + rest exactly, |rest| <= 1/2; n
  // and one more are in the low bits of a sum.
  constexpr double kShift = 0x1.8p23 + 1;
  Real inTurn = fma(apply<math::RoundEvenOp>(magnitude * 0.5), c.real(-2), magnitude);
  Real shifted = inTurn + kShift, rest = inTurn - (shifted - kShift);
  Real sine = fromBits(bits(sineOverPi(rest)) ^ (bits(shifted) << 31));
  // Below 1 Γ(x) = Γ(1 + x) / x.
  Pair factor = twoProduct(select(isSmall, 1.0, magnitude), sine);
  factor.hi = select(isNegative, factor.hi, select(isSmall, magnitude, 1.0));
  factor.lo = select(isNegative, factor.lo, 0.0);
  auto [factors, base] = recur(magnitude, 1);
  Real core = evaluate(kReciprocalGammaAround,
                       base - select(isSmall, c.real(kAround), c.real(1 + kAround)));
  Squared large = stirling(clamp(magnitude, 8, 48)); // Beyond, results overflow or are zeros.
  Real gamma = select(isLarge, large.fraction, factors), divisor = select(isLarge, 1.0, core);
  // One of the two is above, the other below.
  Real above = select(isNegative, divisor, gamma), below = select(isNegative, gamma, divisor);
  Pair product = multiply(below, factor);
  Real inverse = approximateReciprocal(product.hi), quotient = above * inverse;
  Real missing = fma(-quotient, product.lo, fma(-quotient, product.hi, above));
  // Subnormal results are rounded once: what scaling lost is added to what the quotient lacks. At
  // negative integers all of that is NaN.
  Real power = select(isLarge, select(isNegative, large.inverse, large.power), 1.0);
  Real scaled = quotient * power, result = scaled * power;
  Real lost = fma(-result, select(isLarge, large.power, 1.0), scaled);
  lost = fma(missing * inverse, power, select(isNegative, lost, 0.0));
  result = fma(lost, power, result);
  return select(magnitude < 0x1p-30, approximateReciprocal(x), result);
}

Real single::lgamma(Real x) {
  Calculator &c = *x.c;
  Real magnitude = abs(x);
  Bool isNegative = x < 0.0, isTiny = magnitude < 0.75, isLarge = magnitude >= 8.0;
  // log |Γ(-x)| = -log |x sin(πx) / π| - log Γ(x); under 3/4 the x of log Γ(1 + x) - log x cancels
  // the sine's. At negative integers the factor is exactly zero.
  Real distance = magnitude - apply<math::RoundEvenOp>(magnitude);
  Real sine = abs(sineOverPi(distance));
  Real factor = select(isTiny, c.real(1), magnitude) * sine;
  factor = select(isNegative, factor, magnitude);
  Bool usual = isBelow(bits(factor) - 1, 0x7f7fffff); // neither 0 nor infinite
  Bool isDivisor = isTiny | isNegative;
  factor = select(isDivisor, factor, 1.0);
  // One logarithm: of the factors, of x for Stirling's series. That one is added to -1 early, where
  // the sum is more exact. The sine's beside the series is far from what cancels it.
  auto [factors, base] = recur(magnitude, 1.25);
  Real argument = select(isLarge, magnitude, factors * factor);
  Real logarithm = logPlus(argument, select(isLarge, c.real(-1), c.real(0)));
  Real stirling = fma(magnitude - 0.5, logarithm, beyondStirling(magnitude));
  Real ofFactor = approximate<math::Log2Op>(factor) * kLn2.a;
  logarithm = select(isLarge, ofFactor, logarithm);
  Real core = logGammaNear(select(isTiny, magnitude, base - 1.0));
  Real gamma = select(isLarge, stirling, core);
  gamma = fromBits(bits(gamma) ^ (bits(x) & 0x80000000));
  Real result = gamma + select(isDivisor, -logarithm, logarithm);
  return select(usual, result, magnitude + c.infinity());
}
