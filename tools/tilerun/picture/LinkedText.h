// Compiled code as lines that know which lines of the source they come from: MLIR with locations,
// LLVM IR with debug information, PTX and AMD's assembly with .loc, SPIR-V with OpLine, NVIDIA's
// machine code with the comments of nvdisasm.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilerun::picture {

struct LinkedLine {
  std::string text;
  llvm::SmallVector<unsigned, 2> sources; ///< Lines of the source, ascending; none: not known.
};

/// `path` is the source's, as the code names it; lines of other files are not linked. Locations are
/// taken out of the text. Of an inlined function both its line and its call's, if they are of
/// this file.
std::vector<LinkedLine> linkMlir(llvm::StringRef text, llvm::StringRef path);
std::vector<LinkedLine> linkAssembly(llvm::StringRef text, llvm::StringRef path);
std::vector<LinkedLine> linkLlvm(llvm::StringRef text, llvm::StringRef path);
std::vector<LinkedLine> linkSass(llvm::StringRef text, llvm::StringRef path);
/// Whichever it is, except machine code.
std::vector<LinkedLine> linkCode(llvm::StringRef text, llvm::StringRef path);

} // namespace tilerun::picture
