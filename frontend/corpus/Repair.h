// Turns a guessed signature that does not compile into one that does, led by what the errors are
// about: one parameter that an error depends on is changed at a time, and a change stays if it
// gets further.
#pragma once

#include "frontend/Frontend.h"
#include "frontend/corpus/Usage.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilerun::corpus {

/// How far a signature gets.
struct Attempt {
  KernelSignature signature;
  bool compiles = false;
  std::vector<Diagnostic> errors; ///< Empty if it compiles.
  /// Globals that only host code knows, and the errors are about.
  std::vector<std::string> missedGlobals;
  /// Of those that are one of several functions: their lines.
  std::map<std::string, std::vector<int64_t>> functionLines = {};
};

/// Compiles the kernel for a signature.
using Try = llvm::function_ref<Attempt(const KernelSignature &)>;

/// Whether an error is not about what the kernel is launched with: no signature fixes it.
bool isBeyondRepair(llvm::StringRef message);

/// The best of `attempts`, none of which compiles, after at most `mostTries` changes. Errors that
/// no signature can fix (an undefined name) are left alone.
Attempt repair(const JitFunction &function, std::vector<Attempt> attempts, unsigned mostTries,
               Try attempt);

} // namespace tilerun::corpus
