// Masked-off lanes of a load without `other` are followed through every kind of step to the
// elements that a store writes.
#include "tests/backends/interpreter/CheckTest.h"

using namespace tilerun;
using namespace tilerun::harness;

namespace {

struct Masked {
  const char *name;
  const char *body;  ///< Makes %r from %v, whose lanes 5, 6 and 7 are masked off.
  uint64_t elements; ///< Elements that a store writes and that depend on those lanes.
};

class MaskedValue : public testing::TestWithParam<Masked> {};

TEST_P(MaskedValue, ReachesWhatIsStored) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8, 1), "x");
  const uint64_t out = machine.put(std::vector<int32_t>(16, 0), "out");
  const std::string text = substitute(R"(
func.func @k(%x: !tile.ptr<i32>, %out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = arith.constant dense<1> : tensor<8xi32>
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %i = tile.make_range 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %os = tile.splat %out : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %q = tile.addptr %os, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %p mask %m : tensor<8x!tile.ptr<i32>> loc("m.py":3:9)
  $BODY
  tile.store %q, %r : tensor<8x!tile.ptr<i32>> loc("m.py":4:5)
  return
})",
                                      {{"BODY", GetParam().body}});
  const auto options = checked(2, only(&CheckOptions::maskedValues));
  const auto reports = machine.run(text, {ptr(x), ptr(out), num(5)}, options).reports;
  ASSERT_EQ(reports.size(), GetParam().elements ? 1u : 0u);
  if (GetParam().elements) {
    EXPECT_EQ(reports[0].kind, CheckReport::Kind::MaskedValue);
    EXPECT_EQ(reports[0].count, 2 * GetParam().elements);
    EXPECT_EQ(reports[0].position.line, 3u);
    EXPECT_EQ(reports[0].other.line, 4u);
  }
  // Where no lane is masked off, none is reported.
  EXPECT_TRUE(machine.run(text, {ptr(x), ptr(out), num(8)}, options).reports.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Steps, MaskedValue,
    testing::Values(
        Masked{"Sum", "%r = arith.addi %v, %c : tensor<8xi32>", 3},
        Masked{"ChosenBySelect", "%r = arith.select %m, %c, %v : tensor<8xi1>, tensor<8xi32>", 3},
        Masked{"NotChosenBySelect", "%r = arith.select %m, %v, %c : tensor<8xi1>, tensor<8xi32>",
               0},
        Masked{"ChosenByAScalar", R"(%yes = arith.cmpi eq, %zero, %zero : i32
  %r = arith.select %yes, %v, %c : tensor<8xi32>)",
               3},
        Masked{"TimesZero", R"(%e = arith.extui %m : tensor<8xi1> to tensor<8xi32>
  %r = arith.muli %v, %e : tensor<8xi32>)",
               0},
        Masked{"OrAllOnes", R"(%e = arith.extsi %m : tensor<8xi1> to tensor<8xi32>
  %ones = arith.constant dense<-1> : tensor<8xi32>
  %f = arith.xori %e, %ones : tensor<8xi32>
  %r = arith.ori %v, %f : tensor<8xi32>)",
               0},
        Masked{"OrOne", "%r = arith.ori %c, %v : tensor<8xi32>", 3},
        Masked{"OrTrue", R"(%t = arith.constant dense<true> : tensor<8xi1>
  %outside = arith.xori %m, %t : tensor<8xi1>
  %positive = arith.cmpi sgt, %v, %zeros : tensor<8xi32>
  %u = arith.ori %positive, %outside : tensor<8xi1>
  %r = arith.extui %u : tensor<8xi1> to tensor<8xi32>)",
               0},
        Masked{"OrFalse", R"(%positive = arith.cmpi sgt, %v, %zeros : tensor<8xi32>
  %u = arith.ori %positive, %m : tensor<8xi1>
  %r = arith.extui %u : tensor<8xi1> to tensor<8xi32>)",
               3},
        Masked{"TrueBySelect", R"(%t = arith.constant dense<true> : tensor<8xi1>
  %positive = arith.cmpi sgt, %v, %zeros : tensor<8xi32>
  %u = arith.select %m, %positive, %t : tensor<8xi1>, tensor<8xi1>
  %r = arith.extui %u : tensor<8xi1> to tensor<8xi32>)",
               0},
        Masked{"MaskedOffAtTheStore", R"(tile.store %q, %v mask %m : tensor<8x!tile.ptr<i32>>
  %r = arith.addi %c, %c : tensor<8xi32>)",
               0},
        Masked{"Shapes", R"(%a = tile.reshape %v : tensor<8xi32> -> tensor<2x4xi32>
  %t = tile.trans %a [1, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
  %r = tile.reshape %t : tensor<4x2xi32> -> tensor<8xi32>)",
               3},
        Masked{"JoinAndSplit", R"(%j = tile.join %v, %c : tensor<8xi32> -> tensor<8x2xi32>
  %r, %second = tile.split %j : tensor<8x2xi32> -> tensor<8xi32>, tensor<8xi32>)",
               3},
        Masked{"TheOtherHalf", R"(%j = tile.join %v, %c : tensor<8xi32> -> tensor<8x2xi32>
  %first, %r = tile.split %j : tensor<8x2xi32> -> tensor<8xi32>, tensor<8xi32>)",
               0},
        Masked{"Scan", R"(%r = tile.scan %v axis 0 : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  })",
               3},
        Masked{"ScanFromTheEnd",
               R"(%r = tile.scan %v axis 0 reverse : (tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  })",
               8},
        Masked{"Reduction", R"(%s = tile.reduce %v axis 0 : (tensor<8xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %t = arith.addi %a, %b : i32
    tile.yield %t : i32
  }
  %r = tile.splat %s : i32 -> tensor<8xi32>)",
               8},
        Masked{"Histogram", "%r = tile.histogram %v : tensor<8xi32> -> tensor<8xi32>", 8},
        Masked{"HistogramOfOthers",
               "%r = tile.histogram %v mask %m : tensor<8xi32> -> tensor<8xi32>", 0},
        // Whether elements 1 of %c count depends on the lanes' values.
        Masked{"HistogramByMask", R"(%positive = arith.cmpi sgt, %v, %zeros : tensor<8xi32>
  %r = tile.histogram %c mask %positive : tensor<8xi32> -> tensor<8xi32>)",
               1},
        Masked{"GatherOfOthers",
               "%r = tile.gather %v[%zeros] axis 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>",
               0},
        Masked{"GatherByIndex",
               "%r = tile.gather %c[%v] axis 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>", 3},
        Masked{
            "Loop",
            R"(%r = scf.for %k = %zero to %one step %one iter_args(%acc = %c) -> (tensor<8xi32>) : i32 {
    %s = arith.addi %acc, %v : tensor<8xi32>
    scf.yield %s : tensor<8xi32>
  })",
            3},
        Masked{"Branch", R"(%yes = arith.cmpi eq, %n, %n : i32
  %r = scf.if %yes -> (tensor<8xi32>) {
    scf.yield %v : tensor<8xi32>
  } else {
    scf.yield %c : tensor<8xi32>
  })",
               3},
        Masked{"Address", R"(%w = tile.addptr %xs, %v : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %r = tile.load %w : tensor<8x!tile.ptr<i32>>)",
               3},
        Masked{"WithOther", R"(%w = tile.load %p mask %m other %c : tensor<8x!tile.ptr<i32>>
  %r = arith.addi %w, %w : tensor<8xi32>)",
               0}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(MaskedValues, AtomicsStoreToo) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8, 1), "x");
  const auto reports = machine
                           .run(R"(
func.func @k(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %p mask %m : tensor<8x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %p, %v : tensor<8x!tile.ptr<i32>>
  return
})",
                                {ptr(x), num(5)}, checked(1, only(&CheckOptions::maskedValues)))
                           .reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].count, 3u);
}

} // namespace
