// Polynomials for Functions.h, lowest degree first, for float32 and float64.
// Written by coefficients.py, which says how; `error` is the approximation's, before rounding.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace tilerun::mathx {

struct Polynomial {
  llvm::ArrayRef<double> single, wide;
};

// clang-format off

/// (exp(r) - 1 - r) / r², |r| <= ln 2 / 2.
inline constexpr double kExpSingle[] = { // error 2^-26.15
    0x1.fffffe0000000p-2, 0x1.5554ae0000000p-3, 0x1.55567a0000000p-5, 0x1.1229120000000p-7,
    0x1.6be9bc0000000p-10};
inline constexpr double kExpWide[] = { // error 2^-61.69
    0x1.0000000000000p-1, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f644p-7,
    0x1.6c16c16c1f3dep-10, 0x1.a01a01b01783bp-13, 0x1.a01a017b08cbfp-16, 0x1.71ddf7c24e227p-19,
    0x1.27e5371b04d44p-22, 0x1.af5fda2fcc83ep-26, 0x1.1ee813dd2e560p-29};
inline constexpr Polynomial kExp{kExpSingle, kExpWide};

/// the same for |r| <= 1/2.
inline constexpr double kExpm1Single[] = { // error 2^-28.24
    0x1.0000020000000p-1, 0x1.5555520000000p-3, 0x1.5552980000000p-5, 0x1.1113240000000p-7,
    0x1.6ee6d60000000p-10, 0x1.a047300000000p-13};
inline constexpr Polynomial kExpm1{kExpm1Single, {}};

/// (log(1+f) - f + f²/2) / f³, sqrt(1/2) <= 1+f <= sqrt(2).
inline constexpr double kLogSingle[] = { // error 2^-30.3
    0x1.5555480000000p-2, -0x1.0000060000000p-2, 0x1.99a4b40000000p-3, -0x1.555c440000000p-3,
    0x1.2337780000000p-3, -0x1.fc23280000000p-4, 0x1.e6f1180000000p-4, -0x1.de36f40000000p-4,
    0x1.1450120000000p-4};
inline constexpr double kLogWide[] = { // error 2^-61.85
    0x1.5555555555558p-2, -0x1.0000000000042p-2, 0x1.9999999999117p-3, -0x1.555555554ae9fp-3,
    0x1.24924924dde6dp-3, -0x1.00000004fd12ap-3, 0x1.c71c71a306bacp-4, -0x1.9999971f8fbc6p-4,
    0x1.745d1b02f36dfp-4, -0x1.5555b10582eddp-4, 0x1.3b13a9aa0a15cp-4, -0x1.248a3b16fd6edp-4,
    0x1.11090bbab4684p-4, -0x1.006cb07c945b1p-4, 0x1.e387d6b15499bp-5, -0x1.c0e07d72f9aacp-5,
    0x1.9be6c85193b21p-5, -0x1.a91e78ea32073p-5, 0x1.efd485afa21d9p-5, -0x1.bb18575072765p-5,
    0x1.704b9d2cbed1ap-6};
inline constexpr Polynomial kLog{kLogSingle, kLogWide};

/// (log(1+f) - f + f²/2) / f³, 3/4 <= 1+f <= 3/2.
inline constexpr double kLogQuartersSingle[] = { // error 2^-27.6
    0x1.5555a60000000p-2, -0x1.0000220000000p-2, 0x1.9969940000000p-3, -0x1.54f0e00000000p-3,
    0x1.2882180000000p-3, -0x1.0d88840000000p-3, 0x1.ac833a0000000p-4, -0x1.70d6de0000000p-5};
inline constexpr Polynomial kLogQuarters{kLogQuartersSingle, {}};

/// log2(1+f) / f - L, sqrt(1/2) <= 1+f <= sqrt(2), where L is log2(e) as a float32.
inline constexpr double kLog2RootSingle[] = { // error 2^-30.0
    0x1.5a9a380000000p-26, -0x1.7154760000000p-1, 0x1.ec707e0000000p-2, -0x1.7154900000000p-2,
    0x1.2780880000000p-2, -0x1.ec7a0e0000000p-3, 0x1.a3ed0a0000000p-3, -0x1.6e674a0000000p-3,
    0x1.6064440000000p-3, -0x1.5a42c00000000p-3, 0x1.8d6b520000000p-4};
inline constexpr Polynomial kLog2Root{kLog2RootSingle, {}};

/// log10(1+f) / f, sqrt(1/2) <= 1+f <= sqrt(2).
inline constexpr double kLog10RootSingle[] = { // error 2^-29.07
    0x1.bcb7b20000000p-2, -0x1.bcb7aa0000000p-3, 0x1.287a720000000p-3, -0x1.bcbef00000000p-4,
    0x1.63cf1e0000000p-4, -0x1.27737e0000000p-4, 0x1.f88cdc0000000p-5, -0x1.d730e20000000p-5,
    0x1.cb24080000000p-5, -0x1.0f1e8a0000000p-5};
inline constexpr Polynomial kLog10Root{kLog10RootSingle, {}};

/// (2 atanh(s) - 2s - 2/3 s³) / s⁵ in z = s², s = f / (2+f).
inline constexpr double kLogTailSingle[] = { // error 2^-29.95
    0x1.99999a0000000p-2, 0x1.2492900000000p-2, 0x1.c6c07a0000000p-3, 0x1.87a0260000000p-3};
inline constexpr double kLogTailWide[] = { // error 2^-66.1
    0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cff2p-3, 0x1.745d174511a27p-3,
    0x1.3b13b1bd5e8cdp-3, 0x1.1110df69f6802p-3, 0x1.e1f80fe508c62p-4, 0x1.ac48c15507906p-4,
    0x1.b8e39f0033b44p-4};
inline constexpr Polynomial kLogTail{kLogTailSingle, kLogTailWide};

/// (sin(r) - r) / r³ in z = r², |r| <= π/4.
inline constexpr double kSinSingle[] = { // error 2^-37.49
    -0x1.5555560000000p-3, 0x1.1111a80000000p-7, -0x1.a05b180000000p-13, 0x1.7273760000000p-19};
inline constexpr double kSinWide[] = { // error 2^-68.72
    -0x1.5555555555555p-3, 0x1.111111111110bp-7, -0x1.a01a01a018a58p-13, 0x1.71de3a532ec26p-19,
    -0x1.ae64528b07c4dp-26, 0x1.61208aa1876e0p-33, -0x1.aaa16c6e507b9p-41};
inline constexpr Polynomial kSin{kSinSingle, kSinWide};

/// (cos(r) - 1 + z/2) / z² in z = r², |r| <= π/4.
inline constexpr double kCosSingle[] = { // error 2^-33.27
    0x1.55554a0000000p-5, -0x1.6c0c880000000p-10, 0x1.9a01180000000p-16};
inline constexpr double kCosWide[] = { // error 2^-64.2
    0x1.555555555554cp-5, -0x1.6c16c16c15167p-10, 0x1.a01a019caf44fp-16, -0x1.27e4f80803034p-22,
    0x1.1ee9ea8451c22p-29, -0x1.8fadda04efafbp-37};
inline constexpr Polynomial kCos{kCosSingle, kCosWide};

/// (tan(r) - r) / r³ in z = r², |r| <= π/4.
inline constexpr double kTanSingle[] = { // error 2^-25.74
    0x1.5554de0000000p-2, 0x1.112de40000000p-3, 0x1.b585e00000000p-5, 0x1.906dbc0000000p-6,
    0x1.96be240000000p-9, 0x1.33dfda0000000p-7};
inline constexpr Polynomial kTan{kTanSingle, {}};

/// (asin(x) - x) / x³ in z = x², |x| <= 1/2.
inline constexpr double kAsinSingle[] = { // error 2^-31.74
    0x1.55554c0000000p-3, 0x1.33387c0000000p-4, 0x1.6caf000000000p-5, 0x1.04907a0000000p-5,
    0x1.d92c780000000p-7, 0x1.3352a20000000p-5};
inline constexpr double kAsinWide[] = { // error 2^-59.85
    0x1.5555555555577p-3, 0x1.333333332e124p-4, 0x1.6db6db72123f5p-5, 0x1.f1c71a952fbe2p-6,
    0x1.6e8bded6657d8p-6, 0x1.1c49f130664a0p-6, 0x1.ca1f77d5b7176p-7, 0x1.758640af64f95p-7,
    0x1.61388928226b4p-7, 0x1.e630d29e270f3p-9, 0x1.638b20a181741p-6, -0x1.57e649b23fe93p-6,
    0x1.0b3ff5d08ebfcp-5};
inline constexpr Polynomial kAsin{kAsinSingle, kAsinWide};

/// (atan(t) - t) / t³ in z = t², |t| <= 1 and |t| <= 2/3.
inline constexpr double kAtanSingle[] = { // error 2^-28.53
    -0x1.55553e0000000p-2, 0x1.9991fc0000000p-3, -0x1.2421b20000000p-3, 0x1.c099e60000000p-4,
    -0x1.5834540000000p-4, 0x1.dac93c0000000p-5, -0x1.fed0580000000p-6, 0x1.65a5820000000p-7,
    -0x1.d62ed20000000p-10};
inline constexpr double kAtanWide[] = { // error 2^-59.05
    -0x1.555555555553fp-2, 0x1.9999999996ffdp-3, -0x1.24924923ba24fp-3, 0x1.c71c717fcdc0cp-4,
    -0x1.745d103f22e11p-4, 0x1.3b133d5c17cb1p-4, -0x1.110be7c22428bp-4, 0x1.e18d79234519ep-5,
    -0x1.ad2d9a200695bp-5, 0x1.7d3c6987fa8e7p-5, -0x1.4660b2c57c2adp-5, 0x1.f8156a47fa662p-6,
    -0x1.3bedbb232dcebp-6, 0x1.118d2cdfa05e9p-7, -0x1.d9eb4371a7c72p-10};
inline constexpr Polynomial kAtan{kAtanSingle, kAtanWide};

/// (sinh(x) - x) / x³ in z = x², |x| <= 1.
inline constexpr double kSinhSingle[] = { // error 2^-34.16
    0x1.5555560000000p-3, 0x1.1111340000000p-7, 0x1.9ffe900000000p-13, 0x1.7a16160000000p-19};
inline constexpr double kSinhWide[] = { // error 2^-73.76
    0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a019fc1p-13, 0x1.71de3a5573f7bp-19,
    0x1.ae6456741b7b0p-26, 0x1.61246afa38ccdp-33, 0x1.ae756e92e6643p-41, 0x1.9a794258d5664p-49};
inline constexpr Polynomial kSinh{kSinhSingle, kSinhWide};

/// (tanh(x) - x) / x³ in z = x², |x| <= 0.6.
inline constexpr double kTanhSingle[] = { // error 2^-28.41
    -0x1.55553e0000000p-2, 0x1.1109ae0000000p-3, -0x1.b898f60000000p-5, 0x1.54b8e20000000p-6,
    -0x1.82582e0000000p-8};
inline constexpr double kTanhWide[] = { // error 2^-57.76
    -0x1.5555555555530p-2, 0x1.111111110e1adp-3, -0x1.ba1ba1b7808ecp-5, 0x1.664f47f012d43p-6,
    -0x1.226e22927bc1ep-7, 0x1.d6d0c61b66281p-9, -0x1.7d79d92d1ba3dp-10, 0x1.33db14f83adc2p-11,
    -0x1.e32d3c296d1dfp-13, 0x1.4caa6a1ef8cb1p-14, -0x1.2035695daf7bdp-16};
inline constexpr Polynomial kTanh{kTanhSingle, kTanhWide};

/// erf(x) / x - 1 in z = x², |x| <= 1 and |x| <= 3/4.
inline constexpr double kErfSingle[] = { // error 2^-29.62
    0x1.06eba80000000p-3, -0x1.81273e0000000p-2, 0x1.ce2cf80000000p-4, -0x1.b7f9120000000p-6,
    0x1.5405b40000000p-8, -0x1.a3f7120000000p-11, 0x1.496a120000000p-14};
inline constexpr double kErfWide[] = { // error 2^-60.15
    0x1.06eba8214db69p-3, -0x1.812746b0379e0p-2, 0x1.ce2f21a042471p-4, -0x1.b82ce31255708p-6,
    0x1.565bcd031210ap-8, -0x1.c02db110d508cp-11, 0x1.f9a2ad796a5eap-14, -0x1.f4c5b397c7f1dp-17,
    0x1.b90cc5494fecdp-20, -0x1.5641e3546f3a8p-23, 0x1.89e440274ed0fp-27};
inline constexpr Polynomial kErf{kErfSingle, kErfWide};

/// log(erfc(x)) in x - 1, from 1 or 3/4 on until erf(x) rounds to 1.
inline constexpr double kLogErfcSingle[] = { // error 2^-29.86
    -0x1.d97fc00000000p+0, -0x1.51c9aa0000000p+1, -0x1.afad360000000p-1, -0x1.53f9340000000p-5,
    0x1.441a5a0000000p-7, -0x1.deb4820000000p-10, 0x1.8525ce0000000p-13};
inline constexpr double kLogErfcWide[] = { // error 2^-60.98
    -0x1.d97fbf27aa2a1p+0, -0x1.51c9b0006c23dp+1, -0x1.afabc11a28f2ep-1, -0x1.5477f09ca9141p-5,
    0x1.48c9d40bfe9a8p-7, -0x1.033f6994f3603p-9, 0x1.f1b4bbd421154p-13, 0x1.b8be5e64a9d8ap-16,
    -0x1.c75a3d5e9c638p-16, 0x1.415d831778033p-17, -0x1.0ef7975858970p-19, 0x1.ba113297ec2a8p-24,
    0x1.10b3875c6fbaep-23, -0x1.25b55ca8fcb63p-24, 0x1.74aa4f48a20fdp-26, -0x1.52a3fcd9b42ddp-28,
    0x1.bfe4a7758d721p-31, -0x1.9bf803fb8c616p-34, 0x1.d78a460092940p-38, -0x1.f8b98d12a8e72p-43};
inline constexpr Polynomial kLogErfc{kLogErfcSingle, kLogErfcWide};

/// (1 + 2x) exp(x²) erfc(x) in t = (x-4) / (x+4), 0 <= x <= 28.
inline constexpr double kErfcxSingle[] = { // error 2^-30.07
    0x1.3ba5920000000p+0, -0x1.1df1b00000000p-3, 0x1.f7f51a0000000p-7, 0x1.16edd20000000p-4,
    -0x1.9dd80a0000000p-4, 0x1.7fe3400000000p-4, -0x1.0fd71e0000000p-4, 0x1.30bce80000000p-5,
    -0x1.0642720000000p-6, 0x1.4f641a0000000p-8, -0x1.18767c0000000p-10, -0x1.46259a0000000p-11};
inline constexpr double kErfcxWide[] = { // error 2^-59.5
    0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd6ccp-7, 0x1.16ecefcfa54a5p-4,
    -0x1.9ddb23c3e8957p-4, 0x1.7fee004e0fdf1p-4, -0x1.0fb06dfe5533bp-4, 0x1.3079edf6d4d80p-5,
    -0x1.096238829b770p-6, 0x1.49c6726f00f6dp-8, -0x1.8d4a9c4da45fbp-11, -0x1.a1df16143754fp-13,
    0x1.3be06c0839e4cp-13, -0x1.995acea1390eep-16, -0x1.788dd1109d5f9p-17, 0x1.7f3470b7df01ep-18,
    0x1.3bda8b439c877p-22, -0x1.bb700a734f59bp-21, 0x1.3e47a9160590ep-24, 0x1.d9e0c0cdb04c3p-24,
    -0x1.2c1fd702b6f43p-26, -0x1.e376f03b1b437p-27, 0x1.cd070878242a7p-30, 0x1.49569d354509ep-30};
inline constexpr Polynomial kErfcx{kErfcxSingle, kErfcxWide};

/// 1 / m, 1 <= m <= 2.
inline constexpr double kReciprocalWide[] = { // error 2^-6.629
    0x1.0f83e00000000p+1, -0x1.745d100000000p+0, 0x1.4afd700000000p-2};
inline constexpr Polynomial kReciprocal{{}, kReciprocalWide};

/// (c - g)^(-1/2) - g³ around c = 0x1.70339p-1, for WideRoots.cpp.
inline constexpr double kInverseRootWide[] = { // error 2^-20.41
    0x1.2de0e00000000p+0, 0x1.a3c5700000000p-1, 0x1.b73e300000000p-1};
inline constexpr Polynomial kInverseRoot{{}, kInverseRootWide};

/// (c - g)^(-1/3) - g³ around c = 0x1.2e8bp-1, likewise.
inline constexpr double kInverseCubeRootWide[] = { // error 2^-17.84
    0x1.3111e00000000p+0, 0x1.5831400000000p-1, 0x1.882d600000000p-1};
inline constexpr Polynomial kInverseCubeRoot{{}, kInverseCubeRootWide};
// clang-format on

} // namespace tilerun::mathx
