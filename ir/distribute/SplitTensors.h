// Tensors with more elements than a program's registers hold: they are computed part by part, in
// loops, instead of being spilled.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilerun {

/// Splits tensors of more than `most` elements into parts of `part`, both powers of two, in every
/// kernel of `module` that only loads, computes element by element, reduces and stores them. Others
/// stay as they are. All sizes must be powers of two.
void splitTensors(mlir::ModuleOp module, int64_t most, int64_t part);

} // namespace tilerun
