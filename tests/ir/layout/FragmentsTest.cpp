// Matrix fragments against the index equations of the PTX ISA and of AMD's ISA guides, coded here
// with divisions and remainders instead of bases.
#include "ir/layout/Fragments.h"
#include "ir/layout/Conversion.h"
#include "ir/layout/TensorLayout.h"
#include "tests/ir/layout/LayoutTesting.h"
#include <functional>

using namespace tilerun::layout;
using namespace tilerun::layout::testing;

namespace {

struct Point {
  uint64_t row, column;
};
using Formula = std::function<Point(uint64_t lane, uint64_t i)>;

void expectFormula(FragmentKind kind, unsigned registers, uint64_t rows, uint64_t columns,
                   const Formula &formula) {
  LinearLayout layout = fragmentLayout(kind);
  const FragmentInfo &info = allFragments()[static_cast<size_t>(kind)];
  ASSERT_EQ(info.kind, kind);
  ASSERT_EQ(1u << layout.inBits(kLane), info.lanes);
  ASSERT_EQ(1u << layout.inBits(kRegister), registers);
  ASSERT_EQ(layout.getOuts()[0].size(), rows);
  ASSERT_EQ(layout.getOuts()[1].size(), columns);
  for (uint64_t lane = 0; lane < info.lanes; ++lane)
    for (uint64_t i = 0; i < registers; ++i) {
      auto point = layout.apply({i, lane});
      Point expected = formula(lane, i);
      ASSERT_EQ(point[0], expected.row) << info.name.str() << " lane " << lane << " element " << i;
      ASSERT_EQ(point[1], expected.column)
          << info.name.str() << " lane " << lane << " element " << i;
    }
}

TEST(FragmentsTest, MmaAccumulator) {
  expectFormula(FragmentKind::MmaD, 4, 16, 8, [](uint64_t lane, uint64_t i) {
    uint64_t group = lane / 4, inGroup = lane % 4;
    return Point{i < 2 ? group : group + 8, inGroup * 2 + i % 2};
  });
}

TEST(FragmentsTest, MmaA16) {
  expectFormula(FragmentKind::MmaA16, 8, 16, 16, [](uint64_t lane, uint64_t i) {
    uint64_t group = lane / 4, inGroup = lane % 4;
    bool upper = i < 2 || (i >= 4 && i < 6);
    return Point{upper ? group : group + 8, inGroup * 2 + i % 2 + (i >= 4 ? 8 : 0)};
  });
}

TEST(FragmentsTest, MmaB16) {
  expectFormula(FragmentKind::MmaB16, 4, 16, 8, [](uint64_t lane, uint64_t i) {
    return Point{lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4};
  });
}

TEST(FragmentsTest, MmaA8) {
  expectFormula(FragmentKind::MmaA8, 16, 16, 32, [](uint64_t lane, uint64_t i) {
    uint64_t group = lane / 4, inGroup = lane % 4;
    bool upper = i < 4 || (i >= 8 && i < 12);
    return Point{upper ? group : group + 8, inGroup * 4 + i % 4 + (i >= 8 ? 16 : 0)};
  });
}

TEST(FragmentsTest, MmaB8) {
  expectFormula(FragmentKind::MmaB8, 8, 32, 8, [](uint64_t lane, uint64_t i) {
    return Point{lane % 4 * 4 + i % 4 + (i >= 4 ? 16 : 0), lane / 4};
  });
}

TEST(FragmentsTest, MmaA32) {
  expectFormula(FragmentKind::MmaA32, 4, 16, 8, [](uint64_t lane, uint64_t i) {
    bool upper = i == 0 || i == 2;
    return Point{upper ? lane / 4 : lane / 4 + 8, lane % 4 + (i >= 2 ? 4 : 0)};
  });
}

TEST(FragmentsTest, MmaB32) {
  expectFormula(FragmentKind::MmaB32, 2, 8, 8, [](uint64_t lane, uint64_t i) {
    return Point{lane % 4 + (i == 1 ? 4 : 0), lane / 4};
  });
}

TEST(FragmentsTest, MmaShorterInner) {
  // m16n8k8 of 16-bit elements.
  expectFormula(FragmentKind::MmaA16K8, 4, 16, 8, [](uint64_t lane, uint64_t i) {
    return Point{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + i % 2};
  });
  expectFormula(FragmentKind::MmaB16K8, 2, 8, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane % 4 * 2 + i, lane / 4}; });
  // m16n8k16 of 8-bit elements.
  expectFormula(FragmentKind::MmaA8K16, 8, 16, 16, [](uint64_t lane, uint64_t i) {
    return Point{i < 4 ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + i % 4};
  });
  expectFormula(FragmentKind::MmaB8K16, 4, 16, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane % 4 * 4 + i, lane / 4}; });
}

TEST(FragmentsTest, MmaDouble) {
  expectFormula(FragmentKind::MmaA64K4, 2, 16, 4, [](uint64_t lane, uint64_t i) {
    return Point{i == 0 ? lane / 4 : lane / 4 + 8, lane % 4};
  });
  expectFormula(FragmentKind::MmaB64K4, 1, 4, 8,
                [](uint64_t lane, uint64_t) { return Point{lane % 4, lane / 4}; });
  expectFormula(FragmentKind::MmaA64K8, 4, 16, 8, [](uint64_t lane, uint64_t i) {
    return Point{i == 0 || i == 2 ? lane / 4 : lane / 4 + 8, i < 2 ? lane % 4 : lane % 4 + 4};
  });
  expectFormula(FragmentKind::MmaB64K8, 2, 8, 8, [](uint64_t lane, uint64_t i) {
    return Point{i == 0 ? lane % 4 : lane % 4 + 4, lane / 4};
  });
  expectFormula(FragmentKind::MmaA64K16, 8, 16, 16, [](uint64_t lane, uint64_t i) {
    return Point{i % 2 == 0 ? lane / 4 : lane / 4 + 8, i / 2 * 4 + lane % 4};
  });
  expectFormula(FragmentKind::MmaB64K16, 4, 16, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane % 4 + i * 4, lane / 4}; });
}

TEST(FragmentsTest, MmaEightRows) {
  expectFormula(FragmentKind::Mma8D, 2, 8, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane / 4, lane % 4 * 2 + i}; });
  expectFormula(FragmentKind::Mma8A64, 1, 8, 4,
                [](uint64_t lane, uint64_t) { return Point{lane / 4, lane % 4}; });
  expectFormula(FragmentKind::Mma8B64, 1, 4, 8,
                [](uint64_t lane, uint64_t) { return Point{lane % 4, lane / 4}; });
  expectFormula(FragmentKind::Mma8A8, 4, 8, 16,
                [](uint64_t lane, uint64_t i) { return Point{lane / 4, lane % 4 * 4 + i}; });
  expectFormula(FragmentKind::Mma8B8, 4, 16, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane % 4 * 4 + i, lane / 4}; });
}

TEST(FragmentsTest, Mfma32x32x8) {
  expectFormula(FragmentKind::Mfma32D, 16, 32, 32, [](uint64_t lane, uint64_t i) {
    return Point{8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32};
  });
}

TEST(FragmentsTest, Mfma16x16x16) {
  expectFormula(FragmentKind::Mfma16D, 4, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{4 * (lane / 16) + i, lane % 16}; });
}

TEST(FragmentsTest, MfmaOfFloat64) {
  expectFormula(FragmentKind::Mfma16D64, 4, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{i * 4 + lane / 16, lane % 16}; });
}

// A lane has its row's share of k, neighbours.
TEST(FragmentsTest, MfmaOperands) {
  using K = FragmentKind;
  struct Shape {
    K a, b;
    uint64_t rows, k;
  };
  for (const Shape &shape :
       std::initializer_list<Shape>{{K::Mfma32x32x2A, K::Mfma32x32x2B, 32, 2},
                                    {K::Mfma32x32x4A, K::Mfma32x32x4B, 32, 4},
                                    {K::Mfma32x32x8A, K::Mfma32x32x8B, 32, 8},
                                    {K::Mfma32x32x16A, K::Mfma32x32x16B, 32, 16},
                                    {K::Mfma32x32x32A, K::Mfma32x32x32B, 32, 32},
                                    {K::Mfma16x16x4A, K::Mfma16x16x4B, 16, 4},
                                    {K::Mfma16x16x8A, K::Mfma16x16x8B, 16, 8},
                                    {K::Mfma16x16x16A, K::Mfma16x16x16B, 16, 16},
                                    {K::Mfma16x16x32A, K::Mfma16x16x32B, 16, 32},
                                    {K::Mfma16x16x64A, K::Mfma16x16x64B, 16, 64},
                                    {K::Mfma32x32x64A4, K::Mfma32x32x64B4, 32, 64},
                                    {K::Mfma16x16x128A4, K::Mfma16x16x128B4, 16, 128}}) {
    const uint64_t perLane = shape.rows * shape.k / 64;
    auto row = [&](uint64_t lane) { return lane % shape.rows; };
    auto inner = [&](uint64_t lane, uint64_t i) { return lane / shape.rows * perLane + i; };
    expectFormula(shape.a, perLane, shape.rows, shape.k,
                  [&](uint64_t lane, uint64_t i) { return Point{row(lane), inner(lane, i)}; });
    expectFormula(shape.b, perLane, shape.k, shape.rows,
                  [&](uint64_t lane, uint64_t i) { return Point{inner(lane, i), row(lane)}; });
  }
}

// The longest ones of 8 bits: 16 neighbours of each half of k.
TEST(FragmentsTest, MfmaOperandsInHalves) {
  using K = FragmentKind;
  for (auto [a, b, rows, k] : {std::tuple(K::Mfma32x32x64A8, K::Mfma32x32x64B8, 32u, 64u),
                               std::tuple(K::Mfma16x16x128A8, K::Mfma16x16x128B8, 16u, 128u)}) {
    auto row = [rows = rows](uint64_t lane) { return lane % rows; };
    auto inner = [rows = rows, k = k](uint64_t lane, uint64_t i) {
      return i / 16 * (k / 2) + lane / rows * 16 + i % 16;
    };
    expectFormula(a, 32, rows, k,
                  [&](uint64_t lane, uint64_t i) { return Point{row(lane), inner(lane, i)}; });
    expectFormula(b, 32, k, rows,
                  [&](uint64_t lane, uint64_t i) { return Point{inner(lane, i), row(lane)}; });
  }
}

TEST(FragmentsTest, WmmaGfx12) {
  expectFormula(FragmentKind::WmmaGfx12D, 8, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{i + lane / 16 * 8, lane % 16}; });
  auto inner16 = [](uint64_t lane, uint64_t i) { return i % 4 + i / 4 * 8 + lane / 16 * 4; };
  expectFormula(FragmentKind::WmmaGfx12A16, 8, 16, 16,
                [&](uint64_t lane, uint64_t i) { return Point{lane % 16, inner16(lane, i)}; });
  expectFormula(FragmentKind::WmmaGfx12B16, 8, 16, 16,
                [&](uint64_t lane, uint64_t i) { return Point{inner16(lane, i), lane % 16}; });
  expectFormula(FragmentKind::WmmaGfx12A8, 8, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{lane % 16, i + lane / 16 * 8}; });
  expectFormula(FragmentKind::WmmaGfx12B8, 8, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{i + lane / 16 * 8, lane % 16}; });
}

TEST(FragmentsTest, WmmaGfx11) {
  expectFormula(FragmentKind::WmmaGfx11D, 8, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{2 * i + lane / 16, lane % 16}; });
}

TEST(FragmentsTest, AmdOperands) {
  // A lane has four consecutive k of one row of A, or of one column of B.
  expectFormula(FragmentKind::Mfma32x32x8A, 4, 32, 8,
                [](uint64_t lane, uint64_t i) { return Point{lane % 32, 4 * (lane / 32) + i}; });
  expectFormula(FragmentKind::Mfma32x32x8B, 4, 8, 32,
                [](uint64_t lane, uint64_t i) { return Point{4 * (lane / 32) + i, lane % 32}; });
  expectFormula(FragmentKind::Mfma16x16x16A, 4, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{lane % 16, 4 * (lane / 16) + i}; });
  expectFormula(FragmentKind::Mfma16x16x16B, 4, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{4 * (lane / 16) + i, lane % 16}; });
  // On gfx11 a lane has all of k, and lanes 16 to 31 repeat lanes 0 to 15.
  expectFormula(FragmentKind::WmmaGfx11A, 16, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{lane % 16, i}; });
  expectFormula(FragmentKind::WmmaGfx11B, 16, 16, 16,
                [](uint64_t lane, uint64_t i) { return Point{i, lane % 16}; });
}

TEST(FragmentsTest, EveryFragmentCoversItsMatrixAndHasAName) {
  std::set<std::string> names;
  for (const FragmentInfo &info : allFragments()) {
    LinearLayout layout = fragmentLayout(info.kind);
    EXPECT_TRUE(layout.isSurjective()) << info.name.str();
    bool replicated =
        info.kind == FragmentKind::WmmaGfx11A || info.kind == FragmentKind::WmmaGfx11B;
    EXPECT_EQ(layout.freeVariableMask(kLane), replicated ? 16u : 0u) << info.name.str();
    EXPECT_EQ(layout.freeVariableMask(kRegister), 0u) << info.name.str();
    EXPECT_TRUE(names.insert(info.name.str()).second) << info.name.str();
    EXPECT_FALSE(info.description.empty());
  }
  EXPECT_EQ(names.size(), 61u);
}

TEST(FragmentsTest, TilingFollowsCoordinates) {
  // 64 x 32 over 2 x 2 warps: a warp tile is 16 x 8, the tile of all warps 32 x 16.
  LinearLayout layout = tileFragment(fragmentLayout(FragmentKind::MmaD), 6, 5, 1, 1);
  ASSERT_TRUE(layout.isInvertible());
  for (uint64_t r = 0; r < 16; ++r)
    for (uint64_t l = 0; l < 32; ++l)
      for (uint64_t w = 0; w < 4; ++w) {
        auto point = layout.apply({r, l, w});
        ASSERT_EQ(point[0], (r / 2 % 2) * 8 + l / 4 + 16 * (w / 2) + 32 * (r / 8));
        ASSERT_EQ(point[1], r % 2 + 2 * (l % 4) + 8 * (w % 2) + 16 * (r / 4 % 2));
      }
}

TEST(FragmentsTest, TilingOfASmallTensorReplicates) {
  LinearLayout layout = tileFragment(fragmentLayout(FragmentKind::MmaD), 3, 3, 1, 1);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.inBits(kRegister), 1u);
  EXPECT_EQ(layout.freeVariableMask(kWarp), 3u);
  EXPECT_EQ(layout.freeVariableMask(kLane), 0u);
}

TEST(FragmentsTest, AccumulatorIsTheNextOperand) {
  // Two neighbouring accumulators, converted to 16 bits, are an A operand without conversion:
  // chained products (attention) move nothing.
  LinearLayout accumulators = tileFragment(fragmentLayout(FragmentKind::MmaD), 4, 4, 0, 0);
  llvm::Expected<ConversionPlan> plan =
      planConversion(accumulators, fragmentLayout(FragmentKind::MmaA16), {.elementBytes = 2});
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->kind, ConversionKind::None);
  // For 8-bit operands values must move, but only within quads: shuffles.
  LinearLayout wide = tileFragment(fragmentLayout(FragmentKind::MmaD), 4, 5, 0, 0);
  plan = planConversion(wide, fragmentLayout(FragmentKind::MmaA8), {.elementBytes = 1});
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->kind, ConversionKind::Shuffles);
}

} // namespace
