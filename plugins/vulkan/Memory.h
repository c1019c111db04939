// Memory of a device: buffers with device addresses. Small allocations share blocks; large ones
// have a block each. Freed memory is kept for the next allocation, up to a bound, and given back to
// the driver when memory runs out.
//
// Locks. One mutex around allocation and freeing; lookups by address, which copies need, share a
// lock that only new and dying blocks take alone. No driver call waits under either, and no stream
// is locked.
#pragma once

#include "plugins/vulkan/Stream.h"

#include <deque>
#include <map>
#include <set>
#include <shared_mutex>

namespace vulkan {

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
  uint64_t charged = 0;              ///< Its size in the device's heap.
  uint8_t *host = nullptr;           ///< Where the host sees it; null if it does not.
  bool cached = false;               ///< Whether the host reads it at full speed.
  bool shared = false;               ///< Whether several allocations are in it.
  std::map<uint64_t, uint64_t> free; ///< Of a shared one: offset to bytes, no two adjacent.
};

/// Where a range of device addresses is.
struct Place {
  Block *block = nullptr;
  VkDeviceSize offset = 0;
};

class Memory {
public:
  explicit Memory(Context &context) : context(context) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// At least `bytes`, aligned to 256, for `stream`.
  TilerunStatus allocate(const std::shared_ptr<Stream> &stream, uint64_t bytes,
                         TilerunAddress &address, const TilerunErrorSink *sink);
  /// Frees once the work so far on `stream` is done.
  TilerunStatus free(const std::shared_ptr<Stream> &stream, TilerunAddress address,
                     const TilerunErrorSink *sink);
  /// A block for one owner, which the host sees: staging, parameters. It ends with the pointer.
  TilerunStatus makeBlock(MemoryKind kind, uint64_t bytes, std::shared_ptr<Block> &out,
                          const TilerunErrorSink *sink);

  /// Pinned memory of kStagingBytes for a copy to the host; it is used again by later ones.
  static constexpr uint64_t kStagingBytes = uint64_t(8) << 20;
  TilerunStatus acquireStaging(std::shared_ptr<Block> &out, const TilerunErrorSink *sink);
  void releaseStaging(std::shared_ptr<Block> block);

  TilerunStatus allocateHost(uint64_t bytes, void **pointer, const TilerunErrorSink *sink);
  TilerunStatus freeHost(void *pointer, const TilerunErrorSink *sink);

  /// The block of all of [address, address + bytes); false if there is none.
  bool find(TilerunAddress address, uint64_t bytes, Place &out) const;
  /// The same for pinned host memory.
  bool findHost(const void *pointer, uint64_t bytes, Place &out) const;
  /// The live allocation that has `address`, by its device address or its host pointer.
  bool getInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const;
  /// Bytes that could still be had.
  uint64_t getFree();

  /// For the context's end: drops the frees that wait for streams, and then all blocks.
  void release();
  void destroyAll();

private:
  struct Live {
    Block *block = nullptr;
    uint64_t bytes = 0; ///< Rounded up.
  };
  /// Freed by a stream that has not passed that point yet.
  struct Deferred {
    TilerunAddress address;
    Live live;
    std::shared_ptr<Stream> stream;
    uint64_t value;
  };
  /// Why there is no memory: the call, and the request.
  struct Failure {
    VkResult result = VK_SUCCESS;
    const char *call = "";
    std::string detail;
  };
  // Call all of these under the lock, except `create` and `destroy`, for which it does not matter.
  bool create(MemoryKind kind, uint64_t bytes, Block *&out, Failure &failure, bool own = false);
  bool addMemory(Block &block, uint32_t type, uint64_t bytes, const void *next, Failure &failure);
  bool bind(Block &block, uint32_t type, const VkMemoryRequirements &needs, Failure &failure);
  bool bindSparse(Block &block, uint32_t type, const VkMemoryRequirements &needs, Failure &failure);
  TilerunStatus report(const Failure &failure, const TilerunErrorSink *sink);
  void destroy(Block *block);
  bool take(Stream &stream, uint64_t bytes, Live &out, TilerunAddress &address);
  bool takeFromShared(uint64_t bytes, Live &out, TilerunAddress &address);
  bool takeNew(uint64_t bytes, Live &out, TilerunAddress &address, Failure &failure);
  void giveBack(TilerunAddress address, const Live &live);
  void collect(std::vector<std::shared_ptr<Stream>> &dropped);
  bool trim(uint64_t keep);
  bool isLarge(uint64_t bytes) const;
  /// Whether a shared block is empty; and the size of all such blocks together.
  bool isEmpty(const Block &block) const;
  uint64_t getEmptyBytes() const;
  uint64_t getHeapBytes() const;
  /// The part of the heap that is reserved for the plugin's rings and staging buffers, so that a
  /// program that uses all other memory still works.
  uint64_t getReservedBytes() const;

  Context &context;
  mutable std::mutex mutex; ///< Guards the following members, except the maps of blocks.
  std::map<TilerunAddress, Live> live;
  std::deque<Deferred> deferred;
  std::vector<Block *> sharedBlocks;
  std::vector<Block *> spare; ///< Large ones that are free, oldest first.
  uint64_t spareBytes = 0;
  std::vector<std::shared_ptr<Block>> staging; ///< Free.

  mutable std::shared_mutex lookupMutex; ///< Guards what follows.
  std::map<TilerunAddress, Block *> byAddress;
  std::map<const uint8_t *, Block *> pinned; ///< By the host's pointer.
};

} // namespace vulkan
