// See OccupancyPicture.h. Bars have their numbers, and the limit is named, so that no colour is
// needed.
#include "tools/tilerun/picture/OccupancyPicture.h"

#include "tools/tilerun/picture/Page.h"
#include "tools/tilerun/picture/Sheet.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

// In pixels.
static constexpr unsigned kLeft = 310, kBar = 260, kRow = 22;

static constexpr const char *kStyle = R"(svg .q rect{stroke:#666;stroke-width:.8;fill:#dbe9ff}
svg .q.limit rect{stroke-width:2.5;fill:#ffd9d9}svg .m{stroke:#111;stroke-dasharray:4 3;fill:none}
@media(prefers-color-scheme:dark){svg .q rect{stroke:#aaa;fill:#1d3557}
svg .q.limit rect{fill:#6a2020}svg .m{stroke:#f2f2f2}}
)";

static void drawBound(Sheet &sheet, const Occupancy &occupancy, const Occupancy::Bound &bound) {
  llvm::raw_ostream &os = sheet.getStream();
  const unsigned y = sheet.getTop();
  const bool isLimit = bound.name == occupancy.limiter;
  const uint64_t most = std::max<uint64_t>(1, occupancy.most);
  const auto width = unsigned(kBar * std::min(bound.allows, most) / most);
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}: {3}</text>\n", kLeft - 8,
                      y + 14, escape(bound.name), escape(bound.needs));
  os << llvm::formatv(
      "<g class=\"q{0}\" transform=\"translate({1},{2})\"><title>{3}</title><rect "
      "width=\"{4}\" height=\"{5}\"/><text x=\"{6}\" y=\"13\">{7}{8}</text></g>\n",
      isLimit ? " limit" : "", kLeft, y,
      escape(bound.name + " would allow " + std::to_string(bound.allows) + " " + occupancy.unit),
      std::max(width, 2u), kRow - 5, std::max(width, 2u) + 8, bound.allows,
      isLimit ? ", the limit" : "");
  sheet.add({kLeft + kBar + 120, kRow});
}

void picture::writeSvg(llvm::raw_ostream &os, const Occupancy &occupancy) {
  Sheet sheet;
  sheet.writeText("occupancy, and what limits it", "h");
  sheet.writeText(llvm::formatv("{0}{1} of {2} {3}, limited by {4}. Bars: what each would allow by "
                                "itself; dashed: the most that the device has",
                                occupancy.missing.empty() ? "" : "at most ", occupancy.have,
                                occupancy.most, occupancy.unit, occupancy.limiter)
                      .str(),
                  "n");
  if (!occupancy.missing.empty())
    sheet.writeText(occupancy.missing, "");
  sheet.skip();
  const unsigned top = sheet.getTop();
  for (const Occupancy::Bound &bound : occupancy.bounds)
    drawBound(sheet, occupancy, bound);
  sheet.getStream() << llvm::formatv("<path class=\"m\" d=\"M{0} {1}V{2}\"/>\n", kLeft + kBar,
                                     top - 4, sheet.getTop());
  sheet.skip();
  sheet.write(os, "occupancy", kStyle);
}
