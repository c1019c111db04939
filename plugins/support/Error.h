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

} // namespace tilerun::plugin_support

/// Ends an entry, or a part of one, with the status of a failure that has been reported.
#define TILERUN_PLUGIN_TRY(...)                                                                    \
  do {                                                                                             \
    if (TilerunStatus status_ = (__VA_ARGS__))                                                     \
      return status_;                                                                              \
  } while (false)
