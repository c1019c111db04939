// Compares what a kernel wrote with what was expected.
#pragma once

#include "tools/tilerun/host/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilerun::host {

/// An element matches if |got - expected| <= atol + rtol * |expected|. NaN matches NaN, an infinity
/// matches itself.
struct Tolerance {
  double rtol = 0, atol = 0;
};
/// The accuracy of a correct kernel of that output type against float64: exact for integers.
Tolerance getDefaultTolerance(DType dtype);

/// What an element of a tensor is compared with.
struct ElementError {
  int64_t position; ///< Row-major.
  uint64_t at;      ///< Byte offset in the tensor's storage.
  /// |got - expected|; infinite where they differ and one of them is not a number or not finite.
  double error;
  bool matches;
};
/// All elements in row-major order. `expected` must have the tensor's shape.
void forEachError(const Tensor &got, const Array &expected, Tolerance tolerance,
                  llvm::function_ref<void(const ElementError &)> each);
void forEachError(const Tensor &got, const Tensor &expected,
                  llvm::function_ref<void(const ElementError &)> each);

struct Comparison {
  int64_t count = 0;      ///< Elements compared.
  int64_t mismatches = 0; ///< Of them outside the tolerance.
  int64_t nans = 0;       ///< Of these: NaN where a number was expected, or the reverse.
  int64_t infinities = 0; ///< Of these: infinite where another number was expected, or the reverse.
  double maxAbsError = 0; ///< Over elements where both are finite.
  /// max of |got - expected| / max(|expected|, root mean square of the expected values): relative
  /// to the element, except near zero, where cancellation makes that meaningless.
  double maxRelError = 0;
  std::optional<int64_t> first; ///< Row-major position of the first mismatch.
  std::string got, expected;    ///< Its values.
  bool ok() const { return mismatches == 0; }
};

/// `expected` must have the tensor's shape.
Comparison compareTensor(const Tensor &got, const Array &expected, Tolerance tolerance);
/// Two integer tensors of one shape, exactly (float64 cannot tell large int64 values apart).
Comparison compareIntegers(const Tensor &got, const Tensor &expected);

/// A number as short as it can be and still exact in the dtype: "0.1", "-inf", "3".
std::string formatElement(double value, DType dtype);

/// The elements of a tensor of at most two dimensions as comma-separated values: a line for each
/// row, or for each element of one dimension.
std::string formatCsv(const Tensor &tensor);

/// Prints a tensor like NumPy: nested brackets, long dimensions cut to their ends.
void printTensor(llvm::raw_ostream &os, const Tensor &tensor);

} // namespace tilerun::host
