// Which thread holds which element: a linear layout for every tensor of a kernel.
//
// Rules of this folder: layouts are decided here and only here, from access facts and the target's
// table; nothing is rewritten. A value that costs nothing to compute again (an index, a splat, an
// address) has no layout of its own: whoever uses it computes it in the layout that it needs.
#pragma once

#include "ir/layout/LinearLayout.h"
#include "ir/target/TargetInfo.h"
#include "ir/tile/TileOps.h"

namespace tilerun::distribute {

using layout::LinearLayout;

/// What is known about a memory access along each dimension of its pointer tensor.
struct AccessFacts {
  llvm::SmallVector<int64_t, 4> contiguity; ///< Consecutive elements, from aligned positions.
  llvm::SmallVector<int64_t, 4> alignment;  ///< Of each such run's first address, in bytes.
  llvm::SmallVector<int64_t, 4> constancy;  ///< Neighbours with one mask value.
};
/// Facts of the pointer `ptr` under the mask `mask` (null: none).
using FactsFunction = std::function<AccessFacts(mlir::Value ptr, mlir::Value mask)>;

/// How many neighbours along each dimension, from aligned positions, have one value in every
/// execution; empty: nothing is known.
using RunsFunction = std::function<llvm::SmallVector<int64_t, 4>(mlir::Value)>;

/// A memory access of a tensor: its layout and how its elements may be grouped.
struct AccessPlan {
  LinearLayout layout;
  AccessFacts facts;
  llvm::SmallVector<unsigned, 4> order; ///< Dimensions, contiguous first.
  /// Of a load that is transposed on its way to a tile in shared memory: the tile's contiguous one.
  std::optional<unsigned> tileInner;
};

/// A product by instructions of warp groups.
struct WarpGroupPlan {
  const target::WarpGroupInstruction *instruction = nullptr;
  unsigned columns = 0; ///< Of one instruction.
};

/// A product: by a matrix instruction, or by multiply-adds if there is none.
struct DotPlan {
  const target::MatrixInstruction *instruction = nullptr;
  LinearLayout a, b, d;                   ///< `a` and `b` only with an instruction.
  std::optional<WarpGroupPlan> warpGroup; ///< Then there is no `b`, and `a` is for registers.
  /// Each float32 operand is the sum of so many narrower ones; products of all pairs that matter.
  unsigned parts = 1;
  /// Register bits above a fragment's: of `a` steps along k, rows, batches; of `b` steps, columns,
  /// batches; of `d` columns, rows, batches.
  unsigned stepBits = 0, rowBits = 0, columnBits = 0, batchBits = 0;
};

struct Options {
  unsigned numWarps = 4;
  const target::TargetInfo *target = nullptr;
  RunsFunction runs = {}; ///< Null: nothing is known of any value.
};

class LayoutAssignment {
public:
  /// Assigns layouts in `kernel`. Fails with a diagnostic where a tensor has no layout.
  static mlir::FailureOr<LayoutAssignment>
  compute(mlir::func::FuncOp kernel, const Options &options, const FactsFunction &facts);

  /// The layout in which `value` is kept; null if it is computed where it is used.
  const LinearLayout *getHome(mlir::Value value) const;
  const AccessPlan &getAccess(mlir::Operation *op) const { return accesses.find(op)->second; }
  const DotPlan &getDot(mlir::Operation *op) const { return dots.find(op)->second; }
  /// For each register of the comparison `value` in `layout`, the first one with the same result
  /// in every execution: a mask is compared once for neighbours that it cannot tell apart. Empty
  /// if there are none.
  llvm::SmallVector<int64_t> getSameRegisters(mlir::Value value, const LinearLayout &layout) const;

  /// A layout for a tensor that nothing else decides: coalesced, one element a thread.
  LinearLayout getDefault(mlir::RankedTensorType type) const;
  /// A layout in which positions along `axis` ascend with registers, then lanes, then warps.
  LinearLayout getOrdered(mlir::RankedTensorType type, unsigned axis) const;

  const Options &getOptions() const { return options; }
  unsigned numWarps() const { return options.numWarps; }
  const target::TargetInfo &target() const { return *options.target; }

private:
  friend class Assigner;
  Options options;
  llvm::DenseMap<mlir::Value, std::pair<LinearLayout, unsigned>> homes; ///< With strength.
  llvm::DenseMap<mlir::Operation *, AccessPlan> accesses;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> runs; ///< Of comparisons.
};

/// Register, lane and warp inputs in this order (added where missing), dim0, dim1, … as outputs,
/// and no registers that repeat others.
LinearLayout canonicalize(const LinearLayout &layout, unsigned laneBits, unsigned warpBits);

/// As canonicalize, but keeps repeating registers.
LinearLayout normalize(const LinearLayout &layout, unsigned laneBits, unsigned warpBits);

/// Sizes of `shape` in bits. Precondition: powers of two.
llvm::SmallVector<unsigned, 4> shapeBits(llvm::ArrayRef<int64_t> shape);

/// The operand's layout for a shape op whose result has `result`: registers correspond one to one
/// for all but broadcast, whose operand drops repeating registers.
LinearLayout expandDimsSource(const LinearLayout &result, unsigned axis);
LinearLayout transSource(const LinearLayout &result, llvm::ArrayRef<int32_t> order);
LinearLayout reshapeSource(const LinearLayout &result, llvm::ArrayRef<int64_t> sourceShape);
/// With repeating registers: one for each register of the result.
LinearLayout broadcastSource(const LinearLayout &result, llvm::ArrayRef<int64_t> sourceShape);

/// A layout for the halves of a tensor whose last dimension has size 2. Where lanes or warps hold
/// that dimension they take over a dimension of registers, rather than to repeat both halves in all
/// of them: a chain of splits and joins (a sorting network) keeps its number of registers.
LinearLayout splitLayout(const LinearLayout &source);

/// The plan for a product of these types.
DotPlan planDot(tile::DotOp op, const Options &options);

/// Why that plan has no matrix instruction, as the end of a sentence about the product.
std::string explainNoInstruction(tile::DotOp op, const Options &options);

/// Lets warp groups work on a product, if the target has an instruction for it and its operands can
/// be brought into the order that it takes. `plan` is what planDot has chosen.
void useWarpGroups(tile::DotOp op, const LayoutAssignment &layouts, DotPlan &plan);

/// Lets the loads of a product's operands copy element by element into tiles that are contiguous
/// along k, where `plan` has an instruction that takes no others.
void transposeOnTheWay(tile::DotOp op, const DotPlan &plan, unsigned numWarps, unsigned warpSize,
                       llvm::function_ref<AccessPlan &(mlir::Operation *)> access);

} // namespace tilerun::distribute
