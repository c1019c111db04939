// Tuning.
#include "runtime/api/Handles.h"

#include "runtime/tune/Tuner.h"

using namespace tilerun;
using namespace tilerun::api;

static core::Status toStatus(TilerunStatus status) {
  return status == TILERUN_STATUS_OK
             ? core::Status()
             : core::Status(status, "the caller's hook ended the configuration's run");
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
  if (uint32_t unknown = options.flags & ~uint32_t(TILERUN_TUNE_REFRESH | TILERUN_TUNE_FORGET))
    return refuse(__func__, "options->flags has " + std::to_string(unknown) +
                                ", which is not a flag of a tuning");
  if (options.reserved)
    return refuseReserved(__func__, "options", options.reserved);
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
  if (options.progress)
    tuning.progress = [&](size_t index, const tune::Measurement &measurement, size_t best) {
      TilerunTuneProgress progress = {
          sizeof(progress),
          static_cast<uint32_t>(index),
          num_configs,
          static_cast<uint32_t>(best),
          measurement.status.getCode(),
          measurement.rough,
          measurement.milliseconds,
          measurement.status.isOk() ? "" : measurement.status.getMessage().c_str()};
      options.progress(options.user, &progress);
    };
  if (options.before)
    tuning.before = [&](size_t index) {
      return toStatus(options.before(options.user, static_cast<uint32_t>(index)));
    };
  if (options.after)
    tuning.after = [&](size_t index) {
      return toStatus(options.after(options.user, static_cast<uint32_t>(index)));
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
