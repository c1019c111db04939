// See MemoryPicture.h. Each buffer has a letter, which the list below names, so that no colour is
// needed. Heights grow with bytes, but the smallest buffer can be read, too.
#include "tools/tilerun/picture/MemoryPicture.h"

#include "tools/tilerun/picture/Page.h"
#include "tools/tilerun/picture/Sheet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tilerun;
using namespace tilerun::picture;

// In pixels.
static constexpr unsigned kLeft = 80, kWidth = 540, kLeastWidth = 14, kLeastHeight = 16,
                          kHeight = 240;

static constexpr const char *kStyle = R"(svg .q rect{stroke:#666;stroke-width:.8}
svg .q text{text-anchor:middle}svg .g{stroke:#ccc;stroke-width:.5;fill:none}
@media(prefers-color-scheme:dark){svg .q rect{stroke:#aaa}svg .g{stroke:#3a3d44}}
)";

static llvm::Error fail(llvm::StringRef what) {
  return llvm::createStringError("the map of shared memory cannot be read: " + what);
}

llvm::Expected<SharedMemory> picture::readSharedMemory(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *buffers = object ? object->getArray("buffers") : nullptr;
  if (!buffers)
    return fail("it has no buffers");
  auto get = [](const llvm::json::Object &from, llvm::StringRef key) {
    return uint64_t(std::max<int64_t>(0, from.getInteger(key).value_or(0)));
  };
  SharedMemory out{get(*object, "bytes"), get(*object, "limit"), get(*object, "places"), {}};
  for (const llvm::json::Value &item : *buffers) {
    const llvm::json::Object *buffer = item.getAsObject();
    if (!buffer)
      return fail("a buffer is not an object");
    std::string uses;
    if (const llvm::json::Array *all = buffer->getArray("uses"))
      for (const llvm::json::Value &use : *all)
        uses += (uses.empty() ? "" : ", ") + use.getAsString().value_or("").str();
    if (const uint64_t line = get(*buffer, "line"))
      uses = "line " + std::to_string(line) + ": " + uses;
    out.buffers.push_back({get(*buffer, "offset"), get(*buffer, "bytes"), get(*buffer, "first"),
                           get(*buffer, "last"), uses});
    const SharedMemory::Buffer &made = out.buffers.back();
    if (made.last >= out.places || made.first > made.last || made.offset + made.bytes > out.bytes)
      return fail("a buffer lies outside of the memory or of the program");
  }
  return out;
}

namespace {
/// The heights of offsets: bytes between two borders of buffers take what they are of all, and a
/// least height.
class Heights {
public:
  explicit Heights(const SharedMemory &memory) {
    for (const SharedMemory::Buffer &buffer : memory.buffers) {
      borders.push_back(buffer.offset);
      borders.push_back(buffer.offset + buffer.bytes);
    }
    llvm::sort(borders);
    borders.erase(llvm::unique(borders), borders.end());
    unsigned y = 0;
    for (size_t i = 0; i < borders.size(); ++i) {
      if (i)
        y += kLeastHeight + unsigned(kHeight * (borders[i] - borders[i - 1]) / memory.bytes);
      ys.push_back(y);
    }
  }
  unsigned of(uint64_t offset) const {
    return ys[size_t(llvm::lower_bound(borders, offset) - borders.begin())];
  }
  std::vector<uint64_t> borders;
  std::vector<unsigned> ys;
};
} // namespace

static std::string getLetters(size_t index) {
  std::string text(1, char('a' + index % 26));
  return index < 26 ? text : getLetters(index / 26 - 1) + text;
}

static std::string describe(const SharedMemory::Buffer &buffer) {
  return llvm::formatv("at {0}, {1} bytes; {2}", buffer.offset, buffer.bytes, buffer.uses);
}

void picture::writeSvg(llvm::raw_ostream &os, const SharedMemory &memory) {
  Sheet sheet;
  sheet.writeText("shared memory over the course of the program", "h");
  sheet.writeText(
      llvm::formatv("{0} of {1} bytes. From top to bottom: offsets in bytes; from left to "
                    "right: where buffers are used first and last, in the order of the "
                    "program",
                    memory.bytes, memory.limit)
          .str(),
      "n");
  sheet.skip();
  if (memory.buffers.empty())
    return sheet.write(os, "shared memory", kStyle);
  const Heights heights(memory);
  const unsigned width = std::max(kLeastWidth, unsigned(kWidth / memory.places));
  llvm::raw_ostream &out = sheet.getStream();
  const unsigned top = sheet.getTop(), right = unsigned(memory.places) * width;
  for (auto [border, y] : llvm::zip(heights.borders, heights.ys))
    out << llvm::formatv(
        "<text class=\"n\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text><path "
        "class=\"g\" d=\"M{3} {4}h{5}\"/>\n",
        kLeft - 8, top + y + 4, border, kLeft, top + y, right);
  for (auto [index, buffer] : llvm::enumerate(memory.buffers)) {
    const unsigned x = kLeft + unsigned(buffer.first) * width, y = heights.of(buffer.offset);
    const unsigned w = unsigned(buffer.last - buffer.first + 1) * width,
                   h = heights.of(buffer.offset + buffer.bytes) - y;
    out << llvm::formatv(
        "<g class=\"q {0}\" transform=\"translate({1},{2})\"><title>{3}</title><rect "
        "width=\"{4}\" height=\"{5}\"/><text x=\"{6}\" y=\"{7}\">{8}</text></g>\n",
        getProgramStyle(index), x, top + y, escape(describe(buffer)), w, h, w / 2, h / 2 + 4,
        getLetters(index));
  }
  sheet.add({kLeft + right, heights.ys.back() + kLeastHeight});
  for (auto [index, buffer] : llvm::enumerate(memory.buffers))
    sheet.writeText(getLetters(index) + ": " + describe(buffer), "");
  sheet.skip();
  sheet.write(os, "shared memory", kStyle);
}
