// See Show.h.
#include "tools/tilerun/command/Show.h"

using namespace tilerun;
using namespace tilerun::command;
using host::Use;
using llvm::json::Array;
using llvm::json::Object;

static Object toJson(const host::MapShape &map, Array rows) {
  return Object{{"cell_rows", map.cellRows},
                {"cell_columns", map.cellColumns},
                {"row_length", map.rowLength},
                {"rows", std::move(rows)}};
}

/// A string for each row of the map.
template <typename Map, typename Letter>
static Array makeRows(const Map &map, const Letter &getLetter) {
  Array rows;
  for (size_t row = 0; row < map.rows; ++row) {
    std::string letters;
    for (size_t column = 0; column < map.columns; ++column)
      letters += getLetter(map.cells[row * map.columns + column]);
    rows.push_back(std::move(letters));
  }
  return rows;
}

static Object toJson(const host::TensorAccess &tensor, Use use) {
  const host::UseCount counted = host::count(tensor, use);
  const host::AccessMap map = makeMap(tensor, use, host::kTextMap);
  return Object{{"elements", counted.touched},
                {"by_several_programs", counted.bySeveral},
                {"most_programs", counted.most},
                {"times", use == Use::Read ? tensor.timesRead : tensor.timesWritten},
                {"map", toJson(map, makeRows(map, [&](const host::AccessMap::Cell &cell) {
                                 return host::getLetter(cell, !tensor.races.empty());
                               }))}};
}

static Object toJson(const host::Race &race) {
  return Object{{"message", jsonText(race.message)},           {"program", Array(race.program)},
                {"other_program", Array(race.other)},          {"position", jsonText(race.place)},
                {"other_position", jsonText(race.otherPlace)}, {"count", race.count}};
}

static Object toJson(const host::TensorAccess &tensor) {
  return Object{{"name", jsonText(tensor.name)},
                {"dtype", tensor.tensor.dtype.str()},
                {"shape", Array(tensor.tensor.shape)},
                {"read", toJson(tensor, Use::Read)},
                {"written", toJson(tensor, Use::Write)},
                {"atomic", tensor.isAtomic},
                {"untouched", host::countUntouched(tensor)},
                {"conflicts", host::count(tensor, Use::Write).conflicts},
                {"races", jsonArray(tensor.races, [](const auto &race) { return toJson(race); })}};
}

static Object toJson(const host::Coalescing::Touched &touched) {
  return Object{{"touched", touched.units},
                {"least", touched.least},
                {"efficiency", touched.getEfficiency()}};
}

static Object toJson(const host::Accesses &accesses, const host::AccessSite &site) {
  const host::Coalescing &lanes = site.coalescing;
  const host::Coalescing::Runs &runs = lanes.getRuns();
  Object object{
      {"operation", jsonText(site.operation)},
      {"position",
       Object{{"file", jsonText(site.file)}, {"line", site.line}, {"column", site.column}}},
      {"call_stack", jsonTexts(site.callers)},
      {"tensors",
       jsonArray(site.tensors, [&](size_t i) { return jsonText(accesses.tensors[i].name); })},
      {"tile", Array(site.shape)},
      {"executions", lanes.getNumExecutions()},
      {"programs", site.programs},
      {"lanes", lanes.getNumLanes()},
      {"masked_off", lanes.getNumOff()},
      {"outside", site.outside},
      {"bytes_per_lane", site.bytes},
      {"runs",
       Object{{"count", runs.count}, {"shortest", runs.shortest}, {"longest", runs.longest}}},
      {"warps", lanes.getNumWarps()},
      {"sectors", toJson(lanes.getSectors())},
      {"lines", toJson(lanes.getLines())},
      {"vectors",
       Object{{"groups", lanes.getNumVectors()}, {"possible", lanes.getNumPossibleVectors()}}}};
  if (runs.count)
    object["alignment"] = lanes.getAlignment();
  if (!lanes.getOrder().empty())
    object["fastest_dimension"] = lanes.getOrder().front();
  return object;
}

Object command::toJson(const host::Accesses &accesses) {
  const auto &grid = accesses.grid;
  Object object{
      {"grid", Array(grid)},
      {"tensors", jsonArray(accesses.tensors, [](const auto &tensor) { return ::toJson(tensor); })},
      {"accesses",
       jsonArray(accesses.sites, [&](const auto &site) { return ::toJson(accesses, site); })},
      {"findings", jsonTexts(accesses.findings)}};
  if (!accesses.program)
    return object;
  const uint64_t linear = *accesses.program;
  object["program"] =
      Array{linear % grid[0], linear / grid[0] % grid[1], linear / grid[0] / grid[1]};
  object["tiles"] = jsonArray(accesses.tiles, [&](const host::AccessTile &tile) {
    const host::TileMap map = makeMap(tile, accesses.sites[tile.site].shape, host::kTextMap);
    return Object{{"access", tile.site},
                  {"execution", tile.execution},
                  {"map", ::toJson(map, makeRows(map, [](const host::TileMap::Cell &cell) {
                                     return host::getLetter(cell);
                                   }))}};
  });
  return object;
}
