// What is wrong with a tensor, beyond how much: its errors by size, by the program that wrote the
// element, and on a map of the tensor. Text, JSON and pictures are made from it.
#pragma once

#include "tools/tilerun/host/Compare.h"
#include "tools/tilerun/host/MapShape.h"

#include <array>

namespace tilerun::host {

/// Which program of a launch wrote each byte of a storage last.
struct Writers {
  struct Run {
    uint64_t begin, bytes;
    uint64_t program; ///< Linear index.
  };
  std::vector<Run> runs; ///< By address; nobody wrote what is between.
  bool complete = true;  ///< False: what is behind the last run is not known.

  std::optional<uint64_t> find(uint64_t byte) const;
};

/// The elements whose error is in [from, to). The first bin is of equal elements (0 to 0), the last
/// of those where a NaN or an infinity is or should be (both infinite).
struct ErrorBin {
  double from, to;
  int64_t elements = 0;
  int64_t mismatches = 0; ///< Of them, outside the tolerance.
};

/// The elements that one program wrote last, or nobody.
struct ProgramErrors {
  std::optional<uint64_t> program;
  int64_t elements = 0, mismatches = 0;
  int64_t first = 0; ///< Position of the first mismatch.
};

/// What the elements of each cell are like.
struct TensorMap : MapShape {
  struct Cell {
    int64_t elements = 0, mismatches = 0;
    int64_t first = -1, last = -1; ///< Positions of its first and last element.
    /// Of its first mismatch, or else of its first element.
    std::optional<uint64_t> program;
  };
  std::vector<Cell> cells; ///< Row by row.
};

struct MismatchReport {
  /// Ascending; by powers of ten, without empty ends. At most twelve of them, and one for all
  /// errors that are smaller.
  std::vector<ErrorBin> histogram;
  /// If it is known who wrote what.
  bool hasPrograms = false;
  std::vector<ProgramErrors> programs;  ///< With mismatches, ascending; those of nobody last.
  std::optional<uint64_t> firstProgram; ///< That wrote the first mismatch.
  TensorMap map;
};

/// `forEach` calls its argument for each element, as forEachError does. `writers` is of the
/// tensor's storage; null: not known.
using ForEachError = llvm::function_ref<void(llvm::function_ref<void(const ElementError &)>)>;
MismatchReport analyzeMismatch(const Tensor &tensor, ForEachError forEach, const Writers *writers,
                               MapSize mapSize = kTextMap);

/// "0", "1e-3 to 1e-2", "NaN, infinity"
std::string describe(const ErrorBin &bin);
/// One letter for a cell: that of the program, in upper case where an element is wrong. '.' and '!'
/// for memory that nobody wrote; '-' and 'X' where it is not known who did; a space for a cell
/// behind the end.
char getLetter(const TensorMap::Cell &cell, bool hasPrograms);

} // namespace tilerun::host
