// See TensorMaps.h.
#include "plugins/cuda/TensorMaps.h"
#include "plugins/cuda/Device.h"

#include <algorithm>
#include <cstring>

using namespace cuda;

bool TensorMapCache::find(const uint64_t *words, size_t count, TensorMap &map) {
  // A launch does not wait for another one to look.
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return false;
  for (const Entry &entry : entries)
    if (entry.count == count && std::equal(words, words + count, entry.words.begin())) {
      map = entry.map;
      return true;
    }
  return false;
}

void TensorMapCache::insert(const uint64_t *words, size_t count, const TensorMap &map) {
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock)
    return;
  Entry &entry = entries[next++ % entries.size()];
  entry.count = count;
  std::copy(words, words + count, entry.words.begin());
  entry.map = map;
}

// The driver's numbers.
static int getDataType(uint64_t bytes) {
  constexpr int kUint8 = 0, kUint16 = 1, kUint32 = 2, kUint64 = 4;
  return bytes == 1 ? kUint8 : bytes == 2 ? kUint16 : bytes == 4 ? kUint32 : kUint64;
}
static int getSwizzle(uint64_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

static Outcome encodeOne(const Device &device, const uint64_t *words, size_t count,
                         TensorMap &map) {
  constexpr const char *kCall = "cuTensorMapEncodeTiled(map, …)";
  TensorWords first;
  static_assert(sizeof(first) == 4 * sizeof(uint64_t));
  std::memcpy(&first, words, sizeof(first));
  const auto rank = static_cast<uint32_t>(first.rank);
  if (!device.driver.cuTensorMapEncodeTiled)
    return {kNotSupported, kCall};
  if (rank < 1 || rank > TensorWords::kMostDims || count != 4 + 3 * size_t(rank) - 1)
    return {kInvalidValue, kCall};
  const uint64_t *extents = words + 4, *strides = extents + rank, *sizes = strides + rank - 1;
  uint32_t box[TensorWords::kMostDims], steps[TensorWords::kMostDims];
  std::copy(sizes, sizes + rank, box);
  std::fill(steps, steps + rank, 1);
  constexpr int kNoInterleave = 0, kPromote256Bytes = 3, kFillZeros = 0;
  const CUresult error = device.driver.cuTensorMapEncodeTiled(
      &map, getDataType(first.elementBytes), rank, reinterpret_cast<void *>(first.base), extents,
      strides, box, steps, kNoInterleave, getSwizzle(first.swizzleBytes), kPromote256Bytes,
      kFillZeros);
  return {error, kCall};
}

Outcome
TensorMaps::encode(const Device &device, TensorMapCache &cache,
                   const std::vector<tilerun::plugin_support::ModuleTable::Entry::Derived> &derived,
                   void **parameters) {
  for (size_t i = 0; i < derived.size(); ++i) {
    if (!derived[i].isTensorMap)
      continue;
    const auto *words = static_cast<const uint64_t *>(parameters[i]);
    if (!cache.find(words, derived[i].numWords, maps[i])) {
      if (Outcome outcome = encodeOne(device, words, derived[i].numWords, maps[i]))
        return outcome;
      cache.insert(words, derived[i].numWords, maps[i]);
    }
    parameters[i] = &maps[i];
  }
  return {};
}
