// Layouts of values: accesses, values that depend on them, and values that loops carry.
#include "ir/distribute/LayoutAssignment.h"
#include "ir/layout/TensorLayout.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

namespace {

class LayoutAssignmentTest : public ::testing::Test {
protected:
  LayoutAssignmentTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.loadDialect<DistributeDialect>();
    target.name = "test";
  }
  /// Assigns layouts to the one function of `text`; every access is contiguous along the last
  /// dimension, in runs of `run` elements that are aligned to 16 bytes.
  LayoutAssignment assign(const char *text, unsigned warps, int64_t run) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    kernel = *module->getOps<func::FuncOp>().begin();
    auto facts = [run](Value ptr, Value) {
      auto shape = cast<RankedTensorType>(ptr.getType()).getShape();
      AccessFacts result;
      result.contiguity.assign(shape.size(), 1);
      result.contiguity.back() = run;
      result.alignment.assign(shape.size(), 16);
      result.constancy.assign(shape.begin(), shape.end());
      return result;
    };
    EXPECT_TRUE(succeeded(assignLayouts(kernel, {warps, &target}, facts)));
    return LayoutAssignment(kernel, target, warps);
  }
  template <typename Op> Op find() {
    Op found;
    kernel.walk([&](Op op) { found = op; });
    return found;
  }

  MLIRContext context;
  target::TargetInfo target;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
};

TEST_F(LayoutAssignmentTest, LoadsAreCoalescedInWideVectors) {
  LayoutAssignment layouts = assign(R"(
    func.func @k(%p: tensor<1024x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<1024x!tile.ptr<f32>>
      tile.store %p, %v : tensor<1024x!tile.ptr<f32>>
      return
    })",
                                    4, 1024);
  const LinearLayout &layout = layouts.getAccess(find<tile::LoadOp>()).layout;
  // Four elements in a thread, then lanes, then warps, then the rest in registers.
  EXPECT_EQ(layout.apply({1, 0, 0})[0], 1u);
  EXPECT_EQ(layout.apply({0, 1, 0})[0], 4u);
  EXPECT_EQ(layout.apply({0, 0, 1})[0], 128u);
  EXPECT_EQ(layout.apply({4, 0, 0})[0], 512u);
  EXPECT_TRUE(layout.isInvertible());
}

TEST_F(LayoutAssignmentTest, WidthIsCutByContiguityAndByTheNumberOfThreads) {
  const char *text = R"(
    func.func @k(%p: tensor<256x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<256x!tile.ptr<f32>>
      return
    })";
  LinearLayout few = assign(text, 1, 2).getAccess(find<tile::LoadOp>()).layout;
  EXPECT_EQ(few.apply({0, 1, 0})[0], 2u);
  LinearLayout many = assign(text, 8, 256).getAccess(find<tile::LoadOp>()).layout;
  EXPECT_EQ(many.apply({0, 1, 0})[0], 1u);
}

TEST_F(LayoutAssignmentTest, SmallTensorsReplicateOverThreadsNotRegisters) {
  LinearLayout layout = assign(R"(
    func.func @k(%p: tensor<8x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<8x!tile.ptr<f32>>
      return
    })",
                               2, 8)
                            .getAccess(find<tile::LoadOp>())
                            .layout;
  EXPECT_EQ(layout.inBits(kRegister), 0u);
  EXPECT_EQ(layout.freeVariableMask(kLane), 0b11000u);
  EXPECT_EQ(layout.freeVariableMask(kWarp), 0b1u);
}

TEST_F(LayoutAssignmentTest, ReductionsKeepTheSliceOfTheirOperand) {
  LayoutAssignment layouts = assign(R"(
    func.func @k(%p: tensor<16x64x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<16x64x!tile.ptr<f32>>
      %r = tile.reduce %v axis 1 : (tensor<16x64xf32>) -> tensor<16xf32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      return
    })",
                                    4, 64);
  auto reduce = find<tile::ReduceOp>();
  const LinearLayout *operand = layouts.getHome(reduce.getOperand(0));
  const LinearLayout *result = layouts.getHome(reduce.getResult(0));
  ASSERT_TRUE(operand && result);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned warp = 0; warp < 4; ++warp)
      EXPECT_EQ(operand->apply({0, lane, warp})[0], result->apply({0, lane, warp})[0]);
}

TEST_F(LayoutAssignmentTest, IndicesHaveNoLayoutOfTheirOwn) {
  LayoutAssignment layouts = assign(R"(
    func.func @k(%x: !tile.ptr<f32>) {
      %i = tile.make_range 0 to 256 : tensor<256xi32>
      %s = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
      %p = tile.addptr %s, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
      %v = tile.load %p : tensor<256x!tile.ptr<f32>>
      %w = arith.addf %v, %v : tensor<256xf32>
      tile.store %p, %w : tensor<256x!tile.ptr<f32>>
      return
    })",
                                    4, 256);
  EXPECT_FALSE(layouts.getHome(find<tile::MakeRangeOp>().getResult()));
  EXPECT_FALSE(layouts.getHome(find<tile::AddPtrOp>().getResult()));
  ASSERT_TRUE(layouts.getHome(find<arith::AddFOp>().getResult()));
  EXPECT_TRUE(*layouts.getHome(find<arith::AddFOp>().getResult()) ==
              layouts.getAccess(find<tile::StoreOp>()).layout);
}

TEST_F(LayoutAssignmentTest, CarriedPointersTakeTheLayoutOfTheLoad) {
  LayoutAssignment layouts = assign(R"(
    func.func @k(%p: !tile.ptr<f32>, %n: i32, %one: i32) {
      %i = tile.make_range 0 to 512 : tensor<512xi32>
      %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
      %r = scf.for %j = %one to %n step %one iter_args(%q = %s) -> (tensor<512x!tile.ptr<f32>>) : i32 {
        %v = tile.load %q : tensor<512x!tile.ptr<f32>>
        tile.store %q, %v : tensor<512x!tile.ptr<f32>>
        %next = tile.addptr %q, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
        scf.yield %next : tensor<512x!tile.ptr<f32>>
      }
      return
    })",
                                    4, 512);
  auto loop = find<scf::ForOp>();
  const LinearLayout *carried = layouts.getHome(loop.getRegionIterArg(0));
  ASSERT_TRUE(carried);
  EXPECT_TRUE(*carried == layouts.getAccess(find<tile::LoadOp>()).layout);
  EXPECT_TRUE(*layouts.getHome(loop.getResult(0)) == *carried);
}

// Copies of a row lie in the threads that hold it; a sum over the copies leaves a column of which
// every thread holds all. Its copies are the whole tile in every thread.
TEST_F(LayoutAssignmentTest, NoThreadHoldsAWholeTileOfCopies) {
  const char *text = R"(
    func.func @k(%p: tensor<64x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<64x!tile.ptr<f32>>
      %row = tile.expand_dims %v axis 0 : tensor<64xf32> -> tensor<1x64xf32>
      %rows = tile.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
      %sum = tile.reduce %rows axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      %column = tile.expand_dims %sum axis 1 : tensor<64xf32> -> tensor<64x1xf32>
      %columns = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
      %e = math.exp %columns : tensor<64x64xf32>
      return
    })";
  for (unsigned warps : {1, 4, 32}) {
    LayoutAssignment layouts = assign(text, warps, 64);
    auto registers = [&](Value value) {
      const LinearLayout *layout = layouts.getHome(value);
      EXPECT_TRUE(layout);
      return layout ? 1u << layout->inBits(kRegister) : 0;
    };
    auto reduce = find<tile::ReduceOp>();
    // 64 copies are few enough to be held beside each other, as they always were.
    EXPECT_EQ(registers(reduce.getOperand(0)), 64u * (warps == 1 ? 2 : 1));
    EXPECT_EQ(registers(reduce.getResult(0)), 64u);
    EXPECT_EQ(registers(find<math::ExpOp>().getResult()), 4096 / (32 * warps));
  }
}

// The sum of a whole row is in every thread; to convert its copies to the load's layout would take
// shared memory and a register for each.
TEST_F(LayoutAssignmentTest, BroadcastsAreRepeatedInTheLayoutOfTheirUsers) {
  LayoutAssignment layouts = assign(R"(
    func.func @k(%p: tensor<1x1024x!tile.ptr<f32>>) {
      %v = tile.load %p : tensor<1x1024x!tile.ptr<f32>>
      %sum = tile.reduce %v axis 1 : (tensor<1x1024xf32>) -> tensor<1xf32> {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      %column = tile.expand_dims %sum axis 1 : tensor<1xf32> -> tensor<1x1xf32>
      %columns = tile.broadcast %column : tensor<1x1xf32> -> tensor<1x1024xf32>
      %difference = arith.subf %v, %columns : tensor<1x1024xf32>
      return
    })",
                                    4, 16);
  EXPECT_FALSE(layouts.getHome(find<tile::BroadcastOp>().getResult()));
  auto subtraction = find<arith::SubFOp>();
  EXPECT_EQ(*layouts.getHome(subtraction.getResult()), *layouts.getHome(subtraction.getLhs()));
}

TEST_F(LayoutAssignmentTest, ShapesThatAreNoPowersOfTwoAreRefused) {
  module = parseSourceString<ModuleOp>(
      "func.func @k() { %c = arith.constant dense<0> : tensor<3xi32> return }", &context);
  kernel = *module->getOps<func::FuncOp>().begin();
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    text = d.str();
    return success();
  });
  auto facts = [](Value, Value) { return AccessFacts(); };
  EXPECT_TRUE(failed(assignLayouts(kernel, {4, &target}, facts)));
  EXPECT_NE(text.find("dimension 0 has size 3, which is not a power of two"), std::string::npos)
      << text;
}

TEST_F(LayoutAssignmentTest, ComparisonsAreTheSameForRegistersWithinARun) {
  const char *text = R"(
    func.func @k(%a: tensor<1024xi32>, %b: tensor<1024xi32>) {
      %m = arith.cmpi slt, %a, %b : tensor<1024xi32>
      %n = arith.addi %a, %b : tensor<1024xi32>
      return
    })";
  assign(text, 4, 1);
  // Four elements in a thread, then lanes and warps, then one more bit of registers.
  LinearLayout layout = llvm::cantFail(coalescedLayout({1024}, 4, 32, 4, {0}));
  auto same = [&](int64_t run, Value value) {
    Options options{4, &target, [run](Value) { return SmallVector<int64_t, 4>{run}; }};
    auto facts = [](Value, Value) { return AccessFacts(); };
    EXPECT_TRUE(succeeded(assignLayouts(kernel, options, facts)));
    return LayoutAssignment(kernel, target, 4).getSameRegisters(value, layout);
  };
  Value mask = find<arith::CmpIOp>(), sum = find<arith::AddIOp>();
  using Registers = SmallVector<int64_t>;
  EXPECT_EQ(same(1, mask), Registers());
  EXPECT_EQ(same(2, mask), (Registers{0, 0, 2, 2, 4, 4, 6, 6}));
  EXPECT_EQ(same(4, mask), (Registers{0, 0, 0, 0, 4, 4, 4, 4}));
  EXPECT_EQ(same(512, mask), (Registers{0, 0, 0, 0, 4, 4, 4, 4}));
  EXPECT_EQ(same(1024, mask), (Registers{0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(same(1024, sum), Registers());
}

} // namespace
