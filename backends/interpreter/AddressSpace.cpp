// See AddressSpace.h.
#include "backends/interpreter/AddressSpace.h"

#include <algorithm>
#include <sys/mman.h>

using namespace tilerun;
using namespace tilerun::interp;

namespace {
constexpr uint64_t kPage = 4096;
/// Large allocations begin where the system can back them by large pages.
constexpr uint64_t kLargePage = uint64_t(2) << 20;
/// Kept free around each allocation.
constexpr uint64_t kLeastGap = uint64_t(1) << 20;
/// Tried from the largest: a limit of the process (ulimit -v) may allow less.
constexpr uint64_t kMostReserved = uint64_t(1) << 40, kLeastReserved = uint64_t(16) << 30;
constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
} // namespace

AddressSpace::AddressSpace() {
  for (uint64_t bytes = kMostReserved; bytes >= kLeastReserved && !base; bytes /= 4) {
    void *memory = ::mmap(nullptr, bytes, PROT_NONE, kReserve, -1, 0);
    if (memory == MAP_FAILED)
      continue;
    base = reinterpret_cast<uint64_t>(memory);
    size = bytes;
  }
}

AddressSpace::~AddressSpace() {
  if (base)
    ::munmap(reinterpret_cast<void *>(base), size);
}

bool AddressSpace::isFree(uint64_t begin, uint64_t bytes) const {
  auto next = taken.lower_bound(begin);
  if (next != taken.end() && next->first - begin < bytes + kLeastGap)
    return false;
  return next == taken.begin() ||
         begin - std::prev(next)->first >= std::prev(next)->second + kLeastGap;
}

std::optional<uint64_t> AddressSpace::take(uint64_t bytes) {
  bytes = roundUp(std::max<uint64_t>(bytes, 1), kPage);
  const uint64_t alignment = bytes >= kLargePage ? kLargePage : kPage;
  if (!base || bytes > size / 4)
    return std::nullopt;
  const uint64_t first = roundUp(base, alignment);
  const uint64_t places = (base + size - bytes - first) / alignment;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const uint64_t begin = first + random() % places * alignment;
    if (!isFree(begin, bytes))
      continue;
    if (::mprotect(reinterpret_cast<void *>(begin), bytes, PROT_READ | PROT_WRITE))
      return std::nullopt;
    taken[begin] = bytes;
    return begin;
  }
  return std::nullopt;
}

bool AddressSpace::giveBack(uint64_t address) {
  auto found = taken.find(address);
  if (found == taken.end())
    return false;
  // Fresh pages in place of the old ones, whose memory goes back to the system. Where the system
  // has none, nothing else gets the range, which holds its old content.
  if (::mmap(reinterpret_cast<void *>(address), found->second, PROT_NONE, kReserve | MAP_FIXED, -1,
             0) != MAP_FAILED)
    taken.erase(found);
  return true;
}
