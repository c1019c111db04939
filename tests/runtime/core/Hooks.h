// Counts what a warm launch must not do on this thread: allocations and locks of mutexes.
#pragma once

#include <cstdint>

namespace tilerun::core::test {

struct HookCounts {
  uint64_t allocations = 0, locks = 0;
};
/// Of the calling thread so far. `locks` stays 0 under ThreadSanitizer, which has hooks of its own.
HookCounts getHookCounts();
/// Whether locks are counted in this build.
bool countsLocks();

} // namespace tilerun::core::test
