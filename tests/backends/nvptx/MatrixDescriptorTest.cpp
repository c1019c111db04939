// The address that a tile gives an element is the address from which wgmma takes it by its
// descriptor, for every layout that an operand can have.
#include "backends/nvptx/MatrixDescriptor.h"
#include "tests/backends/nvptx/MatrixReads.h"
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

class MatrixDescriptorTest : public ::testing::TestWithParam<Case> {};

TEST_P(MatrixDescriptorTest, InstructionsReadWhatTheTileHolds) {
  const Case &test = GetParam();
  unsigned step = 32 / test.bytes;
  // As an A operand, dim0 × dim1 is row × k.
  MatrixTile tile{{test.rows, test.k}, test.isKMajor ? 1u : 0u, test.bytes};
  ASSERT_TRUE(tile.isOperand(1, step));
  auto described = nvptx::describe(tile, 1);
  ASSERT_TRUE(described);
  EXPECT_EQ(described->swizzleBytes, test.swizzle);
  for (uint64_t base : {0u, tile.alignment()})
    for (uint64_t firstRow = 0; firstRow < uint64_t(test.rows); firstRow += 64)
      for (uint64_t firstK = 0; firstK < uint64_t(test.k); firstK += step) {
        ASSERT_TRUE(tile.canStartAt(firstRow, firstK));
        uint64_t start = tile.plainByte(firstRow, firstK);
        uint64_t descriptor = described->encode(start) + (base >> 4);
        EXPECT_EQ((descriptor & 0x3fff) * 16, base + start);
        for (uint64_t row = 0; row < std::min<uint64_t>(64, test.rows); ++row)
          for (uint64_t k = 0; k < step; ++k)
            ASSERT_EQ(test::matrixReadAddress(descriptor, test.isKMajor, row, k, test.bytes),
                      tile.permute(base + tile.plainByte(firstRow + row, firstK + k)))
                << "row " << firstRow + row << ", k " << firstK + k;
      }
}

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  const Case &test = info.param;
  return std::to_string(test.rows) + "x" + std::to_string(test.k) + "b" +
         std::to_string(test.bytes) + (test.isKMajor ? "K" : "MN");
}

INSTANTIATE_TEST_SUITE_P(Tiles, MatrixDescriptorTest,
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

TEST(MatrixDescriptor, StartsInsideALineOfTheOtherDimension) {
  // A part of 32 columns of a tile of 64: the start is in the middle of swizzled lines.
  MatrixTile tile{{64, 32}, 0, 2};
  auto described = nvptx::describe(tile, 1);
  ASSERT_TRUE(described);
  uint64_t descriptor = described->encode(tile.plainByte(32, 16));
  for (uint64_t row = 0; row < 32; ++row)
    for (uint64_t k = 0; k < 16; ++k)
      ASSERT_EQ(test::matrixReadAddress(descriptor, false, row, k, 2),
                tile.permute(tile.plainByte(32 + row, 16 + k)));
}

TEST(MatrixDescriptor, AStrideThatAFieldCannotHold) {
  // Pieces of 2048 lines of 128 bytes are 256 KiB, which is 2^14 times 16.
  EXPECT_FALSE(nvptx::describe({{256, 2048}, 0, 2}, 1));
  EXPECT_TRUE(nvptx::describe({{256, 1024}, 0, 2}, 1));
  EXPECT_TRUE(nvptx::describe({{2048, 256}, 1, 2}, 1)); // along k there are no pieces
}

} // namespace
