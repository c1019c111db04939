// Opaque matrices between loops and registers, on per-thread IR as text: values that loops carry,
// values that go through shared memory, and barriers around each warp's own buffers.
#include "ir/simt/MatrixRegisters.h"
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

class MatrixRegistersTest : public ::testing::Test {
protected:
  MatrixRegistersTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SimtDialect, vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "test";
  }
  func::FuncOp parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "!acc = !simt.matrix<16x16xf32, acc>\n"
        "func.func @k(%a: !simt.matrix<16x16xf16, a>, %b: !simt.matrix<16x16xf16, b>, %n: i32,\n"
        "             %v: vector<8xf32>, %w: vector<16xf32>, %p: i64) {\n"
        "  %zero = arith.constant dense<0.0> : vector<16xf32>\n"
        "  %one = arith.constant 1 : i32\n" +
            body + "\nreturn }",
        &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }
  template <typename Op> unsigned count() {
    unsigned number = 0;
    module->walk([&](Op) { ++number; });
    return number;
  }
  /// The loop's carried values: "m" a matrix, "v" a vector, "s" a scalar.
  std::string carried() {
    std::string text;
    module->walk([&](scf::ForOp loop) {
      text += "(";
      for (Type type : loop.getResultTypes())
        text += isa<MatrixType>(type) ? "m" : isa<VectorType>(type) ? "v" : "s";
      text += ")";
    });
    return text;
  }

  MLIRContext context;
  TargetInfo target;
  OwningOpRef<ModuleOp> module;
};

/// A step of a product on two matrices in the registers `from`; the sum is `to`.
std::string step(const std::string &from, const std::string &to) {
  return "%m" + to + ":2 = simt.matrix_from_registers %" + from +
         " : vector<16xf32> -> !acc, !acc\n"
         "%x" +
         to + " = simt.matrix_multiply_add %a, %b, %m" + to +
         "#0 : <16x16xf16, a>, <16x16xf16, b>, <16x16xf32, acc>\n"
         "%y" +
         to + " = simt.matrix_multiply_add %a, %b, %m" + to +
         "#1 : <16x16xf16, a>, <16x16xf16, b>, <16x16xf32, acc>\n"
         "%" +
         to + " = simt.matrix_to_registers %x" + to + ", %y" + to +
         " : !acc, !acc -> vector<16xf32>\n";
}
std::string loop(const std::string &init, const std::string &name, const std::string &body,
                 const std::string &result) {
  return "%" + name + ":2 = scf.for %i" + name + " = %one to %n step %one iter_args(%c" + name +
         " = %" + init + ", %s" + name + " = %n) -> (vector<16xf32>, i32) : i32 {\n" + body +
         "scf.yield %" + result + ", %s" + name + " : vector<16xf32>, i32\n}\n";
}
std::string store(const std::string &value) {
  return "simt.store %p, %" + value + " : vector<16xf32>\n";
}

TEST_F(MatrixRegistersTest, LoopsCarryAccumulatorsAsMatrices) {
  func::FuncOp kernel = parse(loop("zero", "l", step("cl", "d"), "d") + store("l#0"));
  carryMatrices(kernel);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(carried(), "(mms)");
  EXPECT_EQ(count<MatrixSplatOp>(), 1u) << "zeros need no shared memory";
  EXPECT_EQ(count<MatrixFromRegistersOp>(), 0u);
  EXPECT_EQ(count<MatrixToRegistersOp>(), 1u) << "after the loop";
}

TEST_F(MatrixRegistersTest, SoDoLoopsAroundLoops) {
  func::FuncOp kernel =
      parse(loop("w", "outer", loop("couter", "inner", step("cinner", "d"), "d"), "inner#0") +
            store("outer#0"));
  carryMatrices(kernel);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(carried(), "(mms)(mms)");
  EXPECT_EQ(count<MatrixFromRegistersOp>(), 1u) << "before both";
  EXPECT_EQ(count<MatrixToRegistersOp>(), 1u);
}

TEST_F(MatrixRegistersTest, OneProductHandsItsSumToTheNext) {
  func::FuncOp kernel = parse(step("zero", "d") + step("d", "e") + store("e"));
  carryMatrices(kernel);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(count<MatrixToRegistersOp>(), 1u);
  EXPECT_EQ(count<MatrixFromRegistersOp>(), 0u);
}

TEST_F(MatrixRegistersTest, WhatTheLoopComputesWithStaysInRegisters) {
  func::FuncOp kernel = parse(
      loop("zero", "l", "%half = arith.addf %cl, %cl : vector<16xf32>\n" + step("half", "d"), "d") +
      store("l#0"));
  carryMatrices(kernel);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(carried(), "(vs)");
  EXPECT_EQ(count<MatrixFromRegistersOp>(), 1u);
  EXPECT_EQ(count<MatrixToRegistersOp>(), 1u);
}

TEST_F(MatrixRegistersTest, WarpsWaitForThemselvesOnly) {
  func::FuncOp kernel = parse(step("w", "d") + store("d"));
  target.sharedMemoryBytes = 8 * 4 * 1024; // room for one matrix of each of four warps
  carryMatrices(kernel);
  moveMatricesThroughShared(kernel, 4, target);
  ASSERT_TRUE(succeeded(placeShared(kernel, target)));
  ASSERT_TRUE(succeeded(insertBarriers(kernel, BarrierScope::Program)));
  ASSERT_TRUE(succeeded(verify(*module)));
  std::string text;
  module->walk([&](Operation *op) {
    if (isa<SharedStoreOp, MatrixStoreOp>(op))
      text += isa<MatrixStoreOp>(op) ? "M" : "S";
    else if (isa<SharedLoadOp, MatrixLoadOp>(op))
      text += isa<MatrixLoadOp>(op) ? "m" : "l";
    else if (auto barrier = dyn_cast<BarrierOp>(op))
      text += barrier.getScope() == BarrierScope::Warp ? "." : "|";
  });
  // Registers to two matrices, one at a time; and back.
  EXPECT_EQ(text, "SS.m.SS.m.M.ll.M.ll");
  EXPECT_EQ(cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt(), 4096);
}

TEST_F(MatrixRegistersTest, OtherBuffersInTheSamePlaceTakeABarrierOfAll) {
  func::FuncOp kernel = parse("%buffer = simt.shared_alloc 8192\n%o = simt.thread_id\n"
                              "simt.shared_store %buffer[%o], %v : vector<8xf32>\n"
                              "%l = simt.shared_load %buffer[%o] : vector<16xf32>\n" +
                              step("l", "d") + store("d"));
  carryMatrices(kernel);
  moveMatricesThroughShared(kernel, 4, target);
  ASSERT_TRUE(succeeded(placeShared(kernel, target)));
  ASSERT_TRUE(succeeded(insertBarriers(kernel, BarrierScope::Program)));
  unsigned program = 0;
  module->walk([&](BarrierOp op) { program += op.getScope() == BarrierScope::Program; });
  EXPECT_EQ(program, 2u) << "after the store, and before the buffer's bytes become the warps' own";
}

} // namespace
