// How a tensor of any size is shown as rows and columns of cells, and how programs are named there.
// Maps of mismatches and of accesses are made with it.
#pragma once

#include "tools/tilerun/host/Tensor.h"

#include <array>

namespace tilerun::host {

struct MapSize {
  size_t rows, columns;
};
inline constexpr MapSize kTextMap = {24, 64}, kPictureMap = {48, 64};

/// The tensor as rows of its last dimension (a tensor of one dimension is folded), of which each
/// cell covers a rectangle.
struct MapShape {
  int64_t rowLength = 1;                 ///< Elements of a row.
  int64_t cellRows = 1, cellColumns = 1; ///< Of one cell.
  size_t rows = 0, columns = 0;          ///< Cells.

  /// The cell that the element at a position belongs to; cells are counted row by row.
  size_t findCell(int64_t position) const {
    const int64_t row = position / rowLength, column = position % rowLength;
    return size_t(row / cellRows) * columns + size_t(column / cellColumns);
  }
};
/// At most so many cells; none for a tensor without elements.
MapShape chooseMap(llvm::ArrayRef<int64_t> shape, MapSize size);
/// "1 element a letter", "8 x 4 elements a letter"
std::string describeCells(const MapShape &map, llvm::StringRef name);

/// "(3, 0, 0)"
std::string formatProgram(uint64_t linear, const std::array<uint64_t, 3> &grid);

} // namespace tilerun::host
