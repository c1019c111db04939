// How long a launch takes on a device: each run is between two events of its own, after a fill that
// evicts the kernel's data from the caches. Tuning and benchmarks share it, so that their times
// mean the same.
#pragma once

#include "runtime/core/Device.h"

#include <chrono>
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
  /// at most. A run that takes all of `rep` by itself is measured once.
  core::Status measure(const Run &run, double warmup, double rep,
                       std::vector<double> &milliseconds) const;

  /// What a run competes with.
  struct Contest {
    double best = 0;       ///< Milliseconds; 0: nothing yet.
    bool isBeaten = false; ///< Set where the run is surely slower, so that it was not measured on.
  };
  /// Measures no longer than it takes to know the median: until an interval that contains it with a
  /// confidence of 99 % (at one look; there are several) is half a percent wide, or lies above the
  /// best; for `warmup` and `rep` milliseconds at most, fills and what `run` does on the host
  /// included. A device that has just measured something else is warm.
  core::Status measureAgainst(Contest &contest, const Run &run, double warmup, double rep,
                              std::vector<double> &milliseconds);

private:
  using Clock = std::chrono::steady_clock;
  /// Whether one run, after the one that loads the kernel, takes all of `rep`.
  core::Status runFirst(const Run &run, double rep, bool &isLong,
                        std::vector<double> &milliseconds) const;
  /// `wasBusy`: the device has worked for as long as a warm-up takes.
  core::Status compete(Contest &contest, const Run &run, double warmup, double rep, bool &wasBusy,
                       std::vector<double> &milliseconds) const;
  /// As measureRuns, and how long they took together, in milliseconds.
  core::Status measureBatch(const Run &run, size_t count, double &took,
                            std::vector<double> &milliseconds) const;

  const core::Stream &stream;
  Clock::time_point lastEnd = {}; ///< Of measureAgainst.
  TilerunAddress flush = 0;       ///< Twice the size of the last cache; 0: not needed.
  uint64_t flushBytes = 0;
};

/// Of at least one number; of an even count the upper one of the middle.
double getMedian(std::vector<double> numbers);

/// An interval that contains the median of what the numbers are a sample of with a confidence of
/// 99 %, whatever its distribution: order statistics (David and Nagaraja, Order Statistics, section
/// 7.1), with the normal approximation of the binomial distribution. Of fewer than eight numbers,
/// all of them.
struct MedianInterval {
  double low, median, high;
};
MedianInterval getMedianInterval(std::vector<double> numbers);

} // namespace tilerun::tune
