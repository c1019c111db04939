// The arithmetic by which shared memory is divided, stated for sizes of real devices.
#include "ir/target/MemoryBudget.h"

#include "gtest/gtest.h"

using tilerun::target::MemoryBudget;

namespace {

constexpr int64_t kKilo = 1024;
/// A program's budget on sm_80 and sm_90, and on a small Vulkan device.
const MemoryBudget ampere(163 * kKilo), hopper(227 * kKilo), small(32 * kKilo);

TEST(MemoryBudget, ItsFractions) {
  EXPECT_EQ(small.total(), 32768);
  EXPECT_EQ(small.forRings(), 28672);
  EXPECT_EQ(small.forStoredOperand(), 12288);
  EXPECT_EQ(small.forWarpGroupOperands(), 24576);
  EXPECT_EQ(small.forStoredResult(), 24576);
  EXPECT_EQ(small.forExchange(), 8192);
  EXPECT_EQ(small.forMatrixSlots(), 4096);
}

TEST(MemoryBudget, ProgramsShareAUnit) {
  EXPECT_EQ(hopper.forProgramOf(1), 227 * kKilo);
  // A KiB of each is the target's.
  EXPECT_EQ(hopper.forProgramOf(2), 113 * kKilo);
}

TEST(MemoryBudget, RingsLeaveAnEighth) {
  // 128x64 and 64x256 of 2 bytes: 48 KiB a slot. 7/8 of 227 KiB hold four, of 163 KiB two.
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 0, 0, 0}), 4);
  EXPECT_EQ(ampere.slotsFor({48 * kKilo, 0, 0, 0}), 2);
  // 28 KiB is the whole of a small device's rings; one byte more does not fit.
  EXPECT_EQ(small.slotsFor({28 * kKilo, 0, 0, 0}), 1);
  EXPECT_EQ(small.slotsFor({28 * kKilo + 1, 0, 0, 0}), 0);
}

TEST(MemoryBudget, SlotsShareWithLoopsAroundAndWhatProductsStore) {
  // (203,392 - 32,768) / 49,152 = 3.47, with an operand of 32 KiB that a product stores.
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 0, 32 * kKilo, 32 * kKilo}), 3);
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 96 * kKilo, 32 * kKilo, 32 * kKilo}), 1);
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 227 * kKilo, 0, 0}), 0);
}

TEST(MemoryBudget, SlotsLeaveWhatOtherOpsNeed) {
  // Ops that need 100 KiB at a time: (227 - 100) / 48 = 2.6.
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 0, 0, 100 * kKilo}), 2);
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 0, 0, 227 * kKilo}), 0);
  EXPECT_EQ(hopper.slotsFor({48 * kKilo, 0, 0, 300 * kKilo}), 0);
}

TEST(MemoryBudget, ConversionsTakeWhatIsLeft) {
  EXPECT_EQ(hopper.forConversions(0, 0), 227 * kKilo);
  EXPECT_EQ(hopper.forConversions(192 * kKilo, 0), 35 * kKilo);
  EXPECT_EQ(hopper.forConversions(192 * kKilo, 20 * kKilo), 15 * kKilo);
  // Never less than the minimum piece.
  EXPECT_EQ(hopper.forConversions(192 * kKilo, 35 * kKilo), 1024);
  EXPECT_EQ(hopper.forConversions(300 * kKilo, 0), 1024);
}

TEST(MemoryBudget, PiecesAreTheLargestThatFit) {
  EXPECT_EQ(MemoryBudget::pieceBits(65536, 65536), 0u);
  EXPECT_EQ(MemoryBudget::pieceBits(65536, 65535), 1u);
  EXPECT_EQ(MemoryBudget::pieceBits(65536, 32768), 1u);
  EXPECT_EQ(MemoryBudget::pieceBits(65536, 20000), 2u);
  EXPECT_EQ(MemoryBudget::pieceBits(65536, 1024), 6u);
  EXPECT_EQ(MemoryBudget::pieceBits(512, 1024), 0u);
}

/// Whatever the numbers, rings with the rest fit, and a piece fits beside them.
TEST(MemoryBudget, WhatIsChosenFits) {
  for (int64_t total : {2 * kKilo, 32 * kKilo, 163 * kKilo, 227 * kKilo})
    for (int64_t slot : {512, 3000, 16384, 49152})
      for (int64_t inUse : {0, 1000, 40000})
        for (int64_t others : {0, 900, 33000}) {
          MemoryBudget budget(total);
          int64_t slots = budget.slotsFor({slot, inUse, 0, others});
          if (!slots)
            continue;
          EXPECT_LE(slots * slot + inUse + others, total);
          EXPECT_LE(slots * slot + inUse, budget.forRings());
          int64_t room = budget.forConversions(slots * slot + inUse, others);
          if (slots * slot + inUse + others + MemoryBudget::kLeastConversion <= total) {
            EXPECT_LE(slots * slot + inUse + others + room, total);
            EXPECT_LE(int64_t(65536 >> MemoryBudget::pieceBits(65536, room)), room);
          }
        }
}

} // namespace
