// Steps of derived parameters from what the schedule says about a kernel's arguments.
#pragma once

#include "backends/common/Parameter.h"
#include "ir/schedule/ScheduleDialect.h"

namespace tilerun::backend {

/// Pushes the number of `expr`: sums of products of constants and of symbols, which are the
/// kernel's arguments with these numbers.
void push(std::vector<DerivedParameter::Step> &steps, mlir::AffineExpr expr,
          llvm::ArrayRef<int32_t> arguments);

/// No words: launches with other arguments than `preferred` take other code where they can.
DerivedParameter getPreference(schedule::PrefersAttr preferred);

/// Likewise launches of more programs than `most` on an axis; 0: any number.
DerivedParameter getProgramLimits(llvm::ArrayRef<int32_t> most);

} // namespace tilerun::backend
