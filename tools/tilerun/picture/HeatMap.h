// A number for each pair of values of two axes, as text, SVG or HTML: how fast configurations are.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerun::picture {

struct HeatMap {
  std::string title;
  std::string note; ///< Below the title; may be empty.
  std::string unit; ///< Of the numbers, of which lower ones are better.
  std::string xName, yName;
  std::vector<std::string> xs, ys; ///< Columns and rows, in their order.
  struct Cell {
    std::optional<double> value; ///< None: nothing works there, or was tried.
    std::string text;            ///< The configuration, or why it does not work; may be empty.
  };
  std::vector<Cell> cells; ///< Row after row.

  const Cell &at(size_t x, size_t y) const { return cells[y * xs.size() + x]; }
  /// The cell with the lowest value, the first of several; none if none has one.
  std::optional<size_t> findBest() const;
};

/// Which of `kHeatSteps` equal ratios between the best and the worst value of a map a value is in;
/// 0: with the best.
constexpr unsigned kHeatSteps = 7;
unsigned getHeat(const HeatMap &map, double value);

/// Rows of numbers; the best has a star, cells without a number a cross. With `color`, the
/// fastest step is green and the slowest red.
void print(llvm::raw_ostream &os, const HeatMap &map, bool color);
void writeSvg(llvm::raw_ostream &os, const HeatMap &map);
void writeHtml(llvm::raw_ostream &os, const HeatMap &map);

} // namespace tilerun::picture
