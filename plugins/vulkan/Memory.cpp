// Allocating and freeing, in the order of streams; the entries for memory.
#include "plugins/vulkan/Device.h"

#include <algorithm>

using namespace vulkan;

static constexpr uint64_t kAlignment = 256;

// Size of the blocks that small allocations share.
static uint64_t getSharedBytes(uint64_t heapBytes) {
  return std::clamp<uint64_t>(heapBytes / 64, uint64_t(1) << 20, uint64_t(64) << 20);
}

bool Memory::isLarge(uint64_t bytes) const { return bytes > getSharedBytes(getHeapBytes()) / 4; }

bool Memory::takeFromShared(uint64_t bytes, Live &out, TilerunAddress &address) {
  // The smallest range that will do, among those soon after the first: memory that held a hundred
  // thousand allocations has as many ranges.
  constexpr unsigned kMostLooks = 256;
  Block *best = nullptr;
  uint64_t bestOffset = 0, bestBytes = UINT64_MAX;
  unsigned looks = 0;
  auto look = [&](Block *block) {
    for (auto [offset, size] : block->free) {
      if (size >= bytes && size < bestBytes) {
        best = block;
        bestOffset = offset;
        bestBytes = size;
      }
      looks += best != nullptr;
      if (bestBytes == bytes || looks > kMostLooks)
        return true;
    }
    return false;
  };
  (void)std::any_of(sharedBlocks.begin(), sharedBlocks.end(), look);
  if (!best)
    return false;
  best->free.erase(bestOffset);
  if (bestBytes > bytes)
    best->free[bestOffset + bytes] = bestBytes - bytes;
  out = {best, bytes};
  address = best->address + bestOffset;
  return true;
}

// Memory that is free already, or that is freed by earlier work of the same stream.
bool Memory::take(Stream &stream, uint64_t bytes, Live &out, TilerunAddress &address) {
  auto it = std::find_if(deferred.begin(), deferred.end(), [&](const Deferred &each) {
    return each.stream.get() == &stream && each.live.bytes == bytes;
  });
  if (it != deferred.end()) {
    out = it->live;
    address = it->address;
    deferred.erase(it); // The caller holds the stream, so that it does not end here.
    return true;
  }
  if (!isLarge(bytes))
    return takeFromShared(bytes, out, address);
  auto best = spare.end();
  for (auto each = spare.begin(); each != spare.end(); ++each)
    if ((*each)->bytes >= bytes && (*each)->bytes - bytes <= bytes / 8 &&
        (best == spare.end() || (*each)->bytes < (*best)->bytes))
      best = each;
  if (best == spare.end())
    return false;
  out = {*best, (*best)->bytes};
  address = (*best)->address;
  spareBytes -= (*best)->bytes;
  spare.erase(best);
  return true;
}

bool Memory::takeNew(uint64_t bytes, Live &out, TilerunAddress &address, Failure &failure) {
  Block *block = nullptr;
  if (!isLarge(bytes)) {
    const uint64_t size = getSharedBytes(getHeapBytes());
    if (create(MemoryKind::Device, size, block, failure)) {
      block->shared = true;
      block->free[0] = size;
      sharedBlocks.push_back(block);
      return takeFromShared(bytes, out, address);
    }
  }
  // A block of its own, also where no shared block fits any more.
  if (!create(MemoryKind::Device, bytes, block, failure))
    return false;
  out = {block, bytes};
  address = block->address;
  return true;
}

void Memory::giveBack(TilerunAddress address, const Live &live) {
  Block *block = live.block;
  if (!block->shared) {
    if (!isLarge(block->bytes)) {
      destroy(block);
      return;
    }
    spare.push_back(block);
    spareBytes += block->bytes;
    trim(getHeapBytes() / 8);
    return;
  }
  auto [it, isNew] = block->free.emplace(address - block->address, live.bytes);
  if (auto next = std::next(it);
      next != block->free.end() && it->first + it->second == next->first) {
    it->second += next->second;
    block->free.erase(next);
  }
  if (it != block->free.begin())
    if (auto before = std::prev(it); before->first + before->second == it->first) {
      before->second += it->second;
      block->free.erase(it);
    }
  if (isEmpty(*block) && spareBytes + getEmptyBytes() > getHeapBytes() / 8) {
    std::erase(sharedBlocks, block);
    destroy(block);
  }
}

bool Memory::isEmpty(const Block &block) const {
  return !block.free.empty() && block.free.begin()->second == block.bytes;
}

uint64_t Memory::getEmptyBytes() const {
  uint64_t bytes = 0;
  for (const Block *block : sharedBlocks)
    if (isEmpty(*block))
      bytes += block->bytes;
  return bytes;
}

// Destroys spare blocks, oldest first, until `keep` bytes are left; with 0, empty shared blocks
// too.
bool Memory::trim(uint64_t keep) {
  bool any = false;
  size_t count = 0;
  for (; count < spare.size() && spareBytes > keep; ++count) {
    spareBytes -= spare[count]->bytes;
    destroy(spare[count]);
    any = true;
  }
  spare.erase(spare.begin(), spare.begin() + static_cast<ptrdiff_t>(count));
  if (keep == 0)
    std::erase_if(sharedBlocks, [&](Block *block) {
      if (!isEmpty(*block))
        return false;
      destroy(block);
      return any = true;
    });
  return any;
}

// Frees memory once its streams have passed the free. Streams that nobody else holds end after the
// lock.
void Memory::collect(std::vector<std::shared_ptr<Stream>> &dropped) {
  std::erase_if(deferred, [&](Deferred &each) {
    if (!each.stream->hasPassed(each.value))
      return false;
    giveBack(each.address, each.live);
    dropped.push_back(std::move(each.stream));
    return true;
  });
}

TilerunStatus Memory::allocate(const std::shared_ptr<Stream> &stream, uint64_t bytes,
                               TilerunAddress &address, const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "allocate");
  if (bytes > getHeapBytes())
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate", context,
                std::to_string(bytes) + " bytes requested, the device has " +
                    std::to_string(getHeapBytes()) + " bytes");
  bytes = (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  std::vector<std::shared_ptr<Stream>> dropped; // Outlives the lock.
  for (;;) {
    Failure failure;
    std::shared_ptr<Stream> busy;
    uint64_t value = 0;
    {
      std::lock_guard lock(mutex);
      Live taken;
      TilerunAddress where = 0;
      collect(dropped);
      auto isLost = [&] { return failure.result == VK_ERROR_DEVICE_LOST; };
      if (take(*stream, bytes, taken, where) || takeNew(bytes, taken, where, failure) ||
          (!isLost() && trim(0) && takeNew(bytes, taken, where, failure))) {
        live[where] = taken;
        address = where;
        return TILERUN_STATUS_OK;
      }
      // Memory that other work still uses comes back when that is done.
      if (!isLost() && !deferred.empty()) {
        busy = deferred.front().stream;
        value = deferred.front().value;
      }
    }
    if (!busy)
      return report(failure, sink);
    TILERUN_PLUGIN_TRY(busy->waitFor(value, sink));
  }
}

TilerunStatus Memory::free(const std::shared_ptr<Stream> &stream, TilerunAddress address,
                           const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "free");
  const uint64_t value = stream->getLastValue();
  const bool passed = stream->hasPassed(value);
  std::vector<std::shared_ptr<Stream>> dropped;
  std::lock_guard lock(mutex);
  auto it = live.find(address);
  if (it == live.end())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "free", context,
                "address " + std::to_string(address) +
                    " is not that of an allocation (freed "
                    "before?)");
  if (passed)
    giveBack(address, it->second);
  else
    deferred.push_back({address, it->second, stream, value});
  live.erase(it);
  return TILERUN_STATUS_OK;
}

TilerunStatus Memory::allocateHost(uint64_t bytes, void **pointer, const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "allocate_host");
  Block *block = nullptr;
  Failure failure;
  bytes = std::max<uint64_t>(bytes, 1);
  if (!create(MemoryKind::Host, bytes, block, failure)) {
    std::lock_guard lock(mutex);
    if (failure.result == VK_ERROR_DEVICE_LOST || !trim(0) ||
        !create(MemoryKind::Host, bytes, block, failure))
      return report(failure, sink);
  }
  std::lock_guard lock(lookupMutex);
  pinned[block->host] = block;
  *pointer = block->host;
  return TILERUN_STATUS_OK;
}

TilerunStatus Memory::freeHost(void *pointer, const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "free_host");
  Block *block = nullptr;
  {
    std::lock_guard lock(lookupMutex);
    auto it = pinned.find(static_cast<const uint8_t *>(pointer));
    if (it != pinned.end())
      block = it->second;
  }
  if (!block)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "free_host", context,
                "the pointer is not one that allocate_host gave");
  destroy(block);
  return TILERUN_STATUS_OK;
}

bool Memory::getInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const {
  auto set = [&](uint64_t base, uint64_t bytes, bool onHost, bool accessible) {
    info.accessible = accessible;
    info.base = base;
    info.num_bytes = bytes;
    info.on_host = onHost;
    info.other_device = 0;
    return true;
  };
  {
    std::lock_guard lock(mutex);
    auto it = live.upper_bound(address);
    if (it != live.begin() && address - std::prev(it)->first < std::prev(it)->second.bytes)
      return set(std::prev(it)->first, std::prev(it)->second.bytes, false, true);
  }
  std::shared_lock lock(lookupMutex);
  for (auto [host, block] : pinned) {
    // A kernel takes its device address, which equals the host's pointer only by chance.
    if (address - block->address < block->bytes)
      return set(block->address, block->bytes, true, true);
    auto begin = reinterpret_cast<uint64_t>(host);
    if (address - begin < block->bytes)
      return set(begin, block->bytes, true, false);
  }
  return false;
}

uint64_t Memory::getFree() {
  const PhysicalDevice &physical = context.physical;
  const uint64_t total = getHeapBytes() - getReservedBytes();
  std::vector<std::shared_ptr<Stream>> dropped; // Outlives the lock.
  std::lock_guard lock(mutex);
  collect(dropped);
  uint64_t free = total - std::min<uint64_t>(physical.used, total);
  if (physical.memoryBudget) {
    auto budget = make<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    auto memory = make<VkPhysicalDeviceMemoryProperties2>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
    memory.pNext = &budget;
    physical.instance->table.vkGetPhysicalDeviceMemoryProperties2(physical.handle, &memory);
    uint64_t most = budget.heapBudget[physical.deviceHeap];
    uint64_t used = budget.heapUsage[physical.deviceHeap];
    free = std::min(free, most > used ? most - used : 0);
  }
  return std::min(free + spareBytes + getEmptyBytes(), total);
}

TilerunStatus Memory::acquireStaging(std::shared_ptr<Block> &out, const TilerunErrorSink *sink) {
  {
    std::lock_guard lock(mutex);
    if (!staging.empty()) {
      out = std::move(staging.back());
      staging.pop_back();
      return TILERUN_STATUS_OK;
    }
  }
  return makeBlock(MemoryKind::Host, kStagingBytes, out, sink);
}

void Memory::releaseStaging(std::shared_ptr<Block> block) {
  constexpr size_t kMost = 4;
  std::lock_guard lock(mutex);
  if (staging.size() < kMost)
    staging.push_back(std::move(block)); // Else it ends after the lock, with the parameter.
}

void Memory::release() {
  std::deque<Deferred> ended;
  std::vector<std::shared_ptr<Block>> blocks;
  std::lock_guard lock(mutex);
  ended.swap(deferred);
  blocks.swap(staging);
  for (Deferred &each : ended)
    each.live.block = nullptr;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static TilerunStatus getPointerInfo(TilerunPluginDevice *device, TilerunAddress address,
                                    TilerunPluginPointerInfo *info, const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "get_pointer_info");
  if (context.memory.getInfo(address, *info))
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_pointer_info", context,
              "address " + std::to_string(address) + " is not memory of this device");
}

void vulkan::addMemoryEntries(TilerunPlugin &table) {
  table.allocate = [](TilerunPluginDevice *device, TilerunPluginStream *stream, uint64_t bytes,
                      TilerunAddress *address, const TilerunErrorSink *sink) {
    return device->context->memory.allocate(shareStream(device, stream), bytes, *address, sink);
  };
  table.free = [](TilerunPluginDevice *device, TilerunPluginStream *stream, TilerunAddress address,
                  const TilerunErrorSink *sink) -> TilerunStatus {
    return address ? device->context->memory.free(shareStream(device, stream), address, sink)
                   : TILERUN_STATUS_OK;
  };
  table.allocate_host = [](TilerunPluginDevice *device, uint64_t bytes, void **pointer,
                           const TilerunErrorSink *sink) {
    return device->context->memory.allocateHost(bytes, pointer, sink);
  };
  table.free_host = [](TilerunPluginDevice *device, void *pointer,
                       const TilerunErrorSink *sink) -> TilerunStatus {
    return pointer ? device->context->memory.freeHost(pointer, sink) : TILERUN_STATUS_OK;
  };
  table.get_pointer_info = getPointerInfo;
}
