// A tensor as grids of cells, of which each says where the element is. Text and pictures are made
// from the same grids.
#pragma once

#include "tools/tilerun/picture/LayoutFacts.h"

namespace tilerun::picture {

struct Cell {
  std::string text;        ///< "1:13.3", in a column.
  std::string top, bottom; ///< Two lines, in a picture: "w1 l13", "r3".
  std::string title;       ///< One sentence.
  std::string key;         ///< Cells of one thread, or of one bank, have the same.
  unsigned tint = 0;       ///< The warp, or the line of memory, or the Move.
};

struct Grid {
  std::string title;
  std::vector<std::string> rows, columns; ///< Their names.
  std::vector<Cell> cells;                ///< rows x columns, row by row; fewer in the last row.
};

struct Grids {
  std::string title;  ///< "blocked:64x64"
  std::string legend; ///< How the text of a cell is read.
  std::string key;    ///< How its two lines are.
  std::vector<Grid> grids;
};

/// A half-open range of each dimension.
using Slice = llvm::SmallVector<std::pair<uint64_t, uint64_t>, 4>;
/// "0:16,8:24" or "3,:"; an error names the part.
llvm::Expected<Slice> parseSlice(llvm::StringRef text, llvm::ArrayRef<uint64_t> shape);
/// At most so many rows and columns, and the first of each other dimension.
Slice firstCells(llvm::ArrayRef<uint64_t> shape, uint64_t rows, uint64_t columns);
Slice wholeTensor(llvm::ArrayRef<uint64_t> shape);
uint64_t countCells(const Slice &slice);

/// The layout; of memory with banks.
Grids makeGrids(const LayoutFacts &facts, const Slice &slice, const target::TargetInfo &target,
                unsigned elementBytes);
/// The destination of a conversion, with the source of each value.
Grids makeGrids(const Transfer &transfer, const LayoutFacts &to, const Slice &slice);

void printGrids(llvm::raw_ostream &os, const Grids &grids);
/// One SVG image of all of them, one below the other; in light and dark, as the viewer prefers.
void writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<Grids> all);
/// A page with the image and the facts. Pointing at a cell marks all of its thread.
void writeHtml(llvm::raw_ostream &os, llvm::StringRef title, llvm::StringRef facts,
               llvm::ArrayRef<Grids> all);

} // namespace tilerun::picture
