// How long a launch takes on a device: each run is between two events of its own, after a fill that
// evicts the kernel's data from the caches. Tuning and benchmarks share it, so that their times
// mean the same.
#pragma once

#include "runtime/core/Device.h"

#include <functional>
#include <vector>

namespace tilerun::tune {

/// One thread at a time; uses the stream's device memory for as long as it lives.
class Stopwatch {
public:
  explicit Stopwatch(const core::Stream &stream);
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;
  ~Stopwatch();

  /// Puts one run on the stream. Where the events are not null it calls `begin` of this with the
  /// first just before what is to be measured, and records the second just after.
  using Run = std::function<core::Status(core::Event *first, core::Event *last)>;
  core::Status begin(core::Event &event) const;

  /// Appends the milliseconds of `count` runs that follow one another.
  core::Status measureRuns(const Run &run, size_t count, std::vector<double> &milliseconds) const;
  /// Whether a median is more than `factor` times what it competes with, so that more runs cannot
  /// matter.
  using IsFar = std::function<bool(double median, double factor)>;
  /// Measures for about `rep` milliseconds, after as many of `warmup`: one run at least, a thousand
  /// at most. A run that takes all of `rep` by itself is measured once. `isFar`, if it is not null,
  /// is asked the more strictly the more runs there are: after the first three, after the first
  /// ones of the warm-up, and after a part of `rep`; if it says so, nothing more is measured.
  core::Status measure(const Run &run, double warmup, double rep, const IsFar &isFar,
                       std::vector<double> &milliseconds) const;

private:
  const core::Stream &stream;
  TilerunAddress flush = 0; ///< Twice the size of the last cache; 0: not needed.
  uint64_t flushBytes = 0;
};

/// Of at least one number; of an even count the upper one of the middle.
double getMedian(std::vector<double> numbers);

} // namespace tilerun::tune
