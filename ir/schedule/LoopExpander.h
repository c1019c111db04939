// What expansions of a loop have in common: its loads and their rings, the slice that their
// addresses depend on, and ops with layouts. Internal to this folder.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Boxes.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/ScheduleOps.h"

#include "mlir/IR/IRMapping.h"

namespace tilerun::schedule {

class LoopExpander {
protected:
  using Values = llvm::SmallVector<mlir::Value, 8>;

  LoopExpander(mlir::scf::ForOp op, const distribute::LayoutAssignment &layouts);

  /// Makes the channel, and a ring for each load.
  void createRings(unsigned producers, unsigned consumers);
  /// The copies of one iteration into `slot`, of the loads as `map` has their operands.
  void copyAll(mlir::IRMapping &map, mlir::Value when, mlir::Value slot);
  /// The slots that the body's products read, in place of its loads; of late products, or of the
  /// others.
  void readAll(mlir::Value slot, bool isLate = false);
  /// `value` in the layout that `like` has, from here on.
  mlir::Value keep(mlir::Value value, mlir::Value like);
  void setHomes(mlir::Operation *to, llvm::ArrayRef<mlir::Attribute> homes) const;
  /// A conversion between layouts in `to` may take as much as `conversions` says.
  void limitConversions(mlir::Operation *to) const;
  /// A loop in the place of this one, with `more` carried values behind its own; `moreHomes` are
  /// their layouts. Its body has no terminator yet.
  mlir::scf::ForOp createLoop(mlir::ValueRange inits, mlir::ValueRange more,
                              llvm::ArrayRef<mlir::Attribute> moreHomes);
  /// Moves the body of the loop, without its loads and its terminator, to the builder's place in
  /// `loop`.
  void moveBody(mlir::scf::ForOp loop);
  /// Gives the loop's users the results of `loop`, and erases it.
  void replaceLoop(mlir::scf::ForOp loop);

  mlir::Value constant(int64_t value);
  mlir::Value isLess(mlir::Value x, mlir::Value y);
  mlir::Value advance(mlir::Value slot);

  mlir::scf::ForOp op;
  const distribute::LayoutAssignment &layouts;
  BoxFinder finder;
  mlir::ImplicitLocOpBuilder b;
  mlir::Location loc;
  bool isAsync;
  int64_t slots, distance;
  mlir::Operation *yield;
  mlir::Attribute conversions; ///< Null: as much as around it. That of the loop, if not changed.
  llvm::SmallVector<tile::LoadOp> loads;
  std::vector<Box> boxes; ///< One for each load, if they are boxes.
  LoopSlice slice;
  llvm::SmallVector<mlir::Operation *> ops; ///< What addresses and masks depend on, in order.
  llvm::SmallVector<tile::DotOp> deferred;  ///< Products that go on into the next iteration.
  llvm::SmallVector<LateProduct> late;      ///< Products that are made in the next iteration.
  Values rings;                             ///< One for each load.
  mlir::Value channel;
  mlir::Value lateChannel; ///< Of what late products read; null without them.
};

} // namespace tilerun::schedule
