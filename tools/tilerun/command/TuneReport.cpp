// See TuneReport.h.
#include "tools/tilerun/command/TuneReport.h"

#include "tools/tilerun/command/OutputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace tilerun;
using namespace tilerun::command;

static constexpr const char *kUnset = "-";

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static llvm::StringRef findSetting(const TuneReport::Way &way, llvm::StringRef name) {
  for (const auto &[setting, value] : way.settings)
    if (setting == name)
      return value;
  return kUnset;
}

static std::optional<int64_t> toInteger(llvm::StringRef text) {
  int64_t number = 0;
  return text.getAsInteger(10, number) ? std::nullopt : std::optional(number);
}

std::vector<TuneAxis> command::listAxes(const TuneReport &report) {
  std::vector<TuneAxis> axes;
  for (const TuneReport::Way &way : report.ways)
    for (const auto &[name, value] : way.settings)
      if (llvm::none_of(axes, [&](const TuneAxis &axis) { return axis.name == name; }))
        axes.push_back({name, {}});
  for (TuneAxis &axis : axes) {
    for (const TuneReport::Way &way : report.ways) {
      const std::string value = findSetting(way, axis.name).str();
      if (!llvm::is_contained(axis.values, value))
        axis.values.push_back(value);
    }
    if (llvm::all_of(axis.values, [](const std::string &v) { return toInteger(v).has_value(); }))
      llvm::sort(axis.values, [](const std::string &a, const std::string &b) {
        return *toInteger(a) < *toInteger(b);
      });
  }
  return axes;
}

// The axes of a map: those that are named, or the two with the most values.
static llvm::Expected<std::vector<TuneAxis>> chooseAxes(const TuneReport &report,
                                                        llvm::StringRef named) {
  std::vector<TuneAxis> all = listAxes(report);
  std::vector<TuneAxis> chosen;
  if (named.empty()) {
    // What is the same everywhere is not an axis, unless nothing else is there.
    while (chosen.size() < 2 && !all.empty()) {
      auto largest = llvm::max_element(all, [](const TuneAxis &a, const TuneAxis &b) {
        return a.values.size() < b.values.size();
      });
      if (!chosen.empty() && largest->values.size() < 2)
        break;
      chosen.push_back(std::move(*largest));
      all.erase(largest);
    }
    if (chosen.empty())
      return makeUsageError("the configurations of '" + report.kernel +
                            "' set no parameter that could be an axis; list values with --vary");
    return chosen;
  }
  llvm::SmallVector<llvm::StringRef> names;
  named.split(names, ',');
  for (llvm::StringRef name : names) {
    name = name.trim();
    auto it = llvm::find_if(all, [&](const TuneAxis &axis) { return axis.name == name; });
    std::string known;
    for (const TuneAxis &axis : all)
      known += (known.empty() ? "" : ", ") + axis.name;
    if (it == all.end())
      return makeUsageError("--axes: no configuration sets '" + name + "'; axes are " + known);
    chosen.push_back(*it);
  }
  if (chosen.size() > 2 || (chosen.size() == 2 && chosen[0].name == chosen[1].name))
    return makeUsageError("--axes takes one name or two different ones, not '" + named + "'");
  return chosen;
}

llvm::Expected<picture::HeatMap> command::makeHeatMap(const TuneReport &report,
                                                      llvm::StringRef axes) {
  TILERUN_TRY_VALUE(chosen, chooseAxes(report, axes));
  picture::HeatMap map;
  map.title = report.kernel + " on " + report.device;
  map.unit = "ms";
  map.xName = chosen[0].name;
  map.xs = chosen[0].values;
  map.ys = {""};
  if (chosen.size() == 2) {
    map.yName = chosen[1].name;
    map.ys = chosen[1].values;
  }
  std::string others;
  for (const TuneAxis &axis : listAxes(report))
    if (axis.values.size() > 1 && axis.name != map.xName && axis.name != map.yName)
      others += (others.empty() ? "" : ", ") + axis.name;
  if (!others.empty())
    map.note = "each the fastest over " + others;
  if (report.isHost)
    map.note += std::string(map.note.empty() ? "" : "; ") + "times of the host, not of a GPU";
  map.cells.resize(map.xs.size() * map.ys.size());
  for (auto [way, measurement] : llvm::zip(report.ways, report.result.measurements)) {
    const auto x = llvm::find(map.xs, findSetting(way, map.xName)) - map.xs.begin();
    const auto y =
        map.yName.empty() ? 0 : llvm::find(map.ys, findSetting(way, map.yName)) - map.ys.begin();
    picture::HeatMap::Cell &cell = map.cells[size_t(y) * map.xs.size() + size_t(x)];
    if (!measurement.status.isOk()) {
      if (!cell.value && cell.text.empty())
        cell.text = llvm::StringRef(measurement.status.getMessage()).split('\n').first.trim().str();
    } else if (!cell.value || measurement.milliseconds < *cell.value) {
      cell = {measurement.milliseconds, way.text};
    }
  }
  return map;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void command::print(llvm::raw_ostream &os, const TuneReport &report) {
  const tune::Result &result = report.result;
  for (auto [i, m] : llvm::enumerate(result.measurements)) {
    os << "  " << report.ways[i].text << ": ";
    if (m.status.isOk())
      os << llvm::format("%.4f ms", m.milliseconds) << (m.rough ? " (not measured further)" : "")
         << (i == result.best ? "  <- best" : "") << "\n";
    else
      os << "skipped: " << llvm::StringRef(m.status.getMessage()).split('\n').first
         << (m.pruned ? " (not compiled)" : "") << "\n";
  }
}

void command::writeCsv(llvm::raw_ostream &os, const TuneReport &report) {
  const std::vector<TuneAxis> axes = listAxes(report);
  os << "configuration";
  for (const TuneAxis &axis : axes)
    os << "," << quoteCsv(axis.name);
  os << ",milliseconds,rough,best,pruned,error\n";
  for (auto [i, m] : llvm::enumerate(report.result.measurements)) {
    const TuneReport::Way &way = report.ways[i];
    os << quoteCsv(way.text);
    for (const TuneAxis &axis : axes)
      os << "," << quoteCsv(findSetting(way, axis.name));
    os << ",";
    if (m.status.isOk())
      os << llvm::format("%.9g", m.milliseconds);
    os << "," << m.rough << "," << (i == report.result.best) << "," << m.pruned << ","
       << quoteCsv(m.status.isOk() ? "" : m.status.getMessage()) << "\n";
  }
}

llvm::json::Object command::toJson(const TuneReport &report) {
  const tune::Result &result = report.result;
  llvm::json::Array configs;
  for (auto [i, way] : llvm::enumerate(report.ways)) {
    llvm::json::Object settings;
    for (const auto &[name, value] : way.settings)
      settings[jsonText(name)] = jsonText(value);
    llvm::json::Object object{{"config", jsonText(way.text)}, {"settings", std::move(settings)}};
    if (i < result.measurements.size()) {
      const tune::Measurement &m = result.measurements[i];
      object["ok"] = m.status.isOk();
      if (m.status.isOk())
        object["milliseconds"] = jsonNumber(m.milliseconds);
      else
        object["error"] = jsonText(m.status.getMessage());
      object["rough"] = m.rough;
      object["pruned"] = m.pruned;
    }
    configs.push_back(std::move(object));
  }
  return llvm::json::Object{{"kernel", jsonText(report.kernel)},
                            {"device", jsonText(report.device)},
                            {"best", static_cast<int64_t>(result.best)},
                            {"milliseconds", jsonNumber(result.milliseconds)},
                            {"from_cache", result.fromCache},
                            {"configs", std::move(configs)}};
}
