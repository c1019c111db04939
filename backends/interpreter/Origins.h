// Where addresses come from: the pointer parameters that a pointer in tile IR is derived from.
#pragma once

#include "backends/interpreter/Program.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/DenseMap.h"

namespace tilerun::interp {

/// Follows pointers through arithmetic, shapes, branches, loops and calls. An address that was made
/// of an integer, or read from memory, has an unknown origin.
class OriginFinder {
public:
  /// `calls`: those that lead to where the pointer is, outermost first.
  Origin find(mlir::Value pointer, mlir::func::FuncOp kernel,
              llvm::ArrayRef<mlir::func::CallOp> calls);

private:
  llvm::DenseMap<mlir::Value, Origin> known; ///< Of the kernel's own body.
};

} // namespace tilerun::interp
