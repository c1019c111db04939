// See MapShape.h.
#include "tools/tilerun/host/MapShape.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tilerun;
using namespace tilerun::host;

/// How many of `count` things a cell covers so that at most `most` cells are needed: a power of
/// two, which block sizes mostly are.
static int64_t getStep(int64_t count, size_t most) {
  const int64_t least = std::max<int64_t>(1, llvm::divideCeil(count, int64_t(most)));
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(least)));
}

MapShape host::chooseMap(llvm::ArrayRef<int64_t> shape, MapSize size) {
  MapShape map;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  if (count == 0)
    return map;
  int64_t numRows = 1;
  if (shape.size() >= 2) {
    map.rowLength = shape.back();
    numRows = count / map.rowLength;
    map.cellRows = getStep(numRows, size.rows);
    map.cellColumns = getStep(map.rowLength, size.columns);
  } else {
    // Read like a text: a cell is a stretch of elements.
    map.cellColumns = count <= int64_t(size.columns) ? 1 : getStep(count, size.rows * size.columns);
    map.rowLength = std::min(count, map.cellColumns * int64_t(size.columns));
    numRows = llvm::divideCeil(count, map.rowLength);
  }
  map.rows = llvm::divideCeil(numRows, map.cellRows);
  map.columns = llvm::divideCeil(map.rowLength, map.cellColumns);
  return map;
}

std::string host::describeCells(const MapShape &map, llvm::StringRef name) {
  const std::string rows = map.cellRows > 1 ? std::to_string(map.cellRows) + " x " : "";
  const bool isOne = map.cellRows * map.cellColumns == 1;
  return llvm::formatv("{0}{1} {2} a {3}", rows, map.cellColumns, isOne ? "element" : "elements",
                       name);
}

std::string host::formatProgram(uint64_t linear, const std::array<uint64_t, 3> &grid) {
  return llvm::formatv("({0}, {1}, {2})", linear % grid[0], linear / grid[0] % grid[1],
                       linear / grid[0] / grid[1]);
}
