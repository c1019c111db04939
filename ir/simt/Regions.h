// The regions of reductions, scans and maps: functions of single elements, on every register.
#pragma once

#include "ir/simt/LowerContext.h"

namespace tilerun::simt {

/// The region of `op` on every register of `vectors`, one for each of its arguments.
mlir::FailureOr<Values> applyRegion(LowerContext &c, mlir::Operation *op,
                                    llvm::ArrayRef<mlir::Value> vectors);
/// A combine region: accumulated and next values to new ones.
mlir::FailureOr<Values> combine(LowerContext &c, mlir::Operation *op,
                                llvm::ArrayRef<mlir::Value> left,
                                llvm::ArrayRef<mlir::Value> right);

} // namespace tilerun::simt
