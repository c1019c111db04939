// From tiles to threads: rewrites a kernel in tile IR to one in per-thread IR, by the layouts that
// distribution assigned.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/simt/SimtOps.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::simt {

using target::ExchangeCosts;
using target::MatrixElement;
using target::MatrixInstruction;
using target::TargetInfo;
using target::WarpGroupInstruction;

struct LowerOptions {
  unsigned numWarps = 4;  ///< Of the target's size.
  unsigned numStages = 1; ///< Buffers of pipelined loops; 1: none.
  const TargetInfo *target = nullptr;
  unsigned unit = 0;      ///< Threads that the option num_warps counts in; 0: a warp of the target.
  bool isChecked = false; ///< schedule::checkExpanded holds for the kernels that are expanded.
};

/// Replaces every kernel of `module` (functions with `tile.kernel`) by its per-thread form, places
/// shared memory and inserts barriers. Errors are diagnostics that name the op, its place in the
/// source and the target. The kernels must have layouts (tile-distribute).
mlir::LogicalResult lowerTileToSimt(mlir::ModuleOp module, const LowerOptions &options);

} // namespace tilerun::simt
