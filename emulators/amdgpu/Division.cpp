// Fused multiply-add and scaling with one rounding, in integers.
#include "emulators/amdgpu/Division.h"

#include <cfenv>

namespace tilerun::amdsim {
namespace {

using Wide = unsigned __int128;

// `magnitude` * 2^exponent. Where bits were lost below, the lowest one is set.
struct Exact {
  bool isNegative;
  Wide magnitude;
  int exponent;

  static Exact of(double value) {
    int exponent = 0;
    double fraction = std::frexp(std::fabs(value), &exponent);
    return {std::signbit(value), Wide(uint64_t(std::ldexp(fraction, 53))), exponent - 53};
  }
  static int width(Wide value) {
    auto high = uint64_t(value >> 64);
    return high ? 128 - std::countl_zero(high) : 64 - std::countl_zero(uint64_t(value));
  }
  static Wide shiftRight(Wide value, int by) {
    if (by <= 0)
      return value;
    if (by >= 128)
      return value != 0;
    Wide kept = value >> by;
    return kept | Wide((kept << by) != value);
  }
  // With the highest bit at 125: a sum of two fits.
  void normalize() {
    int shift = magnitude ? 126 - width(magnitude) : 0;
    magnitude <<= shift, exponent -= shift;
  }
  Exact operator*(const Exact &other) const {
    return {isNegative != other.isNegative, magnitude * other.magnitude, exponent + other.exponent};
  }
  Exact operator+(const Exact &other) const {
    Exact a = *this, b = other;
    if (!a.magnitude || !b.magnitude)
      return a.magnitude ? a : b;
    a.normalize(), b.normalize();
    if (a.exponent < b.exponent)
      std::swap(a, b);
    b.magnitude = shiftRight(b.magnitude, a.exponent - b.exponent);
    if (a.isNegative == b.isNegative)
      return {a.isNegative, a.magnitude + b.magnitude, a.exponent};
    bool isLess = a.magnitude < b.magnitude;
    return {isLess ? b.isNegative : a.isNegative,
            isLess ? b.magnitude - a.magnitude : a.magnitude - b.magnitude, a.exponent};
  }
  // Whether the host's rounding makes the magnitude greater: of the last bit and the two below it,
  // the lower one sticky.
  bool roundsUp(unsigned last) const {
    switch (std::fegetround()) {
    case FE_UPWARD:
      return (last & 3) && !isNegative;
    case FE_DOWNWARD:
      return (last & 3) && isNegative;
    case FE_TOWARDZERO:
      return false;
    default:
      return (last & 3) == 3 || ((last & 3) == 2 && (last & 4));
    }
  }
  // To a number of `precision` bits whose last one is not below 2^least.
  double round(int precision, int least) const {
    int drop = std::max(width(magnitude) - precision, least - exponent);
    Wide kept = magnitude;
    if (drop > 0) {
      Wide sticky =
          shiftRight(magnitude, drop - 2); // two bits below the last, the lower one sticky
      if (drop == 1)
        sticky = magnitude << 1;
      kept = (sticky >> 2) + Wide(roundsUp(unsigned(sticky & 7)));
    } else {
      drop = 0;
    }
    auto value = double(int64_t(kept)); // an unsigned 0 would be -0 where the host rounds downward
    return std::ldexp(isNegative ? -value : value, exponent + drop);
  }
};

double fused(double a, double b, double c, int n, int precision, int least) {
  Exact product = Exact::of(a) * Exact::of(b), sum = product + Exact::of(c);
  if (!sum.magnitude)
    return std::fma(a, b, c); // a zero with its sign
  sum.exponent += n;
  return sum.round(precision, least);
}

} // namespace

float fusedScaled(float a, float b, float c, int n) { return float(fused(a, b, c, n, 24, -149)); }
double fusedScaled(double a, double b, double c, int n) { return fused(a, b, c, n, 53, -1074); }

} // namespace tilerun::amdsim
