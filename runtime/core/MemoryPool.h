// The caching allocator of one device. Memory comes from the driver in segments, which are divided
// into blocks. A free block belongs to the stream that it was freed on: that stream can reuse it
// at once, because its order protects the contents; another stream can take it once the event
// that was recorded at the free has passed. Without the pool every allocation is a segment of its
// own.
#pragma once

#include "runtime/core/Device.h"

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace tilerun::core {

/// A piece of a segment. Never deleted while the pool lives, so that a thread may read `generation`
/// of a block that it saw before.
struct MemoryBlock {
  struct Segment;
  TilerunAddress address = 0;
  uint64_t bytes = 0;     ///< Of the block.
  uint64_t requested = 0; ///< Of the caller; 0 counts as 1.
  Segment *segment = nullptr;
  MemoryBlock *previous = nullptr, *next = nullptr; ///< Neighbours in the segment.
  TilerunPluginStream *stream = nullptr;            ///< Whose order it is free in.
  std::shared_ptr<TilerunPluginEvent> event; ///< Passed: free for all streams. Null: not recorded.
  bool anyStream = false;                    ///< Free for all streams, or once `event` has passed.
  bool inUse = false;
  uint64_t freedAt =
      0; ///< The pool's count of frees when it, or what it was merged with, was freed.
  std::atomic<uint64_t> generation{0}; ///< Changes with each allocation and free; odd: in use.
};

/// An allocation of the driver, divided into blocks.
struct MemoryBlock::Segment {
  TilerunAddress address;
  uint64_t bytes;
  bool small;
  MemoryBlock *first;
};

class MemoryPool {
public:
  MemoryPool(Device &device, bool usePool);
  ~MemoryPool(); ///< Gives everything back; the device's work is done.
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  Status allocate(const Stream &stream, uint64_t bytes, TilerunAddress &address);
  Status free(const Stream &stream, TilerunAddress address);
  /// Waits for the device and returns whole free segments to the driver, until `keepBytes` are
  /// held. Other threads continue while it waits; what they free meanwhile stays.
  Status trim(uint64_t keepBytes);
  /// Before a stream is destroyed: its free blocks are for everybody once its work is done.
  void releaseStream(const Stream &stream);

  struct Statistics {
    uint64_t allocated = 0, inBlocks = 0, held = 0, peakAllocated = 0, peakHeld = 0;
    uint64_t numAllocations = 0, numReused = 0, numDriverAllocations = 0, numDriverFrees = 0;
    uint64_t numOutOfMemory = 0;
  };
  Statistics getStatistics() const;

  /// The block that contains an address.
  struct Place {
    MemoryBlock *block = nullptr; ///< Null: not this pool's memory.
    uint64_t generation = 0;      ///< Of the block, as it is now; odd: in use.
    TilerunAddress begin = 0;
    uint64_t bytes = 0;      ///< As the caller asked.
    uint64_t blockBytes = 0; ///< With what was rounded up.
  };
  Place find(TilerunAddress address) const;
  /// INVALID_ARGUMENT if a range begins in memory of the pool and leaves its allocation, or that is
  /// free. `what` begins the message: "copy to".
  Status checkRange(const char *what, TilerunAddress address, uint64_t bytes) const;

private:
  using Segment = MemoryBlock::Segment;
  /// By size, then address: the lowest that fits best.
  using FreeList = std::set<std::pair<uint64_t, MemoryBlock *>>;
  struct StreamLists {
    FreeList small, large;
  };

  // All of these under the lock.
  MemoryBlock *takeFree(TilerunPluginStream *stream, uint64_t bytes, bool small);
  MemoryBlock *takeFromOthers(TilerunPluginStream *stream, uint64_t bytes, bool small);
  /// Gives the lock up while it waits for the device.
  Status allocateSegment(std::unique_lock<std::mutex> &lock, TilerunPluginStream *stream,
                         uint64_t bytes, bool small, MemoryBlock *&block, bool &reused);
  Status waitUnlocked(std::unique_lock<std::mutex> &lock, uint64_t &numCovered);
  Status askDriver(TilerunPluginStream *stream, uint64_t bytes, TilerunAddress &address);
  void split(MemoryBlock *block, uint64_t bytes, bool small);
  MemoryBlock *merge(MemoryBlock *block);
  void insertFree(MemoryBlock *block);
  void removeFree(MemoryBlock *block);
  void dissolveStreams(uint64_t numCovered);
  Status releaseSegments(uint64_t keepBytes);
  Status releaseSegment(Segment *segment, TilerunPluginStream *stream);
  std::shared_ptr<TilerunPluginEvent> recordEvent(TilerunPluginStream *stream);
  bool hasPassed(MemoryBlock *block);
  MemoryBlock *makeBlock();
  void recycle(MemoryBlock *block);
  MemoryBlock *finish(MemoryBlock *block, uint64_t requested, bool reused);

  Device &device;
  const bool usePool;
  mutable std::mutex mutex; ///< Guards what follows.
  Statistics statistics;
  uint64_t numFrees = 0;
  std::deque<MemoryBlock> arena;
  std::vector<MemoryBlock *> spare;
  std::map<TilerunAddress, std::unique_ptr<Segment>> segments;
  std::map<TilerunAddress, MemoryBlock *> blocks; ///< All, by address.
  std::unordered_map<TilerunPluginStream *, StreamLists> streams;
  StreamLists shared; ///< Blocks for any stream.
};

} // namespace tilerun::core
