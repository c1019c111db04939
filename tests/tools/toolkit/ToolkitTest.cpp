// Parsing the output of the CUDA toolkit's tools.
#include "tools/tilerun/toolkit/Toolkit.h"
#include "plugins/support/PtxLines.h"

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

constexpr const char *kPtx = R"(.version 8.4
.visible .entry first(
)
{
	.loc	1 7 3
	add.s32 	%r1, %r2, %r3;
	// begin inline asm
	// kernel.py:12:9
	bad $0;
	worse $0;
	// end inline asm
	mul.lo.s32 	%r4, %r1, %r1;
	// begin inline asm
	mov.u32 %r5, %tid.x;
	// end inline asm
	ret;
}
.visible .entry second(
)
{
	// begin inline asm
	mov.u32 %r5, %smid;
	// end inline asm
	ret;
}
	.file	1 "/home/x/kernel.py"
)";

std::string explain(const std::string &log) {
  return tilerun::plugin_support::explainPtxLines(log, kPtx);
}

TEST(PtxLines, AssemblyNamesItsPlace) {
  EXPECT_EQ(explain("ptxas application ptx input, line 9; error : a\n"),
            "\nline 9 of the PTX comes from kernel.py:12:9");
  // Each line once.
  EXPECT_EQ(explain("ptxas x.ptx, line 10; error : a\nptxas x.ptx, line 10; error : b"),
            "\nline 10 of the PTX comes from kernel.py:12:9");
}

TEST(PtxLines, OtherCodeHasItsNearestDirective) {
  EXPECT_EQ(explain(", line 6;"), "\nline 6 of the PTX comes from /home/x/kernel.py:7:3");
  // After assembly, and in assembly that has no place of its own.
  EXPECT_EQ(explain(", line 12;"), "\nline 12 of the PTX comes from /home/x/kernel.py:7:3");
  EXPECT_EQ(explain(", line 14;"), "\nline 14 of the PTX comes from /home/x/kernel.py:7:3");
}

TEST(PtxLines, WhatIsNotKnownIsNotTold) {
  EXPECT_EQ(explain(", line 22;"), ""); // Another kernel's directive is not its own.
  EXPECT_EQ(explain(", line 1;"), "");
  EXPECT_EQ(explain(", line 0; and , line x; and , line 99999999999999999999999;"), "");
  EXPECT_EQ(explain(""), "");
  EXPECT_EQ(tilerun::plugin_support::explainPtxLines(", line 1;", ""), "");
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
