// See RotateLoops.h.
#include "backends/llvm/RotateLoops.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

/// Instructions of a header that are worth a copy in front of the loop; LLVM's own number.
static constexpr ptrdiff_t kMostOfHeader = 16;

static bool testsLittle(const Loop &loop) {
  const BasicBlock &header = *loop.getHeader();
  return loop.isLoopExiting(&header) &&
         std::distance(header.getFirstNonPHIIt(), header.end()) <= kMostOfHeader;
}

PreservedAnalyses tilerun::llvmbackend::RotateLoopsPass::run(Function &function,
                                                             FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto &costs = analyses.getResult<TargetIRAnalysis>(function);
  const SimplifyQuery query(function.getDataLayout(), nullptr, &dominators, &assumptions);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!testsLittle(*loop))
      continue;
    changed |= simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    changed |= formLCSSARecursively(*loop, dominators, &loops, &evolution);
    changed |= LoopRotation(loop, &loops, &costs, &assumptions, &dominators, &evolution, nullptr,
                            query, /*RotationOnly=*/false, /*Threshold=*/~0u, /*IsUtilMode=*/false);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
