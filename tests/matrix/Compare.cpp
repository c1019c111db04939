// Comparison by rule.
#include "tests/matrix/Compare.h"

#include "tests/matrix/Tolerance.h"
#include "tools/tilerun/host/Compare.h"

#include <cmath>
#include <cstring>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

/// Whether `got`, of dtype `type`, is within `bound` units in the last place of `expected`.
bool isNear(double got, double expected, DType type, const Tolerance &tolerance) {
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) == std::isnan(got);
  if (got == expected)
    return true;
  double largest = getLargest(type), epsilon = getEpsilon(type);
  if (std::isinf(expected) || std::fabs(expected) > largest * (1 - tolerance.bound * epsilon))
    // Beyond the range: infinity, or the result of rounding and saturation.
    return std::signbit(got) == std::signbit(expected) &&
           std::fabs(got) >= largest * (1 - 2 * tolerance.bound * epsilon);
  double difference = std::fabs(got - expected);
  double normal = std::max(std::fabs(expected), getSmallestNormal(type));
  double unit = std::exp2(std::floor(std::log2(normal))) * epsilon;
  return difference <= tolerance.bound * unit || difference <= tolerance.absolute;
}

std::string describe(double got, double expected, DType type, DType expectedType, size_t position,
                     size_t differing, size_t count, const std::string &note) {
  return "element " + std::to_string(position) + " is " + host::formatElement(got, type) +
         ", expected " + host::formatElement(expected, expectedType) + note + " (" +
         std::to_string(differing) + " of " + std::to_string(count) + " differ)";
}

} // namespace

std::string matrix::compare(const Cell &cell, const TensorArgument &argument,
                            llvm::ArrayRef<uint8_t> got, llvm::ArrayRef<uint8_t> expected,
                            bool wide, llvm::ArrayRef<uint8_t> flushed) {
  DType type = argument.type, expectedType = wide ? dtype(Scalar::F64) : type;
  Tolerance tolerance = argument.exact ? kValue : cell.tolerance;
  if (!type.isFloat() && tolerance.rule != Rule::Product)
    tolerance = kBits;
  unsigned size = host::getElementBytes(type), expectedSize = host::getElementBytes(expectedType);
  size_t count = static_cast<size_t>(argument.count);
  auto getGot = [&](size_t i) { return host::loadElement(got.data() + i * size, type.scalar); };
  auto getExpected = [&](size_t i) {
    return host::loadElement(expected.data() + i * expectedSize, expectedType.scalar);
  };

  // The limit of one difference, for products.
  double limit = 0, norm = 0, error = 0;
  if (tolerance.rule == Rule::Product) {
    for (size_t i = 0; i < count; ++i)
      if (double value = getExpected(i); std::isfinite(value))
        norm += value * value;
    norm = std::sqrt(norm / double(std::max<size_t>(count, 1)));
    // The rounding of the sum, and half a unit of the dtype that it is stored in.
    double epsilon = getEpsilon(type == dtype(Scalar::F64) ? type : dtype(Scalar::F32));
    limit = tolerance.bound * epsilon + (type.getBits() < 32 ? getEpsilon(type) : 0);
  }

  auto agrees = [&](size_t i, llvm::ArrayRef<uint8_t> reference) {
    const uint8_t *bytes = reference.data() + i * expectedSize;
    if (!wide && std::memcmp(got.data() + i * size, bytes, size) == 0)
      return true;
    double a = getGot(i), b = host::loadElement(bytes, expectedType.scalar);
    switch (tolerance.rule) {
    case Rule::Bits:
      return false;
    case Rule::Value:
      return std::isnan(a) && std::isnan(b);
    case Rule::Number:
      return a == b || (std::isnan(a) && std::isnan(b));
    case Rule::Ulp:
      return isNear(a, b, type, tolerance);
    case Rule::Product:
      return a == b || (std::isnan(a) && std::isnan(b)) ||
             std::fabs(a - b) <= 6 * limit * std::max(norm, std::fabs(b));
    }
    return false;
  };
  // A subnormal number, of which a zero or another may be made; the least normal one is what a
  // narrower type may round it to.
  auto isTiny = [&](size_t i) {
    if (!type.isFloat())
      return false;
    double a = getGot(i), b = getExpected(i), least = getSmallestNormal(type);
    return std::fabs(a) <= least && std::fabs(b) <= least && (a != 0 || b != 0);
  };
  size_t differing = 0, first = 0;
  for (size_t i = 0; i < count; ++i) {
    bool same = agrees(i, expected);
    if (tolerance.rule == Rule::Product)
      if (double difference = getGot(i) - getExpected(i); std::isfinite(difference))
        error += difference * difference;
    if (!same && !flushed.empty())
      same = agrees(i, flushed) || isTiny(i);
    if (!same && differing++ == 0)
      first = i;
  }
  if (differing)
    return "'" + argument.name + "': " +
           describe(getGot(first), getExpected(first), type, expectedType, first, differing, count,
                    tolerance.rule == Rule::Ulp
                        ? " within " + std::to_string(int(tolerance.bound)) + " ulp"
                        : "");
  error = std::sqrt(error / double(std::max<size_t>(count, 1)));
  if (tolerance.rule == Rule::Product && error > 2 * limit * norm)
    return "'" + argument.name + "': the norm of the differences is " +
           std::to_string(error / norm) + " of the result's, " + std::to_string(2 * limit) +
           " is allowed";
  return "";
}
