// Polynomials of float32 alone, lowest degree first, for forms that start from a device's estimates.
// Written by single_coefficients.py, which says how; `error` is the approximation's.
#pragma once

namespace tilerun::mathx {

// clang-format off

/// (asin(x) / x - 1) / z in z = x², |x| <= 0.55.
inline constexpr double kShortAsin[] = { // error 2^-25.7
    0x1.5556ba0000000p-3, 0x1.32b62a0000000p-4, 0x1.7bc37a0000000p-5, 0x1.4684e20000000p-6,
    0x1.926f9c0000000p-5};

/// (atan(x) / x - 1) / z in z = x², |x| <= 1.
inline constexpr double kShortAtan[] = { // error 2^-25.8
    -0x1.5554dc0000000p-2, 0x1.9978ee0000000p-3, -0x1.230ab00000000p-3, 0x1.b4dfdc0000000p-4,
    -0x1.3553f40000000p-4, 0x1.61f7560000000p-5, -0x1.0c23fe0000000p-6, 0x1.7ec1c40000000p-9};

/// (log(1 + x) / x - 1) / x, -1/4 <= x <= 1/2.
inline constexpr double kShortLog1p[] = { // error 2^-27.6
    -0x1.0000000000000p-1, 0x1.5555a60000000p-2, -0x1.00004e0000000p-2, 0x1.9968f00000000p-3,
    -0x1.54eb540000000p-3, 0x1.28852e0000000p-3, -0x1.0db5860000000p-3, 0x1.ad41880000000p-4,
    -0x1.721d3e0000000p-5};

/// -log2(erfc x) / x - 2, from 0.9 on until erf(x) rounds to 1.
inline constexpr double kShortLog2Erfc[] = { // error 2^-29.7
    -0x1.7ca2f20000000p-2, 0x1.d52ee60000000p-1, 0x1.39bece0000000p-3, -0x1.1855fa0000000p-5,
    0x1.5688500000000p-8, -0x1.e11f2c0000000p-12, 0x1.0479c60000000p-16};

/// erf(x) / x in x², |x| <= 0.67.
inline constexpr double kShortErfOverX[] = { // error 2^-24.2
    0x1.20dd740000000p+0, -0x1.81263c0000000p-2, 0x1.cdef400000000p-4, -0x1.b255420000000p-6,
    0x1.1bb84c0000000p-8};

/// (x + 2) exp(x²) erfc(x) in (x - 2) / (x + 2), 0.6 <= x <= 10.1.
inline constexpr double kShortErfcx[] = { // error 2^-25.8
    0x1.0586720000000p+0, -0x1.5fd3860000000p-1, 0x1.1e2da60000000p-2, -0x1.2a89820000000p-5,
    -0x1.6028f60000000p-6, 0x1.a8988a0000000p-8, 0x1.88ce440000000p-9, -0x1.ae82c00000000p-11,
    -0x1.dc09ac0000000p-12};
// clang-format on

} // namespace tilerun::mathx
