// See HeatMap.h. Each cell has its number, the best a frame and a star, and one without a number is
// crossed out, so that no colour is needed to read the map.
#include "tools/tilerun/picture/HeatMap.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::picture;

// Sizes in pixels.
static constexpr unsigned kRow = 26, kMargin = 12, kLine = 18, kLetter = 7, kLeastCell = 80;

// From light to dark, and the other way round in the dark; the text of each step has a contrast of
// 4.5:1 or more.
static constexpr const char *kStyle = R"(svg{background:#fff;font:12px ui-monospace,monospace}
svg text{fill:#111}svg .h{font-weight:bold}svg .n{fill:#444}
svg .c rect{stroke:#fff;stroke-width:1}svg .c text{text-anchor:middle}
svg .b{stroke:#111;stroke-width:2.5;fill:none}svg .x{stroke:#888;stroke-width:1;fill:none}
.t0 rect{fill:#f2f7e8}.t1 rect{fill:#d7ebd0}.t2 rect{fill:#b3dcc3}.t3 rect{fill:#8cc8bd}
.t4 rect{fill:#66aebb}svg .t5 rect{fill:#2f6a96}svg .t6 rect{fill:#1d4278}
svg .t5 text,svg .t6 text{fill:#fff}
.none rect{fill:#f4f4f4}
@media(prefers-color-scheme:dark){
svg{background:#16181c}svg text{fill:#f2f2f2}svg .n{fill:#bbb}svg .c rect{stroke:#16181c}
svg .b{stroke:#f2f2f2}
svg .t0 rect{fill:#e4f2c8}svg .t1 rect{fill:#b9dfb4}svg .t2 rect{fill:#8cc8ad}
svg .t0 text,svg .t1 text,svg .t2 text{fill:#111}
svg .t3 rect{fill:#2d7272}svg .t4 rect{fill:#235a6e}svg .t5 rect{fill:#1c4260}svg .t6 rect{fill:#172d4a}
svg .none rect{fill:#24262b}}
)";

static std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%#.4g", value);
  return llvm::StringRef(text).rtrim('.').str();
}

std::optional<size_t> HeatMap::findBest() const {
  std::optional<size_t> best;
  for (auto [i, cell] : llvm::enumerate(cells))
    if (cell.value && (!best || *cell.value < *cells[*best].value))
      best = i;
  return best;
}

unsigned picture::getHeat(const HeatMap &map, double value) {
  double least = HUGE_VAL, most = 0;
  for (const HeatMap::Cell &cell : map.cells)
    if (cell.value) {
      least = std::min(least, *cell.value);
      most = std::max(most, *cell.value);
    }
  // Times differ by factors, so that their ratios count.
  if (!(least > 0) || !(most > least))
    return 0;
  const double share = std::log(value / least) / std::log(most / least);
  return std::min(kHeatSteps - 1, unsigned(std::max(share, 0.0) * kHeatSteps));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void picture::print(llvm::raw_ostream &os, const HeatMap &map, bool color) {
  const std::optional<size_t> best = map.findBest();
  std::vector<std::string> texts;
  size_t width = 1, left = map.yName.size();
  for (auto [i, cell] : llvm::enumerate(map.cells))
    texts.push_back(cell.value ? (best == i ? "*" : "") + formatNumber(*cell.value) : "x");
  for (const std::string &text : texts)
    width = std::max(width, text.size());
  for (const std::string &x : map.xs)
    width = std::max(width, x.size());
  for (const std::string &y : map.ys)
    left = std::max(left, y.size());
  os << map.unit << " by " << map.xName << " (across)";
  if (!map.yName.empty())
    os << " and " << map.yName << " (down)";
  if (!map.note.empty())
    os << "; " << map.note;
  os << "\n  " << llvm::left_justify(map.yName, left);
  for (const std::string &x : map.xs)
    os << "  " << llvm::right_justify(x, width);
  os << "\n";
  for (size_t y = 0; y < map.ys.size(); ++y) {
    os << "  " << llvm::left_justify(map.ys[y], left);
    for (size_t x = 0; x < map.xs.size(); ++x) {
      const HeatMap::Cell &cell = map.at(x, y);
      const unsigned heat = cell.value ? getHeat(map, *cell.value) : 0;
      const bool isPainted = color && cell.value && (heat == 0 || heat == kHeatSteps - 1);
      if (isPainted)
        os.changeColor(heat ? llvm::raw_ostream::RED : llvm::raw_ostream::GREEN, /*Bold=*/true);
      os << "  " << llvm::right_justify(texts[y * map.xs.size() + x], width);
      if (isPainted)
        os.resetColor();
    }
    os << "\n";
  }
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

namespace {
class Drawing {
public:
  Drawing(llvm::raw_ostream &os, const HeatMap &map) : os(os), map(map) {
    size_t widest = map.yName.size(), column = 8;
    for (const std::string &y : map.ys)
      widest = std::max(widest, y.size());
    for (const std::string &x : map.xs)
      column = std::max(column, x.size() + 1);
    left = kMargin + unsigned(widest) * kLetter + 10;
    cell = std::max(kLeastCell, unsigned(column) * kLetter);
  }
  void draw();
  unsigned getWidth() const { return width; }
  unsigned getHeight() const { return y + kMargin; }

private:
  void drawText(unsigned x, unsigned at, llvm::StringRef text, llvm::StringRef style,
                llvm::StringRef anchor = "start") {
    os << llvm::formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\" text-anchor=\"{3}\">{4}</text>\n",
                        style, x, at, anchor, escape(text));
    if (anchor == "start")
      width = std::max(width, x + unsigned(text.size()) * kLetter + kMargin);
  }
  void drawCell(size_t column, size_t row, bool isBest);
  void drawScale();

  llvm::raw_ostream &os;
  const HeatMap &map;
  unsigned left, cell, y = kMargin, width = 0;
};
} // namespace

void Drawing::drawCell(size_t column, size_t row, bool isBest) {
  const HeatMap::Cell &shown = map.at(column, row);
  std::string title = map.xName + " = " + map.xs[column];
  if (!map.yName.empty())
    title += ", " + map.yName + " = " + map.ys[row];
  if (shown.value)
    title += ": " + formatNumber(*shown.value) + " " + map.unit;
  if (!shown.text.empty())
    title += "\n" + shown.text;
  const std::string style =
      shown.value ? "t" + std::to_string(getHeat(map, *shown.value)) : std::string("none");
  os << llvm::formatv("<g class=\"c {0}\" transform=\"translate({1},{2})\"><title>{3}</title>"
                      "<rect width=\"{4}\" height=\"{5}\"/>",
                      style, left + column * cell, y, escape(title), cell, kRow);
  if (shown.value)
    os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">{2}{3}</text>", cell / 2, kRow - 9,
                        isBest ? "* " : "", formatNumber(*shown.value));
  else
    os << llvm::formatv("<path class=\"x\" d=\"M{0} 7l12 12m0 -12l-12 12\"/>", cell / 2 - 6);
  if (isBest)
    os << llvm::formatv("<rect class=\"b\" style=\"fill:none\" x=\"2\" y=\"2\" width=\"{0}\" "
                        "height=\"{1}\"/>",
                        cell - 4, kRow - 4);
  os << "</g>\n";
}

// The steps, with the lowest value of each.
void Drawing::drawScale() {
  const std::optional<size_t> best = map.findBest();
  if (!best)
    return;
  double least = *map.cells[*best].value, most = least;
  for (const HeatMap::Cell &other : map.cells)
    most = std::max(most, other.value.value_or(0));
  if (!(least > 0) || !(most > least))
    return;
  y += kLine;
  drawText(kMargin, y + kRow - 9, map.unit + " from", "n");
  const unsigned begin = kMargin + unsigned(map.unit.size() + 6) * kLetter;
  for (unsigned step = 0; step < kHeatSteps; ++step) {
    const double from = least * std::pow(most / least, double(step) / kHeatSteps);
    os << llvm::formatv("<g class=\"c t{0}\" transform=\"translate({1},{2})\"><rect width=\"{3}\" "
                        "height=\"{4}\"/><text x=\"{5}\" y=\"{6}\">{7}</text></g>\n",
                        step, begin + step * kLeastCell, y, kLeastCell, kRow, kLeastCell / 2,
                        kRow - 9, formatNumber(from));
  }
  width = std::max(width, begin + kHeatSteps * kLeastCell + kMargin);
  y += kRow;
}

void Drawing::draw() {
  auto writeLine = [&](llvm::StringRef text, llvm::StringRef style) {
    y += kLine;
    drawText(kMargin, y - 4, text, style);
  };
  writeLine(map.title, "h");
  writeLine(map.unit + "; lower is better; *: the best; crossed out: it does not work", "n");
  if (!map.note.empty())
    writeLine(map.note, "n");
  y += kLine + 4;
  drawText(left + unsigned(map.xs.size()) * cell / 2, y - 4, map.xName, "n", "middle");
  y += kLine;
  drawText(left - 8, y - 6, map.yName, "n", "end");
  for (auto [i, x] : llvm::enumerate(map.xs))
    drawText(left + unsigned(i) * cell + cell / 2, y - 6, x, "", "middle");
  const std::optional<size_t> best = map.findBest();
  for (size_t row = 0; row < map.ys.size(); ++row, y += kRow) {
    drawText(left - 8, y + kRow - 9, map.ys[row], "", "end");
    for (size_t column = 0; column < map.xs.size(); ++column)
      drawCell(column, row, best == row * map.xs.size() + column);
  }
  width = std::max(width, left + unsigned(map.xs.size()) * cell + kMargin);
  drawScale();
}

void picture::writeSvg(llvm::raw_ostream &os, const HeatMap &map) {
  std::string body;
  llvm::raw_string_ostream out(body);
  Drawing drawing(out, map);
  drawing.draw();
  writeImage(os, drawing.getWidth(), drawing.getHeight(), map.title, kStyle, body);
}

void picture::writeHtml(llvm::raw_ostream &os, const HeatMap &map) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << "<p>Pointing at a cell shows its configuration.</p>\n<div class=\"scroll\">\n";
  writeSvg(out, map);
  out << "</div>\n";
  writePage(os, map.title, body);
}
