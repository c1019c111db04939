// A lost device stays lost, and says why.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace tilerun::plugin_support {

class LossLatch {
public:
  /// Costs a launch one load.
  bool isLost() const { return lost.load(std::memory_order_relaxed); }
  /// The first reason stays.
  void lose(const std::string &why) {
    std::lock_guard lock(mutex);
    if (!lost.exchange(true))
      reason = why;
  }
  std::string getReason() const {
    std::lock_guard lock(mutex);
    return reason;
  }

private:
  std::atomic<bool> lost{false};
  mutable std::mutex mutex; ///< Guards `reason`.
  std::string reason;
};

} // namespace tilerun::plugin_support
