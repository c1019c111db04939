// Programs that run on several blocks (ir/schedule/Blocks.h): the cases of clusters.py give the
// bits of one block, whichever block is ahead, and their code assembles.
#include "tests/kernels/Assemble.h"
#include "tests/kernels/EmulatedCase.h"

#include "backends/nvptx/Compile.h"
#include "backends/nvptx/Target.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/TileOps.h"
#include "ir/tile/TileUtils.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tilerun;
using namespace tilerun::test;

namespace {

template <typename Op> bool has(mlir::func::FuncOp kernel) {
  return kernel.walk([](Op) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

/// How many blocks a case must get.
unsigned getExpected(const KernelCase &testCase) {
  return llvm::StringRef(testCase.kernel).ends_with("on_one") ? 1 : testCase.numCtas;
}

/// Calls `work` with each case of clusters.py.
void forEachCase(llvm::function_ref<void(const KernelCase &, PreparedCase &)> work) {
  unsigned cases = 0;
  for (const KernelCase &testCase : loadKernelCases()) {
    if (llvm::sys::path::stem(testCase.file) != "clusters")
      continue;
    SCOPED_TRACE(testCase.name());
    ++cases;
    llvm::Expected<PreparedCase> prepared = prepare(testCase);
    ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
    work(testCase, *prepared);
  }
  EXPECT_GE(cases, 16u);
}

TEST(Blocks, GiveTheBitsOfOneBlock) {
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  unsigned withBoxes = 0, persistent = 0, multicasts = 0;
  forEachCase([&](const KernelCase &testCase, PreparedCase &prepared) {
    KernelCase onOne = testCase;
    onOne.numCtas = 1;
    std::vector<TensorArgument> expected, got, boxes, shared;
    unsigned blocks = 0;
    auto look = [&](mlir::func::FuncOp kernel) { blocks = tile::getBlocks(kernel); };
    ASSERT_EQ(emulateOn(prepared, hopper->info, testCase.numWarps, onOne, expected, 0, {0},
                        {.boxes = "off"}, look),
              "");
    EXPECT_EQ(blocks, 1u);
    ASSERT_EQ(emulateOn(prepared, hopper->info, testCase.numWarps, testCase, got, 0,
                        {0, 1, 2, 3, 4, 5, 6, 7}, {.boxes = "off"}, look),
              "");
    EXPECT_EQ(blocks, getExpected(testCase));
    ASSERT_EQ(emulateOn(prepared, hopper->info, testCase.numWarps, testCase, boxes, 0,
                        {0, 1, 2, 3, 4, 5, 6, 7},
                        {.boxes = "on", .persistent = "on", .multicast = "off"},
                        [&](mlir::func::FuncOp kernel) {
                          look(kernel);
                          withBoxes += blocks > 1 && has<simt::BoxCopyOp>(kernel);
                          persistent += blocks > 1 && has<simt::LaunchedOp>(kernel);
                        }),
              "");
    EXPECT_EQ(blocks, getExpected(testCase));
    for (const char *choice : {"off", "on"}) {
      ASSERT_EQ(emulateOn(prepared, hopper->info, testCase.numWarps, testCase, shared, 0,
                          {0, 1, 2, 3, 4, 5, 6, 7},
                          {.boxes = "on", .persistent = choice, .multicast = "on"},
                          [&](mlir::func::FuncOp kernel) {
                            kernel.walk(
                                [&](simt::BoxCopyOp op) { multicasts += op.getMulticast(); });
                          }),
                "");
      for (auto [one, several] : llvm::zip_equal(expected, shared))
        EXPECT_TRUE(one.bytes == several.bytes) << one.name << ", by multicast";
    }
    for (auto [one, several, copied] : llvm::zip_equal(expected, got, boxes)) {
      EXPECT_TRUE(one.bytes == several.bytes) << one.name;
      EXPECT_TRUE(one.bytes == copied.bytes) << one.name << ", by boxes";
    }
  });
  EXPECT_GE(withBoxes, 5u);
  EXPECT_GE(persistent, 4u);
  EXPECT_GE(multicasts, 8u);
}

/// If every block took itself for the first one where effects are guarded, counts would be wrong.
TEST(Blocks, EffectsOfAllBlocksAreSeen) {
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  unsigned cases = 0;
  forEachCase([&](const KernelCase &testCase, PreparedCase &prepared) {
    if (testCase.kernel != "norm_of_rows")
      return;
    ++cases;
    auto expected = interpret(prepared, testCase.grid);
    ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
    std::vector<TensorArgument> got;
    ASSERT_EQ(emulateOn(prepared, hopper->info, testCase.numWarps, testCase, got, 0, {0}, {},
                        [](mlir::func::FuncOp kernel) {
                          kernel.walk([](mlir::arith::CmpIOp op) {
                            if (op.getLhs().getDefiningOp<tile::BlockRankOp>())
                              op.getLhsMutable().assign(op.getRhs());
                          });
                        }),
              "");
    EXPECT_NE(compare(*expected, got), "");
  });
  EXPECT_EQ(cases, 2u);
}

/// Without any one part of the protocol, the emulator finds what goes wrong.
TEST(Blocks, SharedCopiesNeedTheirProtocol) {
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  using Damage = llvm::function_ref<void(mlir::func::FuncOp)>;
  auto eraseBarrier = [](mlir::func::FuncOp kernel, bool last) {
    llvm::SmallVector<simt::BarrierOp> barriers;
    kernel.walk([&](simt::BarrierOp barrier) {
      if (barrier.getScope() == simt::BarrierScope::Cluster)
        barriers.push_back(barrier);
    });
    ASSERT_EQ(barriers.size(), 2u);
    // One of the program stays.
    simt::BarrierOp barrier = last ? barriers.back() : barriers.front();
    mlir::OpBuilder b(barrier);
    simt::BarrierOp::create(b, barrier.getLoc(), simt::BarrierScope::Program);
    barrier.erase();
  };
  auto withoutFirst = [&](mlir::func::FuncOp kernel) { eraseBarrier(kernel, false); };
  auto withoutLast = [&](mlir::func::FuncOp kernel) { eraseBarrier(kernel, true); };
  auto arrivesAtHome = [](mlir::func::FuncOp kernel) {
    kernel.walk([](simt::PhaseArriveOp op) { op.setEverywhere(false); });
    kernel.walk([](simt::PhaseInitOp op) { op.setArrivals(op.getArrivals() / 2); });
  };
  auto copiesAtHome = [](mlir::func::FuncOp kernel) {
    kernel.walk([](simt::BoxCopyOp op) { op.setMulticast(false); });
  };
  const std::pair<const char *, Damage> damages[] = {{"the first barrier", withoutFirst},
                                                     {"the last barrier", withoutLast},
                                                     {"arrivals everywhere", arrivesAtHome},
                                                     {"copies everywhere", copiesAtHome}};
  unsigned cases = 0;
  forEachCase([&](const KernelCase &testCase, PreparedCase &prepared) {
    if (testCase.kernel != "product_of_blocks" || testCase.number != 0)
      return;
    ++cases;
    std::vector<uint64_t> seeds(40);
    std::iota(seeds.begin(), seeds.end(), 0);
    for (const auto &[name, damage] : damages) {
      std::vector<TensorArgument> got;
      EXPECT_NE(emulateOn(prepared, hopper->info, testCase.numWarps, testCase, got, 0, seeds,
                          {.boxes = "on", .persistent = "off", .multicast = "on"}, damage),
                "")
          << "without " << name;
    }
  });
  EXPECT_EQ(cases, 1u);
}

TEST(Blocks, AreClustersInPtx) {
  forEachCase([&](const KernelCase &testCase, PreparedCase &prepared) {
    for (const char *arch : {"sm_80", "sm_90", "sm_90a", "sm_120a"}) {
      SCOPED_TRACE(arch);
      mlir::OwningOpRef<mlir::ModuleOp> module = prepared.kernel.module->clone();
      nvptx::NvptxOptions options;
      options.arch = arch;
      options.numWarps = testCase.numWarps;
      options.numCtas = testCase.numCtas;
      options.persistent = options.boxes = llvm::StringRef(arch) == "sm_90a" ? "on" : "auto";
      auto artifact = nvptx::compile(*module, options);
      ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
      // sm_80 has no clusters; instructions of warp groups want more rows than others.
      const bool isDivided = artifact->blocks > 1;
      if (llvm::StringRef(arch) == "sm_80")
        EXPECT_FALSE(isDivided);
      else if (llvm::StringRef(arch) == "sm_90a")
        EXPECT_EQ(artifact->blocks, getExpected(testCase));
      llvm::StringRef ptx = artifact->ptx;
      EXPECT_EQ(ptx.contains(".reqnctapercluster " + std::to_string(artifact->blocks) + ", 1, 1"),
                isDivided);
      EXPECT_EQ(ptx.contains("%cluster_ctarank"), isDivided);
      EXPECT_FALSE(isDivided && ptx.contains("%ctaid"));
      // Descriptors have 14 bits of an address above its 4 lowest, less where more are known to be
      // zeros; those above say which block it is of.
      if (isDivided && ptx.contains("wgmma.mma_async"))
        EXPECT_TRUE(llvm::Regex("(, 4, 14|, 1[56][0-9]{3});").match(ptx)) << ptx.str();
      if (knows(arch))
        EXPECT_EQ(assemble(artifact->ptx, arch), "");
    }
  });
  if (findPtxas().empty())
    GTEST_SKIP() << "ptxas is not installed: compiled, but not assembled";
}

} // namespace
