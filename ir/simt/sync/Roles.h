// Roles of a program as control flow that every target has.
#pragma once

#include "ir/simt/SimtOps.h"

namespace tilerun::simt {

/// Rewrites each `simt.role` of a kernel to a branch on the thread's number, and gives the barriers
/// of each role a number from 1 and their count of threads. `ownRegisters`: of a lane, that all
/// warps begin with. Fails with a diagnostic if there are more roles with barriers than
/// `namedBarriers`.
mlir::LogicalResult expandRoles(mlir::func::FuncOp kernel, unsigned warpSize,
                                unsigned namedBarriers, unsigned ownRegisters);
/// Takes the turns of warp groups out of roles whose groups meet at barriers in them. Turns affect
/// only timing. To be called once all barriers are there.
void dropBlockedTurns(mlir::func::FuncOp kernel);
/// Whether a role's warps go on with other numbers of registers than they begin with.
bool setRegisters(mlir::func::FuncOp kernel);

} // namespace tilerun::simt
