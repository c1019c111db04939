// Soundness of axis information: random programs over small integers and pointers are run on random
// inputs, and every fact that the analysis claims about any value is checked against all of that
// value's elements.
#include "ir/tile/RegisterDialects.h"
#include "tests/ir/analysis/ProgramGenerator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::test;

namespace {

void runRandomPrograms(uint64_t firstSeed, int programs) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  uint64_t finished = 0, runs = 0, facts = 0, strong = 0;
  for (int i = 0; i < programs; ++i) {
    ProgramGenerator generator(context, firstSeed + i);
    OwningOpRef<ModuleOp> module = generator.program();
    ASSERT_TRUE(succeeded(verify(*module)));
    AxisInfoMap claims(*module);
    auto function = *module->getOps<func::FuncOp>().begin();
    for (int run = 0; run < 3; ++run) {
      ElementMachine machine(claims);
      for (BlockArgument argument : function.getArguments())
        machine.set(argument, generator.input(argument));
      finished += machine.runBlock(function.getBody().front());
      ++runs;
      facts += machine.factsChecked;
      strong += machine.strongFacts;
      if (!machine.failure.empty()) {
        std::string text;
        llvm::raw_string_ostream(text) << *module;
        FAIL() << "seed " << firstSeed + i << ": " << machine.failure << text;
      }
    }
  }
  // The test would say little if most runs were undefined or nothing was ever claimed.
  EXPECT_GT(finished * 2, runs);
  EXPECT_GT(strong, uint64_t(programs) * 20);
  EXPECT_GT(facts, uint64_t(programs) * 500);
}

} // namespace

TEST(AxisInfoRandom, FactsHoldOnRandomPrograms1) { runRandomPrograms(1, 700); }
TEST(AxisInfoRandom, FactsHoldOnRandomPrograms2) { runRandomPrograms(1000000, 700); }
TEST(AxisInfoRandom, FactsHoldOnRandomPrograms3) { runRandomPrograms(2000000, 700); }
// Other programs each time, so that many runs see many. TILERUN_SEED repeats a failure.
TEST(AxisInfoRandom, FactsHoldOnFreshPrograms) {
  const char *given = std::getenv("TILERUN_SEED");
  uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("TILERUN_SEED=" + std::to_string(seed));
  runRandomPrograms(seed, 500);
}
