// Saturating differences of arguments.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilerun::amdgpu {

/// Writes max(x, y) - y, of an argument and a constant, as a comparison and a selection: the end of
/// a pipelined loop is one. Only the vector unit has a saturating subtraction, which LLVM computes
/// again in each iteration.
void expandSaturation(llvm::Module &module);

} // namespace tilerun::amdgpu
