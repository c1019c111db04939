// schedule-blocks as a pass: chooseBlocks() for each kernel.
#include "ir/schedule/Blocks.h"
#include "ir/schedule/Passes.h"
#include "ir/tile/TileUtils.h"

namespace tilerun::schedule {
#define GEN_PASS_DEF_SCHEDULEBLOCKS
#include "ir/schedule/Passes.h.inc"
} // namespace tilerun::schedule

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
struct ScheduleBlocksPass : public schedule::impl::ScheduleBlocksBase<ScheduleBlocksPass> {
  using ScheduleBlocksBase::ScheduleBlocksBase;

  LogicalResult check(func::FuncOp kernel, const distribute::Program &program) {
    const unsigned blocks = tile::getBlocks(kernel);
    if (blocks <= program.target->maxBlocks)
      return success();
    return kernel.emitError("kernel '")
           << kernel.getName() << "' runs each program on " << blocks << " blocks, but "
           << program.target->name << " takes " << program.target->maxBlocks << " at most";
  }
  void runOnOperation() override {
    FailureOr<distribute::Program> program = distribute::getProgram(getOperation());
    if (failed(program))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(tile::TileDialect::kKernelAttr))
        continue;
      if (failed(check(kernel, *program)))
        return signalPassFailure();
      chooseBlocks(kernel, *program);
    }
  }
};
} // namespace
