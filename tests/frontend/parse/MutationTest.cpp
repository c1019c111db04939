// Broken versions of real text: each gives a tree or an error, and always ends. Findings of fuzzing
// become cases here.
#include "FrontendTest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

using namespace tilerun;
using namespace tilerun::test;

namespace {

const char *const kSample = R"py(import triton
import triton.language as tl
BLOCK: tl.constexpr = 128

@triton.autotune(configs=[triton.Config({'B': 64}, num_warps=4)], key=['n'])
@triton.jit(do_not_specialize=["n"])
def kernel(x_ptr, y_ptr, n, stride: int = 1, *, B: tl.constexpr):
    """Adds."""
    pid = tl.program_id(0)
    offs = pid * B + tl.arange(0, B)[:, None]
    mask = (offs < n) & ~(offs >= 0x1F)
    if pid == 0 and not mask or n is not None:
        x = tl.load(x_ptr + offs * stride, mask=mask, other=0.)
    elif n % 2:
        for i in tl.range(0, n, num_stages=3):
            x += f"{i!r:>{n}} {x=}" 'b' r'\x00' + (lambda a, *b: a)(1, *c, **d)
    else:
        while n > 0:
            n //= 2; continue
    y = [a ** -b for a, b in c if a] if x else {1: 2, **d}
    tl.store(y_ptr + offs, x, mask=mask)
    return x, y
)py";

void check(const std::string &text) {
  auto parsed = parse(text);
  EXPECT_LE(parsed->diagnostics.getNumErrors(), kMaxParseErrors);
  if (parsed->module)
    EXPECT_EQ(parsed->dump().empty(), parsed->module->body.empty());
  std::string out;
  llvm::raw_string_ostream os(out);
  parsed->diagnostics.print(os, true);
  load(text);
}

TEST(Mutation, SampleIsFine) {
  EXPECT_EQ(errors(kSample), "");
  EXPECT_EQ(load(kSample)->errors(), "");
}

TEST(Mutation, EveryPrefix) {
  std::string text = kSample;
  for (size_t i = 0; i < text.size(); ++i)
    check(text.substr(0, i));
}

/// All of the grammar, each statement for itself.
const char *const kConstructs[] = {
    "f(a, *b, c=1, **d)\n",
    "f(x for x in y if z)\n",
    "f(a)(b)[c].d\n",
    "f((yield), (yield from x), await y)\n",
    "x[1:2:3, ..., None, *y]\n",
    "x[a:=1]\n",
    "(a, *b, (c := 1))\n",
    "[a, *b] = c\n",
    "{**a, 'b': c, d: e}\n",
    "{a, *b}\n",
    "[x async for x in y]\n",
    "{k: v for k, v in z}\n",
    "{x for x in y for z in w if v}\n",
    "lambda a, /, b=1, *c, d, **e: (a, b)\n",
    "a if b else c or d and not e\n",
    "-a ** ~b @ c // d % e << f >> g & h ^ i | j\n",
    "a < b <= c == d != e is not f not in g\n",
    "f'{a!r:>{b}.{c}}{d=}' rf'\\n{e}' \"\"\"t\"\"\" + b'\\x00'\n",
    "0x1F + 0b1 + 0o7 + 1_000 + 1.5e-3j\n",
    "a: int = 1\nb.c: list[int]\n(d): str\n",
    "a = b = c, d = e\n",
    "a += 1; b @= 2; c //= 3; d **= 4; e >>= 5\n",
    "del a, b[1], c.d\n",
    "assert a, 'b'\n",
    "raise A(b) from c\n",
    "import a.b.c as d, e\nfrom ..f import (g as h, i,)\nfrom . import *\n",
    "global a, b\nnonlocal c\n",
    "if a:\n    b\nelif c:\n    d\nelse:\n    e\n",
    "for a, *b in c, d:\n    break\nelse:\n    continue\n",
    "while a:\n    pass\nelse:\n    ...\n",
    "with (a as b, c() as d.e,):\n    f\n",
    "with a, b as (c, d): e\n",
    "try:\n    a\nexcept* (B, C) as d:\n    e\nelse:\n    f\nfinally:\n    g\n",
    "@a.b(c)\n@d\nasync def f[T](a, /, b: int = 1, *, c=2, **d) -> e:\n    return a, b\n",
    "class A[T](B, metaclass=C, *d, **e):\n    f: int = 1\n    def g(self): return 1\n",
    "match a, b:\n  case {'c': [d, *_], **e} if f:\n    g\n  case A(b=1) | -1 | 'x':\n    h\n",
    "type X[T: int, *U, **V] = list[T]\n",
    "async def f():\n    async with a as b:\n        async for c in d:\n            await e\n",
};

TEST(Mutation, EveryPrefixOfEveryConstruct) {
  for (std::string text : kConstructs) {
    EXPECT_EQ(errors("async def around():\n    pass\n" + text), "") << text;
    // Also in a function that is a kernel, and where errors are not reported.
    for (size_t i = 0; i <= text.size(); ++i)
      for (const char *end : {"", "\n", ")", "\n)", ",", "\\"}) {
        std::string prefix = text.substr(0, i) + end;
        check(prefix);
        std::string body = "@triton.jit\ndef kernel(p):\n    " + prefix;
        for (size_t at = body.find('\n', 30); at != std::string::npos; at = body.find('\n', at + 1))
          body.insert(at + 1, "    ");
        check(body);
        check("def make(n):\n    @triton.jit\n    def kernel(p):\n        pass\n" +
              body.substr(29));
        (void)expr(prefix);
      }
  }
}

TEST(Mutation, EveryPrefixOfTheSeeds) {
  std::error_code error;
  unsigned files = 0;
  for (llvm::sys::fs::directory_iterator it(TILERUN_PARSER_SEEDS, error), end; it != end && !error;
       it.increment(error), ++files) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(bool(buffer)) << it->path();
    std::string text = (*buffer)->getBuffer().str();
    if (text.size() > 4096)
      continue; // Deep nesting, which has its own tests.
    for (size_t i = 0; i <= text.size(); ++i)
      check(text.substr(0, i));
  }
  EXPECT_GT(files, 30u);
}

TEST(Mutation, EveryByteRemoved) {
  std::string text = kSample;
  for (size_t i = 0; i < text.size(); ++i)
    check(text.substr(0, i) + text.substr(i + 1));
}

TEST(Mutation, EveryLineRemovedOrDoubled) {
  std::string text = kSample;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin) + 1;
    check(text.substr(0, begin) + text.substr(end));
    check(text.substr(0, end) + text.substr(begin));
    begin = end;
  }
}

TEST(Mutation, RandomEdits) {
  std::mt19937 random(7);
  using namespace std::literals;
  const std::string pieces[] = {
      "(",  ")",    "[", "]", "{",      "}",   "'",       "\"",           "\\",
      "\n", "\t",   ":", ",", "=",      "f'",  "if",      "def",          "@",
      "\r", "\xFF", " ", "*", "\"\"\"", "\0"s, "lambda ", "\xE2\x80\x9C", "0",
      ".",  "#",    "!"};
  for (int round = 0; round < 2000; ++round) {
    std::string text = kSample;
    unsigned edits = 1 + random() % 8;
    for (unsigned i = 0; i < edits; ++i) {
      size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, random() % 20);
      else
        text.insert(at, pieces[random() % std::size(pieces)]);
    }
    check(text);
  }
}

TEST(Mutation, RandomBytes) {
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (size_t i = random() % 300; i > 0; --i)
      text.push_back(static_cast<char>(random()));
    check(text);
  }
}

TEST(Mutation, OddTexts) {
  for (const char *text : {"\\",
                           "@",
                           "(",
                           "f'",
                           "f'{",
                           "f'{:",
                           "f'{x:{",
                           "'''",
                           "\xEF\xBB\xBF",
                           "\xEF\xBB",
                           "if",
                           "def",
                           "@\n@",
                           "a:",
                           "a:=",
                           "lambda",
                           "for",
                           "with (",
                           "match x:\n case",
                           "type X",
                           "async",
                           "import .",
                           "from",
                           "from .",
                           ";",
                           "x;;y",
                           "\t",
                           "\f\f",
                           "if x:\n\n\n",
                           "not",
                           "*",
                           "**",
                           "x[",
                           "0x",
                           "1e"})
    check(text);
  check(std::string("\0\0\0", 3));
}

} // namespace
