// What passes over kernels with layouts have in common. Internal to this folder.
#pragma once

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/Stages.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilerun::schedule {

/// The target of a pass whose module has none.
struct OwnTarget {
  llvm::StringRef pass; ///< In diagnostics.
  llvm::StringRef target;
  unsigned numWarps, numStages = 1;
};

/// Calls `work` with each kernel of `module` in tile IR, expanded or not, and its layouts. Where
/// the module has no target, `own` takes its place, and its layouts are taken away at the end.
mlir::LogicalResult forEachKernel(
    mlir::ModuleOp module, const OwnTarget &own,
    llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp, const distribute::LayoutAssignment &,
                                           const distribute::Program &)>
        work);

/// The choice that the word of a pass's option `name` makes; else an error of the module.
mlir::FailureOr<Choice> readChoice(mlir::ModuleOp module, llvm::StringRef name,
                                   llvm::StringRef word);

/// Calls `work` with each kernel that is not expanded yet, its layouts, and the choice that the
/// word of the pass's option `name` makes.
mlir::LogicalResult chooseForKernels(
    mlir::ModuleOp module, const OwnTarget &own, llvm::StringRef name, llvm::StringRef word,
    llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp, const distribute::LayoutAssignment &,
                                           Choice)>
        work);

} // namespace tilerun::schedule
