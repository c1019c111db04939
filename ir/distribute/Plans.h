// The decisions of distribution about accesses and products, besides layouts.
#pragma once

#include "ir/distribute/AcrossK.h"
#include "ir/layout/LinearLayout.h"
#include "ir/target/TargetInfo.h"
#include "ir/tile/TileOps.h"

namespace tilerun::distribute {

using layout::LinearLayout;

/// Facts about a memory access along each dimension of its pointer tensor.
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

  /// Whether a thread's registers hold neighbours in memory that lie in different lines of the
  /// tile.
  bool crosses() const {
    if (!tileInner || *tileInner == order.front() || !layout.inBits(layout::kRegister))
      return false;
    return layout.getBasis(layout::kRegister, 0, layout::dimName(order.front())) == 1;
  }
};

/// A product by instructions of warp groups.
struct WarpGroupPlan {
  const target::WarpGroupInstruction *instruction = nullptr;
  unsigned columns = 0; ///< Of one instruction.
  /// The instruction's first operand lies across k in shared memory, where the instruction cannot
  /// read it: threads read it into registers, in so many rounds along k. While the products of one
  /// turn run, the registers of the next are read. A power of two; 0: the instruction reads it, or
  /// it is in registers already.
  unsigned turns = 0;
};

/// A product: by a matrix instruction, or by multiply-adds if there is none.
struct DotPlan {
  const target::MatrixInstruction *instruction = nullptr;
  LinearLayout a, b, d; ///< `a` and `b` only with an instruction.
  /// Then `a` is for registers; if `swapped`, `b` is. The other one is a tile in shared memory, and
  /// has a layout only if it lies across k, too: threads read it so to transpose it there.
  std::optional<WarpGroupPlan> warpGroup;
  /// Each float32 operand is the sum of so many narrower ones; products of all pairs that matter.
  unsigned parts = 1;
  /// The instruction computes the transposed product: it takes fragments of the second operand as
  /// its first, and the other way round. Those of one warp have square sizes and operands of one
  /// type; those of warp groups take turns to read the second operand.
  bool swapped = false;
  /// Register bits above a fragment's: of `a` steps along k, rows, batches; of `b` steps, columns,
  /// batches; of `d` columns, rows, batches.
  unsigned stepBits = 0, rowBits = 0, columnBits = 0, batchBits = 0;

  /// Which operand may be in registers, and in which layout. Precondition: warpGroup.
  unsigned registerOperand() const { return swapped ? 1 : 0; }
  const LinearLayout &registers() const { return swapped ? b : a; }
  /// Of the other operand; without outs unless its tiles are transposed.
  const LinearLayout &transposingLayout() const { return swapped ? a : b; }
  bool transposesTiles() const { return warpGroup && !transposingLayout().getOuts().empty(); }
};

/// What an operand of a scaled product was computed from.
struct ScaledOperand {
  mlir::Value elements; ///< Of two dimensions; of 4 bits in pairs along `inner`.
  mlir::Value scales;   ///< Rows (columns) × blocks of k: bytes, in E8M0.
  target::MatrixElement format;
  unsigned inner; ///< The dimension of `elements` along which the product sums.
};

/// `operand` of a product that sums over its dimension `inner`, as elements of 4 or 8 bits times
/// their scales; nullopt if it is not a tensor of bfloat16 that was computed so.
std::optional<ScaledOperand> findScaled(mlir::Value operand, unsigned inner);

/// What an operand's fragments are read from.
struct DotSource {
  mlir::Value value;
  LinearLayout layout;   ///< Of all steps, to the dimensions of `value`.
  LinearLayout fragment; ///< Of one instruction, likewise.
  unsigned inner;        ///< The dimension of `value` over which the product sums.
};

/// Of a scaled product the elements from which the operand was computed, else the operand.
/// Precondition: the plan has an instruction of one warp whose fragments are known.
DotSource getSource(tile::DotOp op, const DotPlan &plan, bool isLeft);

/// `layout` without `count` of its register bits, from `start` on.
LinearLayout withoutRegisters(const LinearLayout &layout, unsigned start, unsigned count);

struct Options {
  unsigned numWarps = 4;
  const target::TargetInfo *target = nullptr;
  RunsFunction runs = {}; ///< Null: nothing is known of any value.
  AcrossK acrossK = AcrossK::Auto;
};

/// The plan of the access `op`, while distribution decides.
using AccessFunction = llvm::function_ref<AccessPlan &(mlir::Operation *op)>;

/// Gives k the order that suits the way to an operand's registers: any order that both operands
/// share gives the same product. `plan` is of an instruction of one warp.
void orderInner(tile::DotOp op, const Options &options, DotPlan &plan);

/// The plan for a product of these types. `access` has the loads before it; null: nothing is known.
DotPlan planDot(tile::DotOp op, const Options &options, AccessFunction access = nullptr);

/// Why that plan has no matrix instruction, as the end of a sentence about the product.
std::string explainNoInstruction(tile::DotOp op, const Options &options);

/// Lets warp groups work on a product, if the target has an instruction for it and its operands can
/// be brought into the order that it takes. `plan` is what planDot has chosen.
void useWarpGroups(tile::DotOp op, const Options &options, AccessFunction access, DotPlan &plan);

/// Lets the loads of a product's operands copy element by element into tiles that are contiguous
/// along k, where `plan` has an instruction that takes no others.
void transposeOnTheWay(tile::DotOp op, const DotPlan &plan, const Options &options,
                       AccessFunction access);

/// Lets threads load blocks of a product's operand that lies across k in memory, where `plan` has
/// an instruction of one warp whose lanes hold neighbours along k: a block is stored to a tile that
/// is contiguous along k, and read from there in wide accesses. Only where the target cannot
/// transpose what it reads.
void transposeInRegisters(tile::DotOp op, const DotPlan &plan, const Options &options,
                          AccessFunction access);

/// Lets the loads of a product's operands have the layout in which their tiles lie in shared
/// memory, where asynchronous copies follow the lanes of a warp (TargetInfo::copiesFollowLanes) and
/// `plan` has an instruction of one warp.
void followLanes(tile::DotOp op, const DotPlan &plan, const Options &options,
                 AccessFunction access);

/// The load, or null, from which the operand is at most transpositions away; whether it is swapped.
std::pair<tile::LoadOp, bool> findLoad(mlir::Value operand);

} // namespace tilerun::distribute
