// Bounds of plain launches, which are checked by default, and where accesses belong: to the
// allocation that their pointer came from.
#include "tests/backends/interpreter/CheckTest.h"

#include "backends/interpreter/AddressSpace.h"
#include "backends/interpreter/Interpreter.h"

#include <set>

using namespace tilerun;
using namespace tilerun::harness;

namespace {

/// y[i + %to] = x[i + %from] for i in [0, 8).
const char *kMove = R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32> {tile.name = "y"},
             %from: i64, %to: i64) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8 : tensor<8xi32>
  %xf = tile.addptr %x, %from : !tile.ptr<i32>, i64
  %xs = tile.splat %xf : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %xp : tensor<8x!tile.ptr<i32>> loc("move.py":3:9)
  %yf = tile.addptr %y, %to : !tile.ptr<i32>, i64
  %ys = tile.splat %yf : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %yp, %v : tensor<8x!tile.ptr<i32>> loc("move.py":4:5)
  return
})";

struct BoundsTest : testing::Test {
  Machine machine;
  uint64_t x = machine.put(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}, "x");
  uint64_t y = machine.put(std::vector<int32_t>(8, 0), "y");
  int64_t fromXToY = (int64_t(y) - int64_t(x)) / 4;

  std::string fault(llvm::StringRef text, std::vector<LaunchArgument> arguments) {
    auto [kind, message] = machine.launchError(text, std::move(arguments));
    EXPECT_EQ(kind, ErrorKind::Fault) << message;
    return message;
  }
};

TEST_F(BoundsTest, InsideIsSilent) {
  machine.run(kMove, {ptr(x), ptr(y), num(0), num(0)});
  EXPECT_EQ(machine.get<int32_t>(y, 8), machine.get<int32_t>(x, 8));
  // No access is made past the last element.
  machine.run(kMove, {ptr(x + 32), ptr(y + 32), num(-8), num(-8)});
}

TEST_F(BoundsTest, OneElementBehindTheEndEndsALaunch) {
  EXPECT_EQ(fault(kMove, {ptr(x), ptr(y), num(1), num(0)}),
            "move.py:3:9: read of 4 bytes at 'x'[8], outside of its 8 elements; is a mask missing? "
            "(element (7)) (kernel 'k', program (0, 0, 0))");
  EXPECT_EQ(fault(kMove, {ptr(x), ptr(y), num(0), num(-1)}),
            "move.py:4:5: write of 4 bytes at 'y'[-1], outside of its 8 elements; is a mask "
            "missing? (element (0)) (kernel 'k', program (0, 0, 0))");
}

TEST_F(BoundsTest, AnotherAllocationIsOutsideToo) {
  const std::string message = fault(kMove, {ptr(x), ptr(y), num(0), num(-fromXToY)});
  EXPECT_NE(message.find("outside of its 8 elements and in the memory of 'x'"), std::string::npos)
      << message;
  EXPECT_EQ(machine.get<int32_t>(x, 8), (std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  const auto reports =
      machine.run(kMove, {ptr(x), ptr(y), num(fromXToY), num(0)}, checked()).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutOfBoundsRead);
  EXPECT_EQ(reports[0].count, 8u);
}

TEST_F(BoundsTest, ItsOwnNameForAnIndexOfTheShape) {
  auto shaped = [](uint64_t address, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
    LaunchArgument argument = ptr(address);
    argument.memory = {{}, true, std::move(sizes), std::move(strides)};
    return argument;
  };
  auto at = [&](LaunchArgument x, int64_t from, const std::string &words) {
    const std::string message = fault(kMove, {x, ptr(y), num(from), num(0)});
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  at(shaped(x, {4, 2}, {2, 1}), 16, "'x'[8, 0], outside of its shape [4, 2]; is");
  at(shaped(x, {4, 2}, {2, 1}), -1, "'x'[-1, 1], outside of its shape [4, 2]; is");
  // The elements are in another order: only the distance can be reported.
  at(shaped(x, {2, 4}, {1, 2}), 16, "'x'[16], outside of its shape [2, 4]; is");
  at(shaped(x, {}, {}), 16, "'x'[16], outside of its 8 elements; is");
}

TEST_F(BoundsTest, EveryThreadIsChecked) {
  LaunchOptions options = grid(64);
  options.numThreads = 4;
  auto kernel = machine.load(kMove);
  auto result =
      interp::launchProgram(*kernel, machine.heap, {ptr(x), ptr(y), num(1 << 20), num(0)}, options);
  ASSERT_FALSE(bool(result));
  EXPECT_NE(takeError(result.takeError()).second.find("'x'[1048576]"), std::string::npos);
}

TEST_F(BoundsTest, AssertionsAndOverflowChecksKeepTheFault) {
  LaunchOptions options = grid(1);
  options.debug = true;
  auto [kind, message] = machine.launchError(kMove, {ptr(x), ptr(y), num(0), num(4)}, options);
  EXPECT_EQ(kind, ErrorKind::Fault);
  EXPECT_NE(message.find("write of 4 bytes at 'y'[8]"), std::string::npos) << message;
}

TEST_F(BoundsTest, CanBeTurnedOff) {
  const uint64_t both = machine.put(std::vector<int32_t>(16, 7), "both");
  LaunchOptions options = grid(1);
  options.bounds = false;
  machine.launch(*machine.load(kMove),
                 {ptr(x), ptr(y), num((int64_t(both) - int64_t(x)) / 4), num(0)}, options);
  EXPECT_EQ(machine.get<int32_t>(y, 8), std::vector<int32_t>(8, 7));
}

/// Where the pointer of an access came from, as the decoder finds it: an access to `y` through it.
struct Origin : BoundsTest,
                testing::WithParamInterface<std::tuple<const char *, const char *, bool>> {};

TEST_P(Origin, IsFollowed) {
  auto [name, body, mayReachY] = GetParam();
  const std::string text = substitute(R"(
func.func private @same(%p: !tile.ptr<i32>, %d: i64) -> i32 {
  %q = tile.addptr %p, %d : !tile.ptr<i32>, i64
  %v = tile.load %q : !tile.ptr<i32>
  return %v : i32
}
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32> {tile.name = "y"}, %d: i64)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %z64 = arith.constant 0 : i64
  %yes = arith.cmpi ne, %d, %z64 : i64
  $BODY
  tile.store %x, %v : !tile.ptr<i32>
  return
})",
                                      {{"BODY", body}});
  if (!mayReachY) {
    const std::string message = fault(text, {ptr(x), ptr(y), num(fromXToY)});
    EXPECT_NE(message.find("read of 4 bytes at 'x'["), std::string::npos) << message;
    EXPECT_NE(message.find("in the memory of 'y'"), std::string::npos) << message;
    return;
  }
  machine.run(text, {ptr(x), ptr(y), num(fromXToY)});
  EXPECT_EQ(machine.get<int32_t>(x, 1)[0], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Pointers, Origin,
    testing::Values(
        std::tuple("Addition",
                   "%q = tile.addptr %x, %d : !tile.ptr<i32>, i64\n"
                   "  %v = tile.load %q : !tile.ptr<i32>",
                   false),
        std::tuple("Call", "%v = func.call @same(%x, %d) : (!tile.ptr<i32>, i64) -> i32", false),
        std::tuple(
            "Loop",
            R"(%q = scf.for %i = %zero to %one step %one iter_args(%p = %x) -> (!tile.ptr<i32>) : i32 {
    %n = tile.addptr %p, %d : !tile.ptr<i32>, i64
    scf.yield %n : !tile.ptr<i32>
  }
  %v = tile.load %q : !tile.ptr<i32>)",
            false),
        std::tuple("BranchOfOne", R"(%q = scf.if %yes -> (!tile.ptr<i32>) {
    %n = tile.addptr %x, %d : !tile.ptr<i32>, i64
    scf.yield %n : !tile.ptr<i32>
  } else {
    scf.yield %x : !tile.ptr<i32>
  }
  %v = tile.load %q : !tile.ptr<i32>)",
                   false),
        std::tuple("SelectOfBoth",
                   "%q = arith.select %yes, %y, %x : !tile.ptr<i32>\n"
                   "  %v = tile.load %q : !tile.ptr<i32>",
                   true),
        std::tuple(
            "WhileOfBoth",
            R"(%q = scf.while (%p = %x, %go = %yes) : (!tile.ptr<i32>, i1) -> !tile.ptr<i32> {
    scf.condition(%go) %p : !tile.ptr<i32>
  } do {
  ^bb0(%p: !tile.ptr<i32>):
    %no = arith.constant false
    scf.yield %y, %no : !tile.ptr<i32>, i1
  }
  %v = tile.load %q : !tile.ptr<i32>)",
            true),
        // The origin of an integer is unknown: any live allocation will do.
        std::tuple("Integer", R"(%a = tile.ptr_to_int %x : !tile.ptr<i32> -> i64
  %four = arith.constant 4 : i64
  %bytes = arith.muli %d, %four : i64
  %b = arith.addi %a, %bytes : i64
  %q = tile.int_to_ptr %b : i64 -> !tile.ptr<i32>
  %v = tile.load %q : !tile.ptr<i32>)",
                   true)),
    [](const auto &info) { return std::get<0>(info.param); });

TEST_F(BoundsTest, OneByteIsSaidInTheSingular) {
  const uint64_t z = machine.put(std::vector<int8_t>(1, 7), "z");
  const char *bytes = R"(
func.func @k(%z: !tile.ptr<i8> {tile.name = "z"}, %d: i64) attributes {tile.kernel} {
  %p = tile.addptr %z, %d : !tile.ptr<i8>, i64
  %v = tile.load %p : !tile.ptr<i8>
  return
})";
  std::string message = fault(bytes, {ptr(z), num(1)});
  EXPECT_NE(message.find("read of 1 byte at 'z'[1], outside of its one element"), std::string::npos)
      << message;
  message = fault(bytes, {ptr(0), num(1)});
  EXPECT_NE(message.find("read of 1 byte at a null pointer + 1 byte,"), std::string::npos)
      << message;
}

TEST_F(BoundsTest, AnIntegerThatIsNoAddress) {
  const std::string message = fault(R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %a: i64) attributes {tile.kernel} {
  %q = tile.int_to_ptr %a : i64 -> !tile.ptr<i32>
  %v = tile.load %q : !tile.ptr<i32>
  return
})",
                                    {ptr(x), num(int64_t(x + 1000000))});
  EXPECT_NE(message.find("read of 4 bytes at address 0x"), std::string::npos) << message;
  EXPECT_NE(message.find(", which is not in any tensor"), std::string::npos) << message;
}

/// Eight elements from an address of unknown origin on, on a device that shares the host's memory.
/// The 8 elements of `x` are an allocation, or a range that the host declared.
struct HostMemory : testing::TestWithParam<bool> {
  interp::Heap heap{1 << 20};
  alignas(4) int32_t memory[24] = {};
  const uint64_t host = reinterpret_cast<uint64_t>(memory);

  interp::LaunchArgument told(uint64_t bytes) const {
    interp::LaunchArgument x{interp::LaunchArgument::Kind::Pointer, host};
    x.memory.range = interp::Range{host, bytes};
    return x;
  }
  /// The number of out-of-bounds elements that the launch reports; without checks, it ends at the
  /// first.
  uint64_t count(llvm::StringRef access, const interp::LaunchArgument &x, uint64_t address,
                 std::string *message = nullptr) {
    auto program = interp::loadProgram(assemble(substitute(R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %a: i64) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8 : tensor<8xi32>
  %q = tile.int_to_ptr %a : i64 -> !tile.ptr<i32>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %qs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  $ACCESS
  return
})",
                                                           {{"ACCESS", access.str()}})),
                                       "k");
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return 0;
    }
    interp::LaunchOptions options;
    options.hostMemory = true;
    options.checks.bounds = GetParam();
    auto result = interp::launchProgram(
        **program, heap, {x, {interp::LaunchArgument::Kind::Integer, address}}, options);
    if (!result) {
      const std::string text = llvm::toString(result.takeError());
      if (message)
        *message = text;
      return 1;
    }
    return result->reports.empty() ? 0 : result->reports[0].count;
  }
};

TEST_P(HostMemory, ARowEndsWhereItBegan) {
  llvm::Expected<uint64_t> own = heap.allocate(32, "own");
  ASSERT_TRUE(bool(own));
  const std::vector<uint8_t> zeros(32);
  ASSERT_FALSE(bool(heap.copyIn(*own, zeros)));
  const interp::LaunchArgument x{interp::LaunchArgument::Kind::Pointer, *own};
  for (const char *access : {"%v = tile.load %p : tensor<8x!tile.ptr<i32>>",
                             "tile.store %p, %i : tensor<8x!tile.ptr<i32>>"}) {
    std::string message;
    EXPECT_EQ(count(access, told(32), host), 0u);
    EXPECT_EQ(count(access, told(32), host + 12, &message), GetParam() ? 3u : 1u);
    if (!GetParam())
      EXPECT_NE(message.find("(element (5))"), std::string::npos) << message;
    EXPECT_EQ(count(access, x, *own), 0u);
    EXPECT_EQ(count(access, x, *own + 12), GetParam() ? 3u : 1u);
    // Undeclared memory.
    EXPECT_EQ(count(access, told(32), host + 32), 0u);
    EXPECT_EQ(count(access, x, host), 0u);
  }
}

TEST_P(HostMemory, AnElementEndsWhereItBegan) {
  const char *access = "%v = tile.load %q : !tile.ptr<i32>";
  EXPECT_EQ(count(access, told(8), host + 4), 0u);
  EXPECT_EQ(count(access, told(6), host + 4), 1u);
  EXPECT_EQ(count(access, told(6), host + 8), 0u);
}

INSTANTIATE_TEST_SUITE_P(Checks, HostMemory, testing::Bool());

TEST(AddressSpace, IsScattered) {
  interp::AddressSpace space;
  std::set<uint64_t> addresses;
  constexpr uint64_t kFar = 1 << 20;
  for (int i = 0; i < 1000; ++i) {
    std::optional<uint64_t> address = space.take(100);
    ASSERT_TRUE(address);
    EXPECT_EQ(*address % 4096, 0u);
    *reinterpret_cast<char *>(*address + 99) = 1;
    auto next = addresses.lower_bound(*address);
    if (next != addresses.end()) {
      EXPECT_GE(*next - *address, kFar);
    }
    if (next != addresses.begin()) {
      EXPECT_GE(*address - *std::prev(next), kFar);
    }
    addresses.insert(*address);
  }
  for (uint64_t address : addresses)
    EXPECT_TRUE(space.giveBack(address));
  EXPECT_FALSE(space.giveBack(*addresses.begin()));
}

TEST(AddressSpace, DistancesAreNotTheSameTwice) {
  std::set<uint64_t> distances;
  for (int i = 0; i < 20; ++i) {
    interp::AddressSpace space;
    distances.insert(*space.take(1) - *space.take(1));
  }
  EXPECT_EQ(distances.size(), 20u);
}

} // namespace
