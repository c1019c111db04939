// What an editor shows of the name or expression under the pointer, and where it goes from there.
#pragma once

#include "tools/tilerun/lsp/Analysis.h"

namespace tilerun::lsp {

/// Types of variables and expressions, headers and documentation of functions; none where nothing
/// is known.
std::optional<llvm::lsp::Hover> findHover(Analysis &analysis, llvm::lsp::Position position);

/// Where the name at a position is defined, in this or another file.
std::optional<llvm::lsp::Location> findDefinition(Analysis &analysis, llvm::lsp::Position position);

} // namespace tilerun::lsp
