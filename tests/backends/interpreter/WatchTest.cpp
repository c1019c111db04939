// What a launch observes besides its result: programs that write nothing, outputs that no program
// writes to, which program wrote what, and how much work it is.
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
constexpr WatchOptions kActivity = {.activity = true}, kWriters = {.writers = true},
                       kWork = {.work = true};

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

TEST(Watch, ArgumentsWithoutAnyWrite) {
  Machine machine;
  const uint64_t x = machine.put<int32_t>({5, 6}), y = machine.put<int32_t>({0, 0});
  const char *kernel = R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32> {tile.name = "y"}) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32> loc("k.py":3:5)
  tile.store %y, %v : !tile.ptr<i32> loc("k.py":4:5)
  return
})";
  const auto reports = machine.run(kernel, {ptr(x), ptr(y)}, watching(1, kActivity)).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::ArgumentUnwritten);
  EXPECT_EQ(reports[0].argument, "x");
  EXPECT_EQ(reports[0].position.line, 0u);
  EXPECT_EQ(reports[0].message, "no program wrote to 'x': the kernel has no write to it");
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

TEST(Watch, BytesAreCountedOnce) {
  Machine machine;
  // x[6] and x[7] are masked off; both programs add to y, which reads and writes it.
  const uint64_t x = machine.put(std::vector<int32_t>(8)), y = machine.put<int32_t>({0});
  const LaunchResult result =
      machine.run(kKernel, {ptr(x), ptr(y), num(6), num(0)}, watching(2, kWork, 3));
  ASSERT_TRUE(result.work);
  EXPECT_TRUE(result.work->complete);
  EXPECT_EQ(result.work->bytesRead, 4u);
  EXPECT_EQ(result.work->bytesWritten, 24u + 4);
  EXPECT_EQ(result.work->operations, 0u) << "integers are not counted";
  EXPECT_TRUE(result.reports.empty());
  EXPECT_EQ(machine.get<int32_t>(y, 1)[0], 2);
  EXPECT_FALSE(machine.run(kKernel, {ptr(x), ptr(y), num(6), num(0)}, watching(2, kWriters)).work);
}

TEST(Watch, OperationsOnFloatsAreCounted) {
  const char *kernel = R"(
func.func @k(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %b = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %p = tile.addptr %b, %i : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f32>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %v) -> (tensor<4xf32>) : i32 {
    %next = arith.addf %acc, %v : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  %fma = math.fma %sum, %v, %v : tensor<4xf32>
  %exp = math.exp %fma : tensor<4xf32>
  %above = arith.cmpf ogt, %exp, %v : tensor<4xf32>
  %chosen = arith.select %above, %exp, %v : tensor<4xi1>, tensor<4xf32>
  %half = arith.truncf %chosen : tensor<4xf32> to tensor<4xf16>
  %total = tile.reduce %chosen axis 0 : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    tile.yield %r : f32
  }
  tile.store %x, %total : !tile.ptr<f32>
  return
})";
  Machine machine;
  const uint64_t x = machine.put<float>({1, 2, 3, 4});
  const LaunchResult result = machine.run(kernel, {ptr(x), num(5)}, watching(2, kWork));
  ASSERT_TRUE(result.work);
  // A program: 5 additions of 4, 4 multiply-adds, 4 exponentials, 3 maxima.
  EXPECT_EQ(result.work->operations, 2u * (5 * 4 + 2 * 4 + 4 + 3));
  EXPECT_EQ(result.work->productOperations, 0u);
  EXPECT_EQ(result.work->bytesRead, 16u);
  EXPECT_EQ(result.work->bytesWritten, 4u);
}

TEST(Watch, ProductsAreCountedForEachType) {
  for (const auto &[element, sum, zero] :
       {std::tuple<std::string, std::string, std::string>("f16", "f32", "0.0"),
        {"i8", "i32", "0"}}) {
    const std::string a = "tensor<8x16x" + element + ">", b = "tensor<16x4x" + element + ">",
                      c = "tensor<8x4x" + sum + ">";
    const std::string kernel = "func.func @k() attributes {tile.kernel} {\n"
                               "  %a = arith.constant dense<" +
                               zero + "> : " + a +
                               "\n"
                               "  %b = arith.constant dense<" +
                               zero + "> : " + b +
                               "\n"
                               "  %c = arith.constant dense<" +
                               zero + "> : " + c +
                               "\n"
                               "  %d = tile.dot %a, %b, %c precision ieee : " +
                               a + ", " + b + " -> " + c + "\n  return\n}\n";
    Machine machine;
    const LaunchResult out = machine.run(kernel, {}, watching(3, kWork));
    ASSERT_TRUE(out.work);
    EXPECT_EQ(out.work->productOperations, 3u * 2 * 8 * 4 * 16) << element;
    EXPECT_EQ(out.work->operations, out.work->productOperations) << element;
  }
}

// An endless loop ends, and the launch is whole again afterwards.
TEST(Watch, CountingIsGivenUp) {
  const char *kernel = R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %most = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %zero to %most step %one iter_args(%acc = %zero) -> (i32) : i32 {
    %next = arith.xori %acc, %k : i32
    scf.yield %next : i32
  }
  tile.store %x, %sum : !tile.ptr<i32>
  return
})";
  Machine machine;
  const uint64_t x = machine.put<int32_t>({7});
  LaunchOptions options = watching(1000, kWork);
  options.watch.workSeconds = 0.05;
  const LaunchResult result = machine.run(kernel, {ptr(x)}, options);
  ASSERT_TRUE(result.work);
  EXPECT_FALSE(result.work->complete);
  EXPECT_LT(result.seconds, 10);
  EXPECT_EQ(machine.get<int32_t>(x, 1)[0], 7);
}

} // namespace
