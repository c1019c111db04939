// Vectorization against its definition, tried register by register and thread by thread.
#include "ir/layout/Vectorization.h"
#include "tests/ir/layout/LayoutTesting.h"

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

/// The index of the element at a position when `order` is contiguous, fastest first; the other
/// outputs are far away.
uint64_t indexOf(const LinearLayout &layout, Names order, uint64_t position) {
  auto point = LinearLayout::unpack(layout.getOuts(), layout.applyFlat(position));
  uint64_t index = 0, scale = 1, far = 1 << 20;
  for (llvm::StringRef name : order)
    for (size_t i = 0; i < point.size(); ++i)
      if (layout.getOuts()[i].name == name) {
        index += point[i] * scale;
        scale *= layout.getOuts()[i].size();
        point[i] = 0;
      }
  for (uint64_t other : point) {
    index += other * far;
    far <<= 10;
  }
  return index;
}

bool runsOf(const LinearLayout &layout, Names order, unsigned k) {
  unsigned registerBits = layout.inBits(kRegister), run = 1u << k;
  if (k > registerBits)
    return false;
  for (uint64_t thread = 0; thread < uint64_t(1) << (layout.totalInBits() - registerBits); ++thread)
    for (uint64_t r = 0; r < uint64_t(1) << registerBits; r += run)
      for (uint64_t i = 0; i < run; ++i) {
        uint64_t first = indexOf(layout, order, r | thread << registerBits);
        if (first % run || indexOf(layout, order, (r + i) | thread << registerBits) != first + i)
          return false;
      }
  return true;
}

unsigned bruteForceBits(const LinearLayout &layout, Names order) {
  unsigned k = 0;
  while (runsOf(layout, order, k + 1))
    ++k;
  return k;
}

TEST(VectorizationTest, ConsecutiveRegistersOnAllSmallLayouts) {
  unsigned histogram[4] = {};
  forEachMatrix(3, 4, [&](const BitVectors &bases) {
    LinearLayout layout({Dim("register", 2), Dim("lane", 2)}, {Dim("dim0", 1), Dim("dim1", 2)},
                        bases);
    for (const std::vector<llvm::StringRef> &order :
         {std::vector<llvm::StringRef>{"dim1"}, {"dim1", "dim0"}, {"dim0", "dim1"}}) {
      unsigned expected = bruteForceBits(layout, order);
      ASSERT_EQ(consecutiveRegisterBits(layout, order), expected) << layout.toString();
      ++histogram[expected];
    }
  });
  for (unsigned k = 0; k < 3; ++k)
    EXPECT_GT(histogram[k], 0u);
}

TEST(VectorizationTest, LongestRunsOnAllSmallLayouts) {
  const DimList ins = {Dim("register", 2), Dim("lane", 2)};
  const DimList outs = {Dim("dim0", 1), Dim("dim1", 2)};
  for (const std::vector<llvm::StringRef> &order :
       {std::vector<llvm::StringRef>{"dim1"}, {"dim1", "dim0"}, {"dim0"}})
    forEachMatrix(3, 4, [&](const BitVectors &bases) {
      LinearLayout layout(ins, outs, bases);
      RegisterVectors vectors = longestRuns(layout, order);
      // Runs are consecutive, start aligned, and together are each thread's elements, once each.
      uint64_t run = uint64_t(1) << vectors.withinRun.size();
      for (uint64_t lane = 0; lane < 4; ++lane) {
        std::set<uint64_t> held, inRuns;
        for (uint64_t r = 0; r < 4; ++r)
          held.insert(indexOf(layout, order, r | lane << 2));
        for (uint64_t j = 0; j < uint64_t(1) << vectors.runs.size(); ++j) {
          uint64_t start = xorOf(vectors.runs, j),
                   first = indexOf(layout, order, start | lane << 2);
          ASSERT_EQ(first % run, 0u);
          for (uint64_t i = 0; i < run; ++i) {
            uint64_t r = start ^ xorOf(vectors.withinRun, i);
            uint64_t element = indexOf(layout, order, r | lane << 2);
            ASSERT_EQ(element, first + i);
            ASSERT_TRUE(inRuns.insert(element).second);
          }
        }
        ASSERT_EQ(held, inRuns);
      }
      // No renumbering of the registers gives longer runs.
      unsigned longest = 0;
      forEachMatrix(2, 2, [&](const BitVectors &masks) {
        BitVectors renumbered = {layout.applyFlat(masks[0]), layout.applyFlat(masks[1]), bases[2],
                                 bases[3]};
        longest = std::max(longest, bruteForceBits(LinearLayout(ins, outs, renumbered), order));
      });
      ASSERT_EQ(vectors.withinRun.size(), longest) << layout.toString();
    });
}

TEST(VectorizationTest, LongestRunsRespectTheLimit) {
  LinearLayout layout = LinearLayout::identity1D(4, kRegister, "dim0");
  for (unsigned limit = 0; limit <= 6; ++limit) {
    RegisterVectors vectors = longestRuns(layout, {"dim0"}, limit);
    EXPECT_EQ(vectors.withinRun.size(), std::min(limit, 4u));
    EXPECT_EQ(vectors.runs.size(), 4 - vectors.withinRun.size());
  }
}

TEST(VectorizationTest, WidthIsTheLargestThatEveryLimitAllows) {
  // Sixteen registers in a row; each limit on its own and together, against the definition: the
  // widest power of two that divides each boundary.
  LinearLayout layout =
      LinearLayout::identity1D(4, kRegister, "dim0") * LinearLayout::identity1D(5, kLane, "dim0");
  for (unsigned bytes : {1, 2, 4, 8})
    for (uint64_t contiguity : {1, 2, 3, 8, 12, 64})
      for (uint64_t alignment : {1, 2, 8, 16, 24, 256})
        for (uint64_t mask : {1, 4, 6, 1024}) {
          AccessLimits limits{bytes, contiguity, alignment, mask, 16};
          unsigned expected = 1;
          for (unsigned width = 2; width <= 16; width *= 2)
            if (contiguity % width == 0 && alignment % (width * bytes) == 0 && mask % width == 0 &&
                width * bytes <= 16)
              expected = width;
          ASSERT_EQ(vectorWidth(layout, {"dim0"}, limits), expected);
        }
}

TEST(VectorizationTest, WidthOfAWideElementIsOne) {
  LinearLayout layout = LinearLayout::identity1D(4, kRegister, "dim0");
  AccessLimits limits{32, 16, 1024, 16, 16};
  EXPECT_EQ(vectorWidth(layout, {"dim0"}, limits), 1u);
}

TEST(VectorizationTest, ChosenRegistersFindHiddenRuns) {
  // Registers run along rows first, memory along columns.
  LinearLayout layout = parse("{register = [(1, 0), (0, 1), (0, 2)], lane = [(2, 0)]} -> "
                              "(dim0: 4, dim1: 4)");
  AccessLimits limits{4, 4, 16};
  EXPECT_EQ(vectorWidth(layout, {"dim1"}, limits), 1u);
  EXPECT_EQ(vectorWidth(layout, {"dim1"}, limits, /*mayChooseRegisters=*/true), 4u);
}

TEST(VectorizationTest, PermutingLanesForbidRuns) {
  // Lane 1 holds the pair in reverse: a vector would need a shuffle of its elements.
  LinearLayout layout = parse("{register = [(1)], lane = [(3)]} -> (dim0: 4)");
  EXPECT_EQ(consecutiveRegisterBits(layout, {"dim0"}), 0u);
  EXPECT_TRUE(longestRuns(layout, {"dim0"}).withinRun.empty());
}

} // namespace
