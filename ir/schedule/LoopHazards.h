// Ops of a loop that keep its loads from being made some iterations early.
#pragma once

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {

/// Adds the kernel's arguments that `pointers` come from; false if there may be other places.
bool addRoots(mlir::Value pointers, llvm::SetVector<mlir::Value> &roots);

/// Why a load must stay where it is, and the op that is the reason.
struct LoopHazard {
  mlir::Operation *op;
  std::string why; ///< "the loop ..."
};

class LoopHazards {
public:
  explicit LoopHazards(mlir::scf::ForOp loop);

  /// What keeps `load` from giving the same an iteration or more earlier; nullopt if nothing in the
  /// loop does. Different pointer arguments of a kernel are taken not to overlap where one of them
  /// is written.
  std::optional<LoopHazard> find(tile::LoadOp load) const;

private:
  void addWrite(mlir::Operation *op, mlir::Value pointers);
  void addOrder(mlir::Operation *op, tile::MemSemantic semantic);

  mlir::Operation *order = nullptr;        ///< Must come before later loads; null: nothing must.
  mlir::Operation *writesAnyhow = nullptr; ///< Writes to places that are not known; or null.
  llvm::MapVector<mlir::Value, mlir::Operation *> written; ///< The kernel's arguments, and by whom.
};

} // namespace tilerun::schedule
