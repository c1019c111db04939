// Roles on the emulator: a producer and consumers over a ring of slots, in every order of their
// warps, and the mistakes that such protocols have.
#include "tests/kernels/Emulator.h"

#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;

namespace {

/// Parts of the kernel below that a test replaces.
struct Protocol {
  std::string waitEmpty = "simt.phase_wait %bars[%empty] parity %emptyParity\n";
  std::string publish = "simt.barrier warp\nsimt.phase_arrive %bars[%full] mask %isLane0\n";
  std::string waitFull = "simt.phase_wait %bars[%full] parity %parity\n";
  std::string release = "simt.barrier role\nsimt.phase_arrive %bars[%empty] mask %isThread0\n";
  std::string meet = "simt.barrier program\n";
  int emptyArrivals = 1;
};

/// Warp 0 copies 16 rows of 8 words to a ring of two slots; warps 1 and 2 add 1 to each word of a
/// row and store it in the opposite order, which takes words that the other warp's lanes do not
/// hold.
std::string ringKernel(const Protocol &p) {
  const std::string slot =
      "%slot = arith.remui %i, %c2 : i32\n%round = arith.divui %i, %c2 : i32\n"
      "%parity = arith.remui %round, %c2 : i32\n%emptyParity = arith.subi %c1, %parity : i32\n"
      "%full = arith.muli %slot, %c8 : i32\n%empty = arith.addi %full, %c16 : i32\n"
      "%base = arith.muli %slot, %c32 : i32\n%row = arith.muli %i, %c32 : i32\n";
  std::string text = "func.func @k(%in: i64, %out: i64) attributes {simt.shared_bytes = 96} {\n";
  for (int value : {0, 1, 2, 4, 7, 8, 16, 24, 32})
    text +=
        "%c" + std::to_string(value) + " = arith.constant " + std::to_string(value) + " : i32\n";
  text += "%s = simt.shared_alloc 64 {offset = 0 : i64}\n"
          "%bars = simt.shared_alloc 32 {offset = 64 : i64}\n"
          "%t = simt.thread_id\n%isFirst = arith.cmpi eq, %t, %c0 : i32\n"
          "simt.phase_init %bars[%c0] arrivals 1 mask %isFirst\n"
          "simt.phase_init %bars[%c8] arrivals 1 mask %isFirst\n";
  for (const char *place : {"%c16", "%c24"})
    text += std::string("simt.phase_init %bars[") + place + "] arrivals " +
            std::to_string(p.emptyArrivals) + " mask %isFirst\n";
  text +=
      p.meet +
      "simt.role 0 to 1 {\n^bb0(%lane: i32):\n%isLane0 = arith.cmpi eq, %lane, %c0 : i32\n"
      "%own = arith.muli %lane, %c8 : i32\n"
      "scf.for %i = %c0 to %c16 step %c1 : i32 {\n" +
      slot + p.waitEmpty +
      "%at = arith.addi %row, %own : i32\n%at64 = arith.extui %at : i32 to i64\n"
      "%from = arith.addi %in, %at64 : i64\n%v = simt.load %from : vector<2xi32>\n"
      "%to = arith.addi %base, %own : i32\nsimt.shared_store %s[%to], %v : vector<2xi32>\n" +
      p.publish +
      "}\n}\n"
      "simt.role 1 to 3 {\n^bb0(%thread: i32):\n%isThread0 = arith.cmpi eq, %thread, %c0 : "
      "i32\n"
      "%other = arith.subi %c7, %thread : i32\n%mine = arith.muli %other, %c4 : i32\n"
      "%place = arith.muli %thread, %c4 : i32\n%ones = arith.constant dense<1> : vector<1xi32>\n"
      "scf.for %i = %c0 to %c16 step %c1 : i32 {\n" +
      slot + p.waitFull +
      "%source = arith.addi %base, %mine : i32\n%w = simt.shared_load %s[%source] : vector<1xi32>\n"
      "%sum = arith.addi %w, %ones : vector<1xi32>\n"
      "%at = arith.addi %row, %place : i32\n%at64 = arith.extui %at : i32 to i64\n"
      "%to = arith.addi %out, %at64 : i64\nsimt.store %to, %sum : vector<1xi32>\n" +
      p.release + "}\n}\nreturn\n}\n";
  return text;
}

class RoleTest : public ::testing::Test {
protected:
  RoleTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SimtDialect, vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "test";
    target.warpSize = 4;
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    return module;
  }
  static func::FuncOp kernelOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }
  /// The messages of this number of orders; a wrong result is one, too.
  std::set<std::string> run(const std::string &text, unsigned seeds) {
    OwningOpRef<ModuleOp> module = parse(text);
    std::set<std::string> messages;
    for (uint64_t seed = 0; module && seed < seeds; ++seed) {
      for (uint32_t i = 0; i < 128; ++i) {
        input[i] = i * i;
        output[i] = 0;
      }
      MemoryRange memory[] = {{reinterpret_cast<uint8_t *>(input), sizeof(input)},
                              {reinterpret_cast<uint8_t *>(output), sizeof(output)}};
      uint64_t arguments[] = {reinterpret_cast<uint64_t>(input),
                              reinterpret_cast<uint64_t>(output)};
      std::string message =
          llvm::toString(emulate(kernelOf(*module), arguments, memory, {&target, 3, 1, seed}));
      last = message;
      for (uint32_t i = 0; message.empty() && i < 128; ++i) {
        uint32_t source = i / 8 * 8 + 7 - i % 8;
        if (output[i] != source * source + 1)
          message = "wrong result";
      }
      messages.insert(message.substr(
          0, std::min({message.find(": "), message.find(":\n"), message.find(", byte")})));
    }
    return messages;
  }
  /// Every order finds a mistake, some of them this one.
  void expectFound(const std::string &text, const std::string &mistake) {
    std::set<std::string> messages = run(text, 48);
    EXPECT_FALSE(messages.contains("")) << "not found in every order";
    EXPECT_TRUE(messages.contains(mistake)) << *messages.begin();
  }
  void expectEach(const std::string &text, const std::set<std::string> &allowed) {
    for (const std::string &message : run(text, 48))
      EXPECT_TRUE(allowed.contains(message)) << message;
  }

  MLIRContext context;
  target::TargetInfo target;
  std::string last; ///< The whole message of the last run.
  alignas(64) uint32_t input[128], output[128];
};

const std::set<std::string> kRaces = {"no barrier after another thread's write of shared memory",
                                      "no barrier after another thread's read of shared memory",
                                      "read of shared memory that was never written"};

TEST_F(RoleTest, AProducerAndConsumersRunRightInAThousandOrders) {
  EXPECT_EQ(run(ringKernel({}), 1000), std::set<std::string>{""});
}

TEST_F(RoleTest, AProducerThatDoesNotWaitIsFound) {
  Protocol p;
  p.waitEmpty = "";
  expectFound(ringKernel(p), "no barrier after another thread's read of shared memory");
}

TEST_F(RoleTest, AConsumerThatDoesNotWaitIsFound) {
  Protocol p;
  p.waitFull = "";
  expectEach(ringKernel(p), kRaces);
}

TEST_F(RoleTest, AnArrivalOfOneWarpDoesNotSpeakForTheOther) {
  Protocol p;
  p.release = "simt.barrier warp\nsimt.phase_arrive %bars[%empty] mask %isThread0\n";
  expectFound(ringKernel(p), "no barrier after another thread's read of shared memory");
  // Nor one lane's for its warp without the warp's barrier.
  Protocol q;
  q.publish = "simt.phase_arrive %bars[%full] mask %isLane0\n";
  expectEach(ringKernel(q), kRaces);
}

TEST_F(RoleTest, EachOfAWarpsThreadsMayArriveForItself) {
  Protocol p;
  p.release = "simt.phase_arrive %bars[%empty]\n";
  p.emptyArrivals = 8;
  EXPECT_EQ(run(ringKernel(p), 100), std::set<std::string>{""});
}

TEST_F(RoleTest, ADeadlockNamesThePlaceOfEveryWarp) {
  Protocol wrongParity;
  wrongParity.waitEmpty = "simt.phase_wait %bars[%empty] parity %parity\n";
  Protocol noArrival;
  noArrival.release = "";
  Protocol tooFew;
  tooFew.emptyArrivals = 2;
  for (const Protocol &p : {wrongParity, noArrival, tooFew})
    EXPECT_EQ(run(ringKernel(p), 24), std::set<std::string>{"no warp can go on"});
  // The producer has filled both slots, and none is released.
  for (const char *place :
       {"\n  warp 0 waits at simt.phase_wait, line ", "\n  warp 1 waits at simt.phase_wait, line ",
        "\n  warp 2 waits at simt.phase_wait, line ", ", iteration 2"})
    EXPECT_NE(last.find(place), std::string::npos) << last;
}

TEST_F(RoleTest, APhaseBarrierIsInitializedBeforeItsUse) {
  Protocol p;
  p.meet = "";
  expectEach(ringKernel(p), {"use of a phase barrier that nobody has initialized",
                             "no barrier after the initialization of a phase barrier"});
}

/// The ops of a kernel after barrier insertion, one letter each, roles in brackets.
std::string withBarriers(func::FuncOp kernel) {
  EXPECT_TRUE(succeeded(insertBarriers(kernel, BarrierScope::Program)));
  std::string text;
  std::function<void(Block &)> print = [&](Block &block) {
    for (Operation &op : block) {
      if (isa<SharedStoreOp>(op))
        text += "S";
      else if (isa<SharedLoadOp>(op))
        text += "L";
      else if (auto barrier = dyn_cast<BarrierOp>(op))
        text += barrier.getScope() == BarrierScope::Program ? "P"
                : barrier.getScope() == BarrierScope::Role  ? "R"
                                                            : "W";
      else if (auto role = dyn_cast<RoleOp>(op)) {
        text += "[";
        print(role.getBody().front());
        text += "]";
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        text += "(";
        print(*loop.getBody());
        text += ")";
      }
    }
  };
  print(kernel.getBody().front());
  return text;
}

TEST_F(RoleTest, BarriersInARoleAreItsOwn) {
  const std::string store = "simt.shared_store %s[%o], %v : vector<1xi32>\n",
                    load = "simt.shared_load %s[%o] : vector<1xi32>\n";
  auto inserted = [&](const std::string &body) {
    OwningOpRef<ModuleOp> module =
        parse("func.func @k(%o: i32, %v: vector<1xi32>) {\n%s = simt.shared_alloc 64 {offset = 0 : "
              "i64}\n" +
              body + "return\n}\n");
    return withBarriers(kernelOf(*module));
  };
  std::string l0 = "%l0 = " + load, l1 = "%l1 = " + load;
  EXPECT_EQ(inserted("simt.role 0 to 4 {\n^bb0(%thread: i32):\n" + store + l0 + "}\n"), "[SRL]");
  EXPECT_EQ(inserted("simt.role 0 to 1 {\n^bb0(%thread: i32):\n" + store + l0 + "}\n"), "[SWL]");
  // All warps meet before and after the roles; between two of them none do.
  EXPECT_EQ(inserted(store + "simt.role 0 to 1 {\n^bb0(%thread: i32):\n" + l0 +
                     "}\nsimt.role 1 to 2 {\n^bb0(%thread: i32):\n" + l1 + "}\n"),
            "SP[L][L]");
  EXPECT_EQ(inserted("simt.role 0 to 1 {\n^bb0(%thread: i32):\n" + store +
                     "}\nsimt.role 1 to 2 {\n^bb0(%thread: i32):\n" + store + "}\n" + l0),
            "[S][S]PL");
}

TEST_F(RoleTest, ARolesNextTurnMeetsItsLast) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @k(%o: i32, %v: vector<1xi32>) {\n%s = simt.shared_alloc 64 {offset = 0 : "
            "i64}\nscf.for %i = %o to %o step %o : i32 {\nsimt.role 0 to 4 {\n^bb0(%t: i32):\n"
            "simt.shared_store %s[%o], %v : vector<1xi32>\n"
            "%l = simt.shared_load %s[%o] : vector<1xi32>\n}\n}\nreturn\n}\n");
  EXPECT_EQ(withBarriers(kernelOf(*module)), "(P[SRL])");
}

TEST_F(RoleTest, BuffersOfDifferentRolesDoNotShareBytes) {
  target.sharedMemoryBytes = 1 << 16;
  auto bytesOf = [&](const std::string &begin, const std::string &end) {
    auto part = [&](const std::string &name) {
      return begin + "%" + name + " = simt.shared_alloc 2048\nsimt.shared_store %" + name +
             "[%o], %v : vector<1xi32>\n" + end;
    };
    OwningOpRef<ModuleOp> module = parse("func.func @k(%o: i32, %v: vector<1xi32>) {\n" +
                                         part("a") + part("b") + "return\n}\n");
    func::FuncOp kernel = kernelOf(*module);
    EXPECT_TRUE(succeeded(placeShared(kernel, target)));
    return cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt();
  };
  EXPECT_EQ(bytesOf("", ""), 2048);
  EXPECT_EQ(bytesOf("simt.role 0 to 1 {\n^bb0(%thread: i32):\n", "}\n"), 4096);
}

TEST_F(RoleTest, BuffersOfOneRoleShareBytesOverTime) {
  target.sharedMemoryBytes = 1 << 16;
  // Two of the first role, one after the other, and one of the second beside both.
  auto part = [&](const std::string &name) {
    return "%" + name + " = simt.shared_alloc 2048\nsimt.shared_store %" + name +
           "[%o], %v : vector<1xi32>\n";
  };
  OwningOpRef<ModuleOp> module =
      parse("func.func @k(%o: i32, %v: vector<1xi32>) {\nsimt.role 0 to 1 {\n^bb0(%t: i32):\n" +
            part("a") + part("b") + "}\nsimt.role 1 to 2 {\n^bb0(%t: i32):\n" + part("c") +
            "}\nreturn\n}\n");
  func::FuncOp kernel = kernelOf(*module);
  EXPECT_TRUE(succeeded(placeShared(kernel, target)));
  EXPECT_EQ(cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt(), 4096);
}

TEST_F(RoleTest, WhatARoleMayNotBe) {
  auto errorOf = [&](const std::string &body) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      error = d.str();
      return success();
    });
    EXPECT_FALSE(
        parseSourceString<ModuleOp>("func.func @k() {\n" + body + "return\n}\n", &context));
    return error;
  };
  EXPECT_EQ(errorOf("simt.role 2 to 2 {\n^bb0(%thread: i32):\n}\n"),
            "'simt.role' op has no warps from 2 to 2");
  EXPECT_EQ(errorOf("simt.role 0 to 2 {\n^bb0(%thread: i32):\nsimt.role 0 to 1 {\n^bb0(%inner: "
                    "i32):\n}\n}\n"),
            "'simt.role' op is inside another role");
  EXPECT_EQ(errorOf("simt.role 0 to 2 {\n^bb0(%x: i64):\n}\n"),
            "'simt.role' op takes one argument, the thread's number in it, an i32");
  EXPECT_EQ(errorOf("simt.role 0 to 2 {\n^bb0(%thread: i32):\nsimt.barrier program\n}\n"),
            "'simt.barrier' op of the whole program is inside a role, so that the warps of other "
            "roles do not reach it");
}

} // namespace
