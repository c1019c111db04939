// Differences of texts: small ones as a reader would give them, and random ones, which must lead
// from the first text to the second with as few edits as a table of all prefixes says.
#include "tools/tilerun/host/Diff.h"

#include "gtest/gtest.h"

#include <random>

using namespace tilerun::host;

namespace {

std::string same(llvm::StringRef line) { return line.str(); }

std::string show(const std::vector<DiffLine> &lines) {
  std::string out;
  for (const DiffLine &line : lines)
    out += line.kind + line.text + ";";
  return out;
}

std::string diff(llvm::StringRef before, llvm::StringRef after, size_t context = 100) {
  return show(diffLines(before, after, same, context));
}

TEST(Diff, KeepsWhatIsInBoth) {
  EXPECT_EQ(diff("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(diff("a\nb\nc\n", "a\nc\n"), " a;-b; c;");
  EXPECT_EQ(diff("a\nc\n", "a\nb\nc\n"), " a;+b; c;");
  EXPECT_EQ(diff("a\nb\nc\n", "a\nx\nc\n"), " a;-b;+x; c;");
  EXPECT_EQ(diff("a\n", "x\ny\n"), "-a;+x;+y;");
}

TEST(Diff, LeavesOutWhatIsFarFromChanges) {
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", 1),
            "@; 4;-5;+x; 6;");
  EXPECT_EQ(diff("1\n2\n3\n4\n5\n6\n", "x\n2\n3\n4\n5\ny\n", 1), "-1;+x; 2;@; 5;-6;+y;");
}

TEST(Diff, ComparesKeysAndShowsTheSecondText) {
  auto first = [](llvm::StringRef line) { return line.take_front(1).str(); };
  EXPECT_EQ(show(diffLines("a1\nb1\nc1\n", "a2\nx2\nc2\n", first, 5)), " a2;-b1;+x2; c2;");
}

TEST(Diff, OfTextsWithTooManyEditsReplacesAll) {
  std::string before, after;
  for (size_t i = 0; i < kMostEdits; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const auto lines = diffLines("same\n" + before, "same\n" + after, same, 0);
  ASSERT_EQ(lines.size(), 2 * kMostEdits + 1);
  EXPECT_EQ(lines[1].kind, '-');
  EXPECT_EQ(lines.back().kind, '+');
}

TEST(Diff, OfRandomTextsIsRightAndShortest) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> a(random() % 12), b(random() % 12);
    for (auto *lines : {&a, &b})
      for (std::string &line : *lines)
        line = std::string(1, char('a' + random() % 3));
    a.insert(a.begin(), "begin");
    b.insert(b.begin(), "begin");
    auto join = [](const std::vector<std::string> &lines) {
      std::string text;
      for (const std::string &line : lines)
        text += line + "\n";
      return text;
    };
    std::string first, second;
    size_t edits = 0;
    for (const DiffLine &line : diffLines(join(a), join(b), same, 100)) {
      first += line.kind == '+' ? "" : line.text + "\n";
      second += line.kind == '-' ? "" : line.text + "\n";
      edits += line.kind != ' ';
    }
    std::vector<std::vector<size_t>> least(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
      for (size_t j = 0; j <= b.size(); ++j)
        least[i][j] = !i || !j               ? i + j
                      : a[i - 1] == b[j - 1] ? least[i - 1][j - 1]
                                             : 1 + std::min(least[i - 1][j], least[i][j - 1]);
    ASSERT_EQ(edits, least[a.size()][b.size()]) << join(a) << "--\n" << join(b);
    if (edits) {
      ASSERT_EQ(first, join(a));
      ASSERT_EQ(second, join(b));
    }
  }
}

} // namespace
