// A launch's packed arguments: each at the next multiple of its size.
#pragma once

#include "tilerun/plugin.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace tilerun::plugin_support {

/// Their size, of parameters that have `bits`; `offsets`, if it is not null, receives where each
/// begins.
template <typename Parameters>
uint64_t getPackedBytes(const Parameters &parameters, std::vector<uint32_t> *offsets = nullptr) {
  uint64_t end = 0;
  for (const auto &parameter : parameters) {
    const uint64_t bytes = parameter.bits < 8 ? 1 : parameter.bits / 8;
    end = (end + bytes - 1) / bytes * bytes;
    if (offsets)
      offsets->push_back(static_cast<uint32_t>(end));
    end += bytes;
  }
  return end;
}

/// Takes one argument after the other.
class ArgumentReader {
public:
  explicit ArgumentReader(const TilerunPluginLaunch &launch)
      : bytes(static_cast<const uint8_t *>(launch.arguments)) {}
  template <typename T> T next() {
    offset = (offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, bytes + offset, sizeof(T));
    offset += sizeof(T);
    return value;
  }
  template <typename T> T *nextPointer() {
    return reinterpret_cast<T *>(static_cast<uintptr_t>(next<uint64_t>()));
  }

private:
  const uint8_t *bytes;
  size_t offset = 0;
};

} // namespace tilerun::plugin_support
