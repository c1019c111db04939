// Offsets in shared memory as sums with constants, which are a part of the instructions.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

/// An offset of a thread, XOR a constant, becomes a XOR of the bits that the offset may have, and
/// the sum with the others: accesses whose constants differ in those alone share one register. For
/// kernels in per-thread form.
void addConstantOffsets(mlir::func::FuncOp kernel);

} // namespace tilerun::amdgpu
