// Targets as text: every word there and back, and errors that say what exists.
#include "backends/spirv/Target.h"

#include "gtest/gtest.h"

using namespace tilerun::spirvbackend;

namespace {

Target parsed(llvm::StringRef text) {
  llvm::Expected<Target> target = parseTarget(text);
  EXPECT_TRUE(bool(target)) << text.str() << ": " << llvm::toString(target.takeError());
  return target ? *target : Target();
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Target> target = parseTarget(text);
  return target ? "no error" : llvm::toString(target.takeError());
}

TEST(Target, EveryWordThereAndBack) {
  EXPECT_EQ(printTarget(parsed("vulkan:1.3")), "vulkan:1.3");
  EXPECT_EQ(printTarget(parsed("1.3")), "vulkan:1.3");
#define X(member, word, text)                                                                      \
  {                                                                                                \
    Target one = parsed("vulkan:1.3," word);                                                       \
    EXPECT_TRUE(one.member) << word;                                                               \
    EXPECT_EQ(printTarget(one), "vulkan:1.3," word);                                               \
    one.member = false;                                                                            \
    EXPECT_EQ(one, Target()) << word;                                                              \
  }
  TILERUN_SPIRV_FEATURES(X)
#undef X
#define X(member, word, otherwise, text)                                                           \
  {                                                                                                \
    Target twice = Target();                                                                       \
    twice.member *= 2;                                                                             \
    std::string printed = "vulkan:1.3," word "=" + std::to_string(2 * otherwise);                  \
    EXPECT_EQ(printTarget(twice), printed);                                                        \
    EXPECT_EQ(parsed(printed), twice);                                                             \
  }
  TILERUN_SPIRV_LIMITS(X)
#undef X
}

TEST(Target, CooperativeShapes) {
  std::string text = "vulkan:1.3,cm=16x16x16:f16:f16:f32,cm=16x8x32:i8:i8:i32";
  Target target = parsed(text);
  ASSERT_EQ(target.cooperativeShapes.size(), 2u);
  EXPECT_EQ(target.cooperativeShapes[1].n, 8u);
  EXPECT_EQ(printTarget(target), text);
}

TEST(Target, ErrorsNameTheWordAndWhatExists) {
  EXPECT_EQ(errorOf("cuda:sm_80"),
            "'cuda:sm_80' is not a Vulkan target; targets begin with 'vulkan:1.3'");
  EXPECT_NE(errorOf("").find("is not a Vulkan target"), std::string::npos);
  std::string unknown = errorOf("vulkan:1.3,f61");
  EXPECT_EQ(unknown.find("'f61' is not a word of a Vulkan target; words are subgroup="), 0u)
      << unknown;
  EXPECT_NE(unknown.find("storage16"), std::string::npos);
  EXPECT_NE(errorOf("vulkan:1.3,subgroup=x").find("needs a number"), std::string::npos);
  EXPECT_NE(errorOf("vulkan:1.3,subgroup=24").find("is not 4, 8, 16, 32, 64 or 128"),
            std::string::npos);
  EXPECT_NE(errorOf("vulkan:1.3,threads=8").find("is not between"), std::string::npos);
  EXPECT_NE(errorOf("vulkan:1.3,push=64").find("128, the least that Vulkan guarantees"),
            std::string::npos);
  for (const char *bad :
       {"16x16:f16:f16:f32", "16x16x16:f16:f16", "16x15x16:f16:f16:f32", "16x16x16:f16:f16:q4", ""})
    EXPECT_NE(errorOf(std::string("vulkan:1.3,cm=") + bad).find("is not a cooperative matrix"),
              std::string::npos)
        << bad;
}

} // namespace
