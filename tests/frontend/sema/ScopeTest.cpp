// The meaning of names in kernels that are defined inside functions, in classes, and after dotted
// imports; and constructs that kernels do not have.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

namespace {

TEST(Scope, KernelsSeeTheFunctionAroundThem) {
  std::string text = "SIZE = 1\n"
                     "def make(n, flag=True):\n"
                     "    SIZE = 8\n    A, (B, C) = 1, (2, SIZE)\n    D: tl.constexpr = SIZE * 2\n"
                     "    from triton.language.extra import libdevice as lib\n"
                     "    import math\n"
                     "    @triton.jit\n    def helper(x):\n        return x * 2\n"
                     "    class Cfg:\n        N = SIZE + 1\n"
                     "    @triton.aggregate\n    class R:\n        x: tl.tensor\n"
                     "        @triton.jit\n        def get(self):\n"
                     "            return helper(self.x) + SIZE\n"
                     "    @triton.jit\n    def kernel(p, x):\n"
                     "        tl.static_assert(D == 16 and A + B + C == 11 and Cfg.N == 9)\n"
                     "        o = tl.arange(0, SIZE)\n"
                     "        tl.store(p + o, lib.tanh(helper(x)) + math.pi + R(x).get())\n"
                     "    return kernel\n"
                     "def other():\n"
                     "    @triton.jit\n    def helper(x):\n        return x * 3\n"
                     "    @triton.jit\n    def kernel(p, x):\n"
                     "        tl.store(p + tl.arange(0, SIZE), helper(x))\n";
  auto c = compile(text, "p=*fp32, x=fp32", "make.kernel");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "tile.make_range 0 to 8");
  auto d = compile(text, "p=*fp32, x=fp32", "other.kernel");
  EXPECT_COMPILES(d);
  EXPECT_HAS(d, "3.0");
}

TEST(Scope, InnerFunctionsHideOuterOnes) {
  auto c = compile("N = 1\ndef a():\n    N = 2\n    M = 4\n    def b():\n        N = M * 2\n"
                   "        @triton.jit\n        def kernel(p):\n"
                   "            tl.static_assert(N == 8 and M == 4)\n",
                   "p=*fp32", "a.b.kernel");
  EXPECT_COMPILES(c);
  c = compile("class T:\n    N = 3\n    def test(self):\n        K = 2\n"
              "        @triton.jit\n        def kernel(p):\n"
              "            tl.static_assert(K == 2)\n            tl.static_assert(T.N == 3)\n",
              "p=*fp32", "T.test.kernel");
  EXPECT_COMPILES(c);
}

TEST(Scope, ValuesThatOnlyPythonKnows) {
  auto with = [](const std::string &line) {
    return compile("def make(n):\n    " + line +
                       "\n    @triton.jit\n    def kernel(p):\n        tl.store(p, n)\n",
                   "p=*fp32");
  };
  const char *why =
      "the value of 'make.n' is not known: it is a variable of the function around the kernel, "
      "whose value only Python knows; pass its value, n=…, with the kernel's arguments, make it a "
      "tl.constexpr parameter, or let the Python package compile the kernel";
  for (const char *line : {"pass", "n = 1", "x = 1", "if x:\n        m = 1",
                           "for n in y:\n        pass", "with f() as n:\n        pass", "n += 1"})
    EXPECT_SAYS(with(line), why);
  auto c = compile("def make():\n    if x:\n        N = 1\n    else:\n        N = 2\n"
                   "    @triton.jit\n    def kernel(p):\n        tl.store(p, N)\n",
                   "p=*fp32");
  EXPECT_SAYS(
      c, "the value of 'make.N' is not known: it is a variable of the function around the kernel");
}

TEST(Scope, ClassesSeeTheirOwnNames) {
  auto c = compile("class Outer:\n    A = 2\n    B: tl.constexpr = A * 3\n"
                   "    class Inner:\n        C = 5\n"
                   "@triton.jit\ndef kernel(p):\n"
                   "    tl.static_assert(Outer.B == 6 and Outer.Inner.C == 5)\n"
                   "    tl.static_assert(getattr(Outer, 'A') == 2 and not hasattr(Outer, 'Z'))\n",
                   "p=*fp32");
  EXPECT_COMPILES(c);
}

TEST(Scope, AnnotationsOfArguments) {
  for (const char *annotation : {"tl.int64", "'tl.int64'", "'int64'", "'i64'", "int64"}) {
    auto c = compile(std::string("from triton.language import int64\n"
                                 "@triton.jit\ndef kernel(p, n: ") +
                         annotation + "):\n    tl.static_assert(n.dtype == tl.int64)\n",
                     "p=*i64, n=i32");
    EXPECT_COMPILES(c) << annotation;
  }
  for (const char *annotation : {"int", "'int'", "tl.tensor", "float", "'tl.tensor'", "object"}) {
    auto c = compile(std::string("@triton.jit\ndef kernel(p, n: ") + annotation +
                         "):\n    tl.static_assert(n.dtype == tl.int16)\n",
                     "p=*i64, n=i16");
    EXPECT_COMPILES(c) << annotation;
  }
}

TEST(Scope, PythonsFunctionsThatAreNotThere) {
  auto says = [](const char *body, const char *text) {
    EXPECT_SAYS(compileBody("p, n", body, "p=*fp32, n=i32"), text);
  };
  says("for i, v in enumerate((1, 2)):\n    pass",
       "Python's 'enumerate' cannot be used in a kernel; index the tuples in a loop over "
       "tl.static_range(len(…))");
  says("tl.store(p, sum((1, 2)))", "Python's 'sum' cannot be used in a kernel");
  says("tl.static_assert(type(n) == int)", "use isinstance, or x.dtype and x.type");
  says("if n > 0:\n    raise ValueError('x')", "'raise' under a run-time condition cannot be used");
  auto c = compileBody("p, n", "def f(a):\n    return a\nimport math\ntl.store(p, f(n) + math.pi)",
                       "p=*fp32, n=i32");
  EXPECT_EQ(c.numErrors, 2u) << c.diagnostics;
}

TEST(Scope, MethodsOfStringsAndDicts) {
  auto c = compile(
      "OPTIONS = {'a': 3}\n"
      "@triton.jit\ndef kernel(p, MODE: tl.constexpr):\n"
      "    tl.static_assert(MODE.value.startswith('e4') and not MODE.endswith(('x', 'y')))\n"
      "    tl.static_assert(MODE.upper() == 'E4M3' and 'A'.lower() == 'a')\n"
      "    tl.static_assert(','.join(('a', 'b')) == 'a,b' and ''.join(()) == '')\n"
      "    tl.static_assert(' x '.strip() == 'x' and 'aba'.replace('a', 'c') == 'cbc')\n"
      "    tl.static_assert('abc'.find('c') == 2 and 'abc'.find('z') == -1)\n"
      "    tl.static_assert('12'.isdigit() and not 'a1'.isdigit())\n"
      "    tl.static_assert(OPTIONS.get('a') == 3 and OPTIONS.get('b', 4) == 4)\n"
      "    tl.static_assert(OPTIONS.get('b') is None)\n",
      "p=*fp32, MODE=\"e4m3\"");
  EXPECT_COMPILES(c);
  auto says = [](const char *body, const char *text) {
    EXPECT_SAYS(compileBody("p", body, "p=*fp32"), text);
  };
  says("'a'.format(1)", "'format' of a string is not available in kernels");
  says("','.join((1, 2))", "strings are expected, not the integer 1");
  says("'a'.startswith(1)", "a string or a tuple of strings is expected, not the integer 1");
  says("'a'.replace('', 'b')", "the text to replace is empty");
}

} // namespace
