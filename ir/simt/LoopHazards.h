// What in a loop stands in the way of loads that are made some iterations early.
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::simt {

class LoopHazards {
public:
  explicit LoopHazards(mlir::scf::ForOp loop);

  /// Whether `load` gives the same an iteration or more earlier, as far as the loop goes. Different
  /// pointer arguments of a kernel are taken not to overlap where one of them is written.
  bool allowAhead(tile::LoadOp load) const;

private:
  void addWrite(mlir::Value pointers);
  void addOrder(tile::MemSemantic semantic);

  bool isOrdered = false;    ///< Something in the loop must come before later loads.
  bool writesAnyhow = false; ///< To places that are not known.
  llvm::SmallPtrSet<mlir::Value, 4> written; ///< The kernel's arguments.
};

} // namespace tilerun::simt
