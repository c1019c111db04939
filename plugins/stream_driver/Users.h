// The handles of this process on each device. A driver keeps the state of a device once for the
// process, however many handles are open, and after a fault only a reset gives a new one, if
// anything does.
#pragma once

#include "plugins/support/LossLatch.h"

#include <map>
#include <mutex>
#include <string>

namespace tilerun::stream_driver {

/// By ordinal. The last handle of a lost device resets it; an earlier one would take it from the
/// others. Thread-safe.
class DeviceUsers {
public:
  /// Runs `acquire`, and counts a handle unless its outcome is an error.
  template <typename Acquire> auto add(uint32_t device, Acquire acquire) {
    std::lock_guard lock(mutex);
    auto outcome = acquire();
    if (!outcome)
      ++users[device].handles;
    return outcome;
  }
  /// Runs `reset`, if the last handle goes and any of them had lost the device, then `release`.
  template <typename Reset, typename Release>
  void remove(uint32_t device, const plugin_support::LossLatch &latch, Reset reset,
              Release release) {
    std::lock_guard lock(mutex);
    Users &of = users[device];
    if (latch.isLost())
      of.lossReason = of.lastLoss = latch.getReason();
    if (--of.handles == 0 && !of.lossReason.empty()) {
      reset();
      of.lossReason.clear();
    }
    release();
  }
  /// What lost the device earlier in this process; "" if nothing did.
  std::string getLastLoss(uint32_t device) const {
    std::lock_guard lock(mutex);
    auto it = users.find(device);
    return it == users.end() ? "" : it->second.lastLoss;
  }

private:
  struct Users {
    unsigned handles = 0;
    std::string lossReason; ///< Of those handles; empty while none is lost.
    std::string lastLoss;   ///< The same, of all handles so far.
  };
  mutable std::mutex mutex; ///< Guards what follows, and calls of the driver that change it.
  std::map<uint32_t, Users> users;
};

/// Those of a plugin's devices. Outlive every thread.
template <typename D> DeviceUsers &getUsers() {
  static auto *users = new DeviceUsers;
  return *users;
}

} // namespace tilerun::stream_driver
