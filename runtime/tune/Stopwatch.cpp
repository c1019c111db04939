// See Stopwatch.h.
#include "runtime/tune/Stopwatch.h"

#include "runtime/core/MemoryPool.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

static constexpr size_t kMaxRuns = 1000;

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

Status Stopwatch::measure(const Run &run, double warmup, double rep,
                          const std::function<bool(double estimate)> &isEnough,
                          std::vector<double> &milliseconds) const {
  // The first run compiles, loads, and shows faults.
  TILERUN_TRY(run(nullptr, nullptr));
  TILERUN_TRY(stream.synchronize());
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 1, milliseconds));
  if (milliseconds.front() >= rep)
    return {};
  milliseconds.clear();
  TILERUN_TRY(measureRuns(run, 3, milliseconds));
  const double estimate = std::max(getMedian(milliseconds), 1e-4);
  if (isEnough && isEnough(estimate))
    return {};
  auto count = [&](double budget) {
    return std::clamp<size_t>(static_cast<size_t>(budget / estimate), 1, kMaxRuns);
  };
  for (size_t i = 0, n = count(warmup); i < n; ++i)
    TILERUN_TRY(run(nullptr, nullptr));
  milliseconds.clear();
  return measureRuns(run, count(rep), milliseconds);
}
