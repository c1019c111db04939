// The simulation of channels: its cost, which for nested loops is the sum of their trip counts, and
// that a loop is simulated anew for every state in which it begins.
#include "ir/schedule/Protocol.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;

namespace {

class ProtocolCosts : public ::testing::Test {
protected:
  ProtocolCosts() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<distribute::DistributeDialect, schedule::SchedDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "generic";
  }

  /// A loop whose channel has so many slots, around `inner`; `upper` is its bound.
  static std::string loop(int level, int slots, const std::string &upper,
                          const std::string &inner) {
    std::string n = std::to_string(level),
                type = "<slots = " + std::to_string(slots) + ", copies = chunks>",
                slot = "%c" + n + "[%s" + n + "] : " + type + "\n";
    return "%c" + n + " = sched.channel : " + type + "\n%size" + n + " = arith.constant " +
           std::to_string(slots) + " : i32\n%r" + n + " = scf.for %i" + n + " = %zero to " + upper +
           " step %one iter_args(%s" + n + " = %zero) -> (i32) : i32 {\nsched.acquire " + slot +
           "sched.publish " + slot + "sched.await " + slot + "sched.release " + slot + inner +
           "%m" + n + " = arith.addi %s" + n + ", %one : i32\n%w" + n + " = arith.cmpi eq, %m" + n +
           ", %size" + n + " : i32\n%f" + n + " = arith.select %w" + n + ", %zero, %m" + n +
           " : i32\nscf.yield %f" + n + " : i32\n}\n";
  }
  static std::string kernel(const std::string &body) {
    return "func.func @k(%n: i32, %x: !tile.ptr<f16>) attributes {sched.conversions = 1024 : i64, "
           "sched.expanded, tile.kernel} {\n%zero = arith.constant 0 : i32\n%one = arith.constant "
           "1 "
           ": i32\n" +
           body + "return\n}\n";
  }
  schedule::ProtocolCost costOf(const std::string &body) {
    schedule::ProtocolCost cost;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel(body), &context);
    EXPECT_TRUE(bool(module)) << body;
    if (module) {
      func::FuncOp k = *module->getOps<func::FuncOp>().begin();
      distribute::LayoutAssignment layouts(k, target, /*numWarps=*/4);
      EXPECT_TRUE(succeeded(schedule::checkProtocol(k, layouts, &cost)));
    }
    return cost;
  }
  std::string errorOf(const std::string &body) {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      error += d.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel(body), &context);
    EXPECT_TRUE(bool(module)) << body;
    if (module) {
      func::FuncOp k = *module->getOps<func::FuncOp>().begin();
      distribute::LayoutAssignment layouts(k, target, /*numWarps=*/4);
      EXPECT_EQ(failed(schedule::checkProtocol(k, layouts)), !error.empty());
    }
    return error;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  target::TargetInfo target;
};

/// For 0, 1, S and 2 S + 2 iterations there are 3 S + 3 iterations of four steps in a loop of S
/// slots.
TEST_F(ProtocolCosts, LoopsInLoopsCostTheSumOfTheirTripCounts) {
  for (int slots : {4, 16, 64}) {
    int64_t steps = 4 * (3 * slots + 3);
    std::string one = loop(0, slots, "%n", ""), two = loop(1, slots, "%n", one),
                three = loop(2, slots, "%n", two);
    EXPECT_LE(costOf(one).simulated, steps + 16) << slots;
    // A loop in a loop is a step of it: its channel is made, and its effect applied.
    EXPECT_LE(costOf(two).simulated, 2 * steps + steps / 2 + 32) << slots;
    EXPECT_LE(costOf(three).simulated, 3 * steps + 2 * (steps / 2) + 48) << slots;
    EXPECT_LE(costOf(three).traced, 4 * costOf(one).traced) << slots;
  }
}

/// Bounds that depend on the loop around are other trip counts, of which each is simulated.
TEST_F(ProtocolCosts, OtherTripCountsAreSimulated) {
  EXPECT_GT(costOf(loop(1, 8, "%n", loop(0, 8, "%i1", ""))).simulated,
            2 * costOf(loop(1, 8, "%n", loop(0, 8, "%n", ""))).simulated);
}

/// A channel from outside of both loops is in another state in each iteration; what goes wrong in a
/// later one only is found.
TEST_F(ProtocolCosts, LaterIterationsOfALoopInALoopAreSeen) {
  std::string type = "<slots = 3, copies = chunks>",
              made = "%c = sched.channel : " + type + "\n%five = arith.constant 5 : i32\n";
  auto use = [&](const std::string &slot) {
    std::string at = " %c[" + slot + "] : " + type + "\n";
    return "sched.acquire" + at + "sched.publish" + at + "sched.await" + at + "sched.release" + at;
  };
  auto nest = [&](const std::string &slots) {
    return made +
           "%r = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {\n" +
           "%r2 = scf.for %j = %zero to %five step %one iter_args(%t = %s) -> (i32) : i32 {\n" +
           use("%t") + "%u = arith.addi %t, %one : i32\n" + slots + "scf.yield %v : i32\n}\n" +
           "scf.yield %r2 : i32\n}\n";
  };
  EXPECT_EQ(errorOf(nest("%three = arith.constant 3 : i32\n%v = arith.remui %u, %three : i32\n")),
            "");
  // Slots are counted without end, which goes well in the first iteration's first three.
  EXPECT_EQ(errorOf(nest("%seven = arith.constant 7 : i32\n%v = arith.remui %u, %seven : i32\n")),
            "'sched.acquire' op uses slot 3 of a channel of 3");
}

/// The same trip count and the same numbers, and another state of the slots: what the loop did
/// before says nothing of it.
TEST_F(ProtocolCosts, ALoopInALoopIsSimulatedForEachState) {
  std::string type = "<slots = 3, copies = chunks>", made = "%c = sched.channel : " + type + "\n";
  auto nest = [&](const std::string &inner) {
    return made + "scf.for %i = %zero to %n step %one : i32 {\n" +
           "scf.for %j = %zero to %one step %one : i32 {\n" + inner + "}\n}\n";
  };
  std::string at = " %c[%zero] : " + type + "\n", acquire = "sched.acquire" + at,
              publish = "sched.publish" + at, await = "sched.await" + at,
              release = "sched.release" + at;
  EXPECT_EQ(errorOf(nest(acquire + publish + await + release)), "");
  EXPECT_EQ(errorOf(nest(acquire + publish)),
            "'sched.acquire' op acquires slot 0, which has not been released");
}

/// Two rings of two slots, and a loop around a loop that always uses slot 0. What is under way when
/// the inner loop begins, `around`, uses slot %s: 1, but 0 in the third iteration, when everything
/// else is as in the first one.
class InFlight : public ProtocolCosts {
protected:
  static std::string op(const std::string &name, const std::string &slot) {
    return "sched." + name + " %c[" + slot + "] : <slots = 2, copies = chunks>\n";
  }
  static std::string copy(const std::string &slot, const std::string &ring = "%a") {
    return "sched.copy %p -> " + ring + "[" + slot + "] : tensor<16x16x!tile.ptr<f16>> -> " +
           kRing + "\n";
  }
  static std::string read(const std::string &result, const std::string &slot,
                          const std::string &ring) {
    return result + " = sched.read " + ring + "[" + slot + "] : !sched.ring" + kRing + "\n";
  }
  static std::string rings() {
    std::string made = "%c = sched.channel : <slots = 2, copies = chunks>\n%p = tile.splat %x : "
                       "!tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>\n";
    for (const char *name : {"%a", "%b"})
      made += std::string(name) +
              " = sched.ring %c : !sched.channel<slots = 2, copies = chunks> -> !sched.ring" +
              kRing + "\n";
    return made;
  }
  std::string errorIn(const std::string &before, const std::string &inner,
                      const std::string &after) {
    return errorOf("%two = arith.constant 2 : i32\n%init = arith.constant dense<0.0> : "
                   "tensor<16x16xf32>\n" +
                   rings() +
                   "%r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> "
                   "(tensor<16x16xf32>) : i32 {\n%third = arith.cmpi eq, %i, %two : i32\n%s = "
                   "arith.select %third, %zero, %one : i32\n" +
                   before + "scf.for %j = %zero to %one step %one : i32 {\n" + inner + "}\n" +
                   after +
                   "scf.yield %d : tensor<16x16xf32>\n}\n%all = sched.dot_wait pending 0 for %r : "
                   "tensor<16x16xf32>\n");
  }
  static std::string dot(const std::string &slot, const std::string &ring = "%a") {
    return read("%t", slot, ring) +
           "%d = tile.dot %t, %t, %acc {sched.in_flight} : tensor<16x16xf16>, tensor<16x16xf16> "
           "-> tensor<16x16xf32>\n";
  }
  static constexpr const char *kWait = "sched.dot_wait pending 0\n";
  static constexpr const char *kRing = "<2 of tensor<16x16xf16>, <order = swizzled, inner = 1>>";
};

TEST_F(InFlight, CopiesThatAreUnderWayWhenALoopBegins) {
  std::string before = op("acquire", "%zero") + op("acquire", "%one") + copy("%one", "%b") +
                       copy("%s") + op("publish", "%zero"),
              after = op("publish", "%one") + op("await", "%one") + dot("%one", "%b") + kWait +
                      op("release", "%one"),
              await = "sched.await %c[%zero] pending ";
  EXPECT_EQ(
      errorIn(before, await + "0 : <slots = 2, copies = chunks>\n" + op("release", "%zero"), after),
      "");
  EXPECT_EQ(
      errorIn(before, await + "1 : <slots = 2, copies = chunks>\n" + op("release", "%zero"), after),
      "'sched.await' op awaits slot 0, whose copies may still be under way");
}

TEST_F(InFlight, ProductsThatAreUnderWayWhenALoopBegins) {
  std::string before;
  for (StringRef name : {"acquire", "publish", "await"}) {
    before += op(name.str(), "%zero") + op(name.str(), "%one");
    if (name == "acquire")
      before += copy("%zero") + copy("%one");
  }
  before += dot("%s") + op("release", "%zero") + op("release", "%one");
  std::string inner = op("acquire", "%zero") + copy("%zero") + op("publish", "%zero") +
                      op("await", "%zero") + op("release", "%zero");
  EXPECT_EQ(errorIn(before + kWait, inner, ""), "");
  EXPECT_EQ(errorIn(before, inner, kWait),
            "'sched.copy' op fills slot 0, which products that are under way may still read");
}

/// What is read is what this use of the slot has put into this ring.
TEST_F(InFlight, EachRingOfASlotIsFilledOnce) {
  auto use = [&](const std::string &copies, const std::string &ring) {
    return op("acquire", "%zero") + copies + op("publish", "%zero") + op("await", "%zero") +
           dot("%zero", ring) + kWait + op("release", "%zero");
  };
  EXPECT_EQ(errorIn(use(copy("%zero") + copy("%zero", "%b"), "%b"), "", ""), "");
  EXPECT_EQ(errorIn(use(copy("%zero"), "%b"), "", ""),
            "'sched.read' op reads slot 0, which nothing has filled since it was acquired");
  EXPECT_EQ(errorIn(use(copy("%zero") + copy("%zero"), "%a"), "", ""),
            "'sched.copy' op fills slot 0 twice between an acquire and its publish");
}

/// The third iteration fills another slot of the second ring, and nothing else tells its inner loop
/// from that of the first one.
TEST_F(InFlight, RingsThatALoopFindsFilled) {
  auto fill = [&](const std::string &slot) {
    return op("acquire", "%zero") + op("acquire", "%one") + copy("%zero") + copy(slot, "%b") +
           op("publish", "%zero") + op("publish", "%one") + op("await", "%zero") +
           op("await", "%one");
  };
  std::string inner = read("%t2", "%one", "%b"),
              after = dot("%zero") + kWait + op("release", "%zero") + op("release", "%one");
  EXPECT_EQ(errorIn(fill("%one"), inner, after), "");
  EXPECT_EQ(errorIn(fill("%s"), inner, after),
            "'sched.read' op reads slot 1, which nothing has filled since it was acquired");
}

/// Once a channel has ended, others use its rings' memory.
TEST_F(InFlight, CopiesThatAreUnderWayAtTheEnd) {
  std::string filled = rings() + op("acquire", "%one") + copy("%one") + op("publish", "%one"),
              drain = "sched.drain %c : <slots = 2, copies = chunks>\n",
              error = "'sched.channel' op ends while copies into slot 1 may be under way; "
                      "'sched.drain' waits for them";
  EXPECT_EQ(errorOf(filled + drain), "");
  EXPECT_EQ(errorOf(filled + op("await", "%one")), "");
  EXPECT_EQ(errorOf(filled), error);
  auto inLoop = [&](const std::string &body) {
    return errorOf("scf.for %i = %zero to %n step %one : i32 {\n" + body + "}\n");
  };
  EXPECT_EQ(inLoop(filled + drain), "");
  EXPECT_EQ(inLoop(filled), error);
}

} // namespace
