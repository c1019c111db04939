// The functions under test: one list for accuracy, special values and documentation.
#pragma once

#include "ir/math/Calculator.h"
#include "tests/ir/math/Compiled.h"

#include <limits>
#include <string>
#include <vector>

namespace tilerun::harness {

struct MathFunction {
  std::string name; ///< As in docs/math.md.
  std::string op;
  double (*single)(double, double);              ///< Reference for float32.
  long double (*wide)(long double, long double); ///< Reference for float64.
  unsigned operands = 1;
  /// Where arguments are interesting; the others are any bit patterns.
  double low = -100, high = 100;
  /// For functions without an op.
  mathx::Real (*composed)(mathx::Real, mathx::Real) = nullptr;
  /// Where the function crosses zero: errors count in units of the last place of this, if the
  /// result is less.
  double (*floor)(double) = nullptr;
};

const std::vector<MathFunction> &mathFunctions();

/// Distance in units of the last place of the type at `expected`; infinite where one is NaN and the
/// other not. An infinite result counts as the number after the largest.
/// A result below `floor` counts as that.
template <class F, class Wide> double ulps(F got, Wide expected, double floor = 0);
extern template double ulps(float, double, double);
extern template double ulps(double, long double, double);

/// Whether a subnormal result became a zero, or the smallest normal number.
template <class F, class Wide> bool isFlushed(F got, Wide expected) {
  constexpr F smallest = std::numeric_limits<F>::min();
  return expected < smallest && expected > -smallest && got <= smallest && got >= -smallest;
}

/// A function of the list, and how the instructions that it starts from err.
struct Case {
  size_t function;
  Errors estimates;
};
std::vector<Case> allCases();
std::string nameOf(const Case &test);

/// Zeros, ones, infinities, NaN, the ends of the ranges of normal and subnormal numbers, and more.
template <class F> std::vector<F> specialValues();
extern template std::vector<float> specialValues();
extern template std::vector<double> specialValues();

} // namespace tilerun::harness
