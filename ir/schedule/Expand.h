// Loops with a schedule, rewritten: from attributes that say which loads run ahead, and by whom
// they are made, to what comes before the loop, the loop, and what comes after, in ops of
// ScheduleOps.td.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

/// Expands every loop of `kernel` that has `sched.pipeline`. Fails with a diagnostic where the
/// kernel has such loops and their slots are not allocated. Precondition: checkSchedule holds, and
/// the kernel is not expanded yet.
mlir::LogicalResult expandSchedule(mlir::func::FuncOp kernel,
                                   const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
