// What `tilerun bench` measured, and the forms that it is shown in.
#pragma once

#include "tools/tilerun/command/Output.h"
#include "tools/tilerun/picture/ChartPicture.h"

namespace tilerun::command {

/// One launch at one point of the sweep.
struct BenchPoint {
  size_t line = 0;                         ///< Index in BenchResult::lines.
  size_t x = 0;                            ///< Index in BenchResult::xs.
  std::vector<double> milliseconds;        ///< Of the runs, ascending; empty: it failed.
  std::optional<double> bytes, operations; ///< Of one run; none: they are not known.
  std::string note; ///< Why it failed, or why bytes and operations are not known.

  double getMedian() const { return milliseconds[milliseconds.size() / 2]; }
  double getSeconds() const { return std::max(getMedian() * 1e-3, 1e-12); }
  std::optional<double> getGigabytes() const {
    return bytes ? std::optional(*bytes / getSeconds() * 1e-9) : std::nullopt;
  }
  std::optional<double> getTeraflops() const {
    return operations ? std::optional(*operations / getSeconds() * 1e-12) : std::nullopt;
  }
};

struct BenchDevice {
  std::string id, name;
  bool isInterpreter = false;
  std::optional<double> peakGigabytes; ///< Measured by copying; none for the interpreter.
  std::optional<double> peakTeraflops; ///< Measured by products, if kernels make some.
};

/// A kernel on a device in a configuration, or a reference beside it.
struct BenchLine {
  std::string label; ///< The part that tells it from the others.
  std::string target;
  size_t device = 0; ///< Index in BenchResult::devices.
  std::vector<std::string> arguments;
  bool isExpression = false; ///< `target` is one, which the host computes.
};

enum class Metric { Gigabytes, Teraflops, Milliseconds };

struct BenchResult {
  std::string title, xName;
  std::vector<std::string> xs; ///< Texts of the sweep's values.
  std::vector<BenchDevice> devices;
  std::vector<BenchLine> lines;
  std::vector<BenchPoint> points;       ///< By x, then by line.
  Metric metric = Metric::Milliseconds; ///< Of charts.

  std::optional<double> getValue(const BenchPoint &point) const;
  /// Bandwidth as a share of what copying reaches on the device.
  std::optional<double> getShareOfCopy(const BenchPoint &point) const;
  /// Operations as a share of what products of float16 reach there.
  std::optional<double> getShareOfDot(const BenchPoint &point) const;
  bool hasInterpreter() const;
};

/// "GB/s", …
const char *getUnit(Metric metric);

void printTable(llvm::raw_ostream &os, const BenchResult &result);
void writeCsv(llvm::raw_ostream &os, const BenchResult &result);
llvm::json::Object toJson(const BenchResult &result);
/// A line for each of the result's, and one for what copying reaches.
picture::Chart makeChart(const BenchResult &result);

} // namespace tilerun::command
