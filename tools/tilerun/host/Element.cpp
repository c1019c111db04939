// Conversions between elements in memory and float64. All small float formats go through one pair
// of functions that is driven by a description of the format.
#include "tools/tilerun/host/Element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

namespace {

/// How a format encodes values other than ordinary numbers.
enum class Specials {
  Ieee,         ///< All-ones exponent: infinity, NaN.
  NanAllOnes,   ///< Only S.1111.111 is NaN ("FN").
  NanMinusZero, ///< Only the pattern of minus zero is NaN ("FNUZ").
  None          ///< Every pattern is a number.
};

struct SmallFloat {
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;
  bool saturates;
  unsigned bits() const { return 1 + exponentBits + mantissaBits; }
};

constexpr SmallFloat kHalf{5, 10, 15, Specials::Ieee, false};
constexpr SmallFloat kBFloat{8, 7, 127, Specials::Ieee, false};

const SmallFloat *getSmallFloat(Scalar scalar) {
  static constexpr SmallFloat e5{5, 2, 15, Specials::Ieee, true};
  static constexpr SmallFloat e4nv{4, 3, 7, Specials::NanAllOnes, true};
  static constexpr SmallFloat e4b8{4, 3, 8, Specials::NanMinusZero, true};
  static constexpr SmallFloat e5b16{5, 2, 16, Specials::NanMinusZero, true};
  static constexpr SmallFloat e4b15{4, 3, 15, Specials::None, true};
  switch (scalar) {
  case Scalar::F16:
    return &kHalf;
  case Scalar::BF16:
    return &kBFloat;
  case Scalar::F8E5:
    return &e5;
  case Scalar::F8E4NV:
    return &e4nv;
  case Scalar::F8E4B8:
    return &e4b8;
  case Scalar::F8E5B16:
    return &e5b16;
  case Scalar::F8E4B15:
    return &e4b15;
  default:
    return nullptr;
  }
}

double decode(uint32_t pattern, const SmallFloat &f) {
  uint32_t sign = pattern >> (f.bits() - 1) & 1;
  uint32_t exponent = pattern >> f.mantissaBits & ((1u << f.exponentBits) - 1);
  uint32_t mantissa = pattern & ((1u << f.mantissaBits) - 1);
  uint32_t topExponent = (1u << f.exponentBits) - 1;
  double nan = std::numeric_limits<double>::quiet_NaN();
  if (f.specials == Specials::Ieee && exponent == topExponent) {
    double inf = std::numeric_limits<double>::infinity();
    return mantissa ? nan : sign ? -inf : inf;
  }
  if (f.specials == Specials::NanAllOnes && exponent == topExponent &&
      mantissa == (1u << f.mantissaBits) - 1)
    return nan;
  if (f.specials == Specials::NanMinusZero && sign && !exponent && !mantissa)
    return nan;
  int scale = -f.bias - static_cast<int>(f.mantissaBits);
  double magnitude = exponent == 0 ? std::ldexp(mantissa, scale + 1)
                                   : std::ldexp(mantissa | 1u << f.mantissaBits,
                                                scale + static_cast<int>(exponent));
  return sign ? -magnitude : magnitude;
}

/// The pattern of the largest finite magnitude.
uint32_t getLargest(const SmallFloat &f) {
  uint32_t all = (1u << (f.bits() - 1)) - 1;
  if (f.specials == Specials::Ieee)
    return (((1u << f.exponentBits) - 1) << f.mantissaBits) - 1;
  return f.specials == Specials::NanAllOnes ? all - 1 : all;
}

uint32_t encode(double value, const SmallFloat &f) {
  uint32_t signBit = std::signbit(value) ? 1u << (f.bits() - 1) : 0;
  uint32_t largest = getLargest(f);
  if (std::isnan(value)) {
    switch (f.specials) {
    case Specials::Ieee:
      return signBit | (((1u << f.exponentBits) - 1) << f.mantissaBits) |
             1u << (f.mantissaBits - 1);
    case Specials::NanAllOnes:
      return signBit | ((1u << (f.bits() - 1)) - 1);
    case Specials::NanMinusZero:
      return 1u << (f.bits() - 1);
    case Specials::None:
      return signBit | largest;
    }
  }
  double magnitude = std::fabs(value);
  uint32_t overflow = f.saturates ? largest : largest + 1; // largest + 1 is infinity.
  if (std::isinf(magnitude))
    return signBit | overflow;
  // In units of the last place, a number of the format is an integer; rint rounds to nearest even.
  int exponent = magnitude == 0 ? 0 : std::ilogb(magnitude) + f.bias;
  if (exponent < 1)
    exponent = 1;
  if (exponent > 1 << f.exponentBits)
    return signBit | overflow;
  double units =
      std::rint(std::ldexp(magnitude, f.bias + static_cast<int>(f.mantissaBits) - exponent));
  // A carry out of the mantissa runs into the exponent field, which is what rounding up means.
  uint64_t pattern =
      static_cast<uint64_t>(units) + (static_cast<uint64_t>(exponent - 1) << f.mantissaBits);
  if (pattern > largest)
    return signBit | overflow;
  if (pattern == 0 && f.specials == Specials::NanMinusZero)
    return 0; // There is no minus zero.
  return signBit | static_cast<uint32_t>(pattern);
}

template <typename T> T readAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
template <typename T> void writeAs(uint8_t *bytes, T value) {
  std::memcpy(bytes, &value, sizeof(T));
}

bool isIntegerScalar(Scalar scalar) { return dtype(scalar).isInt(); }

} // namespace

unsigned host::getElementBytes(DType dtype) {
  if (dtype.isPointer())
    return 8;
  if (dtype.scalar == Scalar::Int1)
    return 1;
  return dtype.getBits() / 8;
}

double host::loadElement(const uint8_t *bytes, Scalar scalar) {
  if (isIntegerScalar(scalar))
    return static_cast<double>(loadInteger(bytes, scalar));
  if (scalar == Scalar::F32)
    return readAs<float>(bytes);
  if (scalar == Scalar::F64)
    return readAs<double>(bytes);
  if (const SmallFloat *format = getSmallFloat(scalar))
    return decode(format->bits() == 8 ? bytes[0] : readAs<uint16_t>(bytes), *format);
  return 0;
}

__int128 host::loadInteger(const uint8_t *bytes, Scalar scalar) {
  switch (scalar) {
  case Scalar::Int1:
    return bytes[0] != 0;
  case Scalar::Int8:
    return readAs<int8_t>(bytes);
  case Scalar::Int16:
    return readAs<int16_t>(bytes);
  case Scalar::Int32:
    return readAs<int32_t>(bytes);
  case Scalar::Int64:
    return readAs<int64_t>(bytes);
  case Scalar::UInt8:
    return readAs<uint8_t>(bytes);
  case Scalar::UInt16:
    return readAs<uint16_t>(bytes);
  case Scalar::UInt32:
    return readAs<uint32_t>(bytes);
  case Scalar::UInt64:
    return readAs<uint64_t>(bytes);
  default:
    return static_cast<__int128>(loadElement(bytes, scalar));
  }
}

void host::storeElement(uint8_t *bytes, Scalar scalar, double value) {
  if (scalar == Scalar::Int1) {
    bytes[0] = value != 0;
  } else if (isIntegerScalar(scalar)) {
    // Beyond 2^96 every bit that an integer type keeps is zero.
    bool representable = std::isfinite(value) && std::fabs(value) < 0x1p96;
    storeInteger(bytes, scalar, representable ? static_cast<__int128>(value) : 0);
  } else if (scalar == Scalar::F32) {
    // Out of range becomes infinity, as in an IEEE conversion; the cast alone would be undefined.
    float narrow = std::fabs(value) > 0x1.ffffffp127 && std::isfinite(value)
                       ? std::copysign(std::numeric_limits<float>::infinity(),
                                       static_cast<float>(std::signbit(value) ? -1 : 1))
                       : static_cast<float>(value);
    writeAs(bytes, narrow);
  } else if (scalar == Scalar::F64) {
    writeAs(bytes, value);
  } else if (const SmallFloat *format = getSmallFloat(scalar)) {
    uint32_t pattern = encode(value, *format);
    if (format->bits() == 8)
      bytes[0] = static_cast<uint8_t>(pattern);
    else
      writeAs(bytes, static_cast<uint16_t>(pattern));
  }
}

void host::storeInteger(uint8_t *bytes, Scalar scalar, __int128 value) {
  if (scalar == Scalar::Int1) {
    bytes[0] = value != 0;
  } else if (isIntegerScalar(scalar)) {
    uint64_t low = static_cast<uint64_t>(value);
    std::memcpy(bytes, &low,
                getElementBytes(dtype(scalar))); // Little endian, as the build asserts.
  } else {
    storeElement(bytes, scalar, static_cast<double>(value));
  }
}
static_assert(std::endian::native == std::endian::little, "host tensors are little endian");

bool host::fitsInteger(Scalar scalar, __int128 value) {
  if (!isIntegerScalar(scalar))
    return true;
  if (scalar == Scalar::Int1)
    return value == 0 || value == 1;
  uint8_t bytes[8] = {};
  storeInteger(bytes, scalar, value);
  return loadInteger(bytes, scalar) == value;
}

double host::roundTo(double value, Scalar scalar) {
  uint8_t bytes[8] = {};
  storeElement(bytes, scalar, value);
  return loadElement(bytes, scalar);
}
