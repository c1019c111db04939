// Which loops' tiles are copied by warps of their own. Only a schedule by hand says so today: its
// `roles=` become attributes, if the loop can be split (RoleRules.h).
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/HandSchedule.h"

namespace tilerun::schedule {

/// Gives the loops of `kernel` for which `byHand` wants roles `sched.role`. What cannot be split is
/// an error at its place in the text. Precondition: the loops have their stages.
mlir::LogicalResult assignRoles(mlir::func::FuncOp kernel,
                                const distribute::LayoutAssignment &layouts,
                                const HandSchedule &byHand);

} // namespace tilerun::schedule
