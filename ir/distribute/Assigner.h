// The assignment of layouts to one kernel, shared by Assign.cpp, Forward.cpp and Backward.cpp.
//
// Three steps: accesses and products choose their layouts; these flow forward through elementwise
// and shape operations and around loops, the stronger one winning; loop-carried values that are
// still undecided take the layout that their users need.
#pragma once

#include "ir/distribute/LayoutAssignment.h"

namespace tilerun::distribute {

/// How much it would cost to move a value to another layout, roughly.
enum Strength : unsigned { Weak = 1, Loaded = 2, Product = 3 };

/// The pointer and the mask (null: none) of an access; null for other ops.
std::pair<mlir::Value, mlir::Value> pointerAndMask(mlir::Operation *op);

/// Attributes take the place of layouts: equal ones are one, and copies cost nothing.
class Assigner {
public:
  Assigner(mlir::func::FuncOp kernel, const Options &options, const FactsFunction &facts)
      : kernel(kernel), options(options), facts(facts),
        threads{options.target->warpSize, options.numWarps} {}
  mlir::LogicalResult run();

private:
  // Assign.cpp
  mlir::LogicalResult checkShapes();
  void planAccess(mlir::Operation *op, mlir::Value ptr, mlir::Value mask);
  void chooseAccessLayouts();
  /// Writes attributes on `op`, replacing existing ones.
  void write(mlir::Operation *op);

  // Forward.cpp
  void forward(mlir::Operation *op);
  void forwardAccess(mlir::Operation *op, AccessPlan &plan);
  bool forwardShape(mlir::Operation *op);
  bool forwardControl(mlir::Operation *op);
  LinearLayout limitRepeating(LinearLayout layout, mlir::RankedTensorType type) const;
  void propose(mlir::Value value, LayoutAttr layout, unsigned strength);
  void propose(mlir::Value value, const LinearLayout &layout, unsigned strength);
  void proposeFrom(mlir::Value value, mlir::Value source) {
    propose(value, home(source), strength(source));
  }
  /// The layout of a reduction's operand.
  LayoutAttr operandHome(mlir::Value operand);

  // Backward.cpp
  void backward(mlir::Block &block);
  void backward(mlir::Operation *op);
  void settleRest();
  void settle(mlir::Value value);
  void cutChains(llvm::ArrayRef<mlir::Operation *> ops);
  /// What only stands for the elements and scales of this product's operands is not computed.
  void leaveOut(tile::DotOp scaled);
  void need(mlir::Value value, LayoutAttr layout) {
    if (mlir::isa<mlir::RankedTensorType>(value.getType()) && !home(value))
      needs.try_emplace(value, layout);
  }
  /// The home of a value, or what its users need.
  LayoutAttr wanted(mlir::Value value) const {
    LayoutAttr layout = home(value);
    return layout ? layout : needs.lookup(value);
  }

  LayoutAttr home(mlir::Value value) const { return homes.lookup(value).first; }
  unsigned strength(mlir::Value value) const { return homes.lookup(value).second; }
  LayoutAttr intern(const LinearLayout &layout) {
    return LayoutAttr::get(kernel.getContext(), layout);
  }
  LinearLayout canonical(const LinearLayout &layout) const {
    return canonicalize(layout, threads.laneBits(), threads.warpBits());
  }

  mlir::func::FuncOp kernel;
  const Options &options;
  const FactsFunction &facts;
  Threads threads;
  bool changed = false;
  llvm::SmallVector<mlir::Operation *> accessOps;                     ///< In program order.
  llvm::DenseMap<mlir::Value, std::pair<LayoutAttr, unsigned>> homes; ///< With strength.
  llvm::DenseMap<mlir::Value, LayoutAttr> needs;
  llvm::DenseMap<mlir::Operation *, AccessPlan> accesses;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseSet<mlir::Value> unread; ///< By leaveOut.
};

} // namespace tilerun::distribute
