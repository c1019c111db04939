// The order of the optimizer's passes, and their registration for command lines.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tilerun::buildOptimizePipeline(OpPassManager &manager) {
  // First, so that every later pass sees what is known of addresses and masks.
  manager.addPass(createTileExpandDescriptors());
  // Helpers that were kept as functions end up in their callers: every backend sees kernels only.
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
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

void tilerun::registerOptimizer() {
  registerTilePasses();
  PassPipelineRegistration<>("tile-optimize", "the whole target-independent optimizer",
                             [](OpPassManager &manager) { buildOptimizePipeline(manager); });
}
