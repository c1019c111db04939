// Cells as files, for programs that compute their results in another way.
#pragma once

#include "tests/matrix/Cell.h"

namespace tilerun::matrix {

/// Writes the folder `directory`: `cells.jsonl`, a line a cell with its kernel, its arguments and
/// how results compare, and `contents`, the bytes of tensors before and after a launch on the
/// interpreter, at the offsets that the lines give. Empty on success, else the error; a cell
/// that does not run has its message in its line.
std::string exportCells(const Cells &cells, uint64_t seed, const std::string &directory);

} // namespace tilerun::matrix
