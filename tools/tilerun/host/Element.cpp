// Conversions between elements in memory and float64.
#include "tools/tilerun/host/Element.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;
using llvm::APFloat;

namespace {

/// LLVM's semantics of a float of 8 or 16 bits; null for other types. LLVM has no e4b15, which is
/// e4nv with a bias that is larger by 8, where the pattern of NaN is a number.
const llvm::fltSemantics *getSmallFloat(Scalar scalar) {
  switch (scalar) {
  case Scalar::F16:
    return &APFloat::IEEEhalf();
  case Scalar::BF16:
    return &APFloat::BFloat();
  case Scalar::F8E5:
    return &APFloat::Float8E5M2();
  case Scalar::F8E4NV:
  case Scalar::F8E4B15:
    return &APFloat::Float8E4M3FN();
  case Scalar::F8E4B8:
    return &APFloat::Float8E4M3FNUZ();
  case Scalar::F8E5B16:
    return &APFloat::Float8E5M2FNUZ();
  default:
    return nullptr;
  }
}

constexpr double kB15Scale = 0x1p-8, kB15Largest = 1.875;
constexpr uint32_t kB15LargestPattern = 0x7f;

double decode(uint32_t pattern, const llvm::fltSemantics &semantics, bool isB15) {
  if (isB15 && (pattern & 0x7f) == kB15LargestPattern)
    return pattern >> 7 ? -kB15Largest : kB15Largest;
  APFloat number(semantics, llvm::APInt(APFloat::getSizeInBits(semantics), pattern));
  return number.convertToDouble() * (isB15 ? kB15Scale : 1);
}

/// Rounds to nearest even. Floats of 8 bits saturate, those of 16 become infinite.
uint32_t encode(double value, const llvm::fltSemantics &semantics, bool isB15) {
  const bool isNegative = std::signbit(value);
  APFloat number(isB15 ? value / kB15Scale : value);
  bool losesInfo = false;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (!number.isFinite() && isB15)
    return isNegative << 7 | kB15LargestPattern;
  if (std::isnan(value))
    number = APFloat::getNaN(semantics, isNegative);
  else if (!number.isFinite() && APFloat::getSizeInBits(semantics) == 8)
    number = APFloat::getLargest(semantics, isNegative);
  return static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
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
  if (const llvm::fltSemantics *format = getSmallFloat(scalar))
    return decode(getElementBytes(dtype(scalar)) == 1 ? bytes[0] : readAs<uint16_t>(bytes), *format,
                  scalar == Scalar::F8E4B15);
  return 0;
}

__int128 host::loadInteger(const uint8_t *bytes, Scalar scalar) {
  const DType type = dtype(scalar);
  if (!type.isInt())
    return static_cast<__int128>(loadElement(bytes, scalar));
  if (type.isBool())
    return bytes[0] != 0;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, getElementBytes(type));
  return type.isUnsigned() ? __int128(bits) : llvm::SignExtend64(bits, type.getBits());
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
  } else if (const llvm::fltSemantics *format = getSmallFloat(scalar)) {
    const uint32_t pattern = encode(value, *format, scalar == Scalar::F8E4B15);
    std::memcpy(bytes, &pattern, getElementBytes(dtype(scalar)));
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
