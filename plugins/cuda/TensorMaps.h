// Tensor maps: what copies of boxes know about a tensor in global memory, encoded by the driver
// from the words of a derived parameter (docs/plugins.md). A kernel keeps its latest ones, because
// most launches have tensors that an earlier one had.
#pragma once

#include "plugins/cuda/Driver.h"
#include "plugins/stream_driver/Device.h"

#include <array>

namespace cuda {

struct Device;

/// 128 opaque bytes, which the driver wants at a multiple of 64.
struct alignas(64) TensorMap {
  uint8_t bytes[128];
};

/// The words of a tensor map, in this order; then extents, strides in bytes of all dimensions but
/// the first, and the sizes of a box.
struct TensorWords {
  static constexpr unsigned kMostDims = 5, kMost = 4 + 3 * kMostDims;
  uint64_t rank, elementBytes, swizzleBytes, base;
};

/// The latest maps of a kernel, by their words. Any thread.
class TensorMapCache {
public:
  /// The map of these words; false if it is not known or another thread is looking.
  bool find(const uint64_t *words, size_t count, TensorMap &map);
  void insert(const uint64_t *words, size_t count, const TensorMap &map);

private:
  struct Entry {
    size_t count = 0;
    std::array<uint64_t, TensorWords::kMost> words;
    TensorMap map;
  };
  std::mutex mutex;
  std::array<Entry, 8> entries;
  size_t next = 0;
};

/// Those of one launch, for the time of its call.
class TensorMaps {
public:
  /// Lets the `parameters` that are tensor maps point to them instead of to their words.
  tilerun::stream_driver::Outcome
  encode(const Device &device, TensorMapCache &cache,
         const std::vector<tilerun::plugin_support::ModuleTable::Entry::Derived> &derived,
         void **parameters);

private:
  static constexpr size_t kMost = 16; ///< Derived parameters of a kernel.
  TensorMap maps[kMost];
};

} // namespace cuda
