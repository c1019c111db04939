// Operands of matrix products that consist of whole results of transposed reads.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

/// Joins the results of transposed reads of 16-bit elements to operands as integers of 64 bits. As
/// elements, LLVM 22 would put the words of some of them together again, with an instruction for
/// each that changes nothing. The kernel is in scalars.
void joinTransposedReads(mlir::func::FuncOp kernel);

} // namespace tilerun::amdgpu
