// See TimelinePicture.h. Boxes have letters, so that no colour is needed.
#include "tools/tilerun/picture/TimelinePicture.h"

#include "tools/tilerun/picture/Page.h"
#include "tools/tilerun/picture/Sheet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

// In pixels.
static constexpr unsigned kStep = 20, kRow = 20, kLeft = 150, kPast = 100;

static constexpr const char *kStyle = R"(svg .q rect{stroke:#666;stroke-width:.8}
svg .q text{text-anchor:middle}svg .w rect{fill:none;stroke-dasharray:3 2}
svg .g{stroke:#ccc;stroke-width:.5;fill:none}
@media(prefers-color-scheme:dark){svg .q rect{stroke:#aaa}svg .g{stroke:#3a3d44}}
)";

static llvm::Error fail(llvm::StringRef what) {
  return llvm::createStringError("the timeline cannot be read: " + what);
}

llvm::Expected<Timeline> picture::readTimeline(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *roles = object ? object->getArray("roles") : nullptr;
  const llvm::json::Array *channels = object ? object->getArray("channels") : nullptr;
  const llvm::json::Array *passes = object ? object->getArray("passes") : nullptr;
  if (!roles || !channels || !passes)
    return fail("it has no roles, channels or passes");
  Timeline out;
  out.trips = object->getInteger("trips").value_or(0);
  for (const llvm::json::Value &role : *roles)
    out.roles.push_back(role.getAsString().value_or("").str());
  for (const llvm::json::Value &item : *channels) {
    const llvm::json::Object *channel = item.getAsObject();
    if (!channel)
      return fail("a channel is not an object");
    std::string tiles;
    if (const llvm::json::Array *all = channel->getArray("tiles"))
      for (const llvm::json::Value &tile : *all)
        tiles += (tiles.empty() ? "" : " and ") + tile.getAsString().value_or("").str();
    const int64_t line = channel->getInteger("line").value_or(0);
    out.channels.push_back(
        {llvm::formatv("{0}{1} slots of {2}, copies = {3}",
                       line ? "loop at line " + std::to_string(line) + ": " : std::string(),
                       channel->getInteger("slots").value_or(0), tiles,
                       channel->getString("copies").value_or(""))
             .str(),
         size_t(std::max<int64_t>(0, channel->getInteger("iterations").value_or(0)))});
  }
  for (const llvm::json::Value &item : *passes) {
    const llvm::json::Object *pass = item.getAsObject();
    if (!pass)
      return fail("a pass is not an object");
    auto get = [&](llvm::StringRef key) { return pass->getInteger(key).value_or(-1); };
    out.passes.push_back({size_t(get("channel")), get("iteration"), get("slot"),
                          size_t(get("producer")), size_t(get("consumer")), get("copied"),
                          get("read"), get("freed")});
    const Timeline::Pass &made = out.passes.back();
    if (made.channel >= out.channels.size() || made.producer >= out.roles.size() ||
        made.consumer >= out.roles.size() || made.copied < 0)
      return fail("a pass names no channel, no role or no time");
  }
  return out;
}

static void drawBox(llvm::raw_ostream &os, unsigned y, int64_t from, int64_t to,
                    llvm::StringRef style, llvm::StringRef letter, llvm::StringRef title) {
  if (to <= from)
    return;
  const auto width = unsigned(to - from) * kStep;
  os << llvm::formatv("<g class=\"q {0}\" transform=\"translate({1},{2})\"><title>{3}</title><rect "
                      "width=\"{4}\" height=\"{5}\"/><text x=\"{6}\" y=\"13\">{7}</text></g>\n",
                      style, kLeft + unsigned(from) * kStep, y, escape(title), width, kRow - 3,
                      width / 2, escape(letter));
}

static void drawPass(Sheet &sheet, const Timeline &timeline, const Timeline::Pass &pass,
                     int64_t end) {
  llvm::raw_ostream &os = sheet.getStream();
  const unsigned y = sheet.getTop();
  os << llvm::formatv("<text class=\"n\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">iteration {2}, "
                      "slot {3}</text>\n<path class=\"g\" d=\"M{4} {5}h{6}\"/>\n",
                      kLeft - 8, y + 13, pass.iteration, pass.slot, kLeft, y + kRow - 1,
                      unsigned(end) * kStep);
  const std::string of = llvm::formatv(" of iteration {0}, slot {1}", pass.iteration, pass.slot);
  auto by = [&](size_t role) {
    return timeline.roles.size() > 1 ? ", by the " + timeline.roles[role] : std::string();
  };
  const std::string style = getProgramStyle(uint64_t(pass.slot));
  const int64_t read = pass.read < 0 ? end : pass.read;
  drawBox(
      os, y, pass.copied, pass.copied + 1, style, "C",
      llvm::formatv("step {0}: the copies{1} start{2}", pass.copied, of, by(pass.producer)).str());
  drawBox(os, y, pass.copied + 1, read, "w", "",
          pass.read < 0 ? "past the loop's end: nothing is copied"
                        : "the copies" + of + " are under way or have landed");
  if (pass.read < 0)
    os << llvm::formatv("<text class=\"n\" x=\"{0}\" y=\"{1}\">past the end</text>\n",
                        kLeft + unsigned(end) * kStep + 8, y + 13);
  else
    drawBox(os, y, read, std::max(read + 1, pass.freed < 0 ? end : pass.freed), style, "R",
            llvm::formatv("from step {0}: the tiles{1} are read{2}", read, of, by(pass.consumer))
                .str());
  sheet.add({kLeft + unsigned(end) * kStep + kPast, kRow});
}

void picture::writeSvg(llvm::raw_ostream &os, const Timeline &timeline) {
  Sheet sheet;
  sheet.writeText("when slots of pipelined loops are copied and read", "h");
  sheet.writeText(
      llvm::formatv("C: the copies start; dashed: they are under way or have landed; R: "
                    "the slot is read. A column is a step and not a time; loops run {0} "
                    "times",
                    timeline.trips)
          .str(),
      "n");
  int64_t end = 1;
  for (const Timeline::Pass &pass : timeline.passes)
    end = std::max({end, pass.copied + 1, pass.read + 1, pass.freed});
  for (auto [index, channel] : llvm::enumerate(timeline.channels)) {
    sheet.skip();
    sheet.writeText(channel.title, "");
    size_t rows = 0;
    for (const Timeline::Pass &pass : timeline.passes) {
      if (pass.channel != index)
        continue;
      if (rows == 0 && timeline.roles.size() > 1)
        sheet.writeText("copied by the " + timeline.roles[pass.producer] + ", read by the " +
                            timeline.roles[pass.consumer],
                        "n");
      if (rows == 0)
        sheet.skip();
      ++rows;
      drawPass(sheet, timeline, pass, end);
    }
    if (const size_t all = channel.iterations; all > rows)
      sheet.writeText("and " + std::to_string(all - rows) + " more iterations", "n");
  }
  if (timeline.channels.empty())
    sheet.writeText("no loop is pipelined", "");
  sheet.skip();
  sheet.write(os, "timeline", kStyle);
}
