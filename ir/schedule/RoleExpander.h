// A loop whose tiles one role copies and another one reads. Internal to this folder.
#pragma once

#include "ir/schedule/LoopExpander.h"
#include "ir/schedule/Persistence.h"

namespace tilerun::schedule {

/// What loops of roles hand on to those that follow: the roles, the rings, and where each role is
/// in them, as a slot and its phase for each channel.
struct RoleState {
  mlir::Block *producer = nullptr, *consumer = nullptr;
  llvm::SmallVector<mlir::Value> rings, filled, read;
  mlir::Value channel, lateChannel;
  unsigned turns = 0;     ///< Warp groups that take turns in one of the loops; 0: none do.
  mlir::IRMapping before; ///< What the producer has computed of the kernel, before its loops.
};

/// Ends the roles once all loops are expanded: the loops over programs, and the turns of groups.
void finishRoles(const RoleState &state);

/// Splits the kernel into a producer, which runs the part of the loop that its copies need, and the
/// consumer, which runs all the rest.
class RoleExpander : LoopExpander {
public:
  RoleExpander(mlir::scf::ForOp op, const distribute::LayoutAssignment &layouts, RoleState &state)
      : LoopExpander(op, layouts), state(state), producers(getProducers(op)),
        forLoads(findCarriedForLoads(op)),
        isPersistent(schedule::isPersistent(op->getParentOfType<mlir::func::FuncOp>())),
        lag(boxes.empty() ? getPipeline(op).getDistance() - 1 : 0) {
    if (tile::DotOp first = findFirstProduct(op); first && first->hasAttr(SchedDialect::kTurns))
      turns = countGroups(first, layouts);
  }
  void run();

private:
  /// Where a role is in the slots of a channel.
  struct Cursor {
    mlir::Value channel, slot, phase;
  };
  mlir::Value flip(mlir::Value phase, mlir::Value following);
  /// The next slot, and how often it has been used.
  Cursor step(const Cursor &cursor);
  void createRoles();
  /// Of a loop before this one.
  void adoptRoles();
  void emitProducer();
  /// The body of the producer's loop, as `map` has the values around and of the iteration.
  void emitCopies(mlir::scf::ForOp loop, mlir::IRMapping &map);
  void emitBoxes(mlir::scf::ForOp loop, mlir::IRMapping &map);
  Values getChannels() const {
    return lateChannel ? Values{channel, lateChannel} : Values{channel};
  }
  /// Boxes of the loads whose rings the cursor's channel orders, in the iteration of this number
  /// from 0, and their announcement.
  void fill(const Cursor &cursor, const mlir::IRMapping &map, mlir::Value iteration);
  /// Boxes outside of their tensors.
  void fillWithZeros(const Cursor &cursor);
  /// Of the slot that has been filled `lag` publishes ago, if there is one. Steps to the next.
  void publish(mlir::Value &slot, mlir::Value &count);
  void emitConsumer();
  void emitReads(mlir::scf::ForOp loop);
  /// The same with late products.
  void emitLateReads(mlir::scf::ForOp loop);
  /// Moves late products behind the first one, which ends behind them. `factors` are the loop's
  /// values of what they multiply, `behind` where their tiles are.
  void startLate(mlir::scf::ForOp loop, mlir::ValueRange factors, const Cursor &behind);
  Values getScales(mlir::scf::ForOp loop) const;
  /// Goes to where late products are waited for, behind `started`; what is to be computed before.
  /// `conversions` of what they multiply are to come after it.
  Values placeEnd(mlir::scf::ForOp loop, mlir::ValueRange factors, mlir::Operation *started,
                  llvm::SmallVectorImpl<mlir::Operation *> &conversions);
  /// Ends them there, releases their slot, and scales their sums.
  void endLate(mlir::scf::ForOp loop, mlir::ValueRange factors, mlir::Operation *started,
               const Cursor &behind);
  void emitLast(mlir::scf::ForOp loop);
  /// A step of the turns that warp groups take, if they do (LateChoice.h).
  void takeTurn(TurnStep step);
  bool readsAll(tile::DotOp dot, mlir::Value from) const;
  void cloneTransposed(mlir::Value operand, mlir::IRMapping &map);
  std::pair<Cursor, Cursor> getCursors(mlir::ValueRange carried) const;
  Values keepYielded(mlir::scf::ForOp loop);

  RoleState &state;
  unsigned producers;
  llvm::SmallDenseSet<unsigned> forLoads; ///< Carried values that the consumer does without.
  bool isPersistent;                      ///< Roles loop over programs.
  unsigned turns = 0; ///< Warp groups that take turns to start products; 0: they do not.
  int64_t lag;        ///< Iterations whose copies may still be under way when the next one's begin.
};

} // namespace tilerun::schedule
