// Whether an address may be passed to a kernel on a device. Each thread remembers the allocations
// that it has seen, so that a warm launch asks nobody: for the pool's blocks the memory is exact
// (their generation changes when they are freed), for memory of others it lasts until it is pushed
// out by newer entries.
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

inline SeenAllocation &getSeen(TilerunAddress address) {
  return seenAllocations[((address >> 9) * 0x9E3779B97F4A7C15u) >> 57];
}
/// Asks the pool, then the driver. The failure's message is the end of a sentence about the
/// address.
Status checkUnseenPointer(const Device &device, TilerunAddress address);
} // namespace detail

/// OK if the device may use `address`; 0 is allowed.
inline Status checkPointer(const Device &device, TilerunAddress address) {
  const detail::SeenAllocation &seen = detail::getSeen(address);
  if (seen.deviceSerial == device.getSerial() && address - seen.begin < seen.bytes &&
      (!seen.block || seen.block->generation.load(std::memory_order_acquire) == seen.generation))
      [[likely]]
    return {};
  return detail::checkUnseenPointer(device, address);
}

} // namespace tilerun::core
