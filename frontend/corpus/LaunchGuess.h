// Guesses how a kernel is launched, from its source, as the command line says it: a template to
// fill in, and the grid that bounds checks and block sizes suggest.
#pragma once

#include "frontend/Frontend.h"

namespace tilerun::corpus {

/// The grid of a kernel.
struct GridGuess {
  /// Axes whose program's number the kernel, or a function that it calls, asks for; 0: one program
  /// does everything.
  unsigned numAxes = 0;
  /// Programs of each of them: "cdiv(n, BLOCK)"; empty where the source does not say.
  std::vector<std::string> axes;
  /// Parameters that bound them, in the order of the axes, each once.
  std::vector<std::string> bounds;

  /// As --grid takes it, with `unknown` for axes that are not known.
  std::string format(llvm::StringRef unknown) const;
};
GridGuess guessGrid(const JitFunction &function);

/// "NAME=VALUE" for each parameter that needs a value, with "…" where the source does not say it.
/// `frontend` evaluates constants of the module; its reports stay in its diagnostics.
std::vector<std::string> guessArguments(Frontend &frontend, const JitFunction &function,
                                        const GridGuess &grid);

} // namespace tilerun::corpus
