// tile-strip-hints: drops hints and assumptions. For what comes after every analysis that reads
// them.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

namespace tilerun {
#define GEN_PASS_DEF_TILESTRIPHINTS
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {
struct StripHintsPass : public tilerun::impl::TileStripHintsBase<StripHintsPass> {
  void runOnOperation() final {
    getOperation()->walk([](Operation *op) {
      if (auto hint = dyn_cast<HintOp>(op)) {
        hint.getResult().replaceAllUsesWith(hint.getSource());
        hint.erase();
      } else if (auto assume = dyn_cast<AssumeOp>(op)) {
        assume.erase();
      }
    });
  }
};
} // namespace
