// Occupancy against values that were computed by hand from the limits of each generation.
#include "tools/tilerun/toolkit/Occupancy.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace tilerun::toolkit;

namespace {

Occupancy compute(const char *arch, unsigned threads, uint64_t registers, uint64_t shared) {
  auto limits = getLimits(arch);
  EXPECT_TRUE(limits) << arch;
  return limits ? computeOccupancy(*limits, threads, registers, shared) : Occupancy();
}

TEST(Occupancy, IsLimitedByWarps) {
  Occupancy o = compute("sm_90a", 128, 32, 0);
  EXPECT_EQ(o.programs, 16u);
  EXPECT_EQ(o.warps, 64u);
  EXPECT_EQ(o.maxWarps, 64u);
  EXPECT_EQ(o.limiter, "warps");
  EXPECT_EQ(compute("sm_120", 128, 32, 0).warps, 48u);
  EXPECT_EQ(compute("sm_75", 128, 32, 0).warps, 32u);
}

TEST(Occupancy, IsLimitedByRegisters) {
  // 200 registers of 32 threads are 6400 of a quarter's 16384: two warps in each of four quarters.
  Occupancy o = compute("sm_90", 128, 200, 0);
  EXPECT_EQ(o.programs, 2u);
  EXPECT_EQ(o.warps, 8u);
  EXPECT_EQ(o.limiter, "registers");
  // 33 registers are rounded up to 40: 1280, of which twelve fit into a quarter.
  EXPECT_EQ(compute("sm_90", 128, 33, 0).warps, 48u);
  EXPECT_EQ(compute("sm_90", 128, 40, 0).warps, 48u);
  EXPECT_EQ(compute("sm_90", 128, 41, 0).warps, 40u);
  EXPECT_EQ(compute("sm_90", 1024, 255, 0).programs, 0u); // 8 warps fit, 32 are wanted.
}

TEST(Occupancy, IsLimitedBySharedMemory) {
  // 65536 and the system's 1024 bytes, of 228 KiB.
  Occupancy o = compute("sm_90a", 128, 32, 65536);
  EXPECT_EQ(o.programs, 3u);
  EXPECT_EQ(o.limiter, "shared memory");
  EXPECT_EQ(compute("sm_80", 128, 32, 65536).programs, 2u);
  EXPECT_EQ(compute("sm_86", 128, 32, 65536).programs, 1u);
  EXPECT_EQ(compute("sm_90a", 128, 32, 227 * 1024).programs, 1u);
  EXPECT_EQ(compute("sm_90a", 128, 32, 227 * 1024 + 1).programs, 0u);
}

TEST(Occupancy, HasABoundForEachResource) {
  const Occupancy o = compute("sm_90a", 128, 200, 65536);
  ASSERT_EQ(o.bounds.size(), 4u);
  const std::pair<const char *, uint64_t> expected[] = {
      {"warps", 16}, {"registers", 2}, {"shared memory", 3}, {"programs", 32}};
  for (auto [bound, is] : llvm::zip(o.bounds, expected)) {
    EXPECT_EQ(bound.name, is.first);
    EXPECT_EQ(bound.programs, is.second) << is.first;
  }
  // Registers that are not known bound nothing.
  const Occupancy open = computeOccupancy(*getLimits("sm_90a"), 128, std::nullopt, 65536);
  EXPECT_EQ(open.bounds.size(), 3u);
  EXPECT_EQ(open.programs, 3u);
  EXPECT_EQ(open.limiter, "shared memory");
}

TEST(Occupancy, IsLimitedByPrograms) {
  Occupancy o = compute("sm_89", 32, 16, 0);
  EXPECT_EQ(o.programs, 24u);
  EXPECT_EQ(o.limiter, "programs");
  EXPECT_EQ(compute("sm_86", 32, 16, 0).programs, 16u);
}

TEST(Limits, AreKnownForEveryTargetOfThePlugin) {
  for (const char *arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100",
                           "sm_100a", "sm_103", "sm_120", "sm_120a"})
    EXPECT_TRUE(getLimits(arch)) << arch;
  EXPECT_FALSE(getLimits("sm_1"));
  EXPECT_FALSE(getLimits("gfx942"));
  EXPECT_FALSE(getLimits(""));
}

} // namespace
