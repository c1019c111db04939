// Lines over an axis as SVG or HTML.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace tilerun::picture {

struct Chart {
  std::string title, xName, unit; ///< `unit` of y.
  std::string note;               ///< Below the title; may be empty.
  std::vector<std::string> xs;    ///< In order from left to right, at equal distances.
  struct Line {
    std::string name;
    std::vector<std::optional<double>> ys; ///< One for each x, not negative; none: a gap.
  };
  std::vector<Line> lines;
};

/// Ends of steps of an axis from 0 to at least `most`: 1, 2 or 5 times a power of ten apart.
std::vector<double> chooseTicks(double most);

void writeSvg(llvm::raw_ostream &os, const Chart &chart);
void writeHtml(llvm::raw_ostream &os, const Chart &chart);

} // namespace tilerun::picture
