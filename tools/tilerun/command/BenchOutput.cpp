// The forms of a benchmark: a table with bars, CSV, JSON, and a chart.
#include "tools/tilerun/command/Bench.h"

#include "tools/tilerun/command/Measure.h"
#include "tools/tilerun/command/OutputFiles.h"
#include "tools/tilerun/picture/ChartPicture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::command;

static std::optional<double> divide(std::optional<double> a, std::optional<double> b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

const char *command::getUnit(Metric metric) {
  switch (metric) {
  case Metric::Gigabytes:
    return "GB/s";
  case Metric::Teraflops:
    return "TFLOP/s";
  case Metric::Milliseconds:
    return "ms";
  }
  llvm_unreachable("unknown metric");
}

std::optional<double> BenchResult::getValue(const BenchPoint &point) const {
  if (point.milliseconds.empty())
    return std::nullopt;
  switch (metric) {
  case Metric::Gigabytes:
    return point.getGigabytes();
  case Metric::Teraflops:
    return point.getTeraflops();
  case Metric::Milliseconds:
    return point.getMedian();
  }
  llvm_unreachable("unknown metric");
}

std::optional<double> BenchResult::getShareOfCopy(const BenchPoint &point) const {
  if (point.milliseconds.empty())
    return std::nullopt;
  return divide(point.getGigabytes(), devices[lines[point.line].device].peakGigabytes);
}

std::optional<double> BenchResult::getShareOfDot(const BenchPoint &point) const {
  if (point.milliseconds.empty())
    return std::nullopt;
  return divide(point.getTeraflops(), devices[lines[point.line].device].peakTeraflops);
}

bool BenchResult::hasInterpreter() const {
  return llvm::any_of(devices, [](const BenchDevice &device) { return device.isInterpreter; });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string formatOptional(std::optional<double> value) {
  std::string text = "-";
  if (value && *value < 0.01 && *value > 0) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.2e", *value);
  } else if (value) {
    text = formatDigits(*value);
  }
  return text;
}

/// Half the distance between the quartiles, as a share of the median.
static double getSpread(const BenchPoint &point) {
  const std::vector<double> &sorted = point.milliseconds;
  const size_t n = sorted.size();
  return (sorted[n - 1 - n / 4] - sorted[n / 4]) / 2 / std::max(point.getMedian(), 1e-9);
}

void command::printTable(llvm::raw_ostream &os, const BenchResult &result) {
  using Row = std::vector<std::string>;
  auto knows = [&](std::optional<double> BenchDevice::*peak) {
    return llvm::any_of(result.devices,
                        [&](const BenchDevice &d) { return (d.*peak).has_value(); });
  };
  const bool hasCopies = knows(&BenchDevice::peakGigabytes),
             hasDots = knows(&BenchDevice::peakTeraflops);
  auto formatShare = [](std::optional<double> share) {
    return share ? llvm::formatv("{0:F1} %", 100 * *share).str() : std::string("-");
  };
  std::vector<Row> rows = {{result.xName, "", "time", "+-", "GB/s"}};
  if (hasCopies)
    rows[0].push_back("% of copy");
  rows[0].push_back("TFLOP/s");
  if (hasDots)
    rows[0].push_back("% of dot");
  double most = 0;
  for (const BenchPoint &point : result.points)
    most = std::max(most, result.getValue(point).value_or(0));
  std::vector<std::string> bars = {getUnit(result.metric)};
  for (const BenchPoint &point : result.points) {
    const bool works = !point.milliseconds.empty();
    const std::optional<double> value = result.getValue(point);
    Row row = {result.xs[point.x], result.lines[point.line].label,
               works ? formatSeconds(point.getSeconds()) : "failed",
               works ? llvm::formatv("{0:F0} %", 100 * getSpread(point)).str() : "-",
               formatOptional(works ? point.getGigabytes() : std::nullopt)};
    if (hasCopies)
      row.push_back(formatShare(result.getShareOfCopy(point)));
    row.push_back(formatOptional(works ? point.getTeraflops() : std::nullopt));
    if (hasDots)
      row.push_back(formatShare(result.getShareOfDot(point)));
    rows.push_back(std::move(row));
    constexpr double kBar = 24;
    bars.push_back(value && most > 0 ? std::string(size_t(1 + (kBar - 1) * (*value / most)), '#')
                                     : "");
  }
  std::vector<size_t> widths(rows[0].size());
  for (const Row &row : rows)
    for (auto [i, cell] : llvm::enumerate(row))
      widths[i] = std::max(widths[i], cell.size());
  os << result.title << "\n";
  for (const BenchDevice &device : result.devices) {
    os << device.id << ": " << device.name;
    if (device.isInterpreter)
      os << "; " << kInterpreterTimes;
    else if (device.peakGigabytes)
      os << "; copies reach " << formatDigits(*device.peakGigabytes) << " GB/s";
    if (device.peakTeraflops)
      os << "; products of float16 " << formatOptional(device.peakTeraflops) << " TFLOP/s";
    os << "\n";
  }
  for (auto [i, row] : llvm::enumerate(rows)) {
    for (auto [column, cell] : llvm::enumerate(row)) {
      const size_t width = widths[column];
      if (!width) // There is one line, which needs no name.
        continue;
      os << (column ? "  " : "")
         << (column == 1 ? llvm::left_justify(cell, width) : llvm::right_justify(cell, width));
    }
    os << (bars[i].empty() ? "" : "  ") << bars[i] << "\n";
  }
}

//===----------------------------------------------------------------------===//
// CSV and JSON
//===----------------------------------------------------------------------===//

void command::writeCsv(llvm::raw_ostream &os, const BenchResult &result) {
  os << quoteCsv(result.xName)
     << ",kernel,device,configuration,milliseconds,fastest,slowest,runs,bytes,operations,"
        "gigabytes_per_second,share_of_copy,teraflops_per_second,share_of_dot,note\n";
  auto number = [&](std::optional<double> value) {
    os << ",";
    if (value)
      os << llvm::format("%.9g", *value);
  };
  for (const BenchPoint &point : result.points) {
    const BenchLine &line = result.lines[point.line];
    const bool works = !point.milliseconds.empty();
    os << quoteCsv(result.xs[point.x]) << "," << quoteCsv(line.target) << ","
       << quoteCsv(result.devices[line.device].id) << ","
       << quoteCsv(llvm::join(line.arguments, " "));
    number(works ? std::optional(point.getMedian()) : std::nullopt);
    number(works ? std::optional(point.milliseconds.front()) : std::nullopt);
    number(works ? std::optional(point.milliseconds.back()) : std::nullopt);
    os << "," << point.milliseconds.size();
    number(point.bytes);
    number(point.operations);
    number(works ? point.getGigabytes() : std::nullopt);
    number(result.getShareOfCopy(point));
    number(works ? point.getTeraflops() : std::nullopt);
    number(result.getShareOfDot(point));
    os << "," << quoteCsv(point.note) << "\n";
  }
}

llvm::json::Object command::toJson(const BenchResult &result) {
  auto number = [](std::optional<double> value) {
    return value ? jsonNumber(*value) : llvm::json::Value(nullptr);
  };
  llvm::json::Array points;
  for (const BenchPoint &point : result.points) {
    const BenchLine &line = result.lines[point.line];
    llvm::json::Object object{{"x", jsonText(result.xs[point.x])},
                              {"line", jsonText(line.label)},
                              {"kernel", jsonText(line.target)},
                              {"device", jsonText(result.devices[line.device].id)},
                              {"configuration", jsonTexts(line.arguments)},
                              {"ok", !point.milliseconds.empty()},
                              {"bytes", number(point.bytes)},
                              {"operations", number(point.operations)}};
    if (!point.milliseconds.empty()) {
      object["milliseconds"] = jsonNumber(point.getMedian());
      object["fastest"] = jsonNumber(point.milliseconds.front());
      object["slowest"] = jsonNumber(point.milliseconds.back());
      object["runs"] = static_cast<int64_t>(point.milliseconds.size());
      object["gigabytes_per_second"] = number(point.getGigabytes());
      object["share_of_copy"] = number(result.getShareOfCopy(point));
      object["teraflops_per_second"] = number(point.getTeraflops());
      object["share_of_dot"] = number(result.getShareOfDot(point));
    }
    if (!point.note.empty())
      object["note"] = jsonText(point.note);
    points.push_back(std::move(object));
  }
  return llvm::json::Object{
      {"status", "ok"},
      {"exit_code", 0},
      {"title", jsonText(result.title)},
      {"x", jsonText(result.xName)},
      {"devices", jsonArray(result.devices,
                            [&](const BenchDevice &device) {
                              return llvm::json::Object{
                                  {"id", jsonText(device.id)},
                                  {"name", jsonText(device.name)},
                                  {"interpreter", device.isInterpreter},
                                  {"copy_gigabytes_per_second", number(device.peakGigabytes)},
                                  {"dot_teraflops_per_second", number(device.peakTeraflops)}};
                            })},
      {"points", std::move(points)}};
}

//===----------------------------------------------------------------------===//
// Chart
//===----------------------------------------------------------------------===//

picture::Chart command::makeChart(const BenchResult &result) {
  picture::Chart chart;
  chart.title = result.title;
  chart.xName = result.xName;
  chart.unit = getUnit(result.metric);
  chart.xs = result.xs;
  for (const BenchDevice &device : result.devices) {
    chart.note += (chart.note.empty() ? "" : "; ") + device.id + ": " + device.name;
    if (device.isInterpreter)
      chart.note += std::string(", ") + kInterpreterTimes;
  }
  for (const BenchLine &line : result.lines)
    chart.lines.push_back({line.label.empty() ? line.target : line.label,
                           std::vector<std::optional<double>>(result.xs.size())});
  for (const BenchPoint &point : result.points)
    chart.lines[point.line].ys[point.x] = result.getValue(point);
  // The line to reach.
  if (result.metric == Metric::Gigabytes)
    for (const BenchDevice &device : result.devices)
      if (device.peakGigabytes)
        chart.lines.push_back(
            {"copy on " + device.id,
             std::vector<std::optional<double>>(result.xs.size(), device.peakGigabytes)});
  if (result.metric == Metric::Teraflops)
    for (const BenchDevice &device : result.devices)
      if (device.peakTeraflops)
        chart.lines.push_back(
            {"products on " + device.id,
             std::vector<std::optional<double>>(result.xs.size(), device.peakTeraflops)});
  return chart;
}
