// Operations of the tile dialect that make, rearrange, load and store tensors.
#include "tests/backends/interpreter/Harness.h"

#include <numeric>

using namespace tilerun;
using namespace tilerun::harness;

namespace {

std::vector<int32_t> iota(size_t count, int32_t start = 0) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

/// Stores %r of `shape` (as in "4x8") and element type i32 to consecutive addresses, after `body`,
/// which may use the pointer %in.
std::vector<int32_t> evaluate(Machine &machine, const std::string &shape, size_t count,
                              const std::string &body, const std::vector<int32_t> &input = {0}) {
  const uint64_t in = machine.put(input), out = machine.allocate(count * 4);
  const std::string text =
      substitute(R"(
func.func @k(%in: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  $BODY
  %out_range = tile.make_range 0 to $N : tensor<$Nxi32>
  %out_index = tile.reshape %out_range : tensor<$Nxi32> -> tensor<$SHAPExi32>
  %out_base = tile.splat %out : !tile.ptr<i32> -> tensor<$SHAPEx!tile.ptr<i32>>
  %out_ptr = tile.addptr %out_base, %out_index : tensor<$SHAPEx!tile.ptr<i32>>, tensor<$SHAPExi32>
  tile.store %out_ptr, %r : tensor<$SHAPEx!tile.ptr<i32>>
  return
})",
                 {{"BODY", body}, {"SHAPE", shape}, {"N", std::to_string(count)}});
  machine.run(text, {ptr(in), ptr(out)});
  return machine.get<int32_t>(out, count);
}

TEST(Shape, RangeStartsAnywhere) {
  Machine machine;
  EXPECT_EQ(evaluate(machine, "8", 8, "%r = tile.make_range 100 to 108 : tensor<8xi32>"),
            iota(8, 100));
  EXPECT_EQ(evaluate(machine, "8", 8, "%r = tile.make_range -4 to 4 : tensor<8xi32>"), iota(8, -4));
}

TEST(Shape, GatherTakesPositionsModuloTheAxis) {
  Machine machine;
  EXPECT_EQ(evaluate(machine, "4", 4, R"(%x = tile.make_range 10 to 18 : tensor<8xi32>
    %i = arith.constant dense<[7, 0, 9, -1]> : tensor<4xi32>
    %r = tile.gather %x[%i] axis 0 : tensor<8xi32>, tensor<4xi32> -> tensor<4xi32>)"),
            (std::vector<int32_t>{17, 10, 11, 17}));
  const std::string matrix = R"(%v = tile.make_range 0 to 8 : tensor<8xi32>
    %x = tile.reshape %v : tensor<8xi32> -> tensor<2x4xi32>)";
  EXPECT_EQ(evaluate(machine, "2x2", 4, matrix + R"(
    %i = arith.constant dense<[[3, 0], [1, 1]]> : tensor<2x2xi64>
    %r = tile.gather %x[%i] axis 1 : tensor<2x4xi32>, tensor<2x2xi64> -> tensor<2x2xi32>)"),
            (std::vector<int32_t>{3, 0, 5, 5}));
  EXPECT_EQ(evaluate(machine, "1x4", 4, matrix + R"(
    %i = arith.constant dense<[[1, 0, 1, 0]]> : tensor<1x4xi8>
    %r = tile.gather %x[%i] axis 0 : tensor<2x4xi32>, tensor<1x4xi8> -> tensor<1x4xi32>)"),
            (std::vector<int32_t>{4, 1, 6, 3}));
}

TEST(Shape, HistogramLeavesOutWhatHasNoBin) {
  Machine machine;
  const std::string values =
      "%x = arith.constant dense<[0, 3, 3, 4, -1, 1, 3, 0]> : tensor<8xi32>\n";
  EXPECT_EQ(
      evaluate(machine, "4", 4, values + "%r = tile.histogram %x : tensor<8xi32> -> tensor<4xi32>"),
      (std::vector<int32_t>{2, 1, 0, 3}));
  EXPECT_EQ(evaluate(machine, "4", 4, values + R"(
    %m = arith.constant dense<[true, true, false, true, true, false, true, false]> : tensor<8xi1>
    %r = tile.histogram %x mask %m : tensor<8xi32> -> tensor<4xi32>)"),
            (std::vector<int32_t>{1, 0, 0, 2}));
}

TEST(Regions, MapRunsBranchesByElement) {
  Machine machine;
  // In batches where the region is arithmetic, with a scalar from outside.
  EXPECT_EQ(evaluate(machine, "4", 4, R"(%x = tile.make_range 0 to 4 : tensor<4xi32>
    %c = arith.constant 10 : i32
    %d = arith.addi %c, %c : i32
    %r = tile.map %x : (tensor<4xi32>) -> tensor<4xi32> {
    ^bb0(%a: i32):
      %s = arith.addi %a, %d : i32
      tile.yield %s : i32
    })"),
            iota(4, 20));
  EXPECT_EQ(evaluate(machine, "4", 4, R"(%x = tile.make_range 0 to 4 : tensor<4xi32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r, %other = tile.map %x, %x : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
    ^bb0(%a: i32, %b: i32):
      %s = scf.for %i = %zero to %b step %one iter_args(%sum = %a) -> (i32) : i32 {
        %next = arith.addi %sum, %sum : i32
        scf.yield %next : i32
      }
      %c = arith.cmpi sgt, %s, %one : i32
      tile.yield %s, %c : i32, i1
    })"),
            (std::vector<int32_t>{0, 2, 8, 24}));
}

TEST(Shape, SplatRepeatsAScalar) {
  Machine machine;
  EXPECT_EQ(evaluate(machine, "2x4", 8, R"(%c = arith.constant 7 : i32
    %r = tile.splat %c : i32 -> tensor<2x4xi32>)"),
            std::vector<int32_t>(8, 7));
}

TEST(Shape, ConstantsDenseAndSplat) {
  Machine machine;
  EXPECT_EQ(
      evaluate(machine, "2x2", 4, "%r = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>"),
      (std::vector<int32_t>{1, -2, 3, 4}));
  EXPECT_EQ(evaluate(machine, "4", 4, "%r = arith.constant dense<-9> : tensor<4xi32>"),
            std::vector<int32_t>(4, -9));
  EXPECT_EQ(evaluate(machine, "4", 4,
                     R"(%m = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
    %r = arith.extui %m : tensor<4xi1> to tensor<4xi32>)"),
            (std::vector<int32_t>{1, 0, 0, 1}));
  EXPECT_EQ(evaluate(machine, "2", 2, R"(%f = arith.constant dense<[1.5, -2.0]> : tensor<2xbf16>
    %g = arith.extf %f : tensor<2xbf16> to tensor<2xf32>
    %r = arith.bitcast %g : tensor<2xf32> to tensor<2xi32>)"),
            (std::vector<int32_t>{0x3fc00000, int32_t(0xc0000000)}));
}

TEST(Shape, LargeConstantsAreMadeInPlace) {
  Machine machine;
  const auto r =
      evaluate(machine, "32768", 32768, "%r = arith.constant dense<5> : tensor<32768xi32>");
  EXPECT_EQ(r, std::vector<int32_t>(32768, 5));
}

TEST(Shape, PoisonIsSomeValue) {
  Machine machine;
  EXPECT_EQ(evaluate(machine, "4", 4, R"(%p = ub.poison : tensor<4xi32>
    %z = arith.constant dense<0> : tensor<4xi32>
    %r = arith.muli %p, %z : tensor<4xi32>)"),
            std::vector<int32_t>(4, 0));
}

TEST(Shape, BroadcastStretchesAnyDimension) {
  Machine machine;
  const auto rows = evaluate(machine, "4x8", 32, R"(%a = tile.make_range 0 to 4 : tensor<4xi32>
    %b = tile.expand_dims %a axis 1 : tensor<4xi32> -> tensor<4x1xi32>
    %r = tile.broadcast %b : tensor<4x1xi32> -> tensor<4x8xi32>)");
  const auto columns = evaluate(machine, "4x8", 32, R"(%a = tile.make_range 0 to 8 : tensor<8xi32>
    %b = tile.expand_dims %a axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %r = tile.broadcast %b : tensor<1x8xi32> -> tensor<4x8xi32>)");
  const auto middle =
      evaluate(machine, "2x4x8", 64, R"(%a = tile.make_range 0 to 16 : tensor<16xi32>
    %b = tile.reshape %a : tensor<16xi32> -> tensor<2x1x8xi32>
    %r = tile.broadcast %b : tensor<2x1x8xi32> -> tensor<2x4x8xi32>)");
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(rows[i * 8 + j], i);
      EXPECT_EQ(columns[i * 8 + j], j);
      for (int a = 0; a < 2; ++a)
        EXPECT_EQ(middle[(a * 4 + i) * 8 + j], a * 8 + j);
    }
}

TEST(Shape, TransPermutesDimensions) {
  Machine machine;
  const auto swapped = evaluate(machine, "8x4", 32, R"(%a = tile.make_range 0 to 32 : tensor<32xi32>
    %b = tile.reshape %a : tensor<32xi32> -> tensor<4x8xi32>
    %r = tile.trans %b [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>)");
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(swapped[i * 4 + j], j * 8 + i);
  // Result dimension d is source dimension order[d].
  const auto turned =
      evaluate(machine, "8x2x4", 64, R"(%a = tile.make_range 0 to 64 : tensor<64xi32>
    %b = tile.reshape %a : tensor<64xi32> -> tensor<2x4x8xi32>
    %r = tile.trans %b [2, 0, 1] : tensor<2x4x8xi32> -> tensor<8x2x4xi32>)");
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(turned[(i * 2 + j) * 4 + k], (j * 4 + k) * 8 + i);
}

TEST(Shape, JoinSplitCat) {
  Machine machine;
  const std::string ranges = R"(%a = tile.make_range 0 to 4 : tensor<4xi32>
    %b = tile.make_range 10 to 14 : tensor<4xi32>
    )";
  EXPECT_EQ(evaluate(machine, "4x2", 8,
                     ranges + "%r = tile.join %a, %b : tensor<4xi32> -> tensor<4x2xi32>"),
            (std::vector<int32_t>{0, 10, 1, 11, 2, 12, 3, 13}));
  EXPECT_EQ(
      evaluate(machine, "8", 8,
               ranges + "%r = tile.cat %a, %b : tensor<4xi32>, tensor<4xi32> -> tensor<8xi32>"),
      (std::vector<int32_t>{0, 1, 2, 3, 10, 11, 12, 13}));
  EXPECT_EQ(
      evaluate(machine, "4", 4, ranges + R"(%j = tile.join %a, %b : tensor<4xi32> -> tensor<4x2xi32>
    %x, %y = tile.split %j : tensor<4x2xi32> -> tensor<4xi32>, tensor<4xi32>
    %r = arith.subi %y, %x : tensor<4xi32>)"),
      std::vector<int32_t>(4, 10));
  EXPECT_EQ(evaluate(machine, "2", 2, R"(%a = arith.constant 3 : i32
    %b = arith.constant 5 : i32
    %j = tile.join %a, %b : i32 -> tensor<2xi32>
    %x, %y = tile.split %j : tensor<2xi32> -> i32, i32
    %r = tile.join %y, %x : i32 -> tensor<2xi32>)"),
            (std::vector<int32_t>{5, 3}));
}

TEST(Shape, HintsKeepValues) {
  Machine machine;
  EXPECT_EQ(evaluate(machine, "4", 4, R"(%a = tile.make_range 0 to 4 : tensor<4xi32>
    %r = tile.hint %a {divisibility = array<i64: 4>} : tensor<4xi32>)"),
            iota(4));
}

TEST(Shape, AliasesDoNotShareWhatIsStillNeeded) {
  // %b shares the place of %a; a later tile must not take it before %b's last use.
  Machine machine;
  EXPECT_EQ(evaluate(machine, "8", 8, R"(%a0 = tile.make_range 0 to 8 : tensor<8xi32>
    %one = arith.constant dense<1> : tensor<8xi32>
    %a = arith.addi %a0, %one : tensor<8xi32>
    %b = tile.reshape %a : tensor<8xi32> -> tensor<2x4xi32>
    %c = arith.muli %one, %one : tensor<8xi32>
    %d = arith.addi %c, %c : tensor<8xi32>
    %e = arith.addi %d, %d : tensor<8xi32>
    %f = tile.reshape %b : tensor<2x4xi32> -> tensor<8xi32>
    %r = arith.muli %f, %e : tensor<8xi32>)"),
            (std::vector<int32_t>{4, 8, 12, 16, 20, 24, 28, 32}));
}

// Loads and stores

/// Loads `pointers` (defined by `body` from %in) and stores the result.
TEST(Memory, MaskSelectsAndOtherFills) {
  Machine machine;
  const std::string base = R"(%i = tile.make_range 0 to 8 : tensor<8xi32>
    %b = tile.splat %in : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %p = tile.addptr %b, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %m = arith.constant dense<[true, true, false, true, false, false, true, false]> : tensor<8xi1>
    )";
  const auto input = iota(8, 1);
  EXPECT_EQ(evaluate(machine, "8", 8, base + "%r = tile.load %p mask %m : tensor<8x!tile.ptr<i32>>",
                     input),
            (std::vector<int32_t>{1, 2, 0, 4, 0, 0, 7, 0}));
  EXPECT_EQ(evaluate(machine, "8", 8, base + R"(%o = arith.constant dense<-1> : tensor<8xi32>
    %r = tile.load %p mask %m other %o : tensor<8x!tile.ptr<i32>>)",
                     input),
            (std::vector<int32_t>{1, 2, -1, 4, -1, -1, 7, -1}));
}

TEST(Memory, LeadingMask) {
  Machine machine;
  for (int n = 0; n <= 8; ++n) {
    const auto r = evaluate(machine, "8", 8,
                            substitute(R"(%i = tile.make_range 0 to 8 : tensor<8xi32>
    %b = tile.splat %in : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %p = tile.addptr %b, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %n = arith.constant dense<$N> : tensor<8xi32>
    %m = arith.cmpi slt, %i, %n : tensor<8xi32>
    %o = arith.constant dense<-1> : tensor<8xi32>
    %r = tile.load %p mask %m other %o : tensor<8x!tile.ptr<i32>>)",
                                       {{"N", std::to_string(n)}}),
                            iota(8, 1));
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(r[i], i < n ? i + 1 : -1) << n;
  }
}

TEST(Memory, MaskedOffLanesTouchNothing) {
  // Addresses that would fault: null and near it.
  Machine machine;
  const uint64_t out = machine.put(iota(4, 5));
  machine.run(R"(
func.func @k(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %z = arith.constant dense<0> : tensor<4xi64>
  %bad = tile.int_to_ptr %z : tensor<4xi64> -> tensor<4x!tile.ptr<i32>>
  %off = arith.constant dense<false> : tensor<4xi1>
  %v = tile.load %bad mask %off : tensor<4x!tile.ptr<i32>>
  tile.store %bad, %v mask %off : tensor<4x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %bad, %v mask %off : tensor<4x!tile.ptr<i32>>
  %b = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %b, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %p, %old : tensor<4x!tile.ptr<i32>>
  return
})",
              {ptr(out)});
  EXPECT_EQ(machine.get<int32_t>(out, 4), std::vector<int32_t>(4, 0));
}

TEST(Memory, NullPointersFault) {
  Machine machine;
  for (auto [access, offset, message] :
       {std::tuple("%v = tile.load %q : !tile.ptr<i32> loc(\"k.py\":7:3)", 0,
                   "k.py:7:3: read of 4 bytes at a null pointer, which has no memory"),
        std::tuple("tile.store %q, %offset : !tile.ptr<i32> loc(\"k.py\":7:3)", 3,
                   "k.py:7:3: write of 4 bytes at a null pointer + 12 bytes, which"),
        std::tuple("%v = tile.load %q : !tile.ptr<i32> loc(\"k.py\":7:3)", -1,
                   "k.py:7:3: read of 4 bytes at a null pointer - 4 bytes, which"),
        std::tuple("%v = tile.atomic_rmw add %q, %offset : !tile.ptr<i32> loc(\"k.py\":7:3)", 4,
                   "k.py:7:3: atomic access of 4 bytes at a null pointer + 16 bytes, which")}) {
    auto [kind, text] =
        machine.launchError(substitute(R"(
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %offset = arith.constant $OFFSET : i32
  %q = tile.addptr %p, %offset : !tile.ptr<i32>, i32
  $ACCESS
  return
})",
                                       {{"OFFSET", std::to_string(offset)}, {"ACCESS", access}}),
                            {ptr(uint64_t{})});
    EXPECT_EQ(kind, ErrorKind::Fault);
    EXPECT_NE(text.find(message), std::string::npos) << text;
  }
}

TEST(Memory, GatherAndScatter) {
  Machine machine;
  const auto input = iota(64, 1000);
  const auto r = evaluate(machine, "16", 16, R"(%i = tile.make_range 0 to 16 : tensor<16xi32>
    %c = arith.constant dense<7> : tensor<16xi32>
    %w = arith.constant dense<63> : tensor<16xi32>
    %x = arith.muli %i, %c : tensor<16xi32>
    %o = arith.andi %x, %w : tensor<16xi32>
    %b = tile.splat %in : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
    %p = tile.addptr %b, %o : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %r = tile.load %p : tensor<16x!tile.ptr<i32>>)",
                          input);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(r[i], 1000 + (i * 7 & 63));
}

TEST(Memory, StridedRowsAndColumns) {
  Machine machine;
  std::vector<int32_t> input = iota(256);
  // Rows of 8 with stride 32, then the same transposed in memory.
  for (auto [row, column] : {std::pair(32, 1), std::pair(1, 32), std::pair(16, 2)}) {
    const auto r =
        evaluate(machine, "4x8", 32,
                 substitute(R"(%i = tile.make_range 0 to 4 : tensor<4xi32>
    %j = tile.make_range 0 to 8 : tensor<8xi32>
    %si = arith.constant dense<$ROW> : tensor<4xi32>
    %sj = arith.constant dense<$COLUMN> : tensor<8xi32>
    %oi = arith.muli %i, %si : tensor<4xi32>
    %oj = arith.muli %j, %sj : tensor<8xi32>
    %ei = tile.expand_dims %oi axis 1 : tensor<4xi32> -> tensor<4x1xi32>
    %ej = tile.expand_dims %oj axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %bi = tile.broadcast %ei : tensor<4x1xi32> -> tensor<4x8xi32>
    %bj = tile.broadcast %ej : tensor<1x8xi32> -> tensor<4x8xi32>
    %o = arith.addi %bi, %bj : tensor<4x8xi32>
    %b = tile.splat %in : !tile.ptr<i32> -> tensor<4x8x!tile.ptr<i32>>
    %p = tile.addptr %b, %o : tensor<4x8x!tile.ptr<i32>>, tensor<4x8xi32>
    %r = tile.load %p : tensor<4x8x!tile.ptr<i32>>)",
                            {{"ROW", std::to_string(row)}, {"COLUMN", std::to_string(column)}}),
                 input);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 8; ++j)
        EXPECT_EQ(r[i * 8 + j], i * row + j * column);
  }
}

TEST(Memory, BoolsAreBytes) {
  Machine machine;
  const uint64_t in = machine.put(std::vector<uint8_t>{0, 1, 2, 255});
  const uint64_t out = machine.allocate(4);
  machine.run(R"(
func.func @k(%in: !tile.ptr<i1>, %out: !tile.ptr<i1>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %b = tile.splat %in : !tile.ptr<i1> -> tensor<4x!tile.ptr<i1>>
  %p = tile.addptr %b, %i : tensor<4x!tile.ptr<i1>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i1>>
  %ob = tile.splat %out : !tile.ptr<i1> -> tensor<4x!tile.ptr<i1>>
  %op = tile.addptr %ob, %i : tensor<4x!tile.ptr<i1>>, tensor<4xi32>
  tile.store %op, %v : tensor<4x!tile.ptr<i1>>
  return
})",
              {ptr(in), ptr(out)});
  EXPECT_EQ(machine.get<uint8_t>(out, 4), (std::vector<uint8_t>{0, 1, 1, 1}));
}

TEST(Memory, PointersToPointers) {
  Machine machine;
  const uint64_t a = machine.put(std::vector<int32_t>{11}),
                 b = machine.put(std::vector<int32_t>{22});
  const uint64_t table = machine.put(std::vector<uint64_t>{b, a}), out = machine.allocate(8);
  machine.run(R"(
func.func @k(%table: !tile.ptr<!tile.ptr<i32>>, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 2 : tensor<2xi32>
  %tb = tile.splat %table : !tile.ptr<!tile.ptr<i32>> -> tensor<2x!tile.ptr<!tile.ptr<i32>>>
  %tp = tile.addptr %tb, %i : tensor<2x!tile.ptr<!tile.ptr<i32>>>, tensor<2xi32>
  %ps = tile.load %tp : tensor<2x!tile.ptr<!tile.ptr<i32>>>
  %v = tile.load %ps : tensor<2x!tile.ptr<i32>>
  %ob = tile.splat %out : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  %op = tile.addptr %ob, %i : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
  tile.store %op, %v : tensor<2x!tile.ptr<i32>>
  return
})",
              {ptr(table), ptr(out)});
  EXPECT_EQ(machine.get<int32_t>(out, 2), (std::vector<int32_t>{22, 11}));
}

TEST(Memory, PointersAsIntegersAndBack) {
  Machine machine;
  const uint64_t buffer = machine.put(std::vector<int64_t>{7, 0});
  machine.run(R"(
func.func @k(%p: !tile.ptr<i64>) attributes {tile.kernel} {
  %a = tile.ptr_to_int %p : !tile.ptr<i64> -> i64
  %eight = arith.constant 8 : i64
  %b = arith.addi %a, %eight : i64
  %q = tile.int_to_ptr %b : i64 -> !tile.ptr<i32>
  %r = tile.bitcast %q : !tile.ptr<i32> -> !tile.ptr<i64>
  %v = tile.load %p : !tile.ptr<i64>
  tile.store %r, %v : !tile.ptr<i64>
  return
})",
              {ptr(buffer)});
  EXPECT_EQ(machine.get<int64_t>(buffer, 2), (std::vector<int64_t>{7, 7}));
}

TEST(Memory, SelectedPointers) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>{1}), y = machine.put(std::vector<int32_t>{2}),
                 out = machine.allocate(4);
  for (int which : {0, 1}) {
    machine.run(R"(
func.func @k(%c: i1, %x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = arith.select %c, %x, %y : !tile.ptr<i32>
  %v = tile.load %p : !tile.ptr<i32>
  tile.store %out, %v : !tile.ptr<i32>
  return
})",
                {num(which), ptr(x), ptr(y), ptr(out)});
    EXPECT_EQ(machine.get<int32_t>(out, 1)[0], which ? 1 : 2);
  }
}

TEST(Memory, OffsetsOfEveryWidthAreSigned) {
  Machine machine;
  for (const char *type : {"i8", "i16", "i32", "i64"}) {
    const uint64_t buffer = machine.put(iota(8));
    machine.run(substitute(R"(
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %four = arith.constant 4 : i32
  %minus = arith.constant -3 : $T
  %middle = tile.addptr %p, %four : !tile.ptr<i32>, i32
  %q = tile.addptr %middle, %minus : !tile.ptr<i32>, $T
  %v = tile.load %q : !tile.ptr<i32>
  tile.store %p, %v : !tile.ptr<i32>
  return
})",
                           {{"T", type}}),
                {ptr(buffer)});
    EXPECT_EQ(machine.get<int32_t>(buffer, 1)[0], 1) << type;
  }
}

// Arguments

TEST(Arguments, ScalarsOfEveryType) {
  Machine machine;
  const uint64_t out = machine.allocate(64);
  machine.run(R"(
func.func @k(%out: !tile.ptr<f64>, %a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %j: f64)
    attributes {tile.kernel} {
  %fa = arith.uitofp %a : i1 to f64
  %fb = arith.sitofp %b : i8 to f64
  %fc = arith.sitofp %c : i16 to f64
  %fd = arith.sitofp %d : i32 to f64
  %fe = arith.sitofp %e : i64 to f64
  %ff = arith.extf %f : f16 to f64
  %fg = arith.extf %g : bf16 to f64
  %fh = arith.extf %h : f32 to f64
  %s1 = arith.addf %fa, %fb : f64
  %s2 = arith.addf %s1, %fc : f64
  %s3 = arith.addf %s2, %fd : f64
  %s4 = arith.addf %s3, %fe : f64
  %s5 = arith.addf %s4, %ff : f64
  %s6 = arith.addf %s5, %fg : f64
  %s7 = arith.addf %s6, %fh : f64
  %s8 = arith.addf %s7, %j : f64
  tile.store %out, %s8 : !tile.ptr<f64>
  return
})",
              {ptr(out), num(1), num(-100), num(-20000), num(70000), num(int64_t(1) << 40),
               flt(0.5), flt(2), flt(0.25), flt(0.125)});
  EXPECT_EQ(machine.get<double>(out, 1)[0],
            1 - 100 - 20000 + 70000 + std::exp2(40) + 0.5 + 2 + 0.25 + 0.125);
}

TEST(Arguments, ProgramIdsAndGrid) {
  Machine machine;
  const uint64_t out = machine.allocate(4 * 24);
  machine.run(R"(
func.func @k(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %nz = tile.num_programs 2
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %nx : i32
  %d = arith.addi %c, %x : i32
  %hundred = arith.constant 100 : i32
  %e = arith.muli %nz, %hundred : i32
  %v = arith.addi %d, %e : i32
  %p = tile.addptr %out, %d : !tile.ptr<i32>, i32
  tile.store %p, %v : !tile.ptr<i32>
  return
})",
              {ptr(out)}, grid(4, 3, 2));
  EXPECT_EQ(machine.get<int32_t>(out, 24), iota(24, 200));
}

} // namespace
