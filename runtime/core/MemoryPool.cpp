// Best fit over the free blocks of a stream, then of others, then a new segment.
#include "runtime/core/MemoryPool.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::core;

// Blocks are multiples of kRound. Requests up to kSmallest share segments of kSmallSegment; larger
// ones up to kLargest share segments of kLargeSegment; the rest have segments of their own.
static constexpr uint64_t kRound = 512;
static constexpr uint64_t kSmallest = 1 << 20;
static constexpr uint64_t kSmallSegment = 2 << 20;
static constexpr uint64_t kLargest = 10 << 20;
static constexpr uint64_t kLargeSegment = 20 << 20;
static constexpr uint64_t kHugeRound = 2 << 20;

static uint64_t roundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

static std::string describeBytes(uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

MemoryPool::MemoryPool(Device &device, bool usePool) : device(device), usePool(usePool) {}

MemoryPool::~MemoryPool() {
  std::lock_guard lock(mutex);
  // Events go before the memory that they stand for.
  for (MemoryBlock &block : arena)
    block.event.reset();
  for (const auto &[address, segment] : segments)
    (void)TILERUN_CALL(device.getTable(), free, device.getHandle(), nullptr, address);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

MemoryBlock *MemoryPool::makeBlock() {
  if (spare.empty())
    return &arena.emplace_back();
  MemoryBlock *block = spare.back();
  spare.pop_back();
  return block;
}

void MemoryPool::recycle(MemoryBlock *block) {
  blocks.erase(block->address);
  block->event.reset();
  block->segment = nullptr;
  block->previous = block->next = nullptr;
  block->anyStream = false;
  spare.push_back(block);
}

void MemoryPool::insertFree(MemoryBlock *block) {
  StreamLists &lists = block->anyStream ? shared : streams[block->stream];
  (block->segment->small ? lists.small : lists.large).insert({block->bytes, block});
}

void MemoryPool::removeFree(MemoryBlock *block) {
  StreamLists &lists = block->anyStream ? shared : streams[block->stream];
  (block->segment->small ? lists.small : lists.large).erase({block->bytes, block});
}

void MemoryPool::split(MemoryBlock *block, uint64_t bytes, bool small) {
  uint64_t rest = block->bytes - bytes;
  if (rest < (small ? kRound : kSmallest))
    return;
  MemoryBlock *tail = makeBlock();
  tail->address = block->address + bytes;
  tail->bytes = rest;
  tail->segment = block->segment;
  tail->stream = block->stream;
  tail->event = block->event;
  tail->freedAt = block->freedAt;
  tail->anyStream = block->anyStream;
  tail->previous = block;
  tail->next = block->next;
  if (tail->next)
    tail->next->previous = tail;
  block->next = tail;
  block->bytes = bytes;
  blocks[tail->address] = tail;
  insertFree(tail);
}

// Joins a free block, which is in no list, with free neighbours of the same stream. Their events
// were recorded before this one's, on the same stream, so that this one's covers them.
MemoryBlock *MemoryPool::merge(MemoryBlock *block) {
  auto joins = [&](MemoryBlock *other) {
    return other && !other->inUse && other->anyStream == block->anyStream &&
           (block->anyStream ? !other->event && !block->event : other->stream == block->stream);
  };
  if (MemoryBlock *next = block->next; joins(next)) {
    removeFree(next);
    block->bytes += next->bytes;
    block->freedAt = std::max(block->freedAt, next->freedAt);
    block->next = next->next;
    if (block->next)
      block->next->previous = block;
    recycle(next);
  }
  if (MemoryBlock *previous = block->previous; joins(previous)) {
    removeFree(previous);
    previous->bytes += block->bytes;
    previous->freedAt = std::max(previous->freedAt, block->freedAt);
    previous->event = std::move(block->event);
    previous->next = block->next;
    if (previous->next)
      previous->next->previous = previous;
    recycle(block);
    return previous;
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

// Null where the driver refuses: then only the stream itself may take the block.
std::shared_ptr<TilerunPluginEvent> MemoryPool::recordEvent(TilerunPluginStream *stream) {
  const TilerunPlugin &table = device.getTable();
  TilerunPluginEvent *event = nullptr;
  if (!TILERUN_CALL(table, create_event, device.getHandle(), 0u, &event).isOk())
    return nullptr;
  std::shared_ptr<TilerunPluginEvent> owned(event, [&table](TilerunPluginEvent *e) {
    if (table.destroy_event && !isInherited(table))
      table.destroy_event(e);
  });
  if (!TILERUN_CALL(table, record_event, event, stream).isOk())
    return nullptr;
  return owned;
}

bool MemoryPool::hasPassed(MemoryBlock *block) {
  if (!block->event)
    return block->anyStream;
  if (!TILERUN_CALL(device.getTable(), query_event, block->event.get()).isOk())
    return false;
  block->event.reset();
  return true;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

MemoryBlock *MemoryPool::takeFree(TilerunPluginStream *stream, uint64_t bytes, bool small) {
  StreamLists &lists = streams[stream];
  FreeList &list = small ? lists.small : lists.large;
  auto it = list.lower_bound({bytes, nullptr});
  if (it == list.end())
    return nullptr;
  MemoryBlock *block = it->second;
  list.erase(it);
  return block;
}

MemoryBlock *MemoryPool::takeFromOthers(TilerunPluginStream *stream, uint64_t bytes, bool small) {
  // Only a few candidates of each are queried, so that a long queue of pending blocks costs no
  // time.
  constexpr int kMostQueries = 4;
  auto search = [&](FreeList &list, TilerunPluginStream *owner) -> MemoryBlock * {
    int queries = 0;
    for (auto it = list.lower_bound({bytes, nullptr}); it != list.end() && queries < kMostQueries;
         ++it) {
      MemoryBlock *block = it->second;
      // Freed while there was only one stream: its event is recorded now, later than necessary.
      if (!block->event && !block->anyStream)
        block->event = recordEvent(owner);
      ++queries;
      if (!hasPassed(block))
        continue;
      list.erase(it);
      block->anyStream = false;
      block->stream = stream;
      return block;
    }
    return nullptr;
  };
  if (MemoryBlock *block = search(small ? shared.small : shared.large, nullptr))
    return block;
  for (auto &[owner, lists] : streams)
    if (owner != stream)
      if (MemoryBlock *block = search(small ? lists.small : lists.large, owner))
        return block;
  return nullptr;
}

Status MemoryPool::askDriver(TilerunPluginStream *stream, uint64_t bytes, TilerunAddress &address) {
  TILERUN_TRY(
      TILERUN_CALL(device.getTable(), allocate, device.getHandle(), stream, bytes, &address));
  ++statistics.numDriverAllocations;
  return {};
}

// Waits for the device without the lock, so that others allocate and free meanwhile. Only blocks
// freed before the wait began are known to be idle: the first `numCovered` frees.
Status MemoryPool::waitUnlocked(std::unique_lock<std::mutex> &lock, uint64_t &numCovered) {
  numCovered = numFrees;
  lock.unlock();
  Status status = device.synchronize();
  lock.lock();
  return status;
}

Status MemoryPool::allocateSegment(std::unique_lock<std::mutex> &lock, TilerunPluginStream *stream,
                                   uint64_t bytes, bool small, MemoryBlock *&block, bool &reused) {
  uint64_t size = !usePool            ? bytes
                  : small             ? kSmallSegment
                  : bytes <= kLargest ? kLargeSegment
                                      : roundUp(bytes, kHugeRound);
  TilerunAddress address = 0;
  Status status = askDriver(stream, size, address);
  if (status.getCode() == TILERUN_STATUS_OUT_OF_MEMORY) {
    ++statistics.numOutOfMemory;
    // Blocks that are still in use by earlier work become free when it is done.
    uint64_t numCovered = 0;
    if (usePool && waitUnlocked(lock, numCovered).isOk()) {
      dissolveStreams(numCovered);
      block = takeFree(stream, bytes, small);
      if (!block)
        block = takeFromOthers(stream, bytes, small);
      reused = block;
      if (block)
        return {};
      (void)releaseSegments(0);
      // A driver with stream-ordered memory has it back when the stream has passed the frees.
      (void)waitUnlocked(lock, numCovered);
    }
    // Try once more, with exactly the requested size.
    size = bytes;
    status = askDriver(stream, size, address);
  }
  if (!status.isOk()) {
    if (status.getCode() != TILERUN_STATUS_OUT_OF_MEMORY)
      return status;
    Error error = status.getError();
    error.message += "; " + describeBytes(statistics.allocated) +
                     " are allocated through it, and " +
                     describeBytes(statistics.held - statistics.inBlocks) +
                     " are free in its pool, in pieces that are too small";
    return Status(std::move(error));
  }
  auto segment = std::make_unique<Segment>(Segment{address, size, small, makeBlock()});
  block = segment->first;
  block->address = address;
  block->bytes = size;
  block->segment = segment.get();
  block->stream = stream;
  blocks[address] = block;
  segments[address] = std::move(segment);
  statistics.held += size;
  statistics.peakHeld = std::max(statistics.peakHeld, statistics.held);
  return {};
}

MemoryBlock *MemoryPool::finish(MemoryBlock *block, uint64_t requested, bool reused) {
  block->event.reset();
  block->anyStream = false;
  block->inUse = true;
  block->requested = requested;
  block->generation.fetch_add(1, std::memory_order_release);
  ++statistics.numAllocations;
  statistics.numReused += reused;
  statistics.allocated += requested;
  statistics.inBlocks += block->bytes;
  statistics.peakAllocated = std::max(statistics.peakAllocated, statistics.allocated);
  return block;
}

Status MemoryPool::allocate(const Stream &stream, uint64_t bytes, TilerunAddress &address) {
  uint64_t requested = std::max<uint64_t>(bytes, 1);
  // Sizes near 2^64 would wrap; the driver's answer to them is the same.
  if (requested > UINT64_MAX - kHugeRound)
    return Status(TILERUN_STATUS_OUT_OF_MEMORY, "allocation of " + describeBytes(bytes) + " on " +
                                                    device.getId() +
                                                    ": no device has that much memory");
  // Once the device is lost, the pool's memory is lost too.
  TILERUN_TRY(device.getState());
  uint64_t rounded = usePool ? roundUp(requested, kRound) : requested;
  bool small = rounded <= kSmallest;
  std::unique_lock lock(mutex);
  MemoryBlock *block = nullptr;
  if (usePool) {
    block = takeFree(stream.getHandle(), rounded, small);
    if (!block)
      block = takeFromOthers(stream.getHandle(), rounded, small);
  }
  bool reused = block != nullptr;
  if (!block)
    TILERUN_TRY(allocateSegment(lock, stream.getHandle(), rounded, small, block, reused));
  if (usePool)
    split(block, rounded, small);
  address = finish(block, requested, reused)->address;
  return {};
}

Status MemoryPool::free(const Stream &stream, TilerunAddress address) {
  if (!address)
    return {};
  std::lock_guard lock(mutex);
  auto it = blocks.find(address);
  if (it == blocks.end() || !it->second->inUse)
    return Status::invalid("free on " + device.getId() + ": no allocation begins at " +
                           std::to_string(address) +
                           (it == blocks.end() ? "" : "; the one that did is free already"));
  MemoryBlock *block = it->second;
  if (!usePool) {
    uint64_t requested = block->requested, bytes = block->bytes;
    TILERUN_TRY(releaseSegment(block->segment, stream.getHandle()));
    statistics.allocated -= requested;
    statistics.inBlocks -= bytes;
    return {};
  }
  block->inUse = false;
  block->freedAt = ++numFrees;
  block->generation.fetch_add(1, std::memory_order_release);
  statistics.allocated -= block->requested;
  statistics.inBlocks -= block->bytes;
  block->stream = stream.getHandle();
  streams.try_emplace(block->stream);
  // With one stream there is no need for an event.
  if (streams.size() > 1)
    block->event = recordEvent(block->stream);
  insertFree(merge(block));
  return {};
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

MemoryPool::Statistics MemoryPool::getStatistics() const {
  std::lock_guard lock(mutex);
  return statistics;
}

MemoryPool::Place MemoryPool::find(TilerunAddress address) const {
  std::lock_guard lock(mutex);
  auto it = blocks.upper_bound(address);
  if (it == blocks.begin())
    return {};
  MemoryBlock *block = std::prev(it)->second;
  if (address - block->address >= block->bytes)
    return {};
  return {block, block->generation.load(std::memory_order_relaxed), block->address,
          block->inUse ? block->requested : block->bytes, block->bytes};
}

Status MemoryPool::checkRange(const char *what, TilerunAddress address, uint64_t bytes) const {
  Place place = find(address);
  if (!place.block)
    return {};
  std::string begin = std::string(what) + " " + device.getId() + ": ";
  if (place.generation % 2 == 0)
    return Status::invalid(begin + "the memory is not allocated (freed before?)");
  uint64_t offset = address - place.begin;
  uint64_t room = place.bytes - std::min(offset, place.bytes);
  if (bytes <= room) [[likely]]
    return {};
  return Status::invalid(begin + describeBytes(bytes) + " from byte " + std::to_string(offset) +
                         " of an allocation of " + describeBytes(place.bytes) + " leave it by " +
                         describeBytes(bytes - room));
}
