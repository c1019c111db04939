// The allocation map.
#include "emulators/amdgpu/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace tilerun::amdsim {

namespace {
// Bytes around an allocation that belong to none, so that a small overrun is found.
constexpr uint64_t gap = 4096, alignment = 256;

// A GPU's memory is at high addresses, from which code may subtract 2 GiB. The heap of a program
// that is not position-independent is at low ones: then pages of their own take its place.
constexpr uint64_t lowest = uint64_t(1) << 32;

// Storage with gaps; null if the host has none. The first word of the gap says how many bytes are
// mapped, 0: none.
void *makeStorage(uint64_t size) {
  void *storage = std::aligned_alloc(alignment, size);
  uint64_t mapped = 0;
  if (storage && reinterpret_cast<uint64_t>(storage) < lowest) {
    std::free(storage);
    mapped = size;
    storage = mmap(reinterpret_cast<void *>(lowest), size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (storage == MAP_FAILED)
      return nullptr;
  }
  if (storage)
    std::memcpy(storage, &mapped, sizeof(mapped));
  return storage;
}

void freeStorage(void *storage) {
  uint64_t mapped = 0;
  if (storage)
    std::memcpy(&mapped, storage, sizeof(mapped));
  if (mapped)
    munmap(storage, mapped);
  else
    std::free(storage);
}
} // namespace

Memory::~Memory() {
  for (auto &[address, owned] : allocations)
    freeStorage(owned.storage);
}

uint64_t Memory::allocate(uint64_t bytes, std::string name) {
  if (bytes > UINT64_MAX / 2)
    return 0;
  uint64_t size = (bytes + 2 * gap + alignment - 1) / alignment * alignment;
  void *storage = makeStorage(size);
  if (!storage)
    return 0;
  uint64_t begin = reinterpret_cast<uint64_t>(storage) + gap;
  std::lock_guard lock(mutex);
  if (name.empty())
    name = "allocation " + std::to_string(++made);
  allocations[begin] = {{begin, bytes, false, std::move(name)}, storage};
  return begin;
}

bool Memory::free(uint64_t address) {
  std::lock_guard lock(mutex);
  auto it = allocations.find(address);
  if (it == allocations.end() || !it->second.storage)
    return false;
  freeStorage(it->second.storage);
  allocations.erase(it);
  return true;
}

void Memory::adopt(uint64_t address, uint64_t bytes, bool isReadOnly, std::string name) {
  std::lock_guard lock(mutex);
  allocations[address] = {{address, bytes, isReadOnly, std::move(name)}, nullptr};
}

void Memory::forget(uint64_t address) {
  std::lock_guard lock(mutex);
  auto it = allocations.find(address);
  if (it != allocations.end() && !it->second.storage)
    allocations.erase(it);
}

std::optional<Allocation> Memory::find(uint64_t address, uint64_t bytes) const {
  std::lock_guard lock(mutex);
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return std::nullopt;
  const Allocation &before = std::prev(it)->second.allocation;
  return before.contains(address, bytes) ? std::optional(before) : std::nullopt;
}

std::vector<Allocation> Memory::snapshot() const {
  std::lock_guard lock(mutex);
  std::vector<Allocation> list;
  list.reserve(allocations.size());
  for (const auto &[address, owned] : allocations)
    list.push_back(owned.allocation);
  return list;
}

const Allocation *findAllocation(const std::vector<Allocation> &list, uint64_t address) {
  auto it = std::upper_bound(list.begin(), list.end(), address,
                             [](uint64_t a, const Allocation &b) { return a < b.begin; });
  if (it == list.begin())
    return nullptr;
  --it;
  return address - it->begin < it->bytes ? &*it : nullptr;
}

std::string describeAddress(const std::vector<Allocation> &list, uint64_t address) {
  if (const Allocation *a = findAllocation(list, address))
    return "at byte " + std::to_string(address - a->begin) + " of " + a->name + " (of " +
           std::to_string(a->bytes) + " bytes)";
  const Allocation *nearest = nullptr;
  uint64_t best = UINT64_MAX;
  for (const Allocation &a : list) {
    uint64_t distance = address < a.begin ? a.begin - address : address - (a.begin + a.bytes);
    if (distance < best)
      best = distance, nearest = &a;
  }
  if (!nearest || best > (uint64_t(1) << 30))
    return "at an address far from every allocation";
  bool isBefore = address < nearest->begin;
  return std::to_string(best) + " bytes " +
         (isBefore ? "before the start of " : "past the end of ") + nearest->name + " (of " +
         std::to_string(nearest->bytes) + " bytes)";
}

} // namespace tilerun::amdsim
