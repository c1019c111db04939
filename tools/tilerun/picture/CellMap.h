// A map of a tensor: a letter for each cell, in the colour of a program, with lines between
// programs. Mismatches and accesses are drawn with it.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tilerun::picture {

struct CellMap {
  struct Cell {
    std::string title;      ///< One sentence.
    std::string letter;     ///< Says what the colour says.
    std::string key;        ///< Cells of one program have the same; lines separate others.
    std::string style;      ///< "p0" to "p7", "none", "many"
    bool isCrossed = false; ///< Something is wrong.
    bool exists = true;     ///< False behind the end.
  };
  size_t columns = 0;
  std::vector<std::string> rows; ///< The names of rows.
  std::vector<Cell> cells;       ///< Row by row.
};
/// The colours of a program, which repeat.
std::string getProgramStyle(uint64_t program);

/// For the style of an image that holds maps.
extern const char *const kCellMapStyle;

/// Where the image's left edge ends and the cells begin.
inline constexpr unsigned kCellMapLeft = 110;
/// Draws at a height of the image; gives the size with the names.
struct Extent {
  unsigned width, height;
};
Extent draw(llvm::raw_ostream &os, const CellMap &map, unsigned top);

} // namespace tilerun::picture
