// exp2, exp, log and log2 of float32 as branch-free float64 polynomials, so that plain loops over
// them vectorize. The error before the final rounding is below 2^-40, far under half a unit of
// float32.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace tilerun::interp {

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;

/// 2^t rounded to float32.
inline float exp2Single(double t) {
  // Beyond ±200 the result is 0 or infinity anyway; a NaN passes both comparisons.
  t = t < -200 ? -200 : t;
  t = t > 200 ? 200 : t;
  // Adding 1.5·2^52 rounds to an integer k, which then sits in the low bits.
  constexpr double kShift = 0x1.8p52;
  const double shifted = t + kShift;
  const double fraction = (t - (shifted - kShift)) * kLn2; // |fraction| <= ln(2) / 2
  // e^fraction by its Taylor series; the first term left out is below 2^-45.
  double sum = 1.0 / 3628800;
  sum = sum * fraction + 1.0 / 362880;
  sum = sum * fraction + 1.0 / 40320;
  sum = sum * fraction + 1.0 / 5040;
  sum = sum * fraction + 1.0 / 720;
  sum = sum * fraction + 1.0 / 120;
  sum = sum * fraction + 1.0 / 24;
  sum = sum * fraction + 1.0 / 6;
  sum = sum * fraction + 0.5;
  sum = sum * fraction + 1.0;
  sum = sum * fraction + 1.0;
  const double power =
      std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52); // 2^k
  return float(sum * power);
}

/// Splits x = 2^e · m with m in [sqrt(1/2), sqrt(2)) and gives e + log(m) · scale, or where
/// `scaleExponent`, e · ln(2) + log(m).
template <bool Base2> inline float logSingle(float value) {
  const double x = value; // Subnormals are normal from here.
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd, kBias = uint64_t(1024) << 52;
  const uint64_t exponent = (bits - kSqrtHalf + kBias) >> 52; // e + 1024, positive
  const double m = std::bit_cast<double>(bits - ((exponent - 1024) << 52));
  // An integer below 2^52 becomes a double by putting it under the exponent of 2^52.
  const double e = std::bit_cast<double>(exponent | 0x4330000000000000) - (0x1p52 + 1024);
  // log(m) = 2·atanh(s), s = (m - 1) / (m + 1), |s| < 0.172; the first term left out is below 2^-46
  // of the sum.
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double series = 1.0 / 17;
  series = series * s2 + 1.0 / 15;
  series = series * s2 + 1.0 / 13;
  series = series * s2 + 1.0 / 11;
  series = series * s2 + 1.0 / 9;
  series = series * s2 + 1.0 / 7;
  series = series * s2 + 1.0 / 5;
  series = series * s2 + 1.0 / 3;
  series = series * s2 + 1.0;
  const double log = 2 * s * series;
  float result = Base2 ? float(e + log * kLog2E) : float(e * kLn2 + log);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  result = value == kInf ? kInf : result;
  result = value == 0 ? -kInf : result;
  return value >= 0 ? result : std::numeric_limits<float>::quiet_NaN();
}

} // namespace tilerun::interp
