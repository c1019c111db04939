// From an elementwise IR operation to the kernel that computes it.
#pragma once

#include "backends/interpreter/ElementFn.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir {
class Operation;
}

namespace tilerun::interp {

/// The kernel for an elementwise operation on these storage types; false where there is none.
Kernel buildKernel(mlir::Operation &op, llvm::ArrayRef<Dtype> operands,
                   llvm::ArrayRef<Dtype> results);

} // namespace tilerun::interp
