// Random programs with every kind of control flow: the interpreter's results against CPython's,
// which programs/generate.py recorded.
#include "tests/frontend/sema/EndToEnd.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilerun::test;

TEST(RandomPrograms, AgreeWithPython) {
  constexpr size_t kInputs = 16, kOutputs = 36;
  unsigned programs = 0;
  for (unsigned index = 0;; ++index, ++programs) {
    std::string path = std::string(TILERUN_SOURCE_DIR "/tests/frontend/sema/programs/") +
                       (index < 10 ? "0" : "") + std::to_string(index) + ".txt";
    if (!llvm::sys::fs::exists(path))
      break;
    auto file = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(file)) << path;
    auto [countText, rest] = (*file)->getBuffer().split('\n');
    unsigned runs = 0;
    ASSERT_FALSE(countText.getAsInteger(10, runs)) << path;
    std::vector<std::vector<int>> lines;
    for (unsigned run = 0; run < runs; ++run) {
      auto [line, others] = rest.split('\n');
      rest = others;
      std::vector<int> &numbers = lines.emplace_back();
      llvm::SmallVector<llvm::StringRef> words;
      line.split(words, ' ');
      for (llvm::StringRef word : words)
        ASSERT_FALSE(word.getAsInteger(10, numbers.emplace_back())) << path;
      ASSERT_EQ(numbers.size(), 1 + kInputs + kOutputs) << path;
    }
    for (const std::vector<int> &numbers : lines) {
      std::vector<int> p(numbers.begin() + 1, numbers.begin() + 1 + kInputs), q(kOutputs, -1);
      ASSERT_EQ(
          run(rest.str(), "p=*i32, q=*i32, n=i32", {buffer(p), buffer(q), int64_t(numbers[0])}), "")
          << path;
      EXPECT_EQ(q, std::vector<int>(numbers.begin() + 1 + kInputs, numbers.end()))
          << path << " with n = " << numbers[0];
    }
  }
  EXPECT_EQ(programs, 40u);
}
