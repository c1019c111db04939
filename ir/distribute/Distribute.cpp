// tile-distribute: layouts for every kernel of a module, from the axis analysis and the target on
// the module.
#include "ir/distribute/Facts.h"
#include "ir/distribute/LayoutAssignment.h"
#include "ir/distribute/Passes.h"
#include "ir/distribute/ProgramOptions.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEDISTRIBUTE
#include "ir/distribute/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;

LogicalResult distribute::checkThreads(func::FuncOp kernel, const Program &program) {
  const target::TargetInfo &target = *program.target;
  uint64_t threads = uint64_t(program.numWarps) * target.warpSize;
  if (threads <= target.maxThreads)
    return success();
  auto error = kernel.emitError("kernel '")
               << kernel.getName() << "' would run in " << threads << " threads with num_warps="
               << std::max<uint64_t>(numWarpsOption(program, threads), 1) << ", but " << target.name
               << " allows " << target.maxThreads << " in a program, which is "
               << threads - target.maxThreads << " fewer; ";
  if (uint64_t most = llvm::bit_floor(numWarpsOption(program, target.maxThreads)))
    return error << "use num_warps=" << most << (most > 1 ? " or less" : "");
  return error << "one warp alone is too large";
}

namespace {
struct DistributePass : public tilerun::impl::TileDistributeBase<DistributePass> {
  void runOnOperation() final {
    FailureOr<Program> program = getProgram(getOperation());
    if (failed(program) || failed(checkExpanded(getOperation(), "tile-distribute")))
      return signalPassFailure();
    AccessAnalysis analysis(getOperation(), program->fewPrograms);
    Options options{program->numWarps, program->target, analysis.getRuns(), program->acrossK};
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr))
        continue;
      if (failed(checkThreads(kernel, *program)))
        return signalPassFailure();
      if (keepsLayouts(kernel))
        continue;
      if (failed(assignLayouts(kernel, options, analysis.getFacts())))
        return signalPassFailure();
      if (!analysis.getMostPrograms().empty())
        kernel->setAttr(tile::TileDialect::kMostProgramsAttr,
                        DenseI32ArrayAttr::get(&getContext(), analysis.getMostPrograms()));
    }
  }
};
} // namespace
