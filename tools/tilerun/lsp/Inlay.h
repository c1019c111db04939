// The notes that an editor shows behind variables: shapes, and the layouts that a target has for
// them.
#pragma once

#include "tools/tilerun/lsp/Analysis.h"

namespace tilerun::lsp {

/// Those of a range, as JSON of the protocol: `InlayHint`, with the whole layout as its tooltip.
llvm::json::Array listInlays(Analysis &analysis, llvm::lsp::Range range, LayoutSource &source);

} // namespace tilerun::lsp
