// Loading and launching: bad modules, bad arguments, grids, printing, threads, memory; and the heap
// and slot plan alone.
#include "backends/interpreter/Heap.h"
#include "backends/interpreter/Interpreter.h"
#include "backends/interpreter/SlotPlan.h"
#include "tests/backends/interpreter/Harness.h"

using namespace tilerun;
using namespace tilerun::harness;

namespace {

const char *kEmpty = "func.func @k() attributes {tile.kernel} {\n  return\n}";

// Loading

TEST(Load, RefusesWhatIsNotBytecode) {
  Machine machine;
  for (const std::string &bytes :
       {std::string(), std::string("ML"), std::string("module {}"), std::string("ML\xefR"),
        std::string("ML\xefR\x0d\x01\x02\x03\x04")}) {
    auto kernel =
        interp::loadProgram({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, "k");
    ASSERT_FALSE(bool(kernel));
    EXPECT_EQ(takeError(kernel.takeError()).first, ErrorKind::Compile);
  }
}

TEST(Load, SurvivesTruncatedBytecode) {
  Machine machine;
  const std::vector<uint8_t> good = assemble(R"(
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  tile.store %x, %v : !tile.ptr<f32>
  return
})");
  int failures = 0;
  for (size_t length = 0; length < good.size(); length += 7) {
    auto kernel = interp::loadProgram(llvm::ArrayRef(good).take_front(length), "k");
    failures += !kernel;
    if (!kernel)
      llvm::consumeError(kernel.takeError());
  }
  EXPECT_EQ(size_t(failures), (good.size() + 6) / 7);
}

TEST(Load, NamesTheKernelsThereAre) {
  Machine machine;
  auto [kind, text] = machine.loadError("func.func @a() attributes {tile.kernel} {\n  return\n}\n"
                                        "func.func @b() attributes {tile.kernel} {\n  return\n}\n"
                                        "func.func private @c() {\n  return\n}",
                                        "c");
  EXPECT_EQ(kind, ErrorKind::InvalidArgument);
  EXPECT_NE(text.find("no kernel 'c' in the module; it has 'a', 'b'"), std::string::npos) << text;
}

TEST(Load, NamesTheUnsupportedOperationAndItsPlace) {
  Machine machine;
  auto [kind, text] = machine.loadError(R"(
func.func @k(%x: i64) attributes {tile.kernel} {
  %v = arith.extsi %x : i64 to i128 loc("wide.py":8:2)
  return
})");
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(text.find("wide.py:8:2: error: the cpu device does not support values of type 'i128'"),
            std::string::npos)
      << text;
  auto [kind2, text2] = machine.loadError(R"(
func.func @k() attributes {tile.kernel} {
  %c = arith.constant 1 : index
  scf.parallel (%i) = (%c) to (%c) step (%c) {
  } loc("par.py":3:4)
  return
})");
  EXPECT_EQ(kind2, ErrorKind::Compile);
  EXPECT_NE(text2.find("par.py:3:4: error: the cpu device does not support 'scf.parallel'"),
            std::string::npos)
      << text2;
}

TEST(Load, RefusesUnstructuredControlFlow) {
  Machine machine;
  auto [kind, text] = machine.loadError(R"(
func.func @k() attributes {tile.kernel} {
  cf.br ^bb1
^bb1:
  return
})");
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(text.find("structured control flow only"), std::string::npos) << text;
}

TEST(Load, RefusesTilesThatCannotBeHeld) {
  Machine machine;
  auto [kind, text] = machine.loadError(R"(
func.func @k(%x: f64) attributes {tile.kernel} {
  %a = arith.constant dense<1.0> : tensor<1048576x1048576xf64>
  %b = arith.addf %a, %a : tensor<1048576x1048576xf64>
  return
})");
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(text.find("too large"), std::string::npos) << text;
}

TEST(Load, RefusesDeepNesting) {
  std::string text = "func.func @k(%c: i1) attributes {tile.kernel} {\n";
  for (int i = 0; i < 300; ++i)
    text += "scf.if %c {\n";
  text += "tile.print \"x\"\n";
  for (int i = 0; i < 300; ++i)
    text += "}\n";
  text += "return\n}";
  Machine machine;
  auto [kind, message] = machine.loadError(text);
  EXPECT_EQ(kind, ErrorKind::Compile);
  EXPECT_NE(message.find("nested"), std::string::npos) << message;
}

// Launching

TEST(Launch, RefusesBadGrids) {
  Machine machine;
  auto kernel = machine.load(kEmpty);
  for (auto [x, y, z] :
       {std::tuple(0, 1, 1), std::tuple(1, 0, 1), std::tuple(1, 1, 0), std::tuple(1, 65536, 1),
        std::tuple(2147483647, 2, 1), std::tuple(65535, 65535, 65535)}) {
    auto result = interp::launchProgram(*kernel, machine.heap, {}, grid(x, y, z));
    ASSERT_FALSE(bool(result));
    auto [kind, text] = takeError(result.takeError());
    EXPECT_EQ(kind, ErrorKind::InvalidArgument);
    EXPECT_NE(text.find("grid"), std::string::npos) << text;
  }
  auto result = interp::launchProgram(*kernel, machine.heap, {}, grid(uint64_t(1) << 63, 2, 1));
  EXPECT_EQ(takeError(result.takeError()).first, ErrorKind::InvalidArgument);
}

TEST(Launch, RefusesBadArguments) {
  Machine machine;
  const char *text = "func.func @k(%p: !tile.ptr<f32> {tile.name = \"p\"}, %n: i8 {tile.name = "
                     "\"n\"}, %f: f32 {tile.name = "
                     "\"f\"}) attributes {tile.kernel} {\n  return\n}";
  const auto f = flt(1);
  auto expect = [&](std::vector<LaunchArgument> arguments, const char *part) {
    auto [kind, message] = machine.launchError(text, arguments);
    EXPECT_EQ(kind, ErrorKind::InvalidArgument);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect({}, "takes 3 arguments, but got 0");
  expect({ptr(0), num(1), f, f}, "takes 3 arguments, but got 4");
  expect({num(0), num(1), f}, "argument 'p' is an integer, but the kernel takes ptr");
  expect({ptr(0), ptr(1), f}, "argument 'n' is a pointer, but the kernel takes i8");
  expect({ptr(0), num(1), num(1)}, "argument 'f' is an integer, but the kernel takes f32");
  expect({ptr(0), num(256), f}, "argument 'n' is 256, which does not fit into i8");
  machine.run(text, {ptr(0), num(255), f});
  machine.run(text, {ptr(0), num(-128), f});
}

TEST(Launch, MoreProgramsThanThreadsAndTheReverse) {
  Machine machine;
  for (unsigned threads : {1, 2, 7, 1000})
    for (uint64_t programs : {1, 3, 1000}) {
      const uint64_t x = machine.put(std::vector<int32_t>(programs, 0));
      LaunchOptions options = grid(programs);
      options.numThreads = threads;
      machine.run(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %p = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  %v = tile.load %p : !tile.ptr<i32>
  %one = arith.constant 1 : i32
  %w = arith.addi %v, %one : i32
  tile.store %p, %w : !tile.ptr<i32>
  return
})",
                  {ptr(x)}, options);
      EXPECT_EQ(machine.get<int32_t>(x, programs), std::vector<int32_t>(programs, 1));
    }
}

TEST(Launch, ResultsDoNotDependOnThreadsOrChecks) {
  Machine machine;
  Random random;
  std::vector<float> input(64 * 256);
  for (float &value : input)
    value = float(random.uniform(-4, 4));
  const char *text = R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %n = arith.constant 256 : i32
  %o = arith.muli %pid, %n : i32
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %os = tile.splat %o : i32 -> tensor<256xi32>
  %j = arith.addi %os, %i : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %e = math.exp %v : tensor<256xf32>
  %s = tile.reduce %e axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %c = tile.scan %e axis 0 : (tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  %ss = tile.splat %s : f32 -> tensor<256xf32>
  %q = arith.divf %c, %ss : tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %yp, %q : tensor<256x!tile.ptr<f32>>
  return
})";
  const uint64_t x = machine.put(input), y = machine.allocate(input.size() * 4);
  std::vector<std::vector<uint32_t>> results;
  LaunchOptions options = grid(64);
  for (unsigned threads : {1, 2, 4}) {
    options.numThreads = threads;
    machine.run(text, {ptr(x), ptr(y)}, options);
    results.push_back(machine.get<uint32_t>(y, input.size()));
  }
  options.checks = kAllChecks;
  EXPECT_TRUE(machine.run(text, {ptr(x), ptr(y)}, options).reports.empty());
  results.push_back(machine.get<uint32_t>(y, input.size()));
  for (const auto &result : results)
    EXPECT_EQ(result, results[0]);
}

TEST(Launch, PrintsInProgramOrder) {
  Machine machine;
  LaunchOptions options = grid(20, 2);
  options.numThreads = 4;
  const auto result = machine.run(R"(
func.func @k() attributes {tile.kernel} {
  %x = tile.program_id 0
  tile.print "x=" : %x signed [true] : i32
  return
})",
                                  {}, options);
  std::string expected;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 20; ++x)
      expected += "pid (" + std::to_string(x) + ", " + std::to_string(y) +
                  ", 0) idx () x=" + std::to_string(x) + "\n";
  EXPECT_EQ(result.printed, expected);
}

TEST(Launch, PrintsEveryType) {
  Machine machine;
  const auto result = machine.run(R"(
func.func @k() attributes {tile.kernel} {
  %a = arith.constant dense<[[1, -1]]> : tensor<1x2xi8>
  %b = arith.constant 1.5 : f16
  %c = arith.constant true
  %d = arith.constant -2 : i64
  %e = arith.constant 0.1 : f32
  %f = arith.constant 0.125 : f64
  tile.print "just text"
  tile.print "u " : %a signed [false] : tensor<1x2xi8>
  tile.print "s " : %a, %b, %c, %d signed [true, true, false, true] : tensor<1x2xi8>, f16, i1, i64
  tile.print "h " hex : %a, %d signed [true, true] : tensor<1x2xi8>, i64
  tile.print "f " : %e, %f signed [true, true] : f32, f64
  return
})",
                                  {});
  EXPECT_EQ(result.printed, "pid (0, 0, 0) just text\n"
                            "pid (0, 0, 0) idx (0, 0) u 1\n"
                            "pid (0, 0, 0) idx (0, 1) u 255\n"
                            "pid (0, 0, 0) idx (0, 0) s (operand 0) 1\n"
                            "pid (0, 0, 0) idx (0, 1) s (operand 0) -1\n"
                            "pid (0, 0, 0) idx () s (operand 1) 1.500000\n"
                            "pid (0, 0, 0) idx () s (operand 2) 1\n"
                            "pid (0, 0, 0) idx () s (operand 3) -2\n"
                            "pid (0, 0, 0) idx (0, 0) h (operand 0) 0x01\n"
                            "pid (0, 0, 0) idx (0, 1) h (operand 0) 0xff\n"
                            "pid (0, 0, 0) idx () h (operand 1) 0xfffffffffffffffe\n"
                            "pid (0, 0, 0) idx () f (operand 0) 0.100000\n"
                            "pid (0, 0, 0) idx () f (operand 1) 0.125000\n");
}

TEST(Launch, FaultsNameTheFirstProgram) {
  Machine machine;
  LaunchOptions options = grid(100);
  options.debug = true;
  auto [kind, text] = machine.launchError(R"(
func.func @k() attributes {tile.kernel} {
  %f = arith.constant false
  tile.assert %f, "never" : i1
  return
})",
                                          {}, options);
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_NE(text.find("program (0, 0, 0)"), std::string::npos) << text;
}

TEST(Launch, MemoryFollowsLiveTilesNotTheirNumber) {
  // A chain of tiles, each dead after the next: the arena must not grow with its length.
  auto arenaOf = [](int length) {
    std::string text =
        "func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {\n"
        "  %c = arith.constant 1.0 : f32\n  %v0 = tile.splat %c : f32 -> tensor<1024xf32>\n";
    for (int i = 0; i < length; ++i)
      text += "  %v" + std::to_string(i + 1) + " = math.exp %v" + std::to_string(i) +
              " : tensor<1024xf32>\n";
    text += "  %s = tile.reduce %v" + std::to_string(length) +
            " axis 0 : (tensor<1024xf32>) -> f32 {\n  ^bb0(%a: f32, %b: f32):\n    %r = arith.addf "
            "%a, %b : f32\n"
            "    tile.yield %r : f32\n  }\n  tile.store %x, %s : !tile.ptr<f32>\n  return\n}\n";
    auto program = interp::loadProgram(assemble(text), "k");
    EXPECT_TRUE(bool(program));
    return program ? (*program)->arenaBytes : 0;
  };
  EXPECT_EQ(arenaOf(3), arenaOf(100));
  EXPECT_LT(arenaOf(100), size_t(8) * 4096);
}

TEST(Launch, ConstantsSurviveReusedPlaces) {
  // A constant after a dead tile: the tile of the next program must not be written over it.
  Machine machine;
  const uint64_t x = machine.allocate(4 * 16);
  machine.run(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %s = tile.splat %pid : i32 -> tensor<16xi32>
  %t = arith.addi %s, %s : tensor<16xi32>
  %u = tile.reduce %t axis 0 : (tensor<16xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  %c = arith.constant dense<5> : tensor<16xi32>
  %d = arith.muli %c, %c : tensor<16xi32>
  %e = tile.reduce %d axis 0 : (tensor<16xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    tile.yield %r : i32
  }
  %f = arith.addi %u, %e : i32
  %p = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  tile.store %p, %f : !tile.ptr<i32>
  return
})",
              {ptr(x)}, grid(16));
  const auto r = machine.get<int32_t>(x, 16);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(r[i], 32 * i + 400);
}

// The plan and the heap alone

TEST(SlotPlan, NeverOverlapsAndReuses) {
  Random random;
  interp::SlotPlan plan;
  std::map<interp::Slot, size_t> live;
  size_t liveBytes = 0, mostLive = 0;
  for (int i = 0; i < 20000; ++i) {
    if (live.empty() || (random.bits() % 2 && live.size() < 50)) {
      const size_t bytes = 1 + random.bits() % 5000, rounded = (bytes + 63) / 64 * 64;
      const auto slot = plan.take(bytes);
      ASSERT_TRUE(slot);
      ASSERT_EQ(*slot % 64, 0u);
      auto next = live.lower_bound(*slot);
      ASSERT_TRUE(next == live.end() || *slot + rounded <= next->first);
      ASSERT_TRUE(next == live.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= *slot);
      live[*slot] = rounded;
      liveBytes += rounded;
      mostLive = std::max(mostLive, liveBytes);
    } else {
      auto victim = std::next(live.begin(), random.bits() % live.size());
      plan.giveBack(victim->first);
      liveBytes -= victim->second;
      live.erase(victim);
    }
  }
  EXPECT_LE(plan.getBytes(), 3 * mostLive);
}

TEST(SlotPlan, HasALimit) {
  interp::SlotPlan plan;
  EXPECT_FALSE(plan.take(interp::kMaxArenaBytes + 1));
  EXPECT_TRUE(plan.take(interp::kMaxArenaBytes));
  EXPECT_FALSE(plan.take(1));
  EXPECT_FALSE(plan.takeLasting(1));
}

TEST(WrittenBytes, MatchesAPlainModel) {
  Random random;
  interp::WrittenBytes written(1000);
  std::vector<bool> model(1000, false);
  for (int i = 0; i < 2000; ++i) {
    const size_t offset = random.bits() % 1000,
                 count = random.bits() % std::min<size_t>(1001 - offset, 150);
    if (random.bits() % 8 == 0) {
      written.mark(offset, count);
      std::fill_n(model.begin() + offset, count, true);
    } else {
      ASSERT_EQ(written.contains(offset, count),
                std::all_of(model.begin() + offset, model.begin() + offset + count,
                            [](bool b) { return b; }));
    }
    if (i % 500 == 499) {
      written.clear();
      model.assign(1000, false);
    }
  }
}

TEST(Heap, ForgetsOldFreedMemoryButNotSoon) {
  interp::Heap heap(uint64_t(1) << 30);
  const uint64_t first = llvm::cantFail(heap.allocate(100, "first"));
  llvm::cantFail(heap.free(first));
  for (int i = 0; i < 500; ++i)
    EXPECT_NE(llvm::cantFail(heap.allocate(100, "other")), first); // Held back.
  for (int i = 0; i < 5000; ++i)
    llvm::cantFail(heap.free(llvm::cantFail(heap.allocate(1 << 16, "churn"))));
  EXPECT_LT(heap.snapshot().size(), 500u + 1100u);
}

} // namespace
