// The expansions, one function each, by family. Every function handles all arguments: zeros with
// their sign, infinities, NaN, subnormals. docs/math.md lists errors.
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx {

// For functions that are composed of ops, which are expanded or become a device's instructions.
template <typename Op> Real apply(Real x) { return {x.c, Op::create(x.c->b, x.c->loc, x.v)}; }
/// The language's fast form, where units in the last place do no harm.
template <typename Op> Real approximate(Real x) {
  return {x.c, Op::create(x.c->b, x.c->loc, x.v, mlir::arith::FastMathFlags::afn)};
}
inline Real approximateReciprocal(Real x) {
  Calculator &c = *x.c;
  mlir::Value one = c.real(1).v;
  return {&c, mlir::arith::DivFOp::create(c.b, c.loc, one, x.v, mlir::arith::FastMathFlags::afn)};
}

// Exponential.cpp
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
/// 10^x of float32, for devices with Estimates::exp2.
Real exp10(Real x);
/// 2^(hi + lo) of float32, likewise, for |hi| up to 250.
Real estimatedExp2(Pair x);
/// 2^integer · (hi + lo).
struct Scaled {
  Pair pair;
  Int integer;
};
/// e^x where neither argument nor result is special, for sums in which it is the lesser part.
Real expInside(Real x);
/// e^x for |x| up to 2 · bias · ln 2, with a few more bits than the type has.
Scaled expPair(Real x);
Scaled expPair(Pair x);
/// 2^(x.hi + x.lo), likewise.
Scaled exp2Pair(Pair x);

// Logarithm.cpp
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
/// log x + addend of float32, for positive finite x. The sum is rounded once beside what x's
/// exponent adds.
Real logPlus(Real x, Real addend);
/// log 2x, for x up to infinity.
Real logOfTwice(Real x);
Real log1p(Real x);
/// log(1 + hi + lo) for sums above 0; no special values.
Real log1pPair(Pair x);
/// log x and log2 x to nearly twice the precision, for finite x > 0.
Pair logPair(Real x);
Pair log2Pair(Real x);

// Power.cpp
Real pow(Real x, Real y);
Real cbrt(Real x);
Real rsqrt(Real x);

// Trigonometric.cpp
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
/// x = n · π/2 + hi + lo with |hi| <= π/4 for huge x, for the low bits of n (Reduction.cpp).
/// float32 has no lo.
struct Reduced {
  Pair angle;
  Int quadrant;
};
Reduced reduceLarge(Real x);
/// The sine and the cosine of hi + lo for |hi| <= π/4, given hi², before the last addition.
Pair sinReduced(Pair r, Real square);
Pair cosReduced(Pair r, Real square);
/// x with its sign changed where bit 1 of the quadrant is set.
Real signedBy(Int quadrant, Real x);

// InverseTrigonometric.cpp
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

// Hyperbolic.cpp
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);

// Error.cpp
Real erf(Real x);
Real erfc(Real x);
/// erfc(x + low) for 0 <= x <= 28, to nearly twice the precision but for its approximation.
Scaled erfcPair(Real x, Real low);

// Remainder.cpp
/// x - trunc(x / y) · y, exactly.
Real fmod(Real x, Real y);

// Exact.cpp
/// x · y + z with one rounding, to nearest or to odd, of +, -, · only.
Real fmaByParts(Real x, Real y, Real z, bool odd = false);
/// The same of float32, through float64.
Real fmaThroughWide(Real x, Real y, Real z);
/// x · y + z in float64, rounded to odd, where x · y is exact there.
Real fmaOddInWide(Real x, Real y, Real z);
Real widen(Real x, Calculator &wide);
/// A float64 as float32, cut toward zero, with the last bit set if `odd` and anything was lost:
/// that rounds like the float64 itself into any narrower type.
Real cutToSingle(Real wideX, Calculator &single, bool odd);
/// x / y correctly rounded, by correcting a quotient with a relative error of at most 2^-20, which
/// gives the right results for zeros, infinities and NaN.
using DivideFunction = llvm::function_ref<Real(Real, Real)>;
Real divideExactly(Real x, Real y, DivideFunction quotient);
/// The square root likewise.
using RootFunction = llvm::function_ref<Real(Real)>;
Real sqrtExactly(Real x, RootFunction root, DivideFunction quotient);

} // namespace tilerun::mathx
