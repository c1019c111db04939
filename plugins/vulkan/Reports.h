// The prints and assertions of kernels: the buffers that launches write to, and reading them once
// the launches are done. backends/common/DebugBuffer.h has the format.
#pragma once

#include "backends/common/DebugReader.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vulkan {

struct Block;

using SharedSites = std::shared_ptr<const std::vector<tilerun::backend::DebugSite>>;

/// The launches of a stream that may have something to report, in order.
class ReportQueue {
public:
  struct Entry {
    std::shared_ptr<Block> block;
    SharedSites sites;
    const char *kernel = nullptr; ///< Outlives the queue.
    uint64_t value = 0;           ///< Of the stream, once the launch is done.
  };

  /// Cheap: one look at an atomic.
  bool isEmpty() const { return count.load(std::memory_order_relaxed) == 0; }
  size_t getCount() const { return count.load(std::memory_order_relaxed); }
  /// A buffer that was given back, or null.
  std::shared_ptr<Block> takeIdle();
  void giveBack(std::shared_ptr<Block> block);
  void add(Entry entry);
  /// The oldest launch, if `isDone(value)`.
  template <typename IsDone> bool pop(IsDone isDone, Entry &out) {
    std::lock_guard lock(mutex);
    if (entries.empty() || !isDone(entries.front().value))
      return false;
    out = std::move(entries.front());
    entries.pop_front();
    count.store(entries.size(), std::memory_order_relaxed);
    return true;
  }

private:
  std::atomic<size_t> count{0};
  std::mutex mutex; ///< Guards what follows.
  std::deque<Entry> entries;
  std::vector<std::shared_ptr<Block>> idle;
};

} // namespace vulkan
