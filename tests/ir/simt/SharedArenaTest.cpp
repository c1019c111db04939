// Placement of shared buffers and insertion of barriers, on per-thread IR as text.
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

class SharedArenaTest : public ::testing::Test {
protected:
  SharedArenaTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SimtDialect, vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "test";
  }
  func::FuncOp parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "func.func @k(%v: vector<4xf32>, %o: i32, %n: i32, %c: i1, %g: i64) {\n" + body +
            "\nreturn }",
        &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }
  /// The body after both passes, one letter an op: S store, L load, A addition, | barrier, C copy,
  /// W wait, ( ) around a region.
  std::string run(const std::string &body, unsigned warps = 4) {
    func::FuncOp kernel = parse(body);
    EXPECT_TRUE(succeeded(placeShared(kernel, target)));
    EXPECT_TRUE(
        succeeded(insertBarriers(kernel, warps > 1 ? BarrierScope::Program : BarrierScope::Warp)));
    EXPECT_TRUE(succeeded(verify(*module)));
    std::string text;
    std::function<void(Block &)> print = [&](Block &block) {
      for (Operation &op : block) {
        if (isa<SharedStoreOp>(op))
          text += "S";
        else if (isa<SharedLoadOp>(op))
          text += "L";
        else if (isa<SharedAddOp>(op))
          text += "A";
        else if (isa<BarrierOp>(op))
          text += "|";
        else if (isa<AsyncCopyOp>(op))
          text += "C";
        else if (isa<AsyncWaitOp>(op))
          text += "W";
        for (Region &region : op.getRegions()) {
          text += "(";
          for (Block &inner : region)
            print(inner);
          text += ")";
        }
      }
    };
    print(kernel.getBody().front());
    return text;
  }

  MLIRContext context;
  TargetInfo target;
  OwningOpRef<ModuleOp> module;
};

std::string storeTo(const std::string &buffer) {
  return "simt.shared_store %" + buffer + "[%o], %v : vector<4xf32>\n";
}
std::string load(const std::string &buffer, int n) {
  return "%l" + std::to_string(n) + " = simt.shared_load %" + buffer + "[%o] : vector<4xf32>\n";
}
std::string alloc(const std::string &buffer, int bytes = 1024) {
  return "%" + buffer + " = simt.shared_alloc " + std::to_string(bytes) + "\n";
}

TEST_F(SharedArenaTest, BuffersThatNeverLiveTogetherShareBytes) {
  func::FuncOp kernel = parse(alloc("a", 2048) + storeTo("a") + load("a", 0) + alloc("b", 2048) +
                              storeTo("b") + load("b", 1));
  ASSERT_TRUE(succeeded(placeShared(kernel, target)));
  EXPECT_EQ(cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt(), 2048);
}

TEST_F(SharedArenaTest, SmallBuffersHaveBytesOfTheirOwnWhereThereIsRoom) {
  std::string body =
      alloc("a") + storeTo("a") + load("a", 0) + alloc("b") + storeTo("b") + load("b", 1);
  EXPECT_EQ(run(body), "S|LS|L");
  EXPECT_EQ(run("scf.for %i = %o to %n step %n : i32 {\n" + body + "}\n"), "(S|LS|L)");
  target.sharedMemoryBytes = 1024;
  EXPECT_EQ(run(body), "S|L|S|L");
}

TEST_F(SharedArenaTest, AdditionsMeetOnlyReadsAndWrites) {
  std::string add = "simt.shared_add %a[%o], %n\n";
  EXPECT_EQ(run(alloc("a") + storeTo("a") + add + add + load("a", 0) + add), "S|AA|L|A");
  EXPECT_EQ(run(alloc("a") + storeTo("a") + "scf.for %i = %o to %n step %n : i32 {\n" + add +
                "}\n" + load("a", 0)),
            "S|(A)|L");
}

TEST_F(SharedArenaTest, BuffersThatLiveTogetherDoNotOverlap) {
  func::FuncOp kernel = parse(alloc("a", 40) + alloc("b") + storeTo("a") + storeTo("b") +
                              load("a", 0) + load("b", 1));
  ASSERT_TRUE(succeeded(placeShared(kernel, target)));
  // The second starts at the next multiple of its alignment.
  EXPECT_EQ(cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt(), 48 + 1024);
}

TEST_F(SharedArenaTest, ABufferFromOutsideLivesThroughTheWholeLoop) {
  func::FuncOp kernel =
      parse(alloc("a") + storeTo("a") + "scf.for %i = %o to %n step %n : i32 {\n" + load("a", 0) +
            alloc("b") + storeTo("b") + load("b", 1) + "}\n");
  ASSERT_TRUE(succeeded(placeShared(kernel, target)));
  EXPECT_EQ(cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt(), 2048);
}

class NestedArenaTest : public SharedArenaTest {
protected:
  /// The bytes that `body` takes on a target that has no more than `has`; 0 if it does not fit.
  int64_t bytesOf(const std::string &body, uint64_t has) {
    target.sharedMemoryBytes = has;
    func::FuncOp kernel = parse(body);
    ScopedDiagnosticHandler ignore(&context, [](Diagnostic &) { return success(); });
    if (failed(placeShared(kernel, target)))
      return 0;
    return kernel->getAttrOfType<IntegerAttr>(SimtDialect::kSharedBytesAttr).getInt();
  }
  static std::string loop(const std::string &body) {
    return "scf.for %i = %o to %n step %n : i32 {\n" + body + "}\n";
  }
  static std::string aligned(const std::string &buffer, int bytes) {
    return "%" + buffer + " = simt.shared_alloc " + std::to_string(bytes) +
           " {alignment = 1024 : i64}\n";
  }
};

TEST_F(NestedArenaTest, WhatLivesLongerLiesBelow) {
  // Both are used first in the loop. In order of first use y lies above x, and the 2 KiB below it
  // are too few for z.
  std::string body = alloc("x", 2048) + alloc("y", 2048) + loop(storeTo("x") + storeTo("y")) +
                     alloc("z", 3072) + storeTo("z") + load("z", 0) + load("y", 1);
  EXPECT_EQ(bytesOf(body, 7168), 7168);
  EXPECT_EQ(bytesOf(body, 7167), 5120);
  EXPECT_EQ(bytesOf(body, 5120), 5120);
  EXPECT_EQ(bytesOf(body, 5119), 0);
}

TEST_F(NestedArenaTest, LargeAlignmentsLieBelow) {
  std::string body = alloc("p", 1040) + aligned("q", 2048) + loop(storeTo("p") + storeTo("q"));
  EXPECT_EQ(bytesOf(body, 4096), 4096);
  EXPECT_EQ(bytesOf(body, 4095), 2048 + 1040);
  EXPECT_EQ(bytesOf(body, 2048 + 1040), 2048 + 1040);
  EXPECT_EQ(bytesOf(body, 2048 + 1039), 0);
  // Each begins at a multiple of its alignment.
  EXPECT_EQ(
      bytesOf(aligned("p", 1040) + aligned("q", 2048) + loop(storeTo("p") + storeTo("q")), 4096),
      4096);
  // One that is there before lies below.
  EXPECT_EQ(bytesOf(alloc("p", 1040) + aligned("q", 2048) + storeTo("p") +
                        loop(load("p", 0) + storeTo("q")),
                    4096),
            4096);
}

TEST_F(NestedArenaTest, TheFirstOfOverlappingRangesCountsUntilTheLastEnds) {
  std::string body = alloc("a", 2048) + alloc("e", 4096) + storeTo("a") + storeTo("e") +
                     load("a", 0) + alloc("d", 3072) + storeTo("d") + load("d", 1) + load("e", 2);
  EXPECT_EQ(bytesOf(body, 2048 + 4096 + 3072), 2048 + 4096 + 3072);
  EXPECT_EQ(bytesOf(body, 2048 + 4096 + 3071), 0);
}

TEST_F(NestedArenaTest, RolesRunBesideEachOther) {
  auto role = [](int first, const std::string &body) {
    return "simt.role " + std::to_string(first) + " to " + std::to_string(first + 1) +
           " {\n^bb0(%t: i32):\n" + body + "}\n";
  };
  auto once = [](const std::string &buffer, int bytes, int n) {
    return alloc(buffer, bytes) + storeTo(buffer) + load(buffer, n);
  };
  std::string body = role(0, once("x", 2048, 0) + once("w", 1536, 1)) +
                     role(1, once("y", 2048, 2) + once("z", 3072, 3));
  EXPECT_EQ(bytesOf(body, 5120), 5120);
  EXPECT_EQ(bytesOf(body, 5119), 0);
  // Of a role's nested ranges each lies above those that hold it.
  std::string nested = alloc("x", 2048) + alloc("y", 2048) + loop(storeTo("x") + storeTo("y")) +
                       alloc("z", 3072) + storeTo("z") + load("z", 0) + load("y", 1);
  EXPECT_EQ(bytesOf(role(0, once("w", 1536, 2)) + role(1, nested), 1536 + 5120), 1536 + 5120);
  EXPECT_EQ(bytesOf(role(0, once("w", 1536, 2)) + role(1, nested), 1536 + 5119), 0);
}

TEST_F(SharedArenaTest, ABufferLivesUntilItsCopiesHaveBeenWaitedFor) {
  std::string copy = "simt.async_copy 16 %g -> %a[%o]\nsimt.async_commit\n",
              other = alloc("b", 2048) + storeTo("b") + load("b", 1);
  auto bytesOf = [&](const std::string &body) {
    func::FuncOp kernel = parse(body);
    EXPECT_TRUE(succeeded(placeShared(kernel, target)));
    return cast<IntegerAttr>(kernel->getAttr(SimtDialect::kSharedBytesAttr)).getInt();
  };
  std::string begin = alloc("a", 2048) + copy + "simt.async_wait 1\n" + load("a", 0);
  EXPECT_EQ(bytesOf(begin + "simt.async_wait 0\n" + other), 2048);
  EXPECT_EQ(bytesOf(begin + other + "simt.async_wait 0\n"), 4096);
  EXPECT_EQ(bytesOf(begin + "simt.group_mma_wait 0\n" + other), 4096); // waits for something else
  EXPECT_EQ(bytesOf(begin + other), 4096);
}

TEST_F(SharedArenaTest, TooMuchIsAnError) {
  target.sharedMemoryBytes = 1000;
  func::FuncOp kernel = parse(alloc("a") + storeTo("a"));
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    text = d.str();
    return success();
  });
  EXPECT_TRUE(failed(placeShared(kernel, target)));
  EXPECT_EQ(text,
            "needs 1024 bytes of shared memory, but test has 1000 for a program, which is 24 too "
            "few; use smaller blocks or fewer stages");
}

TEST_F(SharedArenaTest, OneBarrierBetweenStoresAndLoads) {
  EXPECT_EQ(run(alloc("a") + storeTo("a") + storeTo("a") + load("a", 0) + load("a", 1)), "SS|LL");
}

TEST_F(SharedArenaTest, ReusedBytesNeedABarrierBeforeTheStore) {
  EXPECT_EQ(run(alloc("a", 2048) + storeTo("a") + load("a", 0) + alloc("b", 2048) + storeTo("b") +
                load("b", 1)),
            "S|L|S|L");
}

TEST_F(SharedArenaTest, DifferentBytesNeedNone) {
  EXPECT_EQ(
      run(alloc("a") + alloc("b") + storeTo("a") + storeTo("b") + load("a", 0) + load("b", 1)),
      "SS|LL");
}

TEST_F(SharedArenaTest, BackEdgesCount) {
  EXPECT_EQ(run(alloc("a") + "scf.for %i = %o to %n step %n : i32 {\n" + storeTo("a") +
                load("a", 0) + "}\n"),
            "(|S|L)");
}

TEST_F(SharedArenaTest, BranchesAreAlternatives) {
  // The store of one arm is not seen by the other; after them either may have happened.
  EXPECT_EQ(run(alloc("a") + "scf.if %c {\n" + storeTo("a") + "} else {\n" + load("a", 0) + "}\n" +
                load("a", 1)),
            "(S)(L)|L");
}

TEST_F(SharedArenaTest, ACopyIsWrittenWhenItIsWaitedFor) {
  std::string copy = "simt.async_copy 16 %g -> %a[%o]\n";
  EXPECT_EQ(run(alloc("a") + copy + "simt.async_commit\nsimt.async_wait 0\n" + load("a", 0)),
            "CW|L");
  // In a steady pipeline one barrier an iteration is enough, before the next copy.
  EXPECT_EQ(run(alloc("a") + copy + "simt.async_commit\nscf.for %i = %o to %n step %n : i32 {\n" +
                "simt.async_wait 0\n" + copy + "simt.async_commit\n" + load("a", 0) + "}\n"),
            "C(W|CL)");
}

TEST_F(SharedArenaTest, OneWarpSynchronizesAlone) {
  run(alloc("a") + storeTo("a") + load("a", 0), 1);
  unsigned warps = 0;
  module->walk([&](BarrierOp op) { warps += op.getScope() == BarrierScope::Warp; });
  EXPECT_EQ(warps, 1u);
}

} // namespace
