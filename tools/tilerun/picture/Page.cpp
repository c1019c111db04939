// See Page.h.
#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace tilerun;

const char *const picture::kMarkScript = R"(<script>
for (const svg of document.querySelectorAll('svg')) {
  const cells = [...svg.querySelectorAll('.c')];
  const mark = key => cells.forEach(c => c.classList.toggle('on', key !== null && c.dataset.k === key));
  svg.addEventListener('mouseover', e => { const c = e.target.closest('.c'); mark(c && c.dataset.k ? c.dataset.k : null); });
  svg.addEventListener('mouseleave', () => mark(null));
}
</script>
)";

std::string picture::escape(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

std::vector<llvm::StringRef> picture::wrap(llvm::StringRef text, size_t letters) {
  std::vector<llvm::StringRef> lines;
  while (text.size() > letters) {
    size_t at = text.take_front(letters).rfind(' ');
    at = at == llvm::StringRef::npos || at == 0 ? letters : at;
    lines.push_back(text.take_front(at));
    text = text.drop_front(at).ltrim();
  }
  lines.push_back(text);
  return lines;
}

/// The rules with each selector limited to `root`, which stands for "svg".
static std::string limitTo(llvm::StringRef root, llvm::StringRef style) {
  std::string out;
  while (true) {
    const size_t at = style.find_first_of("{}");
    if (at == llvm::StringRef::npos)
      return out;
    const llvm::StringRef before = style.take_front(at).trim();
    // The beginning or the end of what holds rules.
    if (style[at] == '}' || before.starts_with("@")) {
      out += before.str() + style[at] + "\n";
      style = style.drop_front(at + 1);
      continue;
    }
    llvm::StringRef comma;
    for (llvm::StringRef selector : llvm::split(before, ',')) {
      selector = selector.trim();
      const bool isRoot = selector.consume_front("svg");
      out += (comma + root + (isRoot ? "" : " ") + selector).str();
      comma = ",";
    }
    const size_t end = std::min(style.find('}', at), style.size() - 1) + 1;
    out += style.slice(at, end).str() + "\n";
    style = style.drop_front(end);
  }
}

void picture::writeImage(llvm::raw_ostream &os, unsigned width, unsigned height,
                         llvm::StringRef title, llvm::StringRef style, llvm::StringRef body) {
  const std::string name =
      "tilerun-" + llvm::utohexstr(uint32_t(llvm::xxh3_64bits(style)), /*LowerCase=*/true, 8);
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{0}\" role=\"img\" "
                      "width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\">\n<title>{3}</title>\n",
                      name, width, height, escape(title))
     << "<style>\n"
     << limitTo("svg." + name, style) << "</style>\n"
     << body << "</svg>\n";
}

void picture::writePage(llvm::raw_ostream &os, llvm::StringRef title, llvm::StringRef body) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>"
     << escape(title) << R"(</title>
<style>
body{font:15px system-ui,sans-serif;margin:24px;background:#fff;color:#111}
pre{white-space:pre-wrap;font:13px ui-monospace,monospace}
.scroll{overflow:auto}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#f2f2f2}}
</style>
</head>
<body>
<h1>)"
     << escape(title) << "</h1>\n"
     << body << "</body>\n</html>\n";
}
