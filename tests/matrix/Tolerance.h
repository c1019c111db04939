// The one place that says how far a result may be from its reference.
#pragma once

#include "tests/matrix/Cell.h"

namespace tilerun::matrix {

// Rules without a number.
/// Moves: loads, stores, shapes, bitcasts, integers.
inline constexpr Tolerance kBits{Rule::Bits, 0, 0};
/// Arithmetic that IEEE 754 defines to the last bit, and conversions.
inline constexpr Tolerance kValue{Rule::Value, 0, 0};
/// The same where the sign of zero is open (maximum, minimum).
inline constexpr Tolerance kNumber{Rule::Number, 0, 0};

/// Functions with a bound, by name ("exp", "libdevice.exp") and dtype. A function that is not in
/// the table has no cell.
Tolerance getMathTolerance(const std::string &function, const std::string &dtype);

/// Sums and products along an axis of `count` elements, of inputs without cancellation.
Tolerance getSumTolerance(const std::string &dtype, int64_t count);

/// A matrix product with `k` terms a sum; `precision` is that of float32 operands.
Tolerance getDotTolerance(const std::string &dtype, const std::string &precision, int64_t k);

/// Distance from one value of a float type to the next at 1.
double getEpsilon(DType type);
/// Smallest positive normal value.
double getSmallestNormal(DType type);
/// Largest finite value.
double getLargest(DType type);

} // namespace tilerun::matrix
