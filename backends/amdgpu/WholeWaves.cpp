// See WholeWaves.h. LLVM's intrinsics are convergent, but their machine instructions on gfx11 are
// not: MachineSink moves them to where they are used. Those of MFMA are convergent, too.
#include "backends/amdgpu/WholeWaves.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isProduct(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getCalledFunction()->getName().starts_with("llvm.amdgcn.wmma.");
}

/// Whether a use keeps the product in its block: another product, which stays, or the block's end.
static bool isHeld(const Instruction &product) {
  const BasicBlock *block = product.getParent();
  return any_of(product.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (const auto *phi = dyn_cast<PHINode>(user))
      return phi->getIncomingBlock(use) == block;
    return user->getParent() == block && isProduct(*user);
  });
}

/// Sends the product through an instruction that is empty and convergent.
static void hold(Instruction &product) {
  IRBuilder<> b(product.getNextNode());
  auto *type = FunctionType::get(product.getType(), {product.getType()}, /*isVarArg=*/false);
  InlineAsm *nothing = InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false);
  CallInst *held = b.CreateCall(type, nothing, {PoisonValue::get(product.getType())});
  held->setConvergent();
  held->setDoesNotAccessMemory();
  held->setDoesNotThrow();
  product.replaceAllUsesWith(held);
  held->setArgOperand(0, &product);
}

void tilerun::amdgpu::keepWholeWaves(Module &module) {
  SmallVector<Instruction *> products;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (isProduct(instruction) && !isHeld(instruction))
          products.push_back(&instruction);
  for (Instruction *product : products)
    hold(*product);
}
