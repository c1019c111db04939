// How a plugin reports an error: once, to the sink, before it returns.
#pragma once

#include "tilerun/plugin.h"

#include <string>

namespace tilerun::plugin_support {

/// Reports and returns `status`. `word` is the driver's own name for it; null if it has none.
inline TilerunStatus report(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                            const char *device, const char *word, const std::string &message) {
  TilerunErrorInfo info = {sizeof(info), status, call, device, word, message.c_str()};
  if (sink && TILERUN_HAS(TilerunErrorSink, sink, report))
    sink->report(sink->user, &info);
  return status;
}

/// The same for an error that is not the driver's: "launch on null:0: the grid has …".
inline TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                          const char *device, const std::string &what) {
  return report(sink, status, call, device, nullptr,
                std::string(call) + " on " + device + ": " + what);
}

/// Says what is wrong with a pattern of `fill`; empty if nothing is.
inline std::string checkFill(uint32_t patternBytes, uint64_t bytes) {
  bool fits =
      (patternBytes == 1 || patternBytes == 2 || patternBytes == 4) && bytes % patternBytes == 0;
  return fits ? ""
              : "a pattern of " + std::to_string(patternBytes) + " bytes over " +
                    std::to_string(bytes) + " bytes";
}

/// Says that a device is beyond the last; `count` is at least 1.
inline std::string describeMissingDevice(uint32_t ordinal, size_t count) {
  return "device " + std::to_string(ordinal) + " does not exist; " +
         (count == 1 ? "the only device is 0"
                     : "the devices are 0 to " + std::to_string(count - 1));
}

/// Says that a program of a kernel needs more of something than there is, and what helps.
inline std::string describeExcess(const char *kernel, uint64_t wanted, uint64_t most,
                                  const char *what, const char *way) {
  return std::string("kernel '") + kernel + "' needs " + std::to_string(wanted) + " " + what +
         " for a program, " + std::to_string(most) +
         " are possible: " + std::to_string(wanted - most) + " too many (" + way + ")";
}
inline std::string describeSharedMemory(const char *kernel, uint64_t wanted, uint64_t most) {
  return describeExcess(kernel, wanted, most, "bytes of shared memory",
                        "smaller tiles or fewer stages need less");
}

/// A launch in the text of an error.
inline std::string describeLaunch(const char *kernel, const TilerunPluginLaunch &launch) {
  return std::string("kernel '") + kernel + "', grid (" + std::to_string(launch.grid[0]) + ", " +
         std::to_string(launch.grid[1]) + ", " + std::to_string(launch.grid[2]) + "), " +
         std::to_string(launch.threads) + " threads, " + std::to_string(launch.shared_bytes) +
         " bytes of shared memory, " + std::to_string(launch.num_bytes) + " bytes of arguments";
}

} // namespace tilerun::plugin_support

/// Ends an entry, or a part of one, with the status of a failure that has been reported.
#define TILERUN_PLUGIN_TRY(...)                                                                    \
  do {                                                                                             \
    if (TilerunStatus status_ = (__VA_ARGS__))                                                     \
      return status_;                                                                              \
  } while (false)
