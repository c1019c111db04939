// Global memory of the emulated device. A device address is the host address of the bytes, so that
// copies and atomics are the host's; a map of allocations with gaps between them finds accesses out
// of bounds.
//
// `Memory` may be used by several threads. A launch works on a snapshot: what is freed during it
// must not be in use by it, as on a real device.
#ifndef TILERUN_EMULATORS_AMDGPU_MEMORY_H
#define TILERUN_EMULATORS_AMDGPU_MEMORY_H

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::amdsim {

struct Allocation {
  uint64_t begin, bytes;
  bool isReadOnly;
  std::string name; // for messages
  bool contains(uint64_t address, uint64_t size) const {
    return address - begin < bytes && size <= bytes - (address - begin);
  }
};

class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  // 256-byte aligned; the contents are indeterminate, as a device's are. 0 if the host has no
  // memory.
  uint64_t allocate(uint64_t bytes, std::string name = "");
  // False if nothing was allocated there.
  bool free(uint64_t address);
  // Memory that someone else owns, such as the image of a code object.
  void adopt(uint64_t address, uint64_t bytes, bool isReadOnly, std::string name);
  void forget(uint64_t address);

  // The allocation that contains these bytes, if one does.
  std::optional<Allocation> find(uint64_t address, uint64_t bytes) const;
  // All allocations by address.
  std::vector<Allocation> snapshot() const;

private:
  struct Owned {
    Allocation allocation;
    void *storage; // null if adopted
  };
  mutable std::mutex mutex;
  std::map<uint64_t, Owned> allocations;
  uint64_t made = 0;
};

// The allocation that contains the address, or null; `list` is sorted by address.
const Allocation *findAllocation(const std::vector<Allocation> &list, uint64_t address);
// "40 bytes past the end of allocation 2 (of 1024 bytes)".
std::string describeAddress(const std::vector<Allocation> &list, uint64_t address);

} // namespace tilerun::amdsim

#endif
