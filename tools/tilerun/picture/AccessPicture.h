// The accesses of a launch as pictures: a map of each tensor by program, the memory that a warp
// touches, and tiles with their masks.
#pragma once

#include "tools/tilerun/host/Accesses.h"

#include "llvm/Support/raw_ostream.h"

namespace tilerun::picture {

/// One SVG image; in light and dark, as the viewer prefers.
void writeSvg(llvm::raw_ostream &os, llvm::StringRef title, const host::Accesses &accesses);
/// A page with the image. Pointing at a cell marks the cells of the same program.
void writeHtml(llvm::raw_ostream &os, llvm::StringRef title, const host::Accesses &accesses);

} // namespace tilerun::picture
