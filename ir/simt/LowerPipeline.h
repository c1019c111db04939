// Loops whose loads run some iterations ahead of the products that they feed.
#pragma once

#include "ir/simt/LowerContext.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::simt {

/// Expands a loop that has `sched.pipeline`.
llvm::LogicalResult lowerPipelined(LowerContext &c, mlir::scf::ForOp loop);

} // namespace tilerun::simt
