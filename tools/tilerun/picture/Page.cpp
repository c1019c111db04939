// See Page.h.
#include "tools/tilerun/picture/Page.h"

#include "llvm/Support/FormatVariadic.h"

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

void picture::writeImage(llvm::raw_ostream &os, unsigned width, unsigned height,
                         llvm::StringRef title, llvm::StringRef style, llvm::StringRef body) {
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" "
                      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title>{2}</title>\n",
                      width, height, escape(title))
     << "<style>\n"
     << style << "</style>\n"
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
