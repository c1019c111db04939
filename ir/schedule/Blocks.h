// Dividing a program between blocks (num_ctas): each computes its slice of what the program stores.
#pragma once

#include "ir/distribute/DistributeDialect.h"
#include "ir/schedule/BlockParts.h"

namespace tilerun::schedule {

/// An op with an effect that every program has once, and the part of it that each block does. Where
/// that is all of it, the first block does it alone.
struct BlockEffect {
  mlir::Operation *op;
  BlockPart part;
};

/// How a program is divided.
struct BlockPlan {
  BlockParts parts;
  llvm::SmallVector<BlockEffect> effects;
};

/// A way to divide the programs of `kernel` between `blocks` of them, or why there is none. Of the
/// largest tensor that the kernel writes, the first dimension is taken along which each block can
/// compute its slice (BlockParts.h) so that
///
/// - every product is divided, and its part is not too small for the target's instructions;
/// - each thread of a block has an element of that tensor;
/// - no block reads or writes what another one may write: an argument that is written is not read,
///   and is stored to by one op outside of loops, or updated by one atomic. Different pointer
///   arguments are taken not to overlap, as everywhere.
///
/// Other effects are divided along the first dimension that agrees with that, or left to the first
/// block. Atomics with an order, barriers, volatile loads and assembly with effects need one
/// block, and so do atomics whose results are used, unless they are divided.
mlir::FailureOr<BlockPlan> planBlocks(mlir::func::FuncOp kernel, const CheapValues &cheap,
                                      const distribute::Program &program, unsigned blocks,
                                      Refusal &refusal);

/// Makes every op compute the part that the plan gives it. Ops that nothing uses must be gone.
void divideKernel(mlir::func::FuncOp kernel, const BlockPlan &plan);

/// Divides each kernel that can be for the number of blocks that the program asks for, and marks it
/// with `tile.blocks`; a remark says why one is not. Before layouts are chosen.
void chooseBlocks(mlir::func::FuncOp kernel, const distribute::Program &program);

} // namespace tilerun::schedule
