// See MismatchPicture.h. A wrong cell is crossed out and has its letter in upper case, so that no
// colour is needed to see it; lines separate programs.
#include "tools/tilerun/picture/MismatchPicture.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

// Sizes in pixels.
static constexpr unsigned kCell = 16, kMargin = 12, kLine = 18, kName = 110, kBar = 420,
                          kLetterWidth = 7, kLeastWidth = 680;

// Light fills with dark text, and the other way round: each pair has a contrast of 4.5:1 or more.
static constexpr const char *kStyle = R"(<style>
svg{background:#fff;font:11px ui-monospace,monospace}
svg text{fill:#111}svg .n{fill:#444}svg .h{font-weight:bold}
svg .c rect{stroke:#bbb;stroke-width:.5}svg .c text{text-anchor:middle}
svg .b{stroke:#111;stroke-width:1.5;fill:none}svg .x{stroke:#c00000;stroke-width:1.2;fill:none}
.p0 rect{fill:#dbe9ff}.p1 rect{fill:#ffe6c7}.p2 rect{fill:#d9f2d9}.p3 rect{fill:#f6d9ee}
.p4 rect{fill:#fff6bf}.p5 rect{fill:#d5f1f1}.p6 rect{fill:#e8e0fa}.p7 rect{fill:#e6e6e6}
.none rect{fill:#fff;stroke-dasharray:2 2}
svg .w{fill:#c00000}svg .r{fill:#8a8a8a}
@media(prefers-color-scheme:dark){
svg{background:#16181c}svg text{fill:#f2f2f2}svg .n{fill:#bbb}svg .c rect{stroke:#555}svg .b{stroke:#f2f2f2}
svg .x{stroke:#ff8080}
.p0 rect{fill:#1d3557}.p1 rect{fill:#5a3a12}.p2 rect{fill:#1f4a2b}.p3 rect{fill:#54224a}
.p4 rect{fill:#4d4610}.p5 rect{fill:#124747}.p6 rect{fill:#3a2f5c}.p7 rect{fill:#3c3f45}
.none rect{fill:#16181c}svg .w{fill:#ff8080}svg .r{fill:#8a8a8a}}
</style>
)";

namespace {

class Drawing {
public:
  explicit Drawing(llvm::raw_ostream &os) : os(os) {}

  void writeText(llvm::StringRef text, llvm::StringRef style) {
    const size_t most = (kLeastWidth - 2 * kMargin) / kLetterWidth;
    while (true) {
      llvm::StringRef line = text.take_front(most);
      if (line.size() < text.size())
        if (size_t space = line.rfind(' '); space != llvm::StringRef::npos && space > 0)
          line = line.take_front(space);
      y += kLine;
      os << llvm::formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\">{3}</text>\n", style, kMargin,
                          y - 4, escape(line));
      text = text.drop_front(line.size()).ltrim();
      if (text.empty())
        break;
    }
  }

  void drawHistogram(llvm::ArrayRef<host::ErrorBin> bins);
  void drawMap(const Mismatch &mismatch);
  void skip() { y += kMargin; }
  unsigned getWidth() const { return width; }
  unsigned getHeight() const { return y; }

private:
  void drawCell(const Mismatch &mismatch, const host::TensorMap::Cell &cell, unsigned x,
                unsigned top);
  void drawBorders(const host::TensorMap &map, unsigned left);

  llvm::raw_ostream &os;
  unsigned y = kMargin, width = kLeastWidth;
};

} // namespace

void Drawing::drawHistogram(llvm::ArrayRef<host::ErrorBin> bins) {
  int64_t most = 1;
  for (const host::ErrorBin &bin : bins)
    most = std::max(most, bin.elements);
  auto length = [&](int64_t elements) {
    return elements ? std::max<int64_t>(2, elements * kBar / most) : 0;
  };
  for (const host::ErrorBin &bin : bins) {
    const int64_t wrong = length(bin.mismatches), right = length(bin.elements - bin.mismatches);
    os << llvm::formatv("<g class=\"e\"><title>error {0}: {1} elements, {2} wrong</title>"
                        "<text class=\"n\" x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{0}</text>",
                        escape(host::describe(bin)), bin.elements, bin.mismatches, kName - 6,
                        y + 13);
    os << llvm::formatv("<rect class=\"w\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"14\"/>"
                        "<rect class=\"r\" x=\"{3}\" y=\"{4}\" width=\"{5}\" height=\"6\"/>",
                        kName, y + 2, wrong, kName + wrong, y + 6, right);
    os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">{2}{3}</text></g>\n", kName + wrong + right + 6,
                        y + 13, bin.elements,
                        bin.mismatches ? ", " + std::to_string(bin.mismatches) + " wrong"
                                       : std::string());
    y += kLine;
  }
}

void Drawing::drawCell(const Mismatch &mismatch, const host::TensorMap::Cell &cell, unsigned x,
                       unsigned top) {
  const bool known = mismatch.report.hasPrograms;
  auto index = [&](int64_t position) {
    return host::formatIndex(host::unravel(position, mismatch.shape));
  };
  std::string title = index(cell.first);
  if (cell.last != cell.first)
    title += " to " + index(cell.last);
  title +=
      ": " + std::to_string(cell.mismatches) + " of " + std::to_string(cell.elements) + " wrong";
  if (known)
    title += cell.program ? ", program " + host::formatProgram(*cell.program, mismatch.grid)
                          : std::string(", nobody wrote it");
  const std::string style = !known         ? "p7"
                            : cell.program ? "p" + std::to_string(*cell.program % 8)
                                           : "none";
  os << llvm::formatv("<g class=\"c {0}\" transform=\"translate({1},{2})\"><title>{3}</title>"
                      "<rect width=\"{4}\" height=\"{4}\"/>",
                      style, x, top, escape(title), kCell);
  if (cell.mismatches)
    os << llvm::formatv("<path class=\"x\" d=\"M0 0L{0} {0}M0 {0}L{0} 0\"/>", kCell);
  os << llvm::formatv("<text x=\"{0}\" y=\"12\">{1}</text></g>\n", kCell / 2,
                      host::getLetter(cell, known));
}

/// Lines between cells of different programs.
void Drawing::drawBorders(const host::TensorMap &map, unsigned left) {
  std::string path;
  auto differ = [&](size_t a, size_t b) {
    return map.cells[a].elements && map.cells[b].elements &&
           map.cells[a].program != map.cells[b].program;
  };
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const size_t x = left + i % map.columns * kCell, top = y + i / map.columns * kCell;
    if (i % map.columns + 1 < map.columns && differ(i, i + 1))
      path += llvm::formatv("M{0} {1}v{2}", x + kCell, top, kCell);
    if (i + map.columns < map.cells.size() && differ(i, i + map.columns))
      path += llvm::formatv("M{0} {1}h{2}", x, top + kCell, kCell);
  }
  if (!path.empty())
    os << "<path class=\"b\" d=\"" << path << "\"/>\n";
}

void Drawing::drawMap(const Mismatch &mismatch) {
  const host::TensorMap &map = mismatch.report.map;
  constexpr unsigned kLeft = kName;
  width = std::max<unsigned>(width, kLeft + map.columns * kCell + kMargin);
  for (size_t row = 0; row < map.rows; ++row) {
    const host::TensorMap::Cell *cells = &map.cells[row * map.columns];
    os << llvm::formatv("<text class=\"n\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n",
                        kLeft - 6, y + row * kCell + 12,
                        escape(host::formatIndex(host::unravel(cells->first, mismatch.shape))));
    for (size_t column = 0; column < map.columns; ++column)
      if (cells[column].elements)
        drawCell(mismatch, cells[column], kLeft + column * kCell, y + row * kCell);
  }
  drawBorders(map, kLeft);
  y += map.rows * kCell;
}

void picture::writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<Mismatch> all) {
  std::string body;
  llvm::raw_string_ostream out(body);
  Drawing drawing(out);
  for (const Mismatch &mismatch : all) {
    const host::MismatchReport &report = mismatch.report;
    drawing.writeText(mismatch.title, "h");
    drawing.writeText("errors |got - expected|: high bars are outside the tolerance, low ones "
                      "within",
                      "n");
    drawing.drawHistogram(report.histogram);
    drawing.skip();
    const int64_t elements = report.map.cellRows * report.map.cellColumns;
    std::string legend =
        "map, " +
        (elements == 1 ? std::string("one element")
                       : std::to_string(report.map.cellRows) + " x " +
                             std::to_string(report.map.cellColumns) + " elements") +
        " a cell; a cross and upper case: an element is wrong";
    if (report.hasPrograms)
      legend += "; letters and lines: the program that wrote it; dashed: nobody did";
    drawing.writeText(legend, "n");
    drawing.skip();
    drawing.drawMap(mismatch);
    drawing.skip();
  }
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" "
                      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n",
                      drawing.getWidth(), drawing.getHeight(),
                      escape(all.empty() ? "" : all.front().title))
     << kStyle << body << "</svg>\n";
}

void picture::writeHtml(llvm::raw_ostream &os, llvm::StringRef title,
                        llvm::ArrayRef<Mismatch> all) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << "<p>Pointing at a cell or a bar names its elements.</p>\n<div class=\"scroll\">\n";
  writeSvg(out, all);
  out << "</div>\n";
  writePage(os, title, body);
}
