// Advice for a kernel that may need more shared memory than its target has: the number of warps
// with which it would need less. The error itself comes after lowering, when the kernel's loops are
// expanded and layouts for other numbers of warps cannot be tried any more.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::schedule {

/// Sets `sched.fewer_warps` on an allocated kernel, not expanded yet, whose demand (getDemand of
/// Allocate.h) is more than the target has: by halving those of `layouts`, the first number of
/// warps with which the buffers of its ops fit for certain. The demand is an upper bound, so that
/// the kernel may fit with more. Conversions between layouts are not counted, because they are
/// split. Schedules written by hand must hold with so few warps, too; rings that the compiler chose
/// do not count, because it would choose again. Without such a number there is no attribute.
/// Nothing is lowered: layouts are assigned to a copy of the kernel.
void noteFewerWarps(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
