// Arithmetic on float64 arrays, for `--expect` expressions. Plain loops, NumPy's
// broadcasting, no dtype rules: everything is computed in float64.
#pragma once

#include "tools/tilerun/host/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tilerun::host {

/// The common shape under NumPy's broadcasting; an error names both.
llvm::Expected<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// The elements of `array` at `start` and the multiples of `strides` behind it, as an array of this
/// shape.
llvm::Expected<Array> gather(const Array &array, llvm::ArrayRef<int64_t> shape, Shape strides,
                             int64_t start = 0);
llvm::Expected<Array> broadcastTo(const Array &array, llvm::ArrayRef<int64_t> shape);

using UnaryFn = double (*)(double);
using BinaryFn = double (*)(double, double);

Array mapElements(Array array, UnaryFn fn);
llvm::Expected<Array> mapElements(const Array &a, const Array &b, BinaryFn fn);
llvm::Expected<Array> selectElements(const Array &condition, const Array &a, const Array &b);

enum class Reduction { Sum, Mean, Var, Std, Prod, Max, Min, ArgMax, ArgMin, Any, All };

/// Over one axis (negative: from the end), or all of them. `var` divides by n - correction. An
/// empty max or min is an error.
llvm::Expected<Array> reduce(const Array &array, Reduction kind, std::optional<int64_t> axis,
                             bool keepDims, double correction);
llvm::Expected<Array> cumulativeSum(const Array &array, int64_t axis);
/// Each line along the axis in order, or, with `positions`, where its elements were; equal elements
/// keep their order, and NaN counts as the largest, as in PyTorch.
llvm::Expected<Array> sort(const Array &array, int64_t axis, bool descending, bool positions);
llvm::Expected<Array> softmax(const Array &array, int64_t axis, bool logarithm);

/// 1-D and 2-D operands, and batches of 2-D ones with broadcasting, as in NumPy.
llvm::Expected<Array> matmul(const Array &a, const Array &b);

llvm::Expected<Array> transpose(const Array &array, llvm::ArrayRef<int64_t> order);
/// One dimension may be -1.
llvm::Expected<Shape> resolveReshape(int64_t elements, llvm::ArrayRef<int64_t> shape);
llvm::Expected<Array> concatenate(llvm::ArrayRef<Array> arrays, int64_t axis);

/// The axes of a permutation in [0, rank); an error if it is not one.
llvm::Expected<Shape> normalizePermutation(llvm::ArrayRef<int64_t> order, size_t rank);
/// An axis in [0, rank), counted from the end if negative.
llvm::Expected<int64_t> normalizeAxis(int64_t axis, size_t rank);

} // namespace tilerun::host
