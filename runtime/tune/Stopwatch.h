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
  /// Measures for about `rep` milliseconds, after as many of `warmup`: one run at least, a thousand
  /// at most. A run that takes all of `rep` by itself is measured once. `isEnough` is asked after
  /// the first few, with their median, whether they do.
  core::Status measure(const Run &run, double warmup, double rep,
                       const std::function<bool(double estimate)> &isEnough,
                       std::vector<double> &milliseconds) const;

private:
  const core::Stream &stream;
  TilerunAddress flush = 0; ///< Twice the size of the last cache; 0: not needed.
  uint64_t flushBytes = 0;
};

/// Of at least one number; of an even count the upper one of the middle.
double getMedian(std::vector<double> numbers);

} // namespace tilerun::tune
