// The optimizer keeps meaning: random programs, and each pass by itself, give the same memory on
// the interpreter before and after. Integers are compared bit by bit; floats too, but for the
// payload of NaN.
#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"
#include "tests/backends/interpreter/Harness.h"
#include "tests/ir/transforms/RandomProgram.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <cmath>

using namespace mlir;
using namespace tilerun;

namespace {

class OptimizeTest : public ::testing::Test {
protected:
  OptimizeTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  std::string optimize(StringRef source, llvm::function_ref<void(OpPassManager &)> build) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    if (!module)
      return "";
    PassManager manager(&context);
    build(manager);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }

  struct Memory {
    std::vector<int32_t> scratch, out;
    std::vector<float> fout;
  };

  Memory run(StringRef source, uint64_t seed) {
    harness::Machine machine;
    std::mt19937_64 random(seed);
    std::vector<int32_t> in(test::kInputs), scratch(test::kInputs);
    std::vector<float> fin(test::kInputs);
    for (unsigned i = 0; i < test::kInputs; ++i) {
      in[i] = random() % 3 ? int32_t(random() % 100) - 20 : int32_t(random());
      scratch[i] = int32_t(random() % 64);
      fin[i] = float(int64_t(random() % 4000) - 2000) / 16;
    }
    uint64_t inputs = machine.put(in), floats = machine.put(fin);
    uint64_t work = machine.put(scratch);
    uint64_t out = machine.put(std::vector<int32_t>(test::kOutputs, -1));
    uint64_t fout = machine.put(std::vector<float>(test::kOutputs, -1));
    using harness::ptr;
    machine.run(source, {ptr(inputs), ptr(floats), ptr(work), ptr(out), ptr(fout),
                         harness::num(int32_t(random() % 5))});
    return {machine.get<int32_t>(work, test::kInputs), machine.get<int32_t>(out, test::kOutputs),
            machine.get<float>(fout, test::kOutputs)};
  }

  /// Empty where the two agree.
  static std::string compare(const Memory &a, const Memory &b) {
    auto differ = [](const char *name, size_t at, auto x, auto y) {
      return llvm::formatv("{0}[{1}]: {2} before, {3} after", name, at, x, y).str();
    };
    for (size_t i = 0; i < a.scratch.size(); ++i)
      if (a.scratch[i] != b.scratch[i])
        return differ("scratch", i, a.scratch[i], b.scratch[i]);
    for (size_t i = 0; i < a.out.size(); ++i)
      if (a.out[i] != b.out[i])
        return differ("out", i, a.out[i], b.out[i]);
    for (size_t i = 0; i < a.fout.size(); ++i)
      if (!(std::isnan(a.fout[i]) && std::isnan(b.fout[i])) &&
          llvm::bit_cast<uint32_t>(a.fout[i]) != llvm::bit_cast<uint32_t>(b.fout[i]))
        return differ("fout", i, a.fout[i], b.fout[i]);
    return "";
  }

  /// Runs `count` random programs before and after the passes that `build` adds.
  void check(uint64_t firstSeed, int count, llvm::function_ref<void(OpPassManager &)> build) {
    int changed = 0;
    for (int i = 0; i < count; ++i) {
      uint64_t seed = firstSeed + i;
      std::string source = test::makeRandomProgram(seed);
      std::string optimized = optimize(source, build);
      changed += StringRef(optimized).count('\n') + 2 < StringRef(source).count('\n') + 2;
      for (uint64_t input : {seed, seed + 1000003}) {
        std::string difference = compare(run(source, input), run(optimized, input));
        ASSERT_EQ(difference, "") << "seed " << seed << "\n" << source << "\nbecame\n" << optimized;
        ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << source;
      }
    }
    // If nothing was rewritten, nothing was tested.
    EXPECT_GT(changed * 2, count);
  }

  MLIRContext context;
};

TEST_F(OptimizeTest, RandomProgramsAreTheSameEachTime) {
  EXPECT_EQ(test::makeRandomProgram(5), test::makeRandomProgram(5));
  EXPECT_NE(test::makeRandomProgram(5), test::makeRandomProgram(6));
}

void optimizeAll(OpPassManager &manager) { buildOptimizePipeline(manager); }

TEST_F(OptimizeTest, PipelineKeepsMeaning) { check(1, 200, optimizeAll); }

// Other programs each time, so that many runs see many. TILERUN_SEED repeats a failure.
TEST_F(OptimizeTest, PipelineKeepsMeaningOfFreshPrograms) {
  const char *given = std::getenv("TILERUN_SEED");
  uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("TILERUN_SEED=" + std::to_string(seed));
  check(seed, 100, optimizeAll);
}

TEST_F(OptimizeTest, CanonicalizationKeepsMeaning) {
  check(10000, 100, [](OpPassManager &m) { m.addPass(createCanonicalizerPass()); });
}

TEST_F(OptimizeTest, CombineKeepsMeaning) {
  check(20000, 100, [](OpPassManager &m) { m.addPass(createTileCombine()); });
}

TEST_F(OptimizeTest, ReorderBroadcastKeepsMeaning) {
  check(30000, 100, [](OpPassManager &m) { m.addPass(createTileReorderBroadcast()); });
}

TEST_F(OptimizeTest, DeadLoadsKeepMeaning) {
  check(40000, 100, [](OpPassManager &m) {
    m.addPass(createCSEPass());
    m.addPass(createTileDeadLoads());
  });
}

TEST_F(OptimizeTest, LoopSimplifyKeepsMeaning) {
  check(50000, 100, [](OpPassManager &m) { m.addPass(createTileLoopSimplify()); });
}

TEST_F(OptimizeTest, PipelineTwiceKeepsMeaning) {
  check(60000, 60, [](OpPassManager &m) {
    buildOptimizePipeline(m);
    buildOptimizePipeline(m);
  });
}

TEST_F(OptimizeTest, OptimizedTextIsDeterministic) {
  for (uint64_t seed : {3, 4, 5})
    EXPECT_EQ(optimize(test::makeRandomProgram(seed), optimizeAll),
              optimize(test::makeRandomProgram(seed), optimizeAll));
}

TEST_F(OptimizeTest, PassesAreRegistered) {
  registerOptimizer();
  for (StringRef name :
       {"tile-combine", "tile-reorder-broadcast", "tile-dead-loads", "tile-loop-simplify",
        "tile-strip-hints", "tile-print-axis-info", "tile-optimize"}) {
    bool isPass = PassInfo::lookup(name) != nullptr;
    EXPECT_TRUE(isPass || PassPipelineInfo::lookup(name)) << name.str();
  }
}

TEST_F(OptimizeTest, LongChainsDoNotOverflowTheStack) {
  // Fifty thousand ops in one chain, and hints in between: every pass is iterative in the length of
  // a program.
  std::string body;
  for (int i = 0; i < 50000; ++i)
    body += llvm::formatv("%x{0} = arith.{1} %x{2}, %n : i32\n", i + 1, i % 2 ? "addi" : "xori", i);
  std::string source =
      "func.func @k(%x0: i32, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel} "
      "{\n" +
      body + "tile.store %p, %x50000 : !tile.ptr<i32>\nreturn\n}\n";
  EXPECT_NE(optimize(source, optimizeAll), "");
}

} // namespace
