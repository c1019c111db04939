// Which loops' tiles are copied by warps of their own: those for which a schedule by hand has
// `roles=`, and those whose loads are boxes, if the loop can be split (RoleRules.h).
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/HandSchedule.h"

namespace tilerun::schedule {

/// Gives the loops of `kernel` for which `byHand` (null: nobody) wants roles, and those with boxes,
/// `sched.role`. A loop that cannot be split is an error at its place in the text, or at the loop.
/// Precondition: the loops have their stages.
mlir::LogicalResult assignRoles(mlir::func::FuncOp kernel,
                                const distribute::LayoutAssignment &layouts,
                                const HandSchedule *byHand);

} // namespace tilerun::schedule
