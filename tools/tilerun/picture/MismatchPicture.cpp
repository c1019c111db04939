// See MismatchPicture.h. A wrong cell is crossed out and has its letter in upper case.
#include "tools/tilerun/picture/MismatchPicture.h"

#include "tools/tilerun/picture/Page.h"
#include "tools/tilerun/picture/Sheet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

// Of a bar, in pixels.
static constexpr unsigned kBar = 420;

static constexpr const char *kStyle = R"(svg .w{fill:#c00000}svg .r{fill:#8a8a8a}
@media(prefers-color-scheme:dark){svg .w{fill:#ff8080}}
)";

static void drawHistogram(Sheet &sheet, llvm::ArrayRef<host::ErrorBin> bins) {
  int64_t most = 1;
  for (const host::ErrorBin &bin : bins)
    most = std::max(most, bin.elements);
  auto length = [&](int64_t elements) {
    return elements ? std::max<int64_t>(2, elements * kBar / most) : 0;
  };
  llvm::raw_ostream &os = sheet.getStream();
  for (const host::ErrorBin &bin : bins) {
    const unsigned y = sheet.getTop();
    const int64_t wrong = length(bin.mismatches), right = length(bin.elements - bin.mismatches);
    os << llvm::formatv("<g class=\"e\"><title>error {0}: {1} elements, {2} wrong</title>"
                        "<text class=\"n\" x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{0}</text>",
                        escape(host::describe(bin)), bin.elements, bin.mismatches, kCellMapLeft - 6,
                        y + 13);
    os << llvm::formatv("<rect class=\"w\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"14\"/>"
                        "<rect class=\"r\" x=\"{3}\" y=\"{4}\" width=\"{5}\" height=\"6\"/>",
                        kCellMapLeft, y + 2, wrong, kCellMapLeft + wrong, y + 6, right);
    os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">{2}{3}</text></g>\n",
                        kCellMapLeft + wrong + right + 6, y + 13, bin.elements,
                        bin.mismatches ? ", " + std::to_string(bin.mismatches) + " wrong"
                                       : std::string());
    sheet.add({0, Sheet::kLine});
  }
}

static CellMap makeMap(const Mismatch &mismatch) {
  const host::TensorMap &map = mismatch.report.map;
  const bool known = mismatch.report.hasPrograms;
  auto index = [&](int64_t position) {
    return host::formatIndex(host::unravel(position, mismatch.shape));
  };
  CellMap out;
  out.columns = map.columns;
  for (size_t row = 0; row < map.rows; ++row)
    out.rows.push_back(index(map.cells[row * map.columns].first));
  for (const host::TensorMap::Cell &cell : map.cells) {
    CellMap::Cell &drawn = out.cells.emplace_back();
    drawn.exists = cell.elements != 0;
    if (!drawn.exists)
      continue;
    drawn.title = index(cell.first);
    if (cell.last != cell.first)
      drawn.title += " to " + index(cell.last);
    drawn.title +=
        ": " + std::to_string(cell.mismatches) + " of " + std::to_string(cell.elements) + " wrong";
    drawn.isCrossed = cell.mismatches != 0;
    drawn.letter = host::getLetter(cell, known);
    drawn.style = known ? "none" : getProgramStyle(7);
    if (cell.program) {
      drawn.key = host::formatProgram(*cell.program, mismatch.grid);
      drawn.style = getProgramStyle(*cell.program);
    }
    if (known)
      drawn.title += cell.program ? ", program " + drawn.key : std::string(", nobody wrote it");
  }
  return out;
}

void picture::writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<Mismatch> all) {
  Sheet sheet;
  for (const Mismatch &mismatch : all) {
    const host::MismatchReport &report = mismatch.report;
    sheet.writeText(mismatch.title, "h");
    sheet.writeText("errors |got - expected|: high bars are outside the tolerance, low ones within",
                    "n");
    drawHistogram(sheet, report.histogram);
    sheet.skip();
    std::string legend = "map, " + host::describeCells(report.map, "cell") +
                         "; a cross and upper case: an element is wrong";
    if (report.hasPrograms)
      legend += "; letters and lines: the program that wrote it; dashed: nobody did";
    sheet.writeText(legend, "n");
    sheet.skip();
    sheet.draw(makeMap(mismatch));
    sheet.skip();
  }
  sheet.write(os, all.empty() ? "" : all.front().title, kStyle);
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
