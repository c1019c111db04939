// The attributes of distribution: layouts, plans of accesses and products, the target.
#pragma once

#include "ir/distribute/AcrossK.h"
#include "ir/layout/LinearLayout.h"
#include "ir/target/TargetInfo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

#include "ir/distribute/DistributeDialect.h.inc"

namespace tilerun::target {
/// For uniquing; equal targets are compared field by field.
inline llvm::hash_code hash_value(const TargetInfo &target) {
  return llvm::hash_combine(target.name, target.warpSize, target.maxThreads,
                            target.sharedMemoryBytes, target.hasShuffle, target.hasAsyncCopy,
                            target.matrixInstructions.size(), target.warpGroupInstructions.size());
}
} // namespace tilerun::target

#define GET_ATTRDEF_CLASSES
#include "ir/distribute/DistributeAttrs.h.inc"

namespace tilerun::distribute {

/// The program that a module is compiled for, as tile-set-target records it.
struct Program {
  /// In a module's attribute: lives as long as the context.
  const target::TargetInfo *target = nullptr;
  unsigned numWarps = 4;  ///< Of the target's size; a power of two.
  unsigned numStages = 1; ///< Buffers of loops that do not say themselves; 1: nothing runs ahead.
  unsigned warpUnit = 0;  ///< Threads that the option num_warps counts in; 0: a warp of the target.
  AcrossK acrossK = AcrossK::Auto;
  unsigned numCtas = 1; ///< Blocks that a program is to run on where it can be divided.
  /// Kernels may be compiled for launches of few programs (`tile.most_programs`): others take other
  /// code.
  bool fewPrograms = false;
};

/// Writes it on the module, and reads it; an error at the module says what is missing.
void setProgram(mlir::ModuleOp module, const Program &program);
mlir::FailureOr<Program> getProgram(mlir::ModuleOp module);

/// The option num_warps that gives a program this many threads; 0 if there is none.
uint64_t numWarpsOption(const Program &program, uint64_t threads);

/// Removes every attribute of this dialect from `root` and the ops in it.
void dropAttributes(mlir::Operation *root);

} // namespace tilerun::distribute
