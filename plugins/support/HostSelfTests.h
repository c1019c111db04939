// The self-test kernels as host functions, for devices in host memory.
#pragma once

#include "plugins/support/PackedArguments.h"
#include "plugins/support/SelfTests.h"

#include <chrono>
#include <thread>

namespace tilerun::plugin_support {

namespace self_test {
inline void add(const TilerunPluginLaunch &launch) {
  ArgumentReader reader(launch);
  auto *out = reader.nextPointer<int32_t>();
  auto *a = reader.nextPointer<const uint32_t>(), *b = reader.nextPointer<const uint32_t>();
  const int64_t n = reader.next<int32_t>(), threads = int64_t(launch.grid[0]) * launch.threads;
  for (int64_t i = 0; i < n && i < threads; ++i)
    out[i] = static_cast<int32_t>(a[i] + b[i]);
}

inline void arguments(const TilerunPluginLaunch &launch) {
  ArgumentReader reader(launch);
  auto *out = reader.nextPointer<uint64_t>();
  *out++ = reader.next<uint8_t>();
  *out++ = reader.next<uint16_t>();
  *out++ = reader.next<uint32_t>();
  *out++ = reader.next<uint64_t>();
  *out++ = reader.next<uint16_t>();
  *out++ = reader.next<uint32_t>();
  *out++ = reader.next<uint64_t>();
}

inline void grid(const TilerunPluginLaunch &launch) {
  auto *out = ArgumentReader(launch).nextPointer<int32_t>();
  for (uint32_t z = 0; z < launch.grid[2]; ++z)
    for (uint32_t y = 0; y < launch.grid[1]; ++y)
      for (uint32_t x = 0; x < launch.grid[0]; ++x)
        *out++ = static_cast<int32_t>(x + (y << 10) + (z << 20));
}

inline void delay(const TilerunPluginLaunch &launch) {
  ArgumentReader reader(launch);
  auto *out = reader.nextPointer<int32_t>();
  std::this_thread::sleep_for(std::chrono::nanoseconds(reader.next<int64_t>()));
  ++*out;
}

inline void persistent(const TilerunPluginLaunch &launch) {
  auto *out = ArgumentReader(launch).nextPointer<int32_t>();
  const uint64_t count = launch.derived[0][3];
  for (uint32_t program = 0; program < launch.grid[0]; ++program)
    for (uint64_t v = program; v < count; v += launch.grid[0])
      out[v] = static_cast<int32_t>(program + 1);
}

inline void cluster(const TilerunPluginLaunch &launch) {
  auto *out = ArgumentReader(launch).nextPointer<int32_t>();
  for (uint32_t x = 0; x < launch.grid[0]; ++x)
    out[x] = static_cast<int32_t>(x % launch.cluster[0]);
}
} // namespace self_test

/// Runs the whole grid of kSelfTests[kernel]; false for the one that faults.
inline bool runSelfTest(int kernel, const TilerunPluginLaunch &launch) {
  using namespace self_test;
  constexpr void (*kRun[])(const TilerunPluginLaunch &) = {add,     arguments,  grid,   delay,
                                                           nullptr, persistent, cluster};
  static_assert(std::size(kRun) == std::size(kSelfTests));
  if (kRun[kernel])
    kRun[kernel](launch);
  return kRun[kernel] != nullptr;
}

} // namespace tilerun::plugin_support
