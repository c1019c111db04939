// Loops with the test at their end, however many values they carry. Separate from CodeGen.h, which
// has no passes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilerun::llvmbackend {

/// Rotates the loops whose header tests little, before LLVM's pipeline, whose own pass declines
/// loops that carry as many values as a product's accumulators are. With the test at the beginning,
/// the values that leave the loop are others than those that go round it: in registers, both at
/// once.
struct RotateLoopsPass : llvm::PassInfoMixin<RotateLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace tilerun::llvmbackend
