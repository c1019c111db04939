// Properties of this machine.
#pragma once

#include <cstdint>

namespace tilerun::cpu {

constexpr const char *kDeviceName = "Reference interpreter";

/// Bytes of physical memory, which is as much as programs may hold at once.
uint64_t getMemoryBytes();
/// Cores that programs are spread over; at least 1.
unsigned getNumCores();
/// Whether launches are checked for out-of-bounds accesses where the host does not say; not with
/// TILERUN_BOUNDS_CHECKS=0.
bool areBoundsChecked();

} // namespace tilerun::cpu
