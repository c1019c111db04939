// See ForwardElements.h.
#include "backends/llvm/ForwardElements.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

/// The index of an insertion or extraction, if it is known and within the vector.
static std::optional<unsigned> getIndex(const Value *index, const Type *vector) {
  const auto *constant = dyn_cast<ConstantInt>(index);
  const auto *type = dyn_cast<FixedVectorType>(vector);
  if (!constant || !type || !constant->getValue().ult(type->getNumElements()))
    return std::nullopt;
  return unsigned(constant->getZExtValue());
}

/// The extractions of a vector.
static SmallVector<ExtractElementInst *> getExtractions(Value &vector) {
  SmallVector<ExtractElementInst *> found;
  for (User *user : vector.users())
    if (auto *extraction = dyn_cast<ExtractElementInst>(user))
      found.push_back(extraction);
  return found;
}

/// The values that insertions up to this one put in; null: unknown.
static SmallVector<Value *> getElements(InsertElementInst *last) {
  SmallVector<Value *> elements(cast<FixedVectorType>(last->getType())->getNumElements());
  for (auto *insertion = last; insertion;
       insertion = dyn_cast<InsertElementInst>(insertion->getOperand(0))) {
    std::optional<unsigned> index = getIndex(insertion->getOperand(2), insertion->getType());
    if (!index)
      break; // Whatever was put in before may have been replaced.
    if (!elements[*index])
      elements[*index] = insertion->getOperand(1);
  }
  return elements;
}

PreservedAnalyses tilerun::llvmbackend::ForwardElementsPass::run(Function &function,
                                                                 FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH> replaced;
  for (Instruction &instruction : instructions(function)) {
    auto *insertion = dyn_cast<InsertElementInst>(&instruction);
    if (!insertion || !isa<FixedVectorType>(insertion->getType()))
      continue;
    SmallVector<ExtractElementInst *> extractions = getExtractions(*insertion);
    if (extractions.empty())
      continue;
    const SmallVector<Value *> elements = getElements(insertion);
    for (ExtractElementInst *extraction : extractions) {
      std::optional<unsigned> index = getIndex(extraction->getIndexOperand(), insertion->getType());
      // An unreachable block may read its own result.
      if (!index || !elements[*index] || elements[*index] == extraction)
        continue;
      extraction->replaceAllUsesWith(elements[*index]);
      replaced.emplace_back(extraction);
    }
  }
  if (replaced.empty())
    return PreservedAnalyses::all();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
