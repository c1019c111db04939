// What atomics need before and after the conversion to LLVM's dialect.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class Module;
}

namespace tilerun::amdgpu {

/// Atomic minima and maxima of floats, masked or not, become those of integers: the order of the
/// bits, sign first, is the language's (docs/language.md), and every device has them.
void splitFloatExtrema(mlir::func::FuncOp kernel);

/// Lets atomics of the device's and the program's scope be single instructions where LLVM would
/// make a loop for memory that the host or another device caches. The scope `sys` reaches that.
void permitHardwareAtomics(llvm::Module &module);

} // namespace tilerun::amdgpu
