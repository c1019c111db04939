// Heat maps: the steps of the scale, and what each form shows of a cell.
#include "tools/tilerun/picture/HeatMap.h"

#include <gtest/gtest.h>

using namespace tilerun::picture;

namespace {

HeatMap makeMap() {
  HeatMap map{"a & b",     "the fastest of C", "ms",       "BLOCK",
              "num_warps", {"16", "256"},      {"1", "8"}, {}};
  map.cells = {{1.0, "<first>"}, {2.0, ""}, {8.0, ""}, {std::nullopt, "too \"large\""}};
  return map;
}

template <typename Write> std::string write(const Write &form) {
  std::string text;
  llvm::raw_string_ostream os(text);
  form(os);
  return text;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(HeatMap, StepsAreRatios) {
  const HeatMap map = makeMap();
  EXPECT_EQ(getHeat(map, 1), 0u);
  EXPECT_EQ(getHeat(map, 8), kHeatSteps - 1);
  EXPECT_EQ(getHeat(map, 2.8284), kHeatSteps / 2); // The geometric middle.
  EXPECT_EQ(getHeat(map, 2), 2u);                  // A third of the way.
}

TEST(HeatMap, OneValueHasNoScale) {
  HeatMap map = makeMap();
  for (HeatMap::Cell &cell : map.cells)
    cell.value = 3;
  EXPECT_EQ(getHeat(map, 3), 0u);
  EXPECT_EQ(map.findBest(), 0u); // The first of equal ones.
  const std::string svg = write([&](llvm::raw_ostream &os) { writeSvg(os, map); });
  EXPECT_EQ(svg.find("ms from"), std::string::npos);
  for (HeatMap::Cell &cell : map.cells)
    cell.value.reset();
  EXPECT_EQ(map.findBest(), std::nullopt);
  EXPECT_EQ(write([&](llvm::raw_ostream &os) { writeSvg(os, map); }).find("* "), std::string::npos);
}

TEST(HeatMap, Text) {
  const HeatMap map = makeMap();
  EXPECT_EQ(write([&](llvm::raw_ostream &os) { print(os, map, /*color=*/false); }),
            "ms by BLOCK (across) and num_warps (down); the fastest of C\n"
            "  num_warps      16     256\n"
            "  1          *1.000   2.000\n"
            "  8           8.000       x\n");
  HeatMap large = map;
  large.cells[0].value = 1234;
  EXPECT_NE(write([&](llvm::raw_ostream &os) { print(os, large, /*color=*/false); }).find(" 1234 "),
            std::string::npos);
}

TEST(HeatMap, PicturesEscapeAndMarkTheBest) {
  const HeatMap map = makeMap();
  const std::string svg = write([&](llvm::raw_ostream &os) { writeSvg(os, map); });
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_NE(svg.find("&lt;first&gt;"), std::string::npos);
  EXPECT_NE(svg.find("too &quot;large&quot;"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"b\""), 1u);
  EXPECT_EQ(count(svg, "class=\"x\""), 1u);
  EXPECT_EQ(count(svg, "class=\"c none\""), 1u);
  const std::string html = write([&](llvm::raw_ostream &os) { writeHtml(os, map); });
  EXPECT_NE(html.find("<h1>a &amp; b</h1>"), std::string::npos);
  EXPECT_EQ(count(html, "http"), 1u); // The name space alone.
}

} // namespace
