// Remarks as data: their collection, their printed forms, and that docs/remarks.md lists all names.
#include "ir/tile/Remarks.h"
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/Facts.h"
#include "ir/schedule/Stages.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace tilerun;

namespace {

const char *const kSource = R"(
func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.load %all : tensor<1024x!tile.ptr<f16>> loc("k.py":7:9)
    tile.store %all, %a : tensor<1024x!tile.ptr<f16>>
  } loc("k.py":6:5)
  return
}
)";

/// Schedules the kernel.
void run(mlir::ModuleOp module) {
  target::TargetInfo target;
  target.name = "generic";
  distribute::AccessAnalysis accesses(module);
  for (auto kernel : module.getOps<mlir::func::FuncOp>()) {
    ASSERT_TRUE(mlir::succeeded(distribute::assignLayouts(
        kernel, {/*numWarps=*/4, &target, accesses.getRuns()}, accesses.getFacts())));
    distribute::LayoutAssignment layouts(kernel, target, /*numWarps=*/4);
    ASSERT_TRUE(mlir::succeeded(schedule::scheduleKernel(kernel, layouts, {/*numStages=*/3})));
  }
}

class Remarks : public testing::Test {
protected:
  Remarks() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<distribute::DistributeDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kSource, &context);
  }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Remarks, AreCollectedWithTheirPlaces) {
  ASSERT_TRUE(bool(module));
  RemarkCollector collector(&context);
  run(*module);
  run(*module); // each once
  ASSERT_EQ(collector.get().size(), 2u);
  const CollectedRemark &loop = collector.get()[0], &load = collector.get()[1];
  EXPECT_EQ(load.name, "load-not-vectorized");
  EXPECT_EQ(load.kernel, "k");
  EXPECT_EQ(load.file, "k.py");
  EXPECT_EQ(load.line, 7u);
  EXPECT_EQ(load.column, 9u);
  EXPECT_TRUE(load.isMissed);
  EXPECT_EQ(loop.name, "loop-not-pipelined");
  EXPECT_EQ(loop.reason,
            "the loop is not pipelined: none of its loads feeds a product of its body");
  EXPECT_EQ(collector.toText(),
            "k.py:6:5: remark: loop-not-pipelined: the loop is not pipelined: none of its loads "
            "feeds a product of its body\n"
            "k.py:7:9: remark: load-not-vectorized: each access reads one element: neighbouring "
            "elements are not known to be neighbours in memory\n");
}

TEST_F(Remarks, ArePrintedAsJson) {
  ASSERT_TRUE(bool(module));
  RemarkCollector collector(&context);
  run(*module);
  EXPECT_EQ(collector.toJson(), R"([
  {
    "name": "loop-not-pipelined",
    "missed": true,
    "kernel": "k",
    "file": "k.py",
    "line": 6,
    "column": 5,
    "reason": "the loop is not pipelined: none of its loads feeds a product of its body"
  },
  {
    "name": "load-not-vectorized",
    "missed": true,
    "kernel": "k",
    "file": "k.py",
    "line": 7,
    "column": 9,
    "reason": "each access reads one element: neighbouring elements are not known to be neighbours in memory"
  }
]
)");
}

TEST_F(Remarks, CostNothingWithoutAListener) {
  EXPECT_FALSE(wantsRemarks(&context));
  {
    RemarkCollector collector(&context);
    EXPECT_TRUE(wantsRemarks(&context));
  }
  EXPECT_FALSE(wantsRemarks(&context));
}

TEST(RemarkPage, HasASectionForEach) {
  auto page = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/docs/remarks.md");
  ASSERT_TRUE(bool(page));
  std::set<std::string> sections, names;
  llvm::SmallVector<llvm::StringRef> lines;
  (*page)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.consume_front("## "))
      sections.insert(line.str());
  for (RemarkName name : allRemarks())
    names.insert(toString(name).str());
  EXPECT_EQ(sections, names);
}

} // namespace
