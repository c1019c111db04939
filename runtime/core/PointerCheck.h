// Checks whether an address may be passed to a kernel on a device. Each thread remembers the
// allocations that it has seen, so a warm launch makes no calls: for the pool's blocks the record
// is exact (their generation changes when they are freed), for foreign memory it lasts until
// newer entries evict it.
#pragma once

#include "runtime/core/MemoryPool.h"

namespace tilerun::core {

namespace detail {
struct SeenAllocation {
  uint64_t deviceSerial; ///< 0: empty.
  TilerunAddress begin;
  uint64_t bytes;
  const MemoryBlock *block; ///< Null: not the pool's.
  uint64_t generation;
};
constexpr unsigned kSeen = 128;
extern constinit thread_local SeenAllocation seenAllocations[kSeen];

/// In this thread's `seenAllocations`, whose address a launch takes once.
inline SeenAllocation &getSeen(SeenAllocation *all, TilerunAddress address) {
  return all[((address >> 9) * 0x9E3779B97F4A7C15u) >> 57];
}
/// Asks the pool, then the driver. The failure's message is the end of a sentence about the
/// address.
Status checkUnseenPointer(const Device &device, TilerunAddress address);
} // namespace detail

/// Checks the pointers of one launch.
class PointerCheck {
public:
  explicit PointerCheck(const Device &device)
      : device(device), serial(device.getSerial()), seen(detail::seenAllocations) {}
  /// Whether the device may use `address`, as far as this thread remembers.
  bool isKnown(TilerunAddress address) const {
    const detail::SeenAllocation &known = detail::getSeen(seen, address);
    return known.deviceSerial == serial && address - known.begin < known.bytes &&
           (!known.block ||
            known.block->generation.load(std::memory_order_acquire) == known.generation);
  }
  /// Whether the memory around `address` is small: that of the range, or of the pool's block, which
  /// may be larger than what was asked for. False where nobody has told: of the memory of others
  /// the driver may know only a part.
  bool isSmall(TilerunAddress address, const TilerunMemoryRange *range) const;
  /// OK if the device may use `address`; 0 is allowed.
  Status check(TilerunAddress address) const {
    if (isKnown(address)) [[likely]]
      return {};
    return detail::checkUnseenPointer(device, address);
  }

private:
  const Device &device;
  const uint64_t serial;
  detail::SeenAllocation *const seen;
};

} // namespace tilerun::core
