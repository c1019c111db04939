// What the embedded device and the plugin say about this machine.
#pragma once

#include <cstdint>

namespace tilerun::cpu {

constexpr const char *kDeviceName = "Reference interpreter";

/// Bytes of physical memory, which is as much as programs may hold at once.
uint64_t getMemoryBytes();
/// Cores that programs are spread over; at least 1.
unsigned getNumCores();

} // namespace tilerun::cpu
