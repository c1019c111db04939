// What a role does with the slots of its channels, one step after the other, for given trip counts:
// control flow does not depend on what other roles do. Internal to this folder.
#pragma once

#include "ir/schedule/ScheduleOps.h"

namespace tilerun::schedule {

/// One op of a channel, a ring or a product, as it is executed.
struct ProtocolStep {
  mlir::Operation *op;
  int64_t slot = 0;
  int64_t phase = 0;
  bool when = true;
};

/// Numbers values, so that those computed in the same way from the kernel's arguments are equal.
class ValueNumbers {
public:
  unsigned of(mlir::Value value);

private:
  /// Where all that `x` and `y` use has numbers.
  bool areEqual(mlir::Operation *x, mlir::Operation *y);
  void number(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> known;
  llvm::StringMap<llvm::SmallVector<mlir::Operation *>> byName;
  unsigned next = 0;
};

/// Trip counts of loops whose bounds are not constants: the same for equal bounds.
class TripCounts {
public:
  TripCounts(int64_t first, int64_t most) : first(first), most(most) {}
  /// Of a loop; the second and later different ones get one more each.
  int64_t get(mlir::scf::ForOp loop);
  int64_t limit() const { return most; }

private:
  int64_t first, most;
  ValueNumbers numbers;
  std::map<std::array<unsigned, 3>, int64_t> counts;
};

/// The steps of what is in `block`. Fails with a diagnostic where a slot, a phase or a predicate
/// depends on data, or where control flow does that a channel between roles is used in.
mlir::FailureOr<std::vector<ProtocolStep>> traceProtocol(mlir::Block &block, TripCounts &trips);

} // namespace tilerun::schedule
