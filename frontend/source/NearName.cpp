// "Did you mean": the nearest name by edit distance (Levenshtein), case differences counting least.
#include "frontend/source/Source.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilerun {

static std::string sortLetters(StringRef name) {
  std::string letters = name.lower();
  llvm::sort(letters);
  return letters;
}

std::optional<StringRef> findNearName(StringRef name, ArrayRef<StringRef> candidates) {
  // Longer names are not typing mistakes, and comparing them costs time.
  constexpr size_t kMaxLength = 128;
  if (name.empty() || name.size() > kMaxLength)
    return std::nullopt;
  // One mistake in every three characters is the most that still looks like the same name.
  unsigned limit = name.size() <= 2 ? 1 : static_cast<unsigned>((name.size() + 2) / 3);
  std::optional<StringRef> best;
  unsigned bestScore = 0;
  for (StringRef candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxLength || candidate == name)
      continue;
    unsigned folded = StringRef(name.lower()).edit_distance(candidate.lower(), true, limit + 1);
    // Exchanged letters are one mistake, not two.
    if (folded == 2 && sortLetters(name) == sortLetters(candidate))
      folded = 1;
    // A name that shares no character with the other is not near, however short both are.
    if (folded > limit || folded >= std::max(name.size(), candidate.size()))
      continue;
    unsigned exact = name.edit_distance(candidate, true, 2 * kMaxLength);
    unsigned score = folded * 2 * kMaxLength + exact;
    if (!best || score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

} // namespace tilerun
