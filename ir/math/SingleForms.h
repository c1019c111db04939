// Forms of Composed.h's functions for float32. They take the language's fast forms (`afn`) where a
// device's errors of some units in the last place do no harm, so that they are as short as a
// library that knows the device; where the fast forms are exact, so are their bits.
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx::single {

Real rcbrt(Real x);
Real sinpi(Real x);
Real cospi(Real x);
Real normcdf(Real x);
Real normcdfinv(Real x);
Real erfinv(Real x);
Real erfcinv(Real x);
Real erfcx(Real x);
/// Modified Bessel functions of the first kind, order 0 or 1.
Real modifiedBessel(Real x, int order);

// SingleGamma.cpp
Real tgamma(Real x);
Real lgamma(Real x);

} // namespace tilerun::mathx::single
