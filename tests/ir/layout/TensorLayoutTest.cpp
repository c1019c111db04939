// Tensor layouts: blocked layouts by counting positions, shape operations by following elements.
#include "ir/layout/TensorLayout.h"
#include "tests/ir/layout/LayoutTesting.h"
#include <functional>
#include <map>

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

LinearLayout blocked(llvm::ArrayRef<int64_t> shape, const BlockedTile &tile) {
  llvm::Expected<LinearLayout> layout = blockedLayout(shape, tile);
  if (layout)
    return std::move(*layout);
  ADD_FAILURE() << llvm::toString(layout.takeError());
  return {};
}

LinearLayout coalesced(llvm::ArrayRef<int64_t> shape, unsigned elements, unsigned threads,
                       unsigned warps, llvm::ArrayRef<unsigned> order) {
  llvm::Expected<LinearLayout> layout = coalescedLayout(shape, elements, threads, warps, order);
  if (layout)
    return std::move(*layout);
  ADD_FAILURE() << llvm::toString(layout.takeError());
  return {};
}

TEST(BlockedLayoutTest, MatchesCoordinateArithmetic) {
  // 2x4 elements a thread, 8x4 threads, 2x2 warps, columns fastest: the tile is 32x32.
  BlockedTile tile{{2, 4}, {8, 4}, {2, 2}, {1, 0}};
  LinearLayout layout = blocked({64, 128}, tile);
  EXPECT_EQ(layout.getIns(),
            llvm::ArrayRef<Dim>({Dim("register", 3 + 3), Dim("lane", 5), Dim("warp", 2)}));
  for (uint64_t r = 0; r < 64; ++r)
    for (uint64_t l = 0; l < 32; ++l)
      for (uint64_t w = 0; w < 4; ++w) {
        uint64_t row = (r / 4) % 2 + 2 * (l / 4) + 16 * (w / 2) + 32 * (r / 32);
        uint64_t column = r % 4 + 4 * (l % 4) + 16 * (w % 2) + 32 * (r / 8 % 4);
        auto point = layout.apply({r, l, w});
        ASSERT_EQ(point[0], row);
        ASSERT_EQ(point[1], column);
      }
}

TEST(BlockedLayoutTest, OrderChangesWhichDimensionIsFast) {
  BlockedTile tile{{2, 2}, {4, 8}, {1, 2}, {0, 1}};
  LinearLayout layout = blocked({8, 32}, tile);
  for (uint64_t r = 0; r < 4; ++r)
    for (uint64_t l = 0; l < 32; ++l)
      for (uint64_t w = 0; w < 2; ++w) {
        auto point = layout.apply({r, l, w});
        ASSERT_EQ(point[0], r % 2 + 2 * (l % 4));
        ASSERT_EQ(point[1], r / 2 + 2 * (l / 4) + 16 * w);
      }
}

TEST(BlockedLayoutTest, EveryElementEquallyOftenOnAllSmallTiles) {
  unsigned layouts = 0;
  for (unsigned code = 0; code < 4096; ++code) {
    auto two = [&](unsigned at) { return 1u << ((code >> at) & 1); };
    auto four = [&](unsigned at) { return 1u << ((code >> at) & 3); };
    if ((code >> 10 & 3) == 3 || (code >> 8 & 3) == 3)
      continue;
    BlockedTile tile{{two(0), two(1)}, {two(2), two(3)}, {two(4), two(5)}, {1, 0}};
    if (code >> 6 & 1)
      tile.order = {0, 1};
    const int64_t shape[] = {int64_t(four(8)), int64_t(four(10))};
    LinearLayout layout = blocked(shape, tile);
    ++layouts;
    ASSERT_TRUE(layout.isSurjective());
    std::map<uint64_t, unsigned> holders;
    for (uint64_t x = 0; x < uint64_t(1) << layout.totalInBits(); ++x)
      ++holders[layout.applyFlat(x)];
    ASSERT_EQ(holders.size(), uint64_t(shape[0] * shape[1]));
    for (auto [element, count] : holders)
      ASSERT_EQ(count, holders.begin()->second);
    // Within a thread nothing is held twice; the number of threads is as asked for.
    ASSERT_TRUE(layout.restrictIns({kRegister}).isInjective());
    ASSERT_EQ(1u << layout.inBits(kLane), tile.threadsPerWarp[0] * tile.threadsPerWarp[1]);
    ASSERT_EQ(1u << layout.inBits(kWarp), tile.warps[0] * tile.warps[1]);
  }
  EXPECT_GT(layouts, 2000u);
}

TEST(BlockedLayoutTest, SmallTensorReplicatesOverThreads) {
  LinearLayout layout = blocked({1, 4}, {{1, 4}, {2, 16}, {4, 1}, {1, 0}});
  EXPECT_EQ(layout.toString(), "{register = [(0, 1), (0, 2)], lane = [(0, 0), (0, 0), (0, 0), "
                               "(0, 0), (0, 0)], warp = [(0, 0), (0, 0)]} -> (dim0: 1, dim1: 4)");
  EXPECT_EQ(layout.freeVariableMask(kLane), 31u);
  EXPECT_EQ(layout.freeVariableMask(kWarp), 3u);
}

TEST(BlockedLayoutTest, Rejects) {
  auto message = [](llvm::ArrayRef<int64_t> shape, BlockedTile tile) {
    return messageOf(blockedLayout(shape, tile));
  };
  EXPECT_EQ(message({3}, {{1}, {1}, {1}, {0}}),
            "dimension 0 has size 3, which is not a power of two");
  EXPECT_EQ(message({0}, {{1}, {1}, {1}, {0}}),
            "dimension 0 has size 0, which is not a power of two");
  EXPECT_EQ(message({-4}, {{1}, {1}, {1}, {0}}),
            "dimension 0 has size -4, which is not a power of two");
  EXPECT_EQ(message({4}, {{1}, {3}, {1}, {0}}),
            "threads per warp of dimension 0 is 3, which is not a power of two");
  EXPECT_EQ(message({4}, {{1}, {0}, {1}, {0}}),
            "threads per warp of dimension 0 is 0, which is not a power of two");
  EXPECT_EQ(message({4}, {{1}, {1}, {1, 1}, {0}}), "warps has 2 entries for 1 dimensions");
  EXPECT_EQ(message({4}, {{1}, {1}, {1}, {1}}), "the order is not a permutation of 1 dimensions");
  EXPECT_EQ(message({4}, {{1}, {1}, {1}, {}}), "the order is not a permutation of 1 dimensions");
  EXPECT_EQ(message({4, 4}, {{1, 1}, {1, 1}, {1, 1}, {0, 0}}),
            "the order is not a permutation of 2 dimensions");
  EXPECT_EQ(message({int64_t(1) << 62, 4}, {{1, 1}, {1, 1}, {1, 1}, {0, 1}}),
            "the tensor has more than 2^63 elements");
  EXPECT_EQ(message({4}, {{1u << 31}, {1u << 31}, {1}, {0}}),
            "the tile has more than 2^32 elements");
  EXPECT_EQ(message({int64_t(1) << 40}, {{1}, {1u << 31}, {1}, {0}}),
            "the layout has more than 2^64 positions");
}

TEST(BlockedLayoutTest, LargestTensorIsSafe) {
  LinearLayout layout = blocked({int64_t(1) << 62, 2}, {{1, 1}, {1, 1}, {1, 1}, {1, 0}});
  EXPECT_EQ(layout.inBits(kRegister), 63u);
  EXPECT_TRUE(layout.isInvertible());
}

TEST(CoalescedLayoutTest, LanesAreContiguousAlongTheFastDimension) {
  LinearLayout layout = coalesced({32, 64}, 4, 32, 4, {1, 0});
  for (uint64_t l = 0; l < 32; ++l)
    for (uint64_t w = 0; w < 4; ++w)
      for (uint64_t r = 0; r < 16; ++r) {
        auto point = layout.apply({r, l, w});
        ASSERT_EQ(point[1], r % 4 + 4 * (l % 16));
        ASSERT_EQ(point[0], l / 16 + 2 * w + 8 * (r / 4));
      }
}

TEST(CoalescedLayoutTest, WarpsContinueAlongTheFastDimension) {
  LinearLayout layout = coalesced({8, 256}, 2, 32, 8, {1, 0});
  for (uint64_t l = 0; l < 32; ++l)
    for (uint64_t w = 0; w < 8; ++w) {
      auto point = layout.apply({0, l, w});
      ASSERT_EQ(point[1], 2 * l + 64 * (w % 4));
      ASSERT_EQ(point[0], w / 4);
    }
}

TEST(CoalescedLayoutTest, CoversEveryShapeWithoutSpecialCases) {
  for (int64_t rows : {1, 2, 16, 128})
    for (int64_t columns : {1, 4, 256})
      for (unsigned elements : {1, 4, 8})
        for (unsigned warps : {1, 4, 32})
          for (unsigned threads : {1, 32, 64}) {
            LinearLayout layout = coalesced({rows, columns}, elements, threads, warps, {1, 0});
            ASSERT_TRUE(layout.isSurjective());
            ASSERT_EQ(1u << layout.inBits(kLane), threads);
            ASSERT_EQ(1u << layout.inBits(kWarp), warps);
            ASSERT_TRUE(layout.restrictIns({kRegister}).isInjective());
            // Threads hold an element twice only if there are more threads than vectors.
            uint64_t vector = std::min<uint64_t>(elements, columns);
            ASSERT_EQ(layout.isInjective(), uint64_t(rows * columns) >= vector * threads * warps);
          }
}

TEST(CoalescedLayoutTest, ScalarAndErrors) {
  LinearLayout scalar = coalesced({}, 4, 32, 4, {});
  EXPECT_EQ(scalar, LinearLayout({Dim("register", 0), Dim("lane", 5), Dim("warp", 2)}, {},
                                 BitVectors(7, 0)));
  EXPECT_EQ(messageOf(coalescedLayout({4}, 3, 32, 4, {0})), "3 is not a power of two");
  EXPECT_EQ(messageOf(coalescedLayout({4}, 1, 0, 4, {0})), "0 is not a power of two");
  EXPECT_EQ(messageOf(coalescedLayout({5}, 1, 1, 4, {0})),
            "dimension 0 has size 5, which is not a power of two");
  EXPECT_EQ(messageOf(coalescedLayout({4}, 1, 1, 4, {2})),
            "the order is not a permutation of 1 dimensions");
  EXPECT_EQ(messageOf(coalescedLayout({int64_t(1) << 60}, 1, 1u << 31, 1u << 31, {0})),
            "the tile has more than 2^32 elements");
}

// Follows elements: a value per coordinate, and where a layout's positions find it.
uint64_t at(const LinearLayout &layout, uint64_t position,
            const std::function<uint64_t(llvm::ArrayRef<uint64_t>)> &tensor) {
  return tensor(LinearLayout::unpack(layout.getOuts(), layout.applyFlat(position)));
}

const LinearLayout &sample() {
  static const LinearLayout layout = parse(
      "{register = [(0, 1), (1, 0)], lane = [(0, 2), (2, 2), (0, 4)], warp = [(0, 0), (4, 1)]} -> "
      "(dim0: 8, dim1: 8)");
  return layout;
}

TEST(ShapeOperationTest, SliceDropsACoordinate) {
  for (unsigned axis : {0u, 1u}) {
    LinearLayout sliced = sliceDim(sample(), axis);
    ASSERT_EQ(sliced.getOuts(), llvm::ArrayRef<Dim>({Dim("dim0", 3)}));
    for (uint64_t x = 0; x < 128; ++x)
      ASSERT_EQ(sliced.applyFlat(x),
                LinearLayout::unpack(sample().getOuts(), sample().applyFlat(x))[1 - axis]);
  }
  // The bits that only moved along the reduced dimension replicate now.
  EXPECT_EQ(sliceDim(sample(), 1).freeVariableMask(kRegister), 1u);
  EXPECT_EQ(sliceDim(sample(), 1).freeVariableMask(kLane), 5u);
  EXPECT_EQ(dropRedundantRegisters(sliceDim(sample(), 1)).inBits(kRegister), 1u);
}

TEST(ShapeOperationTest, ExpandUndoesNothingButTheName) {
  for (unsigned axis : {0u, 1u, 2u}) {
    LinearLayout expanded = expandDim(sample(), axis);
    ASSERT_EQ(expanded.getOuts().size(), 3u);
    ASSERT_EQ(expanded.outBits(dimName(axis)), 0u);
    ASSERT_EQ(sliceDim(expanded, axis), sample());
    for (uint64_t x = 0; x < 128; ++x)
      ASSERT_EQ(expanded.applyFlat(x), sample().applyFlat(x));
  }
}

TEST(ShapeOperationTest, BroadcastThreadsHoldAllCopiesOfTheirElements) {
  LinearLayout column = expandDim(sliceDim(sample(), 1), 1); // 8 x 1
  LinearLayout wide = broadcastDim(column, 1, 2);            // 8 x 4
  ASSERT_EQ(wide.inBits(kRegister), column.inBits(kRegister) + 2);
  for (uint64_t r = 0; r < 4; ++r)
    for (uint64_t copy = 0; copy < 4; ++copy)
      for (uint64_t l = 0; l < 8; ++l)
        for (uint64_t w = 0; w < 4; ++w) {
          auto point = wide.apply({r | copy << 2, l, w});
          ASSERT_EQ(point[0], column.apply({r, l, w})[0]);
          ASSERT_EQ(point[1], copy);
        }
}

TEST(ShapeOperationTest, FitToShapeCutsAndContinues) {
  LinearLayout fitted = fitToShape(sample(), {1, 5}, {1, 0});
  ASSERT_EQ(fitted.inBits(kRegister), 4u);
  for (uint64_t r = 0; r < 16; ++r)
    for (uint64_t l = 0; l < 8; ++l)
      for (uint64_t w = 0; w < 4; ++w) {
        auto point = fitted.apply({r, l, w}), old = sample().apply({r & 3, l, w});
        ASSERT_EQ(point[0], old[0] & 1);
        ASSERT_EQ(point[1], old[1] | (r >> 2) << 3);
      }
  EXPECT_EQ(fitToShape(sample(), {3, 3}, {1, 0}), sample());
}

TEST(ShapeOperationTest, DropRedundantRegistersKeepsElementsPerThread) {
  forEachMatrix(2, 4, [](const BitVectors &bases) {
    // Lanes come first here: elements that other lanes reach as well are not redundant within a
    // thread.
    LinearLayout layout({Dim("lane", 1), Dim("register", 3)}, {Dim("dim0", 2)}, bases);
    LinearLayout dropped = dropRedundantRegisters(layout);
    ASSERT_EQ(dropped.getBases(kLane), layout.getBases(kLane));
    ASSERT_TRUE(dropped.restrictIns({kRegister}).isInjective());
    for (uint64_t lane = 0; lane < 2; ++lane) {
      std::set<uint64_t> before, after;
      for (uint64_t r = 0; r < 8; ++r)
        before.insert(layout.apply({lane, r})[0]);
      for (uint64_t r = 0; r < (1u << dropped.inBits(kRegister)); ++r)
        after.insert(dropped.apply({lane, r})[0]);
      ASSERT_EQ(before, after);
    }
  });
}

TEST(ShapeOperationTest, TransposeFollowsElements) {
  LinearLayout cube = expandDim(sample(), 1).resizeOut("dim1", 2) *
                      LinearLayout::identity1D(1, kRegister, "dim1").resizeOut("dim1", 1);
  LinearLayout moved = transposeDims(cube, {2, 0, 1});
  auto operand = [](llvm::ArrayRef<uint64_t> c) { return c[0] * 100 + c[1] * 10 + c[2]; };
  // result[i, j, k] = operand[j, k, i]
  auto result = [&](llvm::ArrayRef<uint64_t> c) { return operand({c[1], c[2], c[0]}); };
  for (uint64_t x = 0; x < uint64_t(1) << cube.totalInBits(); ++x)
    ASSERT_EQ(at(moved, x, result), at(cube, x, operand));
  EXPECT_EQ(moved.getOuts(), llvm::ArrayRef<Dim>({Dim("dim0", cube.outBits("dim2")),
                                                  Dim("dim1", cube.outBits("dim0")),
                                                  Dim("dim2", cube.outBits("dim1"))}));
}

TEST(ShapeOperationTest, ReshapeKeepsRowMajorIndex) {
  auto operand = [](llvm::ArrayRef<uint64_t> c) { return c[0] * 8 + c[1]; };
  auto result = [](llvm::ArrayRef<uint64_t> c) { return (c[0] * 16 + c[1]) * 2 + c[2]; };
  LinearLayout reshaped = reshapeDims(sample(), {1, 4, 1});
  for (uint64_t x = 0; x < 128; ++x)
    ASSERT_EQ(at(reshaped, x, result), at(sample(), x, operand));
  EXPECT_EQ(reshapeDims(reshaped, {3, 3}), sample());
}

TEST(ShapeOperationTest, JoinPutsOperandsInNeighbouringRegisters) {
  LinearLayout joined = joinLayout(sample());
  ASSERT_EQ(joined.getOuts(),
            llvm::ArrayRef<Dim>({Dim("dim0", 3), Dim("dim1", 3), Dim("dim2", 1)}));
  for (uint64_t r = 0; r < 8; ++r)
    for (uint64_t l = 0; l < 8; ++l)
      for (uint64_t w = 0; w < 4; ++w) {
        auto point = joined.apply({r, l, w}), old = sample().apply({r >> 1, l, w});
        ASSERT_EQ(point[0], old[0]);
        ASSERT_EQ(point[1], old[1]);
        ASSERT_EQ(point[2], r & 1);
      }
  EXPECT_EQ(dropRedundantRegisters(sliceDim(joined, 2)), sample());
  LinearLayout noRegisters = joinLayout(LinearLayout::identity1D(2, kLane, "dim0"));
  EXPECT_EQ(noRegisters, parse("{register = [(0, 1)], lane = [(1, 0), (2, 0)]} -> "
                               "(dim0: 4, dim1: 2)"));
}

} // namespace
