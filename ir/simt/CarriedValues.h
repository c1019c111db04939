// What loops carry and nobody wants: addresses of a pipelined loop's own iteration, registers of a
// tensor of addresses of which an access needs one in eight.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// Removes carried values of scf.for that only lead to themselves, and what is computed for them.
void dropUnusedCarried(mlir::func::FuncOp kernel);

} // namespace tilerun::simt
