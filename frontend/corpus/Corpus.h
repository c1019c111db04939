// How much of a folder of kernel files compiles: each kernel is typed with guessed signatures.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilerun::corpus {

enum class Outcome {
  Compiles,
  Fails,   ///< `reason` says what stopped the likeliest guess.
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
};

struct Survey {
  uint64_t numFiles = 0;      ///< With jit functions or not.
  std::vector<Entry> entries; ///< By file and line.
  std::vector<std::pair<std::string, std::string>>
      unreadable; ///< Files that do not parse, and why.
};

/// Surveys every `.py` file below `folder` (or one file), on `threads` threads. `progress` is
/// called from any of them, one at a time, with the files done and their number.
llvm::Expected<Survey> survey(llvm::StringRef folder, unsigned threads,
                              llvm::function_ref<void(uint64_t done, uint64_t of)> progress);

/// A message without what differs from kernel to kernel: names in quotes and numbers.
std::string generalize(llvm::StringRef message);

} // namespace tilerun::corpus
