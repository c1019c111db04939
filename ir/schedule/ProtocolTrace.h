// What a role does with the slots of its channels, one step after the other, for given trip counts:
// control flow does not depend on what other roles do. Internal to this folder.
#pragma once

#include "ir/schedule/ScheduleOps.h"

namespace tilerun::schedule {

struct ProtocolTrace;

/// One op of a channel, a ring or a product, as it is executed; or a loop.
struct ProtocolStep {
  mlir::Operation *op;
  int64_t slot = 0;
  int64_t phase = 0;
  bool when = true;
  const ProtocolTrace *loop = nullptr; ///< All iterations of the loop `op`; null: not a loop.
};

/// Steps one after the other. Loops that do the same share one.
struct ProtocolTrace {
  std::vector<ProtocolStep> steps;
  bool waits = false;                         ///< A channel between roles is used.
  llvm::SmallVector<mlir::Value, 2> channels; ///< Those from outside of a loop that it uses.
};

/// Numbers values, so that those computed in the same way from the kernel's arguments are equal.
class ValueNumbers {
public:
  unsigned of(mlir::Value value);

private:
  /// Where all that `x` and `y` use has numbers.
  bool areEqual(mlir::Operation *x, mlir::Operation *y);
  void number(mlir::Value value);
  mlir::Value findCounter(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> known;
  llvm::StringMap<llvm::SmallVector<mlir::Operation *>> byName;
  std::map<std::array<unsigned, 3>, mlir::Value> counters; ///< The first one with such bounds.
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

/// Which of a kernel's values slots, phases, predicates and trip counts are made of.
class ProtocolValues {
public:
  explicit ProtocolValues(mlir::func::FuncOp kernel);
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// A loop that has steps.
  struct Loop {
    llvm::SmallVector<mlir::Value> inputs; ///< Those of these values from outside that it uses.
    llvm::SmallVector<mlir::Value, 2> channels;
    bool waits = false;
  };
  /// Null: the loop has no steps.
  const Loop *find(mlir::scf::ForOp loop) const {
    auto it = loops.find(loop);
    return it == loops.end() ? nullptr : &it->second;
  }

private:
  void addSinks(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Value> &work) const;
  void addSources(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &work) const;
  Loop describe(mlir::scf::ForOp loop) const;

  llvm::DenseSet<mlir::Value> values;
  llvm::DenseMap<mlir::Operation *, Loop> loops;
};

/// Interprets the few scalars that slots and phases are made of. Owns the traces that it makes.
class ProtocolTracer {
public:
  ProtocolTracer(TripCounts &trips, const ProtocolValues &relevant)
      : trips(trips), relevant(relevant) {}
  /// The steps of what is in `block`. Null, with a diagnostic, where a slot, a phase or a predicate
  /// depends on data, or where control flow does that a channel between roles is used in.
  const ProtocolTrace *trace(mlir::Block &block);
  /// Ops that were interpreted.
  int64_t getVisits() const { return visits; }

private:
  using Number = std::optional<int64_t>;
  using Numbers = std::vector<Number>;
  /// What a loop has done for some inputs.
  struct Outcome {
    const ProtocolTrace *trace;
    Numbers results;
  };

  Number get(mlir::Value value) const { return values.lookup(value); }
  void set(mlir::Value value, Number number) { values[value] = number; }
  void evaluate(mlir::Operation *op);
  mlir::LogicalResult run(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitLoop(mlir::scf::ForOp loop, const ProtocolValues::Loop &its);
  mlir::LogicalResult visitOther(mlir::Operation *op);
  /// How often the loop runs; gives bounds that are not known a value.
  int64_t countTrips(mlir::scf::ForOp loop);
  /// All iterations, as steps of `steps`.
  mlir::LogicalResult runLoop(mlir::scf::ForOp loop, int64_t count, Numbers &carried);
  /// A step on `slot`, if it is known.
  mlir::LogicalResult add(mlir::Operation *op, mlir::Value slot, mlir::Value phase = {},
                          mlir::Value when = {});

  TripCounts &trips;
  const ProtocolValues &relevant;
  llvm::DenseMap<mlir::Value, Number> values;
  std::vector<ProtocolStep> steps; ///< Of the block or loop that is being traced.
  std::map<std::pair<mlir::Operation *, Numbers>, Outcome> known;
  std::vector<std::unique_ptr<ProtocolTrace>> traces;
  int64_t visits = 0;
};

} // namespace tilerun::schedule
