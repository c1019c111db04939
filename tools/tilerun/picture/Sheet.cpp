// See Sheet.h.
#include "tools/tilerun/picture/Sheet.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

static constexpr const char *kStyle = R"(svg{background:#fff;font:11px ui-monospace,monospace}
svg text{fill:#111}svg .n{fill:#444}svg .h{font-weight:bold}
@media(prefers-color-scheme:dark){svg{background:#16181c}svg text{fill:#f2f2f2}svg .n{fill:#bbb}}
)";

void Sheet::writeText(llvm::StringRef text, llvm::StringRef style) {
  constexpr unsigned kLetterWidth = 7, kWidth = 680; // Whatever a map takes.
  for (llvm::StringRef line : wrap(text, (kWidth - 2 * kMargin) / kLetterWidth)) {
    y += kLine;
    os << llvm::formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\">{3}</text>\n", style, kMargin,
                        y - 4, escape(line));
  }
}

void Sheet::add(Extent extent) {
  y += extent.height;
  width = std::max(width, extent.width + kMargin);
}

void Sheet::write(llvm::raw_ostream &to, llvm::StringRef title, llvm::StringRef style) const {
  writeImage(to, width, y, title, (llvm::Twine(kStyle) + kCellMapStyle + style).str(), body);
}
