// Loops with a schedule, rewritten: from attributes that say which loads run ahead, and by whom
// they are made, to what comes before the loop, the loop, and what comes after, in ops of
// ScheduleOps.td.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

/// Expands every loop of `kernel` that has `sched.pipeline`, and checks the protocol of what it is
/// then (Protocol.h). A kernel that is expanded already is checked alone. Unless its schedule was
/// written by hand, the kernel as it would be with the least shared memory stays beside it, as the
/// function that `sched.fallback` names.
mlir::LogicalResult expandSchedule(mlir::func::FuncOp kernel,
                                   const distribute::LayoutAssignment &layouts);

/// The kernel with the least shared memory that expandSchedule left; null if there is none.
mlir::func::FuncOp getFallback(mlir::func::FuncOp kernel);

} // namespace tilerun::schedule
