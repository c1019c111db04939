// The streams of a device, each with the log of its launches.
#pragma once

#include "plugins/support/LaunchLog.h"

#include <mutex>
#include <utility>

namespace tilerun::plugin_support {

/// `Stream` has a member `log`, a LaunchLog.
template <typename Stream> class StreamSet {
public:
  LaunchLog log; ///< Of the device's own stream, and of destroyed ones.

  void add(Stream *stream) {
    std::lock_guard lock(mutex);
    streams.insert(stream);
  }
  /// Its work may still run, and fault later.
  void remove(Stream *stream) {
    std::lock_guard lock(mutex);
    streams.erase(stream);
    std::vector<const char *> pending;
    stream->log.getPending(pending);
    for (const char *name : pending)
      log.add(name);
  }
  /// Runs `wait`, which waits for all work of the device, and marks earlier launches as finished.
  template <typename Wait> auto finishAfter(Wait wait) {
    const uint32_t own = log.getCount();
    std::vector<std::pair<Stream *, uint32_t>> counts;
    {
      std::lock_guard lock(mutex);
      for (Stream *stream : streams)
        counts.emplace_back(stream, stream->log.getCount());
    }
    auto result = wait();
    if (result)
      return result;
    log.finish(own);
    std::lock_guard lock(mutex);
    for (auto [stream, count] : counts)
      if (streams.count(stream))
        stream->log.finish(count);
    return result;
  }
  /// The kernels that may still run; true if there are more than the logs keep.
  bool getPending(std::vector<const char *> &out) const {
    std::lock_guard lock(mutex);
    bool more = log.getPending(out);
    for (const Stream *stream : streams)
      more |= stream->log.getPending(out);
    return more;
  }

private:
  mutable std::mutex mutex;
  std::set<Stream *> streams;
};

} // namespace tilerun::plugin_support
