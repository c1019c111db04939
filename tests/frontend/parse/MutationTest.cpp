// Broken versions of real text: each gives a tree or an error, and always ends. What fuzzing found
// becomes a case here.
#include "FrontendTest.h"

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
  const std::string pieces[] = {
      "(",  ")",    "[", "]", "{",      "}",  "'",       "\"",           "\\",
      "\n", "\t",   ":", ",", "=",      "f'", "if",      "def",          "@",
      "\r", "\xFF", " ", "*", "\"\"\"", "\0", "lambda ", "\xE2\x80\x9C", "0",
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
