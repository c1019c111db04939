// Operands that all blocks of a program load alike, copied once for all of them.
#pragma once

#include "ir/schedule/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::schedule {

/// In an expanded kernel whose programs run on several blocks, marks the copies of boxes that begin
/// at the same place in all blocks: each copies a part of the lines to every block. They must be
/// whole groups of eight, as swizzled lines are. Loops run as often in all blocks (Blocks.h), so
/// each block waits for the same copies. With Choice::Auto only
/// in persistent kernels.
void chooseMulticast(mlir::func::FuncOp kernel, Choice choice);

} // namespace tilerun::schedule
