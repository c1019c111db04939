// Tuning.
#include "runtime/api/Handles.h"

#include "runtime/tune/CompilePool.h"
#include "runtime/tune/Tuner.h"

using namespace tilerun;
using namespace tilerun::api;

static core::Status toStatus(TilerunStatus status, const char *message) {
  return status == TILERUN_STATUS_OK ? core::Status() : core::Status(status, message);
}
static constexpr const char *kRunEnded = "the caller's hook ended the configuration's run",
                            *kTuningEnded = "the caller ended the tuning";

// Without what belongs to one configuration.
static TilerunTuneProgress describe(const tune::Progress &progress, uint32_t numConfigs) {
  TilerunTuneProgress out = {};
  out.struct_size = sizeof(out);
  out.index = out.num_configs = numConfigs;
  out.best = static_cast<uint32_t>(progress.best);
  out.status = TILERUN_STATUS_NOT_READY;
  out.message = "";
  out.num_done = static_cast<uint32_t>(progress.numDone);
  out.num_compiled = static_cast<uint32_t>(progress.numCompiled);
  out.best_milliseconds = progress.bestMilliseconds;
  out.elapsed_ms = 1000 * progress.elapsedSeconds;
  out.remaining_ms = progress.secondsLeft < 0 ? -1 : 1000 * progress.secondsLeft;
  return out;
}

// The further settings of a configuration's launches.
static TilerunStatus readLaunch(const char *function, uint32_t index,
                                const TilerunTuneLaunch *given, tune::Config &config) {
  const std::string name = "launches[" + std::to_string(index) + "]";
  if (given->struct_size < kFirstSize<TilerunTuneLaunch>)
    return refuseSize(function, name.c_str(), given->struct_size, kFirstSize<TilerunTuneLaunch>);
  config.flags = given->flags;
  config.ranges = given->ranges;
  if (TilerunStatus status = checkLaunchFlags(function, (name + ".").c_str(), given->flags))
    return status;
  // The array has one for each argument; kernels that take fewer say so.
  if (!given->ranges || config.numArguments > config.kernel->getParameters().size())
    return TILERUN_STATUS_OK;
  return checkRanges(function, name + ".ranges", given->ranges, config.numArguments);
}

TilerunStatus tilerunTuneKernel(TilerunRuntime *runtime, TilerunStream *stream,
                                const TilerunTuneConfig *configs, uint32_t num_configs,
                                const TilerunTuneOptions *given, TilerunTuneResult *result) try {
  TILERUN_API_ENTER(runtime, stream, configs, result);
  TILERUN_API_CHECK_SIZE(result);
  if (given)
    TILERUN_API_CHECK_SIZE(given);
  TilerunTuneOptions options = readStruct(given);
  constexpr uint32_t known = TILERUN_TUNE_REFRESH | TILERUN_TUNE_FORGET | TILERUN_TUNE_COMPILE;
  if (uint32_t unknown = options.flags & ~known)
    return refuse(__func__, "options->flags has " + std::to_string(unknown) +
                                ", which is not a flag of a tuning");
  if (uint32_t reserved = options.reserved | options.reserved2)
    return refuseReserved(__func__, "options", reserved);
  if (options.num_threads > tune::kMostThreads)
    return refuseCount(__func__, "num_threads", options.num_threads, tune::kMostThreads);
  if (num_configs > kMostElements)
    return refuseCount(__func__, "num_configs", num_configs, kMostElements);
  if (options.num_memory > kMostElements)
    return refuseCount(__func__, "num_memory", options.num_memory, kMostElements);
  if (options.num_memory && !options.memory)
    return refuse(__func__,
                  "num_memory is " + std::to_string(options.num_memory) + ", but memory is null");
  std::vector<tune::Config> all;
  for (uint32_t i = 0; i < num_configs; ++i) {
    const TilerunTuneConfig *config = configs + i;
    TILERUN_API_CHECK_SIZE(config);
    if (!config->kernel || (config->num_arguments && !config->arguments))
      return refuse(__func__, "configs[" + std::to_string(i) + "] lacks kernel or arguments");
    if (config->reserved)
      return refuseReserved(__func__, "configs[" + std::to_string(i) + "]", config->reserved);
    tune::Config made = {config->kernel->kernel.get(),
                         {config->grid[0], config->grid[1], config->grid[2]},
                         {},
                         config->arguments,
                         config->num_arguments,
                         {}};
    // An option that no device accepts fails this configuration alone.
    if (TilerunStatus status = readCompileOptions(__func__, config->compile, made.options))
      made.refused = core::Status(status, tilerunGetErrorMessage());
    if (options.launches && options.launches[i])
      if (TilerunStatus status = readLaunch(__func__, i, options.launches[i], made))
        return status;
    all.push_back(std::move(made));
  }
  tune::Options tuning;
  if (options.warmup_ms)
    tuning.warmupMilliseconds = options.warmup_ms;
  if (options.rep_ms)
    tuning.repMilliseconds = options.rep_ms;
  tuning.key = options.key ? options.key : "";
  tuning.refresh = options.flags & TILERUN_TUNE_REFRESH;
  if (!(options.flags & TILERUN_TUNE_FORGET) && runtime->services->cache)
    tuning.cache = runtime->services->cache->getDisk();
  for (uint32_t i = 0; i < options.num_memory; ++i) {
    const TilerunTuneMemory *memory = options.memory + i;
    TILERUN_API_CHECK_SIZE(memory);
    if (memory->restore > 1)
      return refuse(__func__, "memory[" + std::to_string(i) + "].restore is " +
                                  std::to_string(memory->restore) + ", neither 0 nor 1");
    if (memory->address || !memory->bytes)
      tuning.memory.push_back({memory->address, memory->bytes, memory->restore != 0});
    else
      return refuse(__func__, "memory[" + std::to_string(i) + "] has bytes, but no address");
  }
  tuning.numThreads = options.num_threads;
  tuning.compileOnly = options.flags & TILERUN_TUNE_COMPILE;
  // What a configuration's compilation told, until the calling thread passes it on. Each element is
  // of the thread that compiles it, and then of this one.
  std::vector<std::vector<std::function<void()>>> told(num_configs);
  tuning.around = [&told, function = __func__](size_t index, const std::function<void()> &compile) {
    // A fork in a callback waits for the threads that compile, as for a caller's own.
    Entry entry(function);
    compiler::DeferredLog log;
    compile();
    told[index] = log.take();
  };
  tuning.compiled = [&](size_t index) {
    for (const std::function<void()> &tell : std::exchange(told[index], {}))
      tell();
  };
  if (options.progress)
    tuning.progress = [&](size_t index, const tune::Measurement &measurement,
                          const tune::Progress &state) {
      TilerunTuneProgress progress = describe(state, num_configs);
      progress.index = static_cast<uint32_t>(index);
      progress.status = measurement.status.getCode();
      progress.rough = measurement.rough;
      progress.milliseconds = measurement.milliseconds;
      progress.pruned = measurement.pruned;
      if (!measurement.status.isOk())
        progress.message = measurement.status.getMessage().c_str();
      options.progress(options.user, &progress);
    };
  if (options.waiting)
    tuning.waiting = [&](const tune::Progress &state) {
      const TilerunTuneProgress progress = describe(state, num_configs);
      return toStatus(options.waiting(options.user, &progress), kTuningEnded);
    };
  if (options.before)
    tuning.before = [&](size_t index) {
      return toStatus(options.before(options.user, static_cast<uint32_t>(index)), kRunEnded);
    };
  if (options.after)
    tuning.after = [&](size_t index) {
      return toStatus(options.after(options.user, static_cast<uint32_t>(index)), kRunEnded);
    };
  tune::Result found;
  core::Status status = tune::tune(*unwrap(stream), all, tuning, found);
  if (status.isOk()) {
    uint32_t failed = 0;
    for (const tune::Measurement &measurement : found.measurements)
      failed += !measurement.status.isOk();
    writeStruct(result, TilerunTuneResult{0, static_cast<uint32_t>(found.best), found.fromCache,
                                          failed, found.milliseconds});
  }
  return finish(status);
}
TILERUN_API_CATCH
