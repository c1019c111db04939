// The emulator of threads finds what it claims to find: each kind of mistake is planted in
// per-thread IR, and must be reported for every order of the warps; without it the same kernel
// runs.
#include "tests/kernels/Emulator.h"

#include "ir/layout/Fragments.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::target;
using namespace tilerun::test;

namespace {

constexpr unsigned kSeeds = 24;

class EmulatorTest : public ::testing::Test {
protected:
  EmulatorTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SimtDialect, vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "test";
    target.warpSize = 4;
  }

  /// Runs a body with `seed`. It has %t, the thread, constants %c0 to %c16, its own buffer at %own
  /// = 4·%t of the 4096 bytes of %s, and the addresses %in and %out of 64 words each. Line 1 is the
  /// body's first.
  std::string run(const std::string &body, uint64_t seed) {
    std::string text = "func.func @k(%in: i64, %out: i64) attributes {simt.shared_bytes = 8192} {";
    for (int value : {0, 1, 2, 4, 8, 16})
      text +=
          "%c" + std::to_string(value) + " = arith.constant " + std::to_string(value) + " : i32 ";
    text += "%s = simt.shared_alloc 4096 {alignment = 1024 : i64, offset = 0 : i64} "
            "%t = simt.thread_id %own = arith.muli %t, %c4 : i32 %tv = vector.broadcast %t : i32 "
            "to vector<1xi32> "
            "%own64 = arith.extui %own : i32 to i64 %myIn = arith.addi %in, %own64 : i64 "
            "%myOut = arith.addi %out, %own64 : i64\n" +
            body + "return }";
    // The body's lines count from 1.
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "does not parse";
    for (unsigned i = 0; i < 64; ++i) {
      input[i] = 100 + i;
      output[i] = 0;
    }
    MemoryRange memory[] = {{reinterpret_cast<uint8_t *>(input), sizeof(input)},
                            {reinterpret_cast<uint8_t *>(output), sizeof(output)}};
    uint64_t arguments[] = {reinterpret_cast<uint64_t>(input), reinterpret_cast<uint64_t>(output)};
    return llvm::toString(emulate(*module->getOps<func::FuncOp>().begin(), arguments, memory,
                                  {&target, warps, 1, seed}));
  }
  /// The message for all seeds, which must be the same.
  std::string run(const std::string &body) {
    std::set<std::string> messages;
    for (uint64_t seed = 0; seed < kSeeds; ++seed)
      messages.insert(run(body, seed));
    EXPECT_EQ(messages.size(), 1u);
    return *messages.begin();
  }
  /// The messages of all seeds without the operations that they name.
  std::set<std::string> problems(const std::string &body) {
    std::set<std::string> found;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      std::string message = run(body, seed);
      message = message.substr(0, message.find(": "));
      found.insert(message.substr(0, message.find(", byte")));
    }
    return found;
  }
  std::string problem(const std::string &body) {
    std::set<std::string> found = problems(body);
    EXPECT_EQ(found.size(), 1u);
    return *found.begin();
  }

  /// Every order finds one of these mistakes, as which of two accesses comes first differs.
  void expectEach(const std::string &body, const std::set<std::string> &allowed) {
    for (const std::string &message : problems(body))
      EXPECT_TRUE(allowed.contains(message)) << message;
  }

  MLIRContext context;
  TargetInfo target;
  unsigned warps = 2;
  alignas(64) uint32_t input[64], output[64];
};

const std::string kStore = "simt.shared_store %s[%own], %tv : vector<1xi32>\n";
const std::string kBarrier = "simt.barrier program\n";
/// Copies the value that the thread `distance` further stored to the output.
std::string loadFrom(int distance, int threads) {
  std::string d = std::to_string(distance);
  return "%d" + d + " = arith.constant " + d + " : i32\n%n" + d + " = arith.constant " +
         std::to_string(threads) + " : i32\n%x" + d + " = arith.addi %t, %d" + d + " : i32\n%y" +
         d + " = arith.remui %x" + d + ", %n" + d + " : i32\n%o" + d + " = arith.muli %y" + d +
         ", %c4 : i32\n%v" + d + " = simt.shared_load %s[%o" + d +
         "] : vector<1xi32>\nsimt.store %myOut, %v" + d + " : vector<1xi32>\n";
}

TEST_F(EmulatorTest, ThreadsExchangeThroughSharedMemory) {
  EXPECT_EQ(run(kStore + kBarrier + loadFrom(4, 8)), "");
  for (unsigned t = 0; t < 8; ++t)
    EXPECT_EQ(output[t], (t + 4) % 8);
}

const char *kAfterWrite = "no barrier after another thread's write of shared memory";
const char *kAfterRead = "no barrier after another thread's read of shared memory";
const char *kNeverWritten = "read of shared memory that was never written";
const char *kEarlyRead = "read of shared memory whose copy has not been waited for";

TEST_F(EmulatorTest, AMissingBarrierIsFoundInEveryOrder) {
  std::set<std::string> race = {kAfterWrite, kAfterRead, kNeverWritten};
  expectEach(kStore + loadFrom(4, 8), race);
  // A warp's own barrier does not order other warps.
  expectEach(kStore + "simt.barrier warp\n" + loadFrom(4, 8), race);
  expectEach(kStore + kBarrier + loadFrom(4, 8) + kStore, {kAfterWrite, kAfterRead});
  EXPECT_EQ(run(kStore + kBarrier + loadFrom(4, 8) + kBarrier + kStore), "");
}

TEST_F(EmulatorTest, LanesOfAWarpAreOrderedByItsBarriers) {
  warps = 1;
  EXPECT_EQ(problem(kStore + loadFrom(1, 4)), kAfterWrite);
  EXPECT_EQ(run(kStore + "simt.barrier warp\n" + loadFrom(1, 4)), "");
  EXPECT_EQ(run(kStore + loadFrom(0, 4)), ""); // a thread sees what it wrote
}

TEST_F(EmulatorTest, OneValueMayBeWrittenByAll) {
  std::string all = "%z = vector.broadcast %c1 : i32 to vector<1xi32>\n"
                    "simt.shared_store %s[%c0], %z : vector<1xi32>\n";
  EXPECT_EQ(run(all), "");
  EXPECT_EQ(problem("simt.shared_store %s[%c0], %tv : vector<1xi32>\n"),
            "no barrier after another thread's write of shared memory");
  std::string read = "%r = simt.shared_load %s[%c0] : vector<1xi32>\n";
  EXPECT_EQ(problem(all + read), "no barrier after another thread's write of shared memory");
  EXPECT_EQ(run(all + kBarrier + read), "");
}

TEST_F(EmulatorTest, AdditionsNeedBarriersAroundThemOnly) {
  std::string zero = "%z = vector.broadcast %c0 : i32 to vector<1xi32>\n"
                     "simt.shared_store %s[%c0], %z : vector<1xi32>\n",
              add = "simt.shared_add %s[%c0], %t\n",
              read = "%r = simt.shared_load %s[%c0] : vector<1xi32>\n"
                     "simt.store %myOut, %r : vector<1xi32>\n";
  EXPECT_EQ(run(zero + kBarrier + add + add + kBarrier + read), "");
  EXPECT_EQ(output[3], 2u * 28);
  EXPECT_EQ(problem(zero + add), "no barrier before an addition to shared memory");
  EXPECT_EQ(problem(zero + kBarrier + add + read),
            "no barrier after another thread's write of shared memory");
  EXPECT_EQ(problem(add), "addition to shared memory that was never written");
}

TEST_F(EmulatorTest, WhatNobodyWroteIsFound) {
  EXPECT_EQ(problem("%r = simt.shared_load %s[%c16] : vector<1xi32>\n"), kNeverWritten);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

const std::string kCopy = "simt.async_copy 4 %myIn -> %s[%own]\nsimt.async_commit\n";
const std::string kWait = "simt.async_wait 0\n";

TEST_F(EmulatorTest, ACopyIsSeenBehindAWaitAndABarrier) {
  EXPECT_EQ(run(kCopy + kWait + kBarrier + loadFrom(4, 8)), "");
  for (unsigned t = 0; t < 8; ++t)
    EXPECT_EQ(output[t], 100 + (t + 4) % 8);
  EXPECT_EQ(problem(kCopy + kBarrier + loadFrom(4, 8) + kWait),
            "read of shared memory whose copy has not been waited for");
  EXPECT_EQ(problem(kCopy + "simt.async_wait 1\n" + kBarrier + loadFrom(4, 8) + kWait),
            "read of shared memory whose copy has not been waited for");
  // Of another warp, whatever the own one has waited for.
  expectEach(kCopy + kWait + loadFrom(4, 8), {kAfterWrite, kAfterRead, kNeverWritten, kEarlyRead});
  EXPECT_EQ(problem(kCopy + kStore + kWait),
            "write to shared memory whose copy has not been waited for");
  // Lanes may copy the same bytes to one place, but which of two copies ends first is unknown.
  warps = 1;
  EXPECT_EQ(run("simt.async_copy 4 %in -> %s[%c0]\nsimt.async_commit\n" + kWait), "");
  warps = 2;
  EXPECT_EQ(problem(kCopy +
                    "%next = arith.constant 64 : i64\n%from = arith.addi %myIn, %next : i64\n"
                    "simt.async_copy 4 %from -> %s[%own]\nsimt.async_commit\n" +
                    kWait),
            "two copies to the same bytes of shared memory are under way");
  EXPECT_EQ(problem(kCopy), "the program ends and has not waited for this");
  expectEach(kStore + kBarrier + loadFrom(4, 8) + kCopy + kWait,
             {kAfterRead, kAfterWrite, kEarlyRead});
}

TEST_F(EmulatorTest, ACopyMayReadItsSourceLate) {
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_EQ(run(kCopy + "simt.store %myIn, %tv : vector<1xi32>\n" + kWait + loadFrom(0, 8), seed),
              "");
    seen.insert(output[5]);
  }
  EXPECT_EQ(seen, (std::set<uint32_t>{5, 105}));
}

//===----------------------------------------------------------------------===//
// Barriers and control flow
//===----------------------------------------------------------------------===//

/// A condition that holds in warp 0.
const std::string kIsFirst = "%first = arith.cmpi ult, %t, %c4 : i32\n";

TEST_F(EmulatorTest, ABarrierThatNotAllWarpsReachIsADeadlock) {
  EXPECT_EQ(run(kIsFirst + "scf.if %first {\nsimt.barrier program\n}\n"),
            "no warp can go on:\n  warp 0 waits at simt.barrier, line 4\n  warp 1 has ended");
}

TEST_F(EmulatorTest, ADivergentBarrierIsFound) {
  EXPECT_EQ(run(kIsFirst + "scf.if %first {\nsimt.barrier program\n} else {\nsimt.barrier "
                           "program\n}\n"),
            "warps meet at different barriers:\n"
            "  warp 0 waits at simt.barrier, line 4\n"
            "  warp 1 waits at simt.barrier, line 6");
  // The same one, but warp 1 passes it for the first time in the second iteration.
  EXPECT_EQ(run(kIsFirst + "scf.for %i = %c0 to %c2 step %c1 : i32 {\n"
                           "%later = arith.cmpi ugt, %i, %c0 : i32\n"
                           "%do = arith.ori %first, %later : i1\n"
                           "scf.if %do {\nsimt.barrier program\n}\n}\n"),
            "warps meet at different barriers:\n"
            "  warp 0 waits at simt.barrier, line 7, iteration 0\n"
            "  warp 1 waits at simt.barrier, line 7, iteration 1");
}

TEST_F(EmulatorTest, LanesThatTakeDifferentWaysExchangeNothing) {
  std::string odd = "%bit = arith.andi %t, %c1 : i32\n%isOdd = arith.cmpi eq, %bit, %c1 : i32\n";
  for (const char *op : {"simt.barrier program\n", "%v = simt.shuffle xor %t, %c1 : i32\n",
                         "simt.shared_store %s[%own], %tv : vector<1xi32>\n"})
    EXPECT_EQ(problem(odd + "scf.if %isOdd {\n" + op + "}\n"),
              "control flow differs between threads");
  // Each one's accesses alone are fine.
  EXPECT_EQ(run(odd + "scf.if %isOdd {\nsimt.store %myOut, %tv : vector<1xi32>\n}\n"), "");
  for (unsigned t = 0; t < 8; ++t)
    EXPECT_EQ(output[t], t % 2 ? t : 0);
}

TEST_F(EmulatorTest, WarpsRunInEveryOrder) {
  // Each warp stores its number where the other one does: the last one wins.
  std::set<uint32_t> last;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_EQ(run("%w = arith.divui %t, %c4 : i32\n%wv = vector.broadcast %w : i32 to "
                  "vector<1xi32>\nsimt.store %out, %wv : vector<1xi32>\n",
                  seed),
              "");
    last.insert(output[0]);
  }
  EXPECT_EQ(last, (std::set<uint32_t>{0, 1}));
}

TEST_F(EmulatorTest, ALoopThatDoesNotEndIsFound) {
  std::string message = run("%e = scf.while (%x = %c0) : (i32) -> i32 {\n"
                            "%go = arith.cmpi eq, %c0, %c0 : i32\nscf.condition(%go) %x : i32\n"
                            "} do {\n^bb0(%y: i32):\nscf.yield %y : i32\n}\n",
                            /*seed=*/1);
  EXPECT_EQ(message.substr(0, message.find(": ")), "too many steps");
}

//===----------------------------------------------------------------------===//
// Instructions of warp groups
//===----------------------------------------------------------------------===//

class EmulatedProducts : public EmulatorTest {
protected:
  EmulatedProducts() {
    target.warpSize = 32;
    using E = MatrixElement;
    target.warpGroupInstructions = {{"multiply", E::F16, E::F16, E::F32, /*warps=*/4, /*m=*/64,
                                     /*n=*/256, /*k=*/16,
                                     fragmentLayout(layout::FragmentKind::MmaA16),
                                     fragmentLayout(layout::FragmentKind::MmaD), true}};
    warps = 4;
  }
  /// A 64×16 tile of ones at byte 0 times a 16×8 tile of ones at byte 2048.
  const std::string fill = "%one = arith.constant dense<1.0> : vector<8xf16>\n"
                           "%one1 = arith.constant dense<1.0> : vector<1xf16>\n"
                           "%at = arith.muli %t, %c16 : i32\n"
                           "simt.shared_store %s[%at], %one : vector<8xf16>\n"
                           "%c2048 = arith.constant 2048 : i32\n"
                           "%at2 = arith.muli %t, %c2 : i32\n%at3 = arith.addi %at2, %c2048 : i32\n"
                           "simt.shared_store %s[%at3], %one1 : vector<1xf16>\n";
  const std::string again = "simt.shared_store %s[%at], %one : vector<8xf16>\n";
  const std::string fence = "simt.async_fence\n";
  const std::string start =
      "%zero = arith.constant dense<0.0> : vector<4xf32>\nsimt.group_mma_fence %s\n"
      "%d = simt.group_mma \"multiply\" [64, 8, 16] a %s[%c0] at [0, 0] of <64x16xf16, contiguous "
      "1> "
      "b %s[%c2048] at [0, 0] of <16x8xf16, contiguous 0>, %zero : vector<4xf32>\n"
      "simt.group_mma_commit\n";
  const std::string wait =
      "%sum = simt.group_mma_wait 0 accs %d : vector<4xf32> -> vector<4xf32>\n";
  const std::string use = "%e:4 = vector.to_elements %sum : vector<4xf32>\n"
                          "%f = vector.from_elements %e#3 : vector<1xf32>\n"
                          "%isOne = arith.cmpi ult, %t, %c16 : i32\n"
                          "simt.store %myOut, %f mask %isOne : vector<1xf32>\n";
};

TEST_F(EmulatedProducts, AreSeenBehindTheirWait) {
  EXPECT_EQ(run(fill + fence + kBarrier + start + wait + use), "");
  for (unsigned t = 0; t < 16; ++t)
    EXPECT_EQ(std::bit_cast<float>(output[t]), 16.0f);
  std::string early = use;
  early.replace(early.find("%sum"), 4, "%d");
  EXPECT_EQ(problem(fill + fence + kBarrier + start + early + wait),
            "a result of a matrix instruction is used before it has been waited for");
}

TEST_F(EmulatedProducts, EndInOrder) {
  auto renamed = [](std::string text, StringRef from, StringRef to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  std::string second = renamed(renamed(start, "%d ", "%d2 "), "%zero", "%zero2");
  // The first group is done where one is left, the second one is not.
  std::string partly = renamed(wait, "_wait 0", "_wait 1");
  std::string all = "simt.group_mma_wait 0\n";
  EXPECT_EQ(run(fill + fence + kBarrier + start + second + partly + use + all), "");
  for (unsigned t = 0; t < 16; ++t)
    EXPECT_EQ(std::bit_cast<float>(output[t]), 16.0f);
  EXPECT_EQ(
      problem(fill + fence + kBarrier + start + second + renamed(partly, "%d", "%d2") + use + all),
      "a result of a matrix instruction is used before it has been waited for");
}

TEST_F(EmulatedProducts, NeedAFenceAndABarrier) {
  EXPECT_EQ(problem(fill + kBarrier + start + wait),
            "no fence between a write of shared memory and a matrix instruction");
  EXPECT_EQ(problem(fill + fence + kBarrier + again + kBarrier + start + wait),
            "no fence between a write of shared memory and a matrix instruction");
  expectEach(fill + fence + start + wait, {kAfterWrite, kAfterRead, kNeverWritten});
}

TEST_F(EmulatedProducts, ReadUpToTheirWait) {
  EXPECT_EQ(problem(fill + fence + kBarrier + start + kBarrier + again + wait),
            "write to shared memory that an asynchronous instruction still reads");
  // Each warp waits for its own reads only; all four read the second operand.
  expectEach(fill + fence + kBarrier + start + wait +
                 "simt.shared_store %s[%at3], %one1 : vector<1xf16>\n",
             {"write to shared memory that an asynchronous instruction still reads", kAfterRead});
  EXPECT_EQ(run(fill + fence + kBarrier + start + wait + kBarrier + again), "");
}

TEST_F(EmulatedProducts, TakeAllFourWarps) {
  std::string body = fill + fence + kBarrier +
                     "%c32 = arith.constant 32 : i32\n%isFirst = "
                     "arith.cmpi ult, %t, %c32 : i32\n";
  EXPECT_EQ(
      problem(body + "scf.if %isFirst {\n" + start + wait + "} else {\n" + start + wait + "}\n"),
      "warps of a group execute different instructions");
}

// Groups and fragments are the table's, not one vendor's: two warps of four lanes, 8 rows, in which
// a lane has whole rows or halves of them.
TEST_F(EmulatedProducts, TakeTheGroupsOfTheTarget) {
  using E = MatrixElement;
  target.warpSize = 4;
  target.warpGroupInstructions = {{"multiply", E::I8, E::I8, E::I32, /*warps=*/2, /*m=*/8, /*n=*/8,
                                   /*k=*/16, layout::rowMajorFragment(4, 16, 16, 4),
                                   layout::rowMajorFragment(4, 8, 4, 4), true}};
  warps = 2;
  // A thread stores a line of 16 bytes of either operand: a[t][k] = t + 1, and b[k][t] = t.
  const std::string body =
      "%bytes = arith.trunci %t : i32 to i8\n%one = arith.constant 1 : i8\n"
      "%next = arith.addi %bytes, %one : i8\n"
      "%row = vector.broadcast %next : i8 to vector<16xi8>\n"
      "%column = vector.broadcast %bytes : i8 to vector<16xi8>\n"
      "%at = arith.muli %t, %c16 : i32\n%c2048 = arith.constant 2048 : i32\n"
      "%at2 = arith.addi %at, %c2048 : i32\n"
      "simt.shared_store %s[%at], %row : vector<16xi8>\n"
      "simt.shared_store %s[%at2], %column : vector<16xi8>\nsimt.async_fence\n" +
      std::string(kBarrier) +
      "%zero = arith.constant dense<0> : vector<8xi32>\nsimt.group_mma_fence %s\n"
      "%d = simt.group_mma \"multiply\" [8, 8, 16] a %s[%c0] at [0, 0] of <8x16xi8, contiguous 1> "
      "b %s[%c2048] at [0, 0] of <16x8xi8, contiguous 0>, %zero : vector<8xi32>\n"
      "simt.group_mma_commit\n"
      "%sum = simt.group_mma_wait 0 accs %d : vector<8xi32> -> vector<8xi32>\n"
      "%e:8 = vector.to_elements %sum : vector<8xi32>\n"
      "%f = vector.from_elements %e#1 : vector<1xi32>\n"
      "%l = vector.from_elements %e#6 : vector<1xi32>\n%c32 = arith.constant 32 : i64\n"
      "simt.store %myOut, %f : vector<1xi32>\n%far = arith.addi %myOut, %c32 : i64\n"
      "simt.store %far, %l : vector<1xi32>\n";
  EXPECT_EQ(run(body), "");
  // Lane l of warp w has elements 4·l to 4·l + 3 of four rows of eight, then 16 further.
  for (unsigned t = 0; t < 8; ++t) {
    auto expect = [&](unsigned element) {
      unsigned row = t / 4 * 4 + element / 8, column = element % 8;
      return 16 * (row + 1) * column;
    };
    EXPECT_EQ(output[t], expect(t % 4 * 4 + 1)) << t;
    EXPECT_EQ(output[8 + t], expect(16 + t % 4 * 4 + 2)) << t;
  }
  std::string wrong = body;
  wrong.replace(wrong.find("[8, 8, 16] a"), 12, "[8, 8, 8] a");
  EXPECT_EQ(problem(wrong), "unknown instruction of warp groups");
}

} // namespace
