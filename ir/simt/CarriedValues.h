// Removal of loop-carried values that nothing uses: addresses of a pipelined loop's own iteration,
// or registers of a tensor of addresses of which an access needs one in eight.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// Removes carried values of scf.for that only lead to themselves, and the computations that only
/// serve them.
void dropUnusedCarried(mlir::func::FuncOp kernel);

} // namespace tilerun::simt
