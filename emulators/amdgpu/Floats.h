// Conversions between floating-point formats, bit by bit where the host's would round twice. All
// round to the nearest even value unless they say otherwise.
#ifndef TILERUN_EMULATORS_AMDGPU_FLOATS_H
#define TILERUN_EMULATORS_AMDGPU_FLOATS_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilerun::amdsim {

inline float halfToFloat(uint16_t bits) { return float(std::bit_cast<_Float16>(bits)); }
inline uint16_t floatToHalf(float value) { return std::bit_cast<uint16_t>(_Float16(value)); }

// The float next to zero from `value` with its last bit set if that lost something: rounding the
// result to a narrower format gives what rounding `value` would have given.
inline float roundToOdd(double value) {
  float near = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(near);
  bool isInexact = double(near) != value, isBeyond = std::fabs(double(near)) > std::fabs(value);
  uint32_t odd = (bits - isBeyond) | 1;
  return std::bit_cast<float>(isInexact && value == value ? odd : bits);
}
inline uint16_t doubleToHalf(double value) { return floatToHalf(roundToOdd(value)); }

// Toward zero: what v_cvt_pkrtz_f16_f32 does; a finite value never becomes infinite.
inline uint16_t floatToHalfTowardZero(float value) {
  uint16_t near = floatToHalf(value);
  float back = halfToFloat(near);
  bool isBeyond = std::fabs(back) > std::fabs(value);
  return uint16_t(near - isBeyond);
}

// Subnormals as zeros of their sign.
inline float flushed(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
inline uint32_t flushed16(uint32_t bits) { return bits & 0x7c00 ? bits & 0xffff : bits & 0x8000; }

inline float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return uint16_t(value == value ? rounded : (bits >> 16 | 0x40));
}

// 8-bit floats: `exponentBits` 4 or 5, either kind (Target.h): fnuz has one more bias, no negative
// zero and the NaN 0x80; ocp is IEEE's scheme, but e4m3 has no infinities.
float float8ToFloat(uint8_t bits, unsigned exponentBits, bool isFnuz);
// Overflow gives NaN (fnuz, e4m3) or infinity (ocp e5m2) unless `saturates`.
uint8_t floatToFloat8(float value, unsigned exponentBits, bool isFnuz, bool saturates);
// Stochastic rounding: adds `random`'s high bits below the last place, then truncates.
uint8_t floatToFloat8Stochastic(float value, uint32_t random, unsigned exponentBits, bool isFnuz,
                                bool saturates);

// Conversions to integers saturate; NaN gives 0.
inline int32_t toI32(double value) {
  double limited = value < -2147483648.0  ? -2147483648.0
                   : value > 2147483647.0 ? 2147483647.0
                                          : value;
  return int32_t(value == value ? limited : 0);
}
inline int16_t saturate16(int32_t value) {
  return int16_t(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}
inline uint32_t toU32(double value) {
  double limited = value < 0 ? 0 : value > 4294967295.0 ? 4294967295.0 : value;
  return uint32_t(int64_t(value == value ? limited : 0));
}

// The smaller and the larger number (IEEE 754's minNum, with -0 below +0): a NaN only if both are.
template <class T> inline T minimumNumber(T a, T b) {
  T less = a < b || (a == b && std::signbit(a)) ? a : b;
  return a != a ? b : b != b ? a : less;
}
template <class T> inline T maximumNumber(T a, T b) {
  T more = a > b || (a == b && !std::signbit(a)) ? a : b;
  return a != a ? b : b != b ? a : more;
}
// The same, but a NaN if one is (v_minimum, v_maximum).
template <class T> inline T minimumNan(T a, T b) {
  return a != a ? a : b != b ? b : minimumNumber(a, b);
}
template <class T> inline T maximumNan(T a, T b) {
  return a != a ? a : b != b ? b : maximumNumber(a, b);
}
template <class T> inline T medianNumber(T a, T b, T c) {
  T low = minimumNumber(a, b), high = maximumNumber(a, b);
  T middle = maximumNumber(low, minimumNumber(high, c));
  return a != a || b != b || c != c ? minimumNumber(minimumNumber(a, b), c) : middle;
}
template <class T> inline T median(T a, T b, T c) {
  T low = a < b ? a : b, high = a < b ? b : a;
  T limited = c < high ? c : high;
  return limited > low ? limited : low;
}

} // namespace tilerun::amdsim

#endif
