// How much of a folder of kernel files compiles: each kernel is typed with guessed signatures, and
// may be compiled on by somebody who knows a target.
#pragma once

#include "frontend/Frontend.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilerun::corpus {

enum class Outcome {
  Compiles,
  Fails,   ///< `reason` says what stopped the guess that came furthest.
  Refused, ///< It is a kernel, but the target does not compile it: `reason`.
  Helper,  ///< It returns values: other functions call it, nobody launches it.
  Internal ///< A bug of the compiler.
};

/// What became of one function.
struct Entry {
  std::string file, name;
  unsigned line = 0; ///< Of the function.
  Outcome outcome = Outcome::Fails;
  std::string signature; ///< The guess that compiled, or the first one.
  unsigned numTried = 0;
  std::string reason;     ///< Empty if it compiles.
  std::string reasonFile; ///< Where.
  unsigned reasonLine = 0;
  std::string construct; ///< The reason without names, values and types: what many share.
  double seconds = 0;    ///< What the target's compiler took.
};

/// What compiles kernels on, for a target. Called from several threads at a time.
struct Backend {
  struct Verdict {
    std::string message;     ///< Why it does not compile, with the place in front; empty: it does.
    bool isInternal = false; ///< A bug of the compiler.
  };
  std::string target;
  std::function<Verdict(CompiledKernel &, const KernelSignature &)> compile;
};

struct Survey {
  uint64_t numFiles = 0;      ///< With jit functions or not.
  std::vector<Entry> entries; ///< By file and line.
  std::vector<std::pair<std::string, std::string>>
      unreadable; ///< Files that do not parse, and why.
};

/// Surveys every `.py` file below `folder` (or one file), on `threads` threads. `progress` is
/// called from any of them, one at a time, with the files done and their number. With a `backend`,
/// kernels are compiled for its target as well.
llvm::Expected<Survey> survey(llvm::StringRef folder, unsigned threads,
                              llvm::function_ref<void(uint64_t done, uint64_t of)> progress,
                              const Backend *backend = nullptr);

/// A message without what differs from kernel to kernel: names in quotes and numbers.
std::string generalize(llvm::StringRef message);

} // namespace tilerun::corpus
