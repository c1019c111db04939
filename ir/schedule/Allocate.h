// How many slots each pipelined loop has, and how much shared memory conversions between layouts
// may take beside them: arithmetic on the target's MemoryBudget and on what a kernel's ops need
// (SharedDemand.h), before anything is lowered.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

/// Whether the kernel's loops have the slots that fit; then it has `sched.conversions`.
inline bool isAllocated(mlir::func::FuncOp kernel) {
  return kernel->hasAttr(SchedDialect::kConversions);
}

/// Slots and the room for conversions depend on all loops: where one gets another schedule, the
/// kernel is not allocated any more.
void dropAllocation(mlir::func::FuncOp kernel);

/// Cuts the slots that loops ask for to those that fit, outer loops first, and takes the schedule
/// of a loop away where none do; remarks say why. One that was written by hand is followed, or an
/// error at its place in the text. One that may not fit all the same gets advice (FewerWarps.h). A
/// kernel that is allocated stays as it is. Precondition: stages and roles are attributes of its
/// loops.
mlir::LogicalResult allocateSlots(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

/// The bytes of shared memory that an allocated kernel, not expanded yet, takes at most where
/// conversions between layouts are in their smallest pieces. If a target has as many, the kernel
/// fits when it is lowered.
int64_t getDemand(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
