// Allocation, copies, and the record of written bytes.
#include "backends/interpreter/Heap.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace tilerun;
using namespace tilerun::interp;

namespace {
constexpr uint64_t kAlignment = 256;
/// Unused bytes after an allocation that is not in the reserved space.
constexpr uint64_t kGap = 4096;
/// Freed memory that is held back, and how many freed allocations are remembered.
constexpr uint64_t kQuarantineBytes = uint64_t(64) << 20;
constexpr size_t kQuarantineEntries = 1024;
/// A quiet NaN in float16, bfloat16, float32 and float64 alike, and a large negative integer.
constexpr int kPoison = 0xff;
} // namespace

void WrittenBytes::markAll() {
  all = true;
  bits.clear();
}

void WrittenBytes::clear() {
  all = false;
  bits.clear();
}

void WrittenBytes::mark(uint64_t offset, uint64_t count) {
  if (all || count == 0)
    return;
  if (count == size)
    return markAll();
  if (bits.empty())
    bits.resize(size / 64 + 1);
  for (uint64_t i = offset; i < offset + count;) {
    if (i % 64 == 0 && offset + count - i >= 64) {
      bits[i / 64] = ~uint64_t(0);
      i += 64;
    } else {
      bits[i / 64] |= uint64_t(1) << (i % 64);
      ++i;
    }
  }
}

bool WrittenBytes::contains(uint64_t offset, uint64_t count) const {
  if (all || count == 0)
    return true;
  if (bits.empty())
    return false;
  for (uint64_t i = offset; i < offset + count; ++i)
    if (!(bits[i / 64] >> (i % 64) & 1))
      return false;
  return true;
}

uint64_t WrittenBytes::count() const {
  uint64_t sum = 0;
  for (uint64_t word : bits)
    sum += uint64_t(std::popcount(word));
  return all ? size : sum;
}

Heap::~Heap() {
  for (auto &[base, allocation] : byAddress)
    giveMemoryBack(base);
}

uint64_t Heap::takeMemory(uint64_t bytes) {
  if (std::optional<uint64_t> address = space.take(bytes))
    return *address;
  // The system limits the number of mappings.
  return reinterpret_cast<uint64_t>(
      std::aligned_alloc(kAlignment, (bytes + kGap + kAlignment - 1) / kAlignment * kAlignment));
}

void Heap::giveMemoryBack(uint64_t address) {
  if (!space.giveBack(address))
    std::free(reinterpret_cast<void *>(address));
}

llvm::Expected<uint64_t> Heap::allocate(uint64_t bytes, llvm::StringRef label) {
  std::lock_guard lock(mutex);
  uint64_t base = 0;
  if (bytes <= limit && liveBytes <= limit - bytes)
    base = takeMemory(bytes);
  if (!base)
    return makeError(ErrorKind::OutOfMemory, "cpu: allocate: no " + llvm::Twine(bytes) +
                                                 " bytes for '" + label + "' (" +
                                                 llvm::Twine(liveBytes) + " of " +
                                                 llvm::Twine(limit) + " bytes are in use)");
  liveBytes += bytes;
  byAddress[base] = std::make_shared<Allocation>(base, bytes, label);
  return base;
}

llvm::Expected<std::shared_ptr<Allocation>> Heap::findExact(uint64_t address,
                                                            llvm::StringRef call) const {
  auto found = byAddress.find(address);
  if (found != byAddress.end() && found->second->live)
    return found->second;
  return makeError(
      ErrorKind::InvalidArgument,
      llvm::formatv("cpu: {0}: {1:x} is not the address of an allocation{2}", call, address,
                    found != byAddress.end() ? "; '" + found->second->label + "' was freed"
                                             : std::string())
          .str());
}

llvm::Expected<std::shared_ptr<Allocation>> Heap::findRange(uint64_t address, uint64_t bytes,
                                                            llvm::StringRef call) const {
  auto next = byAddress.upper_bound(address);
  if (next != byAddress.begin()) {
    const auto &allocation = std::prev(next)->second;
    if (allocation->live && allocation->contains(address, bytes))
      return allocation;
  }
  return makeError(ErrorKind::InvalidArgument,
                   llvm::formatv("cpu: {0}: {1} bytes at {2:x} are not inside one live allocation",
                                 call, bytes, address)
                       .str());
}

llvm::Error Heap::free(uint64_t address) {
  std::lock_guard lock(mutex);
  auto found = findExact(address, "free");
  if (!found)
    return found.takeError();
  (*found)->live = false;
  liveBytes -= (*found)->size;
  quarantinedBytes += (*found)->size;
  quarantine.push_back(*found);
  while (quarantinedBytes > kQuarantineBytes || quarantine.size() > kQuarantineEntries) {
    auto oldest = quarantine.front();
    quarantine.pop_front();
    quarantinedBytes -= oldest->size;
    byAddress.erase(oldest->base);
    giveMemoryBack(oldest->base);
  }
  return llvm::Error::success();
}

llvm::Error Heap::copyIn(uint64_t to, llvm::ArrayRef<uint8_t> from) {
  std::lock_guard lock(mutex);
  auto found = findRange(to, from.size(), "copyIn");
  if (!found)
    return found.takeError();
  prepare(**found, from.size());
  if (!from.empty())
    std::memcpy(reinterpret_cast<void *>(to), from.data(), from.size());
  (*found)->written.mark(to - (*found)->base, from.size());
  return llvm::Error::success();
}

llvm::Error Heap::copyOut(llvm::MutableArrayRef<uint8_t> to, uint64_t from) {
  std::lock_guard lock(mutex);
  auto found = findRange(from, to.size(), "copyOut");
  if (!found)
    return found.takeError();
  prepare(**found, 0);
  if (!to.empty())
    std::memcpy(to.data(), reinterpret_cast<void *>(from), to.size());
  return llvm::Error::success();
}

llvm::Error Heap::poison(uint64_t address) {
  std::lock_guard lock(mutex);
  auto found = findExact(address, "poison");
  if (!found)
    return found.takeError();
  (*found)->fresh = true;
  prepare(**found, 0);
  (*found)->written.clear();
  return llvm::Error::success();
}

void Heap::prepare(Allocation &allocation, uint64_t bytes) {
  if (std::exchange(allocation.fresh, false) && bytes < allocation.size)
    std::memset(reinterpret_cast<void *>(allocation.base), kPoison, allocation.size);
}

void Heap::beginRun(llvm::ArrayRef<uint64_t> pointers) {
  std::lock_guard lock(mutex);
  for (uint64_t address : pointers)
    if (auto next = byAddress.upper_bound(address); next != byAddress.begin())
      if (const auto &allocation = std::prev(next)->second; allocation->contains(address, 1))
        prepare(*allocation, 0);
  for (auto &[base, allocation] : byAddress)
    allocation->fresh = false;
}

llvm::Error Heap::copyWithin(uint64_t to, uint64_t from, uint64_t bytes) {
  std::lock_guard lock(mutex);
  auto source = findRange(from, bytes, "copyWithin");
  if (!source)
    return source.takeError();
  auto target = findRange(to, bytes, "copyWithin");
  if (!target)
    return target.takeError();
  prepare(**source, 0);
  prepare(**target, bytes);
  if (bytes)
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  (*target)->written.mark(to - (*target)->base, bytes);
  return llvm::Error::success();
}

llvm::Error Heap::fill(uint64_t to, llvm::ArrayRef<uint8_t> pattern, uint64_t bytes) {
  std::lock_guard lock(mutex);
  auto found = findRange(to, bytes, "fill");
  if (!found)
    return found.takeError();
  prepare(**found, bytes);
  if (pattern.size() == 1 && bytes)
    std::memset(reinterpret_cast<void *>(to), pattern[0], bytes);
  else
    for (uint64_t at = 0; at < bytes; at += pattern.size())
      std::memcpy(reinterpret_cast<void *>(to + at), pattern.data(), pattern.size());
  (*found)->written.mark(to - (*found)->base, bytes);
  return llvm::Error::success();
}

std::shared_ptr<const Allocation> Heap::find(uint64_t address) const {
  std::lock_guard lock(mutex);
  auto next = byAddress.upper_bound(address);
  if (next == byAddress.begin())
    return nullptr;
  const auto &allocation = std::prev(next)->second;
  // An allocation of no bytes still has its own address.
  bool inside = address == allocation->base || allocation->contains(address, 1);
  return allocation->live && inside ? allocation : nullptr;
}

std::shared_ptr<const Allocation> Heap::findOrigin(uint64_t address) const {
  std::lock_guard lock(mutex);
  auto next = byAddress.upper_bound(address);
  if (next == byAddress.begin())
    return nullptr;
  const auto &allocation = std::prev(next)->second;
  return address - allocation->base <= allocation->size ? allocation : nullptr;
}

uint64_t Heap::getLiveBytes() const {
  std::lock_guard lock(mutex);
  return liveBytes;
}

std::vector<std::shared_ptr<Allocation>> Heap::snapshot() const {
  std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<Allocation>> all;
  all.reserve(byAddress.size());
  for (const auto &[base, allocation] : byAddress)
    all.push_back(allocation);
  return all;
}

void Heap::assumeAllWritten() {
  std::lock_guard lock(mutex);
  for (auto &[base, allocation] : byAddress)
    allocation->written.markAll();
}
