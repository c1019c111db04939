// Copies from global to shared memory without registers (global_load_lds).
//
// The hardware counts instructions, not groups, and counts them together with all other accesses of
// global memory of a wave, which end in order. So a wait for all but some groups is one for all but
// as many instructions as these groups have at least; accesses in between make it wait for more.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilerun::amdgpu {

/// Writes on each simt.async_wait how many instructions may be left, and on copies where runs of
/// them begin and end.
void countCopies(mlir::func::FuncOp kernel);

/// The variable of 16 zeros in global memory from which lanes copy whose mask is false. Nothing if
/// no copy of the module has a mask.
void createZeros(mlir::ModuleOp module);

/// Tells LLVM that no access of shared memory meets a copy that is still under way, which the waits
/// and barriers of per-thread IR are for. Otherwise LLVM waits for all copies before each read.
void separateCopies(llvm::Module &module);

} // namespace tilerun::amdgpu
