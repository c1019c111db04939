// Counts the operations that a warm launch must not do on this thread: allocations and locks of
// mutexes.
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
/// The n-th `operator new` of this thread from now on throws; 0: none does.
void failAllocation(uint64_t number);
/// Whether it came to that.
bool hasFailedAllocation();

} // namespace tilerun::core::test
