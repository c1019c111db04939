// What the compiler chooses by itself changes no bits of the table's kernels.
#include "tests/kernels/EmulatedCase.h"

#include "backends/nvptx/Target.h"
#include "ir/simt/SimtOps.h"

#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

using namespace tilerun;
using namespace tilerun::test;

namespace {

/// A product whose operands are copied as boxes by a role of its own gives the same bits as one
/// whose threads copy them, in any order of warps and copies; so does one whose result is copied to
/// memory as boxes while the next program runs.
TEST(Boxes, GiveEqualBits) {
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  unsigned kernels = 0, storing = 0;
  for (const KernelCase &testCase : loadKernelCases()) {
    if (!llvm::is_contained({"blocks", "pipeline", "wgmma"}, llvm::sys::path::stem(testCase.file)))
      continue;
    SCOPED_TRACE(testCase.name());
    llvm::Expected<PreparedCase> prepared = prepare(testCase);
    ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
    std::vector<TensorArgument> got, expected;
    unsigned boxes = 0, stores = 0;
    ASSERT_EQ(emulateOn(*prepared, hopper->info, testCase.numWarps, testCase, got, 0,
                        {0, 1, 2, 3, 4, 5}, {.boxes = "on"},
                        [&](mlir::func::FuncOp kernel) {
                          kernel.walk([&](simt::BoxCopyOp) { ++boxes; });
                        }),
              "");
    if (!boxes)
      continue;
    ++kernels;
    std::vector<TensorArgument> persistent;
    ASSERT_EQ(emulateOn(*prepared, hopper->info, testCase.numWarps, testCase, persistent, 0,
                        {0, 1, 2, 3, 4, 5, 6, 7, 8},
                        {.boxes = "on", .turns = "on", .persistent = "on"},
                        [&](mlir::func::FuncOp kernel) {
                          kernel.walk([&](simt::BoxStoreOp) { ++stores; });
                        }),
              "");
    storing += stores != 0;
    ASSERT_EQ(emulateOn(*prepared, hopper->info, testCase.numWarps, testCase, expected, 0, {0},
                        {.boxes = "off"}),
              "");
    for (auto [left, right, other] : llvm::zip_equal(expected, got, persistent)) {
      EXPECT_TRUE(left.bytes == right.bytes) << left.name;
      EXPECT_TRUE(left.bytes == other.bytes) << left.name << ", persistent";
    }
  }
  EXPECT_GE(kernels, 20u);
  EXPECT_GE(storing, 10u);
}

/// Calls `work` with each kernel of the table that has an op of this kind, and a target.
template <typename Op>
void forEachCaseWith(
    llvm::function_ref<void(const KernelCase &, PreparedCase &, const target::TargetInfo &hopper)>
        work) {
  auto hopper = nvptx::getArchitecture("sm_90a");
  ASSERT_TRUE(bool(hopper)) << llvm::toString(hopper.takeError());
  for (const KernelCase &testCase : loadKernelCases()) {
    SCOPED_TRACE(testCase.name());
    llvm::Expected<PreparedCase> prepared = prepare(testCase);
    ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
    bool hasOp = false;
    prepared->kernel.module->walk([&](Op) { hasOp = true; });
    if (hasOp)
      work(testCase, *prepared, hopper->info);
  }
}

void expectEqualBits(llvm::ArrayRef<TensorArgument> expected, llvm::ArrayRef<TensorArgument> got) {
  for (auto [left, right] : llvm::zip_equal(expected, got))
    EXPECT_TRUE(left.bytes == right.bytes) << left.name;
}

/// Without any one part of what orders its copies, the emulator finds what goes wrong.
TEST(AsyncStores, NeedTheirOrder) {
  auto eraseAt = [](mlir::func::FuncOp kernel, auto isWanted) {
    llvm::SmallVector<mlir::Operation *> found;
    kernel.walk([&](mlir::Operation *op) {
      if (isWanted(op))
        found.push_back(op);
    });
    ASSERT_FALSE(found.empty());
    for (mlir::Operation *op : found)
      op->erase();
  };
  const std::pair<const char *, std::function<void(mlir::func::FuncOp)>> damages[] = {
      {"the fence",
       [&](mlir::func::FuncOp kernel) {
         eraseAt(kernel, [](mlir::Operation *op) {
           return llvm::isa<simt::AsyncFenceOp>(op) && op->getParentOfType<simt::RoleOp>();
         });
       }},
      {"waits before the tile is written",
       [&](mlir::func::FuncOp kernel) {
         eraseAt(kernel, [](mlir::Operation *op) {
           return llvm::isa<simt::BoxStoreWaitOp>(op) && op->getParentOfType<mlir::scf::ForOp>();
         });
       }},
      {"the last wait",
       [&](mlir::func::FuncOp kernel) {
         eraseAt(kernel, [](mlir::Operation *op) {
           return llvm::isa<simt::BoxStoreWaitOp>(op) && !op->getParentOfType<mlir::scf::ForOp>();
         });
       }},
      {"barriers of the role", [&](mlir::func::FuncOp kernel) {
         eraseAt(kernel, [](mlir::Operation *op) {
           auto barrier = llvm::dyn_cast<simt::BarrierOp>(op);
           return barrier && barrier.getScope() == simt::BarrierScope::Role;
         });
       }}};
  unsigned kernels = 0;
  forEachCaseWith<tile::DotOp>(
      [&](const KernelCase &testCase, PreparedCase &prepared, const target::TargetInfo &hopper) {
        if (kernels || llvm::sys::path::stem(testCase.file) != "wgmma")
          return;
        std::vector<TensorArgument> got;
        unsigned stores = 0;
        const backend::ScheduleText choices{.boxes = "on", .persistent = "on"};
        ASSERT_EQ(emulateOn(prepared, hopper, testCase.numWarps, testCase, got, 0, {0}, choices,
                            [&](mlir::func::FuncOp kernel) {
                              kernel.walk([&](simt::BoxStoreOp) { ++stores; });
                            }),
                  "");
        if (!stores)
          return;
        ++kernels;
        for (const auto &[name, damage] : damages)
          EXPECT_NE(emulateOn(prepared, hopper, testCase.numWarps, testCase, got, 0,
                              {0, 1, 2, 3, 4, 5, 6, 7}, choices, damage),
                    "")
              << "without " << name;
      });
  EXPECT_EQ(kernels, 1u);
}

/// Values that are computed again behind a reduction are the same bits.
TEST(Rematerialized, GiveEqualBits) {
  unsigned kernels = 0;
  forEachCaseWith<tile::ReduceOp>([&](const KernelCase &testCase, PreparedCase &prepared,
                                      const target::TargetInfo &hopper) {
    // Few threads hold many elements each.
    std::vector<TensorArgument> got, expected;
    unsigned words = 0;
    ASSERT_EQ(
        emulateOn(prepared, hopper, 1, testCase, got, 0, {0, 1}, {.rematerialize = "on"},
                  [&](mlir::func::FuncOp kernel) { kernel.walk([&](simt::FreshOp) { ++words; }); }),
        "");
    if (!words)
      return;
    ++kernels;
    ASSERT_EQ(emulateOn(prepared, hopper, 1, testCase, expected, 0, {0}, {.rematerialize = "off"}),
              "");
    expectEqualBits(expected, got);
  });
  EXPECT_GE(kernels, 10u);
}

/// Loads that are made one iteration early give the same bits, and so do reads with a policy.
TEST(Prefetched, GiveEqualBits) {
  unsigned kernels = 0;
  forEachCaseWith<tile::DotOp>(
      [&](const KernelCase &testCase, PreparedCase &prepared, const target::TargetInfo &hopper) {
        auto countLoads = [&](llvm::StringRef choice, std::vector<TensorArgument> &got,
                              unsigned &loads) {
          return emulateOn(
              prepared, hopper, testCase.numWarps, testCase, got, 0, {0, 1},
              {.evictions = choice.str(), .prefetch = choice.str()},
              [&](mlir::func::FuncOp kernel) { kernel.walk([&](simt::LoadOp) { ++loads; }); });
        };
        std::vector<TensorArgument> got, expected;
        unsigned early = 0, late = 0;
        ASSERT_EQ(countLoads("on", got, early), "");
        ASSERT_EQ(countLoads("off", expected, late), "");
        kernels += early > late;
        expectEqualBits(expected, got);
      });
  EXPECT_GE(kernels, 7u);
}

/// Tiles that stay in shared memory from one loop to the next are the same bits, where all
/// iterations have room and where few have.
TEST(Retained, GiveEqualBits) {
  unsigned kernels = 0;
  forEachCaseWith<mlir::scf::ForOp>(
      [&](const KernelCase &testCase, PreparedCase &prepared, const target::TargetInfo &hopper) {
        auto countBuffers = [&](const target::TargetInfo &target, llvm::StringRef choice,
                                std::vector<TensorArgument> &got, unsigned &buffers) {
          return emulateOn(prepared, target, testCase.numWarps, testCase, got, 0, {0, 1},
                           {.retain = choice.str()}, [&](mlir::func::FuncOp kernel) {
                             kernel.walk([&](simt::SharedAllocOp) { ++buffers; });
                           });
        };
        std::vector<TensorArgument> got, few, expected;
        unsigned with = 0, without = 0, withFew = 0;
        ASSERT_EQ(countBuffers(hopper, "off", expected, without), "");
        ASSERT_EQ(countBuffers(hopper, "on", got, with), "");
        expectEqualBits(expected, got);
        if (with <= without)
          return;
        ++kernels;
        target::TargetInfo small = hopper;
        small.sharedMemoryBytes = 9 * 1024;
        ASSERT_EQ(countBuffers(small, "on", few, withFew), "");
        expectEqualBits(expected, few);
      });
  EXPECT_GE(kernels, 10u);
}

} // namespace
