// See Stopwatch.h.
#include "runtime/tune/Stopwatch.h"

#include "runtime/core/MemoryPool.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

static constexpr size_t kMaxRuns = 1000;
// How far is too far: after three runs, of which each may have been disturbed; after as many of the
// warm-up as there is a use for; and after a part of the runs that count.
static constexpr double kFarAtOnce = 2.5, kFarInWarmup = 1.3, kFarInRuns = 1.1;
static constexpr size_t kMostEarlyRuns = 50, kLeastEarlyRuns = 5, kEarlyShare = 4;

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

Status Stopwatch::measure(const Run &run, double warmup, double rep, const IsFar &isFar,
                          std::vector<double> &milliseconds) const {
  // The first run loads what is left to load, and shows faults.
  TILERUN_TRY(run(nullptr, nullptr));
  TILERUN_TRY(stream.synchronize());
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 1, milliseconds));
  if (milliseconds.front() >= rep)
    return {};
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 3, milliseconds));
  const double estimate = std::max(getMedian(milliseconds), 1e-4);
  if (isFar && isFar(estimate, kFarAtOnce))
    return {};
  auto count = [&](double budget) {
    return std::clamp<size_t>(static_cast<size_t>(budget / estimate), 1, kMaxRuns);
  };
  // Too few say little.
  auto measureEarly = [&](size_t number, double factor, bool &ends) -> Status {
    milliseconds.clear();
    if (!isFar || number < kLeastEarlyRuns)
      return {};
    TILERUN_TRY(measureRuns(run, number, milliseconds));
    ends = isFar(getMedian(milliseconds), factor);
    return {};
  };
  bool ends = false;
  const size_t numWarmups = count(warmup), numRuns = count(rep);
  TILERUN_TRY(measureEarly(std::min(numWarmups, kMostEarlyRuns), kFarInWarmup, ends));
  if (ends)
    return {};
  for (size_t i = milliseconds.size(); i < numWarmups; ++i)
    TILERUN_TRY(run(nullptr, nullptr));
  TILERUN_TRY(measureEarly(numRuns / kEarlyShare, kFarInRuns, ends));
  return ends ? Status() : measureRuns(run, numRuns - milliseconds.size(), milliseconds);
}
