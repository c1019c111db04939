// The last iteration of pipelined loops, in which nothing runs ahead, behind the loop.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::amdgpu {

/// In a loop of matrix products whose loads run ahead to registers, all iterations but the last
/// load for the next one. That one moves behind the loop, so that the others need no test and no
/// branch: they are one block, in which LLVM can move loads between products. For kernels in
/// per-thread form.
void peelLastIterations(mlir::func::FuncOp kernel);

} // namespace tilerun::amdgpu
