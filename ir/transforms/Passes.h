// The target-independent optimizer of tile IR.
//
// Rules of this folder: one pass, one file; a pass is a thin wrapper over functions that work on
// IR; a rewrite keeps source locations (fused where ops merge), never reorders floating-point
// additions, and never touches volatile loads; each pass has tests that it fires and that it does
// not.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilerun {

#define GEN_PASS_DECL
#include "ir/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ir/transforms/Passes.h.inc"

/// What `tile-expand-descriptors` does: afterwards no value of the module is a descriptor. For
/// readers of tile IR that run no passes. Fails, with a diagnostic, at an op that neither works on
/// descriptors nor carries them.
llvm::LogicalResult expandDescriptors(mlir::ModuleOp module);

/// Adds the whole optimizer (from descriptors to dead loads) to `manager`, which runs on a builtin
/// module. This is what `tile-optimize` runs in tile-opt. With `parts` above 1, programs are
/// reordered for a device of so many parts (`tile-order-programs`).
void buildOptimizePipeline(mlir::OpPassManager &manager, unsigned parts = 0);

/// Registers the passes above and the pipeline `tile-optimize` for command lines.
void registerOptimizer();

} // namespace tilerun
