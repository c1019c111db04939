// Elements of vectors go from where they are put in to where they are taken out. Separate from
// CodeGen.h, which has no passes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilerun::llvmbackend {

/// Replaces each element that is read of a vector by the value that was inserted there. LLVM's
/// scalarizer, which comes next, does the same, but takes time for all elements of a vector at each
/// insertion: the square of a product's accumulators, for each of its instructions.
struct ForwardElementsPass : llvm::PassInfoMixin<ForwardElementsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace tilerun::llvmbackend
