// Mismatches as pictures: a histogram of the errors, and the map of the tensor by program.
#pragma once

#include "tools/tilerun/host/Mismatch.h"

#include "llvm/Support/raw_ostream.h"

namespace tilerun::picture {

struct Mismatch {
  std::string title; ///< One sentence, with the tensor's name.
  host::Shape shape;
  std::array<uint64_t, 3> grid; ///< Of programs.
  host::MismatchReport report;
};

/// One SVG image of all of them, one below the other; in light and dark, as the viewer prefers.
void writeSvg(llvm::raw_ostream &os, llvm::ArrayRef<Mismatch> all);
/// A page with the image.
void writeHtml(llvm::raw_ostream &os, llvm::StringRef title, llvm::ArrayRef<Mismatch> all);

} // namespace tilerun::picture
