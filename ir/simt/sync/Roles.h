// Roles of a program as control flow that every target has.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// Rewrites each `simt.role` of a kernel to a branch on the thread's number, and gives the barriers
/// of each role a number from 1 and their count of threads. Fails with a diagnostic if there are
/// more roles with barriers than `namedBarriers`.
mlir::LogicalResult expandRoles(mlir::func::FuncOp kernel, unsigned warpSize,
                                unsigned namedBarriers);

} // namespace tilerun::simt
