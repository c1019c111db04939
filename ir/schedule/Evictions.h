// Which reads stay in the caches: rows that do not fit in a program's registers are read by one
// loop after another, and what the first one reads would be gone by then.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

namespace tilerun::schedule {

/// Where a loop reads what an earlier one beside it has read (the same addresses in the same
/// iterations, by AffineForms), the last such load gets the policy evict_first and those before it
/// get evict_last. What the loop with the last one stores goes first, too, unless the kernel loads
/// from there. Loads and stores with a policy or a cache modifier are left as they are, and so are
/// loads that run ahead.
///
/// Not where a later load may read the same. With Choice::Auto only where the addresses depend on
/// each program id that the kernel has, by more than a quotient, and on each loop around these, so
/// that what is read for the last time here is hardly read again there. A policy affects only
/// timing. Leaves kernels of targets without policies as they are.
void chooseEvictions(mlir::func::FuncOp kernel, const target::TargetInfo &target, Choice choice);

} // namespace tilerun::schedule
