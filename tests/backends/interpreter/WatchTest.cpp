// What a launch observes besides its result: programs that write nothing, outputs that no program
// writes to, and which program wrote what.
#include "tests/backends/interpreter/Harness.h"

using namespace tilerun;
using namespace tilerun::harness;
using interp::WatchOptions;
using interp::WriterMap;

namespace {

/// x[4·pid + i] = pid for i in [0, 4), masked by 4·pid + i < n; y[0] += 1 in programs from `from`
/// on.
const char *kKernel = R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32> {tile.name = "y"}, %n: i32, %from: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %four = arith.constant 4 : i32
  %base = arith.muli %pid, %four : i32
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %bs = tile.splat %base : i32 -> tensor<4xi32>
  %o = arith.addi %bs, %i : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<4xi32>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %b, %o : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.splat %pid : i32 -> tensor<4xi32>
  tile.store %p, %v mask %m : tensor<4x!tile.ptr<i32>> loc("k.py":7:5)
  %on = arith.cmpi sge, %pid, %from : i32
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add %y, %one mask %on : !tile.ptr<i32> loc("k.py":8:5)
  return
})";

LaunchOptions watching(uint64_t programs, WatchOptions watch, unsigned threads = 1) {
  LaunchOptions options = grid(programs);
  options.watch = watch;
  options.numThreads = threads;
  return options;
}
constexpr WatchOptions kActivity = {.activity = true}, kWriters = {.writers = true};

TEST(Watch, IdleProgramsAreCountedByAnyNumberOfThreads) {
  for (unsigned threads : {1, 5}) {
    Machine machine;
    const uint64_t x = machine.put(std::vector<int32_t>(40)), y = machine.put<int32_t>({0});
    const auto reports =
        machine.run(kKernel, {ptr(x), ptr(y), num(10), num(8)}, watching(10, kActivity, threads))
            .reports;
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].kind, CheckReport::Kind::IdlePrograms);
    EXPECT_EQ(reports[0].count, 5u); // 3 to 7.
    EXPECT_EQ(reports[0].program, (std::array<uint32_t, 3>{3, 0, 0}));
    EXPECT_EQ(reports[0].position.line, 7u);
    EXPECT_EQ(reports[0].message, "5 of 10 programs wrote nothing, the first of them is (3, 0, "
                                  "0): is the grid too large?");
  }
}

TEST(Watch, OutputsThatNobodyWrites) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8)), y = machine.put<int32_t>({0});
  const auto reports =
      machine.run(kKernel, {ptr(x), ptr(y), num(8), num(2)}, watching(2, kActivity)).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutputUntouched);
  EXPECT_EQ(reports[0].position.line, 8u);
  EXPECT_EQ(reports[0].message, "no program wrote to 'y'");
}

TEST(Watch, ALaunchThatWritesAllIsSilent) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8)), y = machine.put<int32_t>({0});
  EXPECT_TRUE(machine.run(kKernel, {ptr(x), ptr(y), num(8), num(0)}, watching(2, kActivity))
                  .reports.empty());
  EXPECT_EQ(machine.get<int32_t>(y, 1)[0], 2);
}

TEST(Watch, WritersByBytes) {
  Machine machine;
  // Nobody writes the last two elements; both programs add to y.
  const uint64_t x = machine.put(std::vector<int32_t>(8)), y = machine.put<int32_t>({0});
  const LaunchResult result =
      machine.run(kKernel, {ptr(x), ptr(y), num(6), num(0)}, watching(2, kWriters));
  EXPECT_TRUE(result.reports.empty());
  ASSERT_EQ(result.writers.size(), 2u);
  const WriterMap &ofX = result.writers[0], &ofY = result.writers[1];
  EXPECT_EQ(ofX.argument, "x");
  EXPECT_TRUE(ofX.complete);
  ASSERT_EQ(ofX.runs.size(), 2u);
  EXPECT_EQ(ofX.runs[0].begin, 0u);
  EXPECT_EQ(ofX.runs[0].bytes, 16u);
  EXPECT_EQ(ofX.runs[0].program, 0u);
  EXPECT_EQ(ofX.runs[1].begin, 16u);
  EXPECT_EQ(ofX.runs[1].bytes, 8u);
  EXPECT_EQ(ofX.runs[1].program, 1u);
  EXPECT_EQ(ofY.argument, "y");
  ASSERT_EQ(ofY.runs.size(), 1u);
  EXPECT_EQ(ofY.runs[0].program, 1u) << "the last one";
  EXPECT_EQ(machine.get<int32_t>(x, 8), (std::vector<int32_t>{0, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(Watch, WritingDoesNotTurnOnChecks) {
  Machine machine;
  // Out of bounds is a fault as in a plain launch, not a finding.
  const uint64_t x = machine.put(std::vector<int32_t>(4)), y = machine.put<int32_t>({0});
  const auto [kind, message] =
      machine.launchError(kKernel, {ptr(x), ptr(y), num(8), num(0)}, watching(2, kWriters));
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_NE(message.find("write of 4 bytes at 'x'"), std::string::npos) << message;
}

TEST(Watch, ArgumentsOfOneAllocationHaveOneMap) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8));
  const LaunchResult result =
      machine.run(kKernel, {ptr(x), ptr(x + 28), num(4), num(0)}, watching(2, kWriters));
  ASSERT_EQ(result.writers.size(), 1u);
  ASSERT_EQ(result.writers[0].runs.size(), 2u);
  EXPECT_EQ(result.writers[0].runs[1].begin, 28u);
  EXPECT_EQ(result.writers[0].runs[1].program, 1u);
}

} // namespace
