// How launches that are larger than one dispatch may be are split.
#include "plugins/vulkan/Splitting.h"

#include <algorithm>

using namespace vulkan;

static uint32_t countAxis(uint32_t programs, uint32_t limit) {
  return programs / limit + (programs % limit != 0);
}

uint32_t vulkan::countDispatches(const uint32_t grid[3], const uint32_t limit[3]) {
  uint64_t count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] > kMaxGrid[axis])
      return 0;
    count *= countAxis(grid[axis], limit[axis]);
    if (count > kMaxDispatches)
      return 0;
  }
  return static_cast<uint32_t>(count);
}

Dispatch vulkan::getDispatch(const uint32_t grid[3], const uint32_t limit[3], uint32_t index) {
  Dispatch dispatch;
  for (int axis = 0; axis < 3; ++axis) {
    uint32_t pieces = countAxis(grid[axis], limit[axis]);
    dispatch.base[axis] = index % pieces * limit[axis];
    dispatch.count[axis] = std::min(limit[axis], grid[axis] - dispatch.base[axis]);
    index /= pieces;
  }
  return dispatch;
}
