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

} // namespace tilerun::mathx::composed
