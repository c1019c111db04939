// That a pipeline of passes checks a schedule once before and once after it is expanded, and that
// what comes in between is checked again.
#include "ir/distribute/Passes.h"
#include "ir/schedule/Passes.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/simt/Passes.h"
#include "ir/simt/SimtOps.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;

namespace {

/// Counts by the names of analyses.
struct Counter : PassInstrumentation {
  explicit Counter(std::map<std::string, int> &counts) : counts(counts) {}
  void runBeforeAnalysis(StringRef name, TypeID, Operation *) override {
    ++counts[name.rsplit("::").second.str()];
  }
  std::map<std::string, int> &counts;
};

class Checks : public ::testing::Test {
protected:
  Checks() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<distribute::DistributeDialect, schedule::SchedDialect, simt::SimtDialect,
                    vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    target.name = "generic";
    target.hasAsyncCopy = true;
    auto text =
        llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/tests/lit/schedule/Inputs/product.mlir");
    EXPECT_TRUE(bool(text));
    module = parseSourceString<ModuleOp>((*text)->getBuffer(), &context);
    EXPECT_TRUE(bool(module));
    distribute::setProgram(*module, {&target, /*numWarps=*/4, /*numStages=*/3, /*warpUnit=*/0});
  }
  /// How often each check was made in a pipeline that succeeds, or does not.
  std::map<std::string, int> run(llvm::function_ref<void(OpPassManager &)> add,
                                 bool succeeds = true) {
    std::map<std::string, int> counts;
    PassManager passes(&context, ModuleOp::getOperationName());
    passes.addInstrumentation(std::make_unique<Counter>(counts));
    add(passes);
    EXPECT_EQ(succeeded(passes.run(*module)), succeeds);
    return {{"before", counts["ScheduleCheck"]}, {"after", counts["ExpandedCheck"]}};
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  target::TargetInfo target;
  OwningOpRef<ModuleOp> module;
};

using Counts = std::map<std::string, int>;

void addSchedule(OpPassManager &passes) {
  passes.addPass(createTileDistribute());
  passes.addPass(schedule::createScheduleStages());
  passes.addPass(schedule::createScheduleRoles());
  passes.addPass(schedule::createScheduleAllocate());
}

/// Somebody else's pass, after which readers of slots do not wait.
struct EraseAwaits : PassWrapper<EraseAwaits, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseAwaits)
  void runOnOperation() override {
    getOperation().walk([](schedule::AwaitOp op) { op.erase(); });
  }
};

TEST_F(Checks, AreMadeOnceInAPipeline) {
  EXPECT_EQ(run([](OpPassManager &passes) {
              addSchedule(passes);
              passes.addPass(schedule::createScheduleExpand());
              passes.addPass(createLowerToThreads());
            }),
            (Counts{{"before", 1}, {"after", 1}}));
}

TEST_F(Checks, AreMadeAgainAfterAnotherPass) {
  EXPECT_EQ(run([](OpPassManager &passes) {
              addSchedule(passes);
              passes.addPass(createCSEPass());
              passes.addPass(schedule::createScheduleExpand());
            }),
            (Counts{{"before", 2}, {"after", 1}}));
  // Another pipeline knows nothing of it.
  EXPECT_EQ(run([](OpPassManager &passes) { passes.addPass(schedule::createScheduleExpand()); }),
            (Counts{{"before", 1}, {"after", 1}}));
}

TEST_F(Checks, AreMadeAgainBeforeTheLowering) {
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
    if (d.getSeverity() == DiagnosticSeverity::Error)
      error += d.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> given = module->clone();
  EXPECT_EQ(run(
                [](OpPassManager &passes) {
                  addSchedule(passes);
                  passes.addPass(schedule::createScheduleExpand());
                  passes.addPass(std::make_unique<EraseAwaits>());
                  passes.addPass(createLowerToThreads());
                },
                /*succeeds=*/false),
            (Counts{{"before", 1}, {"after", 2}}));
  EXPECT_NE(error.find("'sched.read' op reads slot 0, which is not between an await"),
            std::string::npos)
      << error;
  // As text.
  error.clear();
  module = std::move(given);
  run([](OpPassManager &passes) {
    addSchedule(passes);
    passes.addPass(schedule::createScheduleExpand());
  });
  EXPECT_EQ(run([](OpPassManager &passes) { passes.addPass(createLowerToThreads()); }),
            (Counts{{"before", 0}, {"after", 1}}));
  EXPECT_EQ(error, "");
}

} // namespace
