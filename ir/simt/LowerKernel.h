// One kernel from tiles to threads.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// Inserts the lowered kernel before the one that it is made from. Fails with a diagnostic, and
/// then leaves nothing behind. A conversion between layouts takes at most `conversionBytes` of
/// shared memory, in loops at most `sched.conversions`.
mlir::FailureOr<mlir::func::FuncOp> lowerKernel(mlir::func::FuncOp kernel,
                                                const LayoutAssignment &layouts,
                                                const LowerOptions &options,
                                                int64_t conversionBytes);

} // namespace tilerun::simt
