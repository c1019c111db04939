// Contents of tensors: random numbers with special values, a pure function of seed and names.
#pragma once

#include "tests/matrix/Cell.h"

namespace tilerun::matrix {

/// The contents of one argument of a cell.
std::vector<uint8_t> makeContents(const Cell &cell, const TensorArgument &argument, uint64_t seed);

/// The same numbers as float64, for the wide reference.
std::vector<uint8_t> widen(const TensorArgument &argument, const std::vector<uint8_t> &bytes);

/// Whether the wide reference has this argument as float64.
bool isWidened(DType type);

} // namespace tilerun::matrix
