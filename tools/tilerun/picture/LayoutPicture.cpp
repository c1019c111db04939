// Grids as SVG, and a page of HTML around it. Everything that a colour says is also written in the
// cell or drawn as a line, and both follow the viewer's preference for light or dark.
#include "tools/tilerun/picture/LayoutGrid.h"
#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun::picture;
using llvm::StringRef;

// Sizes in pixels.
static constexpr unsigned kCellWidth = 56, kCellHeight = 30, kLeft = 44, kHeader = 20, kLine = 18,
                          kMargin = 12;
// Of a letter, on average; long titles are wrapped by it.
static constexpr unsigned kLetterWidth = 7, kLeastWidth = 640;

// Light fills with dark text, and the other way round: each pair has a contrast of 4.5:1 or more.
static constexpr const char *kStyle = R"(svg{background:#fff;font:11px ui-monospace,monospace}
svg text{fill:#111}svg .n{fill:#444}svg .h{font-weight:bold}
svg .c rect{stroke:#999;stroke-width:.5}svg .c text{text-anchor:middle}svg .b{stroke:#111;stroke-width:2;fill:none}
.t0 rect{fill:#dbe9ff}.t1 rect{fill:#ffe6c7}.t2 rect{fill:#d9f2d9}.t3 rect{fill:#f6d9ee}
.t4 rect{fill:#fff6bf}.t5 rect{fill:#d5f1f1}.t6 rect{fill:#e8e0fa}.t7 rect{fill:#e6e6e6}
svg .c.on rect{stroke:#d00000;stroke-width:3}
@media(prefers-color-scheme:dark){
svg{background:#16181c}svg text{fill:#f2f2f2}svg .n{fill:#bbb}svg .c rect{stroke:#666}svg .b{stroke:#f2f2f2}
.t0 rect{fill:#1d3557}.t1 rect{fill:#5a3a12}.t2 rect{fill:#1f4a2b}.t3 rect{fill:#54224a}
.t4 rect{fill:#4d4610}.t5 rect{fill:#124747}.t6 rect{fill:#3a2f5c}.t7 rect{fill:#3c3f45}
svg .c.on rect{stroke:#ff8080}}
)";

/// Lines where the tint changes, so that it can be seen without colours.
static void drawBorders(llvm::raw_ostream &os, const Grid &grid) {
  size_t columns = grid.columns.size(), count = grid.cells.size();
  std::string path;
  for (size_t i = 0; i < count; ++i) {
    size_t x = i % columns * kCellWidth, y = i / columns * kCellHeight;
    if (i % columns + 1 < columns && i + 1 < count && grid.cells[i].tint != grid.cells[i + 1].tint)
      path += llvm::formatv("M{0} {1}v{2}", x + kCellWidth, y, kCellHeight);
    if (i + columns < count && grid.cells[i].tint != grid.cells[i + columns].tint)
      path += llvm::formatv("M{0} {1}h{2}", x, y + kCellHeight, kCellWidth);
  }
  if (!path.empty())
    os << "<path class=\"b\" d=\"" << path << "\"/>\n";
}

static void drawGrid(llvm::raw_ostream &os, const Grid &grid, unsigned y) {
  os << llvm::formatv("<g transform=\"translate({0},{1})\">\n", kMargin + kLeft, y + kHeader);
  for (auto [i, name] : llvm::enumerate(grid.columns))
    os << llvm::formatv("<text class=\"n\" x=\"{0}\" y=\"-6\" text-anchor=\"middle\">{1}</text>",
                        i * kCellWidth + kCellWidth / 2, escape(name));
  for (auto [i, name] : llvm::enumerate(grid.rows))
    os << llvm::formatv("<text class=\"n\" x=\"-6\" y=\"{0}\" text-anchor=\"end\">{1}</text>",
                        i * kCellHeight + kCellHeight / 2 + 4, escape(name));
  os << "\n";
  for (auto [i, cell] : llvm::enumerate(grid.cells)) {
    os << llvm::formatv(
        "<g class=\"c t{0}\" data-k=\"{1}\" transform=\"translate({2},{3})\"><title>{4}</title>"
        "<rect width=\"{5}\" height=\"{6}\"/><text x=\"{7}\" y=\"13\">{8}</text><text x=\"{7}\" "
        "y=\"25\">{9}</text></g>\n",
        cell.tint, escape(cell.key), i % grid.columns.size() * kCellWidth,
        i / grid.columns.size() * kCellHeight, escape(cell.title), kCellWidth, kCellHeight,
        kCellWidth / 2, escape(cell.top), escape(cell.bottom));
  }
  drawBorders(os, grid);
  os << "</g>\n";
}

void tilerun::picture::writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<Grids> all) {
  unsigned width = kLeastWidth;
  for (const Grids &grids : all)
    for (const Grid &grid : grids.grids)
      width = std::max<unsigned>(width, kLeft + grid.columns.size() * kCellWidth);
  std::string body;
  llvm::raw_string_ostream out(body);
  unsigned y = kMargin;
  auto writeLines = [&](StringRef text, StringRef style) {
    for (StringRef line : wrap(text, width / kLetterWidth)) {
      y += kLine;
      out << llvm::formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\">{3}</text>\n", style, kMargin,
                           y - 4, escape(line));
    }
  };
  for (const Grids &grids : all) {
    writeLines(grids.title, "h");
    writeLines("cells: " + grids.key, "n");
    for (const Grid &grid : grids.grids) {
      if (!grid.title.empty())
        writeLines(grid.title, "n");
      drawGrid(out, grid, y);
      y += kHeader + grid.rows.size() * kCellHeight + kMargin;
    }
    y += kMargin;
  }
  writeImage(os, width + 2 * kMargin, y, all.empty() ? "" : all.front().title, kStyle, body);
}

void tilerun::picture::writeHtml(llvm::raw_ostream &os, StringRef title, StringRef facts,
                                 llvm::ArrayRef<Grids> all) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << "<pre>" << escape(facts) << "</pre>\n<p>Pointing at a cell marks the cells of the "
      << "same thread, or of the same bank.</p>\n<div class=\"scroll\">\n";
  writeSvg(out, all);
  out << "</div>\n" << kMarkScript;
  writePage(os, title, body);
}
