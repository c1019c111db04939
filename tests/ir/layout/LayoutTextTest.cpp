// Printing and parsing: round trips, exact text, and every error the parser can give.
#include "tests/ir/layout/LayoutTesting.h"

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

TEST(LayoutTextTest, ExactForm) {
  LinearLayout layout = llvm::cantFail(
      LinearLayout::create({{"register", {{0, 1}, {8, 0}}}, {"lane", {}}, {"warp", {{0, 0}}}},
                           {Dim("dim0", 4), Dim("dim1", 1)}));
  EXPECT_EQ(layout.toString(), "{register = [(0, 1), (8, 0)], lane = [], warp = [(0, 0)]} -> "
                               "(dim0: 16, dim1: 2)");
  EXPECT_EQ(LinearLayout().toString(), "{} -> ()");
  EXPECT_EQ(LinearLayout({Dim("a", 1)}, {}, {0}).toString(), "{a = [()]} -> ()");
}

TEST(LayoutTextTest, RoundTripOfAllSmallLayouts) {
  forEachMatrix(3, 3, [](const BitVectors &bases) {
    LinearLayout layout({Dim("a", 1), Dim("b_2", 2)}, {Dim("x", 2), Dim("_y", 1)}, bases);
    ASSERT_EQ(parse(layout.toString()), layout);
  });
}

TEST(LayoutTextTest, RoundTripOfLargeLayouts) {
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    LinearLayout layout = random.layout({Dim("a", 63), Dim("b", 1)}, {Dim("x", 1), Dim("y", 63)});
    ASSERT_EQ(parse(layout.toString()), layout);
  }
}

TEST(LayoutTextTest, WhiteSpaceIsFree) {
  EXPECT_EQ(parse(" {\ta=[ (1),(2)\n] }->( x :4 ) "), LinearLayout::identity1D(2, "a", "x"));
  EXPECT_EQ(parse("{a=[(1),(2)]}->(x:4)"), LinearLayout::identity1D(2, "a", "x"));
  // Numbers are decimal, also with leading zeros.
  EXPECT_EQ(parse("{a = [(010)]} -> (x: 016)"), parse("{a = [(10)]} -> (x: 16)"));
}

TEST(LayoutTextTest, Errors) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "column 1: expected '{', found the end of the text"},
      {"x", "column 1: expected '{', found 'x'"},
      {"{", "column 2: expected a dimension's name, found the end of the text"},
      {"{1a", "column 2: expected a dimension's name, found '1'"},
      {"{a", "column 3: expected '=', found the end of the text"},
      {"{a = (1)", "column 6: expected '[', found '('"},
      {"{a = [1", "column 7: expected '(', found '1'"},
      {"{a = [(x", "column 8: expected a number, found 'x'"},
      {"{a = [(-1", "column 8: expected a number, found '-'"},
      {"{a = [(99999999999999999999)]} -> (x: 2)", "column 8: the number does not fit 64 bits"},
      {"{a = [(1)]} (x: 2)", "column 13: expected '->', found '('"},
      {"{a = [(1)]} -> (x: 3)", "column 20: the size of 'x' is not a power of two"},
      {"{a = [(1)]} -> (x: 0)", "column 20: the size of 'x' is not a power of two"},
      {"{a = [(1)]} -> (x: 2) y", "column 23: unexpected text after the layout, found 'y'"},
      {"{a = [(1)]} -> (x: 2", "column 21: expected ')', found the end of the text"},
      {"{a = [(1)], } -> (x: 2)", "column 13: expected a dimension's name, found '}'"},
      {"{a = [(2)]} -> (x: 2)",
       "coordinate 2 of a basis vector of 'a' is outside output dimension 'x' of size 2"},
      {"{a = [(1)], a = [(1)]} -> (x: 2)", "input dimension 'a' is listed twice"},
      {"\xff", "column 1: expected '{', found '\\FF'"},
  };
  for (auto [text, expected] : cases)
    EXPECT_EQ(messageOf(LinearLayout::parse(text)), expected) << text;
}

TEST(LayoutTextTest, LimitsAreErrors) {
  auto repeat = [](llvm::StringRef item, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", " : "") + item.str();
    return text;
  };
  auto message = [](const std::string &text) { return messageOf(LinearLayout::parse(text)); };
  EXPECT_NE(message("{a = [" + repeat("(0)", 100) + "]} -> (x: 2)")
                .find("more than 63 basis vectors in one dimension"),
            std::string::npos);
  EXPECT_NE(message("{a = [(" + repeat("0", 1000) + ")]} -> (x: 2)")
                .find("too many coordinates in a basis vector"),
            std::string::npos);
  EXPECT_NE(message("{" + repeat("a = []", 100) + "} -> ()").find("more than 64 input dimensions"),
            std::string::npos);
  EXPECT_NE(message("{} -> (" + repeat("x: 1", 100) + ")").find("more than 64 output dimensions"),
            std::string::npos);
}

TEST(LayoutTextTest, EveryPrefixAndEveryChangedByteIsSafe) {
  std::string text = "{register = [(0, 1), (8, 0)], lane = [(0, 2)]} -> (dim0: 16, dim1: 8)";
  unsigned errors = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(messageOf(LinearLayout::parse(llvm::StringRef(text).take_front(i))), "") << i;
    for (char c : {'\0', '(', ']', '9', 'z', '\xff', ' '}) {
      std::string changed = text;
      changed[i] = c;
      llvm::Expected<LinearLayout> result = LinearLayout::parse(changed);
      if (!result) {
        ++errors;
        llvm::consumeError(result.takeError());
        continue;
      }
      EXPECT_EQ(parse(result->toString()), *result);
    }
  }
  EXPECT_GT(errors, 200u);
}

} // namespace
