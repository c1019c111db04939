// schedule-expand as a pass: layouts of the module around expandSchedule.
#include "ir/schedule/Expand.h"
#include "ir/schedule/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEEXPAND
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleExpandPass : public schedule::impl::ScheduleExpandBase<ScheduleExpandPass> {
  LogicalResult run() {
    ModuleOp module = getOperation();
    FailureOr<distribute::Program> program = distribute::getProgram(module);
    if (failed(program))
      return failure();
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(tile::TileDialect::kKernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      if (failed(distribute::checkAssignment(kernel)))
        return failure();
      distribute::LayoutAssignment layouts(kernel, *program->target, program->numWarps);
      if (failed(expandSchedule(kernel, layouts)))
        return failure();
    }
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
