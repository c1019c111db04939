// Which parameters tile IR writes through: each op that writes, and each way for an address to get
// there.
#include "ir/analysis/ParameterWrites.h"
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;

namespace {

class ParameterWritesTest : public ::testing::Test {
protected:
  ParameterWritesTest() : context(makeRegistry()) { context.loadAllAvailableDialects(); }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
  /// The numbers of the parameters of a kernel of x, y (pointers), n (i32) and c (i1).
  std::vector<unsigned> find(StringRef body) {
    std::string source =
        ("func.func @f(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %c: i1) {\n"
         "%f = arith.constant 1.0 : f32\n%zero = arith.constant 0 : i32\n" +
         body + "\nreturn\n}\n")
            .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << source;
    if (!module)
      return {};
    auto bits = findWrittenParameters(*module->getOps<func::FuncOp>().begin());
    return {bits.set_bits_begin(), bits.set_bits_end()};
  }
  MLIRContext context;
};

using Numbers = std::vector<unsigned>;

TEST_F(ParameterWritesTest, readsAreNoWrites) {
  EXPECT_EQ(find("%a = tile.load %x : !tile.ptr<f32>"), Numbers());
}

TEST_F(ParameterWritesTest, opsThatWrite) {
  EXPECT_EQ(find("%a = tile.load %x : !tile.ptr<f32>\ntile.store %y, %a : !tile.ptr<f32>"),
            Numbers({1}));
  EXPECT_EQ(find("%a = tile.atomic_rmw fadd %x, %f : !tile.ptr<f32>"), Numbers({0}));
}

// The offset, the mask and the value say nothing about where an address comes from.
TEST_F(ParameterWritesTest, offsetsAreNotFollowed) {
  EXPECT_EQ(find("%p = tile.addptr %x, %n : !tile.ptr<f32>, i32\ntile.store %p, %f mask %c : "
                 "!tile.ptr<f32>"),
            Numbers({0}));
}

TEST_F(ParameterWritesTest, choicesAreFollowed) {
  EXPECT_EQ(find("%p = arith.select %c, %x, %y : !tile.ptr<f32>\ntile.store %p, %f : "
                 "!tile.ptr<f32>"),
            Numbers({0, 1}));
  EXPECT_EQ(find("%p = scf.if %c -> !tile.ptr<f32> { scf.yield %x : !tile.ptr<f32> } else { "
                 "scf.yield %y : !tile.ptr<f32> }\ntile.store %p, %f : !tile.ptr<f32>"),
            Numbers({0, 1}));
}

// Two addresses that a loop carries are told apart.
TEST_F(ParameterWritesTest, loopsAreFollowedByTheValue) {
  EXPECT_EQ(find(R"(
%r:2 = scf.for %i = %zero to %n step %n iter_args(%p = %x, %q = %y)
    -> (!tile.ptr<f32>, !tile.ptr<f32>) : i32 {
  %v = tile.load %p : !tile.ptr<f32>
  tile.store %q, %v : !tile.ptr<f32>
  %p1 = tile.addptr %p, %i : !tile.ptr<f32>, i32
  %q1 = tile.addptr %q, %i : !tile.ptr<f32>, i32
  scf.yield %p1, %q1 : !tile.ptr<f32>, !tile.ptr<f32>
})"),
            Numbers({1}));
}

// Which swap in each turn are not.
TEST_F(ParameterWritesTest, swappedAddresses) {
  EXPECT_EQ(find(R"(
%r:2 = scf.for %i = %zero to %n step %n iter_args(%p = %x, %q = %y)
    -> (!tile.ptr<f32>, !tile.ptr<f32>) : i32 {
  tile.store %q, %f : !tile.ptr<f32>
  scf.yield %q, %p : !tile.ptr<f32>, !tile.ptr<f32>
})"),
            Numbers({0, 1}));
}

TEST_F(ParameterWritesTest, addressesAsIntegers) {
  EXPECT_EQ(find(R"(
%a = tile.ptr_to_int %y : !tile.ptr<f32> -> i64
%four = arith.constant 4 : i64
%b = arith.addi %a, %four : i64
%p = tile.int_to_ptr %b : i64 -> !tile.ptr<f32>
tile.store %p, %f : !tile.ptr<f32>)"),
            Numbers({1}));
}

} // namespace
