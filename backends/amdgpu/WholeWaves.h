// What keeps instructions of whole waves where all lanes are on.
#pragma once

namespace llvm {
class Module;
}

namespace tilerun::amdgpu {

/// Keeps the code generator from sinking products of a wave (WMMA) into branches that only some
/// lanes take, such as those of masked stores. To be run on optimized IR, right before code
/// generation.
void keepWholeWaves(llvm::Module &module);

} // namespace tilerun::amdgpu
