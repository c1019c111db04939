// Products for warp groups, the tiling of the result by groups, and transposed loads.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/distribute/RowOrder.h"
#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;
using target::MatrixElement;

namespace {

class WarpGroupsTest : public ::testing::Test {
protected:
  WarpGroupsTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.loadDialect<DistributeDialect>();
    target.name = "test";
    target.sharedMemoryBytes = 227 * 1024;
    using E = MatrixElement;
    using F = FragmentKind;
    auto add = [&](E element, E acc, unsigned k, F a, F b, bool anyOrder) {
      target.matrixInstructions.push_back({"m16n8k" + std::to_string(k), element, element, acc, 16,
                                           8, k, fragmentLayout(a), fragmentLayout(b),
                                           fragmentLayout(F::MmaD)});
      target.warpGroupInstructions.push_back({"k" + std::to_string(k), element, element, acc,
                                              /*warps=*/4, /*m=*/64, /*n=*/256, k,
                                              fragmentLayout(a), fragmentLayout(F::MmaD),
                                              anyOrder});
    };
    add(E::F16, E::F32, 16, F::MmaA16, F::MmaB16, true);
    add(E::TF32, E::F32, 8, F::MmaA32, F::MmaB32, false);
    add(E::I8, E::I32, 32, F::MmaA8, F::MmaB8, false);
  }
  /// Plans m × k times k × n; `rowMajor`: the second operand is contiguous along columns, not k;
  /// `columnMajor`: the first one is contiguous along rows.
  LayoutAssignment plan(int m, int n, int k, unsigned warps, const char *element = "f16",
                        const char *result = "f32", bool rowMajor = true,
                        bool columnMajor = false) {
    auto tensor = [](int x, int y, std::string type) {
      return "tensor<" + std::to_string(x) + "x" + std::to_string(y) + "x" + type + ">";
    };
    std::string pointer = "!tile.ptr<" + std::string(element) + ">";
    std::string a = tensor(m, k, pointer), b = tensor(k, n, pointer), d = tensor(m, n, result);
    std::string text = "func.func @k(%p: " + a + ", %q: " + b + ", %c: " + d + ") -> " + d +
                       " {\n%x = tile.load %p : " + a + "\n%y = tile.load %q : " + b +
                       "\n%d = tile.dot %x, %y, %c precision tf32 : " + tensor(m, k, element) +
                       ", " + tensor(k, n, element) + " -> " + d + "\nreturn %d : " + d + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    kernel = *module->getOps<func::FuncOp>().begin();
    Value second = kernel.getArgument(1);
    auto facts = [=](Value ptr, Value) {
      auto shape = cast<RankedTensorType>(ptr.getType()).getShape();
      AccessFacts result;
      result.contiguity.assign(2, 1);
      result.contiguity[(ptr == second ? !rowMajor : columnMajor) ? 0 : 1] = 16;
      result.alignment.assign(2, 16);
      result.constancy.assign(shape.begin(), shape.end());
      return result;
    };
    EXPECT_TRUE(succeeded(assignLayouts(kernel, {warps, &target, {}, acrossK}, facts)));
    return LayoutAssignment(kernel, target, warps);
  }
  DotPlan dotOf(const LayoutAssignment &layouts) {
    DotPlan found;
    kernel.walk([&](tile::DotOp op) { found = layouts.getDot(op); });
    return found;
  }
  const AccessPlan &secondLoad(const LayoutAssignment &layouts) {
    tile::LoadOp last;
    kernel.walk([&](tile::LoadOp op) { last = op; });
    return layouts.getAccess(last);
  }

  /// How threads read the operand that takes turns from its tile in the ring.
  SharedAccess readOf(const DotPlan &dot, int m, int n, int k, unsigned elementBytes = 4) {
    SmallVector<int64_t> shape =
        dot.swapped ? SmallVector<int64_t>{k, n} : SmallVector<int64_t>{m, k};
    return *accessShared(dot.registers(), swizzledTile(shape, dot.swapped ? 1 : 0, elementBytes),
                         elementBytes);
  }

  MLIRContext context;
  target::TargetInfo target;
  AcrossK acrossK = AcrossK::Auto;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
};

TEST_F(WarpGroupsTest, OneGroupRepeatsItsRowsInRegisters) {
  DotPlan dot = dotOf(plan(128, 64, 32, 4));
  ASSERT_TRUE(dot.warpGroup);
  EXPECT_EQ(dot.warpGroup->columns, 64u);
  // Warps hold 16 rows each of the first 64; then come registers.
  EXPECT_EQ(dot.d.getBasis(kWarp, 0, "dim0"), 16u);
  EXPECT_EQ(dot.d.getBasis(kWarp, 1, "dim0"), 32u);
  EXPECT_EQ(dot.d.getBasis(kRegister, 5, "dim0"), 64u);
  EXPECT_TRUE(dot.d.isInvertible());
  // The first operand in registers has the same rows.
  EXPECT_EQ(dot.a.getBasis(kWarp, 1, "dim0"), 32u);
  EXPECT_EQ(dot.a.outBits("dim1"), 5u);
}

TEST_F(WarpGroupsTest, MoreGroupsTakeRowsThenColumns) {
  DotPlan rows = dotOf(plan(128, 256, 64, 8));
  ASSERT_TRUE(rows.warpGroup);
  EXPECT_EQ(rows.warpGroup->columns, 256u);
  EXPECT_EQ(rows.d.getBasis(kWarp, 2, "dim0"), 64u);
  DotPlan columns = dotOf(plan(64, 256, 64, 8));
  ASSERT_TRUE(columns.warpGroup);
  EXPECT_EQ(columns.warpGroup->columns, 128u);
  EXPECT_EQ(columns.d.getBasis(kWarp, 2, "dim1"), 128u);
  // No more than 256 columns at once, and groups without work repeat others'.
  DotPlan wide = dotOf(plan(64, 512, 16, 4));
  ASSERT_TRUE(wide.warpGroup);
  EXPECT_EQ(wide.warpGroup->columns, 256u);
  DotPlan small = dotOf(plan(64, 8, 16, 8));
  ASSERT_TRUE(small.warpGroup);
  EXPECT_EQ(small.d.freeVariableMask(kWarp), 4u);
}

TEST_F(WarpGroupsTest, WhatStaysWithOneWarp) {
  EXPECT_FALSE(dotOf(plan(128, 64, 32, 2)).warpGroup) << "half a group";
  EXPECT_FALSE(dotOf(plan(32, 64, 32, 4)).warpGroup) << "too few rows";
  EXPECT_FALSE(dotOf(plan(64, 64, 8, 4)).warpGroup) << "k is too short";
  EXPECT_FALSE(dotOf(plan(64, 64, 32, 4, "i8", "i32")).warpGroup) << "bytes cannot be transposed";
  EXPECT_TRUE(dotOf(plan(64, 64, 32, 4, "i8", "i32", false)).warpGroup);
  EXPECT_FALSE(dotOf(plan(128, 128, 512, 4)).warpGroup) << "256 KiB of operands";
  EXPECT_TRUE(dotOf(plan(128, 64, 32, 2)).instruction);
}

TEST_F(WarpGroupsTest, RowMajorSecondOperandIsReadByThreads) {
  LayoutAssignment layouts = plan(256, 128, 32, 8, "f32");
  DotPlan dot = dotOf(layouts);
  ASSERT_TRUE(dot.warpGroup);
  EXPECT_TRUE(dot.swapped);
  EXPECT_EQ(dot.registerOperand(), 1u);
  EXPECT_TRUE(dot.a.getOuts().empty());
  EXPECT_EQ(dot.warpGroup->turns, 2u);
  // The instruction's columns are the product's rows: all of them, as two groups share the columns.
  EXPECT_EQ(dot.warpGroup->columns, 256u);
  EXPECT_TRUE(dot.d.isInvertible());
  EXPECT_TRUE(dot.b.isSurjective());
  // 16 words of 64 columns and 32 along k, and the result in the same columns.
  EXPECT_EQ(dot.b.inBits(kRegister), 4u);
  EXPECT_EQ(dot.b.getBasis(kRegister, 0, "dim1"), 1u);
  EXPECT_EQ(dot.d.getBasis(kRegister, 1, "dim1"), 1u);
  for (unsigned bit = 2; bit < 5; ++bit)
    EXPECT_EQ(dot.b.getBasis(kLane, bit, "dim1"), dot.d.getBasis(kLane, bit, "dim1"));
  for (unsigned bit = 0; bit < 3; ++bit)
    EXPECT_EQ(dot.b.getBasis(kWarp, bit, "dim1"), dot.d.getBasis(kWarp, bit, "dim1"));
  // It is copied as it lies in memory.
  EXPECT_FALSE(secondLoad(layouts).tileInner);
}

TEST_F(WarpGroupsTest, ReadsAreWideAndMeetNoBankTwice) {
  struct {
    int m, n, k;
    unsigned warps, elements;
  } const cases[] = {{256, 128, 32, 8, 2}, // one tile of rows in each group: two neighbours
                     {128, 256, 32, 8, 4}, // two: four
                     {128, 128, 32, 4, 4}, {64, 256, 16, 4, 4},  {64, 64, 32, 4, 2},
                     {8, 64, 64, 4, 2},    {128, 512, 8, 16, 4}, {32, 128, 32, 8, 2}};
  for (const auto &[m, n, k, warps, elements] : cases) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", " << warps << " warps");
    DotPlan dot = dotOf(plan(m, n, k, warps, "f32"));
    ASSERT_TRUE(dot.warpGroup && dot.swapped);
    SharedAccess read = readOf(dot, m, n, k);
    EXPECT_EQ(read.vectorElements, elements);
    EXPECT_EQ(read.conflicts, 0u);
    EXPECT_EQ(read.instructions * elements, uint64_t(1) << dot.b.inBits(kRegister));
    EXPECT_TRUE(dot.d.isSurjective());
  }
  // Without the order of rows, eight rows would lie in different chunks of one bank.
  LinearLayout plain = transposeDims(fragmentLayout(FragmentKind::MmaA32) *
                                         LinearLayout::identity1D(2, kWarp, "dim0") *
                                         LinearLayout::identity1D(2, kRegister, "dim1"),
                                     {1, 0});
  SharedAccess read = *accessShared(plain, swizzledTile({32, 64}, 1, 4), 4);
  EXPECT_EQ(read.vectorElements, 1u);
}

TEST_F(WarpGroupsTest, ColumnMajorFirstOperandIsReadByThreads) {
  DotPlan dot = dotOf(plan(128, 64, 32, 4, "f32", "f32", false, true));
  ASSERT_TRUE(dot.warpGroup);
  EXPECT_FALSE(dot.swapped);
  EXPECT_EQ(dot.warpGroup->turns, 2u);
  EXPECT_EQ(dot.registerOperand(), 0u);
  SharedAccess read = readOf(dot, 128, 64, 32);
  EXPECT_EQ(read.vectorElements, 4u);
  EXPECT_EQ(read.conflicts, 0u);
}

TEST_F(WarpGroupsTest, OfTwoOperandsAcrossKTheSmallerOneIsTransposed) {
  LayoutAssignment wide = plan(64, 128, 32, 4, "f32", "f32", true, true);
  EXPECT_TRUE(dotOf(wide).swapped);
  EXPECT_FALSE(secondLoad(wide).tileInner);
  LayoutAssignment tall = plan(128, 64, 32, 4, "f32", "f32", true, true);
  EXPECT_FALSE(dotOf(tall).swapped);
  EXPECT_EQ(dotOf(tall).warpGroup->turns, 2u);
  EXPECT_EQ(secondLoad(tall).tileInner, 0u);
}

TEST_F(WarpGroupsTest, TurnsBoundTheRegistersOfAnOperand) {
  // 32 words in each thread take two turns, 64 take four, of one step each; more do not exist.
  EXPECT_EQ(dotOf(plan(128, 256, 32, 8, "f32")).warpGroup->turns, 2u);
  EXPECT_EQ(dotOf(plan(64, 256, 32, 4, "f32")).warpGroup->turns, 4u);
  EXPECT_EQ(dotOf(plan(64, 64, 8, 4, "f32")).warpGroup->turns, 1u);
  // 256 sums leave no room for an operand; copies then transpose it, unless they are not wanted.
  EXPECT_EQ(dotOf(plan(256, 256, 32, 8, "f32")).warpGroup->turns, 0u);
  acrossK = AcrossK::Registers;
  EXPECT_EQ(dotOf(plan(256, 256, 32, 8, "f32")).warpGroup->turns, 2u);
}

TEST_F(WarpGroupsTest, TooFewColumnsForATransposedProduct) {
  DotPlan dot = dotOf(plan(64, 32, 32, 4, "f32"));
  ASSERT_TRUE(dot.warpGroup);
  EXPECT_FALSE(dot.swapped);
  EXPECT_EQ(dot.warpGroup->turns, 0u);
  // Too few rows for the product itself, but enough columns for the transposed one.
  EXPECT_TRUE(dotOf(plan(32, 64, 32, 4, "f32")).swapped);
  acrossK = AcrossK::Copies;
  EXPECT_FALSE(dotOf(plan(32, 64, 32, 4, "f32")).warpGroup);
}

TEST_F(WarpGroupsTest, BytesAcrossKComeByMatrixLoads) {
  target.hasLoadMatrix = true;
  for (auto [m, n, k, warps] : {std::array{256, 128, 128, 8}, {64, 64, 64, 4}, {8, 256, 32, 4}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", " << warps << " warps");
    DotPlan dot = dotOf(plan(m, n, k, warps, "i8", "i32"));
    ASSERT_TRUE(dot.warpGroup);
    EXPECT_TRUE(dot.swapped);
    EXPECT_GE(dot.warpGroup->turns, 1u);
    // Two neighbours in a thread, eight pairs of them in the lanes: the 16 bytes of a matrix's row.
    EXPECT_EQ(dot.b.getBasis(kRegister, 2, "dim1"), 1u);
    for (unsigned bit = 0; bit < 3; ++bit)
      EXPECT_EQ(dot.b.getBasis(kLane, 2 + bit, "dim1"), 2u << bit);
    EXPECT_TRUE(dot.d.isInvertible());
    EXPECT_EQ(dot.d.getBasis(kLane, 2, "dim1"), 2u);
  }
  acrossK = AcrossK::Copies;
  EXPECT_FALSE(dotOf(plan(64, 64, 64, 4, "i8", "i32")).warpGroup) << "no copy is so small";
}

TEST_F(WarpGroupsTest, LinesOfByteMatricesMeetNoBankTwice) {
  LinearLayout fragments = transposeDims(
      fragmentLayout(FragmentKind::MmaA8) * LinearLayout::identity1D(2, kWarp, "dim0"), {1, 0});
  for (int64_t columns : {64, 128, 256}) {
    LinearLayout wide =
        fragments * LinearLayout::identity1D(llvm::Log2_64(columns) - 6, kRegister, "dim1");
    RowOrder order = byteRowOrder(wide, 1, swizzledTile({32, columns}, 1, 1), {});
    EXPECT_EQ(order.read.conflicts, 0u) << columns;
    EXPECT_EQ(order.read.phases, 4u);
    EXPECT_EQ(order.read.instructions, uint64_t(columns) / 64);
  }
  // Four lines for each lane, in the order of their numbers, would meet in half of the banks.
  SmallVector<uint64_t> lines{1, 4, 8};
  BitVectors bases;
  for (uint64_t line : lines)
    bases.push_back(line);
  LinearLayout plain({Dim(kLane, 3)}, {Dim("dim0", 5), Dim("dim1", 7)}, bases);
  EXPECT_EQ(bankConflicts(plain.compose(*swizzledTile({32, 128}, 1, 1).invert()), 1, 16), 1u);
}

TEST_F(WarpGroupsTest, WordsAreTransposedOnTheWay) {
  acrossK = AcrossK::Copies;
  LayoutAssignment layouts = plan(64, 64, 32, 4, "f32");
  ASSERT_TRUE(dotOf(layouts).warpGroup);
  const AccessPlan &load = secondLoad(layouts);
  EXPECT_EQ(load.order.front(), 1u);
  EXPECT_EQ(load.tileInner, 0u);
  // One element at a time: no two registers are neighbours in memory.
  for (unsigned bit = 0; bit < load.layout.inBits(kRegister); ++bit)
    EXPECT_NE(load.layout.getBasis(kRegister, bit, "dim1"), 1u);
  EXPECT_EQ(load.layout.getBasis(kLane, 0, "dim1"), 1u);
  EXPECT_TRUE(load.layout.isInvertible());
  LayoutAssignment straight = plan(64, 64, 32, 4, "f32", "f32", false);
  EXPECT_TRUE(dotOf(straight).warpGroup);
  EXPECT_FALSE(secondLoad(straight).tileInner);
}

} // namespace
