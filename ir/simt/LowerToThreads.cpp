// lower-to-threads: the pass around the lowering; it reads the program's settings from the module.
#include "ir/schedule/Check.h"
#include "ir/simt/LowerTile.h"
#include "ir/simt/Passes.h"

namespace tilerun {
#define GEN_PASS_DEF_LOWERTOTHREADS
#include "ir/simt/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;

namespace {
struct LowerToThreadsPass : public tilerun::impl::LowerToThreadsBase<LowerToThreadsPass> {
  void runOnOperation() final {
    FailureOr<distribute::Program> program = distribute::getProgram(getOperation());
    if (failed(program))
      return signalPassFailure();
    simt::LowerOptions options;
    options.numWarps = program->numWarps;
    options.numStages = program->numStages;
    options.target = program->target;
    options.unit = program->warpUnit;
    // Made by the pass before, if that was schedule-expand.
    options.isChecked = getAnalysis<schedule::ExpandedCheck>().isValid();
    if (!options.isChecked || failed(simt::lowerTileToSimt(getOperation(), options)))
      return signalPassFailure();
    distribute::dropAttributes(getOperation());
  }
};
} // namespace
