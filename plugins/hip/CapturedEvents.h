// The events whose last record went into a graph. They mark no work that has been given to a
// device, and waiting for one would end the capture.
#pragma once

#include "plugins/hip/Driver.h"

#include <atomic>
#include <mutex>
#include <set>

namespace hip {

/// Those of one device. Thread-safe.
class CapturedEvents {
public:
  /// That an event was recorded, by a stream that is captured or not, or destroyed.
  void note(hipEvent_t event, bool isCaptured) {
    if (!isCaptured && count.load() == 0)
      return;
    std::lock_guard lock(mutex);
    if (isCaptured)
      events.insert(event);
    else
      events.erase(event);
    count = events.size();
  }
  /// Cheap if there are none: one look at an atomic.
  bool has(hipEvent_t event) const {
    if (count.load() == 0)
      return false;
    std::lock_guard lock(mutex);
    return events.contains(event);
  }

private:
  std::atomic<size_t> count{0};
  mutable std::mutex mutex;
  std::set<hipEvent_t> events;
};

} // namespace hip
