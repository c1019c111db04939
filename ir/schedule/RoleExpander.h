// A loop whose tiles one role copies and another one reads. Internal to this folder.
#pragma once

#include "ir/schedule/LoopExpander.h"

namespace tilerun::schedule {

/// Splits the kernel into a producer, which runs the part of the loop that its copies need, and the
/// consumer, which runs all the rest.
class RoleExpander : LoopExpander {
public:
  RoleExpander(mlir::scf::ForOp op, const distribute::LayoutAssignment &layouts)
      : LoopExpander(op, layouts), producers(getProducers(op)), forLoads(findCarriedForLoads(op)),
        lag(boxes.empty() ? getPipeline(op).getDistance() - 1 : 0) {}
  void run();

private:
  mlir::Value flip(mlir::Value phase, mlir::Value following);
  void createRoles();
  void emitProducer();
  /// The body of the producer's loop, as `map` has the values around and of the iteration.
  void emitCopies(mlir::scf::ForOp loop, mlir::IRMapping &map);
  /// Of the slot that has been filled `lag` publishes ago, if there is one. Steps to the next.
  void publish(mlir::Value &slot, mlir::Value &count);
  void emitConsumer();
  void emitReads(mlir::scf::ForOp loop);

  unsigned producers;
  llvm::SmallDenseSet<unsigned> forLoads; ///< Carried values that the consumer does without.
  int64_t lag; ///< Iterations whose copies may still be under way when the next one's begin.
  mlir::Block *producer, *consumer;
};

} // namespace tilerun::schedule
