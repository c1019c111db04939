// Blocks: choosing a memory type, making a buffer with its memory, finding blocks by address.
#include "plugins/vulkan/Device.h"

#include <algorithm>

using namespace vulkan;

uint64_t Memory::getHeapBytes() const {
  const PhysicalDevice &physical = context.physical;
  return physical.memory.memoryHeaps[physical.deviceHeap].size;
}

uint64_t Memory::getReservedBytes() const {
  return std::min<uint64_t>(getHeapBytes() / 32, uint64_t(64) << 20);
}

// The memory types for a kind, best first.
static std::vector<uint32_t> getTypes(const PhysicalDevice &physical, MemoryKind kind, bool large,
                                      uint32_t allowed) {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                  kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const bool near = physical.isCpu || physical.isIntegrated;
  std::vector<VkMemoryPropertyFlags> wanted;
  switch (kind) {
  case MemoryKind::Device:
    if (near)
      wanted = {kLocal | kVisible | kCached, kLocal | kVisible, kLocal};
    else if (large)
      wanted = {kLocal};
    else // Where the host sees all of the device's memory, it writes small things itself.
      wanted = {kLocal | kVisible, kLocal};
    break;
  case MemoryKind::Upload:
    wanted = {kLocal | kVisible, kVisible};
    break;
  case MemoryKind::Host:
    wanted = {kVisible | kCached, kVisible};
    break;
  }
  std::vector<uint32_t> types;
  for (VkMemoryPropertyFlags flags : wanted)
    // Types without further properties come first: visible memory may be slower even if it is not
    // mapped.
    for (bool exact : {true, false})
      for (uint32_t i = 0; i < physical.memory.memoryTypeCount; ++i) {
        const VkMemoryType &type = physical.memory.memoryTypes[i];
        bool fits = exact ? type.propertyFlags == flags : (type.propertyFlags & flags) == flags;
        constexpr VkMemoryPropertyFlags kNever =
            VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
            VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
        if (!fits || !(allowed >> i & 1) || (type.propertyFlags & kNever))
          continue;
        if (kind == MemoryKind::Device && type.heapIndex != physical.deviceHeap)
          continue;
        if (std::find(types.begin(), types.end(), i) == types.end())
          types.push_back(i);
      }
  return types;
}

// Calls Vulkan; a failure is kept, and ends the function.
#define MEMORY_TRY(expression)                                                                     \
  do {                                                                                             \
    if (VkResult result_ = context.table.expression; result_ < 0) {                                \
      failure.result = result_;                                                                    \
      failure.call = #expression;                                                                  \
      return false;                                                                                \
    }                                                                                              \
  } while (false)

// Adds memory with addresses to a block; `next`: more that the driver is told.
bool Memory::addMemory(Block &block, uint32_t type, uint64_t bytes, const void *next,
                       Failure &failure) {
  auto flags = make<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.pNext = next;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto info = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.pNext = &flags;
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  MEMORY_TRY(vkAllocateMemory(context.handle, &info, nullptr, &memory));
  block.memory.push_back(memory);
  return true;
}

bool Memory::bind(Block &block, uint32_t type, const VkMemoryRequirements &needs,
                  Failure &failure) {
  auto dedicated =
      make<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  dedicated.buffer = block.buffer;
  if (!addMemory(block, type, needs.size, &dedicated, failure))
    return false;
  VkDeviceMemory memory = block.memory.back();
  MEMORY_TRY(vkBindBufferMemory(context.handle, block.buffer, memory, 0));
  const VkMemoryPropertyFlags properties = context.physical.memory.memoryTypes[type].propertyFlags;
  if (!(properties & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
    return true;
  void *pointer = nullptr;
  MEMORY_TRY(vkMapMemory(context.handle, memory, 0, VK_WHOLE_SIZE, 0, &pointer));
  block.host = static_cast<uint8_t *>(pointer);
  block.cached = properties & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  return true;
}

// Several pieces of memory bound to one range of addresses, for buffers larger than the driver's
// limit for one allocation.
bool Memory::bindSparse(Block &block, uint32_t type, const VkMemoryRequirements &needs,
                        Failure &failure) {
  uint64_t most = std::min<uint64_t>(context.physical.maxAllocation, uint64_t(1) << 30);
  most -= most % needs.alignment;
  std::vector<VkSparseMemoryBind> binds;
  for (uint64_t offset = 0; offset < needs.size; offset += most) {
    VkSparseMemoryBind bind = {};
    bind.resourceOffset = offset;
    bind.size = std::min(most, needs.size - offset);
    if (!addMemory(block, type, bind.size, nullptr, failure))
      return false;
    bind.memory = block.memory.back();
    binds.push_back(bind);
  }
  VkSemaphore done = VK_NULL_HANDLE;
  uint64_t value = 0;
  if (context.acquireTimeline(done, value, nullptr)) {
    failure.result = VK_ERROR_OUT_OF_HOST_MEMORY;
    failure.call = "vkCreateSemaphore(device, &info, nullptr, &done)";
    return false;
  }
  const uint64_t before = value++;
  auto values =
      make<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSparseBufferMemoryBindInfo buffer = {block.buffer, static_cast<uint32_t>(binds.size()),
                                         binds.data()};
  auto info = make<VkBindSparseInfo>(VK_STRUCTURE_TYPE_BIND_SPARSE_INFO);
  info.pNext = &values;
  info.bufferBindCount = 1;
  info.pBufferBinds = &buffer;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &done;
  Queue &queue = *context.computeQueues.front();
  auto run = [&] {
    {
      std::lock_guard lock(queue.mutex);
      MEMORY_TRY(vkQueueBindSparse(queue.handle, 1, &info, VK_NULL_HANDLE));
    }
    auto wait = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    wait.semaphoreCount = 1;
    wait.pSemaphores = &done;
    wait.pValues = &value;
    MEMORY_TRY(vkWaitSemaphores(context.handle, &wait, UINT64_MAX));
    return true;
  };
  const bool works = run();
  context.releaseTimeline(done, works ? value : before);
  return works;
}

bool Memory::create(MemoryKind kind, uint64_t bytes, Block *&out, Failure &failure, bool own) {
  const DeviceTable &table = context.table;
  const PhysicalDevice &physical = context.physical;
  const std::string wanted = std::to_string(bytes) + " bytes were requested";
  failure = {VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory(device, &info, nullptr, &memory)",
             wanted};
  if (physical.maxBuffer && bytes > physical.maxBuffer) {
    failure.detail += ", but a buffer of this device has at most " +
                      std::to_string(physical.maxBuffer) + " (maxBufferSize)";
    return false;
  }
  const bool large = isLarge(bytes);
  auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (context.families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(context.families.size());
    info.pQueueFamilyIndices = context.families.data();
  }
  // The driver may give more in one piece than it promises, so a sparse buffer comes second.
  const bool trySparse = kind == MemoryKind::Device && physical.sparse && physical.maxAllocation &&
                         bytes > physical.maxAllocation;
  for (bool sparse : {false, true}) {
    if (sparse && !trySparse)
      break;
    info.flags = sparse ? VkBufferCreateFlags(VK_BUFFER_CREATE_SPARSE_BINDING_BIT) : 0;
    VkBuffer buffer = VK_NULL_HANDLE;
    if (VkResult result = table.vkCreateBuffer(context.handle, &info, nullptr, &buffer)) {
      failure.result = result;
      failure.call = "vkCreateBuffer(device, &info, nullptr, &buffer)";
      continue;
    }
    VkMemoryRequirements needs = {};
    table.vkGetBufferMemoryRequirements(context.handle, buffer, &needs);
    std::vector<uint32_t> types = getTypes(physical, kind, large, needs.memoryTypeBits);
    if (types.empty()) {
      table.vkDestroyBuffer(context.handle, buffer, nullptr);
      failure.detail += ", but the device has no type of memory for that";
      return false;
    }
    for (uint32_t type : types) {
      // Drivers over host memory promise more than there is, so use is counted here.
      uint64_t charge = 0;
      if (physical.memory.memoryTypes[type].heapIndex == physical.deviceHeap) {
        charge = needs.size;
        const uint64_t most = getHeapBytes() - (own ? 0 : getReservedBytes());
        uint64_t before = physical.used.fetch_add(charge);
        if (before > most || charge > most - before) {
          physical.used.fetch_sub(charge);
          failure.result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
          failure.detail = wanted + ", " + std::to_string(before) + " of the device's " +
                           std::to_string(most) + " are in use";
          continue;
        }
      }
      auto block = new Block;
      block->kind = kind;
      block->buffer = buffer;
      block->bytes = bytes;
      block->charged = charge;
      if (sparse ? bindSparse(*block, type, needs, failure) : bind(*block, type, needs, failure)) {
        auto where = make<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
        where.buffer = buffer;
        block->address = table.vkGetBufferDeviceAddress(context.handle, &where);
        std::lock_guard lock(lookupMutex);
        byAddress[block->address] = block;
        out = block;
        return true;
      }
      physical.used.fetch_sub(charge);
      // A buffer that was bound cannot be bound again.
      const bool bound = !block->memory.empty();
      for (VkDeviceMemory memory : block->memory)
        table.vkFreeMemory(context.handle, memory, nullptr);
      delete block;
      if (failure.result == VK_ERROR_DEVICE_LOST || bound)
        break;
    }
    table.vkDestroyBuffer(context.handle, buffer, nullptr);
    if (failure.result == VK_ERROR_DEVICE_LOST)
      break;
  }
  return false;
}

void Memory::destroy(Block *block) {
  {
    std::lock_guard lock(lookupMutex);
    byAddress.erase(block->address);
    pinned.erase(block->host);
  }
  context.table.vkDestroyBuffer(context.handle, block->buffer, nullptr);
  for (VkDeviceMemory memory : block->memory)
    context.table.vkFreeMemory(context.handle, memory, nullptr);
  context.physical.used.fetch_sub(block->charged);
  delete block;
}

TilerunStatus Memory::report(const Failure &failure, const TilerunErrorSink *sink) {
  return failVulkan(sink, context, failure.call, failure.result, failure.detail);
}

TilerunStatus Memory::makeBlock(MemoryKind kind, uint64_t bytes, std::shared_ptr<Block> &out,
                                const TilerunErrorSink *sink) {
  VK_ENTER(context, sink, "makeBlock");
  Block *block = nullptr;
  Failure failure;
  if (!create(kind, bytes, block, failure, /*own=*/true)) {
    std::lock_guard lock(mutex);
    if (!trim(0) || !create(kind, bytes, block, failure, /*own=*/true))
      return report(failure, sink);
  }
  out = std::shared_ptr<Block>(block, [this](Block *ended) { destroy(ended); });
  return TILERUN_STATUS_OK;
}

// The entry of an ordered map whose range [key, key + bytes) has all of [begin, begin + bytes).
template <typename Key, typename Begin>
static Block *findIn(const std::map<Key, Block *> &map, Begin begin, uint64_t bytes,
                     uint64_t &offset) {
  auto it = map.upper_bound(begin);
  if (it == map.begin())
    return nullptr;
  --it;
  offset = static_cast<uint64_t>(begin - it->first);
  Block *block = it->second;
  return offset <= block->bytes && bytes <= block->bytes - offset ? block : nullptr;
}

bool Memory::find(TilerunAddress address, uint64_t bytes, Place &out) const {
  std::shared_lock lock(lookupMutex);
  out.block = findIn(byAddress, address, bytes, out.offset);
  return out.block;
}

bool Memory::findHost(const void *pointer, uint64_t bytes, Place &out) const {
  std::shared_lock lock(lookupMutex);
  out.block = findIn(pinned, static_cast<const uint8_t *>(pointer), bytes, out.offset);
  return out.block;
}

void Memory::destroyAll() {
  for (;;) {
    Block *block = nullptr;
    {
      std::lock_guard lock(lookupMutex);
      if (byAddress.empty())
        return;
      block = byAddress.begin()->second;
    }
    destroy(block);
  }
}
