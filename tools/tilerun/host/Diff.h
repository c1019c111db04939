// What changed between two texts, line by line (E. Myers, An O(ND) Difference Algorithm and Its
// Variations, 1986).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilerun::host {

struct DiffLine {
  /// ' ' in both texts, '-' in the first, '+' in the second; '@': equal lines are left out here.
  char kind;
  std::string text;
};

/// Lines are equal if their keys are; those that are in both are shown as in the second text, and
/// only if one that differs is at most `context` lines away. Texts that differ in more than
/// kMostEdits lines are not compared in between: all of the first is then replaced.
inline constexpr size_t kMostEdits = 4000;
using LineKey = llvm::function_ref<std::string(llvm::StringRef)>;
std::vector<DiffLine> diffLines(llvm::StringRef before, llvm::StringRef after, LineKey key,
                                size_t context = 2);

} // namespace tilerun::host
