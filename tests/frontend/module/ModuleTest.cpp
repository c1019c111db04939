// Whole files: which jit functions are found, what global names stand for, and that host code is
// skipped whatever it contains.
#include "FrontendTest.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

/// Qualified names of the jit functions, with blanks between.
std::string functions(const std::string &text) {
  auto loaded = load(text);
  if (!loaded->module)
    return loaded->errors();
  std::string out;
  for (const auto &function : loaded->module->functions)
    out += (out.empty() ? "" : " ") + function->qualifiedName;
  return out;
}

/// "value EXPR", "jit", "module PATH", … of a global.
std::string global(const std::string &text, llvm::StringRef name) {
  auto loaded = load(text);
  if (!loaded->module)
    return loaded->errors();
  const Global *g = loaded->module->lookup(name);
  if (!g)
    return "none";
  switch (g->kind) {
  case Global::Kind::Jit:
    return "jit " + g->jit->qualifiedName;
  case Global::Kind::Value:
    return "value " + show(g->value) + (g->annotation ? ": " + show(g->annotation) : "");
  case Global::Kind::Module:
    return "module " + g->path;
  case Global::Kind::ImportedName:
    return "name " + g->path + " " + g->importedName;
  case Global::Kind::HostFunction:
    return "host function";
  case Global::Kind::Class:
    return g->classDef ? "class " + g->classDef->name.str() : "class";
  case Global::Kind::Captured:
    return "captured";
  case Global::Kind::Unknown:
    return "unknown";
  }
  return "?";
}

TEST(Module, EmptyFile) {
  EXPECT_EQ(functions(""), "");
  EXPECT_EQ(functions("# nothing here\n"), "");
}

TEST(Module, SpellingsOfJit) {
  std::string body = "\ndef k(x): return x\n";
  EXPECT_EQ(functions("import triton\n@triton.jit" + body), "k");
  EXPECT_EQ(functions("import triton\n@triton.jit()" + body), "k");
  EXPECT_EQ(functions("import triton\n@triton.jit(debug=True)" + body), "k");
  EXPECT_EQ(functions("import triton as tt\n@tt.jit" + body), "k");
  EXPECT_EQ(functions("from triton import jit\n@jit" + body), "k");
  EXPECT_EQ(functions("from triton import jit as j\n@j" + body), "k");
  EXPECT_EQ(functions("from triton import *\n@jit" + body), "k");
  EXPECT_EQ(functions("from triton.runtime.jit import jit\n@jit" + body), "k");
  EXPECT_EQ(functions("import triton.runtime as r\n@r.jit" + body), "k");
  EXPECT_EQ(functions("from project.compat import triton\n@triton.jit" + body), "k");
  EXPECT_EQ(functions("import triton\njit = triton.jit\n@jit" + body), "k");
  EXPECT_EQ(functions("def f():\n  import triton as t\n  @t.jit\n  def k(x): return x\n"), "f.k");
  EXPECT_EQ(functions("@triton.jit" + body), "k") << "a piece of a file";
}

TEST(Module, OtherJitsAreHostCode) {
  std::string body = "\ndef k(x): junk junk\n";
  for (const char *other :
       {"import numba\n@numba.jit", "from numba import jit\n@jit", "import jax\n@jax.jit",
        "import torch\n@torch.jit.script", "@jit", "import triton\n@triton.jit.x",
        "import triton\n@triton.autotune([])", "from triton.experimental import gluon\n@gluon.jit"})
    EXPECT_EQ(functions(other + body), "") << other;
}

TEST(Module, JitInsideAnything) {
  EXPECT_EQ(functions("import triton\n"
                      "if 1:\n  @triton.jit\n  def a(): pass\n"
                      "else:\n  @triton.jit\n  def b(): pass\n"
                      "try:\n  @triton.jit\n  def c(): pass\n"
                      "finally:\n  pass\n"
                      "with x:\n  for y in z:\n    @triton.jit\n    def d(): pass\n"
                      "class C:\n  @staticmethod\n  @triton.jit\n  def e(): pass\n"
                      "  class D:\n    @triton.jit\n    def f(): pass\n"
                      "def g():\n  x = 1\n  @triton.jit\n  def h(): pass\n  return h\n"
                      "@triton.jit\ndef i(): pass\n"),
            "a b c d C.e C.D.f g.h i");
}

TEST(Module, OtherDecoratorsMayStandBetween) {
  EXPECT_EQ(functions("import triton\n@a.b(1)\n# comment\n\n@triton.jit\n@c\ndef k(): pass\n"),
            "k");
}

TEST(Module, BodiesEndWhereTheyEnd) {
  EXPECT_EQ(functions("import triton\n@triton.jit\ndef a():\n  pass\n  # comment\n# comment\n"
                      "junk junk\n@triton.jit\ndef b(): pass\n@triton.jit\ndef c():\n  pass"),
            "a b c");
}

TEST(Module, HostCodeIsSkippedWhateverItHolds) {
  const char *host = R"py(
from __future__ import annotations
import torch, os.path as p
print "python 2", `x`
exec "code" in d
def f[T: int, *Ts, **P](a, /, b: "x" = 1, *c, d, **e) -> None:
    async with a as b, c: await d
    match x:
        case [1, {"a": b}, C(d=1), *_] if y: pass
        case _: yield x
    lambda *a, **k: (a, k)
    return {**a, 'b': [*c]}, f"{f'{x!r:>{w}}'}", rb'\x', 0777, 1__0, $, ?
type A[T] = list[T]
class B[T](C, metaclass=D):
    x: int = 1; __slots__ = ()
    def g(self): raise E from None
try: import foo
except* (A, B) as e: pass
x = [i async for i in y if (z := i)]
@decorator(lambda: 1)[0].x
async def h(): return
global q; nonlocal r
return 3
a b c d ) ] }
    odd indentation
  and more
x = 'unterminated
)py";
  EXPECT_EQ(functions(std::string("import triton\n@triton.jit\ndef a(): pass\n") + host +
                      "@triton.jit\ndef b(): pass\n"),
            "a b");
}

TEST(Module, BytesOfAnyKindInHostCode) {
  EXPECT_EQ(functions("# \xE9\xFF\nx = '\xE9'\n\xFF\xFE\n" + std::string("y\0\0z\n", 5) +
                      "import triton\n@triton.jit\ndef k(): pass # \xE9\n"),
            "k");
}

TEST(Module, UnclosedBracketInHostCodeDoesNotHideKernels) {
  EXPECT_EQ(functions("import triton\nx = f(1, [2\n@triton.jit\ndef a(): pass\ny = {\n"
                      "@triton.autotune(configs=[],\n  key=[])\n@triton.jit\ndef b(): pass\n"),
            "a b");
}

TEST(Module, LineEndsAndMarks) {
  EXPECT_EQ(functions("\xEF\xBB\xBFimport triton\r\n@triton.jit\r\ndef k():\r\n\tpass\r\n"), "k");
  EXPECT_EQ(functions("import triton\r@triton.jit\rdef k():\r  pass\r"), "k");
}

TEST(Module, ErrorsInKernelsAreReported) {
  EXPECT_EQ(functions("import triton\nx = = 1\n@triton.jit\ndef k(x):\n  if x = 1:\n    pass\n"
                      "@triton.jit\ndef l(x):\n  return 0777\n"),
            "5:8: expected ':' after the condition of 'if', found '='; '==' compares\n"
            "9:10: invalid number '0777': decimal integers have no leading zeros; write 0o for "
            "octal\n");
  EXPECT_EQ(functions("import triton\n@triton.jit\ndef k(x):\nx = 1\n"),
            "4:1: expected an indented block after 'def' on line 3, found end of file\n");
  EXPECT_EQ(functions("import triton\n@triton.jit\ndef k(x): return '\xE9'\n"),
            "3:19: byte 0xE9 in this string is not UTF-8; save the file as UTF-8, or write "
            "\\xe9\n");
}

TEST(Module, TooManyBytes) {
  Loaded loaded;
  EXPECT_EQ(loaded.loader.loadText("big.py", std::string(SourceManager::kMaxFileBytes + 1, ' ')),
            nullptr);
  EXPECT_EQ(loaded.errors(),
            "0:0: 'big.py' has 67108865 bytes; the limit is 67108864 bytes (64 MiB)\n");
}

TEST(Module, LargeHostFileIsQuick) {
  std::string text = "import triton\n";
  while (text.size() < (8u << 20))
    text += "data = [" + std::string(1000, '1') + ", 'text', f(x), {1: 2}]\n";
  text += "@triton.jit\ndef k(): pass\n";
  EXPECT_EQ(functions(text), "k");
}

TEST(Module, LargeKernelIsRefused) {
  std::string text = "import triton\n@triton.jit\ndef k():\n";
  while (text.size() < (17u << 20))
    text += "  x = '" + std::string(10000, 'a') + "'\n";
  EXPECT_EQ(functions(text),
            "2:1: the jit functions of this file are larger than 16 MiB; split the file\n");
}

TEST(Module, ManyFunctionsAreRefused) {
  std::string text = "import triton\n";
  for (int i = 0; i < 10001; ++i)
    text += "@triton.jit\ndef f(): a\n";
  EXPECT_EQ(functions(text), "20002:1: this file has more than 10000 jit functions; split it\n");
}

TEST(Module, ErrorsStopAfterTwenty) {
  std::string text = "import triton\n";
  for (int i = 0; i < 1000; ++i)
    text += "@triton.jit\ndef f(): a b\n";
  auto loaded = load(text);
  EXPECT_EQ(loaded->module, nullptr);
  EXPECT_EQ(loaded->diagnostics.getNumErrors(), kMaxParseErrors);
}

TEST(Module, ManyGlobalsAreCut) {
  std::string text;
  for (int i = 0; i < 200001; ++i)
    text += "a" + std::to_string(i) + "=1\n";
  auto loaded = load(text + "a0 = 2\n");
  ASSERT_NE(loaded->module, nullptr);
  EXPECT_EQ(loaded->errors(), "200001:1: this file has more than 200000 global names; kernels do "
                              "not see this one and those after it\n");
  EXPECT_EQ(show(loaded->module->lookup("a0")->value), "2");
}

TEST(Module, FindsFunctionsByName) {
  auto loaded = load("import triton\n@triton.jit\ndef k(): pass\n"
                     "def f():\n  @triton.jit\n  def inner(): pass\n"
                     "def g():\n  @triton.jit\n  def twice(): pass\n"
                     "def h():\n  @triton.jit\n  def twice(): pass\n");
  ASSERT_TRUE(loaded->module);
  EXPECT_NE(loaded->function("k"), nullptr);
  EXPECT_NE(loaded->function("f.inner"), nullptr);
  EXPECT_EQ(loaded->function("inner"), loaded->function("f.inner"));
  EXPECT_EQ(loaded->function("twice"), nullptr) << "ambiguous";
  EXPECT_NE(loaded->function("h.twice"), nullptr);
  EXPECT_EQ(loaded->function("f"), nullptr);
  EXPECT_EQ(loaded->function("k")->module, loaded->module);
}

/// "KIND TEXT" of what a function binds.
std::string nested(const std::string &text, llvm::StringRef name) {
  auto loaded = load(text);
  if (!loaded->module)
    return loaded->errors();
  auto it = loaded->module->nested.find(name);
  if (it == loaded->module->nested.end())
    return "none";
  switch (it->second.kind) {
  case Global::Kind::Jit:
    return "jit";
  case Global::Kind::Value:
    return "value " + show(it->second.value);
  case Global::Kind::Class:
    return "class";
  case Global::Kind::HostFunction:
    return "host function";
  case Global::Kind::Captured:
    return "captured";
  case Global::Kind::ImportedName:
    return "name " + it->second.path + " " + it->second.importedName;
  default:
    return "other";
  }
}

TEST(Nested, NamesOfFunctionsAroundKernels) {
  std::string text = "import triton\n"
                     "def f(a, *b, c=1, **d):\n  x = 1\n  y = z = x + 1\n  p, (q, *r) = 1, g()\n"
                     "  if a:\n    u = 1\n    h = lambda: 1\n  else:\n    u = 2\n"
                     "  for i in a:\n    w = 1\n  with a as v: pass\n"
                     "  try:\n    from m import t\n  except ImportError:\n    t = None\n"
                     "  y += 1\n  k: int = 5\n"
                     "  def host(): pass\n  class C: pass\n"
                     "  def deeper():\n    s = 2\n    @triton.jit\n    def kernel(): pass\n"
                     "def plain():\n  x = 1\n";
  EXPECT_EQ(nested(text, "f.x"), "value 1");
  EXPECT_EQ(nested(text, "f.z"), "value (x + 1)");
  EXPECT_EQ(nested(text, "f.k"), "value 5");
  EXPECT_EQ(nested(text, "f.p"), "value 1");
  EXPECT_EQ(nested(text, "f.t"), "name m t");
  EXPECT_EQ(nested(text, "f.host"), "host function");
  EXPECT_EQ(nested(text, "f.C"), "class");
  EXPECT_EQ(nested(text, "f.deeper.s"), "value 2");
  EXPECT_EQ(nested(text, "f.deeper.kernel"), "jit");
  for (const char *name : {"a", "b", "c", "d", "y", "q", "r", "u", "h", "i", "w", "v"})
    EXPECT_EQ(nested(text, std::string("f.") + name), "captured") << name;
  EXPECT_EQ(nested(text, "plain.x"), "none") << "no kernel in it";
}

TEST(Nested, FunctionsThatDoNotParseBindNothing) {
  std::string text = "import triton\ndef f():\n  x = 1\n  print 'old'\n"
                     "  @triton.jit\n  def kernel(): pass\n";
  EXPECT_EQ(nested(text, "f.x"), "none");
  EXPECT_EQ(nested(text, "f.kernel"), "jit");
}

TEST(Module, MethodsOfRecordsAreHelpers) {
  for (std::string decorator : {"@triton.aggregate", "@tl.core._aggregate", "@aggregate"}) {
    auto loaded = load("import triton\nfrom triton.language.core import _aggregate as aggregate\n" +
                       decorator +
                       "\nclass R:\n  x: int\n  @triton.jit\n  def f(self): pass\n"
                       "class C:\n  @triton.jit\n  def g(x): pass\n"
                       "def t():\n  " +
                       decorator + "\n  class R:\n    @triton.jit\n    def h(self): pass\n");
    ASSERT_TRUE(loaded->module);
    EXPECT_TRUE(loaded->function("R.f")->usedAsHelper) << decorator;
    EXPECT_TRUE(loaded->function("t.R.h")->usedAsHelper) << decorator;
    EXPECT_FALSE(loaded->function("C.g")->usedAsHelper) << decorator;
  }
}

TEST(Module, SyntaxErrorsOfRecordsAreReported) {
  EXPECT_NE(functions("import triton\n@triton.aggregate\nclass R:\n  x: = 1\n"), "");
  EXPECT_EQ(functions("import triton\n@dataclass\nclass R:\n  x: = 1\n"), "");
  // Once, where the error is in a method.
  EXPECT_EQ(llvm::StringRef(functions("import triton\n@triton.aggregate\nclass R:\n  @triton.jit\n"
                                      "  def f(self): return 0777\n"))
                .count("leading zeros"),
            1u);
}

TEST(Module, Helpers) {
  auto loaded = load("import triton\n@triton.jit\ndef a(x): return x\n@triton.jit\n"
                     "def b(x): return a(x)\n@triton.jit\ndef c(x): return tl.reduce(x, 0, d)\n"
                     "@triton.jit\ndef d(x): return x.c(d)\ndef host(): b()\n");
  ASSERT_TRUE(loaded->module);
  EXPECT_TRUE(loaded->function("a")->usedAsHelper);
  EXPECT_FALSE(loaded->function("b")->usedAsHelper) << "host code launches it";
  EXPECT_FALSE(loaded->function("c")->usedAsHelper) << "an attribute is another name";
  EXPECT_TRUE(loaded->function("d")->usedAsHelper) << "passed as an argument";
}

TEST(Globals, Values) {
  EXPECT_EQ(global("X = 3", "X"), "value 3");
  EXPECT_EQ(global("X: tl.constexpr = 3", "X"), "value 3: tl.constexpr");
  EXPECT_EQ(global("X = tl.constexpr(3)", "X"), "value tl.constexpr(3)");
  EXPECT_EQ(global("X = Y = 4", "Y"), "value 4");
  EXPECT_EQ(global("A, (B, C) = 1, (2, 3)", "C"), "value 3");
  EXPECT_EQ(global("a = 1; b = 2", "b"), "value 2");
  EXPECT_EQ(global("if 1: X = 5", "X"), "value 5");
  EXPECT_EQ(global("X = [\n 1,\n 2]", "X"), "value [1, 2]");
  EXPECT_EQ(global("X: int", "X"), "none");
  EXPECT_EQ(global("x.y = 1", "x"), "none");
  EXPECT_EQ(global("def f():\n  X = 1\n", "X"), "none");
  EXPECT_EQ(global("class A:\n  X = 1\n", "X"), "none");
}

TEST(Globals, TheLastBindingCounts) {
  EXPECT_EQ(global("X = 1\nX = 2", "X"), "value 2");
  EXPECT_EQ(global("def X(): pass\nX = 2", "X"), "value 2");
  EXPECT_EQ(global("X = 2\ndef X(): pass", "X"), "host function");
  EXPECT_EQ(global("X = 1\ndel X", "X"), "none");
}

TEST(Globals, WhatTheLoaderCannotKnow) {
  EXPECT_EQ(global("X = 1\nX += 1", "X"), "unknown");
  EXPECT_EQ(global("for X in y: pass", "X"), "unknown");
  EXPECT_EQ(global("for a in b:\n  X = 1", "X"), "unknown");
  EXPECT_EQ(global("with a as X: pass", "X"), "unknown");
  EXPECT_EQ(global("X, Y = f()", "Y"), "unknown");
  EXPECT_EQ(global("X, *Y = 1, 2, 3", "Y"), "unknown");
  EXPECT_EQ(global("X = 1 2", "X"), "unknown");
  EXPECT_EQ(global("if a: X = 1\nelse: X = 2", "X"), "unknown");
  EXPECT_EQ(global("X = 1\nif a:\n  X = 2", "X"), "unknown");
  EXPECT_EQ(global("if a: X = 1\nelse: X = 1", "X"), "value 1");
}

TEST(Globals, ImportsThatMayFail) {
  EXPECT_EQ(global("try:\n  import triton\nexcept ImportError:\n  triton = None\n", "triton"),
            "module triton");
  EXPECT_EQ(global("f = None\ntry:\n  from a import f\nexcept E:\n  pass", "f"), "name a f");
  EXPECT_EQ(global("if a:\n  from b import f\nelse:\n  def f(): pass", "f"), "name b f");
}

TEST(Globals, Imports) {
  EXPECT_EQ(global("import a", "a"), "module a");
  EXPECT_EQ(global("import a.b", "a"), "module a");
  EXPECT_EQ(global("import a.b as c", "c"), "module a.b");
  EXPECT_EQ(global("import triton.language as tl", "tl"), "module triton.language");
  EXPECT_EQ(global("from triton import language as tl", "tl"), "name triton language");
  EXPECT_EQ(global("from triton.language.extra import libdevice", "libdevice"),
            "name triton.language.extra libdevice");
  EXPECT_EQ(global("from .a import b", "b"), "name a b");
  EXPECT_EQ(load("from triton.language import *")->module->starImportPaths,
            std::vector<std::string>{"triton.language"});
}

TEST(Globals, FunctionsAndClasses) {
  EXPECT_EQ(global("import triton\n@triton.jit\ndef k(): pass", "k"), "jit k");
  EXPECT_EQ(global("async def f(): pass", "f"), "host function");
  EXPECT_EQ(global("class R(NamedTuple):\n  a: int\n  b: int\n\nx = 1", "R"), "class R");
  EXPECT_EQ(global("class R:\n  junk junk\n", "R"), "class");
  EXPECT_EQ(global("if a:\n  import triton\n  @triton.jit\n  def k(): pass\nelse:\n"
                   "  @triton.jit\n  def k(): return 1\n",
                   "k"),
            "jit k");
}

TEST(Globals, NamesAreSorted) {
  auto loaded = load("b = 1\na = 2\nimport c\ndef d(): pass\n");
  ASSERT_TRUE(loaded->module);
  std::vector<llvm::StringRef> expected = {"a", "b", "c", "d"};
  EXPECT_EQ(loaded->module->globalNames(), expected);
}

TEST(Globals, RangesNameTheBinding) {
  auto loaded = load("x = 1\nimport a as bc\n");
  ASSERT_TRUE(loaded->module);
  const Global *g = loaded->module->lookup("bc");
  EXPECT_EQ(g->range.begin.offset, 13u);
}

} // namespace
