// The table of architectures and matrix instructions.
#include "backends/nvptx/Target.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::layout;

namespace {

const char *kNames[] = {"sm_75",  "sm_80",  "sm_86",   "sm_87",  "sm_89",  "sm_90",
                        "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_120", "sm_120a"};

TEST(Target, EveryArchitectureIsKnownWithAndWithoutItsKind) {
  for (const char *name : kNames) {
    auto plain = nvptx::getArchitecture(name);
    ASSERT_TRUE(bool(plain)) << name;
    auto full = nvptx::getArchitecture(std::string("cuda:") + name);
    ASSERT_TRUE(bool(full)) << name;
    EXPECT_EQ(plain->name, name);
    EXPECT_EQ(full->info.name, std::string("cuda:") + name);
    EXPECT_EQ(plain->info.warpSize, 32u);
    EXPECT_EQ(plain->info.hasAsyncCopy, plain->number >= 80);
  }
}

TEST(Target, AnUnknownOneIsRefusedWithTheList) {
  auto unknown = nvptx::getArchitecture("sm_1");
  ASSERT_FALSE(bool(unknown));
  std::string text = llvm::toString(unknown.takeError());
  EXPECT_NE(text.find("unknown NVIDIA architecture 'sm_1'"), std::string::npos) << text;
  EXPECT_NE(text.find("sm_90a"), std::string::npos) << text;
}

// A fragment holds each element of its matrix exactly once in the warp, and the three agree on
// sizes.
TEST(Target, FragmentsAreBijections) {
  for (const char *name : kNames)
    for (const target::MatrixInstruction &row :
         llvm::cantFail(nvptx::getArchitecture(name)).info.matrixInstructions) {
      std::tuple<const LinearLayout *, unsigned, unsigned> operands[] = {
          {&row.aLayout, row.m, row.k}, {&row.bLayout, row.k, row.n}, {&row.dLayout, row.m, row.n}};
      for (auto [layout, rows, columns] : operands) {
        EXPECT_TRUE(layout->isInvertible()) << row.name;
        EXPECT_EQ(layout->inBits(kLane), 5u) << row.name;
        EXPECT_EQ(1u << layout->outBits(dimName(0)), rows) << row.name;
        EXPECT_EQ(1u << layout->outBits(dimName(1)), columns) << row.name;
      }
      // The instruction's name says its shape.
      std::string shape = "m" + std::to_string(row.m) + "n" + std::to_string(row.n) + "k" +
                          std::to_string(row.k) + ".";
      EXPECT_EQ(row.name.rfind(shape, 0), 0u) << row.name;
    }
}

TEST(Target, OnlyOneArchitectureHasInstructionsOfWarpGroups) {
  for (const char *name : kNames) {
    auto rows = llvm::cantFail(nvptx::getArchitecture(name)).info.warpGroupInstructions;
    EXPECT_EQ(rows.empty(), llvm::StringRef(name) != "sm_90a") << name;
    for (const target::WarpGroupInstruction &row : rows) {
      // A step along k is 32 bytes.
      unsigned bytes = llvm::StringRef(row.types).contains("tf32")  ? 4
                       : llvm::StringRef(row.types).ends_with("16") ? 2
                                                                    : 1;
      EXPECT_EQ(row.k * bytes, 32u) << row.types;
      EXPECT_EQ(row.takesAnyOrder, bytes == 2) << row.types;
    }
  }
}

} // namespace
