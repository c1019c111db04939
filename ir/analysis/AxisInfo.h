// Facts about the elements of integers and pointers along each dimension: how long runs of
// consecutive values are, what they are multiples of, and how long runs of equal values are. Memory
// access widths, coalescing and masks that are uniform over a vector are decided from this.
//
// Unless told otherwise (AxisAssumption), everything here is sound for wrapping arithmetic of every
// width: a fact is claimed only if it holds for all inputs that keep the promises of hints and of
// `tile.divisibility`. The facts, for a tensor v and dimension d, where "run of n" means the
// elements [i*n, (i+1)*n) along d with all other indices fixed:
//
//   contiguity[d] = c   in each run of c, v[first + j] = v[first] + j (pointers: + j elements),
//   modulo 2^width divisibility[d] = m the first element of each run of c is a multiple of m
//   (pointers: the address in bytes) constancy[d] = k    the elements of each run of k are equal
//
// All three are powers of two, c and k divide the dimension's size, and 1 says nothing. A scalar
// counts as a tensor of shape [1]. "Multiple of m" means that the low log2(m) bits are zero; all
// bits, where the type has no more than that.
#pragma once

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Value.h"

namespace tilerun {

class AxisInfo {
public:
  /// The divisibility of 0, and the limit at which products saturate.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 62;

  /// The largest power of two that divides `value`, at most kMaxDivisibility; that for 0.
  static int64_t largestPowerOfTwoIn(int64_t value);

  struct Axis {
    int64_t contiguity = 1;
    int64_t divisibility = 1;
    int64_t constancy = 1;
    bool operator==(const Axis &) const = default;
  };

  /// The state before anything was visited. It represents no value at all.
  AxisInfo() = default;

  /// Nothing is known about a value of `type`.
  static AxisInfo unknown(mlir::Type type);

  /// Every element of a value of `type` equals `value` (sign-extended).
  static AxisInfo constant(mlir::Type type, int64_t value);

  bool isUninitialized() const { return axes.empty(); }
  unsigned getRank() const { return axes.size(); }
  const Axis &operator[](unsigned dim) const { return axes[dim]; }
  Axis &operator[](unsigned dim) { return axes[dim]; }

  /// The one value of all elements, sign-extended, where it is known.
  std::optional<int64_t> getConstant() const { return constantValue; }
  void setConstant(std::optional<int64_t> value) { constantValue = value; }

  /// How much neighbours in a run differ by: 1, or for pointers the pointee's size in bytes.
  int64_t getUnit() const { return unit; }

  /// The divisibility of the first element of each run of `run` along `dim`, whatever the
  /// contiguity.
  int64_t getDivisibilityOfRuns(unsigned dim, int64_t run) const;

  /// The divisibility of every element.
  int64_t getElementDivisibility() const;

  /// How many elements along `dim` may be accessed at once, through a pointer with these facts:
  /// consecutive, and aligned to their total size.
  int64_t getAlignedRun(unsigned dim) const;

  bool operator==(const AxisInfo &) const = default;

  /// The facts that hold for both.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);

  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Axis, 2> axes;
  std::optional<int64_t> constantValue;
  int64_t unit = 1;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const AxisInfo &info) {
  info.print(os);
  return os;
}

/// A program's number times a positive constant, in 32 bits.
struct ProgramProduct {
  unsigned axis;
  int64_t factor;
  /// The most programs on the axis without an overflow, also when less than the factor is added.
  int64_t getMostPrograms() const { return (int64_t(1) << 31) / factor; }
};
std::optional<ProgramProduct> getProgramProduct(mlir::Operation *op);

/// Assumptions besides the promises of hints and arguments.
enum class AxisAssumption {
  /// Nothing: the facts hold for every execution. For masks: an element must never get what its
  /// neighbour's predicate says.
  None,
  /// A program's number times a constant (getProgramProduct) does not overflow: few programs are
  /// launched, which somebody makes sure of.
  FewPrograms,
  /// Dividends of `/` and `%` are not negative. Kernels wrap tile indices around a size (`% N`),
  /// and cannot say that a program's number times a block's size is not negative; without this,
  /// none of their accesses would be wide. For addresses only. If it does not hold, an access at
  /// such an index may reach neighbouring elements instead.
  PlainDividends,
  /// Indices are what they look like: signed arithmetic does not overflow, and what `/` and `%`
  /// divide is not negative. Facts about a program that relies on the contrary in an address are
  /// wrong. For decisions about cost, such as the order in which lanes go over dimensions; and for
  /// correctness only where such programs are out of contract.
  PlainIndices,
};

/// The facts about the results of `op` from those about its operands, one for each result.
/// `isNonNegative(i)` tells whether operand i is known to have no negative element (as a signed
/// number). Ops that the analysis does not know give unknown results. Control flow is not handled
/// here.
void transferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands,
                      llvm::function_ref<bool(unsigned)> isNonNegative,
                      llvm::SmallVectorImpl<AxisInfo> &results,
                      AxisAssumption assumption = AxisAssumption::None);

class AxisInfoLattice : public mlir::dataflow::Lattice<AxisInfo> {
public:
  using Lattice::Lattice;
};

/// The analysis for use in a solver of one's own. It needs dead-code, constant and integer-range
/// analysis in the same solver.
class AxisInfoAnalysis : public mlir::dataflow::SparseForwardDataFlowAnalysis<AxisInfoLattice> {
public:
  explicit AxisInfoAnalysis(mlir::DataFlowSolver &solver,
                            AxisAssumption assumption = AxisAssumption::None)
      : SparseForwardDataFlowAnalysis(solver), assumption(assumption) {}

  mlir::LogicalResult visitOperation(mlir::Operation *op,
                                     llvm::ArrayRef<const AxisInfoLattice *> operands,
                                     llvm::ArrayRef<AxisInfoLattice *> results) override;
  void visitNonControlFlowArguments(mlir::Operation *op, const mlir::RegionSuccessor &successor,
                                    llvm::ArrayRef<AxisInfoLattice *> arguments,
                                    unsigned firstIndex) override;
  void setToEntryState(AxisInfoLattice *lattice) override;

private:
  AxisAssumption assumption;
};

/// Runs the analysis over everything in `root` and keeps its result, which is valid until the IR
/// changes.
class AxisInfoMap {
public:
  explicit AxisInfoMap(mlir::Operation *root, AxisAssumption assumption = AxisAssumption::None);

  /// The facts about `value`, which is inside the root; nothing is known of values in dead code.
  AxisInfo lookup(mlir::Value value) const;

private:
  mlir::DataFlowSolver solver;
};

} // namespace tilerun
