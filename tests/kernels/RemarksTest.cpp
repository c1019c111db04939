// Every loop that is not pipelined, every load that reads one element at a time and every product
// without a matrix instruction has a remark in its line, for all kernels of the table.
#include "tests/kernels/KernelCase.h"

#include "backends/amdgpu/Target.h"
#include "backends/common/Stages.h"
#include "backends/nvptx/Target.h"
#include "ir/distribute/AccessGroups.h"
#include "ir/schedule/ScheduleDialect.h"
#include "ir/tile/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace tilerun;
using namespace tilerun::test;

namespace {

/// The name of the remark that an op with its decisions must have; empty if it needs none.
llvm::StringRef findRemark(mlir::Operation *op, const distribute::LayoutAssignment &layouts) {
  if (llvm::isa<mlir::scf::WhileOp>(op))
    return "loop-not-pipelined";
  if (llvm::isa<mlir::scf::ForOp>(op))
    return op->hasAttr(schedule::SchedDialect::kPipeline) ? "loop-pipelined" : "loop-not-pipelined";
  if (auto dot = llvm::dyn_cast<tile::DotOp>(op)) {
    const distribute::DotPlan &plan = layouts.getDot(dot);
    return plan.instruction || plan.warpGroup ? "" : "no-matrix-instruction";
  }
  auto load = llvm::dyn_cast<tile::LoadOp>(op);
  if (!load || !llvm::isa<mlir::RankedTensorType>(load.getType()) ||
      load->hasAttr(schedule::SchedDialect::kBox))
    return "";
  const unsigned bytes = tile::getElementBytes(mlir::getElementTypeOrSelf(load.getType())),
                 most = layouts.target().maxVectorBytes;
  const bool isSingle =
      distribute::groupRegisters(layouts.getAccess(load), bytes, most).front().size() == 1;
  return bytes < most && isSingle ? "load-not-vectorized" : "";
}

class Explained : public testing::TestWithParam<const char *> {
protected:
  static llvm::Expected<target::TargetInfo> getTarget(llvm::StringRef name) {
    if (name.starts_with("gfx")) {
      auto amd = amdgpu::getArchitecture(name);
      return amd ? llvm::Expected<target::TargetInfo>(amd->info) : amd.takeError();
    }
    auto nvidia = nvptx::getArchitecture(name);
    return nvidia ? llvm::Expected<target::TargetInfo>(nvidia->info) : nvidia.takeError();
  }
};

TEST_P(Explained, AllThatIsMissed) {
  auto target = getTarget(GetParam());
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  std::map<std::string, unsigned> seen;
  for (const KernelCase &testCase : loadKernelCases()) {
    SCOPED_TRACE(testCase.line());
    llvm::Expected<PreparedCase> prepared = prepare(testCase);
    ASSERT_TRUE(bool(prepared)) << llvm::toString(prepared.takeError());
    const unsigned warps = std::min(testCase.numWarps, target->maxThreads / target->warpSize);
    RemarkCollector collector(prepared->context.get());
    ASSERT_TRUE(mlir::succeeded(backend::lowerToThreads(*prepared->kernel.module,
                                                        {&*target, warps, testCase.numStages},
                                                        backend::ThreadStage::Schedule)));
    std::set<std::pair<std::string, unsigned>> remarks;
    for (const CollectedRemark &remark : collector.get())
      remarks.insert({remark.name, remark.line});
    llvm::Expected<mlir::func::FuncOp> kernel = backend::findKernel(*prepared->kernel.module);
    ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
    const distribute::LayoutAssignment layouts(*kernel, *target, warps);
    kernel->walk([&](mlir::Operation *op) {
      const std::string name = findRemark(op, layouts).str();
      if (name.empty())
        return;
      ++seen[name];
      EXPECT_TRUE(remarks.contains({name, findLine(op->getLoc())}))
          << op->getName().getStringRef().str() << " in line " << findLine(op->getLoc())
          << " lacks the remark '" << name << "'";
    });
  }
  for (const char *name : {"loop-pipelined", "loop-not-pipelined", "load-not-vectorized"})
    EXPECT_GE(seen[name], 10u) << name;
  // gfx942 has an instruction for every type of the table's products.
  EXPECT_EQ(seen["no-matrix-instruction"] >= 10, target->name != "hip:gfx942");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Explained, testing::Values("sm_80", "sm_90a", "gfx942"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
