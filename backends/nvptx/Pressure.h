// How many registers a function's values take at once.
#pragma once

namespace llvm {
class Function;
}

namespace tilerun::nvptx {

/// The most 32-bit registers whose values are alive together, in the order that the instructions
/// have now; predicates do not count. 0 where the analysis would take long.
unsigned estimateRegisters(const llvm::Function &function);

} // namespace tilerun::nvptx
