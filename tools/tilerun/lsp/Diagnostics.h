// The compiler's diagnostics as an editor shows them.
#pragma once

#include "frontend/source/Source.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilerun::lsp {

/// How sure an error is where the signature of its kernel is guessed.
struct Guess {
  std::string signature; ///< The last one that was tried; empty: nothing was guessed.
  unsigned numTried = 0; ///< The different ones that all gave the error; 0: some did not.
};

/// One that is shown in `file`: at the place there from which another file's code is called, if it
/// is in that. Errors that may only follow from a guess are hints, those that several guesses have
/// in common are warnings; both say so.
llvm::lsp::Diagnostic toProtocol(const Diagnostic &diagnostic, const SourceManager &sources,
                                 uint32_t file, const Guess &guess);

} // namespace tilerun::lsp
