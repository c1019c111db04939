// Chooses among several ways to launch a kernel by measuring them on the device. Separate from
// runtime/core because it keeps its results in the cache.
//
// Rules of this folder: a configuration that does not compile or launch costs only itself; memory
// that the caller named is restored when tuning ends; cached results are used only for the same
// kernel, configurations, device and driver.
#pragma once

#include "runtime/cache/DiskCache.h"
#include "runtime/core/Kernel.h"

namespace tilerun::tune {

/// One way to launch. Everything it points to outlives the tuning.
struct Config {
  core::Kernel *kernel;
  uint32_t grid[3];
  TilerunCompileOptions options;
  const TilerunArgument *arguments;
  uint32_t numArguments;
  core::Status refused = {}; ///< Why it fails before anything is tried, if it does.
  uint32_t flags = 0;        ///< TILERUN_LAUNCH_*
  const TilerunMemoryRange *ranges = nullptr; ///< Null, or one for each argument.
};

/// Memory that runs change: cleared before each run, or restored after each.
struct Memory {
  TilerunAddress address;
  uint64_t bytes;
  bool restore;
};

/// The result of one configuration.
struct Measurement {
  core::Status status;
  double milliseconds = 0; ///< Of one run; where it failed, 0.
  bool rough = false;      ///< Its first runs were far from the best.
};

struct Options {
  double warmupMilliseconds = 25, repMilliseconds = 100;
  std::string key;                         ///< What the choice depends on besides the kernel.
  std::shared_ptr<cache::DiskCache> cache; ///< Null: nothing is kept.
  bool refresh = false;                    ///< Measure, whatever the cache holds.
  std::vector<Memory> memory;
  /// Called after each configuration: its index, its result, the best so far.
  std::function<void(size_t index, const Measurement &measurement, size_t best)> progress;
  /// Called around each run; a failure of `before` fails the configuration.
  std::function<core::Status(size_t index)> before, after;
};

struct Result {
  size_t best = 0;
  bool fromCache = false;
  bool hookFailed = false; ///< A hook ended a run, perhaps on an interrupt: nothing is kept then.
  std::vector<Measurement> measurements; ///< One for each configuration; empty from the cache.
  double milliseconds = 0;               ///< Of the best.
};

/// Measures all configurations and gives the fastest. Fails if none works (with the first one's
/// diagnostics), or if the device is lost.
core::Status tune(core::Stream &stream, const std::vector<Config> &configs, const Options &options,
                  Result &result);

} // namespace tilerun::tune
