// Conversions of loaded elements, made where they are used. Separate from Ptxas.h, whose rewrites
// are about instructions.
#pragma once

namespace llvm {
class Module;
}

namespace tilerun::nvptx {

/// Moves conversions to wider types, and the extraction of the elements that they convert, to their
/// first use, past instructions that ptxas expands to branches (square roots and divisions that are
/// rounded correctly, and assembly with labels). It schedules instructions between branches only:
/// what was loaded in 16 bits would take 32 across all of them. Only within blocks.
void sinkConversions(llvm::Module &module);

} // namespace tilerun::nvptx
