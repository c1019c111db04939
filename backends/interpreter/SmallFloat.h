// Exact conversions between float32/float64 and the narrow float formats. One generic algorithm on
// bits serves every format and rounding; float16 and bfloat16 also have branch-free forms that
// compilers vectorize.
#pragma once

#include "backends/interpreter/ElementFn.h"

#include <bit>
#include <cstdint>

namespace tilerun::interp {

/// The meaning of a format's largest codes.
enum class Specials {
  IEEE, ///< Infinities and NaNs.
  FN,   ///< No infinity; all ones is NaN.
  FNUZ, ///< No infinity, no negative zero; the code of negative zero is the NaN.
  None  ///< Every code is finite.
};

template <unsigned ExponentBits, unsigned MantissaBits, int BiasV, Specials S, class StorageT>
struct FloatFormat {
  using Storage = StorageT;
  static constexpr unsigned kMantissa = MantissaBits;
  static constexpr int kBias = BiasV;
  static constexpr Specials kSpecials = S;
  static constexpr Storage kSign = Storage(1) << (ExponentBits + MantissaBits);
  static constexpr Storage kExponentMask = ((Storage(1) << ExponentBits) - 1) << MantissaBits;
  static constexpr Storage kMaxFinite = S == Specials::IEEE ? kExponentMask - 1
                                        : S == Specials::FN ? kSign - 2
                                                            : kSign - 1;
  static constexpr Storage kNan = S == Specials::IEEE
                                      ? kExponentMask | (Storage(1) << (MantissaBits - 1))
                                  : S == Specials::FN   ? kSign - 1
                                  : S == Specials::FNUZ ? kSign
                                                        : kMaxFinite;
  static constexpr Storage kInf = S == Specials::IEEE ? kExponentMask : kNan;
};

using FormatF8E5M2 = FloatFormat<5, 2, 15, Specials::IEEE, uint8_t>;
using FormatF8E5M2FNUZ = FloatFormat<5, 2, 16, Specials::FNUZ, uint8_t>;
using FormatF8E4M3FN = FloatFormat<4, 3, 7, Specials::FN, uint8_t>;
using FormatF8E4M3FNUZ = FloatFormat<4, 3, 8, Specials::FNUZ, uint8_t>;
using FormatF8E4M3B15 = FloatFormat<4, 3, 15, Specials::None, uint8_t>;
using FormatF16 = FloatFormat<5, 10, 15, Specials::IEEE, uint16_t>;
using FormatBF16 = FloatFormat<8, 7, 127, Specials::IEEE, uint16_t>;
using FormatF32 = FloatFormat<8, 23, 127, Specials::IEEE, uint32_t>;

/// How a narrowing conversion treats values that do not fit.
struct Narrowing {
  bool towardZero = false; ///< Otherwise to nearest, ties to even.
  bool saturate = false;   ///< Infinities and overflow become the largest finite value.
};

/// Rounds `value` once into format F. A NaN stays NaN if F has one (otherwise the largest finite
/// value).
template <class F> typename F::Storage encode(double value, Narrowing mode = {}) {
  using Storage = typename F::Storage;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const Storage sign = (bits >> 63) ? F::kSign : 0;
  const uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  if (magnitude > 0x7ff0000000000000) // NaN
    return F::kSpecials == Specials::FNUZ ? F::kNan : Storage(F::kNan | sign);
  Storage overflow = mode.saturate ? F::kMaxFinite : F::kInf;
  if (magnitude == 0x7ff0000000000000)
    return overflow == F::kSign ? overflow : Storage(overflow | sign);
  if (mode.towardZero)
    overflow = F::kMaxFinite;

  // The significand, an integer of 53 bits, loses `drop` bits; below the smallest normal exponent
  // it loses more.
  int exponent = int(magnitude >> 52);
  uint64_t significand = magnitude & 0xfffffffffffff;
  if (exponent != 0)
    significand |= uint64_t(1) << 52;
  else
    exponent = 1;
  exponent -= 1023;
  const int smallestNormal = 1 - F::kBias;
  const bool normal = exponent >= smallestNormal;
  int drop = 52 - int(F::kMantissa) + (normal ? 0 : smallestNormal - exponent);
  if (drop > 54)
    drop = 54; // Less than half of the smallest value either way.
  uint64_t kept = significand >> drop;
  const uint64_t rest = significand & ((uint64_t(1) << drop) - 1), half = uint64_t(1) << (drop - 1);
  if (!mode.towardZero && (rest > half || (rest == half && (kept & 1))))
    ++kept;
  // A carry out of the mantissa moves into the exponent by itself.
  const uint64_t code =
      kept + (normal ? uint64_t(exponent + F::kBias - 1) << F::kMantissa : uint64_t(0));
  if (code > F::kMaxFinite)
    return overflow == F::kSign ? overflow : Storage(overflow | sign);
  if (F::kSpecials == Specials::FNUZ && code == 0)
    return 0;
  return Storage(code) | sign;
}

/// The exact value of a code.
template <class F> double decode(typename F::Storage code) {
  const uint64_t sign = (code & F::kSign) ? uint64_t(1) << 63 : 0;
  const uint64_t magnitude = code & (F::kSign - 1);
  const double nan = std::bit_cast<double>(sign | 0x7ff8000000000000);
  if (F::kSpecials == Specials::FNUZ && code == F::kSign)
    return nan;
  if (F::kSpecials == Specials::FN && magnitude == F::kSign - 1)
    return nan;
  if (F::kSpecials == Specials::IEEE && magnitude >= F::kInf)
    return magnitude == F::kInf ? std::bit_cast<double>(sign | 0x7ff0000000000000) : nan;
  const uint64_t exponent = magnitude >> F::kMantissa;
  const uint64_t mantissa = magnitude & ((uint64_t(1) << F::kMantissa) - 1);
  double value;
  if (exponent == 0) // mantissa · 2^(1 - bias - mantissa bits)
    value = double(mantissa) *
            std::bit_cast<double>(uint64_t(1 - F::kBias - int(F::kMantissa) + 1023) << 52);
  else
    value = std::bit_cast<double>(((exponent + 1023 - F::kBias) << 52) |
                                  (mantissa << (52 - F::kMantissa)));
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
}

/// float16 to float32 without a branch: subnormals are normalized by a float subtraction.
inline float halfToFloat(uint16_t half) {
  const uint32_t shifted = uint32_t(half & 0x7fff) << 13;
  const uint32_t exponent = shifted & 0x0f800000;
  const uint32_t normal = shifted + (112u << 23);
  const uint32_t special = shifted + (224u << 23); // Infinity and NaN.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(shifted + (113u << 23)) -
                                                     std::bit_cast<float>(113u << 23));
  const uint32_t magnitude =
      exponent == 0x0f800000 ? special : (exponent == 0 ? subnormal : normal);
  return std::bit_cast<float>(magnitude | (uint32_t(half & 0x8000) << 16));
}

/// float32 to float16, nearest even, without a branch: adding 0.5 lets the hardware round a
/// subnormal.
inline uint16_t floatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - (126u << 23);
  const uint32_t special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  const uint32_t result = magnitude >= 0x477ff000    ? special // 65520 and up
                          : magnitude < (113u << 23) ? subnormal
                                                     : normal;
  return uint16_t(result | ((bits >> 16) & 0x8000));
}

inline float bfloatToFloat(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }

/// float32 to bfloat16, nearest even.
inline uint16_t floatToBfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t nan = (bits >> 16) | 0x40;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

/// Buffer conversions; null where `type` is not a small float.
ConvertFn getToFloat(Dtype type);
ConvertFn getToDouble(Dtype type);
/// To nearest even, overflow to infinity (or the format's NaN).
ConvertFn getFromFloat(Dtype type);
/// Any float type but f64.
ConvertFn getFromFloat(Dtype type, Narrowing mode);
ConvertFn getFromDouble(Dtype type, Narrowing mode);

/// One element of any float type.
double readFloat(Dtype type, const char *element);

/// math.isnormal of a small float, which float32's limits would answer wrongly; null for other
/// types.
ElementFn getIsNormal(Dtype type);

} // namespace tilerun::interp
