// The results of a GPU's instructions, bit for bit, from tables for every mantissa: the
// folder that the environment variable TILERUN_MATH_TABLES names, as bench/math/errors.py --tables
// writes it. How other exponents follow from a table was checked on an H200: by exact scaling, but
// for the logarithm, which is a sum that is cut, and 2^x, which cuts its argument.
#pragma once

#include <cmath>

namespace tilerun::harness {

/// The folder, or null where there is none.
const char *tableFolder();

/// Subnormal numbers as zeros.
inline float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

namespace tables {
float exp2(float x);            ///< ex2.approx.ftz
float exp2Whole(float x);       ///< ex2.approx
float log2(float x);            ///< lg2.approx.ftz
float log2Whole(float x);       ///< lg2.approx
float reciprocal(float x);      ///< rcp.approx.ftz
float reciprocalWhole(float x); ///< div.full of 1 and x
float sqrt(float x);            ///< sqrt.approx.ftz
float rsqrt(float x);           ///< rsqrt.approx
float rsqrtNormal(float x);     ///< rsqrt.approx.ftz
} // namespace tables

} // namespace tilerun::harness
