// Launches that are larger than one dispatch may be: the pieces that they are split into. Kernels
// add a piece's base to the number of their workgroup.
#pragma once

#include <cstdint>

namespace vulkan {

/// A dispatch of a launch that is split.
struct Dispatch {
  uint32_t base[3], count[3];
};
/// Maximum programs of a launch on each axis, and maximum dispatches of it. Vulkan guarantees
/// 65,535 programs of a dispatch on each axis.
constexpr uint32_t kMaxGrid[3] = {0x7FFFFFFF, 65535 * 1024, 65535 * 1024};
constexpr uint32_t kMaxDispatches = 65536;
/// How many dispatches a grid takes where one may have `limit` programs on an axis; 0: too many, or
/// an axis has none.
uint32_t countDispatches(const uint32_t grid[3], const uint32_t limit[3]);
/// The `index`-th of them.
Dispatch getDispatch(const uint32_t grid[3], const uint32_t limit[3], uint32_t index);

} // namespace vulkan
