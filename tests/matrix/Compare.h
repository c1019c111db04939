// Compares a target's results with the reference, by the cell's tolerance.
#pragma once

#include "tests/matrix/Cell.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilerun::matrix {

/// Empty if they agree; else the first differing element with both values, and how many differ.
/// `expected` has the argument's dtype, or is float64 if `wide`. With `flushed`, the reference for
/// inputs whose subnormal numbers are zeros, each element may agree with either, and subnormal
/// results may be others, or zeros.
std::string compare(const Cell &cell, const TensorArgument &argument, llvm::ArrayRef<uint8_t> got,
                    llvm::ArrayRef<uint8_t> expected, bool wide,
                    llvm::ArrayRef<uint8_t> flushed = {});

} // namespace tilerun::matrix
