// Which reads stay in the caches: rows that do not fit in a program's registers are read by one
// loop after another, and what the first one reads would be gone by then.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Where a loop reads what an earlier one beside it has read (the same addresses in the same
/// iterations, by AffineForms), the last such load gets the policy evict_first and those before it
/// get evict_last. What the loop with the last one stores goes first, too. Loads and stores with a
/// policy or a cache modifier are left as they are, and so are loads that run ahead.
///
/// With Choice::Auto only where the addresses depend on each program id that the kernel has, so
/// that what one program reads for the last time is hardly another one's next. A policy affects
/// only timing. Leaves kernels of targets without policies as they are.
void chooseEvictions(mlir::func::FuncOp kernel, const target::TargetInfo &target, Choice choice);

} // namespace tilerun::schedule
