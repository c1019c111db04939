// Dependences of a loop's loads inside of it, and their users: whether an address can be computed
// for a later iteration, and what has to be computed for that.
#pragma once

#include "ir/schedule/ScheduleDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {

/// The ops in a loop on which addresses and masks of its loads depend.
struct LoopSlice {
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> carried; ///< Numbers of loop-carried values.

  /// Adds what address and mask of `load` depend on. Null if all of that is cheap arithmetic, else
  /// an op that is not; then the slice is as it was. With `takesLoads` it may also be loads of
  /// numbers that nothing in the loop writes, such as a block's place in a table: whoever makes
  /// them for another iteration masks them where it does not exist.
  mlir::Operation *add(mlir::scf::ForOp loop, tile::LoadOp load, bool takesLoads = false);
  /// In program order.
  llvm::SmallVector<mlir::Operation *> inOrder() const;
};

/// A use that keeps `value` from being read from a slot: by another op than a product in `body`, at
/// most transpositions away. Null if there is none.
mlir::OpOperand *findOtherUse(mlir::Value value, mlir::Block *body);

/// The load behind transpositions, or null.
tile::LoadOp loadOf(mlir::Value operand);

/// The products of which `value` is an operand (not the sum to which they add), itself or behind
/// transpositions. One that reads it twice is there twice.
llvm::SmallVector<tile::DotOp> findReaders(mlir::Value value);

/// Whether the product that reads `operand`, at most transpositions away from its tile, is the only
/// one that reads that tile, and reads it once: then it may change it.
bool isOnlyReader(mlir::Value operand);

/// Numbers of loop-carried values that nothing needs but the address and mask of the loads that run
/// ahead, and themselves.
llvm::SmallDenseSet<unsigned> findCarriedForLoads(mlir::scf::ForOp loop);

/// The number of the loop-carried value to which the product adds; nullopt if it adds to none.
std::optional<unsigned> carriedIndex(tile::DotOp dot, mlir::scf::ForOp loop);

} // namespace tilerun::schedule
