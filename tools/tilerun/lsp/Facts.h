// The types of names and expressions, as the frontend derived them for one signature of a kernel.
#pragma once

#include "frontend/Frontend.h"

namespace tilerun::lsp {

/// What a range of a file is. Names that are assigned have them; of expressions, those that
/// something is computed for.
struct Fact {
  SourceRange range;
  std::string name; ///< Of a variable; empty: an expression.
  std::string type; ///< "tensor<128x64xf16>", or "constexpr 128".
};

/// Appends those of a kernel that was compiled with `debugEvents`, as far as they are about `file`.
void collectFacts(mlir::ModuleOp module, const SourceManager &sources, uint32_t file,
                  std::vector<Fact> &facts);

} // namespace tilerun::lsp
