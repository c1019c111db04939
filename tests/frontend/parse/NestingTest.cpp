// Nesting of every kind, ten thousand deep: an error or a tree within its bound, never a crash.
#include "FrontendTest.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

constexpr int kDeep = 10000;

std::string repeat(const std::string &text, int times) {
  std::string out;
  out.reserve(text.size() * times);
  for (int i = 0; i < times; ++i)
    out += text;
  return out;
}

struct Case {
  const char *name;
  const char *before;
  const char *middle;
  const char *after;
};

class Nesting : public ::testing::TestWithParam<Case> {};

TEST_P(Nesting, TooDeepIsOneClearError) {
  const Case &c = GetParam();
  std::string found =
      errors("x = " + repeat(c.before, kDeep) + c.middle + repeat(c.after, kDeep) + "\ny = 1\n");
  EXPECT_TRUE(llvm::StringRef(found).contains("nested more than")) << found.substr(0, 300);
  EXPECT_EQ(llvm::StringRef(found).count('\n'), 1u) << found.substr(0, 1000);
}

TEST_P(Nesting, OpenEnded) {
  const Case &c = GetParam();
  EXPECT_NE(errors("x = " + repeat(c.before, kDeep)), "");
}

TEST_P(Nesting, ThirtyLevelsAreFine) {
  const Case &c = GetParam();
  EXPECT_EQ(errors("x = " + repeat(c.before, 30) + c.middle + repeat(c.after, 30)), "");
}

INSTANTIATE_TEST_SUITE_P(
    , Nesting,
    ::testing::Values(
        Case{"Parentheses", "(", "1", ")"}, Case{"Lists", "[", "1", "]"},
        Case{"Dicts", "{1: ", "1", "}"}, Case{"Sets", "{", "1", "}"},
        Case{"Tuples", "(", "1", ",)"}, Case{"Minus", "-", "1", ""}, Case{"Not", "not ", "1", ""},
        Case{"Calls", "f(", "1", ")"}, Case{"KeywordArguments", "f(k=", "1", ")"},
        Case{"Subscripts", "a[", "1", "]"}, Case{"Slices", "a[1:", "1", "]"},
        Case{"Lambdas", "lambda: ", "1", ""}, Case{"LambdaDefaults", "(lambda p=", "1", ": 1)"},
        Case{"Ternaries", "1 if a else ", "1", ""}, Case{"Powers", "a ** ", "1", ""},
        Case{"RightOperands", "a + (", "1", ")"}, Case{"Comprehensions", "[i for i in ", "1", "]"},
        Case{"Walrus", "(w := ", "1", ")"}, Case{"FStrings", "f'{", "1", "}'"},
        Case{"Yields", "(yield ", "1", ")"}),
    [](const auto &info) { return info.param.name; });

TEST(NestingChains, LongChainsAreBounded) {
  for (const char *link : {".b", "()", "[0]", " + a", " - a * a", " @ a"}) {
    std::string found = errors("x = a" + repeat(link, kDeep) + "\ny = 1\n");
    EXPECT_TRUE(llvm::StringRef(found).contains("nested more than 400 levels")) << link;
    EXPECT_EQ(errors("x = a" + repeat(link, 300)), "") << link;
  }
}

TEST(NestingChains, FlatListsMayBeLong) {
  for (const char *item : {"a, ", "a and ", "a < ", "'s' ", "a if b else c, "})
    EXPECT_EQ(errors("x = (" + repeat(item, kDeep) + "'a')"), "") << item;
  EXPECT_EQ(errors("f(" + repeat("a, ", kDeep) + ")"), "");
  EXPECT_EQ(errors(repeat("a = ", kDeep) + "1"), "");
  EXPECT_EQ(errors(repeat("a; ", kDeep)), "");
  EXPECT_EQ(errors("import a" + repeat(".b", kDeep)), "");
}

TEST(NestingChains, FormatSpecifications) {
  EXPECT_NE(errors("x = f'" + repeat("{x:", kDeep) + repeat("}", kDeep) + "'"), "");
  EXPECT_EQ(errors("x = f'" + repeat("{x:", 30) + repeat("}", 30) + "'"), "");
}

TEST(NestingBlocks, DeepBlocks) {
  for (const char *header :
       {"if a:", "for a in b:", "while a:", "with a:", "def f():", "class A:"}) {
    std::string text;
    for (int i = 0; i < 2000; ++i)
      text += std::string(i, ' ') + header + "\n";
    text += std::string(2000, ' ') + "pass\ny = 1\n";
    std::string found = errors(text);
    EXPECT_TRUE(llvm::StringRef(found).contains("nested more than")) << found.substr(0, 300);
    EXPECT_EQ(llvm::StringRef(found).count('\n'), 1u) << found.substr(0, 1000);
  }
}

TEST(NestingBlocks, LongElifChains) {
  EXPECT_EQ(errors("if a: pass\n" + repeat("elif b: pass\n", 300)), "");
  std::string found = errors("if a: pass\n" + repeat("elif b: pass\n", kDeep) + "y = 1\n");
  EXPECT_EQ(found, "401:1: this 'if' has more than 400 branches; split it\n");
}

TEST(NestingBlocks, TreesStayWithinTheirBound) {
  // Depth from several sources adds up.
  std::string text = "x = " + repeat("(a + ", 150) + "f" + repeat("(1)", 200) + repeat(")", 150);
  auto parsed = parse(text);
  ASSERT_TRUE(parsed->module);
  EXPECT_LE(parsed->module->body[0]->height, ast::kMaxDepth);
  EXPECT_GT(parsed->module->body[0]->height, 340u);
  EXPECT_NE(errors("x = " + repeat("(a + ", 250) + "f" + repeat("(1)", 200) + repeat(")", 250)),
            "");
}

TEST(NestingBlocks, DecoratorsAndWithItems) {
  EXPECT_EQ(errors(repeat("@a\n", kDeep) + "def f(): pass"), "");
  EXPECT_NE(errors("with " + repeat("(", kDeep) + "a" + repeat(")", kDeep) + ": pass"), "");
  EXPECT_EQ(errors("with " + repeat("a, ", kDeep) + "b: pass"), "");
}

} // namespace
