// Run-time and compile-time control flow in the IR.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

TEST(ControlFlow, EmptyKernel) {
  auto c = compileBody("", "pass", "");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "func.func @kernel() attributes {tile.kernel}");
}

TEST(ControlFlow, VectorAdd) {
  auto c = compileBody("x, y, out, n, BLOCK: tl.constexpr",
                       "pid = tl.program_id(0)\n"
                       "offs = pid * BLOCK + tl.arange(0, BLOCK)\n"
                       "mask = offs < n\n"
                       "a = tl.load(x + offs, mask=mask)\n"
                       "b = tl.load(y + offs, mask=mask)\n"
                       "tl.store(out + offs, a + b, mask=mask)",
                       "x=*fp32:16, y=*fp32:16, out=*fp32:16, n=i32, BLOCK=64");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "tile.divisibility = 16 : i64, tile.name = \"x\"");
  EXPECT_HAS(c, "arith.addf");
  EXPECT_EQ(c.parameters.size(), 4u);
}
