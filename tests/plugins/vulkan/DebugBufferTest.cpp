// Reading of debug buffers: formats, failures, and buffers that a faulty kernel has corrupted.
#include "backends/common/DebugReader.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

using namespace tilerun::backend;

namespace {

DebugSite print(std::string text, std::string arguments) {
  return {DebugSite::Kind::Print, std::move(text), std::move(arguments), "", 0, 0};
}

/// A buffer with some records.
struct Buffer {
  explicit Buffer(uint32_t capacity = 64) : words(DebugBuffer::kHeaderWords + capacity) {
    words[DebugBuffer::kCapacity] = capacity;
  }
  Buffer &add(std::initializer_list<uint32_t> record) {
    for (uint32_t word : record)
      words[DebugBuffer::kHeaderWords + words[DebugBuffer::kUsed]++] = word;
    return *this;
  }
  DebugReport read(const std::vector<DebugSite> &sites) const {
    return readDebugBuffer(sites, words, "kernel");
  }
  std::vector<uint32_t> words;
};

TEST(VulkanDebugBuffer, Formats) {
  const std::vector<DebugSite> sites = {print("pid (%d, %d, %d) x 100%% 0x%x\n", "iiii"),
                                        print("%lld %llu 0x%llx\n", "lll"), print("%f %f\n", "fd"),
                                        print("nothing\n", "")};
  uint64_t number = uint64_t(-5), real = std::bit_cast<uint64_t>(-0.5);
  uint32_t low = uint32_t(number), high = uint32_t(number >> 32);
  Buffer buffer;
  buffer.add({1, 1, uint32_t(-2), 3, 0xBEEF});
  buffer.add({2, low, high, low, high, 0x89ABCDEF, 0x01234567});
  buffer.add({3, std::bit_cast<uint32_t>(1.5f), uint32_t(real), uint32_t(real >> 32)});
  buffer.add({4});
  DebugReport report = buffer.read(sites);
  EXPECT_EQ(report.printed, "pid (1, -2, 3) x 100% 0xbeef\n"
                            "-5 18446744073709551611 0x123456789abcdef\n"
                            "1.500000 -0.500000\n"
                            "nothing\n");
  EXPECT_EQ(report.failure, "");
}

TEST(VulkanDebugBuffer, UnsignedWordsStayUnsigned) {
  EXPECT_EQ(Buffer().add({1, 0xFFFFFFFF}).read({print("%u\n", "i")}).printed, "4294967295\n");
  EXPECT_EQ(Buffer().add({1, 0xFFFFFFFF}).read({print("%d\n", "i")}).printed, "-1\n");
}

TEST(VulkanDebugBuffer, SpecialNumbers) {
  Buffer buffer;
  buffer.add({1, 0x7F800000}).add({1, 0xFF800000}).add({1, 0x80000000});
  EXPECT_EQ(buffer.read({print("%f\n", "f")}).printed, "inf\n-inf\n-0.000000\n");
}

TEST(VulkanDebugBuffer, LostLinesAreCounted) {
  Buffer buffer(4);
  buffer.add({1, 7}).add({1, 8});
  buffer.words[DebugBuffer::kUsed] += 10;
  buffer.words[DebugBuffer::kLostRecords] = 5;
  EXPECT_EQ(buffer.read({print("%d\n", "i")}).printed,
            "7\n8\n(5 more lines of kernel 'kernel' are dropped: a launch may print 16 bytes)\n");
}

TEST(VulkanDebugBuffer, Failures) {
  DebugSite site = {DebugSite::Kind::Assert, "x must be positive", "", "file.py", 7, 3};
  Buffer buffer;
  buffer.words[DebugBuffer::kFailures] = 3;
  buffer.words[DebugBuffer::kFailedSite] = 2;
  buffer.words[DebugBuffer::kFailedProgram] = 4;
  buffer.words[DebugBuffer::kFailedProgram + 2] = 6;
  buffer.words[DebugBuffer::kFailedThread] = 31;
  EXPECT_EQ(buffer.read({print("", ""), site}).failure,
            "file.py:7:3: assertion failed: x must be positive; in kernel 'kernel', program "
            "(4, 0, 6), thread 31, and in 2 other threads");
  site.file.clear();
  buffer.words[DebugBuffer::kFailures] = 1;
  EXPECT_EQ(buffer.read({print("", ""), site}).failure,
            "assertion failed: x must be positive; in kernel 'kernel', program (4, 0, 6), thread "
            "31");
  site.text.clear();
  EXPECT_EQ(buffer.read({print("", ""), site}).failure,
            "assertion failed; in kernel 'kernel', program (4, 0, 6), thread 31");
  // A number that no site has.
  buffer.words[DebugBuffer::kFailedSite] = 77;
  EXPECT_NE(buffer.read({site}).failure.find("an assertion failed; in kernel 'kernel'"),
            std::string::npos);
}

TEST(VulkanDebugBuffer, FormatsThatDoNotFitTheirValues) {
  // Formats that this compiler never emits are printed literally; nothing is read past the end.
  EXPECT_EQ(Buffer().add({1, 5}).read({print("%s %d\n", "i")}).printed, "%s 5\n");
  EXPECT_EQ(Buffer().add({1, 5}).read({print("%d %d\n", "i")}).printed, "5 %d\n");
  EXPECT_EQ(Buffer().add({1, 5}).read({print("%f\n", "i")}).printed, "%f\n");
  EXPECT_EQ(Buffer().add({1, 5, 6}).read({print("%n%", "ii")}).printed, "%n%");
  EXPECT_EQ(Buffer().add({1, 5}).read({print("%99999999d\n", "i")}).printed, "%99999999d\n");
}

TEST(VulkanDebugBuffer, SpoiltBuffers) {
  const std::vector<DebugSite> sites = {print("%d %lld\n", "il"),
                                        print("%f\n", "d"),
                                        {DebugSite::Kind::Assert, "no", "", "f.py", 1, 1}};
  EXPECT_EQ(readDebugBuffer(sites, {}, "k").printed, "");
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    Buffer buffer(random() % 32);
    buffer.words.shrink_to_fit();
    for (uint32_t &word : buffer.words)
      if (random() % 2)
        word = random() % 2 ? random() % 5 : random();
    DebugReport report = buffer.read(sites);
    EXPECT_LT(report.printed.size(), 20000u);
  }
}

} // namespace
