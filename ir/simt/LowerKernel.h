// One kernel from tiles to threads.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The lowered kernel, before the one that it is made from. Fails with a diagnostic, and leaves
/// nothing behind then. A conversion between layouts takes at most `conversionBytes` of shared
/// memory, in loops what `sched.conversions` says.
mlir::FailureOr<mlir::func::FuncOp> lowerKernel(mlir::func::FuncOp kernel,
                                                const LayoutAssignment &layouts,
                                                const LowerOptions &options,
                                                int64_t conversionBytes);

} // namespace tilerun::simt
