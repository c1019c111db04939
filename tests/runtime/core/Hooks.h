// Counts what a warm launch must not do on this thread: allocations and locks of mutexes.
#pragma once

#include <cstdint>

namespace tilerun::core::test {

struct HookCounts {
  uint64_t allocations = 0, locks = 0;
};
/// Of the calling thread so far. Both stay 0 in builds with sanitizers, which have hooks of their
/// own in these places.
HookCounts getHookCounts();
/// Whether this build counts.
bool hasHooks();

} // namespace tilerun::core::test
