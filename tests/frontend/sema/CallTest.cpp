// Helpers, arguments, tuples, globals.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

TEST(Call, HelpersAreInlined) {
  auto c = compile("@triton.jit\ndef twice(x):\n    return x + x\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, twice(twice(n)))\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("arith.addi"), 2u);
  EXPECT_LACKS(c, "call");
}

TEST(Call, FunctionsOfCompileTimeValuesKeepThem) {
  auto c = compile("@triton.constexpr_function\ndef half(n):\n    k = n // 2\n    return k\n"
                   "@triton.jit\ndef kernel(p, N: tl.constexpr):\n"
                   "    tl.static_assert(half(N) == 4)\n"
                   "    tl.store(p + tl.arange(0, half(N)), 1)\n",
                   "p=*i32, N=9");
  EXPECT_COMPILES(c);
}

TEST(Call, FunctionsOfCompileTimeValuesCallPlainOnes) {
  const std::string kernel = "@triton.jit\ndef kernel(p, N: tl.constexpr):\n"
                             "    tl.static_assert(twice(N) == 18)\n"
                             "    tl.store(p + tl.arange(0, twice(N)), 1)\n";
  // Before and after its use, in one line, cached, nested, with a default.
  for (const char *functions :
       {"def base(n, k=2):\n    m = n\n    return m * k\n"
        "@triton.constexpr_function\ndef twice(n):\n    return base(n)\n",
        "@tl.constexpr\ndef twice(n):\n    return base(n)\n"
        "import functools\n@functools.lru_cache(maxsize=None)\ndef base(n): return other(n) + n\n"
        "def other(n):\n\n    if n == 9:\n        return n\n    return 0\nX = 1\n"}) {
    auto c = compile(functions + kernel, "p=*i32, N=9");
    EXPECT_COMPILES(c);
    EXPECT_HAS(c, "make_range 0 to 18");
  }
  auto c = compile("def make():\n    def base(n):\n        return n + SIZE\n    SIZE = 9\n"
                   "    @triton.constexpr_function\n    def twice(n):\n        return base(n)\n"
                   "    @triton.jit\n    def kernel(p, N: tl.constexpr):\n"
                   "        tl.static_assert(twice(N) == 18)\n",
                   "p=*i32, N=9", "make.kernel");
  EXPECT_COMPILES(c);
  // The result of an unknown decorator is unknown; a coroutine is not a function; a kernel needs
  // the mark.
  for (const char *base :
       {"@wrap\ndef base(n):\n    return n\n", "async def base(n):\n    return n\n"})
    EXPECT_SAYS(compile(std::string(base) +
                            "@triton.constexpr_function\ndef twice(n):\n    return base(n)\n" +
                            kernel,
                        "p=*i32, N=9"),
                "the host function 'base'");
  EXPECT_SAYS(compile("def twice(n):\n    return n\n" + kernel, "p=*i32, N=9"),
              "the host function 'twice'");
}

TEST(Call, FunctionsWithTheMarkOfTheLanguage) {
  for (const char *functions :
       {"def add(x, n, _semantic=None):\n    k = n + 1\n    return tl.add(x, k, "
        "_semantic=_semantic)\n"
        "add.__triton_builtin__ = True\n",
        "@tl.core.builtin\ndef add(x, n, _semantic):\n    tl.static_assert(n == 3)\n"
        "    return inner(x, n + 1, _semantic=_semantic)\n"
        "@triton.jit\ndef inner(x, n):\n    return x + n\n"}) {
    auto c = compile(std::string(functions) + "@triton.jit\ndef kernel(p, n):\n"
                                              "    tl.store(p, add(n, 3))\n",
                     "p=*i32, n=i32");
    EXPECT_COMPILES(c);
    EXPECT_HAS(c, "arith.addi");
  }
}

TEST(Call, KeywordsDefaultsAndStars) {
  auto c = compile("@triton.jit\ndef f(a, b=2, *rest, c=3):\n"
                   "    tl.static_assert(len(rest) == 1)\n    return a + b * c + rest[0]\n"
                   "@triton.jit\ndef kernel(p, n):\n"
                   "    args = (n, 5)\n    tl.store(p, f(*args, 7, c=n))\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
}

TEST(Call, TuplesInAndOut) {
  auto c = compile("@triton.jit\ndef swap(pair):\n    a, b = pair\n    return b, a\n"
                   "@triton.jit\ndef kernel(p, x, y):\n"
                   "    a, b = swap((x, y))\n    tl.store(p, a)\n    tl.store(p + 1, b)\n",
                   "p=*fp32, x=fp32, y=fp32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "tile.store %arg0, %arg2");
}

TEST(Call, FunctionsArePassedAsArguments) {
  auto c = compile("@triton.jit\ndef relu(x):\n    return tl.maximum(x, 0)\n"
                   "@triton.jit\ndef apply(f, x):\n    return f(x)\n"
                   "@triton.jit\ndef kernel(p, n, ACT: tl.constexpr):\n"
                   "    tl.store(p, apply(ACT, n))\n",
                   "p=*i32, n=i32, ACT=relu");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "arith.maxsi");
}

TEST(Call, RunTimeReturnsJoin) {
  auto c = compile("@triton.jit\ndef sign(x):\n    if x > 0:\n        return 1\n    elif x < 0:\n"
                   "        return -1\n    return 0\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, sign(n))\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("scf.if"), 2u);
  EXPECT_LACKS(c, "i1)");
}

TEST(Call, ReturnedTuplesJoin) {
  auto c =
      compile("@triton.jit\ndef order(a, b):\n    if a < b:\n        return a, b\n    return b, a\n"
              "@triton.jit\ndef kernel(p, x, y):\n    lo, hi = order(x, y)\n"
              "    tl.store(p, hi - lo)\n",
              "p=*i32, x=i32, y=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "-> (i32, i32)");
}

TEST(Call, CompileTimeRecursionEnds) {
  auto c = compile("@triton.jit\ndef power(x, N: tl.constexpr):\n    if N == 0:\n        return 1\n"
                   "    else:\n        return x * power(x, N - 1)\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, power(n, 4))\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("arith.muli"), 4u);
}

TEST(Call, NoinlineIsInlinedToo) {
  auto c = compile("@triton.jit(noinline=True)\ndef f(x):\n    return x + 1\n"
                   "@triton.jit\ndef kernel(p, n):\n    tl.store(p, f(n))\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "arith.addi");
}

TEST(Call, NamedTuples) {
  auto c = compile("from typing import NamedTuple\n"
                   "class Pair(NamedTuple):\n    first: tl.tensor\n    second: tl.tensor = 7\n"
                   "@triton.jit\ndef make(x):\n    return Pair(first=x, second=x * 2)\n"
                   "@triton.jit\ndef kernel(p, n):\n    q = make(n)\n"
                   "    tl.store(p, q.second)\n    r = Pair(n)\n    tl.store(p, r.first + r[1])\n",
                   "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("tile.store"), 2u);
}

TEST(Call, GlobalsAreCompileTimeValues) {
  auto c = compile(
      "import math\nSIZE = tl.constexpr(16)\nSCALE = 1.0 / math.log(2)\nNAMES = ('a', 'b')\n"
      "HALF: tl.constexpr = SIZE // 2\nDT = tl.float16\n"
      "class Mode:\n    FAST = 3\n"
      "@triton.jit\ndef kernel(p):\n"
      "    tl.static_assert(HALF == 8)\n    tl.static_assert(NAMES[1] == 'b')\n"
      "    tl.static_assert(SCALE > 1.44 and SCALE < 1.45)\n"
      "    tl.static_assert(Mode.FAST == 3)\n"
      "    tl.store(p + tl.arange(0, SIZE), tl.zeros((SIZE,), DT))\n",
      "p=*fp16");
  EXPECT_COMPILES(c);
}

TEST(Call, LimitsOfTypesAreCompileTimeValues) {
  auto c = compile("import torch\nimport numpy as np\nfrom torch import iinfo\n"
                   "LOW = torch.finfo(torch.float32).min\nHIGH = iinfo(torch.int32).max\n"
                   "EPS = np.finfo(np.float16).eps\nTOP = np.iinfo(np.uint8).max\n"
                   "@triton.jit\ndef kernel(p):\n"
                   "    tl.static_assert(LOW == -3.4028234663852886e38)\n"
                   "    tl.static_assert(HIGH == 2147483647)\n"
                   "    tl.static_assert(EPS == 0.0009765625)\n    tl.static_assert(TOP == 255)\n"
                   "    tl.static_assert(torch.iinfo(torch.int64).min == -2**63)\n"
                   "    tl.static_assert(torch.finfo(torch.bfloat16).bits == 16)\n"
                   "    tl.static_assert(np.inf > LOW)\n"
                   "    tl.store(p, LOW)\n",
                   "p=*fp32");
  EXPECT_COMPILES(c);
  EXPECT_SAYS(compile("import torch\n@triton.jit\ndef kernel(p):\n"
                      "    tl.store(p, torch.finfo(torch.int32).max)\n",
                      "p=*fp32"),
              "torch.finfo takes one float dtype");
  EXPECT_SAYS(compile("import torch\n@triton.jit\ndef kernel(p):\n    torch.zeros(3)\n", "p=*fp32"),
              "torch.zeros belongs to host code and cannot be used in a kernel; use tl.zeros");
}

TEST(Call, StaticPrintFormatsValues) {
  auto c = compileBody("p, N: tl.constexpr",
                       "x = tl.zeros((N,), tl.float32)\n"
                       "tl.static_print(f'N is {N}, x is {x}')",
                       "p=*fp32, N=4");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.printed, "N is 4, x is float32[4]\n");
}

TEST(Call, DryRunsPrintOnce) {
  auto c = compileBody("p, n",
                       "for i in range(n):\n"
                       "    tl.static_print('once')\n"
                       "    if tl.load(p + i) > 0:\n"
                       "        break",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.printed, "once\n");
}

TEST(Call, SpecializedOneStillHasTensorMethods) {
  auto c = compileBody("p, stride", "tl.store(p, stride.to(tl.int64))", "p=*i64, stride=1");
  EXPECT_COMPILES(c);
}

TEST(Call, AssignedNumbersAreRunTimeScalars) {
  // As in Triton: `half` is a float32 scalar, not a weak literal, so the product is float32.
  auto c = compileBody("p, q",
                       "x = tl.load(p + tl.arange(0, 4))\n"
                       "half = 0.5\n"
                       "tl.static_assert((x * half).dtype == tl.float32)\n"
                       "tl.static_assert((x * 0.5).dtype == tl.float16)",
                       "p=*fp16, q=*fp32");
  EXPECT_COMPILES(c);
}

TEST(Call, UnpackingWithStars) {
  auto c = compileBody("p, n",
                       "a, *b, c = (n, 2, 3, 4)\n"
                       "(d, e), f = (1, 2), 3\n"
                       "x = y = n + 1\n"
                       "tl.static_assert(len(b) == 2)\n"
                       "tl.store(p, a + b[0] + b[1] + c + d + e + f + x + y)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
}

TEST(Call, AnnotatedArgumentTypeIsKept) {
  auto c = compileBody("p, n: tl.int64", "tl.store(p, n)", "p=*i64, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.parameters[1].type, tilerun::dtype(tilerun::Scalar::Int64));
}

TEST(Call, DefaultsOfTheKernel) {
  auto c = compileBody("p, N: tl.constexpr = 8, M=None",
                       "if M is None:\n    tl.store(p + tl.arange(0, N), 1)", "p=*i32");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.parameters.size(), 1u);
}

TEST(Call, LogarithmsOfShapes) {
  auto c = compile("from triton.language.standard import _log2\n"
                   "@triton.jit\ndef kernel(p, N: tl.constexpr):\n"
                   "    n_dims: tl.constexpr = tl.standard._log2(tl.arange(0, N).shape[0])\n"
                   "    tl.static_assert(n_dims == 6 and _log2(1) == 0 and _log2(1024) == 10)\n"
                   "    tl.store(p + tl.arange(0, 1 << n_dims), 0)\n",
                   "p=*i32, N=64");
  EXPECT_COMPILES(c);
}

TEST(Call, IntegerTypesByWidth) {
  auto c = compileBody("p, x",
                       "bits: tl.constexpr = tl.core.get_int_dtype(\n"
                       "    bitwidth=x.dtype.primitive_bitwidth, signed=False)\n"
                       "tl.static_assert(bits == tl.uint16)\n"
                       "tl.static_assert(tl.core.get_int_dtype(64, True) == tl.int64)\n"
                       "tl.store(p, x.to(bits, bitcast=True))",
                       "p=*u16, x=fp16");
  EXPECT_COMPILES(c);
}

TEST(Call, ConstexprOfARunTimeValueIsAnOrdinaryValue) {
  auto c = compileBody("p, n",
                       "half: tl.constexpr = n // 2\nmore = tl.constexpr(half + 1)\n"
                       "tl.store(p + half, more)",
                       "p=*i32, n=i32");
  EXPECT_COMPILES(c);
  EXPECT_TRUE(c.says("'half' is declared tl.constexpr, but its value (int32) is known only at run "
                     "time; it is an ordinary variable"));
  EXPECT_TRUE(c.says("tl.constexpr: 'value' is known only at run time (int32)"));
}

TEST(Call, LocationsKeepTheCallStack) {
  tilerun::Frontend frontend;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto *module = frontend.loadText("loc.py", "import triton\nimport triton.language as tl\n"
                                             "@triton.jit\ndef f(x):\n    return x * 3\n"
                                             "@triton.jit\ndef kernel(p, n):\n"
                                             "    tl.store(p, f(n))\n");
  ASSERT_NE(module, nullptr);
  auto signature = tilerun::parseSignature("p=*i32, n=i32");
  ASSERT_TRUE(bool(signature));
  auto compiled = frontend.compile(*module, "kernel", *signature, context);
  ASSERT_TRUE(mlir::succeeded(compiled));
  bool found = false;
  compiled->module->walk([&](mlir::arith::MulIOp op) {
    auto site = mlir::dyn_cast<mlir::CallSiteLoc>(op.getLoc());
    ASSERT_TRUE(site);
    auto callee = mlir::cast<mlir::FileLineColLoc>(site.getCallee());
    auto caller = mlir::cast<mlir::FileLineColLoc>(site.getCaller());
    EXPECT_EQ(callee.getLine(), 5u);
    EXPECT_EQ(callee.getColumn(), 12u);
    EXPECT_EQ(caller.getLine(), 8u);
    EXPECT_EQ(caller.getFilename().str(), "loc.py");
    found = true;
  });
  EXPECT_TRUE(found);
}
