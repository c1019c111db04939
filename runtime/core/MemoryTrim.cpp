// How the memory pool gives back: blocks of streams that end, and whole segments.
#include "runtime/core/MemoryPool.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::core;

void MemoryPool::releaseStream(const Stream &stream) {
  std::lock_guard lock(mutex);
  auto it = streams.find(stream.getHandle());
  if (it == streams.end())
    return;
  StreamLists lists = std::move(it->second);
  streams.erase(it);
  if (lists.small.empty() && lists.large.empty())
    return;
  // One event covers all. Where it cannot be had (a lost device), waiting is all that is left.
  std::shared_ptr<TilerunPluginEvent> event = recordEvent(stream.getHandle());
  if (!event)
    (void)stream.synchronize();
  for (FreeList *list : {&lists.small, &lists.large})
    for (auto [bytes, block] : *list) {
      block->event = event;
      block->anyStream = true;
      block->stream = nullptr;
      insertFree(block);
    }
}

// The device has done what came before the first `numCovered` frees: these blocks have nothing to
// wait for.
void MemoryPool::dissolveStreams(uint64_t numCovered) {
  std::vector<MemoryBlock *> free;
  auto collect = [&](StreamLists &lists) {
    for (FreeList *list : {&lists.small, &lists.large})
      for (auto [bytes, block] : *list)
        if (block->freedAt <= numCovered)
          free.push_back(block);
  };
  for (auto &[stream, lists] : streams)
    collect(lists);
  collect(shared);
  for (MemoryBlock *block : free) {
    removeFree(block);
    block->event.reset();
    block->anyStream = true;
    block->stream = nullptr;
    insertFree(block);
  }
  // A block that was merged into another one is gone from the lists and has no segment.
  for (MemoryBlock *block : free)
    if (block->segment) {
      removeFree(block);
      insertFree(merge(block));
    }
}

Status MemoryPool::releaseSegment(Segment *segment, TilerunPluginStream *stream) {
  TILERUN_TRY(TILERUN_CALL(device.getTable(), free, device.getHandle(), stream, segment->address));
  ++statistics.numDriverFrees;
  statistics.held -= segment->bytes;
  MemoryBlock *block = segment->first;
  if (block->inUse) {
    block->inUse = false;
    block->generation.fetch_add(1, std::memory_order_release);
  }
  recycle(block);
  segments.erase(segment->address);
  return {};
}

// After dissolveStreams: a segment that was freed in time is one block with nothing to wait for.
Status MemoryPool::releaseSegments(uint64_t keepBytes) {
  for (auto it = segments.begin(); it != segments.end() && statistics.held > keepBytes;) {
    Segment *segment = (it++)->second.get();
    MemoryBlock *block = segment->first;
    if (block->inUse || block->next || !block->anyStream || block->event)
      continue;
    removeFree(block);
    if (Status status = releaseSegment(segment, nullptr); !status.isOk()) {
      insertFree(block);
      return status;
    }
  }
  return {};
}

Status MemoryPool::trim(uint64_t keepBytes) {
  std::unique_lock lock(mutex);
  uint64_t numCovered = 0;
  TILERUN_TRY(waitUnlocked(lock, numCovered));
  dissolveStreams(numCovered);
  TILERUN_TRY(releaseSegments(keepBytes));
  // A driver with stream-ordered memory has it back when the stream has passed the frees.
  return waitUnlocked(lock, numCovered);
}
