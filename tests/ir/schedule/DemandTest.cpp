// That the shared memory which a schedule states (getDemand) is enough: kernels are lowered for
// targets that have exactly so much, and take it.
#include "ir/distribute/Passes.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/Passes.h"
#include "ir/simt/Passes.h"
#include "ir/simt/SimtOps.h"
#include "ir/target/GenericTarget.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;

namespace {

constexpr const char *kWarpGroups =
    ",matrix=multiply:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d"
    ",warp-group=multiply:4:64x256x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8.d:any-order";

/// A tile's pointers %p<name>: rows are contiguous.
std::string pointers(const std::string &name, const std::string &base, int rows, int columns,
                     const std::string &element = "f16") {
  std::string r = std::to_string(rows), c = std::to_string(columns), all = "tensor<" + r + "x" + c,
              pointer = "!tile.ptr<" + element + ">";
  auto value = [&](const char *what) { return "%" + name + what; };
  return value("r") + " = tile.make_range 0 to " + r + " : tensor<" + r + "xi32>\n" + value("c") +
         " = tile.make_range 0 to " + c + " : tensor<" + c + "xi32>\n" + value("r1") +
         " = tile.expand_dims " + value("r") + " axis 1 : tensor<" + r + "xi32> -> tensor<" + r +
         "x1xi32>\n" + value("c1") + " = tile.expand_dims " + value("c") + " axis 0 : tensor<" + c +
         "xi32> -> tensor<1x" + c + "xi32>\n" + value("w") + " = arith.constant dense<" + c +
         "> : tensor<" + r + "x1xi32>\n" + value("s") + " = arith.muli " + value("r1") + ", " +
         value("w") + " : tensor<" + r + "x1xi32>\n" + value("s2") + " = tile.broadcast " +
         value("s") + " : tensor<" + r + "x1xi32> -> " + all + "xi32>\n" + value("c2") +
         " = tile.broadcast " + value("c1") + " : tensor<1x" + c + "xi32> -> " + all + "xi32>\n" +
         value("o") + " = arith.addi " + value("s2") + ", " + value("c2") + " : " + all +
         "xi32>\n" + value("b") + " = tile.splat " + base + " : " + pointer + " -> " + all + "x" +
         pointer + ">\n%p" + name + " = tile.addptr " + value("b") + ", " + value("o") + " : " +
         all + "x" + pointer + ">, " + all + "xi32>\n";
}
std::string loadTile(const std::string &name, const std::string &base, int rows, int columns,
                     const std::string &element = "f16") {
  return pointers(name, base, rows, columns, element) + "%" + name + " = tile.load %p" + name +
         " : tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x!tile.ptr<" +
         element + ">>\n";
}
/// A loop over %i whose products add to %acc, and the store of their sum.
std::string loop(const std::string &body, int rows, int columns) {
  std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  return "%init = arith.constant dense<0.0> : " + type +
         "\n%sum = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (" + type +
         ") : i32 {\n%at = arith.muli %i, %size : i32\n%xi = tile.addptr %x, %at : "
         "!tile.ptr<f16>, i32\n%yi = tile.addptr %y, %at : !tile.ptr<f16>, i32\n" +
         body + "scf.yield %d : " + type + "\n}\n" + pointers("out", "%z", rows, columns, "f32") +
         "tile.store %pout, %sum : tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
         "x!tile.ptr<f32>>\n";
}
std::string dot(const std::string &result, const std::string &a, const std::string &b,
                const std::string &acc, int m, int n, int k) {
  std::string ms = std::to_string(m), ns = std::to_string(n), ks = std::to_string(k);
  return "%" + result + " = tile.dot %" + a + ", %" + b + ", %" + acc + " : tensor<" + ms + "x" +
         ks + "xf16>, tensor<" + ks + "x" + ns + "xf16> -> tensor<" + ms + "x" + ns + "xf32>\n";
}
/// A value that no ring holds.
std::string twice(const std::string &result, const std::string &value, int rows, int columns) {
  return "%" + result + " = arith.addf %" + value + ", %" + value + " : tensor<" +
         std::to_string(rows) + "x" + std::to_string(columns) + "xf16>\n";
}

class Demand : public ::testing::Test {
protected:
  struct Bytes {
    int64_t stated = 0, taken = 0;
  };

  Demand() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                    vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// With layouts, which stay when there is less memory.
  OwningOpRef<ModuleOp> distribute(const target::TargetInfo &target, const std::string &body) {
    std::string attributes = " {tile.divisibility = 16 : i64}";
    std::string text =
        "func.func @k(%x: !tile.ptr<f16>" + attributes + ", %y: !tile.ptr<f16>" + attributes +
        ", %z: !tile.ptr<f32>" + attributes +
        ", %n: i32) attributes {tile.kernel} {\n%zero = arith.constant 0 : i32\n%one = "
        "arith.constant 1 : i32\n%size = arith.constant 1024 : i32\n" +
        body + "return\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    if (!module)
      return {};
    setProgram(*module, target);
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addPass(createTileDistribute());
    return succeeded(passes.run(*module)) ? std::move(module) : OwningOpRef<ModuleOp>();
  }
  static void setProgram(ModuleOp module, const target::TargetInfo &target) {
    distribute::setProgram(module, {&target, kWarps, /*numStages=*/3, /*warpUnit=*/0});
  }
  LogicalResult schedule(ModuleOp module, const std::string &byHand) {
    PassManager passes(&context, ModuleOp::getOperationName());
    schedule::ScheduleStagesOptions stages;
    stages.text = byHand;
    passes.addPass(schedule::createScheduleStages(stages));
    schedule::ScheduleRolesOptions roles;
    roles.text = byHand;
    passes.addPass(schedule::createScheduleRoles(roles));
    passes.addPass(schedule::createScheduleAllocate());
    return passes.run(module);
  }
  LogicalResult lower(ModuleOp module) {
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addPass(schedule::createScheduleExpand());
    passes.addPass(createLowerToThreads());
    return passes.run(module);
  }
  /// The demand stated for a target with exactly that much memory, and the use of it there.
  Bytes run(const std::string &words, const std::string &body, const std::string &byHand = "") {
    target::TargetInfo target =
        llvm::cantFail(target::parseTarget("generic:shared=160k,async=on" + words));
    OwningOpRef<ModuleOp> distributed = distribute(target, body);
    if (!distributed)
      return {};
    Bytes bytes;
    for (;;) {
      OwningOpRef<ModuleOp> module = distributed->clone();
      setProgram(*module, target);
      if (failed(schedule(*module, byHand)))
        return {};
      func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
      bytes.stated =
          schedule::getDemand(kernel, distribute::LayoutAssignment(kernel, target, kWarps));
      if (uint64_t(bytes.stated) < target.sharedMemoryBytes) {
        // Less memory means fewer slots, whose tiles may be stored instead.
        target.sharedMemoryBytes = bytes.stated;
        continue;
      }
      EXPECT_EQ(uint64_t(bytes.stated), target.sharedMemoryBytes);
      EXPECT_TRUE(succeeded(lower(*module)));
      for (auto lowered : module->getOps<func::FuncOp>())
        if (auto taken = lowered->getAttrOfType<IntegerAttr>(simt::SimtDialect::kSharedBytesAttr))
          bytes.taken = taken.getInt();
      EXPECT_LE(bytes.taken, bytes.stated);
      return bytes;
    }
  }

  static constexpr unsigned kWarps = 4;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

constexpr int64_t kKiB = 1024;

/// Warp groups read the first operand's rows and the second one's columns.
TEST_F(Demand, CountsAValueThatIsBothOperandsTwice) {
  Bytes bytes = run(kWarpGroups, loop(loadTile("a", "%xi", 64, 64) + twice("t", "a", 64, 64) +
                                          dot("d", "t", "t", "acc", 64, 64, 64),
                                      64, 64));
  EXPECT_EQ(bytes.stated, 16 * kKiB + kKiB);
  EXPECT_GE(bytes.taken, 16 * kKiB);
}

/// Both buffers of the invariant live through the loop; of the other operand there is one at a
/// time.
TEST_F(Demand, CountsALoopInvariantThatIsTheFirstOperandHereAndTheSecondThereTwice) {
  Bytes bytes = run(kWarpGroups, loadTile("a", "%x", 64, 64) + twice("t", "a", 64, 64) +
                                     loop(loadTile("b", "%yi", 64, 64) + twice("u", "b", 64, 64) +
                                              dot("e", "t", "u", "acc", 64, 64, 64) +
                                              dot("d", "u", "t", "e", 64, 64, 64),
                                          64, 64));
  EXPECT_EQ(bytes.stated, 2 * 8 * kKiB + 8 * kKiB + kKiB);
  EXPECT_GE(bytes.taken, 2 * 8 * kKiB + 8 * kKiB);
}

/// Slots of 512 bytes: a ring of three takes two places of 1 KiB.
TEST_F(Demand, CountsWhatAlignmentCosts) {
  Bytes bytes = run(kWarpGroups, loop(loadTile("a", "%xi", 64, 16) + loadTile("b", "%yi", 16, 16) +
                                          dot("d", "a", "b", "acc", 64, 16, 16),
                                      64, 16));
  EXPECT_EQ(bytes.stated, 3 * 2 * kKiB + 2 * kKiB + kKiB);
}

/// Phase barriers lie below the rings that warp groups read.
TEST_F(Demand, CountsPhaseBarriersAsAWholePlace) {
  Bytes bytes = run(std::string(",roles=on") + kWarpGroups,
                    loop(loadTile("a", "%xi", 64, 64) + loadTile("b", "%yi", 64, 64) +
                             dot("d", "a", "b", "acc", 64, 64, 64),
                         64, 64),
                    "loop #0: slots=2 roles=producer:4,consumer");
  EXPECT_EQ(bytes.stated, 2 * 16 * kKiB + kKiB + 2 * kKiB);
  EXPECT_GE(bytes.taken, 2 * 16 * kKiB + kKiB);
}

/// What the producer computes runs beside what the consumer does.
TEST_F(Demand, CountsWhatRolesNeedBesideEachOther) {
  std::string body = loop(loadTile("a", "%xi", 32, 32) + loadTile("b", "%yi", 32, 32) +
                              dot("d", "a", "b", "acc", 32, 32, 32),
                          32, 32);
  Bytes one = run(",roles=on", body, "loop #0: slots=4"),
        two = run(",roles=on", body, "loop #0: slots=4 roles=producer:4,consumer");
  EXPECT_EQ(two.stated, one.stated + 4 * 2 * 8 + kKiB);
  // A bound by a gather, which both of them make, each through a buffer of its own.
  std::string bound = "%range = tile.make_range 0 to 4096 : tensor<4096xi32>\n"
                      "%chosen = tile.gather %range[%range] axis 0 : tensor<4096xi32>, "
                      "tensor<4096xi32> -> tensor<4096xi32>\n"
                      "%bound = tile.reduce %chosen axis 0 : (tensor<4096xi32>) -> i32 {\n"
                      "^bb0(%l: i32, %r: i32):\n%m = arith.maxsi %l, %r : i32\n"
                      "tile.yield %m : i32\n}\n";
  body.replace(body.find("to %n"), 5, "to %bound");
  one = run(",roles=on", bound + body, "loop #0: slots=2");
  two = run(",roles=on", bound + body, "loop #0: slots=2 roles=producer:4,consumer");
  EXPECT_GE(one.taken, 16 * kKiB);
  EXPECT_GE(two.taken, 32 * kKiB + 2 * 4 * kKiB);
}

/// Indices are converted while the source is in shared memory.
TEST_F(Demand, CountsConversionsBesideAGathersBuffer) {
  std::string tensor = "tensor<4096xi32>";
  Bytes bytes = run("", "%range = tile.make_range 0 to 4096 : " + tensor +
                            "\n%g = tile.gather %range[%range] axis 0 : " + tensor + ", " + tensor +
                            " -> " + tensor +
                            "\n%zs = tile.splat %z : !tile.ptr<f32> -> "
                            "tensor<4096x!tile.ptr<f32>>\n%f = arith.sitofp %g : " +
                            tensor +
                            " to tensor<4096xf32>\n%ps = tile.addptr %zs, %range : "
                            "tensor<4096x!tile.ptr<f32>>, " +
                            tensor + "\ntile.store %ps, %f : tensor<4096x!tile.ptr<f32>>\n");
  EXPECT_EQ(bytes.stated, 16 * kKiB + kKiB);
}

} // namespace
