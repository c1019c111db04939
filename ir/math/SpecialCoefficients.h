// Polynomials for Special.cpp and Bessel.cpp, lowest degree first, for float32 and float64, and
// zeros of Bessel functions. Written by special_coefficients.py, which says how.
#pragma once

#include "ir/math/Calculator.h"

namespace tilerun::mathx {

// clang-format off

/// Zeros in order, and the logarithms of the least ones of Y.
inline constexpr Constant kJ0Zeros[] = {
    {0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53, -0x1.646effa90e9e4p-107},
    {0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54, -0x1.2c78a130dfed1p-112},
    {0x1.14eb56cccdecap+3, -0x1.51970714c7c25p-52, -0x1.3d1debae8c3cfp-107},
};
inline constexpr Constant kJ1Zeros[] = {
    {0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53, -0x1.fb72b16a8f55ep-108},
    {0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54, -0x1.3ceb4a3a76e2cp-109},
    {0x1.458d0d0bdfc29p+3, 0x1.02610a51562b6p-51, 0x1.2b2309fae859bp-105},
};
inline constexpr Constant kY0Zeros[] = {
    {0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56, -0x1.2c2f4d6e99a1fp-112},
    {0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54, 0x1.a02d2e779d6a4p-109},
    {0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54, 0x1.acc2b9cf914d1p-113},
};
inline constexpr Constant kY1Zeros[] = {
    {0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55, -0x1.eaabce933bf64p-114},
    {0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52, -0x1.11f731cc08f30p-108},
};
inline constexpr Constant kLogY0Zero{-0x1.cce4b73e6f025p-4, -0x1.4297c34fad727p-58, -0x1.a0362bd695958p-113};
inline constexpr Constant kLogY1Zero{0x1.930641fe98869p-1, -0x1.86dff1066eceap-58, 0x1.06590aba9b3e0p-115};


/// (x + 3/4) exp(x²) erfc(x) in t = (x-3) / (x+3), 0 <= x.
inline constexpr double kErfcxAllWide[] = { // error 2^-57.16
    0x1.57aea5550735ap-1, -0x1.31e8582c4b703p-3, 0x1.342e7214b0730p-5, 0x1.bf2da2b8c02f0p-6,
    -0x1.55c5f6623f5b0p-5, 0x1.cbaaed426f27ep-6, -0x1.627bbced66c9ap-7, 0x1.79ea520fca787p-10,
    0x1.a0d9c9d9a1e26p-11, -0x1.8cfe48844671bp-12, -0x1.32bc3ea481725p-15, 0x1.f1bbf0216d5f0p-15,
    0x1.01b1cc0e11c1fp-21, -0x1.3f71f7eeef5a9p-17, -0x1.bfb65c6354464p-25, 0x1.be4a00ab1868cp-20,
    0x1.fee403e9e3b94p-24, -0x1.432c4d5334145p-22, -0x1.f44375b7f30aap-25, 0x1.b65c3478ab80ap-25,
    0x1.3777212db137ap-26, -0x1.d9dd06924b4dep-28, -0x1.fc481d012f3fbp-29, 0x1.2402c63e788e6p-31,
    0x1.9f29ce620ef5bp-32};
inline constexpr double kErfcxAllLow = -0x1.10b57fd652fc6p-58;
inline constexpr Polynomial kErfcxAll{{}, kErfcxAllWide};

/// 1 / Γ(1+z), 0 <= z <= 1.
inline constexpr double kReciprocalGammaWide[] = { // error 2^-64.82
    0x1.0000000000000p+0, 0x1.2788cfc6fb619p-1, -0x1.4fcf4026afa3ep-1, -0x1.5815e8fa24903p-5,
    0x1.5512320b376a1p-3, -0x1.59af1039c374ep-5, -0x1.3b4af2d479e26p-7, 0x1.d919c8b7ddbdap-8,
    -0x1.31714d6303986p-10, -0x1.c35f709c7a222p-13, 0x1.0c7ddcab766c6p-13, -0x1.512208b684b8bp-16,
    -0x1.5d8d9630a21dfp-20, 0x1.3d78969758b67p-20, -0x1.024ea39dbff3cp-22, 0x1.94b8b510c2563p-26,
    -0x1.cf8dcd7a79f2dp-31};
inline constexpr Polynomial kReciprocalGamma{{}, kReciprocalGammaWide};

/// the same in z - 121/256, around which it is nearly flat and nearly a float32.
inline constexpr double kReciprocalGammaAroundSingle[] = { // error 2^-29.85
    0x1.210d340000000p+0, -0x1.88b6920000000p-7, -0x1.14e1420000000p-1, 0x1.5a8b160000000p-3,
    0x1.d159760000000p-5, -0x1.620ce00000000p-5, 0x1.93f0580000000p-8, 0x1.4032b00000000p-9,
    -0x1.1e63600000000p-10};
inline constexpr Polynomial kReciprocalGammaAround{kReciprocalGammaAroundSingle, {}};

/// (log Γ(x) - (x - 1/2) log x + x - log(2π) / 2) x in 1 / x², 8 <= x.
inline constexpr double kStirlingSingle[] = { // error 2^-25.32
    0x1.55554e0000000p-4, -0x1.6a7b6e0000000p-9};
inline constexpr double kStirlingWide[] = { // error 2^-66.18
    0x1.5555555555555p-4, -0x1.6c16c16c16b32p-9, 0x1.a01a019ee9ce3p-11, -0x1.38137ecdcb064p-11,
    0x1.b94f76e652f54p-11, -0x1.f600ec7a1ada1p-10, 0x1.96ef68addadb8p-8, -0x1.560f998613c8dp-6};
inline constexpr Polynomial kStirling{kStirlingSingle, kStirlingWide};

/// (sin(πx) / (πx) - 1) / x² in x², |x| <= 1/2.
inline constexpr double kSineOfPiSingle[] = { // error 2^-27.3
    -0x1.a51a5a0000000p+0, 0x1.9f994c0000000p-1, -0x1.8609460000000p-3, 0x1.95184e0000000p-6};
inline constexpr Polynomial kSineOfPi{kSineOfPiSingle, {}};

/// log Γ(1+z) / (z (z-1)) in z - 1/2, -1/4 <= z <= 5/4.
inline constexpr double kLogGammaSingle[] = { // error 2^-29.58
    0x1.eeb95c0000000p-2, -0x1.2aed060000000p-3, 0x1.01af3c0000000p-4, -0x1.007a400000000p-5,
    0x1.133fb80000000p-6, -0x1.34fa540000000p-7, 0x1.6312e60000000p-8, -0x1.a125820000000p-9,
    0x1.0e159a0000000p-9, -0x1.50f5160000000p-10, 0x1.8f57fc0000000p-12, -0x1.7b2a0a0000000p-13,
    0x1.4ceb760000000p-11, -0x1.bcd73e0000000p-12};
inline constexpr double kLogGammaWide[] = { // error 2^-59.03
    0x1.eeb95b094c191p-2, -0x1.2aed059bd6089p-3, 0x1.01af62a2929dbp-4, -0x1.007aa83cee616p-5,
    0x1.133423527a927p-6, -0x1.34dbda1442308p-7, 0x1.64f06650fed6fp-8, -0x1.a503526355394p-9,
    0x1.f814b847a2040p-10, -0x1.313e822b62ab0p-10, 0x1.750ad53e7b0d3p-11, -0x1.cb4695463f3c6p-12,
    0x1.1c75d23db8ac9p-12, -0x1.621fc669c4cf9p-13, 0x1.badb6c05fce98p-14, -0x1.16f286b645a1ep-14,
    0x1.6012a2d395485p-15, -0x1.ae53b53ff2734p-16, 0x1.0cf880c56aa3fp-16, -0x1.a9b26ec8bbd25p-17,
    0x1.1efa0e7568e91p-17, -0x1.8e5fe5c2a4ea7p-22, -0x1.f460653c251f7p-22, -0x1.cb82eb9cfd2d4p-18,
    0x1.54420fd9c75e4p-18, 0x1.c1879060fa96ep-19, -0x1.54f71f20b0374p-19, -0x1.09611bd9eee47p-19,
    0x1.707f32f1582f3p-20};
inline constexpr Polynomial kLogGamma{kLogGammaSingle, kLogGammaWide};

/// I0(x) in x², |x| <= 8.
inline constexpr double kI0SmallSingle[] = { // error 2^-31.73
    0x1.0000000000000p+0, 0x1.0000000000000p-2, 0x1.0000020000000p-6, 0x1.c71c3a0000000p-12,
    0x1.c71ef60000000p-18, 0x1.2335780000000p-24, 0x1.035ff40000000p-31, 0x1.4dd91a0000000p-39,
    0x1.6acc300000000p-47, 0x1.6f52800000000p-56, 0x1.40557e0000000p-63};
inline constexpr double kI0SmallWide[] = { // error 2^-66.15
    0x1.0000000000000p+0, 0x1.0000000000000p-2, 0x1.0000000000000p-6, 0x1.c71c71c71c717p-12,
    0x1.c71c71c71c7bbp-18, 0x1.23456789ab313p-24, 0x1.02e85c08a5144p-31, 0x1.522a43f50218bp-39,
    0x1.522a440fcd530p-47, 0x1.0b313127a4abdp-55, 0x1.5601a48512b48p-64, 0x1.69c8f73cced08p-73,
    0x1.41a9c0ecc4993p-82, 0x1.e6060a8f60c07p-92, 0x1.445fdfb40fdcap-101, 0x1.3c42f65649c08p-111,
    0x1.15effab5733b8p-120};
inline constexpr Polynomial kI0Small{kI0SmallSingle, kI0SmallWide};

/// I1(x) / x in x², |x| <= 8.
inline constexpr double kI1SmallSingle[] = { // error 2^-33.94
    0x1.0000000000000p-1, 0x1.0000000000000p-4, 0x1.5555560000000p-9, 0x1.c71c540000000p-15,
    0x1.6c17f20000000p-21, 0x1.844ebe0000000p-28, 0x1.2845aa0000000p-35, 0x1.4edea20000000p-43,
    0x1.3e82fc0000000p-51, 0x1.36bf9c0000000p-60, 0x1.c2dfd40000000p-68};
inline constexpr double kI1SmallWide[] = { // error 2^-62.66
    0x1.0000000000000p-1, 0x1.0000000000000p-4, 0x1.5555555555552p-9, 0x1.c71c71c71c7a1p-15,
    0x1.6c16c16c160bep-21, 0x1.845c8a0cf76fbp-28, 0x1.27e4fb7658661p-35, 0x1.522a441144b86p-43,
    0x1.2c97573016bc3p-51, 0x1.ab82105b704abp-60, 0x1.f17427ece6b23p-69, 0x1.e28089108fd04p-78,
    0x1.8ad6b11c2c6eap-87, 0x1.1c1859850ef00p-96, 0x1.26fe60c6bb0a7p-106, 0x1.17ce0d1d64775p-115};
inline constexpr Polynomial kI1Small{kI1SmallSingle, kI1SmallWide};

/// sqrt(x) exp(-x) I0(x) in 8 / x, 8 <= x.
inline constexpr double kI0LargeSingle[] = { // error 2^-33.36
    0x1.9884540000000p-2, 0x1.9884680000000p-8, 0x1.cb784e0000000p-12, 0x1.e639080000000p-15,
    0x1.eb866c0000000p-18, 0x1.5afc740000000p-17, -0x1.ea059e0000000p-18, 0x1.1163680000000p-18};
inline constexpr Polynomial kI0Large{kI0LargeSingle, {}};

/// sqrt(x) exp(-x) I1(x) in 8 / x, 8 <= x.
inline constexpr double kI1LargeSingle[] = { // error 2^-33.1
    0x1.9884540000000p-2, -0x1.3263440000000p-6, -0x1.7eeb360000000p-11, -0x1.5377ac0000000p-14,
    -0x1.4c5b040000000p-17, -0x1.93216c0000000p-17, 0x1.13a2f20000000p-17, -0x1.33f9600000000p-18};
inline constexpr Polynomial kI1Large{kI1LargeSingle, {}};

/// sqrt(x) exp(-x) I0(x) in 16 / x - 1, 8 <= x.
inline constexpr double kI0FarWide[] = { // error 2^-55.14
    0x1.9bd428ad249a5p-2, 0x1.b87969bb93aeap-9, 0x1.1daa72b5cea99p-13, 0x1.75e5ee75302e8p-17,
    0x1.8e513c51a7bf7p-20, 0x1.3f499b569af3fp-22, 0x1.7d0ce4c805423p-24, 0x1.51d3675240c49p-25,
    0x1.72872999cdec0p-26, 0x1.03089a6bb865ep-27, -0x1.d728a9653a4bap-28, -0x1.ca68882e82555p-27,
    -0x1.58af2199485f1p-28, 0x1.fa5cc29b44599p-28, 0x1.bfb01ed86d37ap-28, -0x1.b4cd7bb1fcaccp-29,
    -0x1.3663de91a09d0p-28, 0x1.39888424b0afep-30, 0x1.27812fc4d770dp-29, -0x1.4614b950b9b98p-32,
    -0x1.612c02d384f19p-31, 0x1.5b1a2a9ef07cbp-35, 0x1.8a3f1ae988ddcp-34};
inline constexpr double kI0FarLow = -0x1.2e824d74c7b1bp-56;
inline constexpr Polynomial kI0Far{{}, kI0FarWide};

/// sqrt(x) exp(-x) I1(x) in 16 / x - 1, 8 <= x.
inline constexpr double kI1FarWide[] = { // error 2^-55.07
    0x1.8ebe783a84030p-2, -0x1.3f796198ee60bp-7, -0x1.cbc54df1d4532p-13, -0x1.f89c2309386e4p-17,
    -0x1.ec8e1261781c2p-20, -0x1.7613748b56d6cp-22, -0x1.ad8b0cbc0d934p-24, -0x1.727e6ece62306p-25,
    -0x1.91e741a1f3043p-26, -0x1.21180f0b1925bp-27, 0x1.d68a3af1dd8efp-28, 0x1.e025683113249p-27,
    0x1.7ecbaaa0cde7cp-28, -0x1.00ece32f2f37fp-27, -0x1.dcb449abb4d5fp-28, 0x1.ae589a1e1334fp-29,
    0x1.46677f3456662p-28, -0x1.2d30cd9dd3b87p-30, -0x1.350828ae64d1bp-29, 0x1.33da1a21e9614p-32,
    0x1.7056b849602eep-31, -0x1.448ad1ba4b590p-35, -0x1.9a954c63f7330p-34};
inline constexpr double kI1FarLow = -0x1.fe84e34943090p-57;
inline constexpr Polynomial kI1Far{{}, kI1FarWide};

/// J0(x) over its first zeros' (x² - a²) (x² - b²) (x² - c²), in x²/32 - 1, |x| <= 8.
inline constexpr double kJ0SmallSingle[] = { // error 2^-35.72
    -0x1.bf54760000000p-16, 0x1.ef7b160000000p-16, -0x1.e3fa7c0000000p-17, 0x1.19a1b20000000p-18,
    -0x1.bc24940000000p-21, 0x1.feca260000000p-24, -0x1.c1a3440000000p-27, 0x1.39bf400000000p-30,
    -0x1.667c580000000p-34, 0x1.4871b00000000p-38};
inline constexpr double kJ0SmallWide[] = { // error 2^-65.41
    -0x1.bf5476c0ed835p-16, 0x1.ef7b16178a92ep-16, -0x1.e3fa7b13ac12dp-17, 0x1.19a1b2886dd68p-18,
    -0x1.bc248dfa43093p-21, 0x1.feca5d1cd8248p-24, -0x1.c1a7453acc88fp-27, 0x1.39ad2e53c6d41p-30,
    -0x1.64040c044b148p-34, 0x1.4f8dc8c2148b5p-38, -0x1.0b0f653a661d2p-42, 0x1.6bf2fd72ef598p-47,
    -0x1.ada5bd9fc44b7p-52, 0x1.bcdcbe2083f7dp-57, -0x1.8faf5ff97a646p-62};
inline constexpr Polynomial kJ0Small{kJ0SmallSingle, kJ0SmallWide};

/// J1(x) / x likewise.
inline constexpr double kJ1SmallSingle[] = { // error 2^-37.27
    -0x1.6e07fc0000000p-19, 0x1.568e3c0000000p-19, -0x1.20d17a0000000p-20, 0x1.2718cc0000000p-22,
    -0x1.9e31ee0000000p-25, 0x1.acc0780000000p-28, -0x1.56e8e80000000p-31, 0x1.b633f00000000p-35,
    -0x1.cd44e80000000p-39, 0x1.8a49300000000p-43};
inline constexpr double kJ1SmallWide[] = { // error 2^-66.94
    -0x1.6e07fc146ce70p-19, 0x1.568e3cbb4ee84p-19, -0x1.20d17aa0a1734p-20, 0x1.2718c18803a36p-22,
    -0x1.9e31ea49a5cb0p-25, 0x1.acc0923dd41bep-28, -0x1.56eb395e0d4aap-31, 0x1.b6231f9931a59p-35,
    -0x1.ca799310bfc40p-39, 0x1.90bc3a964d84bp-43, -0x1.29462f619f1b1p-47, 0x1.7b4b54d6b3c71p-52,
    -0x1.a4dc5ca3c4656p-57, 0x1.9aeff38adcca8p-62, -0x1.5eb628568d215p-67};
inline constexpr Polynomial kJ1Small{kJ1SmallSingle, kJ1SmallWide};

/// (J0(x) - 1 + x²/4) / x⁴ in x², |x| <= 3.
inline constexpr double kJ0NearWide[] = { // error 2^-58.32
    0x1.fffffffffffd8p-7, -0x1.c71c71c71b887p-12, 0x1.c71c71c6d98e2p-18, -0x1.2345677f8f461p-24,
    0x1.02e85a38363e3p-31, -0x1.5229dbe02f989p-39, 0x1.521b85a39c863p-47, -0x1.09e828277d2c2p-55,
    0x1.3599d6e46a5a7p-64};
inline constexpr Polynomial kJ0Near{{}, kJ0NearWide};

/// (J1(x) / x - 1/2 + x²/16) / x⁴ in x², |x| <= 4.
inline constexpr double kJ1NearWide[] = { // error 2^-61.16
    0x1.555555555554bp-9, -0x1.c71c71c71c233p-15, 0x1.6c16c16c07783p-21, -0x1.845c8a09b975bp-28,
    0x1.27e4fb11f8550p-35, -0x1.522a33af6a347p-43, 0x1.2c95a2b6a70c9p-51, -0x1.ab45a3b543e96p-60,
    0x1.ec3929a775a89p-69, -0x1.9efe4a0e281e0p-78};
inline constexpr Polynomial kJ1Near{{}, kJ1NearWide};

/// J0(x) sqrt(πx/2) = P cos(x - π/4) - Q sin(x - π/4): P in (8/x)², 8 <= x.
inline constexpr double kP0Single[] = { // error 2^-29.19
    0x1.0000000000000p+0, -0x1.1ffc4e0000000p-10, 0x1.c6728e0000000p-16, -0x1.bcd3820000000p-20};
inline constexpr double kP0Wide[] = { // error 2^-58.21
    0x1.0000000000000p+0, -0x1.1ffffffffec6ap-10, 0x1.cb5fffed81dafp-16, -0x1.251eda31573bep-19,
    0x1.84b7af4829dfbp-22, -0x1.b76c5a32df489p-24, 0x1.753fbfa19c993p-25, -0x1.a1e1fded6989ep-26,
    0x1.02c84192f9d69p-26, -0x1.2562b5c18ca0cp-27, 0x1.00e897d4d794ap-28, -0x1.2337ede1d60c5p-30,
    0x1.3755edd5a45f9p-33};
inline constexpr Polynomial kP0{kP0Single, kP0Wide};

/// Q x/8 likewise.
inline constexpr double kQ0Single[] = { // error 2^-30.35
    -0x1.fffffe0000000p-7, 0x1.2bf2a80000000p-13, -0x1.c818060000000p-18, 0x1.357d4e0000000p-21};
inline constexpr double kQ0Wide[] = { // error 2^-58.1
    -0x1.ffffffffffffep-7, 0x1.2bfffffff557cp-13, -0x1.d11dffaf224abp-18, 0x1.ba4c1ccf65fdep-21,
    -0x1.860aaa4074c52p-23, 0x1.12f2e1b199679p-24, -0x1.15f0e1c6e05b6p-25, 0x1.61a87ccab2245p-26,
    -0x1.dc199a0a03cdfp-27, 0x1.1bba56007dee6p-27, -0x1.ffebb021cf017p-29, 0x1.278998428238ap-30,
    -0x1.3fc789ff85405p-33};
inline constexpr Polynomial kQ0{kQ0Single, kQ0Wide};

/// P for J1, with x - 3π/4.
inline constexpr double kP1Single[] = { // error 2^-28.99
    0x1.0000000000000p+0, 0x1.dffbc40000000p-10, -0x1.247e100000000p-15, 0x1.09b4c00000000p-19};
inline constexpr double kP1Wide[] = { // error 2^-58.13
    0x1.0000000000000p+0, 0x1.dffffffffeb47p-10, -0x1.274ffff638397p-15, 0x1.5a6a496634c2cp-19,
    -0x1.b88c52811c358p-22, 0x1.e5b5ac7472f40p-24, -0x1.95e7f859a2163p-25, 0x1.c1b488a79298dp-26,
    -0x1.14c0ccb2ab6fap-26, 0x1.38a8481fd139dp-27, -0x1.113d3e19a80aep-28, 0x1.355cdc75827a0p-30,
    -0x1.4a7bf4ca30696p-33};
inline constexpr Polynomial kP1{kP1Single, kP1Wide};

/// Q x/8 likewise.
inline constexpr double kQ1Single[] = { // error 2^-30.17
    0x1.8000000000000p-5, -0x1.a3f0ea0000000p-13, 0x1.1725b80000000p-17, -0x1.68e4340000000p-21};
inline constexpr double kQ1Wide[] = { // error 2^-58.02
    0x1.8000000000000p-5, -0x1.a3fffffff4bf3p-13, 0x1.1c3cffd5510c3p-17, -0x1.fe57d8730b685p-21,
    0x1.b3ee8d6b53db8p-23, -0x1.2d29df89f6eabp-24, 0x1.2c5ddcc677afdp-25, -0x1.7ae1f699da63fp-26,
    0x1.fb6dded17f2ffp-27, -0x1.2d83e30a97759p-27, 0x1.0f8cd164edacdp-28, -0x1.3937f6adf526ep-30,
    0x1.52b0358a14c31p-33};
inline constexpr Polynomial kQ1{kQ1Single, kQ1Wide};

/// (Y0(x) - 2/π log(x/z) J0(x)) / (x² - z²), z the first zero, in 2 (x/3)² - 1, x <= 3.
inline constexpr double kY0SmallSingle[] = { // error 2^-33.56
    0x1.e0812c0000000p-4, -0x1.c3a7c80000000p-5, 0x1.245e120000000p-7, -0x1.83649c0000000p-11,
    0x1.3940be0000000p-15, -0x1.5660b80000000p-20, 0x1.0c8e840000000p-25};
inline constexpr double kY0SmallWide[] = { // error 2^-68.72
    0x1.e0812c72a76a9p-4, -0x1.c3a7c81926668p-5, 0x1.245e12e0a7f60p-7, -0x1.8364add06171ap-11,
    0x1.394053885a0c6p-15, -0x1.561b58524a50fp-20, 0x1.0d93703d2e631p-25, -0x1.413a41578b237p-31,
    0x1.2bb4488b66e6ep-37, -0x1.c1e635e7a61a1p-44, 0x1.159fb30653eb9p-50, -0x1.15507ee784644p-57};
inline constexpr Polynomial kY0Small{kY0SmallSingle, kY0SmallWide};

/// Y0(x) over x minus its second and third zero, in (x - 5.5) / 2.5, 3 <= x <= 8.
inline constexpr double kY0MiddleSingle[] = { // error 2^-32.04
    0x1.1c38040000000p-3, -0x1.f36ebc0000000p-6, -0x1.27d6100000000p-4, 0x1.e0d9180000000p-7,
    0x1.ad79bc0000000p-7, -0x1.2d377a0000000p-9, -0x1.5cf2200000000p-10, 0x1.c2aee40000000p-13,
    0x1.4900e40000000p-14, -0x1.5d60980000000p-17, -0x1.0a0e6a0000000p-18, 0x1.f490b60000000p-21,
    -0x1.202d020000000p-23};
inline constexpr double kY0MiddleWide[] = { // error 2^-61.56
    0x1.1c38036545cfbp-3, -0x1.f36ebb1739740p-6, -0x1.27d6105d6e8afp-4, 0x1.e0d903ee0de3ep-7,
    0x1.ad79d598e63f8p-7, -0x1.2d35309bef6dep-9, -0x1.5cf6589e571e8p-10, 0x1.c23c3708f33e4p-13,
    0x1.49b035894c4ddp-14, -0x1.52b2c492c269ap-17, -0x1.1871248eb0284p-18, 0x1.82f414c6c41a7p-21,
    -0x1.35244d7bc9fd0p-29, 0x1.36ecbe60d280cp-25, -0x1.9b0f7492792bfp-26, 0x1.42c2851856a9ep-27,
    -0x1.0a442732d57e6p-28, 0x1.e4032f1c9def6p-30, -0x1.aa6d6fde956ccp-31, 0x1.178f4416e75a1p-32,
    -0x1.c464de2ba7e44p-34, 0x1.ff0546451990cp-34, -0x1.e70458b2af08ap-35, -0x1.16087795f30b6p-36,
    0x1.2b4d61c9874ecp-37, 0x1.4c15a5a05469ep-37, -0x1.34964ae7bb00ep-38};
inline constexpr Polynomial kY0Middle{kY0MiddleSingle, kY0MiddleWide};

/// (Y1(x) - 2/π log(x/z) J1(x)) x / (x² - z²), z the first zero, in x²/8 - 1, x <= 4.
inline constexpr double kY1SmallSingle[] = { // error 2^-31.04
    0x1.7d2fc00000000p-3, -0x1.92e6020000000p-9, -0x1.5de3c20000000p-5, 0x1.a160640000000p-7,
    -0x1.c4e4e20000000p-10, 0x1.2686dc0000000p-13, -0x1.0391700000000p-17, 0x1.4b1b780000000p-22};
inline constexpr double kY1SmallWide[] = { // error 2^-65.77
    0x1.7d2fc064fa737p-3, -0x1.92e600dff263ep-9, -0x1.5de3bfdf6b0b1p-5, 0x1.a1606356b98a6p-7,
    -0x1.c4e5b1e6c0f90p-10, 0x1.26874783e5c33p-13, -0x1.02ee4bf33d943p-17, 0x1.4a4ec0b096327p-22,
    -0x1.40a359c734909p-27, 0x1.ea6d34367df8fp-33, -0x1.2f6f3f7ce58a8p-38, 0x1.3663c1f85cf3dp-44,
    -0x1.0ac69ab7b0eb8p-50};
inline constexpr Polynomial kY1Small{kY1SmallSingle, kY1SmallWide};

/// Y1(x) over x minus its second zero, in (x - 6) / 2, 4 <= x <= 8.
inline constexpr double kY1MiddleSingle[] = { // error 2^-35.17
    -0x1.3a3a8c0000000p-2, 0x1.5791520000000p-3, 0x1.4739ee0000000p-3, -0x1.155cf60000000p-4,
    -0x1.94a7880000000p-6, 0x1.266b220000000p-7, 0x1.0059d20000000p-9, -0x1.4c03d40000000p-11,
    -0x1.72bf8c0000000p-14, 0x1.b126a60000000p-16, 0x1.9fe61c0000000p-19, -0x1.d31af20000000p-21};
inline constexpr double kY1MiddleWide[] = { // error 2^-58.4
    -0x1.3a3a8cefc7efcp-2, 0x1.579152b20729fp-3, 0x1.4739eeba02f82p-3, -0x1.155cf697f3ae8p-4,
    -0x1.94a78f4d6f519p-6, 0x1.266b1555b4f63p-7, 0x1.005abac2bff43p-9, -0x1.4c0230a711468p-11,
    -0x1.72fed342b68dep-14, 0x1.b0fa0efd44981p-16, 0x1.a8742719f3165p-19, -0x1.d368e786b5a42p-21,
    -0x1.1241bfad811b8p-25, 0x1.561ed4968a155p-28, 0x1.500c92ae57703p-28, -0x1.a46f5b96c93d4p-30,
    0x1.dace113dd938ep-32, -0x1.3d686927a5544p-33, 0x1.3209c1694f106p-35, -0x1.bc2e808a5ea1cp-37,
    0x1.6b94a31b63480p-37, -0x1.cc26f8f066c4ep-39};
inline constexpr Polynomial kY1Middle{kY1MiddleSingle, kY1MiddleWide};
// clang-format on

} // namespace tilerun::mathx
