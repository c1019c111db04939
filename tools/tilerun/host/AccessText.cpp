// See AccessText.h.
#include "tools/tilerun/host/AccessText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun;
using namespace tilerun::host;

/// At most one digit after the point, which is not shown if it is 0.
static std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f", value);
  llvm::StringRef shown = text;
  shown.consume_back(".0");
  return shown.str();
}

std::string host::formatShare(uint64_t part, uint64_t all) {
  return formatNumber(all ? 100 * double(part) / double(all) : 0) + "%";
}

static std::string times(uint64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

std::string host::describeUse(const TensorAccess &tensor, Use use) {
  const UseCount counted = count(tensor, use);
  const bool isRead = use == Use::Read;
  const char *verb = isRead ? "read" : tensor.isAtomic ? "written, atomically" : "written";
  std::string text =
      llvm::formatv("{0}: {1} of {2} elements, {3} in all", verb, counted.touched, counted.elements,
                    times(isRead ? tensor.timesRead : tensor.timesWritten));
  if (counted.bySeveral)
    text += llvm::formatv("; {0} of them by several programs, up to {1}", counted.bySeveral,
                          counted.most);
  return text;
}

std::string host::describeUntouched(const Accesses &accesses, const TensorAccess &tensor) {
  const int64_t untouched = countUntouched(tensor);
  if (accesses.program || !untouched)
    return "";
  return llvm::formatv("{0} of {1} elements are never touched", untouched,
                       tensor.tensor.numElements());
}

std::string host::describeLetters(const AccessMap &map, bool hasRaces) {
  std::string used;
  for (const AccessMap::Cell &cell : map.cells)
    used += getLetter(cell, hasRaces);
  auto has = [&](auto matches) { return llvm::any_of(used, matches); };
  std::string text;
  auto add = [&](bool isUsed, llvm::StringRef part) {
    if (isUsed)
      text += (text.empty() ? "" : "; ") + part.str();
  };
  add(has(llvm::isAlpha), "the program, 'a' is the first");
  add(has([](char c) { return llvm::isDigit(c) || c == '+'; }),
      "a number: so many programs, '+' more than 9");
  add(has([](char c) { return c == '~'; }), "'~' several programs, each its own elements");
  add(has([](char c) { return c == '!'; }), "'!' programs in conflict");
  add(has([](char c) { return c == '.'; }), "'.' nobody");
  return text;
}

std::string host::describeRace(const Race &race) {
  return llvm::formatv("{0}: program ({1}, {2}, {3}): {4}{5}", race.place, race.program[0],
                       race.program[1], race.program[2], race.message,
                       race.count > 1 ? "; " + times(race.count) + " at this place" : "");
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string host::describeSite(const Accesses &accesses, const AccessSite &site) {
  const Coalescing &lanes = site.coalescing;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (site.line)
    os << site.file << ":" << site.line << ":" << site.column << ": ";
  os << site.operation
     << (site.operation == "load"    ? " from "
         : site.operation == "store" ? " to "
                                     : " of ");
  llvm::interleave(
      site.tensors, os, [&](size_t tensor) { os << accesses.tensors[tensor].name; }, ", ");
  if (site.tensors.empty())
    os << "no tensor";
  os << (site.shape.empty() ? ", scalar" : ", tile " + formatIndex(site.shape)) << ": "
     << times(lanes.getNumExecutions());
  if (!accesses.program)
    os << " by " << site.programs << (site.programs == 1 ? " program" : " programs");
  if (lanes.getNumOff())
    os << "; " << lanes.getNumOff() << " of " << lanes.getNumLanes() << " lanes are masked off ("
       << formatShare(lanes.getNumOff(), lanes.getNumLanes()) << ")";
  if (site.outside)
    os << "; " << site.outside << " lanes are outside of all tensors";
  for (const std::string &caller : site.callers)
    os << "; called at " << caller;
  return text;
}

std::vector<std::string> host::describeFacts(const AccessSite &site) {
  const Coalescing &lanes = site.coalescing;
  const uint64_t on = lanes.getNumLanes() - lanes.getNumOff();
  const Coalescing::Runs &runs = lanes.getRuns();
  if (!runs.count || site.shape.empty())
    return {llvm::formatv("{0} bytes a lane, {1} bytes in all", site.bytes, on * site.bytes)};
  std::vector<std::string> out;
  std::string lengths = formatNumber(double(on) / double(runs.count));
  if (runs.shortest != runs.longest)
    lengths = llvm::formatv("{0} to {1}, {2} on average", runs.shortest, runs.longest, lengths);
  out.push_back(llvm::formatv(
      "{0} bytes a lane, {1} bytes in all; lanes that follow each other in memory: {2}, along "
      "dimension {3}",
      site.bytes, on * site.bytes, lengths, lanes.getOrder().front()));
  auto describe = [&](const Coalescing::Touched &touched, unsigned size, const char *name) {
    const double warps = double(lanes.getNumWarps());
    return llvm::formatv("{0} of {1} bytes a warp: {2}, at least {3}: {4} efficient", name, size,
                         formatNumber(double(touched.units) / warps),
                         formatNumber(double(touched.least) / warps),
                         formatShare(touched.least, touched.units))
        .str();
  };
  out.push_back(describe(lanes.getSectors(), Coalescing::kSector, "sectors") + "; " +
                describe(lanes.getLines(), Coalescing::kLine, "lines"));
  const uint64_t all = lanes.getNumVectors(), possible = lanes.getNumPossibleVectors();
  std::string vectors =
      llvm::formatv("accesses of {0} bytes are possible for ", Coalescing::kVector);
  if (possible == all)
    vectors += "all lanes";
  else
    vectors += llvm::formatv("{0} of {1} groups of {2} lanes", possible, all,
                             Coalescing::kVector / site.bytes);
  out.push_back(
      vectors +
      llvm::formatv("; runs begin at multiples of {0} bytes", lanes.getAlignment()).str());
  return out;
}

std::string host::describeLane(const Accesses &accesses, const AccessTile::Lane &lane) {
  if (!lane.isOn)
    return "masked off";
  if (lane.tensor == SIZE_MAX)
    return "outside of all tensors";
  const TensorAccess &tensor = accesses.tensors[lane.tensor];
  if (lane.position < 0)
    return "between the elements of " + tensor.name;
  return tensor.name + formatIndex(unravel(lane.position, tensor.tensor.shape));
}

std::string host::describeTile(const Accesses &accesses, const AccessTile &tile) {
  auto isOn = [](const AccessTile::Lane &lane) { return lane.isOn; };
  const auto on = llvm::count_if(tile.lanes, isOn);
  std::string text = llvm::formatv("execution {0} of {1}: ", tile.execution,
                                   accesses.sites[tile.site].coalescing.getNumExecutions());
  if (on) {
    const AccessTile::Lane &first = *llvm::find_if(tile.lanes, isOn);
    const AccessTile::Lane &last = *llvm::find_if(llvm::reverse(tile.lanes), isOn);
    text += describeLane(accesses, first);
    if (on > 1)
      text += " to " + describeLane(accesses, last);
    text += "; ";
  }
  return text + llvm::formatv("{0} of {1} lanes are on", on, tile.lanes.size()).str();
}
