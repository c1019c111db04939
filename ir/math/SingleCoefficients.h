// Polynomials of float32 alone, lowest degree first, for forms that start from a device's
// estimates. Written by single_coefficients.py, which says how; `error` is the approximation's.
#pragma once

namespace tilerun::mathx {

// clang-format off

/// 1 / (4 exp(4) erfc(2)).
inline constexpr double kShortErfcScale = 0x1.f52ee00000000p-1;
/// sqrt(ln 2).
inline constexpr double kShortErfinvSlope = 0x1.aa449a0000000p-1;

/// (asin(x) / x - 1) / z in z = x², |x| <= 0.55.
inline constexpr double kShortAsin[] = { // error 2^-25.7
    0x1.5556c00000000p-3, 0x1.32b6920000000p-4, 0x1.7bbd8a0000000p-5, 0x1.463fae0000000p-6,
    0x1.932b100000000p-5};

/// (atan(x) / x - 1) / z in z = x², |x| <= 1.
inline constexpr double kShortAtan[] = { // error 2^-28.5
    -0x1.55553e0000000p-2, 0x1.9991ec0000000p-3, -0x1.24211a0000000p-3, 0x1.c0946c0000000p-4,
    -0x1.5825f20000000p-4, 0x1.da9c2e0000000p-5, -0x1.fe7d240000000p-6, 0x1.6551e20000000p-7,
    -0x1.d5a1aa0000000p-10};

/// log2(1 + x) / x - kLog2Factor, 0.686 <= 1 + x <= 1.372.
inline constexpr double kShortLog2[] = { // error 2^-28.8
    0x1.9547660000000p-4, -0x1.7154760000000p-1, 0x1.ec706c0000000p-2, -0x1.7154400000000p-2,
    0x1.2782a80000000p-2, -0x1.eca8800000000p-3, 0x1.a3f2a80000000p-3, -0x1.6ae3ae0000000p-3,
    0x1.5b4a6c0000000p-3, -0x1.6eba9c0000000p-3, 0x1.dea0600000000p-4};

/// (log(1 + x) / x - 1 + x / 2) / x², 2/3 <= 1 + x <= 4/3.
inline constexpr double kShortLog[] = { // error 2^-30.0
    0x1.5555420000000p-2, -0x1.ffff0c0000000p-3, 0x1.999a100000000p-3, -0x1.55999c0000000p-3,
    0x1.24e6020000000p-3, -0x1.f3777a0000000p-4, 0x1.b9aba60000000p-4, -0x1.073e5e0000000p-3,
    0x1.e787b20000000p-4};

/// (log(1 + x) / x - 1) / x, -1/4 <= x <= 1/2.
inline constexpr double kShortLog1p[] = { // error 2^-27.6
    -0x1.0000000000000p-1, 0x1.5555a60000000p-2, -0x1.00004e0000000p-2, 0x1.9968f00000000p-3,
    -0x1.54eb540000000p-3, 0x1.28852e0000000p-3, -0x1.0db5860000000p-3, 0x1.ad41880000000p-4,
    -0x1.721d3e0000000p-5};

/// -log2(erfc x) / x - 2, from 0.9 on until erf(x) rounds to 1.
inline constexpr double kShortLog2Erfc[] = { // error 2^-29.7
    -0x1.7ca2f20000000p-2, 0x1.d52ee60000000p-1, 0x1.39bece0000000p-3, -0x1.1855fa0000000p-5,
    0x1.5688500000000p-8, -0x1.e11f2c0000000p-12, 0x1.0479c60000000p-16};

/// (cosh(x) - 1) / z in z = x², |x| <= ln 2 / 2.
inline constexpr double kShortCosh[] = { // error 2^-33.1
    0x1.0000000000000p-1, 0x1.5554e20000000p-5, 0x1.6d54060000000p-10};

/// (a (x + 2) exp(x²) erfc(x) - 1) / t in t = (x - 2) / (x + 2), a as above, 0 <= x <= 10.1.
inline constexpr double kShortErfcx[] = { // error 2^-25.4
    -0x1.5864b80000000p-1, 0x1.1821fc0000000p-2, -0x1.242df40000000p-5, -0x1.58db8e0000000p-6,
    0x1.9ce6500000000p-8, 0x1.8674ca0000000p-9, -0x1.7567c40000000p-11, -0x1.0fedaa0000000p-11,
    -0x1.7fc9000000000p-15};

/// likewise for all x >= 0.
inline constexpr double kShortErfcxAll[] = { // error 2^-26.1
    -0x1.5864b20000000p-1, 0x1.1821fe0000000p-2, -0x1.243a900000000p-5, -0x1.58e21a0000000p-6,
    0x1.9ff0de0000000p-8, 0x1.88e6660000000p-9, -0x1.b810920000000p-11, -0x1.35e6e80000000p-11,
    0x1.25fd320000000p-14, 0x1.62ff040000000p-14};

/// erfinv(x) / x - 1 in w - 2, w = -log2(1 - x²), w <= 5.5.
inline constexpr double kShortErfinv[] = { // error 2^-29.1
    0x1.c9f4680000000p-3, 0x1.6301540000000p-3, 0x1.94c6120000000p-11, -0x1.7aded40000000p-11,
    0x1.3c6b960000000p-15, 0x1.2080980000000p-18, -0x1.3a35a80000000p-21, -0x1.818b000000000p-27,
    0x1.a9ce280000000p-28, -0x1.791a0e0000000p-32};

/// erfinv(x) - kShortErfinvSlope sqrt(w) in 1 / sqrt(w) - 1/4, 5.5 <= w <= 151.
inline constexpr double kShortErfinvTail[] = { // error 2^-26.7
    -0x1.53522c0000000p-3, -0x1.529f3e0000000p-4, 0x1.0ebc6e0000000p+0, -0x1.f8dfcc0000000p+0,
    0x1.31f9980000000p+1, -0x1.6ea3700000000p+3, 0x1.34306a0000000p+4, 0x1.9219420000000p+5,
    0x1.cfab180000000p+7, -0x1.089c2a0000000p+11, 0x1.89b44e0000000p+11};

/// Y0(x) - 2/π log(x/z) J0(x), z the first zero, in x², x <= 5/8.
inline constexpr double kShortY0Small[] = { // error 2^-25.7
    -0x1.29dbae0000000p-3, 0x1.9069da0000000p-3, -0x1.19a8d40000000p-6, 0x1.2669f20000000p-11};

/// Y0(x) / (x - z) - 0x1.a89a6ep-1 in x - 1, 5/8 <= x <= 3/2.
inline constexpr double kShortY0Zero[] = { // error 2^-27.0
    0x1.2979cc0000000p-26, -0x1.ceb9860000000p-2, 0x1.49ed900000000p-3, -0x1.3782900000000p-3,
    0x1.18316a0000000p-3, -0x1.d5cd780000000p-4, 0x1.8e44c20000000p-4, -0x1.56d56c0000000p-4,
    0x1.6423de0000000p-4, -0x1.84dbe60000000p-4, 0x1.ba3ca20000000p-5};

/// (Y1(x) - 2/π log(x/z) J1(x)) x likewise, x <= 5/4.
inline constexpr double kShortY1Small[] = { // error 2^-24.6
    -0x1.45f3060000000p-1, 0x1.be7bfe0000000p-5, 0x1.7952080000000p-6, -0x1.b1080c0000000p-10,
    0x1.7d12720000000p-15, -0x1.cd94180000000p-21};

/// sin(πx) / x - 0x1.921fb6p1 in x², |x| <= 1/4.
inline constexpr double kShortSinPi[] = { // error 2^-33.6
    -0x1.7883620000000p-24, -0x1.4abbce0000000p+2, 0x1.466b8e0000000p+1, -0x1.32babc0000000p-1,
    0x1.4821b20000000p-4};

/// (cos(πx) - 1) / x² in x², |x| <= 1/4.
inline constexpr double kShortCosPi[] = { // error 2^-30.9
    -0x1.3bd3cc0000000p+2, 0x1.03c1b80000000p+2, -0x1.55b7d00000000p+0, 0x1.d685cc0000000p-3};
// clang-format on

} // namespace tilerun::mathx
