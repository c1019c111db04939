// Memory of a device: buffers with device addresses. Small allocations share blocks; large ones
// have a block each. Freed memory is kept for the next allocation, up to a bound, and given back to
// the driver when memory runs out.
//
// Locks. One mutex around allocation and freeing; lookups by address, which copies need, share a
// lock that only new and dying blocks take alone.
#pragma once

#include "plugins/vulkan/Stream.h"

#include <map>
#include <set>
#include <shared_mutex>

namespace vulkan {

struct PhysicalDevice;

enum class MemoryKind {
  Device, ///< The device's own.
  Upload, ///< The host writes, the device reads.
  Host    ///< Pinned: both read and write; cached for the host where possible.
};

/// One buffer with its memory.
struct Block {
  MemoryKind kind = MemoryKind::Device;
  VkBuffer buffer = VK_NULL_HANDLE;
  std::vector<VkDeviceMemory> memory; ///< One, or several that a sparse buffer is bound to.
  TilerunAddress address = 0;
  uint64_t bytes = 0;
  uint8_t *host = nullptr;           ///< Where the host sees it; null if it does not.
  bool cached = false;               ///< Whether the host reads it at full speed.
  bool shared = false;               ///< Whether several allocations are in it.
  std::map<uint64_t, uint64_t> free; ///< Of a shared one: offset to bytes, no two adjacent.
};

/// Where a range of device addresses is.
struct Place {
  std::shared_ptr<Block> block;
  VkDeviceSize offset = 0;
};

class Memory {
public:
  explicit Memory(Context &context) : context(context) {}
  ~Memory();

  /// At least `bytes`, aligned to 256, for `stream`.
  TilerunStatus allocate(Stream &stream, uint64_t bytes, TilerunAddress &address,
                         const TilerunErrorSink *sink);
  /// Frees once the work so far on `stream` is done.
  TilerunStatus free(Stream &stream, TilerunAddress address, const TilerunErrorSink *sink);
  /// A block for one owner: pinned memory, staging. It lives as long as the pointer.
  TilerunStatus makeBlock(MemoryKind kind, uint64_t bytes, std::shared_ptr<Block> &out,
                          const TilerunErrorSink *sink);

  TilerunStatus allocateHost(uint64_t bytes, void **pointer, const TilerunErrorSink *sink);
  TilerunStatus freeHost(void *pointer, const TilerunErrorSink *sink);

  /// The block of all of [address, address + bytes); false where there is none.
  bool find(TilerunAddress address, uint64_t bytes, Place &out) const;
  /// The same for pinned host memory.
  bool findHost(const void *pointer, uint64_t bytes, Place &out) const;
  /// The live allocation that has `address`, by its device address or its host pointer.
  bool getInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const;
  /// Bytes that could still be had.
  uint64_t getFree() const;

private:
  struct Live {
    std::shared_ptr<Block> block;
    uint64_t bytes; ///< Rounded up.
  };
  /// Freed by a stream that has not passed that point yet.
  struct Deferred {
    TilerunAddress address;
    Live live;
    std::shared_ptr<Stream> stream;
    uint64_t value;
  };
  TilerunStatus create(MemoryKind kind, uint64_t bytes, bool shared, std::shared_ptr<Block> &out,
                       VkResult &failure, std::string &detail, const TilerunErrorSink *sink);
  bool takeFromBlocks(uint64_t bytes, Live &out, TilerunAddress &address);
  bool takeDeferred(Stream &stream, uint64_t bytes, Live &out, TilerunAddress &address);
  void collect();
  bool waitForDeferred();
  void giveBack(TilerunAddress address, const Live &live);
  bool trim();
  void destroy(Block &block);
  VkResult bindSparse(Block &block, const VkMemoryRequirements &needs, uint32_t type);

  Context &context;
  mutable std::mutex mutex; ///< Guards what follows, but for `lookup`.
  std::map<TilerunAddress, Live> live;
  std::deque<Deferred> deferred;
  std::vector<std::shared_ptr<Block>> sharedBlocks;
  std::vector<std::shared_ptr<Block>> cached; ///< Large ones that are free, oldest first.
  uint64_t cachedBytes = 0;

  mutable std::shared_mutex lookupMutex; ///< Guards the maps of blocks by where they begin.
  std::map<TilerunAddress, std::shared_ptr<Block>> byAddress;
  std::map<const uint8_t *, std::shared_ptr<Block>> byPointer;
};

} // namespace vulkan
