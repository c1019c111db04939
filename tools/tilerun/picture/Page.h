// What all pictures share: escaping, and a page of HTML that refers to nothing outside and follows
// the viewer's preference for light or dark.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilerun::picture {

/// For text and attributes of SVG and HTML.
std::string escape(llvm::StringRef text);

/// `body` is HTML, after a heading with the title.
void writePage(llvm::raw_ostream &os, llvm::StringRef title, llvm::StringRef body);

} // namespace tilerun::picture
