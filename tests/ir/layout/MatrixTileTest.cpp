// The address that a tile's layout gives an element is the address from which a matrix instruction
// takes it, for every layout that an operand can have.
#include "ir/layout/MatrixTile.h"
#include "tests/ir/layout/MatrixReads.h"
#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::layout;

namespace {

struct Case {
  int64_t rows, k;
  unsigned bytes;
  bool isKMajor;
  unsigned swizzle;
};

class MatrixTileTest : public ::testing::TestWithParam<Case> {};

TEST_P(MatrixTileTest, InstructionsReadWhatTheLayoutWrites) {
  const Case &test = GetParam();
  // As an A operand, dim0 × dim1 is row × k.
  llvm::SmallVector<int64_t, 2> shape{test.rows, test.k};
  unsigned inner = test.isKMajor ? 1 : 0;
  LinearLayout tile = swizzledTile(shape, inner, test.bytes);
  auto described = describeTile(shape, inner, test.bytes, 1);
  ASSERT_TRUE(described);
  EXPECT_EQ(described->isKMajor, test.isKMajor);
  EXPECT_EQ(described->swizzleBytes, test.swizzle);
  LinearLayout toOffset = *tile.invert();
  auto offsetOf = [&](uint64_t row, uint64_t k) {
    return toOffset.apply({row, k})[0] * test.bytes;
  };
  uint64_t descriptor = described->encode();
  EXPECT_EQ(descriptor & 0xffff, 0u);
  uint64_t step = 32 / test.bytes;
  for (uint64_t base : {uint64_t(0), uint64_t(described->alignment())})
    for (uint64_t firstRow = 0; firstRow < uint64_t(test.rows); firstRow += 64)
      for (uint64_t firstK = 0; firstK < uint64_t(test.k); firstK += step) {
        // The start is where the first element of the instruction's part lies.
        uint64_t start = base + offsetOf(firstRow, firstK);
        EXPECT_EQ(start % 16, 0u);
        for (uint64_t row = 0; row < std::min<uint64_t>(64, test.rows); ++row)
          for (uint64_t k = 0; k < step; ++k)
            ASSERT_EQ(test::matrixReadAddress(descriptor, test.isKMajor, start, row, k, test.bytes),
                      base + offsetOf(firstRow + row, firstK + k))
                << "row " << firstRow + row << ", k " << firstK + k;
      }
}

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  const Case &test = info.param;
  return std::to_string(test.rows) + "x" + std::to_string(test.k) + "b" +
         std::to_string(test.bytes) + (test.isKMajor ? "K" : "MN");
}

INSTANTIATE_TEST_SUITE_P(Tiles, MatrixTileTest,
                         ::testing::Values(Case{64, 16, 2, true, 32}, Case{64, 32, 2, true, 64},
                                           Case{64, 64, 2, true, 128}, Case{128, 128, 2, true, 128},
                                           Case{256, 64, 2, true, 128}, Case{8, 64, 2, true, 128},
                                           Case{64, 32, 1, true, 32}, Case{64, 64, 1, true, 64},
                                           Case{64, 256, 1, true, 128}, Case{64, 8, 4, true, 32},
                                           Case{64, 64, 4, true, 128}, Case{8, 16, 2, false, 0},
                                           Case{16, 16, 2, false, 32}, Case{32, 64, 2, false, 64},
                                           Case{64, 16, 2, false, 128},
                                           Case{256, 64, 2, false, 128},
                                           Case{128, 32, 2, false, 128}),
                         nameOf);

TEST(MatrixTile, StartsInsideALineOfTheOtherDimension) {
  // A part of 32 columns of a tile of 64: the start is in the middle of swizzled lines.
  llvm::SmallVector<int64_t, 2> shape{64, 32};
  LinearLayout toOffset = *swizzledTile(shape, 0, 2).invert();
  auto described = describeTile(shape, 0, 2, 1);
  ASSERT_TRUE(described);
  uint64_t start = toOffset.apply({32, 16})[0] * 2;
  for (uint64_t row = 0; row < 32; ++row)
    for (uint64_t k = 0; k < 16; ++k)
      ASSERT_EQ(test::matrixReadAddress(described->encode(), false, start, row, k, 2),
                toOffset.apply({32 + row, 16 + k})[0] * 2);
}

TEST(MatrixTile, WhatHasNoDescription) {
  // Steps of 32 bytes along k in lines of 16; lines of 8 bytes; fewer lines than a core matrix has.
  EXPECT_FALSE(describeTile({64, 8}, 1, 2, 1));
  EXPECT_FALSE(describeTile({4, 64}, 0, 2, 1));
  EXPECT_FALSE(describeTile({4, 64}, 1, 2, 1));
  EXPECT_TRUE(describeTile({8, 64}, 1, 2, 1));
}

TEST(MatrixTile, ColumnsOfLinesMeetEveryBank) {
  for (int64_t inner : {16, 32, 64, 256}) {
    LinearLayout toOffset = *swizzledTile({64, inner}, 1, 2).invert();
    for (uint64_t chunk = 0; chunk < uint64_t(inner) / 8; ++chunk) {
      std::set<uint64_t> banks;
      for (uint64_t line = 0; line < 8; ++line)
        banks.insert(toOffset.apply({line, chunk * 8})[0] * 2 % 128);
      EXPECT_EQ(banks.size(), 8u);
    }
  }
}

} // namespace
