// What the passes of this folder ask of a module and of their options.
#pragma once

#include "ir/distribute/DistributeDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::distribute {

/// Whether a program may have so many warps and slots. Fails with a diagnostic that names the
/// option.
mlir::LogicalResult checkOptions(mlir::ModuleOp module, unsigned numWarps, unsigned numStages);

/// Whether `pass` can take the module: it must have no descriptors.
mlir::LogicalResult checkExpanded(mlir::ModuleOp module, llvm::StringRef pass);

/// Whether the target has as many threads as the program wants.
mlir::LogicalResult checkThreads(mlir::func::FuncOp kernel, const Program &program);

} // namespace tilerun::distribute
