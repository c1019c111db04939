// See ChartPicture.h. Each line has a marker of its own and its name at its end, so that no colour
// is needed to tell lines apart.
#include "tools/tilerun/picture/ChartPicture.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::picture;

// Sizes in pixels.
static constexpr double kLeft = 76, kTop = 72, kWidth = 560, kHeight = 300, kNames = 240,
                        kBottom = 64, kMarker = 4, kNameStep = 16;

// Contrast of 4.5:1 or more with the background, in both.
static constexpr const char *kStyle = R"(svg{background:#fff;font:12px system-ui,sans-serif}
svg text{fill:#111}svg .h{font-weight:bold;font-size:14px}svg .n{fill:#444}
svg .g{stroke:#ccc;stroke-width:1}svg .a{stroke:#444;stroke-width:1}
svg .l{fill:none;stroke-width:2}svg .m{stroke-width:1.5}svg .k{stroke:#888;stroke-width:1;fill:none}
.s0{stroke:#0b57a4}.s1{stroke:#a34700}.s2{stroke:#1b6e32}.s3{stroke:#8a1c78}
.s4{stroke:#6b5d00}.s5{stroke:#006a6a}.s6{stroke:#5a3fb0}.s7{stroke:#555}
svg .m{fill:#fff}
@media(prefers-color-scheme:dark){
svg{background:#16181c}svg text{fill:#f2f2f2}svg .n{fill:#bbb}svg .g{stroke:#3a3d44}svg .a{stroke:#bbb}
svg .m{fill:#16181c}
.s0{stroke:#7db8ff}.s1{stroke:#ffab66}.s2{stroke:#7fd996}.s3{stroke:#f59ae4}
.s4{stroke:#e0d060}.s5{stroke:#66d6d6}.s6{stroke:#b9a5ff}.s7{stroke:#bbb}}
)";

std::vector<double> picture::chooseTicks(double most) {
  if (!(most > 0) || !std::isfinite(most))
    return {0, 1};
  constexpr int kMost = 6;
  const double size = std::pow(10, std::floor(std::log10(most / kMost)));
  double step = size;
  for (double factor : {1, 2, 5, 10, 20})
    if (step = factor * size; step * kMost >= most)
      break;
  std::vector<double> ticks = {0};
  while (ticks.back() < most)
    ticks.push_back(step * double(ticks.size()));
  return ticks;
}

static std::string formatTick(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

/// A square, a diamond or a triangle around a point.
static std::string drawMarker(size_t shape, double x, double y) {
  const double r = kMarker;
  switch (shape % 4) {
  case 0:
    return llvm::formatv("M{0} {1}h{2}v{2}h{3}z", x - r, y - r, 2 * r, -2 * r).str();
  case 1:
    return llvm::formatv("M{0} {1}l{2} {2}l{3} {2}l{3} {3}z", x, y - r - 1, r + 1, -r - 1).str();
  case 2:
    return llvm::formatv("M{0} {1}l{2} {3}h{4}z", x, y - r - 1, r + 1, 2 * r + 1, -2 * r - 2).str();
  default:
    return llvm::formatv("M{0} {1}l{2} {3}h{4}z", x, y + r + 1, r + 1, -2 * r - 1, -2 * r - 2)
        .str();
  }
}

namespace {
class Plot {
public:
  Plot(llvm::raw_ostream &os, const Chart &chart) : os(os), chart(chart) {
    double most = 0;
    for (const Chart::Line &line : chart.lines)
      for (const std::optional<double> &y : line.ys)
        most = std::max(most, y.value_or(0));
    ticks = chooseTicks(most);
  }
  void drawAxes();
  void drawLines();
  double getHeight() const {
    return std::max(kTop + kHeight + kBottom, kTop + kNameStep * double(chart.lines.size() + 1));
  }

private:
  double getX(size_t index) const {
    const size_t steps = chart.xs.size() > 1 ? chart.xs.size() - 1 : 1;
    return kLeft + kWidth * double(index) / double(steps);
  }
  double getY(double value) const { return kTop + kHeight * (1 - value / ticks.back()); }
  void drawText(double x, double y, llvm::StringRef text, llvm::StringRef style,
                llvm::StringRef anchor = "start") {
    os << llvm::formatv("<text class=\"{0}\" x=\"{1:F1}\" y=\"{2:F1}\" text-anchor=\"{3}\">{4}"
                        "</text>\n",
                        style, x, y, anchor, escape(text));
  }

  llvm::raw_ostream &os;
  const Chart &chart;
  std::vector<double> ticks;
};
} // namespace

void Plot::drawAxes() {
  drawText(12, 22, chart.title, "h");
  if (!chart.note.empty())
    drawText(12, 40, chart.note, "n");
  drawText(12, kTop - 8, chart.unit, "n");
  for (double tick : ticks) {
    os << llvm::formatv("<path class=\"{0}\" d=\"M{1} {2:F1}h{3}\"/>\n", tick == 0 ? "a" : "g",
                        kLeft, getY(tick), kWidth);
    drawText(kLeft - 8, getY(tick) + 4, formatTick(tick), "n", "end");
  }
  // As many as there is room for.
  size_t widest = 1;
  for (const std::string &x : chart.xs)
    widest = std::max(widest, x.size());
  const size_t room = std::max<size_t>(1, size_t(kWidth) / (7 * widest + 12));
  const size_t every = (chart.xs.size() + room - 1) / room;
  for (size_t i = 0; i < chart.xs.size(); ++i) {
    os << llvm::formatv("<path class=\"a\" d=\"M{0:F1} {1}v4\"/>\n", getX(i), kTop + kHeight);
    if (every && i % every == 0)
      drawText(getX(i), kTop + kHeight + 18, chart.xs[i], "n", "middle");
  }
  drawText(kLeft + kWidth / 2, kTop + kHeight + 40, chart.xName, "n", "middle");
}

void Plot::drawLines() {
  // Names stand at the ends of their lines, apart from each other.
  std::vector<std::pair<double, size_t>> ends;
  for (auto [i, line] : llvm::enumerate(chart.lines)) {
    std::string path;
    bool isOpen = false;
    for (size_t x = 0; x < line.ys.size(); ++x) {
      if (line.ys[x])
        path += llvm::formatv("{0}{1:F1} {2:F1}", isOpen ? "L" : "M", getX(x), getY(*line.ys[x]));
      isOpen = line.ys[x].has_value();
    }
    os << llvm::formatv("<g><title>{0}</title>\n<path class=\"l s{1}\" d=\"{2}\"/>\n",
                        escape(line.name), i % 8, path);
    double end = kTop + kHeight;
    for (size_t x = 0; x < line.ys.size(); ++x) {
      if (!line.ys[x])
        continue;
      end = getY(*line.ys[x]);
      os << llvm::formatv(
          "<path class=\"m s{0}\" d=\"{1}\"><title>{2}, {3} = {4}: {5} {6}</title></path>\n", i % 8,
          drawMarker(i, getX(x), end), escape(line.name), escape(chart.xName), escape(chart.xs[x]),
          formatTick(*line.ys[x]), escape(chart.unit));
    }
    os << "</g>\n";
    ends.emplace_back(end, i);
  }
  llvm::sort(ends);
  double lowest = kTop - kNameStep;
  for (auto &[y, i] : ends) {
    const double at = std::max(y, lowest + kNameStep);
    lowest = at;
    const double x = kLeft + kWidth + 20;
    os << llvm::formatv("<path class=\"k\" d=\"M{0} {1:F1}L{2} {3:F1}\"/>"
                        "<path class=\"m s{4}\" d=\"{5}\"/>\n",
                        kLeft + kWidth + 6, y, x - 8, at, i % 8, drawMarker(i, x, at));
    drawText(x + 10, at + 4, chart.lines[i].name, "");
  }
}

void picture::writeSvg(llvm::raw_ostream &os, const Chart &chart) {
  std::string body;
  llvm::raw_string_ostream out(body);
  Plot plot(out, chart);
  plot.drawAxes();
  plot.drawLines();
  size_t widest = 0;
  for (const Chart::Line &line : chart.lines)
    widest = std::max(widest, line.name.size());
  const double width = kLeft + kWidth + std::max(kNames, 40 + 7.0 * double(widest));
  writeImage(os, unsigned(std::lround(width)), unsigned(std::lround(plot.getHeight())), chart.title,
             kStyle, body);
}

void picture::writeHtml(llvm::raw_ostream &os, const Chart &chart) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << "<p>Pointing at a marker shows its numbers.</p>\n<div class=\"scroll\">\n";
  writeSvg(out, chart);
  out << "</div>\n";
  writePage(os, chart.title, body);
}
