// Chooses among several ways to launch a kernel by measuring them on the device. Separate from
// runtime/core because it keeps its results in the cache.
//
// Rules of this folder: a configuration that does not compile or launch costs only itself; memory
// that the caller named is restored when tuning ends; cached results are used only for the same
// kernel, configurations, device and driver. Configurations are compiled by several threads
// (CompilePool.h), and measured by the calling one alone, on its stream; which one wins does not
// depend on the order in which they are ready.
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
  double milliseconds = 0; ///< Of one run; where it failed, or was only compiled, 0.
  bool rough = false;      ///< It was so far from the best that it was not measured further.
  bool pruned = false;     ///< It failed before anything was compiled.
};

/// How far a tuning is.
struct Progress {
  size_t numDone = 0;     ///< Configurations whose result is known.
  size_t numCompiled = 0; ///< Those whose compilation has ended, or was not needed.
  size_t best;            ///< So far; their number while none works.
  double bestMilliseconds = 0;
  double elapsedSeconds = 0;
  double secondsLeft = -1; ///< An estimate; negative while nothing is known.
};

struct Options {
  double warmupMilliseconds = 25, repMilliseconds = 100;
  unsigned numThreads = 0;  ///< That compile; 0: getDefaultThreads, 1: the calling thread alone.
  bool compileOnly = false; ///< Nothing is measured, kept or read from the cache.
  std::string key;          ///< What the choice depends on besides the kernel.
  std::shared_ptr<cache::DiskCache> cache; ///< Null: nothing is kept.
  bool refresh = false;                    ///< Measure, whatever the cache holds.
  std::vector<Memory> memory;
  /// Called after each configuration, with its index and result. The order is that of the indices
  /// where all are compiled before, else that in which they are ready.
  std::function<void(size_t index, const Measurement &measurement, const Progress &progress)>
      progress;
  /// Called every now and then while the tuning waits for compilations; a failure ends it.
  std::function<core::Status(const Progress &progress)> waiting;
  /// Called around each run; a failure of `before` fails the configuration.
  std::function<core::Status(size_t index)> before, after;
  /// Wraps the compilation of a configuration, on the thread that compiles it; must call `compile`.
  /// Null: it is not wrapped.
  std::function<void(size_t index, const std::function<void()> &compile)> around;
  /// Called on the calling thread when a configuration is compiled, before it is measured.
  std::function<void(size_t index)> compiled;
};

struct Result {
  size_t best = 0; ///< Where nothing was measured, the first that compiles.
  bool fromCache = false;
  bool hookFailed = false; ///< A hook ended a run, perhaps on an interrupt: nothing is kept then.
  std::vector<Measurement> measurements; ///< One for each configuration; empty from the cache.
  double milliseconds = 0;               ///< Of the best.
};

/// Measures all configurations and gives the fastest; of those with the same time, the first.
/// Fails if none works (with the first one's diagnostics), and if the device is lost.
core::Status tune(core::Stream &stream, const std::vector<Config> &configs, const Options &options,
                  Result &result);

} // namespace tilerun::tune
