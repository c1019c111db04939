// Measuring configurations; the median of each counts.
#include "runtime/tune/Tuner.h"

#include "runtime/core/MemoryPool.h"
#include "runtime/plugin/Trace.h"
#include "runtime/tune/Keep.h"
#include "runtime/tune/Stopwatch.h"

#include <algorithm>
#include <cstring>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;

namespace {
// Far enough from the best not to be measured again.
constexpr double kFar = 2.5;

/// One tuning: memory of its own, and the runs.
class Tuning {
public:
  Tuning(core::Stream &stream, const std::vector<Config> &configs, const Options &options)
      : stream(stream), device(stream.getDevice()), configs(configs), options(options) {}
  ~Tuning();

  Status run(Result &result);

private:
  Status save();
  Status copy(TilerunAddress to, TilerunAddress from, uint64_t bytes) const;
  Status clear(const Memory &memory) const;
  Status call(const std::function<Status(size_t)> &hook, size_t index);
  Status launch(size_t index, core::Event *begin, core::Event *end);
  Status measure(size_t index, double best, Measurement &measurement);

  core::Stream &stream;
  core::Device &device;
  const std::vector<Config> &configs;
  const Options &options;
  std::optional<Stopwatch> stopwatch; ///< Once memory is saved, which has precedence.
  bool hookFailed = false;
  std::vector<TilerunAddress> saved; ///< One for each memory; 0 for those that are cleared.
};
} // namespace

Tuning::~Tuning() {
  // The work that uses them is done, or the device is lost.
  for (TilerunAddress address : saved)
    if (address)
      (void)device.getPool().free(stream, address);
}

// An address of the host's, on a device that shares its memory.
static void *toHost(TilerunAddress address) {
  return reinterpret_cast<void *>(address); // NOLINT(performance-no-int-to-ptr)
}

// On a device that shares the host's memory the caller's memory is unknown to the plugin.
Status Tuning::copy(TilerunAddress to, TilerunAddress from, uint64_t bytes) const {
  if (!device.usesHostMemory())
    return stream.copyOnDevice(to, from, bytes);
  TILERUN_TRY(stream.synchronize());
  std::memcpy(toHost(to), toHost(from), bytes);
  return {};
}

Status Tuning::clear(const Memory &memory) const {
  if (!device.usesHostMemory())
    return stream.fill(memory.address, 0, 1, memory.bytes);
  TILERUN_TRY(stream.synchronize());
  std::memset(toHost(memory.address), 0, memory.bytes);
  return {};
}

Status Tuning::save() {
  for (const Memory &memory : options.memory) {
    saved.push_back(0);
    if (!memory.restore || !memory.bytes)
      continue;
    TILERUN_TRY(device.getPool().allocate(stream, memory.bytes, saved.back()));
    TILERUN_TRY(copy(saved.back(), memory.address, memory.bytes));
  }
  stopwatch.emplace(stream);
  return {};
}

Status Tuning::call(const std::function<Status(size_t)> &hook, size_t index) {
  Status status = hook ? hook(index) : Status();
  hookFailed |= !status.isOk();
  return status;
}

Status Tuning::launch(size_t index, core::Event *begin, core::Event *end) {
  const Config &config = configs[index];
  for (const Memory &memory : options.memory)
    if (!memory.restore)
      TILERUN_TRY(clear(memory));
  TILERUN_TRY(call(options.before, index));
  if (begin)
    TILERUN_TRY(stopwatch->begin(*begin));
  TILERUN_TRY(config.kernel->launch(stream, config.grid, config.options, config.arguments,
                                    config.numArguments, config.flags, config.ranges));
  if (end)
    TILERUN_TRY(end->record(stream));
  for (size_t i = 0; i < options.memory.size(); ++i)
    if (saved[i])
      TILERUN_TRY(copy(options.memory[i].address, saved[i], options.memory[i].bytes));
  return call(options.after, index);
}

Status Tuning::measure(size_t index, double best, Measurement &measurement) {
  TILERUN_TRY(configs[index].refused);
  Span span("tune", "configuration " + std::to_string(index));
  std::vector<double> times;
  TILERUN_TRY(stopwatch->measure(
      [&](core::Event *begin, core::Event *end) { return launch(index, begin, end); },
      options.warmupMilliseconds, options.repMilliseconds,
      [&](double estimate) { return measurement.rough = best > 0 && estimate > kFar * best; },
      times));
  measurement.milliseconds = getMedian(times);
  return {};
}

Status Tuning::run(Result &result) {
  TILERUN_TRY(save());
  bool found = false;
  Status failure;
  for (size_t i = 0; i < configs.size(); ++i) {
    Measurement measurement;
    measurement.status = measure(i, found ? result.milliseconds : 0, measurement);
    const bool works = measurement.status.isOk();
    if (!works) {
      measurement.milliseconds = 0;
      // A launch that failed half-way may have changed memory.
      (void)stream.synchronize();
      for (size_t m = 0; m < options.memory.size(); ++m)
        if (saved[m])
          (void)copy(options.memory[m].address, saved[m], options.memory[m].bytes);
      if (failure.isOk())
        failure = measurement.status;
    } else if (!found || measurement.milliseconds < result.milliseconds) {
      found = true;
      result.best = i;
      result.milliseconds = measurement.milliseconds;
    }
    result.measurements.push_back(measurement);
    if (options.progress)
      options.progress(i, measurement, found ? result.best : configs.size());
    if (!works && measurement.status.getCode() == TILERUN_STATUS_DEVICE_LOST)
      return measurement.status;
  }
  result.hookFailed = hookFailed;
  TILERUN_TRY(stream.synchronize());
  if (found)
    return {};
  return Status(failure.getCode(),
                "none of " + std::to_string(configs.size()) +
                    " configurations works; the first one: " + failure.getMessage());
}

Status tune::tune(core::Stream &stream, const std::vector<Config> &configs, const Options &options,
                  Result &result) {
  result = {};
  Span span("tune", "tune");
  if (span)
    span.note("configurations", std::to_string(configs.size()));
  if (configs.empty())
    return Status::invalid("there is no configuration to tune");
  cache::Key key;
  cache::DiskCache *kept = options.cache.get();
  if (kept && !makeKey(stream.getDevice(), configs, options.key, key))
    kept = nullptr;
  if (kept && !options.refresh)
    if (auto payload = kept->get(key, cache::EntryKind::Tuning)) {
      result.fromCache = read(*payload, configs.size(), result.best, result.milliseconds);
      if (result.fromCache)
        return {};
      kept->reject(key, "it holds no choice among " + std::to_string(configs.size()) +
                            " configurations");
    }
  TILERUN_TRY(Tuning(stream, configs, options).run(result));
  if (kept && !result.hookFailed)
    kept->put(key, cache::EntryKind::Tuning,
              write(result.best, configs.size(), result.milliseconds));
  return {};
}
