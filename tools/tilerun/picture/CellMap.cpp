// See CellMap.h. A cell that is wrong is crossed out, and each has its letter, so that no colour is
// needed; lines separate programs.
#include "tools/tilerun/picture/CellMap.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

// Of a cell, in pixels.
static constexpr unsigned kCell = 16;

// Light fills with dark text, and the other way round: each pair has a contrast of 4.5:1 or more.
const char *const picture::kCellMapStyle = R"(svg .c rect{stroke:#bbb;stroke-width:.5}
svg .c text{text-anchor:middle}svg .c.on rect{stroke:#d00000;stroke-width:3}
svg .b{stroke:#111;stroke-width:1.5;fill:none}svg .x{stroke:#c00000;stroke-width:1.2;fill:none}
.p0 rect{fill:#dbe9ff}.p1 rect{fill:#ffe6c7}.p2 rect{fill:#d9f2d9}.p3 rect{fill:#f6d9ee}
.p4 rect{fill:#fff6bf}.p5 rect{fill:#d5f1f1}.p6 rect{fill:#e8e0fa}.p7 rect{fill:#e6e6e6}
.none rect{fill:#fff;stroke-dasharray:2 2}.many rect{fill:#cfcfcf}
@media(prefers-color-scheme:dark){
svg .c rect{stroke:#555}svg .c.on rect{stroke:#ff8080}svg .b{stroke:#f2f2f2}svg .x{stroke:#ff8080}
.p0 rect{fill:#1d3557}.p1 rect{fill:#5a3a12}.p2 rect{fill:#1f4a2b}.p3 rect{fill:#54224a}
.p4 rect{fill:#4d4610}.p5 rect{fill:#124747}.p6 rect{fill:#3a2f5c}.p7 rect{fill:#3c3f45}
.none rect{fill:#16181c}.many rect{fill:#5a5a5a}}
)";

std::string picture::getProgramStyle(uint64_t program) { return "p" + std::to_string(program % 8); }

static void drawCell(llvm::raw_ostream &os, const CellMap::Cell &cell, unsigned x, unsigned y) {
  os << llvm::formatv("<g class=\"c {0}\"", cell.style);
  if (!cell.key.empty())
    os << llvm::formatv(" data-k=\"{0}\"", escape(cell.key));
  os << llvm::formatv(" transform=\"translate({0},{1})\"><title>{2}</title>"
                      "<rect width=\"{3}\" height=\"{3}\"/>",
                      x, y, escape(cell.title), kCell);
  if (cell.isCrossed)
    os << llvm::formatv("<path class=\"x\" d=\"M0 0L{0} {0}M0 {0}L{0} 0\"/>", kCell);
  os << llvm::formatv("<text x=\"{0}\" y=\"12\">{1}</text></g>\n", kCell / 2, escape(cell.letter));
}

/// Lines between cells of different programs.
static void drawBorders(llvm::raw_ostream &os, const CellMap &map, unsigned top) {
  std::string path;
  auto differ = [&](size_t a, size_t b) {
    return map.cells[a].exists && map.cells[b].exists && map.cells[a].key != map.cells[b].key;
  };
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const size_t x = kCellMapLeft + i % map.columns * kCell, y = top + i / map.columns * kCell;
    if (i % map.columns + 1 < map.columns && differ(i, i + 1))
      path += llvm::formatv("M{0} {1}v{2}", x + kCell, y, kCell);
    if (i + map.columns < map.cells.size() && differ(i, i + map.columns))
      path += llvm::formatv("M{0} {1}h{2}", x, y + kCell, kCell);
  }
  if (!path.empty())
    os << "<path class=\"b\" d=\"" << path << "\"/>\n";
}

Extent picture::draw(llvm::raw_ostream &os, const CellMap &map, unsigned top) {
  for (auto [row, name] : llvm::enumerate(map.rows)) {
    const unsigned y = top + unsigned(row) * kCell;
    os << llvm::formatv("<text class=\"n\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\n",
                        kCellMapLeft - 6, y + 12, escape(name));
    for (unsigned column = 0; column < map.columns; ++column)
      if (const CellMap::Cell &cell = map.cells[row * map.columns + column]; cell.exists)
        drawCell(os, cell, kCellMapLeft + column * kCell, y);
  }
  drawBorders(os, map, top);
  return {kCellMapLeft + unsigned(map.columns) * kCell, unsigned(map.rows.size()) * kCell};
}
