// Remarks about what layouts could not give: accesses of one element, products without a matrix
// instruction.
#pragma once

#include "ir/distribute/LayoutAssignment.h"

namespace tilerun::schedule {

/// Emits them for all ops of `kernel`, but for loads with `sched.box`. Does nothing without a
/// listener.
void explainLayouts(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts);

} // namespace tilerun::schedule
