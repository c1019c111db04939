// Every message of the evaluator: one kernel each.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

namespace {
struct BadBody {
  const char *name;
  const char *parameters;
  const char *body;
  const char *signature;
  const char *message;
};
} // namespace

class Diagnostic : public ::testing::TestWithParam<BadBody> {};
TEST_P(Diagnostic, IsReportedOnce) {
  auto c = compileBody(GetParam().parameters, GetParam().body, GetParam().signature);
  EXPECT_SAYS(c, GetParam().message);
  EXPECT_EQ(c.numErrors, 1u) << c.diagnostics;
}

static std::string nameOf(const ::testing::TestParamInfo<BadBody> &info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Names, Diagnostic,
    ::testing::Values(
        BadBody{"UnknownName", "p, total", "tl.store(p, totl)", "p=*i32, total=i32",
                "unknown name 'totl'; did you mean 'total'?"},
        BadBody{"UnknownFunction", "p", "tl.stoer(p, 1)", "p=*i32", "did you mean 'store'?"},
        BadBody{"UnknownKeyword", "p", "tl.load(p, msk=True)", "p=*i32", "did you mean 'mask'?"},
        BadBody{"UnknownAttribute", "p", "tl.load(p).shap", "p=*i32", "did you mean 'shape'?"},
        BadBody{"BoundInOneArm", "p, n", "if n > 0:\n    x = 1\ntl.store(p, x)", "p=*i32, n=i32",
                "'x' is not defined here: it is bound in only one arm"},
        BadBody{"BoundInLoop", "p, n", "for i in range(n):\n    x = i\ntl.store(p, x)",
                "p=*i32, n=i32",
                "'x' is not defined here: it is first bound inside a run-time loop"},
        BadBody{"LoopVariableBehindLoop", "p, n", "for i in range(n):\n    pass\ntl.store(p, i)",
                "p=*i32, n=i32", "the variable of a run-time loop has no value after the loop"},
        BadBody{"DifferentStrings", "p, n",
                "if n > 0:\n    x = 'a'\nelse:\n    x = 'b'\ntl.static_print(x)", "p=*i32, n=i32",
                "it has different compile-time values in the arms"}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Types, Diagnostic,
    ::testing::Values(
        BadBody{"ArmsDiffer", "p, n", "x = 1\nif n > 0:\n    x = 2.0\ntl.store(p, x)",
                "p=*fp32, n=i32", "'x' differs in type after this run-time 'if'"},
        BadBody{"TernaryArmsDiffer", "p, n",
                "tl.store(p, tl.zeros((4,), tl.int32) if n > 0 else 1)", "p=*fp32, n=i32",
                "the two arms of this conditional expression differ in type"},
        BadBody{"LoopCarriedType", "p, n",
                "acc = 0\nfor i in range(n):\n    acc += 0.5\ntl.store(p, acc)", "p=*fp32, n=i32",
                "'acc' changes its type in this loop: it is int32 before and float32 after"},
        BadBody{"LoopCarriedKeys", "p, n",
                "d = {'x': tl.load(p)}\nfor i in range(n):\n    tl.store(p, d['x'])\n    "
                "d = {'z': tl.load(p)}",
                "p=*i32, n=i32",
                "'d' changes its type in this loop: a dict with 'x' before and a "},
        BadBody{"LoopCarriedTypeInWhile", "p, n",
                "acc = 0\nwhile acc < n:\n    acc = acc + tl.load(p)\ntl.store(p, acc)",
                "p=*fp32, n=i32", "'acc' changes its type in this loop"},
        BadBody{"NoneInLoop", "p, n", "x = None\nfor i in range(n):\n    x = i\ntl.static_print(x)",
                "p=*fp32, n=i32", "'x' is None before this run-time loop and cannot be reassigned"},
        BadBody{"ConstexprInLoop", "p, n, B: tl.constexpr",
                "for i in range(n):\n    B = B * 2\ntl.store(p, B)", "p=*fp32, n=i32, B=4",
                "(declared tl.constexpr) before this run-time loop and cannot be reassigned"},
        BadBody{"ConstexprOfRunTimeValue", "p, n", "x: tl.constexpr = n + 1\ntl.arange(0, x)",
                "p=*fp32, n=i32", "'end' must be an integer known at compile time"},
        BadBody{"ChainedComparison", "p, n", "if 0 < tl.arange(0, 4) < n:\n    pass",
                "p=*fp32, n=i32", "the condition of if must be one value"},
        BadBody{"BlockCondition", "p", "if tl.arange(0, 4) > 2:\n    pass", "p=*fp32",
                "the condition of if must be one value"},
        BadBody{"FloatRange", "p", "for i in range(0, 2.5):\n    pass", "p=*fp32",
                "must be an integer"},
        BadBody{"ZeroStep", "p, n", "for i in range(0, n, 0):\n    pass", "p=*fp32, n=i32", "step"},
        BadBody{"ForOverTensor", "p", "for i in tl.arange(0, 4):\n    pass", "p=*fp32",
                "cannot iterate over int32[4]"},
        BadBody{"ForOverNumber", "p", "for i in 4:\n    pass", "p=*fp32",
                "the integer 4 cannot be iterated over"},
        BadBody{"StaticRangeOfRunTime", "p, n", "for i in tl.static_range(n):\n    pass",
                "p=*fp32, n=i32", "compile"},
        BadBody{"LoopTuple", "p, n", "for i, j in range(n):\n    pass", "p=*fp32, n=i32",
                "the variable of a run-time loop must be one name"},
        BadBody{"UnpackTensor", "p", "a, b = tl.load(p)", "p=*fp32", "cannot unpack float32"},
        BadBody{"UnpackCount", "p", "a, b = 1, 2, 3", "p=*fp32",
                "cannot unpack 3 values into 2 names"},
        BadBody{"UnpackAtLeast", "p", "a, b, *c = (1,)", "p=*fp32",
                "cannot unpack 1 values into at least 2 names"},
        BadBody{"KernelReturns", "p", "return tl.load(p)", "p=*fp32", "a kernel returns nothing"},
        BadBody{"NeverEnds", "p", "while True:\n    tl.store(p, 1)", "p=*fp32",
                "this loop never ends"}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Statements, Diagnostic,
    ::testing::Values(
        BadBody{"With", "p", "with p:\n    pass", "p=*i32", "'with' cannot be used in a kernel"},
        BadBody{"NestedDef", "p", "def f():\n    pass", "p=*i32",
                "a function cannot be defined inside a kernel"},
        BadBody{"NestedClass", "p", "class C:\n    pass", "p=*i32",
                "a class cannot be defined inside a kernel"},
        BadBody{"Import", "p", "import math", "p=*i32", "'import' cannot be used in a kernel"},
        BadBody{"FromImport", "p", "from math import pi", "p=*i32",
                "'import' cannot be used in a kernel"},
        BadBody{"Global", "p", "global x", "p=*i32", "'global' cannot be used in a kernel"},
        BadBody{"Nonlocal", "p", "nonlocal x", "p=*i32", "'nonlocal' cannot be used in a kernel"},
        BadBody{"Delete", "p", "x = 1\ndel x", "p=*i32", "'del' cannot be used in a kernel"},
        BadBody{"Try", "p", "try:\n    pass\nexcept ValueError:\n    pass", "p=*i32",
                "'try' cannot be used in a kernel"},
        BadBody{"ForElse", "p, n", "for i in range(n):\n    pass\nelse:\n    pass", "p=*i32, n=i32",
                "'for … else' cannot be used"},
        BadBody{"WhileElse", "p, n", "while n > 0:\n    pass\nelse:\n    pass", "p=*i32, n=i32",
                "'while … else' cannot be used"},
        BadBody{"Yield", "p", "yield 1", "p=*i32", "'yield' cannot be used in a kernel"},
        BadBody{"Break", "p", "break", "p=*i32", "'break' outside of a loop"},
        BadBody{"Continue", "p", "continue", "p=*i32", "'continue' outside of a loop"},
        BadBody{"AssignElement", "p", "x = tl.arange(0, 4)\nx[0] = 1", "p=*i32",
                "elements cannot be assigned"},
        BadBody{"AssignAttribute", "p", "p.x = 1", "p=*i32", "attributes cannot be assigned"},
        BadBody{"UpdateElement", "p", "x = tl.arange(0, 4)\nx[0] += 1", "p=*i32",
                "only a name can be updated"},
        BadBody{"StaticAssert", "N: tl.constexpr", "tl.static_assert(N > 4, f'N is {N}')", "N=2",
                "N is 2"},
        BadBody{"Assert", "N: tl.constexpr", "assert N > 4, f'N is {N}'", "N=2",
                "assertion failed: N is 2"},
        BadBody{"Raise", "N: tl.constexpr", "if N == 2:\n    raise ValueError(f'bad {N}')", "N=2",
                "the kernel raises an error here: bad 2"},
        BadBody{"Starred", "p", "x = *p", "p=*i32", "starred"},
        BadBody{"TooManyIterations", "p", "for i in tl.static_range(1000000):\n    pass", "p=*i32",
                "unrolls to more than 100000 iterations"}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Signatures, Diagnostic,
    ::testing::Values(
        BadBody{"Missing", "p, n", "pass", "p=*i32", "no argument is given for parameter 'n'"},
        BadBody{"Surplus", "p, count", "pass", "p=*i32, count=i32, cont=i32",
                "has no parameter 'cont'; did you mean 'count'?"},
        BadBody{"ConstexprWithType", "N: tl.constexpr", "pass", "N=i32",
                "the run-time type int32; 'i32!' passes the dtype itself"},
        BadBody{"VarArgs", "*p", "pass", "", "a kernel cannot have '*' parameters"},
        BadBody{"NoSuchFunction", "F: tl.constexpr", "F(1)", "F=nothing",
                "'nothing' cannot be called in a kernel: it is not a jit function of this file"}),
    nameOf);

TEST(DiagnosticText, HostFunctionIsNamedWithItsDefinition) {
  auto c = compile("def host(x):\n    return x\n"
                   "@triton.jit\ndef kernel(p):\n    tl.store(p, host(1))\n",
                   "p=*i32");
  EXPECT_SAYS(
      c, "the host function 'host' cannot be called in a kernel; decorate it with @triton.jit");
  EXPECT_SAYS(c, "test.py:3:");
}

TEST(DiagnosticText, CallStackOfHelpers) {
  auto c = compile("@triton.jit\ndef inner(x):\n    return x + nothing\n"
                   "@triton.jit\ndef outer(x):\n    return inner(x)\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, outer(n))\n",
                   "p=*i32, n=i32");
  EXPECT_SAYS(c, "test.py:5:16: error: unknown name 'nothing'");
  EXPECT_SAYS(c, "test.py:8:12: note: in call to 'inner' here");
  EXPECT_SAYS(c, "test.py:11:17: note: in call to 'outer' here");
  EXPECT_EQ(c.numErrors, 1u);
}

TEST(DiagnosticText, ErrorsInTheLibraryPointToTheCaller) {
  auto c = compileBody("p, n", "x = tl.softmax(n, 5)", "p=*i32, n=i32");
  EXPECT_SAYS(c, "test.py:5:");
}

TEST(DiagnosticText, SeveralErrorsInOneRun) {
  auto c = compileBody("p", "a = one\nb = two\nc = a + b\ntl.store(p, c)", "p=*i32");
  EXPECT_EQ(c.numErrors, 2u) << c.diagnostics;
}

TEST(DiagnosticText, RecursionIsNamed) {
  auto c = compile("@triton.jit\ndef f(x):\n    return f(x - 1)\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n",
                   "p=*i32, n=i32");
  EXPECT_SAYS(c, "'f' calls itself");
  EXPECT_EQ(c.numErrors, 1u);
}

TEST(DiagnosticText, HelperReturnsOnSomePathsOnly) {
  auto c = compile("@triton.jit\ndef f(x):\n    if x > 0:\n        return 1\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n",
                   "p=*i32, n=i32");
  EXPECT_EQ(c.numErrors, 0u) << c.diagnostics;
  EXPECT_TRUE(c.says("warning: 'f' returns a value on some paths only; its result is "
                     "undefined on the others"))
      << c.diagnostics;
}

TEST(DiagnosticText, ReturnTypesDiffer) {
  auto c = compile("@triton.jit\ndef f(x):\n    if x > 0:\n        return 1\n    return 2.0\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n",
                   "p=*i32, n=i32");
  EXPECT_SAYS(c, "the return values of 'f' differ in type: int32 and float32; convert one of them "
                 "with .to(…)");
  for (auto [value, what] : {std::pair{"None", "int32 and None"},
                             {"(1, 2)", "int32 and a tuple of 2"},
                             {"()", "int32 and a tuple of 0"}})
    EXPECT_SAYS(compile("@triton.jit\ndef f(x):\n    if x > 0:\n        return x\n    return " +
                            std::string(value) +
                            "\n@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n",
                        "p=*i32, n=i32"),
                "the return values of 'f' differ in type: " + std::string(what) +
                    "; return values of one kind on every path");
}

TEST(DiagnosticText, ArgumentsOfHelpers) {
  std::string f = "@triton.jit\ndef f(alpha, beta=1):\n    return alpha\n";
  EXPECT_SAYS(compile(f + "@triton.jit\ndef kernel(p):\n    f()\n", "p=*i32"),
              "parameter 'alpha' of 'f' is not given");
  EXPECT_SAYS(compile(f + "@triton.jit\ndef kernel(p):\n    f(1, 2, 3)\n", "p=*i32"),
              "'f' takes 2 positional arguments, but 3 are given");
  EXPECT_SAYS(compile(f + "@triton.jit\ndef kernel(p):\n    f(1, beat=3)\n", "p=*i32"),
              "'f' has no parameter 'beat'; did you mean 'beta'?");
  EXPECT_SAYS(compile(f + "@triton.jit\ndef kernel(p):\n    f(1, alpha=3)\n", "p=*i32"),
              "parameter 'alpha' of 'f' is given twice");
  EXPECT_SAYS(compile(f + "@triton.jit\ndef kernel(p):\n    f(**p)\n", "p=*i32"),
              "'**' needs a dict");
  EXPECT_SAYS(
      compile(f + "@triton.jit\ndef kernel(p):\n    f(alpha=1, **{'alpha': 2})\n", "p=*i32"),
      "parameter 'alpha' of 'f' is given twice");
  EXPECT_SAYS(compile("@triton.jit\ndef f(**k):\n    pass\n@triton.jit\ndef kernel(p):\n"
                      "    f(a=1, **{'a': 2})\n",
                      "p=*i32"),
              "'a' is given twice to 'f'");
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(p, *k):\n    pass\n", "p=*i32"),
              "a kernel cannot have '*' parameters");
}

TEST(DiagnosticText, MethodsOfTheLibraryHaveTheirNames) {
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(p):\n    tl.load(p).logical_and()\n", "p=*i32"),
              "parameter 'y' of 'logical_and' is not given");
}

TEST(DiagnosticText, Dicts) {
  auto body = [](const std::string &text) {
    return compile("@triton.jit\ndef kernel(p):\n    d = {'a': 1}\n    " + text + "\n", "p=*i32");
  };
  EXPECT_SAYS(body("d['b']"), "no entry 'b'");
  EXPECT_SAYS(body("d.a"), "a dict with 'a' has no field 'a'");
  EXPECT_SAYS(body("if tl.load(p) > 0:\n        d = {'b': 1}\n    d['b']"),
              "'d' differs in type after this run-time 'if': a dict with 'b' in one arm and a dict "
              "with 'a' in the other");
  EXPECT_SAYS(body("d.pop('a')"), "'pop' of a dict is not available in kernels");
  EXPECT_SAYS(body("d.keys(1)"), "'keys' of a dict takes no arguments");
  EXPECT_SAYS(body("d.get()"), "'get' of a dict takes a key");
  EXPECT_SAYS(body("e = {**p}"), "'**' in a dict needs a dict, not pointer<int32>");
  EXPECT_SAYS(body("e = {1: 2}"), "only strings can be keys of a dict, not the integer 1");
}

TEST(DiagnosticText, NamedTupleFields) {
  std::string pair =
      "from typing import NamedTuple\nclass Pair(NamedTuple):\n    first: int\n    second: int\n";
  EXPECT_SAYS(compile(pair + "@triton.jit\ndef kernel(p):\n    Pair(1)\n", "p=*i32"),
              "field 'second' of 'Pair' is not given");
  EXPECT_SAYS(compile(pair + "@triton.jit\ndef kernel(p):\n    Pair(1, 2, 3)\n", "p=*i32"),
              "'Pair' has 2 fields, but 3 values are given");
  EXPECT_SAYS(
      compile(pair + "@triton.jit\ndef kernel(p):\n    Pair(1, secnd=2, second=3)\n", "p=*i32"),
      "'Pair' has no field 'secnd'; did you mean 'second'?");
  EXPECT_SAYS(
      compile(pair + "@triton.jit\ndef kernel(p):\n    q = Pair(1, 2)\n    q.frst\n", "p=*i32"),
      "did you mean 'first'?");
  EXPECT_SAYS(compile("class C:\n    X = 1\n@triton.jit\ndef kernel(p):\n    C()\n", "p=*i32"),
              "make it a NamedTuple");
  EXPECT_SAYS(compile("class C:\n    SIZE = 1\n@triton.jit\ndef kernel(p):\n    C.SIZ\n", "p=*i32"),
              "has no compile-time constant 'SIZ'; did you mean 'SIZE'?");
}

TEST(DiagnosticText, GlobalsThatAreNotConstants) {
  EXPECT_SAYS(
      compile(
          "import torch\nX = torch.zeros(4)\n@triton.jit\ndef kernel(p):\n    tl.store(p, X.a)\n",
          "p=*i32"),
      "the global 'X' cannot be used in a kernel: it cannot be computed at compile time "
      "(torch.zeros "
      "belongs to host code); pass what the kernel needs from it as an argument\n");
  EXPECT_SAYS(compile("A = B\nB = A\n@triton.jit\ndef kernel(p):\n    A()\n", "p=*i32"),
              "the global 'A'");
  EXPECT_SAYS(compile("from os import path\n@triton.jit\ndef kernel(p):\n    path()\n", "p=*i32"),
              "'path' from the host module 'os'");
  EXPECT_SAYS(
      compile("from triton.language import stoer\n@triton.jit\ndef kernel(p):\n    stoer(p, 1)\n",
              "p=*i32"),
      "did you mean 'store'?");
  EXPECT_SAYS(
      compile("import math\n@triton.jit\ndef kernel(p, n):\n    math.sqrt(n)\n", "p=*i32, n=i32"),
      "math.sqrt needs compile-time numbers");
  EXPECT_SAYS(compile("import math\n@triton.jit\ndef kernel(p):\n    math.gamma(1)\n", "p=*i32"),
              "math.gamma belongs to host code");
}

TEST(DiagnosticText, ExpansionNamesTheLoops) {
  const std::string text = "@triton.jit\ndef inner(p, N: tl.constexpr):\n"
                           "    for j in tl.static_range(N):\n        tl.store(p + j, j)\n"
                           "@triton.jit\ndef kernel(p, N: tl.constexpr):\n"
                           "    for i in tl.static_range(N):\n        inner(p, N)\n"
                           "    tl.store(p, 1)\n";
  Compiled c = compile(text, "p=*i32, N=999");
  EXPECT_SAYS(c, "test.py:5:14: error: the kernel expands to more than 100000 operations in "
                 "iteration ");
  EXPECT_SAYS(c, " of 999 of this unrolled loop; use range or tl.range for loops that need not be "
                 "unrolled, or raise the limit by TILERUN_MAX_OPERATIONS in the environment");
  EXPECT_SAYS(c, "test.py:9:14: note: it is in iteration ");
  EXPECT_SAYS(c, "note: in call to 'inner' here");
  EXPECT_EQ(c.numErrors, 1u);
  EXPECT_COMPILES(compile(text, "p=*i32, N=100"));
  // The limit is the environment's; after the loop, the loop that made most of it is named.
  setenv("TILERUN_MAX_OPERATIONS", "20000", 1);
  EXPECT_SAYS(compile(text, "p=*i32, N=100"),
              "expands to more than 20000 operations in iteration ");
  c = compile(
      "@triton.jit\ndef kernel(p):\n    for i in tl.static_range(10):\n"
      "        tl.store(p + i, i)\n" +
          [] {
            std::string many;
            for (int i = 0; i < 5000; ++i)
              many += "    tl.store(p + 1, 1)\n";
            return many;
          }(),
      "p=*i32");
  EXPECT_SAYS(c, "the kernel expands to more than 20000 operations; use range or tl.range");
  EXPECT_SAYS(c, "test.py:5:14: note: this loop is unrolled, and its 10 iterations are ");
  setenv("TILERUN_MAX_OPERATIONS", "many", 1);
  EXPECT_SAYS(compile(text, "p=*i32, N=1"),
              "TILERUN_MAX_OPERATIONS is 'many'; a number of operations is expected");
  unsetenv("TILERUN_MAX_OPERATIONS");
}

TEST(DiagnosticText, UnknownKernel) {
  auto c = compile("@triton.jit\ndef add_kernel(p):\n    pass\n", "p=*i32", "add_kernl");
  EXPECT_SAYS(c, "no jit function 'add_kernl' in this file; did you mean 'add_kernel'?");
  EXPECT_SAYS(compile("@triton.jit\ndef f(p):\n    pass\n", "", "zzzzzz"), "it has f");
  EXPECT_SAYS(compile("x = 1\n", "", "k"), "; it has no @triton.jit function");
}

TEST(DiagnosticText, TypeMismatchNamesBothPlaces) {
  auto c = compileBody("p, n", "x = 1\nif n > 0:\n    x = 2.0\ntl.store(p, x)", "p=*fp32, n=i32");
  EXPECT_SAYS(c, "test.py:7:9: note: it is float32 here");
  EXPECT_SAYS(c, "test.py:5:5: note: it is int32 here");
}

TEST(Limits, RunawayHelpersStop) {
  // Every level calls the next one twice: without limits this never ends.
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "@triton.jit\ndef f" + std::to_string(i) + "(x):\n    return f" +
            std::to_string(i + 1) + "(x) + f" + std::to_string(i + 1) + "(x)\n";
  text += "@triton.jit\ndef f40(x):\n    return x + 1\n"
          "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f0(n))\n";
  auto c = compile(text, "p=*i32, n=i32");
  EXPECT_SAYS(
      c, "the kernel expands to more than 100000 operations; helpers are inlined at every call");
}

TEST(Limits, StepsAreBounded) {
  auto c = compileBody("p",
                       "for i in tl.static_range(90000):\n"
                       "    for j in tl.static_range(90000):\n"
                       "        pass",
                       "p=*i32");
  EXPECT_SAYS(c, "takes too long to evaluate");
}

TEST(Limits, ManyEarlyReturns) {
  std::string body;
  for (int i = 0; i < 150; ++i)
    body += "if n == " + std::to_string(i) + ":\n    return\n";
  auto few = compileBody("p, n", body + "tl.store(p, n)", "p=*i32, n=i32");
  EXPECT_COMPILES(few);
  for (int i = 150; i < 400; ++i)
    body += "if n == " + std::to_string(i) + ":\n    return\n";
  EXPECT_SAYS(compileBody("p, n", body, "p=*i32, n=i32"), "nests deeper than 200 levels");
}

TEST(Limits, TuplesAreBounded) {
  const char *message = "this tuple has more than 16384 elements, or nests deeper than 64 levels";
  for (const char *grow : {"t = (t, t)", "t = (t,)", "t += t", "t = [t for i in range(3)]"}) {
    auto c = compileBody(
        "p", std::string("t = (1,)\nfor i in tl.static_range(20000):\n    ") + grow, "p=*i32");
    EXPECT_SAYS(c, message);
  }
}

TEST(Limits, ErrorsAreBounded) {
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += "x" + std::to_string(i) + " = unknown_" + std::to_string(i) + "\n";
  auto c = compileBody("p", body, "p=*i32");
  EXPECT_EQ(c.numErrors, 20u);
}
