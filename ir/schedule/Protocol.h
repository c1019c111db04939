// Whether the ops of a kernel's channels keep the order that slots need.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleOps.h"

namespace tilerun::schedule {

/// Simulates the channels between roles of an expanded kernel for several trip counts of its loops.
/// Fails with a diagnostic where a slot is filled, read, published or released when it must not be,
/// where roles wait for each other forever, or where their rings do not fit shared memory.
mlir::LogicalResult checkProtocol(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
