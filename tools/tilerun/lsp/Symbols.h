// The outline of a text: its kernels and their helpers.
#pragma once

#include "tools/tilerun/lsp/Analysis.h"

namespace tilerun::lsp {

/// In source order.
std::vector<llvm::lsp::DocumentSymbol> listSymbols(Analysis &analysis);

/// "def scale(x, factor=2)".
std::string describeHeader(const JitFunction &function, const SourceManager &sources);

} // namespace tilerun::lsp
