// How registers move from one layout over threads to another on a given target. Separate from the
// lowering so that tools can show the same plan.
#pragma once

#include "ir/layout/Conversion.h"
#include "ir/target/TargetInfo.h"

namespace tilerun::target {

/// Instructions of a conversion, in the target's units (ExchangeCosts).
uint64_t conversionCost(const layout::ShufflePlan &plan, const TargetInfo &target);
/// A barrier, and the phases of one warp's stores and loads.
uint64_t conversionCost(const layout::SharedPlan &plan, const TargetInfo &target);

/// The plan of a conversion, as layout::planConversion makes it for the target's features: inside a
/// warp by shuffles or through shared memory, whichever costs less. Errors are those of
/// planConversion.
llvm::Expected<layout::ConversionPlan> chooseConversion(const TargetInfo &target,
                                                        const layout::LinearLayout &from,
                                                        const layout::LinearLayout &to,
                                                        unsigned elementBytes);

} // namespace tilerun::target
