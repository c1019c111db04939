// Forms for float64 of roots (WideRoots.cpp) and of parts of Special.cpp and Bessel.cpp: sums are
// kept as pairs until the last addition, so that errors stay near half a unit in the last place.
// float32 has its own (SingleForms.h).
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx::wide {

Real rsqrt(Real x);
Real cbrt(Real x);
Real rcbrt(Real x);
/// One over the root of a sum from 2^-1020 to 2^1020.
Real inverseRoot(Pair a);
/// J of order 0 or 1 for 0 <= x <= 8.
Real firstKind(Real x, int order);
/// Y of order 0 for 0 < x <= 3, of order 1 for 0 < x <= 4; NaN or infinities for 0.
Real secondKind(Real x, int order);
/// I of order 0 or 1 for x >= 0, up to infinity.
Real modifiedBessel(Real x, int order);
/// e^(x²) erfc x / unit for x >= 0, given x · unit, where unit is 1 and x < 2^510 or unit is a
/// power of two and 2^-30 < x · unit < 2^510.
Real erfcx(Real x, Real unit);
/// log Γ(1 + z), -1/4 <= z <= 5/4.
Real logGammaNear(Real z);

} // namespace tilerun::mathx::wide
