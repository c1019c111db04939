// Control flow, calls, and live ranges of values.
#include "tests/backends/interpreter/Harness.h"

#include <numeric>

using namespace tilerun;
using namespace tilerun::harness;

namespace {

/// Runs a kernel of (out: ptr<i32>, n: i32) and gives out's first `count` elements.
std::vector<int32_t> runWith(Machine &machine, const std::string &body, int64_t n, size_t count,
                             const std::string &functions = "") {
  const uint64_t out = machine.put(std::vector<int32_t>(count, -1));
  machine.run("func.func @k(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {\n" + body +
                  "\n  return\n}\n" + functions,
              {ptr(out), num(n)});
  return machine.get<int32_t>(out, count);
}

TEST(Control, ForSumsAndCountsTrips) {
  Machine machine;
  for (int n : {-3, 0, 1, 2, 10, 100}) {
    int32_t expected = 0;
    for (int i = 2; i < n; i += 3)
      expected += i;
    EXPECT_EQ(runWith(machine, R"(
  %z = arith.constant 0 : i32
  %lb = arith.constant 2 : i32
  %st = arith.constant 3 : i32
  %r = scf.for %i = %lb to %n step %st iter_args(%s = %z) -> (i32) : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  tile.store %out, %r : !tile.ptr<i32>)",
                      n, 1)[0],
              expected)
        << n;
  }
}

TEST(Control, ForStopsBeforeTheInductionVariableOverflows) {
  Machine machine;
  EXPECT_EQ(runWith(machine, R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lb = arith.constant 2147483640 : i32
  %st = arith.constant 5 : i32
  %r = scf.for %i = %lb to %n step %st iter_args(%s = %z) -> (i32) : i32 {
    %t = arith.addi %s, %one : i32
    scf.yield %t : i32
  }
  tile.store %out, %r : !tile.ptr<i32>)",
                    2147483647, 1)[0],
            2);
}

TEST(Control, ForOverIndexAndI64) {
  Machine machine;
  for (const char *type : {"index", "i64"})
    EXPECT_EQ(
        runWith(machine,
                substitute(R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lb = arith.constant 0 : $T
  %ub = arith.constant 7 : $T
  %st = arith.constant 2 : $T
  %r = scf.for %i = %lb to %ub step %st iter_args(%s = %z) -> (i32) $SUFFIX {
    %t = arith.addi %s, %one : i32
    scf.yield %t : i32
  }
  tile.store %out, %r : !tile.ptr<i32>)",
                           {{"T", type}, {"SUFFIX", std::string(type) == "index" ? "" : ": i64"}}),
                0, 1)[0],
        4);
}

TEST(Control, CarriedValuesAreExchangedAsIfAtOnce) {
  Machine machine;
  // Fibonacci needs (a, b) = (b, a + b); a rotation of three needs a cycle of copies.
  EXPECT_EQ(runWith(machine, R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %one) -> (i32, i32) : i32 {
    %t = arith.addi %a, %b : i32
    scf.yield %b, %t : i32, i32
  }
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %q:3 = scf.for %i = %z to %two step %one iter_args(%a = %one, %b = %two, %c = %three) -> (i32, i32, i32) : i32 {
    scf.yield %b, %c, %a : i32, i32, i32
  }
  %o1 = tile.addptr %out, %one : !tile.ptr<i32>, i32
  %o2 = tile.addptr %out, %two : !tile.ptr<i32>, i32
  %o3 = tile.addptr %out, %three : !tile.ptr<i32>, i32
  tile.store %out, %r#0 : !tile.ptr<i32>
  tile.store %o1, %q#0 : !tile.ptr<i32>
  tile.store %o2, %q#1 : !tile.ptr<i32>
  tile.store %o3, %q#2 : !tile.ptr<i32>)",
                    20, 4),
            (std::vector<int32_t>{6765, 3, 1, 2}));
}

TEST(Control, CarriedAliasesAreSafe) {
  // %h is %a under another name; yielding it into %b's place must read %a before it changes.
  Machine machine;
  EXPECT_EQ(runWith(machine, R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %z) -> (i32, i32) : i32 {
    %h = tile.hint %a : i32
    %t = arith.addi %a, %one : i32
    scf.yield %t, %h : i32, i32
  }
  %o1 = tile.addptr %out, %one : !tile.ptr<i32>, i32
  tile.store %out, %r#0 : !tile.ptr<i32>
  tile.store %o1, %r#1 : !tile.ptr<i32>)",
                    5, 2),
            (std::vector<int32_t>{5, 4}));
}

TEST(Control, NestedLoopsWithTiles) {
  Machine machine;
  const auto r = runWith(machine, R"(
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i4 = tile.make_range 0 to 4 : tensor<4xi32>
  %zt = arith.constant dense<0> : tensor<4xi32>
  %r = scf.for %i = %z to %n step %one iter_args(%s = %zt) -> (tensor<4xi32>) : i32 {
    %q = scf.for %j = %z to %i step %one iter_args(%t = %s) -> (tensor<4xi32>) : i32 {
      %js = tile.splat %j : i32 -> tensor<4xi32>
      %m = arith.muli %js, %i4 : tensor<4xi32>
      %u = arith.addi %t, %m : tensor<4xi32>
      scf.yield %u : tensor<4xi32>
    }
    scf.yield %q : tensor<4xi32>
  }
  %b = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %b, %i4 : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %p, %r : tensor<4x!tile.ptr<i32>>)",
                         6, 4);
  int32_t sum = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      sum += j;
  EXPECT_EQ(r, (std::vector<int32_t>{0, sum, 2 * sum, 3 * sum}));
}

TEST(Control, IfWithAndWithoutResults) {
  Machine machine;
  for (int n : {1, 5}) {
    const auto r = runWith(machine, R"(
  %three = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %c = arith.cmpi slt, %n, %three : i32
  %v = scf.if %c -> (i32) {
    %a = arith.addi %n, %ten : i32
    scf.yield %a : i32
  } else {
    scf.yield %n : i32
  }
  tile.store %out, %v : !tile.ptr<i32>
  scf.if %c {
    %p = tile.addptr %out, %one : !tile.ptr<i32>, i32
    tile.store %p, %ten : !tile.ptr<i32>
  })",
                           n, 2);
    EXPECT_EQ(r, n == 1 ? (std::vector<int32_t>{11, 10}) : (std::vector<int32_t>{5, -1}));
  }
}

TEST(Control, WhileForwardsOtherValuesThanItCarries) {
  Machine machine;
  // Collatz: the number of steps from n to 1.
  auto steps = [](int64_t n) {
    int32_t count = 0;
    for (; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
      ++count;
    return count;
  };
  for (int n : {1, 6, 27, 97})
    EXPECT_EQ(runWith(machine, R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %r = scf.while (%x = %n, %c = %zero) : (i32, i32) -> i32 {
    %go = arith.cmpi ne, %x, %one : i32
    %o = tile.addptr %out, %one : !tile.ptr<i32>, i32
    tile.store %o, %x : !tile.ptr<i32>
    scf.condition(%go) %c : i32
  } do {
  ^bb0(%c: i32):
    %o = tile.addptr %out, %one : !tile.ptr<i32>, i32
    %x = tile.load %o : !tile.ptr<i32>
    %odd = arith.andi %x, %one : i32
    %isodd = arith.cmpi eq, %odd, %one : i32
    %x3 = arith.muli %x, %three : i32
    %up = arith.addi %x3, %one : i32
    %down = arith.divsi %x, %two : i32
    %next = arith.select %isodd, %up, %down : i32
    %d = arith.addi %c, %one : i32
    scf.yield %next, %d : i32, i32
  }
  tile.store %out, %r : !tile.ptr<i32>)",
                      n, 2)[0],
              steps(n));
}

TEST(Control, SwitchAndExecuteRegion) {
  Machine machine;
  for (int n : {0, 1, 2, 7})
    EXPECT_EQ(runWith(machine, R"(
  %i = arith.index_cast %n : i32 to index
  %v = scf.index_switch %i -> i32
  case 1 {
    %a = arith.constant 100 : i32
    scf.yield %a : i32
  }
  case 7 {
    %a = arith.constant 700 : i32
    scf.yield %a : i32
  }
  default {
    scf.yield %n : i32
  }
  %w = scf.execute_region -> i32 {
    %one = arith.constant 1 : i32
    %x = arith.addi %v, %one : i32
    scf.yield %x : i32
  }
  tile.store %out, %w : !tile.ptr<i32>)",
                      n, 1)[0],
              (n == 1   ? 100
               : n == 7 ? 700
                        : n) +
                  1);
}

TEST(Control, CallsAreExpandedEveryTime) {
  Machine machine;
  EXPECT_EQ(runWith(machine, R"(
  %a, %b = func.call @twice(%n, %n) : (i32, i32) -> (i32, i32)
  %c, %d = func.call @twice(%a, %b) : (i32, i32) -> (i32, i32)
  %s = arith.addi %c, %d : i32
  tile.store %out, %s : !tile.ptr<i32>)",
                    3, 1,
                    R"(
func.func private @add(%x: i32, %y: i32) -> i32 {
  %r = arith.addi %x, %y : i32
  return %r : i32
}
func.func private @twice(%x: i32, %y: i32) -> (i32, i32) {
  %s = func.call @add(%x, %y) : (i32, i32) -> i32
  return %y, %s : i32, i32
})")[0],
            15); // (3, 6), then (6, 9)
}

TEST(Control, RecursionIsAnError) {
  Machine machine;
  auto [kind, text] = machine.loadError(R"(
func.func @k() attributes {tile.kernel} {
  func.call @f() : () -> ()
  return
}
func.func private @f() {
  func.call @g() : () -> ()
  return
}
func.func private @g() {
  func.call @f() : () -> () loc("rec.py":9:5)
  return
})");
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(text.find("rec.py:9:5: error: function 'f' calls itself"), std::string::npos) << text;
}

TEST(Control, ExponentialCallTreesAreAnError) {
  std::string text =
      "func.func @k() attributes {tile.kernel} {\n  func.call @f0() : () -> ()\n  return\n}\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "  func.call @f" + std::to_string(i + 1) + "() : () -> ()\n";
    text += "func.func private @f" + std::to_string(i) + "() {\n" + next + next + "  return\n}\n";
  }
  text += "func.func private @f40() {\n  tile.print \"x\"\n  return\n}\n";
  Machine machine;
  auto [kind, message] = machine.loadError(text);
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(message.find("steps"), std::string::npos) << message;
}

TEST(Control, LoopStepsMustBePositive) {
  Machine machine;
  const uint64_t out = machine.allocate(4);
  auto [kind, text] = machine.launchError(R"(
func.func @k(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %z = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  scf.for %i = %z to %ten step %n : i32 {
    tile.store %p, %i : !tile.ptr<i32>
  } loc("loop.py":4:9)
  return
})",
                                          {ptr(out), num(0)});
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_NE(text.find("loop.py:4:9: the loop's step is 0"), std::string::npos) << text;
}

} // namespace
