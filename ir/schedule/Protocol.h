// Whether the ops of a kernel's channels keep the order that slots need.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/ScheduleOps.h"

namespace tilerun::schedule {

/// What a check has cost.
struct ProtocolCost {
  int64_t traced = 0;    ///< Ops that were interpreted.
  int64_t simulated = 0; ///< Steps of channels, rings and products.
};

/// Simulates the channels of an expanded kernel for several trip counts of its loops. Fails with a
/// diagnostic where a slot is filled, read, published or released when it must not be, where roles
/// wait for each other forever, or where the target cannot have them. Costs are added to `cost`,
/// which may be null: they grow with the sum of the loops' trip counts, also of loops in loops.
mlir::LogicalResult checkProtocol(mlir::func::FuncOp kernel,
                                  const distribute::LayoutAssignment &layouts,
                                  ProtocolCost *cost = nullptr);

} // namespace tilerun::schedule
