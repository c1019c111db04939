// Assigns a linear layout to every tensor of a kernel (which thread holds which element), and reads
// the assignment.
//
// Rules of this folder: layouts are decided here and only here, from access facts and the target's
// table, and recorded as attributes (DistributeDialect.td); nothing else is rewritten. A value that
// is cheap to rematerialize (an index, a splat, an address) has no layout of its own: each user
// computes it in the layout that it needs.
#pragma once

#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/Layouts.h"
#include "ir/distribute/Plans.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilerun::distribute {

/// Assigns layouts in `kernel` and writes them on its ops, replacing existing ones. Fails with a
/// diagnostic if a tensor has no layout.
mlir::LogicalResult assignLayouts(mlir::func::FuncOp kernel, const Options &options,
                                  const FactsFunction &facts);

/// Whether later passes have made ops of a kernel's loops (`sched.expanded`): it keeps the layouts
/// that it has, which those ops rely on.
bool keepsLayouts(mlir::func::FuncOp kernel);

/// Reads the layouts and plans of a kernel from its attributes. References that it returns are
/// valid as long as it lives, whatever happens to the ops.
class LayoutAssignment {
public:
  /// Every op of `kernel` must have what the lowering asks for (checkAssignment).
  LayoutAssignment(mlir::func::FuncOp kernel, const target::TargetInfo &target, unsigned numWarps);

  /// The layout in which `value` is kept; null if it is computed where it is used. Equal layouts
  /// have one address.
  const LinearLayout *getHome(mlir::Value value) const;
  /// The same as it is written down: a layout, or unit.
  mlir::Attribute getHomeAttr(mlir::Value value) const;
  const AccessPlan &getAccess(mlir::Operation *op) const;
  const DotPlan &getDot(mlir::Operation *op) const;
  /// For each register of `value` in `layout`, the first one with the same result in every
  /// execution, as far as attributes of its op say so: a mask is compared once for neighbours with
  /// equal results. Empty if there are none.
  llvm::SmallVector<int64_t> getSameRegisters(mlir::Value value, const LinearLayout &layout) const;

  /// Ops that may have the attribute: whose results are equal although their operands are not, and
  /// addresses, of which one access is enough.
  static bool mayHaveRuns(mlir::Operation *op) {
    return llvm::isa<mlir::arith::CmpIOp, mlir::arith::DivSIOp, mlir::arith::DivUIOp,
                     mlir::arith::ShRSIOp, mlir::arith::ShRUIOp, tile::AddPtrOp>(op);
  }

  LinearLayout getDefault(mlir::RankedTensorType type) const {
    return defaultLayout(threads, type);
  }
  LinearLayout getOrdered(mlir::RankedTensorType type, unsigned axis) const {
    return orderedLayout(threads, type, axis);
  }

  Options getOptions() const { return {threads.warps, info, {}}; }
  unsigned numWarps() const { return threads.warps; }
  const target::TargetInfo &target() const { return *info; }

private:
  const target::TargetInfo *info;
  Threads threads;
  mlir::StringAttr homes, arguments, access, dot, runs; ///< Names of attributes.
  /// Decoded attributes. By attribute, so that copies of an op find theirs.
  llvm::DenseMap<mlir::Attribute, AccessPlan> accesses;
  llvm::DenseMap<mlir::Attribute, DotPlan> dots;
};

/// Fails with a diagnostic at the first op of `kernel` that lacks what the lowering asks for.
mlir::LogicalResult checkAssignment(mlir::func::FuncOp kernel);

} // namespace tilerun::distribute
