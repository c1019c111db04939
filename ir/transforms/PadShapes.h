// Shapes that are not powers of two: tensors of them become tensors of the next powers of two,
// whose surplus elements touch nothing and reach no result.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilerun {

/// Pads every tensor of `module` to powers of two, and cleans up behind itself. What distributes
/// tensors over threads needs it; it changes nothing where all sizes are powers of two.
mlir::LogicalResult padShapes(mlir::ModuleOp module);

} // namespace tilerun
