// A tile as addresses, in two steps, is the tile as a layout; and which tiles are operands.
#include "ir/layout/MatrixTile.h"
#include "ir/layout/Fragments.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <set>

using namespace tilerun;
using namespace tilerun::layout;

namespace {

TEST(MatrixTile, AddressesAreThoseOfTheLayout) {
  for (int64_t rows : {8, 16, 64, 256})
    for (int64_t columns : {8, 16, 64, 256})
      for (unsigned inner : {0u, 1u})
        for (unsigned bytes : {1u, 2u, 4u}) {
          MatrixTile tile{{rows, columns}, inner, bytes};
          if (tile.lineBytes() < MatrixTile::kChunkBytes)
            continue;
          LinearLayout toOffset = *swizzledTile(tile.shape, inner, bytes).invert();
          for (uint64_t start : {0u, tile.alignment()})
            for (uint64_t i = 0; i < uint64_t(rows); ++i)
              for (uint64_t j = 0; j < uint64_t(columns); ++j)
                ASSERT_EQ(tile.permute(start + tile.plainByte(i, j)),
                          start + toOffset.apply({i, j})[0] * bytes)
                    << rows << "x" << columns << "b" << bytes << " inner " << inner << " at " << i
                    << ", " << j;
        }
}

TEST(MatrixTile, SwizzlesAreAsWideAsLines) {
  auto swizzleOf = [](int64_t elements) { return MatrixTile{{64, elements}, 1, 2}.swizzleBytes(); };
  EXPECT_EQ(swizzleOf(8), 0u);
  EXPECT_EQ(swizzleOf(16), 32u);
  EXPECT_EQ(swizzleOf(32), 64u);
  EXPECT_EQ(swizzleOf(64), 128u);
  EXPECT_EQ(swizzleOf(256), 128u);
}

// A start that moves a block by whole chunks is added before chunks are permuted: a part of 32 rows
// of a tile of 64, in the middle of its lines.
TEST(MatrixTile, StartsInsideALineOfTheOtherDimension) {
  MatrixTile tile{{64, 32}, 0, 2};
  LinearLayout toOffset = *swizzledTile(tile.shape, 0, 2).invert();
  ASSERT_TRUE(tile.canStartAt(32, 16));
  uint64_t start = tile.plainByte(32, 16);
  for (uint64_t row = 0; row < 32; ++row)
    for (uint64_t k = 0; k < 16; ++k)
      ASSERT_EQ(tile.permute(start + tile.plainByte(row, k)),
                toOffset.apply({32 + row, 16 + k})[0] * 2);
}

TEST(MatrixTile, WhatCannotBeAnOperand) {
  auto isOperand = [](int64_t rows, int64_t k, unsigned inner, unsigned step = 16) {
    return MatrixTile{{rows, k}, inner, 2}.isOperand(1, step);
  };
  // Steps of 32 bytes along k in lines of 16; lines of 8 bytes; fewer than eight lines.
  EXPECT_FALSE(isOperand(64, 8, 1));
  EXPECT_TRUE(isOperand(64, 8, 1, 8));
  EXPECT_FALSE(isOperand(4, 64, 0));
  EXPECT_FALSE(isOperand(4, 64, 1));
  EXPECT_TRUE(isOperand(8, 64, 1));
  EXPECT_TRUE(isOperand(8, 64, 0));
  EXPECT_FALSE((MatrixTile{{64, 64}, 1, 2}.canStartAt(4, 0)));
  EXPECT_FALSE((MatrixTile{{64, 64}, 1, 2}.canStartAt(8, 4)));
  EXPECT_TRUE((MatrixTile{{64, 64}, 1, 2}.canStartAt(8, 8)));
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

/// How many of the 16-byte chunks of 128 bytes these accesses meet: lines `step` apart at a column.
size_t chunksMet(const LinearLayout &tile, uint64_t firstLine, uint64_t step, uint64_t column) {
  LinearLayout toOffset = *tile.invert();
  std::set<uint64_t> chunks;
  for (uint64_t i = 0; i < 8; ++i)
    chunks.insert(toOffset.apply({firstLine + i * step, column})[0] * 2 % 128 / 16);
  return chunks.size();
}

// Lines eight apart are met by stores across lines, neighbouring ones by reads along them.
TEST(MatrixTile, CrossedTilesMeetEveryBankBothWays) {
  for (int64_t inner : {16, 32, 64, 256}) {
    LinearLayout crossed = crossedTile({128, inner}, 1, 2),
                 plain = swizzledTile({128, inner}, 1, 2);
    EXPECT_TRUE(crossed.invert());
    for (uint64_t column = 0; column < uint64_t(inner); column += 8) {
      for (uint64_t line = 0; line < 128; line += 8)
        EXPECT_EQ(chunksMet(crossed, line, 1, column), 8u) << inner;
      EXPECT_EQ(chunksMet(crossed, 0, 8, column), 8u) << inner;
      EXPECT_EQ(chunksMet(plain, 0, 8, column), 1u) << inner;
    }
  }
}

// Lanes that gfx9 serves at once are lines 0, 1, 2, 3 and the same with 20 more; stores of words
// across lines are those of eight lines 4, 8 or 16 apart, at four places of a chunk.
TEST(MatrixTile, CrossedTilesAreForPhasesOfOtherLanesToo) {
  for (unsigned bytes : {1, 2})
    for (int64_t inner : {32, 64, 128}) {
      LinearLayout toOffset = *crossedTile({128, inner}, 1, bytes).invert();
      auto countChunks = [&](std::initializer_list<uint64_t> lines) {
        std::set<uint64_t> chunks;
        for (uint64_t line : lines)
          chunks.insert(toOffset.apply({line, 0})[0] * bytes / 16 % 8);
        return chunks.size();
      };
      EXPECT_EQ(countChunks({0, 1, 2, 3, 20, 21, 22, 23}), 8u) << inner << " of " << bytes;
      for (uint64_t step : {4, 8, 16})
        EXPECT_EQ(
            countChunks({0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step}), 8u)
            << inner << " of " << bytes << ", lines " << step << " apart";
    }
}

/// How many of 64 banks of 4 bytes the lines meet whose numbers are all sums of `lineBits`, with
/// `bytes` neighbours of each from `column` on.
size_t banksMet(const LinearLayout &tile, llvm::ArrayRef<unsigned> lineBits, uint64_t column,
                unsigned bytes, unsigned elementBytes) {
  LinearLayout toOffset = *tile.invert();
  std::set<uint64_t> banks;
  for (uint64_t number = 0; number < uint64_t(1) << lineBits.size(); ++number) {
    uint64_t line = 0;
    for (auto [i, bit] : llvm::enumerate(lineBits))
      line |= (number >> i & 1) << bit;
    for (unsigned byte = 0; byte < bytes; byte += 4)
      banks.insert(toOffset.apply({line, column + byte / elementBytes})[0] * elementBytes % 256 /
                   4);
  }
  return banks.size();
}

TEST(MatrixTile, TurnedTilesMeetEveryBankOnce) {
  for (int64_t lineBytes : {64, 128, 512}) {
    LinearLayout wide = turnedTile({64, lineBytes / 2}, 1, 2),
                 narrow = turnedTile({64, lineBytes}, 1, 1);
    EXPECT_TRUE(wide.invert());
    EXPECT_TRUE(narrow.invert());
    for (int64_t byte = 0; byte < lineBytes; byte += 64) {
      for (unsigned bit : {2u, 3u})
        EXPECT_EQ(banksMet(wide, {0, 1, bit}, byte / 2, 32, 2), 64u) << lineBytes;
      EXPECT_EQ(banksMet(wide, {0, 1}, byte / 2, 64, 2), 64u) << lineBytes;
      for (auto [third, fourth] : {std::pair(2u, 4u), {2u, 5u}, {3u, 4u}, {3u, 5u}})
        EXPECT_EQ(banksMet(narrow, {0, 1, third, fourth}, byte, 16, 1), 64u) << lineBytes;
      for (unsigned bit : {2u, 3u})
        EXPECT_EQ(banksMet(narrow, {0, 1, bit}, byte, 32, 1), 64u) << lineBytes;
    }
  }
  // Lines that no read has together are at constant distances.
  const LinearLayout wide = *turnedTile({64, 64}, 1, 2).invert();
  for (uint64_t line = 0; line < 16; ++line)
    for (uint64_t step : {16, 32, 48})
      EXPECT_EQ(wide.apply({line + step, 24})[0], wide.apply({line, 24})[0] + step * 64);
  // Lines of 32 bytes have too few pieces to be kept apart.
  EXPECT_EQ(banksMet(turnedTile({64, 16}, 1, 2), {0, 1, 2}, 0, 32, 2), 64u);
  EXPECT_EQ(banksMet(turnedTile({64, 16}, 1, 2), {0, 1, 3}, 0, 32, 2), 32u);
  // Columns of the swizzle for reads along lines meet the same banks.
  EXPECT_LT(banksMet(swizzledTile({64, 64}, 1, 2), {0, 1}, 0, 64, 2), 64u);
}

/// Banks of four bytes among 64 that 16 lanes meet which read 16 bytes each: lanes whose numbers
/// have the same bit 5 and an even parity of bits 2 to 4, with rows in the low bits of the lane's
/// number and chunks in the others.
size_t banksMetByLanes(const LinearLayout &tile, unsigned rowBits, unsigned elementBytes) {
  LinearLayout toOffset = *tile.invert();
  std::set<uint64_t> banks;
  for (uint64_t lane = 0; lane < 32; ++lane) {
    if (llvm::popcount(lane >> 2) % 2)
      continue;
    uint64_t row = lane % (1 << rowBits), chunk = lane >> rowBits;
    uint64_t byte = toOffset.apply({row, chunk * 16 / elementBytes})[0] * elementBytes;
    for (unsigned word = 0; word < 16; word += 4)
      banks.insert((byte + word) % 256 / 4);
  }
  return banks.size();
}

TEST(MatrixTile, TurnedTilesMeetEveryBankOnceAlongLines) {
  for (unsigned bytes : {1, 2, 4})
    for (int64_t lineBytes : {64, 128, 256})
      for (unsigned rowBits : {4, 5})
        EXPECT_EQ(banksMetByLanes(turnedTile({64, lineBytes / bytes}, 1, bytes), rowBits, bytes),
                  64u)
            << bytes << " " << lineBytes << " " << rowBits;
  EXPECT_LT(banksMetByLanes(swizzledTile({64, 64}, 1, 2), 5, 2), 64u);
}

TEST(MatrixTile, TurnedTilesOfWordsAreStoredAcrossLines) {
  // Eight lanes store 16 bytes each, to lines that are 2 or 4 apart: 32 banks, each once; of lines
  // of 64 bytes that are 2 apart, half of them twice.
  for (int64_t lineBytes : {64, 128, 256})
    for (uint64_t step : {2, 4})
      for (uint64_t first : {0, 1}) {
        LinearLayout toOffset = *turnedTile({64, lineBytes / 4}, 1, 4).invert();
        std::set<uint64_t> banks;
        for (uint64_t lane = 0; lane < 8; ++lane)
          for (uint64_t word = 0; word < 4; ++word)
            banks.insert(toOffset.apply({first + lane * step, 4 + word})[0] % 32);
        EXPECT_EQ(banks.size(), lineBytes == 64 && step == 2 ? 16u : 32u)
            << lineBytes << " " << step << " " << first;
      }
}

TEST(MatrixTile, TurnedTilesOfWordsAreReadAcrossLines) {
  for (int64_t columns : {32, 64}) {
    LinearLayout tile = turnedTile({32, columns}, 1, 4);
    for (unsigned bit = 0; bit < 5; ++bit) {
      EXPECT_EQ(banksMet(tile, {bit}, 0, 128, 4), 64u) << columns << " " << bit;
      for (uint64_t column = 0; column < 32 && bit < 4; column += 16)
        EXPECT_EQ(banksMet(tile, {bit, bit + 1}, column, 64, 4), 64u) << columns << " " << bit;
    }
  }
}

TEST(MatrixTile, WhatIsReadTransposed) {
  // Columns in lanes, rows (k) in registers.
  const LinearLayout operand = fragmentLayout(FragmentKind::Mfma32x32x16B);
  EXPECT_TRUE(isReadTransposed(operand, 1, 2));
  EXPECT_FALSE(isReadTransposed(operand, 0, 2)); // neighbours along k are a lane's own
  EXPECT_FALSE(isReadTransposed(operand, 1, 4));
  EXPECT_TRUE(isReadTransposed(operand, 1, 1)); // eight registers
  EXPECT_FALSE(isReadTransposed(fragmentLayout(FragmentKind::Mfma32x32x8B), 1, 1)); // four
  EXPECT_TRUE(isReadTransposed(fragmentLayout(FragmentKind::Mfma32x32x16A), 0, 2));
}

} // namespace
