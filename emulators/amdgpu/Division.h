// The steps of an exact division, as the instruction set's public description has them: v_div_scale
// scales the operands, v_div_fmas makes the quotient of them (one rounding, also where it is scaled
// back), v_div_fixup puts the special cases right.
#ifndef TILERUN_EMULATORS_AMDGPU_DIVISION_H
#define TILERUN_EMULATORS_AMDGPU_DIVISION_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tilerun::amdsim {

template <class T> struct Division;
template <> struct Division<float> {
  using Bits = uint32_t;
  static constexpr int fieldBits = 8, mantissaBits = 23, scale = 64, far = 96, tiny = 23,
                       bias = 127, overflow = 128, underflow = -150;
};
template <> struct Division<double> {
  using Bits = uint64_t;
  static constexpr int fieldBits = 11, mantissaBits = 52, scale = 128, far = 768, tiny = 53,
                       bias = 1023, overflow = 1024, underflow = -1075;
};
// The exponent's field: 0 for zeros and subnormals.
template <class T> int biased(T value) {
  using D = Division<T>;
  return int(std::bit_cast<typename D::Bits>(value) >> D::mantissaBits) & ((1 << D::fieldBits) - 1);
}
template <class T> bool isSubnormal(T value) { return value != 0 && biased(value) == 0; }

// 2^n for |n| small enough to be a normal number.
inline double power(int n) { return std::bit_cast<double>(uint64_t(1023 + n) << 52); }
inline float scaleByPower(float value, int n) {
  n = std::clamp(n, -400, 400); // exact in a double: one rounding
  return float(double(value) * power(n));
}
inline double scaleByPower(double value, int n) {
  return std::ldexp(value, std::clamp(n, -5000, 5000));
}

// `a` is the denominator b or the numerator c; it is scaled where the quotient's steps would
// overflow or lose bits, and `m` says that the quotient must be scaled back.
template <class T> T divisionScale(T a, T b, T c, bool &m) {
  using D = Division<T>;
  auto scaled = [&](int n) { return scaleByPower(a, n); };
  bool isDenominator = std::bit_cast<typename D::Bits>(a) == std::bit_cast<typename D::Bits>(b);
  bool isNumerator = std::bit_cast<typename D::Bits>(a) == std::bit_cast<typename D::Bits>(c);
  m = false;
  if (b == 0 || c == 0)
    return std::numeric_limits<T>::quiet_NaN();
  if (biased(c) - biased(b) >= D::far) {
    m = true;
    return isDenominator ? scaled(D::scale) : a;
  }
  if (isSubnormal(b))
    return scaled(D::scale);
  bool reciprocalIsSmall = isSubnormal(T(1) / b), quotientIsSmall = isSubnormal(c / b);
  // The description scales up here, too; a denominator whose reciprocal is subnormal would become
  // infinite by that, and v_div_fmas scales a small quotient down, which is right for this.
  if (reciprocalIsSmall && quotientIsSmall) {
    m = true;
    return isDenominator ? scaled(-D::scale) : a;
  }
  if (reciprocalIsSmall)
    return scaled(-D::scale);
  if (quotientIsSmall) {
    m = true;
    return isNumerator ? scaled(D::scale) : a;
  }
  return biased(c) <= D::tiny ? scaled(D::scale) : a;
}

// (a * b + c) * 2^n with one rounding (Division.cpp). The operands are finite.
float fusedScaled(float a, float b, float c, int n);
double fusedScaled(double a, double b, double c, int n);

template <class T> T divisionFmas(T a, T b, T c, bool isScaled) {
  using D = Division<T>;
  if (!isScaled)
    return std::fma(a, b, c);
  int n = biased(c) > D::bias ? D::scale : -D::scale;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
    return scaleByPower(std::fma(a, b, c), n);
  return fusedScaled(a, b, c, n);
}

// The quotient a of c / b, with the special cases put right: also quotients so large or so small
// that the steps before gave something else.
template <class T> T divisionFixup(T a, T b, T c) {
  T sign = std::signbit(b) != std::signbit(c) ? T(-1) : T(1);
  if (c != c)
    return c;
  if (b != b)
    return b;
  if ((b == 0 && c == 0) || (std::isinf(b) && std::isinf(c)))
    return -std::numeric_limits<T>::quiet_NaN();
  if (b == 0 || std::isinf(c))
    return sign * std::numeric_limits<T>::infinity();
  if (std::isinf(b) || c == 0)
    return sign * T(0);
  return std::copysign(a, sign);
}
template <class T> T wideDivisionFixup(T a, T b, T c) {
  using D = Division<T>;
  bool isRegular = std::isfinite(b) && std::isfinite(c) && b != 0 && c != 0;
  int difference = biased(c) - biased(b);
  if (isRegular && difference > D::overflow)
    a = std::numeric_limits<T>::infinity();
  if (isRegular && difference < D::underflow)
    a = 0;
  return divisionFixup(a, b, c);
}

} // namespace tilerun::amdsim

#endif
