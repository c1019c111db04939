// tile-set-target: the target and the program's settings as attributes of the module.
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/Passes.h"
#include "ir/target/GenericTarget.h"

namespace tilerun {
#define GEN_PASS_DEF_TILESETTARGET
#include "ir/distribute/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;

namespace {
struct SetTargetPass : public tilerun::impl::TileSetTargetBase<SetTargetPass> {
  using TileSetTargetBase::TileSetTargetBase;

  void runOnOperation() final {
    llvm::Expected<target::TargetInfo> parsed = target::parseTarget(target);
    if (!parsed) {
      getOperation().emitError(llvm::toString(parsed.takeError()));
      return signalPassFailure();
    }
    if (!llvm::isPowerOf2_32(numWarps)) {
      getOperation().emitError("num-warps=") << unsigned(numWarps) << " is not a power of two";
      return signalPassFailure();
    }
    distribute::setProgram(getOperation(), {&*parsed, numWarps, numStages, warpUnit});
  }
};
} // namespace
