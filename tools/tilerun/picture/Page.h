// What all pictures share: escaping, and a page of HTML that refers to nothing outside and follows
// the viewer's preference for light or dark.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tilerun::picture {

/// For text and attributes of SVG and HTML.
std::string escape(llvm::StringRef text);

/// `text` in lines of at most so many letters, broken at spaces where it has some.
std::vector<llvm::StringRef> wrap(llvm::StringRef text, size_t letters);

/// An SVG image of its own: `style` is CSS, `body` what is drawn. Its rules apply to images with
/// the same style only, so that it may be part of a page with others, such as a notebook.
void writeImage(llvm::raw_ostream &os, unsigned width, unsigned height, llvm::StringRef title,
                llvm::StringRef style, llvm::StringRef body);

/// Pointing at a cell (class "c") of an image marks (class "on") those with the same data-k.
extern const char *const kMarkScript;

/// `body` is HTML, after a heading with the title.
void writePage(llvm::raw_ostream &os, llvm::StringRef title, llvm::StringRef body);

} // namespace tilerun::picture
