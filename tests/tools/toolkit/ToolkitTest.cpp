// Reading what the CUDA toolkit's tools say.
#include "tools/tilerun/toolkit/Toolkit.h"

#include <gtest/gtest.h>

using namespace tilerun::toolkit;

namespace {

constexpr const char *kLog = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 16 registers, used 0 barriers
ptxas info    : Compile time = 3.251 ms
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    48 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 48 bytes cumulative stack size, 1040 bytes smem, 380 bytes cmem[0]
)";

TEST(PtxasLog, TellsOfEachKernel) {
  auto first = parsePtxasLog(kLog, "first");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->registers, 16u);
  EXPECT_EQ(first->sharedBytes, 0u);
  EXPECT_EQ(first->spillStoreBytes, 0u);
  auto second = parsePtxasLog(kLog, "second");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->registers, 255u);
  EXPECT_EQ(second->barriers, 2u);
  EXPECT_EQ(second->sharedBytes, 1040u);
  EXPECT_EQ(second->stackBytes, 48u);
  EXPECT_EQ(second->spillStoreBytes, 40u);
  EXPECT_EQ(second->spillLoadBytes, 44u);
}

TEST(PtxasLog, OtherTextTellsNothing) {
  EXPECT_FALSE(parsePtxasLog(kLog, "fir"));
  EXPECT_FALSE(parsePtxasLog(kLog, "third"));
  EXPECT_FALSE(parsePtxasLog("", "first"));
  EXPECT_FALSE(parsePtxasLog("ptxas info    : Compiling entry function 'first' for", "first"));
}

TEST(Tools, AreFoundInThePath) {
  EXPECT_TRUE(findTool("sh"));
  EXPECT_FALSE(findTool("no-such-tool-of-the-toolkit"));
  EXPECT_EQ(getVersion("/nonexistent/tool"), "");
}

} // namespace
