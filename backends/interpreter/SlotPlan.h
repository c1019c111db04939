// Plans an arena: places are allocated first-fit and freed, so the arena is about as large as the
// peak of live bytes.
#pragma once

#include "backends/interpreter/Program.h"

#include <map>
#include <optional>

namespace tilerun::interp {

class SlotPlan {
public:
  /// Nothing where the arena would pass its limit.
  std::optional<Slot> take(size_t bytes) {
    if (bytes > kMaxArenaBytes)
      return std::nullopt;
    const size_t size = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
    for (auto it = freeBySlot.begin(); it != freeBySlot.end(); ++it) {
      if (it->second < size)
        continue;
      const auto [slot, available] = *it;
      freeBySlot.erase(it);
      if (available > size)
        freeBySlot[slot + size] = available - size;
      return used(slot, size);
    }
    return takeLasting(size);
  }

  /// A place that nothing used before: for values that are written once and must outlast every
  /// program.
  std::optional<Slot> takeLasting(size_t bytes) {
    const size_t size = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
    if (bytes > kMaxArenaBytes || end + size > kMaxArenaBytes)
      return std::nullopt;
    const size_t slot = end;
    end += size;
    return used(slot, size);
  }

  void giveBack(Slot slot) {
    auto taken = sizeBySlot.find(slot);
    size_t start = slot, size = taken->second;
    sizeBySlot.erase(taken);
    auto next = freeBySlot.lower_bound(start);
    if (next != freeBySlot.end() && start + size == next->first) {
      size += next->second;
      next = freeBySlot.erase(next);
    }
    if (next != freeBySlot.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == start) {
        previous->second += size;
        return;
      }
    }
    freeBySlot[start] = size;
  }

  size_t getBytes() const { return end; }

private:
  static constexpr size_t kAlignment = 64;
  Slot used(size_t slot, size_t size) {
    sizeBySlot[slot] = size;
    return Slot(slot);
  }
  size_t end = 0;
  std::map<size_t, size_t> freeBySlot, sizeBySlot;
};

} // namespace tilerun::interp
