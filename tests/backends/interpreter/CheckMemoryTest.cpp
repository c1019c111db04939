// Checked launches, memory: bounds, alignment, uninitialized reads and races are found where they
// are, with the right words, and nowhere else.
#include "tests/backends/interpreter/CheckTest.h"

using namespace tilerun;
using namespace tilerun::harness;

namespace {

/// x[i + %shift] = x[i] for i in [0, 8), both masked by i < %n.
const char *kCopy = R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x_ptr"}, %shift: i32, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %b = tile.splat %x : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %b, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %p mask %m : tensor<8x!tile.ptr<i32>> loc("copy.py":10:9)
  %s = tile.splat %shift : i32 -> tensor<8xi32>
  %q = tile.addptr %p, %s : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %q, %v mask %m : tensor<8x!tile.ptr<i32>> loc("copy.py":11:5)
  return
})";

TEST(Bounds, InsideIsSilent) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8, 3), "x");
  EXPECT_TRUE(machine.run(kCopy, {ptr(x), num(0), num(8)}, checked()).reports.empty());
}

TEST(Bounds, MaskedOffLanesAreNotAccesses) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(5, 3), "x");
  EXPECT_TRUE(machine.run(kCopy, {ptr(x), num(0), num(5)}, checked()).reports.empty());
}

TEST(Bounds, ReadPastTheEnd) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(6, 3), "x");
  const auto reports = machine.run(kCopy, {ptr(x), num(0), num(8)}, checked()).reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutOfBoundsRead);
  EXPECT_EQ(reports[0].kernel, "k");
  EXPECT_EQ(reports[0].element, std::vector<int64_t>{6});
  EXPECT_EQ(reports[0].address, x + 24);
  EXPECT_EQ(reports[0].count, 2u);
  EXPECT_EQ(reports[0].position.file, "copy.py");
  EXPECT_EQ(reports[0].position.line, 10u);
  EXPECT_EQ(reports[0].position.column, 9u);
  EXPECT_EQ(reports[0].message,
            "read of 4 bytes at 'x_ptr'[6], outside of its 6 elements; is the mask too wide?");
  EXPECT_EQ(reports[1].kind, CheckReport::Kind::OutOfBoundsWrite);
  EXPECT_EQ(reports[1].position.line, 11u);
  EXPECT_EQ(reports[1].message,
            "write of 4 bytes at 'x_ptr'[6], outside of its 6 elements; is the mask too wide?");
}

TEST(Bounds, BeforeTheBeginningAndRelativeToTheArgument) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(16, 3), "x");
  const auto reports = machine.run(kCopy, {ptr(x + 8), num(-4), num(1)}, checked()).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutOfBoundsWrite);
  EXPECT_EQ(reports[0].message,
            "write of 4 bytes at 'x_ptr'[-4], outside of its 14 elements; is the mask too wide?");
}

TEST(Bounds, AccessesThatStraddleTheEnd) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<uint8_t>(30, 0), "x");
  const auto reports = machine.run(kCopy, {ptr(x), num(0), num(8)}, checked()).reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].element, std::vector<int64_t>{7});
}

TEST(Bounds, SuppressedWritesChangeNothing) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8}, "x");
  machine.run(kCopy, {ptr(x), num(4), num(8)}, checked());
  EXPECT_EQ(machine.get<int32_t>(x, 8), (std::vector<int32_t>{1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(Bounds, NullPointers) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(4, 0), "x");
  (void)x;
  const auto reports = machine.run(kCopy, {ptr(0), num(0), num(1)}, checked()).reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutOfBoundsRead);
  EXPECT_EQ(reports[0].address, 0u);
  EXPECT_EQ(reports[0].message, "read of 4 bytes at a null pointer, which has no memory; a tensor "
                                "without elements may be passed, but not accessed");
  EXPECT_EQ(reports[1].message, "write of 4 bytes at a null pointer, which has no memory; a tensor "
                                "without elements may be passed, but not accessed");
}

TEST(Bounds, UseAfterFree) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(8, 3), "x");
  ASSERT_FALSE(machine.heap.free(x));
  const auto reports = machine.run(kCopy, {ptr(x), num(0), num(8)}, checked()).reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::UseAfterFree);
  EXPECT_EQ(reports[0].message, "read of 4 bytes at 'x_ptr'[0], which was freed");
}

TEST(Bounds, AtomicsAreCheckedToo) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(1, 0), "x");
  const auto reports = machine
                           .run(R"(
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %p = tile.addptr %x, %one : !tile.ptr<i32>, i32
  %a = tile.atomic_rmw add %p, %one : !tile.ptr<i32>
  %b = tile.atomic_cas %p, %a, %one : !tile.ptr<i32>
  return
})",
                                {ptr(x)}, checked())
                           .reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::OutOfBoundsWrite);
  EXPECT_TRUE(reports[0].element.empty());
}

TEST(Bounds, ManyFindingsAreMergedAndLimited) {
  Machine machine;
  std::string body;
  for (int i = 0; i < 150; ++i)
    body +=
        "  tile.store %x, %c : !tile.ptr<i32> loc(\"many.py\":" + std::to_string(i + 1) + ":1)\n";
  const auto reports = machine
                           .run("func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {\n  %c "
                                "= arith.constant 1 : i32\n" +
                                    body + "  return\n}",
                                {ptr(0)}, checked(50))
                           .reports;
  EXPECT_EQ(reports.size(), 100u);
  for (const CheckReport &report : reports)
    EXPECT_EQ(report.count, 50u);
}

TEST(AlignmentCheck, AddressesThatAreNoMultiple) {
  Machine machine;
  const uint64_t x = machine.put(std::vector<int32_t>(10, 3), "x");
  const auto reports = machine.run(kCopy, {ptr(x + 2), num(0), num(8)}, checked()).reports;
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::MisalignedAccess);
  EXPECT_EQ(std::string(interp::getKindName(reports[0].kind)), "misaligned-access");
  EXPECT_EQ(reports[0].count, 8u);
  EXPECT_EQ(reports[0].address, x + 2);
  EXPECT_EQ(reports[0].message,
            "read of 4 bytes at 'x_ptr'[0], an address that is not a multiple of 4");
  EXPECT_EQ(reports[1].kind, CheckReport::Kind::MisalignedAccess);
  EXPECT_TRUE(machine.run(kCopy, {ptr(x + 4), num(0), num(8)}, checked()).reports.empty());
}

TEST(Uninitialized, FreshMemoryAndPoison) {
  Machine machine;
  const auto options = checked(1, only(&CheckOptions::uninitialized));
  const uint64_t x = machine.allocate(32, "x");
  auto reports = machine.run(kCopy, {ptr(x), num(0), num(8)}, options).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::UninitializedRead);
  EXPECT_EQ(reports[0].count, 8u);
  EXPECT_EQ(reports[0].message, "read of 4 bytes at 'x_ptr'[0], which was never written");
  // The kernel has written all of it by now.
  EXPECT_TRUE(machine.run(kCopy, {ptr(x), num(0), num(8)}, options).reports.empty());
  ASSERT_FALSE(machine.heap.poison(x));
  EXPECT_EQ(machine.run(kCopy, {ptr(x), num(0), num(8)}, options).reports.size(), 1u);
}

TEST(Uninitialized, PartlyWritten) {
  Machine machine;
  const auto options = checked(1, only(&CheckOptions::uninitialized));
  const uint64_t x = machine.allocate(400, "x");
  ASSERT_FALSE(machine.heap.copyIn(x, std::vector<uint8_t>(22, 1)));
  const auto reports = machine.run(kCopy, {ptr(x), num(50), num(8)}, options).reports;
  ASSERT_EQ(reports.size(), 1u); // Bytes 22 to 31.
  EXPECT_EQ(reports[0].count, 3u);
  EXPECT_EQ(reports[0].element, std::vector<int64_t>{5});
  // Only the bytes that the kernel wrote may be read now.
  EXPECT_TRUE(machine.run(kCopy, {ptr(x + 200), num(0), num(8)}, options).reports.empty());
  EXPECT_EQ(machine.run(kCopy, {ptr(x + 204), num(0), num(8)}, options).reports.size(), 1u);
}

TEST(Uninitialized, PlainLaunchesAreTrusted) {
  Machine machine;
  const uint64_t x = machine.allocate(32, "x");
  machine.run(kCopy, {ptr(x), num(0), num(0)});
  EXPECT_TRUE(machine.run(kCopy, {ptr(x), num(0), num(8)}, checked()).reports.empty());
}

// Races

/// Every program does %BODY with a pointer %p to x[pid * %stride].
LaunchResult raceRun(Machine &machine, const std::string &body, int64_t stride, uint64_t programs,
                     int64_t initial = 0) {
  const uint64_t x = machine.put(std::vector<int32_t>(64, int32_t(initial)), "x");
  return machine.run(substitute(R"(
func.func @k(%x: !tile.ptr<i32> {tile.name = "x"}, %stride: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c40 = arith.constant 40 : i32
  %lock = tile.addptr %x, %c40 : !tile.ptr<i32>, i32
  %o = arith.muli %pid, %stride : i32
  %p = tile.addptr %x, %o : !tile.ptr<i32>, i32
  $BODY
  return
})",
                                {{"BODY", body}}),
                     {ptr(x), num(stride)}, checked(programs, only(&CheckOptions::races)));
}

TEST(Races, TwoWritersOfOneByte) {
  Machine machine;
  const auto reports =
      raceRun(machine, "tile.store %p, %pid : !tile.ptr<i32> loc(\"r.py\":3:1)", 0, 4).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, CheckReport::Kind::Race);
  EXPECT_EQ(reports[0].program[0], 1u);
  EXPECT_EQ(reports[0].count, 3u);
  EXPECT_EQ(reports[0].position.line, 3u);
  EXPECT_EQ(reports[0].message,
            "write of 4 bytes at 'x'[0] races with a write by program (0, 0, 0) at the same place");
}

TEST(Races, ReportsNameBothPlaces) {
  Machine machine;
  const auto reports = raceRun(machine, R"(%c = arith.cmpi eq, %pid, %zero : i32
  scf.if %c {
    tile.store %x, %one : !tile.ptr<i32> loc("r.py":4:5)
  } else {
    tile.store %x, %zero : !tile.ptr<i32> loc("r.py":6:5)
  })",
                               0, 2)
                           .reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].position.line, 6u);
  EXPECT_EQ(reports[0].other.file, "r.py");
  EXPECT_EQ(reports[0].other.line, 4u);
  EXPECT_EQ(reports[0].message,
            "write of 4 bytes at 'x'[0] races with a write by program (0, 0, 0) at r.py:4:5");
}

TEST(Races, DisjointWritersAndSharedReadersAreFine) {
  Machine machine;
  EXPECT_TRUE(raceRun(machine, "tile.store %p, %pid : !tile.ptr<i32>", 1, 16).reports.empty());
  EXPECT_TRUE(
      raceRun(machine,
              "%v = tile.load %p : !tile.ptr<i32>\n tile.print \"\" : %v signed [true] : i32", 0,
              16)
          .reports.empty());
}

TEST(Races, OneProgramMayReadWhatItWrote) {
  Machine machine;
  EXPECT_TRUE(raceRun(machine, R"(tile.store %p, %pid : !tile.ptr<i32>
  %v = tile.load %p : !tile.ptr<i32>
  tile.store %p, %v : !tile.ptr<i32>)",
                      1, 8)
                  .reports.empty());
}

TEST(Races, ReadThenWriteByAnother) {
  Machine machine;
  const std::string body = R"(%v = tile.load %x : !tile.ptr<i32>
  %last = arith.constant 5 : i32
  %c = arith.cmpi eq, %pid, %last : i32
  scf.if %c {
    tile.store %x, %v : !tile.ptr<i32>
  })";
  const auto reports = raceRun(machine, body, 0, 6).reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].program[0], 5u);
  EXPECT_NE(reports[0].message.find("races with a read"), std::string::npos);
}

TEST(Races, WriteThenReadByAnother) {
  Machine machine;
  const auto reports = raceRun(machine, R"(%c = arith.cmpi eq, %pid, %zero : i32
  scf.if %c {
    tile.store %x, %one : !tile.ptr<i32>
  }
  %v = tile.load %x : !tile.ptr<i32>
  tile.store %p, %v : !tile.ptr<i32>)",
                               8, 4)
                           .reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].count, 3u);
  EXPECT_NE(reports[0].message.find("races with a write by program (0, 0, 0)"), std::string::npos);
}

TEST(Races, AtomicsDoNotRaceWithEachOther) {
  Machine machine;
  EXPECT_TRUE(
      raceRun(machine, "%a = tile.atomic_rmw add %x, %one : !tile.ptr<i32>", 0, 8).reports.empty());
  EXPECT_TRUE(
      raceRun(machine,
              "%a = tile.atomic_rmw add %x, %one {sem = #tile<sem relaxed>} : !tile.ptr<i32>", 0, 8)
          .reports.empty());
}

TEST(Races, AtomicAgainstPlain) {
  Machine machine;
  const auto reports = raceRun(machine, R"(%c = arith.cmpi eq, %pid, %zero : i32
  scf.if %c {
    %a = tile.atomic_rmw add %x, %one {sem = #tile<sem relaxed>} : !tile.ptr<i32>
  } else {
    tile.store %x, %one : !tile.ptr<i32>
  })",
                               0, 2)
                           .reports;
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].message.find("races with an atomic access"), std::string::npos)
      << reports[0].message;
}

const char *kLocked = R"(scf.while : () -> () {
    %old = tile.atomic_cas %lock, %zero, %one $SEM : !tile.ptr<i32>
    %taken = arith.cmpi ne, %old, %zero : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %x : !tile.ptr<i32>
  %w = arith.addi %v, %one : i32
  tile.store %x, %w : !tile.ptr<i32>
  %r = tile.atomic_rmw xchg %lock, %zero $SEM : !tile.ptr<i32>)";

TEST(Races, ALockOrdersAccesses) {
  Machine machine;
  EXPECT_TRUE(raceRun(machine, substitute(kLocked, {{"SEM", ""}}), 0, 3000).reports.empty());
  EXPECT_FALSE(raceRun(machine, substitute(kLocked, {{"SEM", "{sem = #tile<sem relaxed>}"}}), 0, 8)
                   .reports.empty());
}

TEST(Races, ACounterOrdersTheLastProgramAfterAll) {
  Machine machine;
  const std::string body = R"(tile.store %p, %pid : !tile.ptr<i32>
  %n = tile.atomic_rmw add %lock, %one : !tile.ptr<i32>
  %last = arith.constant 15 : i32
  %c = arith.cmpi eq, %n, %last : i32
  scf.if %c {
    %i = tile.make_range 0 to 16 : tensor<16xi32>
    %b = tile.splat %x : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
    %q = tile.addptr %b, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
    %v = tile.load %q : tensor<16x!tile.ptr<i32>>
    tile.store %q, %v : tensor<16x!tile.ptr<i32>>
  })";
  EXPECT_TRUE(raceRun(machine, body, 1, 16).reports.empty());
}

} // namespace
