// Which part of each value a block of a program computes: the rule by which a program is divided.
//
// A part is all of a value, or its slice along one dimension: of n equal ones that of the block's
// rank. Nothing is exchanged between blocks, so the part of an op's result says which parts of its
// operands the op needs, and an op whose slice would need other slices of an operand cannot give
// one. No kind of kernel is known here, and no target.
#pragma once

#include "ir/schedule/Boxes.h"
#include "ir/tile/TileOps.h"

namespace tilerun::schedule {

/// The dimension of a slice, or all of a value.
using BlockPart = int;
inline constexpr BlockPart kWhole = -1;

/// The parts of `op`'s operands from which part `part` of its results is computed, or why it cannot
/// be. For ops without regions of statements. Precondition: the results have the dimension.
struct OperandParts {
  llvm::SmallVector<BlockPart, 4> parts;
  std::string why; ///< "it ..."; empty: possible.
};
OperandParts getOperandParts(mlir::Operation *op, BlockPart part, unsigned blocks);

/// The values of a kernel that are cheap enough to be computed in several parts: indices,
/// addresses, masks and constants, which no access, product or loop is between.
class CheapValues {
public:
  explicit CheapValues(mlir::func::FuncOp kernel);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  llvm::DenseSet<mlir::Value> values;
};

/// The parts that are wanted. All other values have one part each, since they are computed once.
class BlockParts {
public:
  BlockParts(const CheapValues &cheap, unsigned blocks) : cheap(&cheap), blocks(blocks) {}

  /// Wants a part of a value for `user`, and what that needs in turn. A refusal leaves the object
  /// without use.
  std::optional<Refusal> want(mlir::Value value, BlockPart part, mlir::Operation *user);

  bool isWanted(mlir::Value value) const { return single.contains(value); }
  /// The part of a value that is computed once.
  BlockPart getPart(mlir::Value value) const;
  bool isCheap(mlir::Value value) const { return cheap->contains(value); }
  unsigned countBlocks() const { return blocks; }

private:
  struct Want {
    mlir::Value value;
    BlockPart part;
    mlir::Operation *user;
  };
  std::optional<Refusal> visit(const Want &next);
  std::optional<Refusal> visitOperands(mlir::Operation *op, BlockPart part);
  void visitArgument(mlir::BlockArgument argument, BlockPart part);
  bool visitControl(mlir::OpResult result, BlockPart part);
  void add(mlir::ValueRange values, BlockPart part, mlir::Operation *user);

  const CheapValues *cheap;
  unsigned blocks;
  /// Of values that are computed once: the part, and who wanted it first.
  llvm::DenseMap<mlir::Value, std::pair<BlockPart, mlir::Operation *>> single;
  llvm::DenseSet<std::pair<mlir::Value, BlockPart>> several;
  llvm::SmallVector<Want> work;
};

} // namespace tilerun::schedule
