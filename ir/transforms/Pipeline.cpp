// The order of the optimizer's passes, and their registration for command lines.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tilerun::buildOptimizePipeline(OpPassManager &manager, unsigned parts) {
  // First, so that every later pass sees what is known of addresses and masks.
  manager.addPass(createTileExpandDescriptors());
  // Helpers that were kept as functions end up in their callers: every backend sees kernels only.
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  if (parts > 1)
    manager.addPass(createTileOrderPrograms({parts}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Constants decide branches and loops before anything is moved.
  manager.addPass(createTilePropagateConstants());
  manager.addPass(createTileLoopSimplify());
  manager.addPass(createTileReorderBroadcast());
  manager.addPass(createCSEPass());
  manager.addPass(createTileCombine());
  manager.addPass(createTileDeadLoads());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createCSEPass());
  manager.addPass(createSymbolDCEPass());
}

namespace {
struct OptimizeOptions : PassPipelineOptions<OptimizeOptions> {
  Option<unsigned> parts{*this, "parts",
                         llvm::cl::desc("parts of the device that get programs in turn, so that "
                                        "each gets neighbours; 0: programs keep their order"),
                         llvm::cl::init(0)};
};
} // namespace

void tilerun::registerOptimizer() {
  registerTilePasses();
  PassPipelineRegistration<OptimizeOptions>(
      "tile-optimize", "the whole target-independent optimizer",
      [](OpPassManager &manager, const OptimizeOptions &options) {
        buildOptimizePipeline(manager, options.parts);
      });
}
