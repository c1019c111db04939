// Functions that no op of the math dialect stands for, composed of such ops and of arithmetic. The
// frontend emits them, so that the interpreter and every backend carry out the same operations.
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx::composed {

/// The root of the sum of squares without overflow, for two to four numbers; one over it.
Real norm(llvm::ArrayRef<Real> x);
Real reciprocalNorm(llvm::ArrayRef<Real> x);
Real sinpi(Real x);
Real cospi(Real x);
/// The distribution function of the normal distribution.
Real normcdf(Real x);
/// The inverse of erf.
Real erfinv(Real x);
/// One over the cube root.
Real rcbrt(Real x);
/// x - n · y with n the integer nearest to x / y, exactly.
Real remainder(Real x, Real y);
/// The next number from x toward y.
Real nextafter(Real x, Real y);
/// x · 2^n with one rounding.
Real ldexp(Real x, Int n);
/// The exponent of |x| as if subnormal numbers were normal; as an integer, the least one for 0 and
/// NaN and the largest for infinities.
Real logb(Real x);
Int ilogb(Real x);

// Special.cpp
/// e^(x²) erfc x.
Real erfcx(Real x);
/// The inverses of erfc and of normcdf.
Real erfcinv(Real x);
Real normcdfinv(Real x);
/// The gamma function, and the logarithm of its magnitude.
Real tgamma(Real x);
Real lgamma(Real x);

// Bessel.cpp
/// Modified Bessel functions of the first kind.
Real i0(Real x);
Real i1(Real x);
/// Bessel functions of the first and second kind.
Real j0(Real x);
Real j1(Real x);
Real y0(Real x);
Real y1(Real x);

// Directed.cpp: as IEEE 754 rounds in these directions.
enum class Direction { Down, Up, Zero };
Real add(Real x, Real y, Direction direction);
Real subtract(Real x, Real y, Direction direction);
Real multiply(Real x, Real y, Direction direction);
Real divide(Real x, Real y, Direction direction);
Real squareRoot(Real x, Direction direction);
Real multiplyAdd(Real x, Real y, Real z, Direction direction);
/// A float64 as float32.
Real narrow(Real x, Calculator &single, Direction direction);

} // namespace tilerun::mathx::composed
