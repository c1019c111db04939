// Run-time and compile-time control flow in the IR.
#include "tests/frontend/sema/SemaTest.h"

#include <ctime>

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

TEST(ControlFlow, ConstexprIfCompilesOnlyTheTakenArm) {
  auto c = compileBody("p, F: tl.constexpr",
                       "if F:\n"
                       "    tl.store(p, 1)\n"
                       "else:\n"
                       "    this_name_does_not_exist()",
                       "p=*i32, F=true");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "scf.if");
  EXPECT_EQ(c.count("tile.store"), 1u);
}

TEST(ControlFlow, ElifOnConstexprs) {
  auto c = compileBody("p, A: tl.constexpr",
                       "if A == 'relu':\n"
                       "    tl.store(p, 1)\n"
                       "elif A == 'gelu':\n"
                       "    tl.store(p, 2)\n"
                       "else:\n"
                       "    tl.static_assert(False, 'unknown activation')",
                       "p=*i32, A=\"gelu\"");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "arith.constant 2 : i32");
  EXPECT_LACKS(c, "arith.constant 1 : i32");
}

TEST(ControlFlow, RunTimeIfJoinsVariables) {
  auto c = compileBody("p, n",
                       "x = 1\n"
                       "if n > 4:\n"
                       "    x = 2\n"
                       "tl.store(p, x)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "-> (i32)");
}

TEST(ControlFlow, UnreadVariablesAreNotJoined) {
  auto c = compileBody("p, n",
                       "x = 1\n"
                       "tl.store(p, x)\n"
                       "if n > 4:\n"
                       "    x = 2\n"
                       "    tl.store(p + 1, x)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "-> (i32)");
}

TEST(ControlFlow, ConstantArmTakesTheTypeOfTheOther) {
  auto c = compileBody("p, n",
                       "x = tl.load(p) if n > 0 else 0\n"
                       "tl.store(p, x)",
                       "p=*i64, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "-> (i64)");
}

TEST(ControlFlow, TupleVariablesJoinElementwise) {
  auto c = compileBody("p, n",
                       "t = (1, 2.0)\n"
                       "if n > 0:\n"
                       "    t = (3, 4.0)\n"
                       "tl.store(p, t[0] + t[1])",
                       "p=*fp32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "-> (i32, f32)");
}

TEST(ControlFlow, EarlyReturnPutsTheRestIntoTheOtherArm) {
  auto c = compileBody("p, n",
                       "if n < 0:\n"
                       "    return\n"
                       "tl.store(p, n)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("scf.if"), 1u);
  EXPECT_HAS(c, "} else {\n      tile.store");
  EXPECT_LACKS(c, "-> (i1)");
}

TEST(ControlFlow, CodeBehindReturnIsDropped) {
  auto c = compileBody("p", "tl.store(p, 1)\nreturn\ntl.store(p, 2)\nundefined_name()", "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("tile.store"), 1u);
}

TEST(ControlFlow, ForBecomesScfFor) {
  auto c = compileBody("p, n",
                       "acc = 0\n"
                       "for i in range(n):\n"
                       "    acc += i\n"
                       "tl.store(p, acc)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.for");
  EXPECT_HAS(c, "iter_args");
}

TEST(ControlFlow, InductionTypeIsPromoted) {
  auto c = compileBody("p, n",
                       "for i in range(0, n):\n"
                       "    tl.store(p + i, i)",
                       "p=*i64, n=i64");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, ": i64 {");
}

TEST(ControlFlow, UnsignedInductionComparesUnsigned) {
  auto c = compileBody("p, n",
                       "for i in range(n):\n"
                       "    tl.store(p + i, i)",
                       "p=*i32, n=u32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.for unsigned");
}

TEST(ControlFlow, NegativeStepCountsDown) {
  auto c = compileBody("p",
                       "for i in range(9, -1, -3):\n"
                       "    tl.store(p + i, i)",
                       "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "arith.subi");
}

TEST(ControlFlow, RangeHintsBecomeAttributes) {
  auto c = compileBody("p, n",
                       "for i in tl.range(0, n, num_stages=3):\n"
                       "    tl.store(p + i, i)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "tile.num_stages = 3 : i64");
}

TEST(ControlFlow, StaticRangeUnrolls) {
  auto c = compileBody("p",
                       "for i in tl.static_range(4):\n"
                       "    tl.store(p + i, i)",
                       "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "scf.for");
  EXPECT_EQ(c.count("tile.store"), 4u);
}

TEST(ControlFlow, StaticRangeVariableIsConstexpr) {
  auto c = compileBody("p",
                       "for i in tl.static_range(1, 4):\n"
                       "    size: tl.constexpr = 2 ** i\n"
                       "    tl.store(p + tl.arange(0, size), tl.full((size,), i, tl.int32))",
                       "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "tensor<8xi32>");
  EXPECT_EQ(c.count("tile.store"), 3u);
}

TEST(ControlFlow, TuplesAreIteratedAtCompileTime) {
  auto c = compileBody("a, b",
                       "for p in (a, b):\n"
                       "    tl.store(p, 1)",
                       "a=*i32, b=*fp32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("tile.store"), 2u);
}

TEST(ControlFlow, StaticBreakStopsUnrolling) {
  auto c = compileBody("p",
                       "for i in tl.static_range(10):\n"
                       "    if i == 3:\n"
                       "        break\n"
                       "    if i == 1:\n"
                       "        continue\n"
                       "    tl.store(p + i, i)",
                       "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("tile.store"), 2u);
  EXPECT_LACKS(c, "scf.if");
}

TEST(ControlFlow, WhileBecomesScfWhile) {
  auto c = compileBody("p, n",
                       "i = 0\n"
                       "while i < n:\n"
                       "    tl.store(p + i, i)\n"
                       "    i += 1",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.while");
}

TEST(ControlFlow, BreakTurnsForIntoWhile) {
  auto c = compileBody("p, n",
                       "for i in range(n):\n"
                       "    if tl.load(p + i) == 0:\n"
                       "        break\n"
                       "    tl.store(p + i, i)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.while");
  EXPECT_LACKS(c, "scf.for");
}

TEST(ControlFlow, ConstexprBreakArmLeavesAnOrdinaryLoop) {
  auto c = compileBody("p, n, STOP: tl.constexpr",
                       "for i in range(n):\n"
                       "    if STOP:\n"
                       "        break\n"
                       "    tl.store(p + i, i)",
                       "p=*i32, n=i32, STOP=false");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.for");
}

TEST(ControlFlow, ContinueKeepsAnOrdinaryLoop) {
  auto c = compileBody("p, n",
                       "for i in range(n):\n"
                       "    if tl.load(p + i) == 0:\n"
                       "        continue\n"
                       "    tl.store(p + i, i)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.for");
  EXPECT_EQ(c.count("scf.if"), 1u);
}

TEST(ControlFlow, WhileFalseVanishes) {
  auto c = compileBody("p, F: tl.constexpr",
                       "while F:\n"
                       "    tl.store(p, 1)\n"
                       "tl.store(p, 2)",
                       "p=*i32, F=false");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "scf.while");
  EXPECT_EQ(c.count("tile.store"), 1u);
}

TEST(ControlFlow, SpecializedOneMayChangeInALoop) {
  auto c = compileBody("p, n",
                       "while n < 10:\n"
                       "    n = n * 2\n"
                       "tl.store(p, n)",
                       "p=*i32, n=1");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.while");
}

TEST(ControlFlow, AndEvaluatesItsRightSideLazily) {
  auto c = compileBody("p, n",
                       "if n > 0 and tl.load(p + n) > 0:\n"
                       "    tl.store(p, 1)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("scf.if"), 2u);
}

TEST(ControlFlow, HarmlessAndIsOneOperation) {
  auto c = compileBody("p, n, m",
                       "if n > 0 and m > 0 or not n:\n"
                       "    tl.store(p, 1)",
                       "p=*i32, n=i32, m=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "arith.andi");
  EXPECT_HAS(c, "arith.ori");
  EXPECT_EQ(c.count("scf.if"), 1u);
}

TEST(ControlFlow, TernaryOnConstexprEvaluatesOneArm) {
  auto c = compileBody("p, A: tl.constexpr", "tl.store(p, 1 if A is None else A.nothing)",
                       "p=*i32, A=none");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "scf.if");
}

TEST(ControlFlow, NestedLoopsCarryThrough) {
  auto c = compileBody("p, n",
                       "acc = 0.0\n"
                       "for i in range(n):\n"
                       "    for j in range(i):\n"
                       "        acc += tl.load(p + i * n + j)\n"
                       "tl.store(p, acc)",
                       "p=*fp32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("scf.for"), 2u);
}

TEST(ControlFlow, AssertOfConstexprsLeavesNothing) {
  auto c = compileBody("B: tl.constexpr", "assert B % 16 == 0, 'B must be aligned'", "B=32");
  EXPECT_COMPILES(c);
  EXPECT_LACKS(c, "tile.assert");
}

TEST(ControlFlow, RunTimeAssertIsLiveInDebugMode) {
  std::string text = "@triton.jit\ndef kernel(n):\n    assert n > 0, 'n is positive'\n";
  auto off = compile(text, "n=i32");
  EXPECT_COMPILES(off);
  EXPECT_LACKS(off, "tile.assert");
  auto on = compile(text, "n=i32", "kernel", /*debug=*/true);
  EXPECT_COMPILES(on);
  EXPECT_HAS(on, "tile.assert");
  EXPECT_HAS(on, "n is positive");
}

TEST(ControlFlow, AssertWithoutATextTellsTheCondition) {
  auto c =
      compile("@triton.jit\ndef kernel(n):\n    assert (n  >\n            0)\n", "n=i32", "kernel",
              /*debug=*/true);
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "\"n > 0\"");
}

TEST(While, ConditionsBindNames) {
  auto c = compileBody("p, n",
                       "k = n\n"
                       "while (m := k - 1) > 0:\n"
                       "    k = m\n"
                       "    tl.store(p, m)\n"
                       "tl.store(p, k + m)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  // One subtraction, whose result the body and the code after it use.
  EXPECT_EQ(c.count("arith.subi"), 1u);
  c = compileBody("p, n",
                  "k = n\n"
                  "while (m := (k - 1, n))[0] > 0:\n"
                  "    k = m[0]\n"
                  "    if k == 3:\n        break\n"
                  "tl.store(p, k)",
                  "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_SAYS(compileBody("p, n",
                          "k = n\n"
                          "while (m := k - 1) > 0:\n"
                          "    k = m\n"
                          "    if k == 3:\n        break\n"
                          "tl.store(p, m)",
                          "p=*i32, n=i32"),
              "'m' is not defined here");
}

TEST(ControlFlow, TuplesGrowInUnrolledLoops) {
  // Not in quadratic time; tuples that others hold stay unchanged.
  for (const char *grow : {"t = t + (i,)", "t += (i,)"}) {
    std::clock_t begin = std::clock();
    auto c =
        compileBody("p",
                    std::string("t = (7,)\nu = t\nfor i in tl.static_range(12000):\n    ") + grow +
                        "\n    if i == 5:\n        v = t\n"
                        "tl.static_assert(len(t) == 12001)\n"
                        "tl.static_assert(len(u) == 1)\ntl.static_assert(len(v) == 7)\n"
                        "tl.store(p, t[11999] + u[0])",
                    "p=*i32");
    EXPECT_COMPILES(c);
    EXPECT_LT(std::clock() - begin, 3 * CLOCKS_PER_SEC) << grow;
  }
}
