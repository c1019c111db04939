// See AccessPicture.h. Sentences are those of the text, letters those of its maps, and a conflict
// is crossed out, so that no colour is needed.
#include "tools/tilerun/picture/AccessPicture.h"

#include "tools/tilerun/host/AccessText.h"
#include "tools/tilerun/picture/Page.h"
#include "tools/tilerun/picture/Sheet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;
using host::Use;

// Of a sector, in pixels.
static constexpr unsigned kSectorWidth = 34, kSectorHeight = 18, kSectorGap = 4, kSectorsInRow = 16;

static constexpr const char *kStyle = R"(svg .s{fill:none;stroke:#666}svg .u{fill:#9cc2f2}
svg .v text{text-anchor:middle}svg .l{stroke:#111;stroke-width:2.5;fill:none}
@media(prefers-color-scheme:dark){svg .s{stroke:#999}svg .u{fill:#2f5f94}svg .l{stroke:#f2f2f2}}
)";

/// "[0, 4] to [3, 7]"
static std::string describeRange(int64_t first, int64_t last, llvm::ArrayRef<int64_t> shape) {
  std::string text = host::formatIndex(host::unravel(first, shape));
  if (last != first)
    text += " to " + host::formatIndex(host::unravel(last, shape));
  return text;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static CellMap makeMap(const host::Accesses &accesses, const host::TensorAccess &tensor, Use use) {
  const host::AccessMap map = host::makeMap(tensor, use, host::kPictureMap);
  const bool hasRaces = !tensor.races.empty();
  const std::string verb = use == Use::Read ? " read" : " written";
  CellMap out;
  out.columns = map.columns;
  for (size_t row = 0; row < map.rows; ++row)
    out.rows.push_back(
        host::formatIndex(host::unravel(map.cells[row * map.columns].first, tensor.tensor.shape)));
  for (const host::AccessMap::Cell &cell : map.cells) {
    CellMap::Cell &drawn = out.cells.emplace_back();
    drawn.exists = cell.elements != 0;
    if (!drawn.exists)
      continue;
    drawn.title = describeRange(cell.first, cell.last, tensor.tensor.shape) + ": " +
                  std::to_string(cell.touched) + " of " + std::to_string(cell.elements) + verb;
    drawn.letter = host::getLetter(cell, hasRaces);
    drawn.isCrossed = hasRaces && cell.conflicts;
    drawn.style = cell.touched ? "many" : "none";
    if (cell.program) {
      drawn.key = host::formatProgram(*cell.program, accesses.grid);
      drawn.style = getProgramStyle(*cell.program);
      drawn.title += " by program " + drawn.key;
    } else if (cell.most > 1) {
      drawn.key = std::to_string(cell.most) + " programs";
      drawn.title += ", an element by up to " + std::to_string(cell.most) + " programs, " +
                     host::formatProgram(cell.firstProgram, accesses.grid) + " to " +
                     host::formatProgram(cell.lastProgram, accesses.grid);
    } else if (cell.touched) {
      drawn.title += ", each by one of several programs";
    }
    if (drawn.isCrossed)
      drawn.title += "; " + std::to_string(cell.conflicts) + " in conflict";
  }
  return out;
}

static void drawTensor(Sheet &sheet, const host::Accesses &accesses,
                       const host::TensorAccess &tensor) {
  sheet.writeText(tensor.describe(), "h");
  const bool hasRaces = !tensor.races.empty();
  for (Use use : {Use::Read, Use::Write}) {
    if (!host::count(tensor, use).touched)
      continue;
    const host::AccessMap map = host::makeMap(tensor, use, host::kPictureMap);
    sheet.writeText(host::describeUse(tensor, use), "");
    sheet.writeText("map, " + host::describeCells(map, "cell") + ": " +
                        host::describeLetters(map, hasRaces) + "; lines between programs",
                    "n");
    sheet.skip();
    sheet.draw(makeMap(accesses, tensor, use));
    sheet.skip();
  }
  if (const int64_t untouched = host::countUntouched(tensor))
    sheet.writeText(std::to_string(untouched) + " of " +
                        std::to_string(tensor.tensor.numElements()) + " elements are never touched",
                    "");
  for (const host::Race &race : tensor.races)
    sheet.writeText("race: " + host::describeRace(race), "");
  sheet.skip();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Sectors from left to right; a thick line begins each line of memory.
static void drawWarp(Sheet &sheet, const host::Coalescing::Warp &warp) {
  using host::Coalescing;
  llvm::raw_ostream &os = sheet.getStream();
  const unsigned top = sheet.getTop();
  std::string lines;
  uint64_t line = UINT64_MAX;
  for (auto [i, sector] : llvm::enumerate(warp.sectors)) {
    const unsigned x = kCellMapLeft + unsigned(i % kSectorsInRow) * kSectorWidth;
    const unsigned y = top + unsigned(i / kSectorsInRow) * (kSectorHeight + kSectorGap);
    const uint64_t own = sector.address / Coalescing::kLine;
    if (std::exchange(line, own) != own)
      lines += llvm::formatv("M{0} {1}v{2}", x, y, kSectorHeight);
    os << llvm::formatv(
        "<g class=\"v\" transform=\"translate({0},{1})\"><title>sector {2} of a line of {3} bytes: "
        "{4} of {5} bytes are used</title><rect class=\"u\" width=\"{6}\" height=\"{7}\"/><rect "
        "class=\"s\" width=\"{8}\" height=\"{7}\"/><text x=\"{9}\" y=\"13\">{4}</text></g>\n",
        x, y, sector.address % Coalescing::kLine / Coalescing::kSector, Coalescing::kLine,
        sector.bytes, Coalescing::kSector, kSectorWidth * sector.bytes / Coalescing::kSector,
        kSectorHeight, kSectorWidth, kSectorWidth / 2);
  }
  os << "<path class=\"l\" d=\"" << lines << "\"/>\n";
  const auto rows = unsigned((warp.sectors.size() + kSectorsInRow - 1) / kSectorsInRow);
  sheet.add({kCellMapLeft + kSectorsInRow * kSectorWidth, rows * (kSectorHeight + kSectorGap)});
}

static CellMap makeMap(const host::Accesses &accesses, const host::AccessTile &tile) {
  const host::Shape &shape = accesses.sites[tile.site].shape;
  const host::TileMap map = host::makeMap(tile, shape, host::kPictureMap);
  CellMap out;
  out.columns = map.columns;
  for (size_t row = 0; row < map.rows; ++row)
    out.rows.push_back(host::formatIndex(host::unravel(map.cells[row * map.columns].first, shape)));
  for (const host::TileMap::Cell &cell : map.cells) {
    CellMap::Cell &drawn = out.cells.emplace_back();
    drawn.exists = cell.lanes != 0;
    if (!drawn.exists)
      continue;
    drawn.title = "lane " + describeRange(cell.first, cell.last, shape) + ": " +
                  (cell.lanes == 1
                       ? host::describeLane(accesses, tile.lanes[size_t(cell.first)])
                       : std::to_string(cell.on) + " of " + std::to_string(cell.lanes) + " are on");
    drawn.letter = host::getLetter(cell);
    drawn.isCrossed = cell.outside != 0;
    drawn.key = cell.on == cell.lanes ? "on" : cell.on ? "some" : "off";
    drawn.style = cell.on == cell.lanes ? getProgramStyle(0) : cell.on ? "many" : "none";
  }
  return out;
}

static void drawSite(Sheet &sheet, const host::Accesses &accesses, size_t index) {
  const host::AccessSite &site = accesses.sites[index];
  sheet.writeText(host::describeSite(accesses, site), "h");
  for (const std::string &fact : host::describeFacts(site))
    sheet.writeText(fact, "");
  if (const auto &worst = site.coalescing.getWorst(); worst && !site.shape.empty()) {
    sheet.writeText(llvm::formatv("the least efficient warp: {0} lanes touch {1} sectors, at least "
                                  "{2}; each with the bytes that are used, a thick line before "
                                  "each line of {3} bytes",
                                  worst->lanes, worst->sectors.size(), worst->least,
                                  host::Coalescing::kLine)
                        .str(),
                    "n");
    sheet.skip();
    drawWarp(sheet, *worst);
  }
  for (const host::AccessTile &tile : accesses.tiles) {
    if (tile.site != index)
      continue;
    sheet.writeText(host::describeTile(accesses, tile), "");
    const host::TileMap map = host::makeMap(tile, site.shape, host::kPictureMap);
    if (map.cells.size() < 2)
      continue;
    sheet.writeText("tile, " + host::describeCells(map, "cell") + ": " + host::kTileLetters, "n");
    sheet.skip();
    sheet.draw(makeMap(accesses, tile));
    sheet.skip();
  }
  sheet.skip();
}

void picture::writeSvg(llvm::raw_ostream &os, llvm::StringRef title,
                       const host::Accesses &accesses) {
  Sheet sheet;
  sheet.writeText(title, "h");
  sheet.skip();
  for (const host::TensorAccess &tensor : accesses.tensors)
    drawTensor(sheet, accesses, tensor);
  if (!accesses.sites.empty())
    sheet.writeText(host::kHowCounted, "n");
  sheet.skip();
  for (size_t index = 0; index < accesses.sites.size(); ++index)
    drawSite(sheet, accesses, index);
  for (const std::string &finding : accesses.findings)
    sheet.writeText("found: " + finding, "");
  sheet.skip();
  sheet.write(os, title, kStyle);
}

void picture::writeHtml(llvm::raw_ostream &os, llvm::StringRef title,
                        const host::Accesses &accesses) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << "<p>Pointing at a cell names its elements, and marks the cells of the same program.</p>\n"
         "<div class=\"scroll\">\n";
  writeSvg(out, title, accesses);
  out << "</div>\n" << kMarkScript;
  writePage(os, title, body);
}
