// The numbers behind the rules. docs/backends.md repeats them.
//
// Functions: in units of the last place of the exact result (computed in float64), over the range
// of arguments that Mathematics.cpp gives. docs/math.md has the bounds of the accurate forms, and
// where the errors of the fast ones come from.
#include "tests/matrix/Tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

struct Format {
  int mantissa, minExponent;
  double largest;
};

Format getFormat(DType type) {
  switch (type.scalar) {
  case Scalar::F8E5:
    return {2, -14, 57344};
  case Scalar::F8E4NV:
    return {3, -6, 448};
  case Scalar::F8E4B8:
    return {3, -7, 240};
  case Scalar::F8E5B16:
    return {2, -15, 57344};
  case Scalar::F8E4B15:
    return {3, -14, 1.875};
  case Scalar::F16:
    return {10, -14, 65504};
  case Scalar::BF16:
    return {7, -126, 0x1.FEp127};
  case Scalar::F64:
    return {52, -1022, 0x1.FFFFFFFFFFFFFp1023};
  default:
    return {23, -126, 0x1.FFFFFEp127};
  }
}

struct Bound {
  const char *function;
  double single;   ///< Units in the last place for float32.
  double absolute; ///< For results near zero.
};

constexpr double kTiny = 1.2e-38; // Results below float32's normal numbers may be flushed.
constexpr Bound kBounds[] = {
    // Fast forms: relative errors as the page on mathematics states them.
    {"exp", 16, kTiny},
    {"exp2", 4, kTiny},
    {"log", 3, 0},
    {"log2", 3, 0},
    {"sin", 3, 0},
    {"cos", 3, 0},
    {"sqrt", 3, 1.1e-19},
    {"rsqrt", 4, 0},
    {"sigmoid", 20, kTiny},
    {"softmax", 16, kTiny},
    {"fast_cosf", 4, 6e-7},
    {"fast_exp10f", 64, kTiny},
    {"fast_expf", 16, kTiny},
    {"fast_log10f", 4, 2e-7},
    {"fast_log2f", 4, 2e-7},
    {"fast_logf", 4, 2e-7},
    {"fast_sinf", 4, 6e-7},
    {"fast_tanf", 16, 2e-6},
    {"fast_tanhf", 16, 1e-3},
    {"fast_dividef", 3, kTiny},
    {"fast_powf", 64, 1e-6},
    {"divide", 3, 0},
    {"normal", 64, 2e-5},
};

/// Accurate forms: the bound that docs/math.md promises, plus the reference's own error.
constexpr double kAccurate = 6;

/// Those whose bounds there are larger, or absolute where the function crosses zero.
struct Special {
  const char *function;
  double single, wide, absolute;
};
constexpr Special kSpecial[] = {
    {"libdevice.cyl_bessel_i0", 6, 6, 0}, {"libdevice.cyl_bessel_i1", 6, 6, 0},
    {"libdevice.erfcinv", 5, 5, 0},       {"libdevice.erfcx", 5, 5, 0},
    {"libdevice.normcdfinv", 6, 6, 0},    {"libdevice.tgamma", 8, 8, 0},
    {"libdevice.lgamma", 6, 6, 0},        {"libdevice.j0", 9, 9, 3e-7},
    {"libdevice.j1", 9, 9, 3e-7},         {"libdevice.y0", 9, 9, 3e-7},
    {"libdevice.y1", 9, 9, 3e-7},         {"libdevice.jn", 64, 64, 2e-6},
    {"libdevice.yn", 256, 256, 2e-6},
};

} // namespace

double matrix::getEpsilon(DType type) { return std::exp2(-getFormat(type).mantissa); }
double matrix::getSmallestNormal(DType type) { return std::exp2(getFormat(type).minExponent); }
double matrix::getLargest(DType type) {
  if (type.isFloat())
    return getFormat(type).largest;
  return std::exp2(type.getBits() - (type.isSigned() ? 1 : 0)) - 1;
}

Tolerance matrix::getMathTolerance(const std::string &function, const std::string &dtype) {
  // A quotient of integers: both sides round to float32 before.
  if (dtype == "integers")
    return {Rule::Ulp, 5, 0};
  for (const Special &special : kSpecial)
    if (function == special.function)
      return {Rule::Ulp, dtype == "fp64" ? special.wide : special.single,
              dtype == "fp64" ? special.absolute * 0x1p-29 : special.absolute};
  if (function == "erf" || function.starts_with("libdevice."))
    return {Rule::Ulp, dtype == "fp64" ? 4 : kAccurate, 0};
  for (const Bound &bound : kBounds) {
    if (bound.function != function)
      continue;
    if (dtype == "fp32")
      return {Rule::Ulp, bound.single, bound.absolute};
    // float64 has the accurate form alone; a narrow float is computed in float32 and rounded.
    return {Rule::Ulp, dtype == "fp64" ? std::max(4.0, bound.single) : 1, 0};
  }
  std::abort(); // A function without a bound: an error in a table of this folder.
}

Tolerance matrix::getSumTolerance(const std::string &dtype, int64_t count) {
  // Errors of a tree or a chain of roundings, each at most half a unit.
  return {Rule::Product, 2 + std::sqrt(static_cast<double>(count)), 0};
}

Tolerance matrix::getDotTolerance(const std::string &dtype, const std::string &precision,
                                  int64_t k) {
  DType operands = type(dtype);
  if (!operands.isFloat())
    return kBits;
  double epsilon = getEpsilon(type(operands == type("fp64") ? "fp64" : "fp32"));
  // Operands are rounded to the unit's operand type; products are summed in float32.
  double rounding = std::sqrt(static_cast<double>(k)) + 4;
  if (precision == "tf32")
    rounding = std::exp2(-10) / epsilon;
  else if (precision == "tf32x3" || precision == "bf16x6")
    rounding += 8;
  else if (precision == "bf16x3")
    rounding = std::exp2(-14) / epsilon;
  else if (operands.isFp8())
    rounding = std::exp2(-12) / epsilon; // Hardware sums products of 8-bit floats with fewer bits.
  return {Rule::Product, rounding, 0};
}
