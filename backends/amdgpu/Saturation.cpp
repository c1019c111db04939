// See Saturation.h.
#include "backends/amdgpu/Saturation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void tilerun::amdgpu::expandSaturation(Module &module) {
  for (Function &function : module)
    for (Instruction &op : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&op);
      if (!call || call->getIntrinsicID() != Intrinsic::usub_sat)
        continue;
      Value *x = call->getArgOperand(0), *y = call->getArgOperand(1);
      if (!isa<Argument>(x) || !isa<ConstantInt>(y))
        continue;
      IRBuilder<> b(call);
      Value *difference = b.CreateSub(x, y);
      call->replaceAllUsesWith(
          b.CreateSelect(b.CreateICmpUGT(x, y), difference, ConstantInt::get(x->getType(), 0)));
      call->eraseFromParent();
    }
}
