// See Mismatch.h.
#include "tools/tilerun/host/Mismatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>
#include <map>

using namespace tilerun;
using namespace tilerun::host;

std::optional<uint64_t> Writers::find(uint64_t byte) const {
  auto next =
      llvm::upper_bound(runs, byte, [](uint64_t b, const Run &run) { return b < run.begin; });
  if (next == runs.begin())
    return std::nullopt;
  const Run &run = *std::prev(next);
  if (byte - run.begin >= run.bytes)
    return std::nullopt;
  return run.program;
}

namespace {

/// Bins by the decimal exponent of the error.
class Histogram {
public:
  static constexpr int kMostDecades = 12;

  void add(const ElementError &element) {
    Counts &counts = std::isinf(element.error) ? notFinite
                     : element.error == 0      ? equal
                                               : byExponent[getExponent(element.error)];
    ++counts.elements;
    counts.mismatches += !element.matches;
  }

  std::vector<ErrorBin> take() const {
    std::vector<ErrorBin> bins;
    auto add = [&](double from, double to, const Counts &counts) {
      bins.push_back({from, to, counts.elements, counts.mismatches});
    };
    if (equal.elements)
      add(0, 0, equal);
    const int last = byExponent.empty() ? 0 : byExponent.rbegin()->first;
    int first = byExponent.empty() ? 1 : byExponent.begin()->first;
    if (last - first >= kMostDecades) {
      // Errors so much smaller than the largest one are the same to a reader.
      first = last - kMostDecades + 1;
      Counts below;
      for (const auto &[exponent, counts] : byExponent)
        if (exponent < first) {
          below.elements += counts.elements;
          below.mismatches += counts.mismatches;
        }
      add(0, std::pow(10, first), below);
    }
    for (int e = first; e <= last; ++e) {
      auto found = byExponent.find(e);
      add(std::pow(10, e), std::pow(10, e + 1),
          found == byExponent.end() ? Counts() : found->second);
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (notFinite.elements)
      add(kInfinity, kInfinity, notFinite);
    return bins;
  }

private:
  struct Counts {
    int64_t elements = 0, mismatches = 0;
  };
  static int getExponent(double error) {
    int e = static_cast<int>(std::floor(std::log10(error)));
    // The logarithm of a number just below a power of ten may be rounded up to it.
    if (std::pow(10, e) > error)
      --e;
    return e;
  }
  Counts equal, notFinite;
  std::map<int, Counts> byExponent;
};

void addTo(TensorMap &map, const ElementError &element, std::optional<uint64_t> program) {
  TensorMap::Cell &cell = map.cells[map.findCell(element.position)];
  if (!cell.elements++) {
    cell.first = element.position;
    cell.program = program;
  }
  cell.last = element.position;
  if (!element.matches && !cell.mismatches++)
    cell.program = program;
}

} // namespace

MismatchReport host::analyzeMismatch(const Tensor &tensor, ForEachError forEach,
                                     const Writers *writers, MapSize mapSize) {
  MismatchReport report;
  report.hasPrograms = writers && writers->complete;
  static_cast<MapShape &>(report.map) = chooseMap(tensor.shape, mapSize);
  report.map.cells.resize(report.map.rows * report.map.columns);
  Histogram histogram;
  // Nobody comes last.
  std::map<uint64_t, ProgramErrors> programs;
  constexpr uint64_t kNobody = std::numeric_limits<uint64_t>::max();
  bool any = false;
  forEach([&](const ElementError &element) {
    histogram.add(element);
    const auto program = report.hasPrograms ? writers->find(element.at) : std::optional<uint64_t>();
    addTo(report.map, element, program);
    if (!element.matches && !std::exchange(any, true))
      report.firstProgram = program;
    if (!report.hasPrograms)
      return;
    ProgramErrors &errors = programs[program.value_or(kNobody)];
    errors.program = program;
    ++errors.elements;
    if (!element.matches && !errors.mismatches++)
      errors.first = element.position;
  });
  report.histogram = histogram.take();
  for (const auto &[number, errors] : programs)
    if (errors.mismatches)
      report.programs.push_back(errors);
  return report;
}

std::string host::describe(const ErrorBin &bin) {
  if (bin.to == 0)
    return "0";
  if (std::isinf(bin.from))
    return "NaN, infinity";
  auto power = [](double value) { return "1e" + llvm::itostr(std::lround(std::log10(value))); };
  return bin.from == 0 ? "below " + power(bin.to) : power(bin.from) + " to " + power(bin.to);
}

char host::getLetter(const TensorMap::Cell &cell, bool hasPrograms) {
  if (!cell.elements)
    return ' ';
  if (!hasPrograms)
    return cell.mismatches ? 'X' : '-';
  if (!cell.program)
    return cell.mismatches ? '!' : '.';
  return static_cast<char>((cell.mismatches ? 'A' : 'a') + *cell.program % 26);
}
