// Which parameters of a kernel it may write through. Host code asks, to know which tensors of a
// launch hold other values afterwards (PyTorch's compiler copies the others no more than it must).
#pragma once

#include "llvm/ADT/SmallBitVector.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tilerun {

/// One bit for each parameter of a kernel in tile IR: whether a store, an atomic operation, a
/// descriptor or assembly with effects may write to memory at an address that is computed from it.
/// Addresses that are loaded from memory belong to no parameter. Never misses one otherwise; loops
/// and branches are followed by the value, not by the condition.
llvm::SmallBitVector findWrittenParameters(mlir::func::FuncOp kernel);

} // namespace tilerun
