// Guesses what a kernel is launched with, from its source: names, annotations, defaults, autotune
// configurations and what is done with each parameter.
#pragma once

#include "frontend/Frontend.h"

namespace tilerun::corpus {

/// Signatures to try, the likeliest first; at least one. They differ in element types, in the
/// sizes of blocks and in flags. `frontend` evaluates constants of the module; its reports stay in
/// its diagnostics.
std::vector<KernelSignature> guessSignatures(Frontend &frontend, const JitFunction &function);

/// A signature in the form that `parseSignature` reads.
std::string formatSignature(const KernelSignature &signature);

} // namespace tilerun::corpus
