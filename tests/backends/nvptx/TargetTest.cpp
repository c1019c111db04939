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
      // A step along k is 32 bytes. The name says the types; only 8-bit floats are imprecise.
      unsigned bytes = llvm::StringRef(row.name).contains("tf32")  ? 4
                       : llvm::StringRef(row.name).ends_with("16") ? 2
                                                                   : 1;
      EXPECT_EQ(row.k * bytes, 32u) << row.name;
      EXPECT_EQ(row.takesAnyOrder, bytes == 2) << row.name;
      EXPECT_EQ(row.isImprecise, llvm::StringRef(row.name).contains(".e")) << row.name;
      LinearLayout operand = row.operandLayout();
      EXPECT_TRUE(operand.isInvertible()) << row.name;
      EXPECT_EQ(1u << operand.outBits(dimName(0)), 64u) << row.name;
      EXPECT_EQ(1u << operand.outBits(dimName(1)), row.k) << row.name;
    }
  }
}

// The accumulator of m64nNk… in the PTX ISA's words.
TEST(Target, WarpGroupsHoldWhatThePtxIsaSays) {
  auto rows = llvm::cantFail(nvptx::getArchitecture("sm_90a")).info.warpGroupInstructions;
  EXPECT_EQ(rows.front().leastColumns(), 8u);
  for (const target::WarpGroupInstruction &row : rows)
    for (unsigned columns = row.leastColumns(); columns <= row.n; columns *= 2) {
      LinearLayout layout = row.resultLayout(columns);
      ASSERT_EQ(1u << layout.inBits(kRegister), columns / 2);
      for (uint64_t warp = 0; warp < 4; ++warp)
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t i = 0; i < columns / 2; ++i) {
            auto point = layout.apply({i, lane, warp});
            ASSERT_EQ(point[0], 16 * warp + lane / 4 + 8 * (i / 2 % 2));
            ASSERT_EQ(point[1], 8 * (i / 4) + lane % 4 * 2 + i % 2);
          }
    }
}

} // namespace
