// Plans of products, checked by carrying out numerically what the lowering does with them:
// registers are filled by the plan's layouts, every instruction multiplies the fragments that its
// table row describes, and the registers of the result must hold the product.
#include "backends/nvptx/Target.h"
#include "ir/distribute/Plans.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

namespace {

struct Product {
  const char *a, *b, *acc, *precision;
  int64_t batch, m, n, k; ///< batch 0: two dimensions.
  unsigned warps;
  const char *arch;
};

std::string describe(const Product &p) {
  return llvm::formatv("{0}x{1}->{2} {3} {4}x{5}x{6}x{7} on {8} warps of {9}", p.a, p.b, p.acc,
                       p.precision, p.batch, p.m, p.n, p.k, p.warps, p.arch);
}

class DotPlanTest : public ::testing::Test {
protected:
  DotPlanTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  DotPlan plan(const Product &p, const nvptx::Architecture &arch) {
    auto tensor = [&](int64_t rows, int64_t columns, const char *type) {
      std::string batch = p.batch ? std::to_string(p.batch) + "x" : "";
      return llvm::formatv("tensor<{0}{1}x{2}x{3}>", batch, rows, columns, type).str();
    };
    std::string a = tensor(p.m, p.k, p.a), b = tensor(p.k, p.n, p.b), c = tensor(p.m, p.n, p.acc);
    module = parseSourceString<ModuleOp>(
        llvm::formatv("func.func @k(%a: {0}, %b: {1}, %c: {2}) {{\n"
                      "  %d = tile.dot %a, %b, %c precision {3} : {0}, {1} -> {2}\n  return\n}\n",
                      a, b, c, p.precision)
            .str(),
        &context);
    EXPECT_TRUE(module) << describe(p);
    tile::DotOp dot;
    module->walk([&](tile::DotOp op) { dot = op; });
    return planDot(dot, {p.warps, &arch.info});
  }

  /// Coordinates (batch, row, column) that `layout` gives to a position.
  static std::array<uint64_t, 3> at(const LinearLayout &layout, uint64_t reg, uint64_t lane,
                                    uint64_t warp) {
    llvm::SmallVector<uint64_t, 4> point = layout.apply({reg, lane, warp});
    if (point.size() == 3)
      return {point[0], point[1], point[2]};
    return {0, point[0], point[1]};
  }

  static int64_t valueOfA(uint64_t batch, uint64_t row, uint64_t k) {
    return int64_t(row * 7 + k * 3 + batch * 5) % 11 - 5;
  }
  static int64_t valueOfB(uint64_t batch, uint64_t k, uint64_t column) {
    return int64_t(k * 5 + column * 9 + batch * 3) % 13 - 6;
  }

  void check(const Product &p) {
    SCOPED_TRACE(describe(p));
    nvptx::Architecture arch = llvm::cantFail(nvptx::getArchitecture(p.arch));
    DotPlan plan = this->plan(p, arch);
    ASSERT_TRUE(plan.d.isSurjective());
    if (!plan.instruction)
      return;
    const target::MatrixInstruction &row = *plan.instruction;
    unsigned bitsA = row.aLayout.inBits(kRegister), bitsB = row.bLayout.inBits(kRegister),
             bitsD = row.dLayout.inBits(kRegister);
    ASSERT_EQ(plan.a.inBits(kRegister), bitsA + plan.stepBits + plan.rowBits + plan.batchBits);
    ASSERT_EQ(plan.b.inBits(kRegister), bitsB + plan.stepBits + plan.columnBits + plan.batchBits);
    ASSERT_EQ(plan.d.inBits(kRegister), bitsD + plan.columnBits + plan.rowBits + plan.batchBits);
    // One fragment of an operand of one warp; positions beyond the end of k are zeros.
    auto fragment = [&](const LinearLayout &layout, const LinearLayout &shape, uint64_t start,
                        uint64_t warp, bool isLeft) {
      std::map<std::pair<uint64_t, uint64_t>, int64_t> values;
      for (uint64_t lane = 0; lane < 32; ++lane)
        for (uint64_t reg = 0; reg < (uint64_t(1) << shape.inBits(kRegister)); ++reg) {
          auto place = shape.apply({reg, lane});
          auto [batch, x, y] = at(layout, start + reg, lane, warp);
          int64_t value = isLeft ? valueOfA(batch, x, y) : valueOfB(batch, x, y);
          uint64_t k = isLeft ? place[1] : place[0];
          values[{place[0], place[1]}] = k < uint64_t(p.k) ? value : 0;
        }
      return values;
    };
    for (uint64_t warp = 0; warp < p.warps; ++warp)
      for (uint64_t tile = 0; tile < (uint64_t(1) << (plan.d.inBits(kRegister) - bitsD)); ++tile) {
        uint64_t column = tile % (1u << plan.columnBits), i = tile >> plan.columnBits;
        uint64_t j = column | ((i >> plan.rowBits) << plan.columnBits);
        std::map<std::pair<uint64_t, uint64_t>, int64_t> sums;
        for (uint64_t step = 0; step < (uint64_t(1) << plan.stepBits); ++step) {
          auto a =
              fragment(plan.a, row.aLayout, (step | (i << plan.stepBits)) << bitsA, warp, true);
          auto b =
              fragment(plan.b, row.bLayout, (step | (j << plan.stepBits)) << bitsB, warp, false);
          for (uint64_t x = 0; x < row.m; ++x)
            for (uint64_t y = 0; y < row.n; ++y)
              for (uint64_t k = 0; k < row.k; ++k)
                sums[{x, y}] += a[{x, k}] * b[{k, y}];
        }
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t reg = 0; reg < (uint64_t(1) << bitsD); ++reg) {
            auto [batch, x, y] = at(plan.d, (tile << bitsD) + reg, lane, warp);
            int64_t expected = 0;
            for (int64_t k = 0; k < p.k; ++k)
              expected += valueOfA(batch, x, k) * valueOfB(batch, k, y);
            auto place = row.dLayout.apply({reg, lane});
            ASSERT_EQ((sums[{place[0], place[1]}]), expected)
                << "warp " << warp << " tile " << tile << " lane " << lane << " register " << reg;
          }
      }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DotPlanTest, EveryTypeAndShapeMultipliesItsMatrices) {
  const std::array<const char *, 4> types[] = {
      {"f16", "f16", "f32", "ieee"},        {"f16", "f16", "f16", "ieee"},
      {"bf16", "bf16", "f32", "ieee"},      {"f32", "f32", "f32", "tf32"},
      {"f32", "f32", "f32", "bf16x3"},      {"f32", "f32", "f32", "ieee"},
      {"i8", "i8", "i32", "ieee"},          {"f64", "f64", "f64", "ieee"},
      {"f8E4M3FN", "f8E5M2", "f32", "ieee"}};
  const std::array<int64_t, 4> shapes[] = {{0, 16, 8, 16},  {0, 64, 32, 32}, {0, 1, 1, 32},
                                           {0, 2, 64, 16},  {0, 128, 4, 8},  {0, 16, 16, 2},
                                           {4, 16, 32, 16}, {8, 2, 1, 4},    {1, 32, 16, 16}};
  for (const auto &type : types)
    for (const auto &shape : shapes)
      for (unsigned warps : {1u, 4u, 32u})
        for (const char *arch : {"sm_75", "sm_80", "sm_90"})
          check({type[0], type[1], type[2], type[3], shape[0], shape[1], shape[2], shape[3], warps,
                 arch});
}

TEST_F(DotPlanTest, TheInstructionWastesLeastAndIsLargest) {
  auto nameOf = [&](const Product &p) -> std::string {
    nvptx::Architecture arch = llvm::cantFail(nvptx::getArchitecture(p.arch));
    DotPlan plan = this->plan(p, arch);
    return plan.instruction ? plan.instruction->name : "";
  };
  EXPECT_EQ(nameOf({"f16", "f16", "f32", "ieee", 0, 16, 8, 64, 1, "sm_80"}),
            "m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(nameOf({"f16", "f16", "f32", "ieee", 0, 16, 8, 8, 1, "sm_80"}),
            "m16n8k8.row.col.f32.f16.f16.f32");
  EXPECT_EQ(nameOf({"f64", "f64", "f64", "ieee", 0, 8, 8, 16, 1, "sm_90"}),
            "m8n8k4.row.col.f64.f64.f64.f64");
  EXPECT_EQ(nameOf({"f64", "f64", "f64", "ieee", 0, 16, 8, 16, 1, "sm_90"}),
            "m16n8k16.row.col.f64.f64.f64.f64");
  EXPECT_EQ(nameOf({"i8", "i8", "i32", "ieee", 0, 16, 8, 16, 1, "sm_80"}),
            "m16n8k16.row.col.s32.s8.s8.s32");
  EXPECT_EQ(nameOf({"f16", "f16", "f64", "ieee", 0, 16, 8, 16, 1, "sm_90"}), "");
}

TEST_F(DotPlanTest, WarpsShareTheWork) {
  nvptx::Architecture arch = llvm::cantFail(nvptx::getArchitecture("sm_80"));
  // Rows and columns as equal as possible; batches first; the remaining threads repeat.
  DotPlan square = plan({"f16", "f16", "f32", "ieee", 0, 64, 64, 16, 4, "sm_80"}, arch);
  EXPECT_EQ(square.d.freeVariableMask(kWarp), 0u);
  EXPECT_EQ(1u << square.rowBits, 2u);
  EXPECT_EQ(1u << square.columnBits, 4u);
  DotPlan batches = plan({"f16", "f16", "f32", "ieee", 8, 16, 16, 16, 4, "sm_80"}, arch);
  EXPECT_EQ(1u << batches.batchBits, 2u);
  DotPlan small = plan({"f16", "f16", "f32", "ieee", 0, 16, 8, 16, 4, "sm_80"}, arch);
  EXPECT_EQ(small.d.freeVariableMask(kWarp), 3u);
}

TEST_F(DotPlanTest, MultiplyAddsAreBlockedInRegisters) {
  nvptx::Architecture arch = llvm::cantFail(nvptx::getArchitecture("sm_80"));
  // 64 × 64 on 128 threads: 8 × 4 each.
  DotPlan plan = this->plan({"f32", "f32", "f32", "ieee", 0, 64, 64, 32, 4, "sm_80"}, arch);
  ASSERT_FALSE(plan.instruction);
  std::set<uint64_t> rows, columns;
  for (uint64_t reg = 0; reg < 32; ++reg) {
    auto [batch, row, column] = at(plan.d, reg, 0, 0);
    rows.insert(row);
    columns.insert(column);
  }
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_EQ(columns.size(), 4u);
  EXPECT_TRUE(plan.d.isInvertible());
}

} // namespace
