// Records (`@triton.aggregate`) and named tuples: making them, fields and methods, and their
// behaviour in branches, loops and calls.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun::test;

namespace {

/// A record of a run-time value and a compile-time number, with methods.
const std::string kBlock = "from triton.language.core import _aggregate as aggregate\n"
                           "@aggregate\nclass Block:\n"
                           "    x: tl.tensor\n    N: tl.constexpr\n"
                           "    @triton.constexpr_function\n    def __init__(self, x, N):\n"
                           "        self.x = x\n        self.N = tl.constexpr(N)\n"
                           "    @triton.jit\n    def scaled(self, by):\n"
                           "        return Block(self.x * by, self.N)\n"
                           "    @triton.jit\n    def twice(self):\n"
                           "        return self.scaled(2)\n"
                           "    @triton.constexpr_function\n    def half(self):\n"
                           "        h = self.N // 2\n        return h\n";

Compiled compileWith(const std::string &prefix, const std::string &body,
                     llvm::StringRef signature = "p=*fp32, n=i32, x=fp32",
                     const std::string &parameters = "p, n, x") {
  std::string text = prefix + "@triton.jit\ndef kernel(" + parameters + "):\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "    " + line.str() + "\n";
  return compile(text, signature);
}

Compiled compileBlock(const std::string &body) { return compileWith(kBlock, body); }

//===----------------------------------------------------------------------===//
// Making records
//===----------------------------------------------------------------------===//

TEST(Record, FieldsAndMethods) {
  auto c = compileBlock("b = Block(x, 8)\n"
                        "tl.static_assert(b.N == 8)\n"
                        "tl.store(p + tl.arange(0, b.half()), b.twice().x)");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("arith.mulf"), 1u);
  EXPECT_HAS(c, "tile.make_range 0 to 4");
}

TEST(Record, SpellingsOfTheDecorator) {
  for (std::string decorator :
       {"@triton.aggregate", "@tl.core._aggregate", "@triton.language.core._aggregate",
        "@_aggregate", "@record", "@tl.aggregate"})
    EXPECT_COMPILES(compileWith("import triton.language.core\n"
                                "from triton.language.core import _aggregate\n"
                                "record = tl.core._aggregate\n" +
                                    decorator + "\nclass R:\n    x: tl.tensor\n",
                                "tl.store(p, R(x).x)"))
        << decorator;
}

TEST(Record, InitMayBePlainJitOrMissing) {
  std::string head = "@triton.aggregate\nclass R:\n    x: tl.tensor\n    N: tl.constexpr = 4\n";
  std::string init = "def __init__(self, x, N=3):\n        self.x, self.N = x, N\n";
  std::string body = "r = R(x=x)\ntl.static_assert(r.N < 5)\ntl.store(p + r.N, r.x)";
  EXPECT_COMPILES(compileWith(head, body));
  EXPECT_COMPILES(compileWith(head + "    " + init, body));
  EXPECT_COMPILES(compileWith(head + "    @triton.jit\n    " + init, body));
  EXPECT_COMPILES(compileWith(head + "    @triton.constexpr_function\n    " + init, body));
}

TEST(Record, InitComputes) {
  auto c = compileWith("@triton.aggregate\nclass R:\n    lo: tl.tensor\n    hi: tl.tensor\n"
                       "    N: tl.constexpr\n    MODE: tl.constexpr\n"
                       "    def __init__(self, x, y, MODE):\n"
                       "        self.MODE: tl.constexpr = MODE\n"
                       "        if MODE == 'sorted':\n"
                       "            self.lo = tl.minimum(x, y)\n"
                       "            self.hi = tl.maximum(x, y)\n"
                       "        else:\n"
                       "            self.lo, self.hi = x, y\n"
                       "        self.N = 0\n"
                       "        for i in tl.static_range(3):\n"
                       "            self.N += i\n",
                       "r = R(x, n, 'sorted')\n"
                       "tl.static_assert(r.N == 3 and r.MODE == 'sorted')\n"
                       "tl.store(p, r.hi - r.lo)\n"
                       "tl.store(p, R(x, n, 'plain').lo)");
  EXPECT_COMPILES(c);
}

TEST(Record, InitWithARunTimeBranch) {
  auto c = compileWith("@triton.aggregate\nclass R:\n    x: tl.tensor\n    k: tl.tensor\n"
                       "    def __init__(self, x):\n"
                       "        self.k = 0\n"
                       "        if x > 1:\n            self.x = x\n"
                       "        else:\n            self.x = x + 1\n"
                       "        for i in range(tl.program_id(0)):\n"
                       "            self.k = self.k + i\n",
                       "r = R(x)\ntl.store(p, r.x + r.k)");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.if");
  EXPECT_HAS(c, "scf.for");
}

TEST(Record, NumbersInTensorFieldsAreRunTimeScalars) {
  auto c = compileWith("@triton.aggregate\nclass R:\n    x: tl.tensor\n    d: tl.float16\n",
                       "r = R(1, 2)\ntl.static_assert(r.x.dtype == tl.int32)\n"
                       "tl.static_assert(r.d.dtype == tl.float16)\ntl.store(p, r.x)");
  EXPECT_COMPILES(c);
}

TEST(Record, FieldsOfAllKinds) {
  auto c = compileWith(kBlock + "from typing import Optional\n"
                                "@triton.aggregate\nclass R:\n"
                                "    block: Block\n    pair: tl.tuple\n    t: 'tl.tensor'\n"
                                "    f: tl.constexpr\n    DT: tl.constexpr\n"
                                "    maybe: tl.tensor | None\n    also: Optional[Block]\n"
                                "    text: str\n    anything: object\n"
                                "@triton.jit\ndef inc(v):\n    return v + 1\n",
                       "b = Block(x, 2)\n"
                       "r = R(b, (x, 3), x, inc, tl.float16, None, b, 'name', 1)\n"
                       "tl.static_assert(r.text == 'name' and r.maybe is None)\n"
                       "tl.static_assert(r.DT == tl.float16)\n"
                       "tl.store(p, r.f(r.block.x) + r.pair[0] + r.t + r.also.N + r.anything)");
  EXPECT_COMPILES(c);
}

TEST(Record, MistakesInInit) {
  std::string head = "@triton.aggregate\nclass R:\n    value: tl.tensor\n    N: tl.constexpr\n"
                     "    def __init__(self, x):\n        self.N = 1\n        ";
  auto with = [&](const char *line) { return compileWith(head + line + "\n", "r = R(x)"); };
  EXPECT_SAYS(with("pass"), "'__init__' of 'R' does not set the field 'value'");
  EXPECT_SAYS(with("self.valeu = x"), "'R' has no field 'valeu'; did you mean 'value'?");
  EXPECT_SAYS(with("self.other = x"),
              "'R' has no field 'other'; declare it in the class, as in 'other: tl.tensor'");
  EXPECT_SAYS(with("self.value = 'text'"),
              "field 'value' of 'R' is declared tl.tensor, but this is the string 'text'; declare "
              "the field as tl.constexpr to keep compile-time values");
  EXPECT_SAYS(with("self.N = x"), "field 'N' of 'R' is declared tl.constexpr, but this is float32, "
                                  "which is known only at run time");
  EXPECT_SAYS(with("self.value = self.value + x"),
              "field 'value' of 'R' is read before '__init__' sets it");
  EXPECT_SAYS(with("return 3"), "'__init__' returns nothing, but this returns the integer 3");
  EXPECT_SAYS(with("self = 3"), "'__init__' of 'R' loses its record");
  EXPECT_SAYS(with("if x > 0:\n            self.value = x"),
              "field 'value' of 'R' is set in one arm only");
  EXPECT_SAYS(with("self.value = x\n        if x > 0:\n            return"),
              "'__init__' cannot return under a run-time condition");
  auto c = with("self.valeu = x");
  EXPECT_EQ(c.numErrors, 1u) << c.diagnostics;
  EXPECT_TRUE(c.says("'R' is defined here")) << c.diagnostics;
}

TEST(Record, MistakesOfTheCaller) {
  EXPECT_SAYS(compileBlock("b = Block(x)"), "parameter 'N' of 'Block.__init__' is not given");
  EXPECT_SAYS(compileBlock("b = Block(x, 1, 2)"),
              "'Block.__init__' takes 3 positional arguments, but 4 are given");
  EXPECT_SAYS(compileBlock("b = Block(x, n)"), "in call to 'Block.__init__' here");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, b.y)"),
              "a record 'Block' has no field 'y'");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, b.scald(1).x)"),
              "a record 'Block' has no field 'scald'; did you mean 'scaled'?");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\nb.x = 3"),
              "attributes cannot be assigned in a kernel");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\nb.x += 3"), "only a name can be updated");
  EXPECT_SAYS(compileBlock("tl.store(p, Block.x)"), "'x' is a field");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\nu, v = b"),
              "a record 'Block' cannot be iterated over");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, b[0])"),
              "a record 'Block' cannot be indexed; ask for its fields by name");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, b + 1)"), "does not apply to");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.static_assert(b == b)"),
              "records are not compared as a whole");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, b)"), "a record 'Block'");
  EXPECT_SAYS(compileBlock("b = Block(x, 1)\ntl.store(p, len(b))"), "has no length");
}

TEST(Record, OtherDecoratorsAreNamed) {
  EXPECT_SAYS(compileWith("from dataclasses import dataclass\n"
                          "@dataclass(frozen=True)\nclass R:\n    x: tl.tensor\n",
                          "r = R(x)"),
              "the class 'R' cannot be constructed in a kernel; it is decorated with '@dataclass', "
              "which kernels do not know; decorate it with @triton.aggregate, or make it a "
              "NamedTuple");
  EXPECT_SAYS(compileWith("@triton.aggregate\nclass R:\n    x: tl.tensor\n"
                          "    @functools.cache\n    def f(self):\n        return 1\n",
                          "r = R(x)\ntl.store(p, r.f())"),
              "'R.f' is decorated with '@cache', which kernels do not know");
}

TEST(Record, SyntaxErrorsInARecordAreReported) {
  EXPECT_SAYS(compile("@triton.aggregate\nclass R:\n    x: = 1\n"
                      "@triton.jit\ndef kernel(p):\n    tl.store(p, 1)\n",
                      "p=*i32"),
              "error:");
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

TEST(Record, KindsOfMethods) {
  auto c = compileWith("@triton.aggregate\nclass R:\n    x: tl.tensor\n"
                       "    LIMIT = 4\n    SCALE: tl.constexpr = LIMIT * 2\n"
                       "    def __init__(self, x):\n        self.x, self.SCALE = x, 8\n"
                       "    @staticmethod\n    @triton.jit\n    def make(v):\n"
                       "        return R(v + R.LIMIT)\n"
                       "    @classmethod\n    def of(cls, v):\n        return cls(v)\n"
                       "    @property\n    def wide(self):\n        return self.x.to(tl.float64)\n"
                       "    @triton.jit\n    def __add__(self, other):\n"
                       "        return R(self.x + (other.x if isinstance(other, R) else other))\n"
                       "    @triton.jit\n    def __radd__(self, other):\n"
                       "        return self + other\n"
                       "    @triton.jit\n    def __neg__(self):\n        return R(-self.x)\n"
                       "    @triton.jit\n    def __eq__(self, other):\n"
                       "        return self.x == other.x\n"
                       "    @triton.jit\n    def __getitem__(self, i):\n"
                       "        return self.x * i\n"
                       "    @triton.jit\n    def __call__(self, v, w=1):\n"
                       "        return self.x + v * w\n",
                       "r = R.make(x)\n"
                       "tl.static_assert(r.LIMIT == 4 and R.LIMIT == 4 and r.SCALE == 8)\n"
                       "tl.static_assert(r.wide.dtype == tl.float64)\n"
                       "s = -(1.0 + r + R.of(x) + 2.0)\n"
                       "if s == r:\n"
                       "    tl.store(p, s[3] + s(x, w=2) + R.__neg__(s).x)");
  EXPECT_COMPILES(c);
}

TEST(Record, IsinstanceGetattrHasattr) {
  auto c = compileBlock("b = Block(x, 2)\n"
                        "tl.static_assert(isinstance(b, Block))\n"
                        "tl.static_assert(not isinstance(x, Block))\n"
                        "tl.static_assert(not isinstance(b, tuple))\n"
                        "tl.static_assert(not isinstance(b, (tl.tensor, tl.tuple)))\n"
                        "tl.static_assert(hasattr(b, 'x') and hasattr(b, 'twice'))\n"
                        "tl.static_assert(not hasattr(b, 'y'))\n"
                        "tl.static_assert(b is not None)\n"
                        "tl.static_assert(getattr(b, 'N') == 2)\n"
                        "tl.store(p, getattr(b, 'x') + getattr(b, 'y', 3))\n"
                        "if b:\n    tl.store(p, 2)");
  EXPECT_COMPILES(c);
}

TEST(Record, Inheritance) {
  auto c = compileWith(kBlock + "@triton.aggregate\nclass Wide(Block):\n    y: tl.tensor\n"
                                "    def __init__(self, x, y):\n"
                                "        self.x, self.y, self.N = x, y, 16\n",
                       "w = Wide(x, x + 1)\n"
                       "tl.static_assert(isinstance(w, Block) and w.half() == 8)\n"
                       "tl.store(p, w.y + w.twice().x)");
  EXPECT_COMPILES(c);
}

TEST(Record, PrintsItsFields) {
  auto c = compileBlock("tl.static_print(Block(x, 2))");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.printed, "Block(x=float32, N=2)\n");
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

TEST(Record, JoinsFieldByField) {
  auto c = compileBlock("b = Block(x, 2)\n"
                        "if n > 0:\n    b = Block(x + 1, 2)\n"
                        "tl.static_assert(b.N == 2)\n"
                        "c = b.twice() if n > 1 else b\n"
                        "tl.store(p, b.x + c.x)");
  EXPECT_COMPILES(c);
  EXPECT_EQ(c.count("-> (f32)"), 2u);
}

TEST(Record, BoundMethodsLastThroughBranchesAndLoops) {
  auto c = compileBlock("g, r = Block(x, 2).scaled, range(n)\n"
                        "if n > 0:\n    tl.store(p, 1)\n"
                        "for i in r:\n    tl.store(p, g(i).x)\n");
  EXPECT_COMPILES(c);
  EXPECT_SAYS(compileBlock("g = Block(x, 2).scaled\nif n > 0:\n    g = Block(x + 1, 2).scaled\n"
                           "tl.store(p, g(1).x)"),
              "'g' is not defined here");
}

TEST(Record, FieldsThatDifferInABranch) {
  EXPECT_SAYS(compileBlock("b = Block(x, 2)\nif n > 0:\n    b = Block(n, 2)\ntl.store(p, b.x)"),
              "'b' differs in type after this run-time 'if': field 'x' of 'Block' is int32 in one "
              "arm and float32 in the other");
  EXPECT_SAYS(compileBlock("b = Block(x, 2)\nif n > 0:\n    b = Block(x, 3)\ntl.store(p, b.x)"),
              "field 'N' of 'Block' is the integer 3 in one arm and the integer 2 in the other, "
              "but it is a tl.constexpr");
  EXPECT_SAYS(compileBlock("t = (Block(x, 2), n)\nif n > 0:\n    t = (Block(n, 2), n)\n"
                           "tl.store(p, t[0].x)"),
              "element 0 is field 'x' of 'Block' is int32 in one arm");
  EXPECT_SAYS(compileBlock("b = Block(x, 2)\nif n > 0:\n    b = None\ntl.store(p, b.x)"),
              "'b' is not defined here");
}

TEST(Record, LoopsCarryTheFields) {
  auto c = compileBlock("b = Block(x, 4)\n"
                        "for i in range(n):\n"
                        "    b = b.scaled(i)\n"
                        "    tl.static_assert(b.N == 4)\n"
                        "while b.x < 100:\n"
                        "    b = b.twice()\n"
                        "    if b.x == 7:\n        break\n"
                        "tl.store(p + tl.arange(0, b.N), b.x)");
  EXPECT_COMPILES(c);
  EXPECT_HAS(c, "scf.for");
  EXPECT_HAS(c, "scf.while");
}

TEST(Record, FieldsThatChangeInALoop) {
  EXPECT_SAYS(compileBlock("b = Block(0, 4)\nfor i in range(n):\n    b = Block(x, 4)\n"
                           "tl.store(p, b.x)"),
              "'b' changes its type in this loop: field 'x' of 'Block' is int32 before and float32 "
              "after an iteration");
  EXPECT_SAYS(compileBlock("b = Block(x, 4)\nfor i in range(n):\n    b = Block(x, b.N * 2)\n"
                           "tl.store(p, b.x)"),
              "field 'N' of 'Block' is the integer 4 before and the integer 8 after an iteration");
  EXPECT_SAYS(compileWith("@triton.aggregate\nclass R:\n    N: tl.constexpr\n",
                          "r = R(1)\nfor i in range(n):\n    r = R(r.N + 1)\ntl.store(p, r.N)"),
              "field 'N' of 'R' is the integer 1 before");
}

TEST(Record, HelpersTakeAndReturnRecords) {
  auto c = compileWith(kBlock + "@triton.jit\ndef pick(a, b, n):\n"
                                "    if n > 0:\n        return a\n"
                                "    else:\n        return b\n"
                                "@triton.jit\ndef first(n, a):\n"
                                "    for i in range(n):\n"
                                "        if i > 3:\n            return a.scaled(i)\n"
                                "    return a\n",
                       "a, b = Block(x, 4), Block(x + 1, 4)\n"
                       "r = first(n, pick(a, b, n))\n"
                       "tl.store(p + r.N, r.x)");
  EXPECT_COMPILES(c);
  EXPECT_SAYS(compileWith(kBlock + "@triton.jit\ndef pick(a, b, n):\n"
                                   "    if n > 0:\n        return a\n"
                                   "    else:\n        return b\n",
                          "tl.store(p, pick(Block(x, 1), Block(x, 2), n).x)"),
              "the return values of 'pick' differ in type: field 'N' of 'Block' is the integer 1");
}

TEST(Record, InTuplesAndOtherRecords) {
  auto c = compileWith(kBlock + "@triton.aggregate\nclass Two:\n    a: Block\n    b: Block\n",
                       "t = (Block(x, 1), [Two(Block(x, 2), Block(x, 3))])\n"
                       "for i in range(n):\n"
                       "    two = t[1][0]\n"
                       "    t = (t[0].twice(), [Two(two.b.scaled(i), two.b)])\n"
                       "tl.store(p, t[0].x)",
                       "p=*fp32, n=i32, x=fp32");
  EXPECT_SAYS(c, "field 'N' of 'Block' is the integer 2 before and the integer 3");
  EXPECT_COMPILES(
      compileWith(kBlock + "@triton.aggregate\nclass Two:\n    a: Block\n    b: Block\n",
                  "two = Two(Block(x, 2), Block(x + 1, 2))\n"
                  "for i in range(n):\n    two = Two(two.b, two.a.scaled(i))\n"
                  "tl.store(p, two.a.x)"));
  EXPECT_SAYS(compileWith(kBlock + "@triton.aggregate\nclass Two:\n    a: Block\n", "two = Two(x)"),
              "field 'a' of 'Two' is declared Block, but this is float32");
}

TEST(Record, OfTensorDescriptorsAndPointers) {
  auto c = compileWith("@triton.aggregate\nclass Tile:\n"
                       "    desc: tl.tensor_descriptor\n    ptr: tl.tensor\n    at: tl.tensor\n"
                       "    @triton.jit\n    def load(self):\n"
                       "        return self.desc.load([self.at])\n"
                       "    @triton.jit\n    def next(self):\n"
                       "        return Tile(self.desc, self.ptr + 16, self.at + 16)\n",
                       "t = Tile(tl.make_tensor_descriptor(p, [n], [1], [16]), p, 0)\n"
                       "for i in range(4):\n"
                       "    tl.store(t.ptr + tl.arange(0, 16), t.load() + x)\n"
                       "    t = t.next()");
  EXPECT_COMPILES(c);
}

TEST(Record, RecursionEnds) {
  EXPECT_SAYS(compileWith("@triton.aggregate\nclass R:\n    x: tl.tensor\n"
                          "    def __init__(self, x):\n        self.x = R(x).x\n",
                          "r = R(x)"),
              "calls itself");
  EXPECT_SAYS(compileWith("@triton.aggregate\nclass A(B):\n    x: tl.tensor\n"
                          "@triton.aggregate\nclass B(A):\n    y: tl.tensor\n",
                          "r = A(x)\ntl.store(p, r.z)"),
              "error:");
  EXPECT_SAYS(compileWith("@triton.aggregate\nclass R:\n    A = B\n    B = A\n    x: tl.tensor\n",
                          "tl.store(p, R.A)"),
              "it is defined by itself");
}

//===----------------------------------------------------------------------===//
// Named tuples
//===----------------------------------------------------------------------===//

TEST(NamedTuple, OfCollections) {
  for (const char *form :
       {"from collections import namedtuple\nP = namedtuple('P', ['x', 'y'])\n",
        "import collections\nP = collections.namedtuple('P', 'x y')\n",
        "import collections as c\nP = c.namedtuple('P', 'x, y')\n",
        "from collections import namedtuple as nt\nP = nt('P', ('x', 'y'))\n",
        "import collections\nP = collections.namedtuple(typename='P', field_names=['x', 'y'])\n",
        "from typing import NamedTuple\nP = NamedTuple('P', [('x', int), ('y', int)])\n",
        "import typing\nclass P(typing.NamedTuple):\n    x: int\n    y: int\n",
        "from collections import namedtuple\nclass P(namedtuple('P', ['x', 'y'])):\n    pass\n"}) {
    auto c = compileWith(form, "q = P(x, y=n)\na, b = q\n"
                               "tl.static_assert(len(q) == 2 and isinstance(q, P))\n"
                               "tl.static_assert(isinstance(q, tuple))\n"
                               "tl.static_assert(q._fields == ('x', 'y'))\n"
                               "tl.store(p, q.x + q[1] + a * b + q._replace(x=3).x)");
    EXPECT_COMPILES(c) << form;
  }
}

TEST(NamedTuple, Defaults) {
  auto c = compileWith("from collections import namedtuple\n"
                       "P = namedtuple('P', ['x', 'y', 'z'], defaults=(5, 6))\n",
                       "q = P(x)\ntl.static_assert(P(1).z == 6 and P(1, 2).y == 2)\n"
                       "tl.store(p, q.x + q.y)");
  EXPECT_COMPILES(c);
}

TEST(NamedTuple, KeepsItsNamesEverywhere) {
  auto c = compileWith("from typing import NamedTuple\n"
                       "class P(NamedTuple):\n    x: tl.tensor\n    y: tl.tensor\n"
                       "    def total(self):\n        return self.x + self.y\n"
                       "@triton.jit\ndef swap(q, n):\n"
                       "    if n > 2:\n        return P(q.y, q.x)\n"
                       "    return q\n",
                       "q = P(x, 1.0)\n"
                       "for i in range(n):\n"
                       "    q = swap(q, i)\n"
                       "    q = q._replace(y=q.y + i)\n"
                       "while q.x < 10:\n    q = P(q.x + 1, q.y)\n"
                       "r = q if n > 0 else P(x, x)\n"
                       "tl.store(p, r.total())");
  EXPECT_COMPILES(c);
}

TEST(NamedTuple, Mistakes) {
  std::string head = "from collections import namedtuple\nP = namedtuple('P', ['first', 'y'])\n";
  EXPECT_SAYS(compileWith(head, "q = P(x)"), "field 'y' of 'P' is not given");
  EXPECT_SAYS(compileWith(head, "q = P(x, 1, 2)"), "'P' has 2 fields, but 3 values are given");
  EXPECT_SAYS(compileWith(head, "q = P(x, fist=2)"),
              "'P' has no field 'fist'; did you mean 'first'?");
  EXPECT_SAYS(compileWith(head, "q = P(x, first=2)"), "field 'first' of 'P' is given twice");
  EXPECT_SAYS(compileWith(head, "q = P(x, 2)\ntl.store(p, q.fist)"),
              "a P has no field 'fist'; did you mean 'first'?");
  EXPECT_SAYS(compileWith(head, "q = P(x, 2)._replace(z=1)"), "'P' has no field 'z'");
  EXPECT_SAYS(compileWith(head, "q = P(x, 2)._replace(1)"), "'_replace' takes fields by name");
  EXPECT_SAYS(compileWith(head, "Q = namedtuple('Q', ['a'])"),
              "a named tuple cannot be defined inside a kernel");
  EXPECT_SAYS(compileWith(head, "q = P(x, 2)\nif n > 0:\n    q = P(n, 2)\ntl.store(p, q.first)"),
              "field 'first' of 'P' is int32 in one arm and float32 in the other");
  EXPECT_SAYS(compileWith("from collections import namedtuple\nP = namedtuple('P', ['a', 'a'])\n",
                          "q = P(1, 2)"),
              "the field 'a' occurs twice");
  EXPECT_SAYS(
      compileWith("from collections import namedtuple\nP = namedtuple('P', 3)\n", "q = P(1, 2)"),
      "takes a name and the names of the fields");
}

} // namespace
