// 8-bit floats, both kinds.
#include "emulators/amdgpu/Floats.h"

namespace tilerun::amdsim {

namespace {

struct Format {
  unsigned mantissaBits;
  int bias;
  uint8_t nan, largest; // without sign
  bool hasInfinity;
};

Format formatOf(unsigned exponentBits, bool isFnuz) {
  unsigned mantissaBits = 7 - exponentBits;
  int bias = (1 << (exponentBits - 1)) - 1 + isFnuz;
  if (isFnuz)
    return {mantissaBits, bias, 0x80, 0x7f, false};
  if (exponentBits == 4)
    return {mantissaBits, bias, 0x7f, 0x7e, false};
  return {mantissaBits, bias, 0x7f, 0x7b, true};
}

uint8_t encode(float value, const Format &format, bool isFnuz, bool saturates, bool truncates) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint8_t sign = uint8_t(bits >> 24 & 0x80);
  float magnitude = std::fabs(value);
  if (value != value)
    return isFnuz ? format.nan : uint8_t(sign | format.nan);
  // Units of the last place: fixed below the smallest normal number, else by the exponent.
  int exponent = magnitude == 0 ? -1000 : std::ilogb(magnitude);
  int lowest = 1 - format.bias;
  int place =
      (std::isinf(magnitude) || exponent < lowest ? lowest : exponent) - int(format.mantissaBits);
  double scaled = std::ldexp(double(magnitude), -place);
  double rounded = truncates ? std::trunc(scaled) : __builtin_roundeven(scaled);
  double limit = std::ldexp(1.0, int(format.mantissaBits) + 1);
  if (rounded >= limit && !std::isinf(magnitude))
    rounded /= 2, ++place;
  unsigned mantissa = unsigned(std::isinf(rounded) ? 0 : rounded);
  int field = mantissa >> format.mantissaBits ? place + int(format.mantissaBits) + format.bias : 0;
  unsigned code = field > 0 ? unsigned(field) << format.mantissaBits |
                                  (mantissa & ((1u << format.mantissaBits) - 1))
                            : mantissa;
  if (std::isinf(magnitude) || code > format.largest) {
    if (saturates && !std::isinf(magnitude))
      return uint8_t(sign | format.largest);
    if (format.hasInfinity)
      return uint8_t(sign | 0x7c);
    return isFnuz ? format.nan : uint8_t(sign | format.nan);
  }
  return code == 0 && isFnuz ? 0 : uint8_t(sign | code);
}

} // namespace

float float8ToFloat(uint8_t bits, unsigned exponentBits, bool isFnuz) {
  Format format = formatOf(exponentBits, isFnuz);
  unsigned magnitude = bits & 0x7f;
  bool isNan = isFnuz ? bits == 0x80 : format.hasInfinity ? magnitude > 0x7c : magnitude == 0x7f;
  if (isNan)
    return std::bit_cast<float>(0x7fc00000u);
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (format.hasInfinity && magnitude == 0x7c)
    return sign * INFINITY;
  int field = int(magnitude >> format.mantissaBits);
  unsigned fraction = magnitude & ((1u << format.mantissaBits) - 1);
  unsigned mantissa = field ? fraction | 1u << format.mantissaBits : fraction;
  return sign *
         std::ldexp(float(mantissa), (field ? field : 1) - format.bias - int(format.mantissaBits));
}

uint8_t floatToFloat8(float value, unsigned exponentBits, bool isFnuz, bool saturates) {
  return encode(value, formatOf(exponentBits, isFnuz), isFnuz, saturates, false);
}

uint8_t floatToFloat8Stochastic(float value, uint32_t random, unsigned exponentBits, bool isFnuz,
                                bool saturates) {
  Format format = formatOf(exponentBits, isFnuz);
  if (value != value || std::isinf(value) || value == 0)
    return encode(value, format, isFnuz, saturates, true);
  // The random bits are a fraction of one unit in the result's last place.
  int exponent = std::ilogb(value), lowest = 1 - format.bias;
  int place = (exponent < lowest ? lowest : exponent) - int(format.mantissaBits);
  double unit = std::ldexp(1.0, place), fraction = double(random) / 4294967296.0;
  double sum = std::fabs(double(value)) + unit * fraction;
  // Truncated here already, since a float would round the sum.
  double truncated = std::trunc(std::ldexp(sum, -place)) * unit;
  return encode(float(std::copysign(truncated, value)), format, isFnuz, saturates, true);
}

} // namespace tilerun::amdsim
