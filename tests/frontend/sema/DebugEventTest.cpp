// What the frontend marks for a debugger: statements, calls, and the values that names get.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

namespace {

/// The events of a kernel in order, a word each: "enter:f", "statement", "x:float32", "N=4".
std::string events(const Compiled &compiled) {
  std::string out;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(compiled.ir).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("tile.debug_event "))
      continue;
    auto [kind, rest] = line.ltrim().split(' ');
    llvm::SmallVector<llvm::StringRef> quoted;
    rest.split(quoted, '"');
    if (kind == "assign")
      out += (quoted[1] + (quoted[4].contains(" : ") ? ":" : "=") + quoted[3]).str() + " ";
    else
      out += (kind + (quoted[1].empty() ? "" : ":" + quoted[1])).str() + " ";
  }
  return llvm::StringRef(out).rtrim().str();
}

Compiled withEvents(const std::string &text, llvm::StringRef signature) {
  return compile(text, signature, "kernel", /*debug=*/false, /*events=*/true);
}

TEST(DebugEvents, StatementsAssignmentsAndCalls) {
  auto c = withEvents("@triton.jit\ndef helper(x, k):\n    \"\"\"Text.\"\"\"\n    y = x * k\n"
                      "    return y\n"
                      "@triton.jit\ndef kernel(p, n, N: tl.constexpr):\n"
                      "    i = tl.arange(0, N)\n    z = helper(i, 2)\n    tl.store(p + i, z)\n",
                      "p=*i32, n=u32, N=4");
  EXPECT_COMPILES(c);
  EXPECT_EQ(events(c),
            "enter:kernel p:pointer<int32> n:uint32 N=4 "
            "statement i:int32 "
            "statement enter:helper x:int32 k=2 statement y:int32 statement leave:helper "
            "z:int32 statement leave:kernel");
}

TEST(DebugEvents, OnlyWhereTheyAreAskedFor) {
  auto c = compile("@triton.jit\ndef kernel(p):\n    x = 1\n    tl.store(p, x)\n", "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "debug_event");
}

TEST(DebugEvents, NamesThatShareAValue) {
  auto c = withEvents("@triton.jit\ndef kernel(p, x):\n    y = x\n    t = (y, 3)\n    a, b = t\n"
                      "    tl.store(p, a + b)\n",
                      "p=*fp32, x=fp32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(events(c), "enter:kernel p:pointer<float32> x:float32 statement y:float32 "
                       "statement t[0]:float32 t[1]:int32 statement a:float32 b:int32 "
                       "statement leave:kernel");
}

TEST(DebugEvents, LoopsAndBranches) {
  auto c = withEvents("@triton.jit\ndef kernel(p, n):\n    s = 0\n    for i in range(n):\n"
                      "        if i > 2:\n            s += i\n"
                      "    for j in tl.static_range(2):\n        s += j\n    tl.store(p, s)\n",
                      "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(events(c), "enter:kernel p:pointer<int32> n:int32 statement s:int32 "
                       "statement i:int32 statement statement s:int32 "
                       "statement j=0 statement s:int32 j=1 statement s:int32 "
                       "statement leave:kernel");
}

// Regions of reductions, the language's library and functions of compile-time values have none.
TEST(DebugEvents, NotWithinTheLibraryAndRegions) {
  auto c = withEvents("@triton.jit\ndef add(a, b):\n    c = a + b\n    return c\n"
                      "@triton.constexpr_function\ndef half(n):\n    m = n // 2\n    return m\n"
                      "@triton.jit\ndef kernel(p, N: tl.constexpr):\n"
                      "    x = tl.load(p + tl.arange(0, half(N)))\n"
                      "    tl.store(p, tl.reduce(x, 0, add) + tl.sum(x, axis=0))\n",
                      "p=*fp32, N=8");
  EXPECT_COMPILES(c);
  EXPECT_EQ(events(c),
            "enter:kernel p:pointer<float32> N=8 statement x:float32 statement leave:kernel");
}

TEST(DebugEvents, Breakpoint) {
  const std::string text = "@triton.jit\ndef kernel(p):\n    breakpoint()\n    tl.store(p, 1)\n";
  auto c = withEvents(text, "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(events(c), "enter:kernel p:pointer<int32> statement break statement leave:kernel");
  EXPECT_EQ(c.diagnostics, "");
  c = compile(text, "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_TRUE(c.says("test.py:5:5: warning: 'breakpoint()' stops under 'tilerun debug' alone; it "
                     "does nothing here"))
      << c.diagnostics;
}

} // namespace
