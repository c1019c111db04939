// Findings of the check of SPIR-V modules: each kind of damage, and a validator's messages.
#include "tests/matrix/SpirvCheck.h"

#include "gtest/gtest.h"

#include <vector>

using namespace tilerun::matrix;

namespace {

using Words = std::vector<uint32_t>;

std::string check(const Words &words) {
  return checkWords({reinterpret_cast<const char *>(words.data()), words.size() * 4});
}

/// A header with the bound 10 and an OpPhi of six operands.
Words withPhi(Words operands) {
  Words words = {0x07230203, 0x00010600, 0, 10, 0, uint32_t(operands.size() + 1) << 16 | 245};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

TEST(SpirvCheck, TakesWholeModules) {
  EXPECT_EQ(check(withPhi({1, 2, 3, 4, 5, 6})), "");
  EXPECT_EQ(check({0x07230203, 0x00010600, 0, 1, 0}), "");
}

TEST(SpirvCheck, FindsWhatIsNoModule) {
  EXPECT_EQ(checkWords("OpCapability"), "no SPIR-V module: 12 bytes");
  EXPECT_EQ(check({}), "no SPIR-V module: 0 bytes");
  EXPECT_EQ(check({0x03022307, 0, 0, 1, 0}), "no SPIR-V module: 20 bytes");
  std::string odd = "abcdefghijklmnopqrstuvw";
  EXPECT_EQ(checkWords(odd), "no SPIR-V module: 23 bytes");
}

TEST(SpirvCheck, FindsIdsThatAreNone) {
  EXPECT_EQ(check(withPhi({1, 2, 0, 4, 5, 6})), "operand 3 of the OpPhi at word 5 is id 0");
  EXPECT_EQ(check(withPhi({1, 2, 3, 4, 10, 6})), "operand 5 of the OpPhi at word 5 is id 10");
  EXPECT_EQ(check(withPhi({1, 2, 3})), "the OpPhi at word 5 has 4 words");
}

TEST(SpirvCheck, FindsInstructionsThatDoNotEnd) {
  Words words = withPhi({1, 2, 3, 4, 5, 6});
  words.pop_back();
  EXPECT_EQ(check(words), "the instruction at word 5 has 7 words, 6 are left");
  EXPECT_EQ(check({0x07230203, 0, 0, 1, 0, 245}),
            "the instruction at word 5 has 0 words, 1 are left");
}

TEST(SpirvCheck, AsksTheValidator) {
  EXPECT_EQ(validate("anything", "/bin/true"), "");
  EXPECT_EQ(validate("anything", "/bin/false"), "status 1");
  EXPECT_NE(validate("anything", "/nonexistent/spirv-val"), "");
  // Quoted as it speaks.
  EXPECT_NE(validate("anything", "/bin/ls").find("target-env"), std::string::npos);
}

} // namespace
