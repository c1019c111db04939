// LLVM IR that LLVM 22 would compile wrongly, in a form in which it does not. Random kernels on the
// emulated devices found all of it.
#pragma once

#include "backends/amdgpu/Target.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilerun::amdgpu {

/// Keeps fma(x, 2, y) from being made of (x + x) + y, and the like of a difference: that is finite
/// where x + x exceeds the largest number. A product by two is contracted as any other.
void keepDoubledSums(llvm::Module &module);

/// Writes extensions of bfloat16 to float32 as shifts where minima or maxima may take them, and
/// those of bfloat16 as those of float32. LLVM believes that an extension makes a signalling NaN a
/// quiet one, but a shift, as which it comes out, does not: the minimum of it and a number would be
/// NaN.
void keepSignals(llvm::Module &module);

/// On gfx12, keeps exchanges of lanes (DPP) from being made a part of multiply-adds to 64 bits,
/// which that does not exist for: LLVM's own assembler refuses what it writes.
void keepExchangesApart(llvm::Module &module, Generation generation);

/// On gfx12, reads the program's number once, at the entry. LLVM takes it for a copy of a register
/// that never changes, and leaves the copy out on some of the ways to a use.
void readProgramOnce(llvm::Module &module, Generation generation);

} // namespace tilerun::amdgpu
