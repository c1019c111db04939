// The compiler's diagnostics as an editor shows them.
#pragma once

#include "frontend/source/Source.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilerun::lsp {

/// One that is shown in `file`: at the place there from which another file's code is called, if it
/// is in that. With a `guess`, the signature that the compiler assumed, errors that may only follow
/// from it are hints, which say so.
llvm::lsp::Diagnostic toProtocol(const Diagnostic &diagnostic, const SourceManager &sources,
                                 uint32_t file, llvm::StringRef guess);

} // namespace tilerun::lsp
