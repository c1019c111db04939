// Arithmetic that LLVM does not round once, written as operations that do.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

// Both run after functions are expanded, so that nothing in them is contracted.

/// fma of bfloat16, which LLVM rounds to float32 first. Those with the flag `contract` stay.
mlir::LogicalResult roundNarrowOnce(mlir::func::FuncOp kernel);

/// Divisions of float64 without `afn`, as LLVM carries them out, become correctly rounded ones.
void correctQuotients(mlir::func::FuncOp kernel);

} // namespace tilerun::amdgpu
