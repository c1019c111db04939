// Products for warp groups, the tiling of the result by groups, and transposed loads.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/Fragments.h"
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
  /// Plans m × k times k × n; `rowMajor`: the second operand is contiguous along columns, not k.
  LayoutAssignment plan(int m, int n, int k, unsigned warps, const char *element = "f16",
                        const char *result = "f32", bool rowMajor = true) {
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
      result.contiguity[ptr == second && !rowMajor ? 0 : 1] = 16;
      result.alignment.assign(2, 16);
      result.constancy.assign(shape.begin(), shape.end());
      return result;
    };
    EXPECT_TRUE(succeeded(assignLayouts(kernel, {warps, &target}, facts)));
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

  MLIRContext context;
  target::TargetInfo target;
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

TEST_F(WarpGroupsTest, WordsAreTransposedOnTheWay) {
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
