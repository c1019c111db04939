// The axis of a chart.
#include "tools/tilerun/picture/ChartPicture.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilerun::picture;

namespace {

TEST(Chart, TicksAreRoundAndFew) {
  EXPECT_EQ(chooseTicks(1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_EQ(chooseTicks(700), (std::vector<double>{0, 200, 400, 600, 800}));
  for (double most : {1e-9, 3e-4, 0.017, 0.99, 1.0, 9.99, 3352.0, 1e12}) {
    const std::vector<double> ticks = chooseTicks(most);
    EXPECT_GE(ticks.back(), most);
    EXPECT_LT(ticks[ticks.size() - 2], most);
    EXPECT_GE(ticks.size(), 3u) << most;
    EXPECT_LE(ticks.size(), 8u) << most;
    const double step = ticks[1] / std::pow(10, std::floor(std::log10(ticks[1]) + 1e-9));
    EXPECT_TRUE(std::abs(step - 1) < 1e-9 || std::abs(step - 2) < 1e-9 || std::abs(step - 5) < 1e-9)
        << step;
  }
}

TEST(Chart, NothingHasAnAxisToo) {
  EXPECT_EQ(chooseTicks(0), (std::vector<double>{0, 1}));
  EXPECT_EQ(chooseTicks(std::nan("")), (std::vector<double>{0, 1}));
  EXPECT_EQ(chooseTicks(HUGE_VAL), (std::vector<double>{0, 1}));
}

TEST(Chart, GapsDivideLines) {
  Chart chart{"a & b", "n", "GB/s", "", {"1", "2", "3", "4"}, {}};
  chart.lines.push_back({"<line>", {1.0, std::nullopt, 3.0, 4.0}});
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSvg(os, chart);
  const size_t path = text.find("class=\"l s0\" d=\"");
  ASSERT_NE(path, std::string::npos);
  const std::string d = text.substr(path, text.find('/', path) - path);
  EXPECT_EQ(std::count(d.begin(), d.end(), 'M'), 2) << d;
  EXPECT_EQ(std::count(d.begin(), d.end(), 'L'), 1) << d;
  EXPECT_NE(text.find("a &amp; b"), std::string::npos);
  EXPECT_NE(text.find("&lt;line&gt;"), std::string::npos);
}

} // namespace
