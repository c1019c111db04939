// See Stopwatch.h.
#include "runtime/tune/Stopwatch.h"

#include "runtime/core/MemoryPool.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

static constexpr size_t kMaxRuns = 1000;
// A run is beaten at once, after three of which each may have been disturbed; by its warm-up, while
// clocks still rise; and by the runs that count, beyond what two measurements of the same differ
// by.
static constexpr double kBeatenAtOnce = 2.5, kBeatenInWarmup = 1.3, kBeaten = 1.005;
// How narrow the interval of a median is when it is known.
static constexpr double kKnown = 0.005;
static constexpr size_t kFirstBatch = 16, kMostOfBatch = 128;
// Of fewer numbers an interval is all of them, which says little.
static constexpr size_t kLeastOfInterval = 8;
// How soon after its last work a device still has the clocks of a busy one.
static constexpr std::chrono::milliseconds kWarmFor(50);

Stopwatch::Stopwatch(const core::Stream &stream) : stream(stream) {
  core::Device &device = stream.getDevice();
  flushBytes = 2 * device.getNumber(TILERUN_DEVICE_PROPERTY_L2_BYTES, 0);
  // A device without room for it is measured with warm caches.
  if (flushBytes && !device.getPool().allocate(stream, flushBytes, flush).isOk())
    flush = 0;
}

Stopwatch::~Stopwatch() {
  // The work that uses it is done, or the device is lost.
  if (flush)
    (void)stream.getDevice().getPool().free(stream, flush);
}

Status Stopwatch::begin(core::Event &event) const {
  if (flush)
    TILERUN_TRY(stream.fill(flush, 0, 4, flushBytes));
  return event.record(stream);
}

Status Stopwatch::measureRuns(const Run &run, size_t count,
                              std::vector<double> &milliseconds) const {
  std::vector<std::unique_ptr<core::Event>> firsts(count), lasts(count);
  const std::shared_ptr<core::Device> device = stream.getDevice().shared_from_this();
  for (size_t i = 0; i < count; ++i) {
    TILERUN_TRY(core::Event::create(device, TILERUN_EVENT_TIMING, firsts[i]));
    TILERUN_TRY(core::Event::create(device, TILERUN_EVENT_TIMING, lasts[i]));
    TILERUN_TRY(run(firsts[i].get(), lasts[i].get()));
  }
  TILERUN_TRY(stream.synchronize());
  for (size_t i = 0; i < count; ++i) {
    double time = 0;
    TILERUN_TRY(core::Event::getElapsed(*firsts[i], *lasts[i], time));
    milliseconds.push_back(time);
  }
  return {};
}

double tune::getMedian(std::vector<double> numbers) {
  auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

MedianInterval tune::getMedianInterval(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const auto count = static_cast<double>(numbers.size());
  // Half of the 99 % interval of how many of them are below the median.
  const double reach = 2.576 * std::sqrt(count) / 2;
  const double median = numbers[numbers.size() / 2];
  if (numbers.size() < kLeastOfInterval)
    return {numbers.front(), median, numbers.back()};
  return {numbers[static_cast<size_t>(std::floor(count / 2 - reach))], median,
          numbers[std::min(numbers.size() - 1, static_cast<size_t>(std::ceil(count / 2 + reach)))]};
}

Status Stopwatch::runFirst(const Run &run, double rep, bool &isLong,
                           std::vector<double> &milliseconds) const {
  // The first run loads what is left to load, and shows faults.
  TILERUN_TRY(run(nullptr, nullptr));
  TILERUN_TRY(stream.synchronize());
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 1, milliseconds));
  isLong = milliseconds.front() >= rep;
  return {};
}

Status Stopwatch::measure(const Run &run, double warmup, double rep,
                          std::vector<double> &milliseconds) const {
  bool isLong = false;
  TILERUN_TRY(runFirst(run, rep, isLong, milliseconds));
  if (isLong)
    return {};
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 3, milliseconds));
  const double estimate = std::max(getMedian(milliseconds), 1e-4);
  auto count = [&](double budget) {
    return std::clamp<size_t>(static_cast<size_t>(budget / estimate), 1, kMaxRuns);
  };
  milliseconds.clear();
  for (size_t i = 0, n = count(warmup); i < n; ++i)
    TILERUN_TRY(run(nullptr, nullptr));
  return measureRuns(run, count(rep), milliseconds);
}

Status Stopwatch::measureBatch(const Run &run, size_t count, double &took,
                               std::vector<double> &milliseconds) const {
  const Clock::time_point start = Clock::now();
  const size_t before = milliseconds.size();
  TILERUN_TRY(measureRuns(run, count, milliseconds));
  // A device's clock may tell more than the host's, such as an emulated one's.
  took = std::max(std::chrono::duration<double, std::milli>(Clock::now() - start).count(),
                  std::accumulate(milliseconds.begin() + static_cast<ptrdiff_t>(before),
                                  milliseconds.end(), 0.0));
  return {};
}

Status Stopwatch::measureAgainst(Contest &contest, const Run &run, double warmup, double rep,
                                 std::vector<double> &milliseconds) {
  const bool isWarm = Clock::now() - lastEnd < kWarmFor;
  bool wasBusy = false;
  Status status = compete(contest, run, isWarm ? 0 : warmup, rep, wasBusy, milliseconds);
  // One that failed, or was beaten at once, has warmed nothing.
  if (status.isOk() && (isWarm || wasBusy))
    lastEnd = Clock::now();
  return status;
}

Status Stopwatch::compete(Contest &contest, const Run &run, double warmup, double rep,
                          bool &wasBusy, std::vector<double> &milliseconds) const {
  auto isBeaten = [&](double factor, size_t least) {
    return contest.isBeaten = contest.best > 0 && milliseconds.size() >= least &&
                              getMedianInterval(milliseconds).low > factor * contest.best;
  };
  bool isLong = false;
  TILERUN_TRY(runFirst(run, rep, isLong, milliseconds));
  if (isLong)
    return {};
  double took = 0;
  milliseconds.clear();
  TILERUN_TRY(measureBatch(run, 3, took, milliseconds));
  if (isBeaten(kBeatenAtOnce, 3))
    return {};
  const double one = std::max(took / 3, 1e-4);
  auto fit = [one](double budget, size_t most) {
    return std::clamp<size_t>(static_cast<size_t>(budget / one), 1, most);
  };
  double left = warmup;
  while (left > 0) {
    milliseconds.clear();
    TILERUN_TRY(measureBatch(run, fit(left, kFirstBatch), took, milliseconds));
    if (isBeaten(kBeatenInWarmup, kLeastOfInterval))
      return {};
    left -= took;
  }
  wasBusy = true;
  milliseconds.clear();
  left = rep;
  while (left > 0 && milliseconds.size() < kMaxRuns) {
    const size_t batch = std::clamp(milliseconds.size() / 2, kFirstBatch, kMostOfBatch);
    TILERUN_TRY(measureBatch(run, fit(left, batch), took, milliseconds));
    const MedianInterval interval = getMedianInterval(milliseconds);
    if (isBeaten(kBeaten, kLeastOfInterval) ||
        (milliseconds.size() >= kFirstBatch &&
         interval.high - interval.low <= kKnown * interval.median))
      break;
    left -= took;
  }
  return {};
}
