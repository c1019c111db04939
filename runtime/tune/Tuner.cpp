// Measuring configurations while others are compiled; the median of each counts.
#include "runtime/tune/Tuner.h"

#include "runtime/core/MemoryPool.h"
#include "runtime/plugin/Trace.h"
#include "runtime/tune/CompilePool.h"
#include "runtime/tune/Fit.h"
#include "runtime/tune/Keep.h"
#include "runtime/tune/Stopwatch.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace tilerun;
using namespace tilerun::tune;
using core::Status;
using Clock = std::chrono::steady_clock;

namespace {
// How often a caller that waits for compilations hears of it.
constexpr std::chrono::milliseconds kPatience(50);

double getSeconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// One tuning: memory of its own, and the runs.
class Tuning {
public:
  Tuning(core::Stream &stream, const std::vector<Config> &configs, const Options &options,
         unsigned numThreads)
      : stream(stream), device(stream.getDevice()), configs(configs), options(options),
        numThreads(numThreads), compiled(configs.size()), isPruned(configs.size()) {}
  ~Tuning();

  Status run(Result &result);

private:
  Status save();
  Status copy(TilerunAddress to, TilerunAddress from, uint64_t bytes) const;
  Status clear(const Memory &memory) const;
  void restore() const;
  Status call(const std::function<Status(size_t)> &hook, size_t index);
  Status launch(size_t index, core::Event *begin, core::Event *end);
  Status measure(size_t index, Measurement &measurement);

  /// On any thread.
  Status compile(size_t index);
  Status compileUntimed(size_t index);
  Status take(CompilePool &pool, Result &result);
  /// OK: wait on.
  Status tellWaiting(CompilePool &pool) const;
  void add(size_t index, const Measurement &measurement, Result &result);
  Progress getProgress(CompilePool &pool) const;

  core::Stream &stream;
  core::Device &device;
  const std::vector<Config> &configs;
  const Options &options;
  const unsigned numThreads;
  const Clock::time_point begin = Clock::now();
  std::optional<Stopwatch> stopwatch; ///< Once memory is saved, which has precedence.
  bool hookFailed = false;
  std::vector<TilerunAddress> saved; ///< One for each memory; 0 for those that are cleared.

  std::vector<Status> compiled; ///< Of the configurations that the pool has handed over.
  /// Of those, too; each is written by the thread that compiles it.
  std::vector<uint8_t> isPruned;
  std::atomic<int64_t> compileNanoseconds{0}; ///< Of all threads together.

  size_t numDone = 0, best; ///< `best` once `found`.
  bool found = false;
  double bestMilliseconds = 0, measureSeconds = 0;
  size_t firstFailure = SIZE_MAX;
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
  // The caller's hooks hear of configurations that do not compile as of those that do not run.
  TILERUN_TRY(compiled[index]);
  TILERUN_TRY(config.kernel->launch(stream, config.grid, config.options, config.arguments,
                                    config.numArguments, config.flags, config.ranges));
  if (end)
    TILERUN_TRY(end->record(stream));
  for (size_t i = 0; i < options.memory.size(); ++i)
    if (saved[i])
      TILERUN_TRY(copy(options.memory[i].address, saved[i], options.memory[i].bytes));
  return call(options.after, index);
}

void Tuning::restore() const {
  (void)stream.synchronize();
  for (size_t i = 0; i < saved.size(); ++i)
    if (saved[i])
      (void)copy(options.memory[i].address, saved[i], options.memory[i].bytes);
}

Status Tuning::measure(size_t index, Measurement &measurement) {
  TILERUN_TRY(configs[index].refused);
  if (options.compileOnly)
    return compiled[index];
  Span span("tune", "configuration " + std::to_string(index));
  std::vector<double> times;
  Stopwatch::Contest contest{found ? bestMilliseconds : 0};
  TILERUN_TRY(stopwatch->measureAgainst(
      contest, [&](core::Event *begin, core::Event *end) { return launch(index, begin, end); },
      options.warmupMilliseconds, options.repMilliseconds, times));
  measurement.rough = contest.isBeaten;
  measurement.milliseconds = getMedian(times);
  return {};
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

Status Tuning::compileUntimed(size_t index) {
  const Config &config = configs[index];
  Status refusal = config.refused;
  if (refusal.isOk())
    refusal = checkFit(device, config);
  isPruned[index] = !refusal.isOk();
  TILERUN_TRY(refusal);
  return config.kernel->prepare(device, config.options, config.arguments, config.numArguments,
                                config.ranges);
}

Status Tuning::compile(size_t index) {
  const Clock::time_point start = Clock::now();
  Status status;
  auto work = [&] { status = compileUntimed(index); };
  if (options.around)
    options.around(index, work);
  else
    work();
  compileNanoseconds += std::chrono::nanoseconds(Clock::now() - start).count();
  return status;
}

Progress Tuning::getProgress(CompilePool &pool) const {
  Progress progress;
  progress.numDone = numDone;
  progress.numCompiled = pool.getNumFinished();
  progress.best = found ? best : configs.size();
  progress.bestMilliseconds = bestMilliseconds;
  progress.elapsedSeconds = getSeconds(Clock::now() - begin);
  if (!progress.numCompiled)
    return progress;
  const double toCompile = double(configs.size() - progress.numCompiled),
               toMeasure = double(configs.size() - numDone);
  const double compiling = 1e-9 * double(compileNanoseconds) / double(progress.numCompiled) *
                           toCompile / double(std::max<size_t>(pool.getNumThreads(), 1));
  const double one = options.compileOnly ? 0
                     : numDone ? measureSeconds / double(numDone)
                               : (options.warmupMilliseconds + options.repMilliseconds) / 1000;
  const bool overlaps = pool.getNumThreads() && !device.runsOnHost();
  progress.secondsLeft =
      overlaps ? std::max(compiling, one * toMeasure) : compiling + one * toMeasure;
  return progress;
}

// After whatever may have called back. A child must not ask its pool for anything.
static Status checkOwner(const CompilePool &pool) {
  if (!pool.isOrphan())
    return {};
  return Status(TILERUN_STATUS_UNAVAILABLE,
                "the process was forked by a callback of its tuning, whose threads are not here; "
                "tune again in this process");
}

Status Tuning::tellWaiting(CompilePool &pool) const {
  if (options.waiting)
    TILERUN_TRY(options.waiting(getProgress(pool)));
  return checkOwner(pool);
}

Status Tuning::take(CompilePool &pool, Result &result) {
  // Threads that compile would slow what runs on the host's cores.
  if (device.runsOnHost() && !options.compileOnly)
    while (!pool.wait(kPatience))
      TILERUN_TRY(tellWaiting(pool));
  while (numDone < configs.size()) {
    std::optional<CompilePool::Finished> finished = pool.take(kPatience);
    if (!finished) {
      TILERUN_TRY(tellWaiting(pool));
      continue;
    }
    const size_t index = finished->job;
    compiled[index] = std::move(finished->status);
    if (options.compiled)
      options.compiled(index);
    Measurement measurement;
    const Clock::time_point start = Clock::now();
    measurement.status = measure(index, measurement);
    measurement.pruned = isPruned[index];
    // A launch that failed half-way may have changed memory.
    if (!measurement.status.isOk())
      restore();
    measureSeconds += getSeconds(Clock::now() - start);
    add(index, measurement, result);
    TILERUN_TRY(checkOwner(pool));
    if (options.progress)
      options.progress(index, measurement, getProgress(pool));
    TILERUN_TRY(checkOwner(pool));
    if (measurement.status.getCode() == TILERUN_STATUS_DEVICE_LOST)
      return measurement.status;
    // One that was compiled here kept the caller waiting.
    if (!pool.getNumThreads())
      TILERUN_TRY(tellWaiting(pool));
  }
  return {};
}

void Tuning::add(size_t index, const Measurement &given, Result &result) {
  Measurement &measurement = result.measurements[index] = given;
  ++numDone;
  if (!given.status.isOk()) {
    measurement.milliseconds = 0;
    firstFailure = std::min(firstFailure, index);
    return;
  }
  // By time, then by number, whatever came first.
  if (!found || given.milliseconds < bestMilliseconds ||
      (given.milliseconds == bestMilliseconds && index < best)) {
    found = true;
    best = index;
    bestMilliseconds = given.milliseconds;
  }
}

Status Tuning::run(Result &result) {
  if (!options.compileOnly)
    TILERUN_TRY(save());
  result.measurements.resize(configs.size());
  {
    CompilePool pool(configs.size(), numThreads, [this](size_t index) { return compile(index); });
    TILERUN_TRY(take(pool, result));
  }
  result.hookFailed = hookFailed;
  if (!options.compileOnly)
    TILERUN_TRY(stream.synchronize());
  if (found) {
    result.best = best;
    result.milliseconds = bestMilliseconds;
    return {};
  }
  const Status &failure = result.measurements[firstFailure].status;
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
    return Status::invalid("tuning needs at least one configuration");
  unsigned threads = options.numThreads;
  if (!threads)
    TILERUN_TRY(getDefaultThreads(threads));
  cache::Key key;
  cache::DiskCache *kept = options.compileOnly ? nullptr : options.cache.get();
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
  TILERUN_TRY(Tuning(stream, configs, options, threads).run(result));
  if (kept && !result.hookFailed)
    kept->put(key, cache::EntryKind::Tuning,
              write(result.best, configs.size(), result.milliseconds));
  return {};
}
