// Reductions and scans: built-in and user-written combinations, along every axis, plain and
// checked.
#include "tests/backends/interpreter/Elementwise.h"

using namespace tilerun;
using namespace tilerun::harness;

namespace {

/// A reduction or scan of an [8, 16, 4] tensor of `type` along `axis`; `combine` yields %r from %a
/// and %b. Every input element is given; results in row-major order.
template <class T>
std::vector<T> runRegion(Machine &machine, const std::string &op, const std::string &type, int axis,
                         const std::string &combine, const std::vector<T> &input,
                         LaunchOptions options = {}, const std::string &extra = "") {
  const int64_t sizes[] = {8, 16, 4};
  std::string result = "tensor<8x16x4x" + type + ">", flat = "512";
  if (op == "reduce") {
    result = "tensor<";
    int64_t count = 1;
    for (int d = 0; d < 3; ++d)
      if (d != axis) {
        result += std::to_string(sizes[d]) + "x";
        count *= sizes[d];
      }
    result += type + ">";
    flat = std::to_string(count);
  }
  const size_t count = std::stoul(flat);
  const uint64_t in = machine.put(input), out = machine.allocate(count * sizeof(T));
  machine.run(substitute(R"(
func.func @k(%in: !tile.ptr<$T>, %out: !tile.ptr<$T>) attributes {tile.kernel} {
  $EXTRA
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %b0 = tile.splat %in : !tile.ptr<$T> -> tensor<512x!tile.ptr<$T>>
  %p = tile.addptr %b0, %i : tensor<512x!tile.ptr<$T>>, tensor<512xi32>
  %v = tile.load %p : tensor<512x!tile.ptr<$T>>
  %x = tile.reshape %v : tensor<512x$T> -> tensor<8x16x4x$T>
  %y = tile.$OP %x axis $AXIS $REVERSE : (tensor<8x16x4x$T>) -> $RESULT {
  ^bb0(%a: $T, %b: $T):
    $COMBINE
    tile.yield %r : $T
  }
  %z = tile.reshape %y : $RESULT -> tensor<$Nx$T>
  %o = tile.make_range 0 to $N : tensor<$Nxi32>
  %ob = tile.splat %out : !tile.ptr<$T> -> tensor<$Nx!tile.ptr<$T>>
  %op = tile.addptr %ob, %o : tensor<$Nx!tile.ptr<$T>>, tensor<$Nxi32>
  tile.store %op, %z : tensor<$Nx!tile.ptr<$T>>
  return
})",
                         {{"EXTRA", extra},
                          {"OP", op == "reduce" ? "reduce" : "scan"},
                          {"REVERSE", op == "reverse" ? "reverse" : ""},
                          {"AXIS", std::to_string(axis)},
                          {"COMBINE", combine},
                          {"RESULT", result},
                          {"N", flat},
                          {"T", type}}),
              {ptr(in), ptr(out)}, options);
  return machine.get<T>(out, count);
}

/// The same by plain loops.
template <class T, class Fn>
std::vector<T> reference(const std::string &op, int axis, const std::vector<T> &input, Fn combine) {
  const size_t sizes[] = {8, 16, 4};
  size_t outer = 1, inner = 1, n = sizes[axis];
  for (int d = 0; d < 3; ++d)
    (d < axis ? outer : inner) *= d == axis ? 1 : sizes[d];
  std::vector<T> result(op == "reduce" ? outer * inner : outer * n * inner);
  for (size_t a = 0; a < outer; ++a)
    for (size_t b = 0; b < inner; ++b) {
      T accumulated{};
      for (size_t k = 0; k < n; ++k) {
        const size_t i = op == "reverse" ? n - 1 - k : k, at = (a * n + i) * inner + b;
        accumulated = k == 0 ? input[at] : combine(accumulated, input[at]);
        if (op != "reduce")
          result[at] = accumulated;
      }
      if (op == "reduce")
        result[a * inner + b] = accumulated;
    }
  return result;
}

std::vector<int32_t> randomInts(Random &random) {
  std::vector<int32_t> values(512);
  for (int32_t &value : values)
    value = int32_t(random.bits());
  return values;
}

class Region : public ::testing::TestWithParam<std::tuple<std::string, int>> {
protected:
  const std::string &op() const { return std::get<0>(GetParam()); }
  int axis() const { return std::get<1>(GetParam()); }
  Machine machine;
  Random random;

  template <class Fn> void check(const std::string &combine, Fn fn, const std::string &extra = "") {
    const auto input = randomInts(random);
    const auto expected = reference(op(), axis(), input, fn);
    EXPECT_EQ(runRegion(machine, op(), "i32", axis(), combine, input, {}, extra), expected);
    EXPECT_EQ(runRegion(machine, op(), "i32", axis(), combine, input, checked(), extra), expected)
        << "checked";
  }
};

TEST_P(Region, SingleOperations) {
  check("%r = arith.addi %a, %b : i32",
        [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); });
  check("%r = arith.addi %b, %a : i32",
        [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); });
  check("%r = arith.maxsi %a, %b : i32", [](int32_t a, int32_t b) { return std::max(a, b); });
  check("%r = arith.minui %a, %b : i32",
        [](int32_t a, int32_t b) { return int32_t(std::min(uint32_t(a), uint32_t(b))); });
  check("%r = arith.xori %a, %b : i32", [](int32_t a, int32_t b) { return a ^ b; });
  check("%r = arith.andi %a, %b : i32", [](int32_t a, int32_t b) { return a & b; });
}

TEST_P(Region, SeveralOperations) {
  // Affine maps x -> (a >> 16) x + (a & 0xffff) modulo 2^16, composed: associative, not
  // commutative.
  check(R"(%c16 = arith.constant 16 : i32
    %mask = arith.constant 0xffff : i32
    %ka = arith.shrui %a, %c16 : i32
    %da = arith.andi %a, %mask : i32
    %kb = arith.shrui %b, %c16 : i32
    %db = arith.andi %b, %mask : i32
    %k0 = arith.muli %ka, %kb : i32
    %k = arith.shli %k0, %c16 : i32
    %d0 = arith.muli %kb, %da : i32
    %d1 = arith.addi %d0, %db : i32
    %d = arith.andi %d1, %mask : i32
    %r = arith.ori %k, %d : i32)",
        [](int32_t a, int32_t b) {
          const uint32_t ka = uint32_t(a) >> 16, da = a & 0xffff, kb = uint32_t(b) >> 16,
                         db = b & 0xffff;
          return int32_t((ka * kb) << 16 | ((kb * da + db) & 0xffff));
        });
}

TEST_P(Region, FirstAndLastKeepIndexOrder) {
  check(R"(%f = arith.constant false
    %r = arith.select %f, %b, %a : i32)",
        [](int32_t a, int32_t) { return a; });
  check(R"(%f = arith.constant true
    %r = arith.select %f, %b, %a : i32)",
        [](int32_t, int32_t b) { return b; });
}

TEST_P(Region, CapturesValuesFromOutside) {
  check(
      R"(%s = arith.maxsi %a, %b : i32
    %r = arith.minsi %s, %limit : i32)",
      [](int32_t a, int32_t b) { return std::min(std::max(a, b), 123456); },
      "%c1 = arith.constant 123455 : i32\n  %c2 = arith.constant 1 : i32\n  %limit = arith.addi "
      "%c1, %c2 : i32");
}

TEST_P(Region, ControlFlowInTheRegion) {
  check(R"(%c = arith.cmpi ugt, %a, %b : i32
    %r = scf.if %c -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    })",
        [](int32_t a, int32_t b) { return uint32_t(a) > uint32_t(b) ? a : b; });
}

INSTANTIATE_TEST_SUITE_P(All, Region,
                         ::testing::Combine(::testing::Values("reduce", "scan", "reverse"),
                                            ::testing::Values(0, 1, 2)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + std::to_string(std::get<1>(info.param));
                         });

TEST(Reduce, FloatSumIsAccurateAndTheSameWhenChecked) {
  Machine machine;
  Random random;
  std::vector<float> input(512);
  for (float &value : input)
    value = float(random.uniform(0, 1));
  for (int axis = 0; axis < 3; ++axis)
    for (const char *op : {"reduce", "scan"}) {
      const auto sums = runRegion(machine, op, "f32", axis, "%r = arith.addf %a, %b : f32", input);
      const std::vector<double> wide(input.begin(), input.end());
      const auto expected = reference(op, axis, wide, [](double a, double b) { return a + b; });
      for (size_t i = 0; i < sums.size(); ++i)
        ASSERT_NEAR(sums[i], expected[i], 1e-6 * expected[i]);
      EXPECT_EQ(
          runRegion(machine, op, "f32", axis, "%r = arith.addf %a, %b : f32", input, checked()),
          sums);
    }
}

TEST(Reduce, NarrowFloatsRoundEveryStep) {
  Machine machine;
  // 2048 + 1 is not a float16: ones added one by one to 2048 would vanish, pairs do not.
  std::vector<uint16_t> input(512, 0x3c00);
  const auto sums = runRegion(machine, "reduce", "f16", 1, "%r = arith.addf %a, %b : f16", input);
  EXPECT_EQ(sums, std::vector<uint16_t>(32, 0x4c00)); // 16
}

TEST(Reduce, MaximaAndNan) {
  Machine machine;
  std::vector<float> input(512, 1);
  input[5] = NAN;
  input[9] = 3;
  const auto ignoring =
      runRegion(machine, "reduce", "f32", 1, "%r = arith.maxnumf %a, %b : f32", input);
  const auto keeping =
      runRegion(machine, "reduce", "f32", 1, "%r = arith.maximumf %a, %b : f32", input);
  EXPECT_EQ(ignoring[1], 3); // Elements 5 and 9 are in column 1.
  EXPECT_TRUE(std::isnan(keeping[1]));
  EXPECT_EQ(keeping[0], 1);
}

/// argmax of 1,024 elements with the leftmost tie, over tuples.
std::string argmax(size_t n) {
  return substitute(R"(
func.func @k(%in: !tile.ptr<f32>, %value: !tile.ptr<f32>, %index: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to $N : tensor<$Nxi32>
  %b0 = tile.splat %in : !tile.ptr<f32> -> tensor<$Nx!tile.ptr<f32>>
  %p = tile.addptr %b0, %i : tensor<$Nx!tile.ptr<f32>>, tensor<$Nxi32>
  %v = tile.load %p : tensor<$Nx!tile.ptr<f32>>
  %m:2 = tile.reduce %v, %i axis 0 : (tensor<$Nxf32>, tensor<$Nxi32>) -> (f32, i32) {
  ^bb0(%va: f32, %ia: i32, %vb: f32, %ib: i32):
    %gt = arith.cmpf ogt, %va, %vb : f32
    %eq = arith.cmpf oeq, %va, %vb : f32
    %lt = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %eq, %lt : i1
    %left = arith.ori %gt, %tie : i1
    %rv = arith.select %left, %va, %vb : f32
    %ri = arith.select %left, %ia, %ib : i32
    tile.yield %rv, %ri : f32, i32
  }
  tile.store %value, %m#0 : !tile.ptr<f32>
  tile.store %index, %m#1 : !tile.ptr<i32>
  return
})",
                    {{"N", std::to_string(n)}});
}

TEST(Reduce, TuplesFindTheLeftmostMaximum) {
  Machine machine;
  Random random;
  for (size_t n : {1, 2, 8, 1024, 8192}) {
    std::vector<float> input(n);
    for (float &value : input)
      value = float(random.bits() % 50);
    const uint64_t in = machine.put(input), value = machine.allocate(4),
                   index = machine.allocate(4);
    machine.run(argmax(n), {ptr(in), ptr(value), ptr(index)});
    const auto best = std::max_element(input.begin(), input.end());
    EXPECT_EQ(machine.get<float>(value, 1)[0], *best);
    EXPECT_EQ(machine.get<int32_t>(index, 1)[0], best - input.begin()) << n;
  }
}

TEST(Reduce, SizesThatAreNotPowersOfTwo) {
  Machine machine;
  for (int n : {3, 5, 7, 12, 100}) {
    const uint64_t out = machine.allocate(8);
    machine.run(substitute(R"(
func.func @k(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %ones = arith.constant dense<1> : tensor<$Nxi32>
  %scan = tile.scan %ones axis 0 : (tensor<$Nxi32>) -> tensor<$Nxi32> {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  %sum = tile.reduce %scan axis 0 : (tensor<$Nxi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  %last = tile.reduce %scan axis 0 : (tensor<$Nxi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  %one = arith.constant 1 : i32
  %q = tile.addptr %out, %one : !tile.ptr<i32>, i32
  tile.store %out, %sum : !tile.ptr<i32>
  tile.store %q, %last : !tile.ptr<i32>
  return
})",
                           {{"N", std::to_string(n)}}),
                {ptr(out)});
    EXPECT_EQ(machine.get<int32_t>(out, 2), (std::vector<int32_t>{n * (n + 1) / 2, n}));
  }
}

} // namespace
