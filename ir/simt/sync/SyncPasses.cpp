// simt-place-shared and simt-insert-barriers: the passes around Arena.h and Barriers.h, on kernels
// that are per-thread IR.
#include "ir/distribute/DistributeDialect.h"
#include "ir/simt/Passes.h"
#include "ir/simt/sync/Arena.h"
#include "ir/simt/sync/Barriers.h"

namespace tilerun {
#define GEN_PASS_DEF_SIMTPLACESHARED
#define GEN_PASS_DEF_SIMTINSERTBARRIERS
#include "ir/simt/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// Calls `work` with each kernel, its threads and the module's target.
static LogicalResult
forEachKernel(ModuleOp module,
              llvm::function_ref<LogicalResult(func::FuncOp, int64_t, const TargetInfo &)> work) {
  FailureOr<distribute::Program> program = distribute::getProgram(module);
  if (failed(program))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>())
    if (auto threads = kernel->getAttrOfType<IntegerAttr>(SimtDialect::kThreadsAttr))
      if (failed(work(kernel, threads.getInt(), *program->target)))
        return failure();
  return success();
}

namespace {
struct PlaceSharedPass : public tilerun::impl::SimtPlaceSharedBase<PlaceSharedPass> {
  void runOnOperation() final {
    auto work = [](func::FuncOp kernel, int64_t, const TargetInfo &target) {
      return placeShared(kernel, target);
    };
    if (failed(forEachKernel(getOperation(), work)))
      signalPassFailure();
  }
};

struct InsertBarriersPass : public tilerun::impl::SimtInsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() final {
    auto work = [](func::FuncOp kernel, int64_t threads, const TargetInfo &target) {
      return insertBarriers(kernel, scopeOf(threads, target));
    };
    if (failed(forEachKernel(getOperation(), work)))
      signalPassFailure();
  }
};
} // namespace
