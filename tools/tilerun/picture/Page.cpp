// See Page.h.
#include "tools/tilerun/picture/Page.h"

using namespace tilerun;

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
