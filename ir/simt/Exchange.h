// Registers that lanes of a warp give each other: by shuffles, or through shared memory on targets
// that have none.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// Registers of another lane, as simt.shuffle names it, by any means that the target has.
Values exchange(LowerContext &c, llvm::ArrayRef<mlir::Value> vectors, ShuffleMode mode,
                mlir::Value lane);

} // namespace tilerun::simt
