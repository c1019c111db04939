// Checked launches, computed values: overflow, division, shifts, NaN and infinity, assertions, and
// the places in the source that findings name.
#include "tests/backends/interpreter/CheckTest.h"

using namespace tilerun;
using namespace tilerun::harness;

namespace {

// Computed values

LaunchResult overflowRun(Machine &machine, const std::string &op, const std::string &type,
                         const std::string &mark, const std::string &a, const std::string &b,
                         LaunchOptions options) {
  const uint64_t x = machine.put(std::vector<uint8_t>(64, 0), "x");
  return machine.run(substitute(R"(
func.func @k(%x: !tile.ptr<$T>) attributes {tile.kernel} {
  %a = arith.constant dense<[0, $A]> : tensor<2x$T>
  %b = arith.constant dense<[0, $B]> : tensor<2x$T>
  %c = arith.$OP %a, %b $MARK : tensor<2x$T> loc("o.py":5:3)
  %i = tile.make_range 0 to 2 : tensor<2xi32>
  %s = tile.splat %x : !tile.ptr<$T> -> tensor<2x!tile.ptr<$T>>
  %p = tile.addptr %s, %i : tensor<2x!tile.ptr<$T>>, tensor<2xi32>
  tile.store %p, %c : tensor<2x!tile.ptr<$T>>
  return
})",
                                {{"OP", op}, {"MARK", mark}, {"A", a}, {"B", b}, {"T", type}}),
                     {ptr(x)}, options);
}

struct Overflow {
  const char *op, *type, *a, *b;
  bool asSigned, asUnsigned; ///< Whether it overflows.
  const char *message;       ///< Of the signed rule, where that overflows.
};
class OverflowCheck : public ::testing::TestWithParam<Overflow> {};

TEST_P(OverflowCheck, FollowsTheMark) {
  const Overflow &c = GetParam();
  Machine machine;
  const auto options = checked(1, only(&CheckOptions::integerOverflow));
  const auto asSigned =
      overflowRun(machine, c.op, c.type, "{tile.signed}", c.a, c.b, options).reports;
  const auto asUnsigned =
      overflowRun(machine, c.op, c.type, "{tile.unsigned}", c.a, c.b, options).reports;
  EXPECT_EQ(asSigned.size(), c.asSigned);
  EXPECT_EQ(asUnsigned.size(), c.asUnsigned);
  EXPECT_TRUE(overflowRun(machine, c.op, c.type, "", c.a, c.b, options).reports.empty())
      << "unmarked";
  EXPECT_TRUE(overflowRun(machine, c.op, c.type, "{tile.signed}", c.a, c.b, {}).reports.empty())
      << "unchecked";
  if (c.asSigned && asSigned.size() == 1) {
    EXPECT_EQ(asSigned[0].kind, CheckReport::Kind::IntegerOverflow);
    EXPECT_EQ(asSigned[0].element, std::vector<int64_t>{1});
    EXPECT_EQ(asSigned[0].position.line, 5u);
    EXPECT_EQ(asSigned[0].message, c.message);
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, OverflowCheck,
    ::testing::Values(
        Overflow{"addi", "i8", "127", "1", true, false, "127 + 1 overflows int8"},
        Overflow{"addi", "i8", "-1", "1", false, true, ""},
        Overflow{"addi", "i32", "2147483647", "1", true, false, "2147483647 + 1 overflows int32"},
        Overflow{"addi", "i64", "9223372036854775807", "1", true, false,
                 "9223372036854775807 + 1 overflows int64"},
        Overflow{"addi", "i64", "-1", "1", false, true, ""},
        Overflow{"subi", "i16", "-32768", "1", true, false, "-32768 - 1 overflows int16"},
        Overflow{"subi", "i32", "0", "1", false, true, ""},
        Overflow{"muli", "i32", "65536", "32768", true, false, "65536 * 32768 overflows int32"},
        Overflow{"muli", "i32", "65536", "65536", true, true, "65536 * 65536 overflows int32"},
        Overflow{"muli", "i64", "-1", "-1", false, true, ""},
        Overflow{"muli", "i64", "-9223372036854775808", "-1", true, true,
                 "-9223372036854775808 * -1 overflows int64"},
        Overflow{"muli", "i32", "46340", "46340", false, false, ""}));

TEST(OverflowInDebugMode, IsReportedWithoutOtherChecks) {
  Machine machine;
  LaunchOptions options;
  options.debug = true;
  EXPECT_EQ(overflowRun(machine, "addi", "i32", "{tile.signed}", "2147483647", "1", options)
                .reports.size(),
            1u);
}

TEST(DivisionCheck, ScalarsByZero) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(1, 0), "x");
  const auto run = [&](const char *op, int64_t divisor, LaunchOptions options) {
    return machine
        .run(substitute(R"(
func.func @k(%x: !tile.ptr<i32>, %b: i32) attributes {tile.kernel} {
  %a = arith.constant -7 : i32
  %c = arith.$OP %a, %b : i32 loc("d.py":6:2)
  tile.store %x, %c : !tile.ptr<i32>
  return
})",
                        {{"OP", op}}),
             {ptr(x), num(divisor)}, options)
        .reports;
  };
  const std::pair<const char *, const char *> cases[] = {{"divsi", "-7 / 0"},
                                                         {"remsi", "-7 % 0"},
                                                         {"floordivsi", "-7 / 0"},
                                                         {"divui", "4294967289 / 0"},
                                                         {"remui", "4294967289 % 0"}};
  for (auto [op, message] : cases) {
    const auto reports = run(op, 0, checked());
    ASSERT_EQ(reports.size(), 1u) << op;
    EXPECT_EQ(reports[0].kind, CheckReport::Kind::DivisionByZero);
    EXPECT_EQ(std::string(interp::getKindName(reports[0].kind)), "division-by-zero");
    EXPECT_EQ(reports[0].message, message);
    EXPECT_EQ(reports[0].position.line, 6u);
    EXPECT_TRUE(run(op, 3, checked()).empty()) << op;
    EXPECT_TRUE(run(op, 0, {}).empty()) << op;
  }
}

TEST(DivisionCheck, TilesAreNotLookedAt) {
  Machine machine;
  EXPECT_TRUE(overflowRun(machine, "divsi", "i32", "", "4", "2", checked()).reports.empty());
}

TEST(ShiftCheck, AmountsOutOfRange) {
  Machine machine;
  for (const char *op : {"shli", "shrsi", "shrui"}) {
    for (const char *amount : {"16", "-1"}) {
      const auto reports = overflowRun(machine, op, "i16", "", "5", amount, checked()).reports;
      ASSERT_EQ(reports.size(), 1u) << op;
      EXPECT_EQ(reports[0].kind, CheckReport::Kind::ShiftOutOfRange);
      EXPECT_EQ(std::string(interp::getKindName(reports[0].kind)), "shift-out-of-range");
      EXPECT_EQ(reports[0].element, std::vector<int64_t>{1});
      EXPECT_EQ(reports[0].message, "shift by " + std::string(amount) + " of a value of 16 bits");
    }
    EXPECT_TRUE(overflowRun(machine, op, "i16", "", "5", "15", checked()).reports.empty());
    EXPECT_TRUE(overflowRun(machine, op, "i16", "", "5", "16", {}).reports.empty());
  }
}

TEST(OverflowCheck, InsideCombineRegions) {
  Machine machine;
  const uint64_t x = machine.allocate(4, "x");
  const auto run = [&](const char *value) {
    return machine.run(substitute(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = arith.constant dense<$V> : tensor<8xi32>
  %s = tile.reduce %v axis 0 : (tensor<8xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b {tile.signed} : i32
    tile.yield %r : i32
  }
  tile.store %x, %s : !tile.ptr<i32>
  return
})",
                                  {{"V", value}}),
                       {ptr(x)}, checked());
  };
  EXPECT_TRUE(run("268435455").reports.empty());
  EXPECT_EQ(run("268435456").reports.size(), 1u);
}

LaunchResult floatRun(Machine &machine, const std::string &body, bool check) {
  const uint64_t x = machine.put(std::vector<float>{0, 1, HUGE_VALF, NAN}, "x");
  CheckOptions options = check ? only(&CheckOptions::nanInf) : kAllChecks;
  return machine.run(substitute(R"(
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %p = tile.addptr %s, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f32>>
  $BODY
  tile.store %p, %r : tensor<4x!tile.ptr<f32>>
  return
})",
                                {{"BODY", body}}),
                     {ptr(x)}, checked(1, options));
}

TEST(NanInf, CreationIsReportedPropagationIsNot) {
  Machine machine;
  auto kinds = [](const LaunchResult &result) {
    std::vector<std::pair<CheckReport::Kind, int64_t>> all;
    for (const CheckReport &report : result.reports)
      all.emplace_back(report.kind, report.element.empty() ? -1 : report.element[0]);
    return all;
  };
  using Kinds = std::vector<std::pair<CheckReport::Kind, int64_t>>;
  // Of 0, 1, infinity, NaN: 0 - 0 and 1 - 1 are fine, infinity - infinity is a new NaN.
  EXPECT_EQ(kinds(floatRun(machine, "%r = arith.subf %v, %v : tensor<4xf32>", true)),
            (Kinds{{CheckReport::Kind::NanCreated, 2}}));
  EXPECT_EQ(kinds(floatRun(machine, "%r = math.log %v : tensor<4xf32>", true)),
            (Kinds{{CheckReport::Kind::InfCreated, 0}}));
  EXPECT_EQ(kinds(floatRun(machine,
                           "%c = arith.constant dense<1.0> : tensor<4xf32>\n  %r = arith.addf %v, "
                           "%c : tensor<4xf32>",
                           true)),
            Kinds());
  EXPECT_EQ(kinds(floatRun(machine, "%r = arith.subf %v, %v : tensor<4xf32>", false)), Kinds());
}

TEST(NanInf, ConversionsAndProducts) {
  Machine machine;
  EXPECT_EQ(floatRun(machine, R"(%big = arith.constant dense<70000.0> : tensor<4xf32>
  %h = arith.truncf %big : tensor<4xf32> to tensor<4xf16>
  %r = arith.extf %h : tensor<4xf16> to tensor<4xf32>)",
                     true)
                .reports.size(),
            1u);
  EXPECT_EQ(floatRun(machine, R"(%big = arith.constant dense<1.0e30> : tensor<4x4xf32>
  %acc = arith.constant dense<0.0> : tensor<4x4xf32>
  %d = tile.dot %big, %big, %acc : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = tile.reduce %d axis 0 : (tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  })",
                     true)
                .reports.size(),
            1u);
}

// Assertions and places

const char *kAssert = R"(
func.func @k(%n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %ps = tile.splat %pid : i32 -> tensor<4xi32>
  %v = arith.addi %i, %ps : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %c = arith.cmpi slt, %v, %ns : tensor<4xi32>
  tile.assert %c, "v < n" : tensor<4xi1> loc(callsite(callsite("helper.py":3:7 at "mid.py":20:5) at "kernel.py":30:9))
  tile.print "after"
  return
})";

TEST(Assertions, FaultInDebugMode) {
  Machine machine;
  LaunchOptions options = grid(8);
  options.debug = true;
  auto [kind, text] = machine.launchError(kAssert, {num(6)}, options);
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_EQ(text,
            "helper.py:3:7: assertion failed: v < n (element (3)) (kernel 'k', program (3, 0, 0))\n"
            "mid.py:20:5: called from here\nkernel.py:30:9: called from here");
}

TEST(Assertions, AreIgnoredOtherwise) {
  Machine machine;
  machine.run(kAssert, {num(0)}, grid(8));
}

TEST(Assertions, AreFindingsWhenChecked) {
  Machine machine;
  const LaunchResult result = machine.run(kAssert, {num(6)}, checked(8));
  ASSERT_EQ(result.reports.size(), 1u);
  const CheckReport &report = result.reports[0];
  EXPECT_EQ(report.kind, CheckReport::Kind::AssertionFailed);
  EXPECT_EQ(report.message, "assertion failed: v < n");
  EXPECT_EQ(report.program[0], 3u);
  EXPECT_EQ(report.element, std::vector<int64_t>{3});
  EXPECT_EQ(report.count, 5u);
  EXPECT_EQ(report.position.file, "helper.py");
  ASSERT_EQ(report.callStack.size(), 2u);
  EXPECT_EQ(report.callStack[0].file, "mid.py");
  EXPECT_EQ(report.callStack[1].line, 30u);
  // A program that fails stops, and the others continue.
  EXPECT_EQ(llvm::StringRef(result.printed).count("after"), 3u);
}

TEST(Assertions, MaskedLanesAreNotChecked) {
  Machine machine;
  EXPECT_TRUE(machine
                  .run(R"(
func.func @k() attributes {tile.kernel} {
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  tile.assert %c, "masked" mask %c : tensor<2xi1>
  return
})",
                       {}, checked())
                  .reports.empty());
}

TEST(Locations, NamesAndFusions) {
  Machine machine;
  const char *places[] = {R"("a.py":1:2)", R"("name"("a.py":1:2))",
                          R"(fused["x"("a.py":1:2), "b.py":3:4])", R"(fused<"tag">["a.py":1:2])"};
  for (const char *place : places) {
    const auto reports = machine
                             .run(substitute(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32> loc($L)
  tile.print "" : %v signed [true] : i32
  return
})",
                                             {{"L", place}}),
                                  {ptr(0)}, checked())
                             .reports;
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].position.file, "a.py") << place;
    EXPECT_EQ(reports[0].position.line, 1u) << place;
    EXPECT_EQ(reports[0].position.column, 2u) << place;
  }
}

TEST(Locations, CallsAddTheirSites) {
  Machine machine;
  const auto reports = machine
                           .run(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  func.call @f(%x) : (!tile.ptr<i32>) -> () loc("kernel.py":5:1)
  return
}
func.func private @f(%x: !tile.ptr<i32>) {
  %v = tile.load %x : !tile.ptr<i32> loc("f.py":2:3)
  tile.store %x, %v : !tile.ptr<i32>
  return
})",
                                {ptr(0)}, checked())
                           .reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].position.file, "f.py");
  ASSERT_EQ(reports[0].callStack.size(), 1u);
  EXPECT_EQ(reports[0].callStack[0].line, 5u);
}

} // namespace
