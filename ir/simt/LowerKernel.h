// One kernel from tiles to threads.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The lowered kernel, before the one that it is made from. Fails with a diagnostic, and leaves
/// nothing behind then.
mlir::FailureOr<mlir::func::FuncOp> lowerKernel(mlir::func::FuncOp kernel,
                                                const LayoutAssignment &layouts,
                                                const LowerOptions &options,
                                                const LowerLimits &limits);

} // namespace tilerun::simt
