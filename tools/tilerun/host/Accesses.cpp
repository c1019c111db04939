// See Accesses.h.
#include "tools/tilerun/host/Accesses.h"

using namespace tilerun;
using namespace tilerun::host;

static const Programs &getPrograms(const ElementAccess &element, Use use) {
  return use == Use::Read ? element.readers : element.updaters;
}

UseCount host::count(const TensorAccess &access, Use use) {
  UseCount out;
  access.tensor.forEach([&](int64_t, uint64_t byte) {
    const ElementAccess &element = access.at(byte);
    const Programs &programs = getPrograms(element, use);
    ++out.elements;
    out.touched += programs.count > 0;
    out.bySeveral += programs.count > 1;
    out.conflicts += element.conflicts();
    out.most = std::max(out.most, programs.count);
  });
  return out;
}

int64_t host::countUntouched(const TensorAccess &access) {
  int64_t count = 0;
  access.tensor.forEach([&](int64_t, uint64_t byte) {
    const ElementAccess &element = access.at(byte);
    count += !element.readers.count && !element.updaters.count;
  });
  return count;
}

AccessMap host::makeMap(const TensorAccess &access, Use use, MapSize size) {
  AccessMap map;
  static_cast<MapShape &>(map) = chooseMap(access.tensor.shape, size);
  map.cells.resize(map.rows * map.columns);
  access.tensor.forEach([&](int64_t position, uint64_t byte) {
    const ElementAccess &element = access.at(byte);
    const Programs &programs = getPrograms(element, use);
    AccessMap::Cell &cell = map.cells[map.findCell(position)];
    if (!cell.elements++)
      cell.first = position;
    cell.last = position;
    if (!programs.count)
      return;
    if (!cell.touched++)
      cell.program = programs.first;
    if (!cell.program || !programs.areOnly(*cell.program))
      cell.program.reset();
    if (programs.count > cell.most) {
      cell.most = programs.count;
      cell.firstProgram = programs.first;
      cell.lastProgram = programs.last;
    }
    cell.conflicts += element.conflicts();
  });
  return map;
}

char host::getLetter(const AccessMap::Cell &cell, bool hasRaces) {
  if (!cell.elements)
    return ' ';
  if (!cell.touched)
    return '.';
  if (hasRaces && cell.conflicts)
    return '!';
  if (cell.most > 1)
    return cell.most < 10 ? char('0' + cell.most) : '+';
  return cell.program ? char('a' + *cell.program % 26) : '~';
}

TileMap host::makeMap(const AccessTile &tile, llvm::ArrayRef<int64_t> shape, MapSize size) {
  TileMap map;
  static_cast<MapShape &>(map) = chooseMap(shape, size);
  map.cells.resize(map.rows * map.columns);
  for (int64_t i = 0; i < int64_t(tile.lanes.size()); ++i) {
    const AccessTile::Lane &lane = tile.lanes[size_t(i)];
    TileMap::Cell &cell = map.cells[map.findCell(i)];
    if (!cell.lanes++)
      cell.first = i;
    cell.last = i;
    cell.on += lane.isOn;
    cell.outside += lane.isOn && lane.tensor == SIZE_MAX;
  }
  return map;
}

char host::getLetter(const TileMap::Cell &cell) {
  if (!cell.lanes)
    return ' ';
  if (cell.outside)
    return '!';
  return cell.on == cell.lanes ? '#' : cell.on ? '+' : '.';
}
