// Launches that are split: every program exactly once, whatever the device's limits.
#include "plugins/vulkan/Splitting.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace vulkan;

namespace {

TEST(VulkanSplitting, EveryProgramOnce) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    uint32_t grid[3], limit[3];
    for (int axis = 0; axis < 3; ++axis) {
      grid[axis] = 1 + random() % 20;
      limit[axis] = 1 + random() % 12;
    }
    std::vector<int> runs(size_t(grid[0]) * grid[1] * grid[2]);
    uint32_t count = countDispatches(grid, limit);
    ASSERT_NE(count, 0u);
    for (uint32_t i = 0; i < count; ++i) {
      Dispatch dispatch = getDispatch(grid, limit, i);
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_GE(dispatch.count[axis], 1u);
        ASSERT_LE(dispatch.count[axis], limit[axis]);
        ASSERT_LE(dispatch.base[axis] + dispatch.count[axis], grid[axis]);
      }
      for (uint32_t z = 0; z < dispatch.count[2]; ++z)
        for (uint32_t y = 0; y < dispatch.count[1]; ++y)
          for (uint32_t x = 0; x < dispatch.count[0]; ++x)
            ++runs[((dispatch.base[2] + z) * grid[1] + dispatch.base[1] + y) * grid[0] +
                   dispatch.base[0] + x];
    }
    for (int each : runs)
      ASSERT_EQ(each, 1) << "grid " << grid[0] << "x" << grid[1] << "x" << grid[2];
  }
}

TEST(VulkanSplitting, LargeGrids) {
  const uint32_t lavapipe[3] = {65535, 65535, 65535};
  const uint32_t fits[3] = {65535, 65535, 65535};
  EXPECT_EQ(countDispatches(fits, lavapipe), 1u);
  const uint32_t two[3] = {65536, 1, 1};
  EXPECT_EQ(countDispatches(two, lavapipe), 2u);
  EXPECT_EQ(getDispatch(two, lavapipe, 1).base[0], 65535u);
  EXPECT_EQ(getDispatch(two, lavapipe, 1).count[0], 1u);
  // Still the whole of x.
  const uint32_t whole[3] = {0x7FFFFFFF, 1, 1};
  EXPECT_EQ(countDispatches(whole, lavapipe), 32769u);
  EXPECT_EQ(getDispatch(whole, lavapipe, 32768).base[0], 32768u * 65535);
  EXPECT_EQ(getDispatch(whole, lavapipe, 32768).count[0], 0x7FFFFFFFu - 32768u * 65535);
  const uint32_t more[3] = {0x80000000, 1, 1};
  EXPECT_EQ(countDispatches(more, lavapipe), 0u);
  const uint32_t high[3] = {1, 65535 * 1024, 1}, higher[3] = {1, 65535 * 1024 + 1, 1};
  EXPECT_EQ(countDispatches(high, lavapipe), 1024u);
  EXPECT_EQ(countDispatches(higher, lavapipe), 0u);
  const uint32_t cube[3] = {65535 * 100, 65535 * 100, 65535 * 100};
  EXPECT_EQ(countDispatches(cube, lavapipe), 0u);
  const uint32_t none[3] = {1, 0, 1};
  EXPECT_EQ(countDispatches(none, lavapipe), 0u);
  const uint32_t wide[3] = {0x7FFFFFFF, 65535, 65535};
  EXPECT_EQ(countDispatches(whole, wide), 1u);
  // Limits of all 32 bits do not wrap around.
  const uint32_t all[3] = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  EXPECT_EQ(countDispatches(whole, all), 1u);
}

} // namespace
