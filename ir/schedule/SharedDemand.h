// The shared memory that a kernel's ops need beside the rings of its loops: bounds that follow from
// types, layouts and plans, before anything is lowered.
//
// Two kinds of buffers are told apart. Those whose size is fixed are counted here: operands that a
// product stores, from where they are stored to their last product; what a gather, a histogram, an
// atomic or an exchange needs while it runs. Conversions between layouts are elastic: they are
// split into as many pieces as it takes, so that only their least size counts.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/target/MemoryBudget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilerun::schedule {

using LoopSet = llvm::DenseSet<mlir::Operation *>;

class SharedDemand {
public:
  /// For the rings that the kernel's loads have when this is made. Loops of `waiting` may lose
  /// theirs: operands that their loads bring count as stored by products.
  SharedDemand(mlir::func::FuncOp kernel, const distribute::LayoutAssignment &layouts,
               const LoopSet *waiting = nullptr);

  /// The most that ops in `op`'s regions need at one time, with what lives through `op` and, in a
  /// kernel with roles, what its producer needs beside them.
  int64_t within(mlir::Operation *op) const;
  /// The same without what conversions may take, which there may be none of.
  int64_t fixedWithin(mlir::Operation *op) const;
  /// How much of `room` bytes one conversion in `op`'s regions may take, without those of loops in
  /// there: all of it but what a producer needs, unless an op has conversions that do not fit
  /// beside its own buffers and those that live through it.
  int64_t roomForConversions(mlir::Operation *op, int64_t room) const;
  /// Bytes of operands that products of the loop's body store because they are in no ring. Operands
  /// of two products count twice.
  int64_t storedBy(mlir::scf::ForOp loop) const;

private:
  /// An operand in shared memory, while `block` goes from its op `first` to its op `last`.
  struct Stored {
    mlir::Operation *first, *last;
    int64_t bytes;
  };
  /// By value, and by the form that its products read it in: one value may be stored in two.
  using StoredOperands = llvm::MapVector<std::pair<mlir::Value, unsigned>, Stored>;
  /// Live ranges of a block that overlap become nested, as the arena places them
  /// (ir/simt/sync/Arena.h): the one that begins first ends last.
  static void extendLives(StoredOperands &operands);
  /// The most that the producer of a loop with roles needs at one time; its conversions are in
  /// their smallest pieces (RoleExpander.h).
  int64_t ofProducer(mlir::scf::ForOp loop) const;
  bool isInRing(mlir::Value operand) const; ///< Whether the operand is read from a ring.
  void addStored(tile::DotOp dot, unsigned number);
  int64_t operandBytes(tile::DotOp dot, unsigned operand) const;
  /// While `op` itself runs: what is fixed, and the least that conversions take.
  int64_t ofOp(mlir::Operation *op) const;
  int64_t leastConversion(mlir::Operation *op) const;
  /// The least of conversions that run while `op`'s own buffers are alive.
  int64_t conversionBeside(mlir::Operation *op) const;
  /// The most of an op without blocks of its own.
  int64_t need(mlir::Operation *op, bool withConversions) const;
  /// The largest conversion while `op` runs.
  int64_t largestConversion(mlir::Operation *op) const;
  int64_t ofDot(tile::DotOp dot) const;
  /// Whether a product by multiply-adds or by instructions of a warp stores its operand.
  bool isStoredByWarps(tile::DotOp dot, unsigned operand) const;
  int64_t liveAt(mlir::Operation *op) const; ///< Of operands that are stored in its block.
  int64_t liveThrough(mlir::Operation *op) const;
  int64_t peak(mlir::Operation *op, bool withConversions) const;
  int64_t roomIn(mlir::Operation *op, int64_t room) const;

  const distribute::LayoutAssignment &layouts;
  target::MemoryBudget budget;
  const LoopSet *waiting; ///< Null: none.
  int64_t producer = 0;   ///< What it needs, all the time; 0 without roles.
  /// Tiles that stay from one loop to the next, and those of stores, count all the time.
  int64_t retained = 0;
  llvm::DenseMap<mlir::Block *, StoredOperands> stored;
};

} // namespace tilerun::schedule
