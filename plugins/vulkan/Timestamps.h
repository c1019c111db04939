// Timestamps that a device writes, for the timing of events.
#pragma once

#include "plugins/vulkan/Error.h"

#include <memory>
#include <mutex>
#include <vector>

namespace vulkan {

class TimestampPool;

/// The place of one timestamp; it returns to the pool with its last owner.
struct TimestampSlot {
  TimestampSlot(TimestampPool &pool, VkQueryPool queries, uint32_t index)
      : pool(pool), queries(queries), index(index) {}
  ~TimestampSlot();
  TimestampSlot(const TimestampSlot &) = delete;
  TimestampSlot &operator=(const TimestampSlot &) = delete;
  TimestampPool &pool;
  VkQueryPool queries;
  uint32_t index;
};

class TimestampPool {
public:
  explicit TimestampPool(Context &context) : context(context) {}
  ~TimestampPool();
  TimestampPool(const TimestampPool &) = delete;
  TimestampPool &operator=(const TimestampPool &) = delete;

  TilerunStatus acquire(std::shared_ptr<TimestampSlot> &out, const TilerunErrorSink *sink);

private:
  friend struct TimestampSlot;
  Context &context;
  std::mutex mutex; ///< Guards what follows.
  std::vector<VkQueryPool> pools;
  std::vector<std::pair<VkQueryPool, uint32_t>> free;
};

/// Nanoseconds from `start` to `end`, whose lowest `bits` are valid and wrap around; each tick
/// takes `period` nanoseconds. Negative if `end` came first.
inline double getElapsed(uint64_t start, uint64_t end, uint32_t bits, double period) {
  // The difference of the bits that count, as a signed number of so many bits.
  const uint32_t unused = bits >= 64 ? 0 : 64 - bits;
  const auto ticks = static_cast<int64_t>((end - start) << unused) >> unused;
  return static_cast<double>(ticks) * period;
}

} // namespace vulkan
