// The last step on words: malformed modules are refused, instructions replace calls, and
// capabilities follow from the instructions.
#include "backends/spirv/Fixups.h"

#include "gtest/gtest.h"

using namespace tilerun::spirvbackend;

namespace {

using Words = std::vector<uint32_t>;

Words module(std::initializer_list<Words> instructions, uint32_t bound = 100) {
  Words words{0x07230203, 0x00010600, 0, bound, 0};
  for (const Words &instruction : instructions) {
    words.push_back(uint32_t(instruction.size()) << 16 | instruction[0]);
    words.insert(words.end(), instruction.begin() + 1, instruction.end());
  }
  return words;
}

/// A string's words, the last one with a zero.
Words with(Words start, const std::string &text, Words end = {}) {
  size_t first = start.size();
  start.resize(first + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    start[first + i / 4] |= uint32_t(uint8_t(text[i])) << (8 * (i % 4));
  start.insert(start.end(), end.begin(), end.end());
  return start;
}

std::string errorOf(const Words &words, const Target &target = {}) {
  llvm::Expected<Words> result = fixUp(words, target);
  return result ? "no error" : llvm::toString(result.takeError());
}

bool contains(const Words &words, const Words &part) {
  return std::search(words.begin(), words.end(), part.begin(), part.end()) != words.end();
}

TEST(Fixups, BrokenModulesAreRefused) {
  EXPECT_NE(errorOf({}).find("has no header"), std::string::npos);
  EXPECT_NE(errorOf({1, 2, 3, 4, 5, 0}).find("is not the start of an instruction"),
            std::string::npos);
  EXPECT_NE(errorOf({1, 2, 3, 4, 5, 0x00090011}).find("is not the start of an instruction"),
            std::string::npos);
  EXPECT_NE(llvm::toString(specializeWorkgroup(module({{19, 1}})).takeError()).find("no kernel"),
            std::string::npos);
}

TEST(Fixups, IdZeroInAPhiIsAnError) {
  EXPECT_FALSE(bool(checkPhis(module({{245, 1, 2, 3, 4, 5, 6}}))));
  for (unsigned place : {3u, 5u}) {
    Words phi{245, 1, 2, 3, 4, 5, 6};
    phi[place] = 0;
    EXPECT_NE(errorOf(module({phi})).find("OpPhi with id 0"), std::string::npos);
  }
}

TEST(Fixups, CallsBecomeInstructions) {
  // float 1; void 2; functions 10 and 11; calls with operands 20 and 21.
  Words words = module({{22, 1, 32},
                        {19, 2},
                        with({71, 10, 41}, "tilerun!12 glsl =80 %0 %1", {1}),
                        with({71, 11, 41}, "tilerun!228 %1 =7 %0", {1}),
                        {54, 1, 10, 0, 5},
                        {56},
                        {54, 2, 11, 0, 6},
                        {56},
                        {57, 1, 30, 10, 20, 21},
                        {57, 2, 31, 11, 20, 21}});
  llvm::Expected<Words> result = fixUp(words, {});
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ((*result)[3], 101u) << "one id more: the set";
  EXPECT_TRUE(contains(*result, {7u << 16 | 12, 1, 30, 100, 80, 20, 21}));
  EXPECT_TRUE(contains(*result, {4u << 16 | 228, 21, 7, 20}));
  EXPECT_TRUE(contains(*result, with({6u << 16 | 11, 100}, "GLSL.std.450")));
  EXPECT_FALSE(contains(*result, {5u << 16 | 54, 1, 10, 0, 5}));
  EXPECT_FALSE(contains(*result, {71})) << "linkage is gone";
}

TEST(Fixups, UnknownImportsAreErrors) {
  for (const char *name : {"puts", "tilerun!x", "tilerun!81 %9", "tilerun!81 ?1", "tilerun!81 =x"})
    EXPECT_NE(errorOf(module({{22, 1, 32},
                              with({71, 10, 41}, name, {1}),
                              {54, 1, 10, 0, 5},
                              {56},
                              {57, 1, 30, 10, 20}})),
              "no error")
        << name;
}

TEST(Fixups, CapabilitiesFollowFromTheModule) {
  Target rich;
  rich.hasFloat64 = rich.hasFloat16 = rich.hasStorage16 = rich.hasInt16 = true;
  rich.hasAtomicFloat32Add = true;
  auto has = [&](std::initializer_list<Words> instructions, uint32_t capability) {
    llvm::Expected<Words> result = fixUp(module(instructions), rich);
    EXPECT_TRUE(bool(result)) << llvm::toString(result.takeError());
    return result && contains(*result, {2u << 16 | 17, capability});
  };
  EXPECT_FALSE(has({{21, 1, 32, 0}}, 11));
  EXPECT_TRUE(has({{21, 1, 64, 0}}, 11)) << "Int64";
  EXPECT_TRUE(has({{22, 1, 64}}, 10)) << "Float64";
  EXPECT_TRUE(has({{14, 5348, 3}}, 5345)) << "VulkanMemoryModel";
  EXPECT_TRUE(has({{21, 1, 16, 0}, {32, 2, 5349, 1}}, 4433)) << "StorageBuffer16BitAccess";
  EXPECT_FALSE(has({{21, 1, 16, 0}, {32, 2, 5349, 1}, {61, 1, 3, 4}}, 22)) << "loaded";
  EXPECT_TRUE(has({{21, 1, 16, 0}, {32, 2, 5349, 1}, {128, 1, 3, 4, 5}}, 22)) << "added";
  EXPECT_TRUE(
      has({{21, 1, 16, 0}, {20, 9}, {32, 2, 5349, 1}, {61, 1, 3, 4}, {175, 9, 5, 3, 3}}, 22))
      << "compared alone";
  EXPECT_TRUE(has({{21, 1, 16, 0}, {32, 2, 5349, 1}, {32, 3, 7, 1}, {59, 3, 4, 7}}, 22))
      << "a variable of a function";
  EXPECT_TRUE(has({{22, 1, 16}, {32, 2, 5349, 1}, {61, 1, 3, 4}, {12, 1, 5, 6, 79, 3, 3}}, 9))
      << "a function of GLSL.std.450";
  EXPECT_TRUE(has({{21, 1, 16, 0}}, 22)) << "no access of that width";
  EXPECT_TRUE(has({{22, 1, 32}, {6035, 1, 2, 3, 4, 5, 6}}, 6033)) << "AtomicFloat32AddEXT";
  EXPECT_TRUE(has({{71, 1, 11, 41}}, 61)) << "GroupNonUniform";
}

TEST(Fixups, WhatTheTargetLacksIsAnError) {
  EXPECT_NE(errorOf(module({{22, 1, 64}})).find("64-bit floats (f64)"), std::string::npos);
  EXPECT_NE(errorOf(module({{22, 1, 32}, {5614, 1, 2, 3, 4, 5, 6}})).find("atomic-f32-minmax"),
            std::string::npos);
}

} // namespace
