// Facts that ops give to the rest of the compiler: inferred types, effects, ranges, speculation,
// inlining, constants.
#include "ir/tile/TileUtils.h"
#include "tests/ir/tile/TileTest.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilerun;

namespace {

class OpsTest : public test::TileTest {
protected:
  OpsTest() : module(ModuleOp::create(loc())) { builder.setInsertionPointToEnd(module->getBody()); }
  Value poison(Type type) { return ub::PoisonOp::create(builder, loc(), type); }
  bool has(Operation *op, MemoryEffects::Effect *effect) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    cast<MemoryEffectOpInterface>(op).getEffects(effects);
    return llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &instance) {
      return instance.getEffect() == effect && instance.getResource() == tile::GlobalMemory::get();
    });
  }
  OwningOpRef<ModuleOp> module;
};

TEST_F(OpsTest, LoadInfersItsResult) {
  Value p = poison(tensor({8}, pointer(builder.getF16Type())));
  auto load = tile::LoadOp::create(builder, loc(), p, Value(), Value());
  EXPECT_EQ(load.getType(), tensor({8}, builder.getF16Type()));
  EXPECT_EQ(load.getCache(), tile::CacheModifier::None);
  EXPECT_EQ(load.getEvict(), tile::EvictionPolicy::Normal);
  EXPECT_FALSE(load.getIsVolatile());
  EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
}

TEST_F(OpsTest, AtomicsInferTheirResult) {
  Value p = poison(pointer(builder.getI32Type())), v = poison(builder.getI32Type());
  auto add = tile::AtomicRMWOp::create(builder, loc(), tile::AtomicKind::Add, p, v, Value());
  auto cas = tile::AtomicCASOp::create(builder, loc(), p, v, v);
  EXPECT_EQ(add.getType(), builder.getI32Type());
  EXPECT_EQ(cas.getType(), builder.getI32Type());
  EXPECT_EQ(add.getSem(), tile::MemSemantic::AcquireRelease);
  EXPECT_EQ(cas.getScope(), tile::MemScope::GPU);
  EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
}

TEST_F(OpsTest, ShapeOpsInferTheirResults) {
  Type f32 = builder.getF32Type();
  Value x = poison(tensor({4, 8}, f32));
  EXPECT_EQ(tile::ExpandDimsOp::create(builder, loc(), x, 0).getType(), tensor({1, 4, 8}, f32));
  EXPECT_EQ(tile::ExpandDimsOp::create(builder, loc(), x, 2).getType(), tensor({4, 8, 1}, f32));
  EXPECT_EQ(tile::TransOp::create(builder, loc(), x, ArrayRef<int32_t>{1, 0}).getType(),
            tensor({8, 4}, f32));
  EXPECT_EQ(tile::JoinOp::create(builder, loc(), x, x).getType(), tensor({4, 8, 2}, f32));
  Value s = poison(f32);
  EXPECT_EQ(tile::JoinOp::create(builder, loc(), s, s).getType(), tensor({2}, f32));
}

TEST_F(OpsTest, ProgramOpsAreI32) {
  EXPECT_EQ(tile::ProgramIdOp::create(builder, loc(), 2).getType(), builder.getI32Type());
  EXPECT_EQ(tile::NumProgramsOp::create(builder, loc(), 0).getType(), builder.getI32Type());
}

TEST_F(OpsTest, EffectsOfLoads) {
  Value p = poison(pointer(builder.getF32Type()));
  auto load = tile::LoadOp::create(builder, loc(), p, Value(), Value());
  EXPECT_TRUE(has(load, MemoryEffects::Read::get()));
  EXPECT_FALSE(has(load, MemoryEffects::Write::get()));
  EXPECT_TRUE(isOpTriviallyDead(load));
  load.setIsVolatile(true);
  EXPECT_TRUE(has(load, MemoryEffects::Write::get()));
  EXPECT_FALSE(isOpTriviallyDead(load));
}

TEST_F(OpsTest, EffectsOfWrites) {
  Value p = poison(pointer(builder.getI32Type())), v = poison(builder.getI32Type());
  auto store = tile::StoreOp::create(builder, loc(), p, v, Value());
  EXPECT_FALSE(has(store, MemoryEffects::Read::get()));
  EXPECT_TRUE(has(store, MemoryEffects::Write::get()));
  auto cas = tile::AtomicCASOp::create(builder, loc(), p, v, v);
  auto rmw = tile::AtomicRMWOp::create(builder, loc(), tile::AtomicKind::Add, p, v, Value());
  auto barrier = tile::BarrierOp::create(builder, loc());
  for (Operation *op : {cas.getOperation(), rmw.getOperation(), barrier.getOperation()}) {
    EXPECT_TRUE(has(op, MemoryEffects::Read::get()));
    EXPECT_TRUE(has(op, MemoryEffects::Write::get()));
    EXPECT_FALSE(isOpTriviallyDead(op));
  }
}

TEST_F(OpsTest, ChecksDoNotTouchMemoryButStay) {
  Value c = poison(builder.getI1Type());
  auto assume = tile::AssumeOp::create(builder, loc(), c);
  auto check = tile::AssertOp::create(builder, loc(), c, "message", Value());
  auto print = tile::PrintOp::create(builder, loc(), "x", false, ValueRange());
  for (Operation *op : {assume.getOperation(), check.getOperation(), print.getOperation()}) {
    EXPECT_FALSE(has(op, MemoryEffects::Write::get()));
    EXPECT_FALSE(isOpTriviallyDead(op));
  }
  EXPECT_TRUE(succeeded(verify(*module))) << diagnostics;
}

TEST_F(OpsTest, RangesOfPrograms) {
  auto id = tile::ProgramIdOp::create(builder, loc(), 0);
  id.inferResultRanges({}, [](Value, const ConstantIntRanges &range) {
    EXPECT_EQ(range.smin(), 0);
    EXPECT_EQ(range.umin(), 0u);
    EXPECT_EQ(range.umax(), unsigned(INT32_MAX) - 1);
  });
  auto count = tile::NumProgramsOp::create(builder, loc(), 0);
  count.inferResultRanges({}, [](Value, const ConstantIntRanges &range) {
    EXPECT_EQ(range.smin(), 1);
    EXPECT_EQ(range.smax(), INT32_MAX);
  });
}

TEST_F(OpsTest, RangesOfMakeRange) {
  auto check = [&](int32_t start, int32_t end) {
    auto range = tile::MakeRangeOp::create(builder, loc(),
                                           tensor({end - start}, builder.getI32Type()), start, end);
    range.inferResultRanges({}, [&](Value, const ConstantIntRanges &result) {
      EXPECT_EQ(result.smin().getSExtValue(), start);
      EXPECT_EQ(result.smax().getSExtValue(), end - 1);
    });
  };
  check(0, 8);
  check(-8, 8);
  check(INT32_MAX - 4, INT32_MAX);
}

TEST_F(OpsTest, RangesOfMovedElements) {
  Value x = poison(tensor({4}, builder.getI32Type()));
  auto joined = tile::JoinOp::create(builder, loc(), x, x);
  auto low = ConstantIntRanges::fromSigned(APInt(32, 1), APInt(32, 3));
  auto high = ConstantIntRanges::fromSigned(APInt(32, 7), APInt(32, 9));
  bool wasCalled = false;
  joined.inferResultRanges({low, high}, [&](Value, const ConstantIntRanges &result) {
    wasCalled = true;
    EXPECT_EQ(result.smin(), 1);
    EXPECT_EQ(result.smax(), 9);
  });
  EXPECT_TRUE(wasCalled);
}

TEST_F(OpsTest, MaterializesConstants) {
  Dialect *dialect = context.getLoadedDialect("tile");
  auto type = tensor({4}, builder.getI32Type());
  Operation *constant =
      dialect->materializeConstant(builder, DenseElementsAttr::get(type, 3), type, loc());
  EXPECT_TRUE(isa_and_present<arith::ConstantOp>(constant));
  Operation *poison = dialect->materializeConstant(
      builder, ub::PoisonAttr::get(&context), tensor({4}, pointer(builder.getF32Type())), loc());
  EXPECT_TRUE(isa_and_present<ub::PoisonOp>(poison));
  EXPECT_EQ(dialect->materializeConstant(builder, builder.getStringAttr("x"), type, loc()),
            nullptr);
}

TEST_F(OpsTest, FunctionsWithTileOpsAreInlined) {
  OwningOpRef<ModuleOp> source = parse(R"(
    func.func private @sum(%x: tensor<8xf32>) -> f32 {
      %s = tile.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        tile.yield %c : f32
      }
      return %s : f32
    }
    func.func @k(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
        %x = tile.load %ps : tensor<8x!tile.ptr<f32>>
        %s = func.call @sum(%x) : (tensor<8xf32>) -> f32
        tile.store %p, %s : !tile.ptr<f32>
      }
      return
    })");
  ASSERT_TRUE(source) << diagnostics;
  PassManager manager(&context);
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  ASSERT_TRUE(succeeded(manager.run(*source)));
  unsigned calls = 0, functions = 0, reductions = 0;
  source->walk([&](Operation *op) {
    calls += isa<func::CallOp>(op);
    functions += isa<func::FuncOp>(op);
    reductions += isa<tile::ReduceOp>(op);
  });
  EXPECT_EQ(calls, 0u);
  EXPECT_EQ(functions, 1u);
  EXPECT_EQ(reductions, 1u);
}

TEST_F(OpsTest, ReductionsAreAsSafeAsTheirRegion) {
  OwningOpRef<ModuleOp> source = parse(R"(
    func.func @f(%x: tensor<8xi32>) {
      %s = tile.reduce %x axis 0 : (tensor<8xi32>) -> i32 {
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        tile.yield %c : i32
      }
      %t = tile.reduce %x axis 0 : (tensor<8xi32>) -> i32 {
      ^bb0(%a: i32, %b: i32):
        %c = arith.divsi %a, %b : i32
        tile.yield %c : i32
      }
      return
    })");
  ASSERT_TRUE(source) << diagnostics;
  SmallVector<bool> safe;
  source->walk([&](tile::ReduceOp reduce) {
    safe.push_back(isSpeculatable(reduce));
    EXPECT_TRUE(isMemoryEffectFree(reduce));
  });
  EXPECT_EQ(safe, (SmallVector<bool>{true, false}));
}

TEST_F(OpsTest, EnumsHaveNamesBothWays) {
  for (uint32_t i = 0; i <= tile::getMaxEnumValForAtomicKind(); ++i) {
    auto kind = tile::symbolizeAtomicKind(i);
    ASSERT_TRUE(kind);
    EXPECT_EQ(tile::symbolizeAtomicKind(tile::stringifyAtomicKind(*kind)), kind);
  }
  EXPECT_EQ(tile::symbolizeCacheModifier("fast"), std::nullopt);
  EXPECT_EQ(tile::symbolizeMemScope("sys"), tile::MemScope::System);
}

} // namespace
