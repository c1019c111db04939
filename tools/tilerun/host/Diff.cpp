// See Diff.h.
#include "tools/tilerun/host/Diff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tilerun;
using namespace tilerun::host;

namespace {
struct Lines {
  llvm::SmallVector<llvm::StringRef> texts;
  std::vector<std::string> keys;
  Lines(llvm::StringRef text, LineKey key) {
    text.rtrim('\n').split(texts, '\n');
    for (llvm::StringRef line : texts)
      keys.push_back(key(line));
  }
};

/// The furthest points of each diagonal after each number of edits.
class Search {
public:
  Search(llvm::ArrayRef<std::string> a, llvm::ArrayRef<std::string> b) : a(a), b(b) {}
  /// Whether at most `most` edits lead from one to the other.
  bool run(size_t most);
  /// The kinds of lines, from the first to the last.
  std::string trace() const;

private:
  using Front = std::vector<int64_t>; ///< x by diagonal, from -d to d.
  static int64_t at(const Front &front, int64_t diagonal) {
    return front[size_t(diagonal + int64_t(front.size() / 2))];
  }
  /// Whether the path of d edits comes to a diagonal from the one above it, by an insertion.
  static bool comesFromAbove(const Front &before, int64_t diagonal, int64_t d) {
    return diagonal == -d || (diagonal != d && at(before, diagonal - 1) < at(before, diagonal + 1));
  }

  llvm::ArrayRef<std::string> a, b;
  std::vector<Front> fronts;
};
} // namespace

bool Search::run(size_t most) {
  const auto n = int64_t(a.size()), m = int64_t(b.size());
  for (int64_t d = 0; d <= std::min<int64_t>(n + m, int64_t(most)); ++d) {
    Front front(size_t(2 * d + 1), -1);
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = 0;
      if (d)
        x = comesFromAbove(fronts.back(), k, d) ? at(fronts.back(), k + 1)
                                                : at(fronts.back(), k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[size_t(x)] == b[size_t(x - k)])
        ++x;
      front[size_t(k + d)] = x;
      if (x >= n && x - k >= m) {
        fronts.push_back(std::move(front));
        return true;
      }
    }
    fronts.push_back(std::move(front));
  }
  return false;
}

std::string Search::trace() const {
  std::string kinds;
  auto x = int64_t(a.size()), y = int64_t(b.size());
  for (auto d = int64_t(fronts.size()) - 1; d >= 0; --d) {
    const int64_t k = x - y;
    int64_t fromX = 0, fromY = 0;
    bool isInsertion = false;
    if (d) {
      const Front &before = fronts[size_t(d - 1)];
      isInsertion = comesFromAbove(before, k, d);
      fromX = at(before, isInsertion ? k + 1 : k - 1);
      fromY = fromX - (isInsertion ? k + 1 : k - 1);
    }
    // Equal lines behind the edit.
    for (const int64_t begin = fromX + (d && !isInsertion ? 1 : 0); x > begin; --x)
      kinds += ' ';
    if (d)
      kinds += isInsertion ? '+' : '-';
    x = fromX;
    y = fromY;
  }
  std::reverse(kinds.begin(), kinds.end());
  return kinds;
}

static std::string findKinds(llvm::ArrayRef<std::string> a, llvm::ArrayRef<std::string> b) {
  size_t first = 0, last = 0;
  const size_t both = std::min(a.size(), b.size());
  while (first < both && a[first] == b[first])
    ++first;
  while (last < both - first && a[a.size() - 1 - last] == b[b.size() - 1 - last])
    ++last;
  const auto x = a.drop_front(first).drop_back(last), y = b.drop_front(first).drop_back(last);
  Search search(x, y);
  const std::string between = search.run(kMostEdits)
                                  ? search.trace()
                                  : std::string(x.size(), '-') + std::string(y.size(), '+');
  return std::string(first, ' ') + between + std::string(last, ' ');
}

std::vector<DiffLine> host::diffLines(llvm::StringRef before, llvm::StringRef after, LineKey key,
                                      size_t context) {
  const Lines a(before, key), b(after, key);
  const std::string kinds = findKinds(a.keys, b.keys);
  // Lines near a change are kept.
  std::vector<bool> isKept(kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] != ' ')
      for (size_t j = i - std::min(i, context); j < std::min(kinds.size(), i + context + 1); ++j)
        isKept[j] = true;
  std::vector<DiffLine> out;
  size_t x = 0, y = 0, end = kinds.size();
  while (end > 0 && !isKept[end - 1])
    --end;
  for (size_t i = 0; i < end; ++i) {
    const llvm::StringRef text = kinds[i] == '-' ? a.texts[x] : b.texts[y];
    x += kinds[i] != '+';
    y += kinds[i] != '-';
    if (isKept[i])
      out.push_back({kinds[i], text.str()});
    else if (out.empty() || out.back().kind != '@')
      out.push_back({'@', ""});
  }
  return out;
}
