// See Show.h.
#include "tools/tilerun/command/Findings.h"
#include "tools/tilerun/command/Show.h"
#include "tools/tilerun/host/AccessText.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::command;
using host::Use;

/// Rows of letters, each after its name.
static void printRows(llvm::raw_ostream &os, Painter &painter, const host::MapShape &map,
                      llvm::function_ref<std::string(size_t row)> getName,
                      llvm::function_ref<char(size_t cell)> getLetter) {
  std::vector<std::string> names;
  size_t width = 0;
  for (size_t row = 0; row < map.rows; ++row) {
    names.push_back(getName(row));
    width = std::max(width, names.back().size());
  }
  for (size_t row = 0; row < map.rows; ++row) {
    os << "    " << names[row] << std::string(width - names[row].size() + 1, ' ');
    std::string letters;
    for (size_t column = 0; column < map.columns; ++column)
      letters += getLetter(row * map.columns + column);
    for (char letter : llvm::StringRef(letters).rtrim(' '))
      if (letter == '!')
        painter.paint(llvm::raw_ostream::RED, "!");
      else
        os << letter;
    os << "\n";
  }
}

static void printMap(llvm::raw_ostream &os, Painter &painter, const host::TensorAccess &tensor,
                     Use use) {
  const host::AccessMap map = makeMap(tensor, use, host::kTextMap);
  const bool hasRaces = !tensor.races.empty();
  os << "  " << host::describeUse(tensor, use) << "\n";
  if (map.cells.size() < 2)
    return;
  os << "  map, " << host::describeCells(map, "letter") << ": "
     << host::describeLetters(map, hasRaces) << "\n";
  printRows(
      os, painter, map,
      [&](size_t row) {
        return host::formatIndex(
            host::unravel(map.cells[row * map.columns].first, tensor.tensor.shape));
      },
      [&](size_t cell) { return host::getLetter(map.cells[cell], hasRaces); });
}

static void printTensor(llvm::raw_ostream &os, Painter &painter, const host::Accesses &accesses,
                        const host::TensorAccess &tensor) {
  os << tensor.describe() << "\n";
  for (Use use : {Use::Read, Use::Write})
    if (host::count(tensor, use).touched)
      printMap(os, painter, tensor, use);
  if (const std::string untouched = host::describeUntouched(accesses, tensor); !untouched.empty())
    os << "  " << untouched << "\n";
  for (const host::Race &race : tensor.races) {
    os << "  ";
    painter.paint(llvm::raw_ostream::RED, "race");
    os << ": " << host::describeRace(race) << "\n";
  }
}

static void printSite(llvm::raw_ostream &os, Painter &painter, Session &session,
                      const host::Accesses &accesses, const host::AccessSite &site) {
  os << host::describeSite(accesses, site) << "\n";
  printLine(os, painter, session, {site.file, site.line, site.column});
  for (const std::string &fact : host::describeFacts(site))
    os << "  " << fact << "\n";
}

static void printTile(llvm::raw_ostream &os, Painter &painter, const host::Accesses &accesses,
                      const host::AccessTile &tile) {
  const host::AccessSite &site = accesses.sites[tile.site];
  os << "  " << host::describeTile(accesses, tile) << "\n";
  const host::TileMap map = makeMap(tile, site.shape, host::kTextMap);
  if (map.cells.size() < 2)
    return;
  printRows(
      os, painter, map,
      [&](size_t row) {
        return host::formatIndex(host::unravel(map.cells[row * map.columns].first, site.shape));
      },
      [&](size_t cell) { return host::getLetter(map.cells[cell]); });
}

void command::printAccesses(llvm::raw_ostream &os, Session &session,
                            const host::Accesses &accesses) {
  Painter painter(os, useColor(session.options.color, llvm::outs()));
  for (const host::TensorAccess &tensor : accesses.tensors)
    printTensor(os, painter, accesses, tensor);
  if (!accesses.sites.empty())
    os << host::kHowCounted << "\n";
  for (auto [index, site] : llvm::enumerate(accesses.sites)) {
    printSite(os, painter, session, accesses, site);
    for (const host::AccessTile &tile : accesses.tiles)
      if (tile.site == index)
        printTile(os, painter, accesses, tile);
  }
  for (const std::string &finding : accesses.findings) {
    painter.paint(llvm::raw_ostream::RED, "found: ");
    os << finding << "\n";
  }
}
