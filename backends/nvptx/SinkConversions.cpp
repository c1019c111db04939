// See SinkConversions.h: each block backwards, so that a chain of conversions moves whole.
#include "backends/nvptx/SinkConversions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Whether ptxas makes branches of it.
static bool branches(const Instruction &op) {
  auto *call = dyn_cast<CallInst>(&op);
  if (!call)
    return op.getOpcode() == Instruction::FDiv; // Without fast-math, LLVM divides by div.rn.
  if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return assembly->getAsmString().contains("bra ") ||
           assembly->getAsmString().contains("sqrt.rn") ||
           assembly->getAsmString().contains("div.rn");
  switch (call->getIntrinsicID()) {
  case Intrinsic::sqrt:
  case Intrinsic::nvvm_sqrt_rn_f:
  case Intrinsic::nvvm_sqrt_rn_ftz_f:
  case Intrinsic::nvvm_sqrt_rn_d:
  case Intrinsic::nvvm_div_rn_f:
  case Intrinsic::nvvm_div_rn_ftz_f:
  case Intrinsic::nvvm_div_rn_d:
  case Intrinsic::nvvm_rcp_rn_f:
  case Intrinsic::nvvm_rcp_rn_ftz_f:
  case Intrinsic::nvvm_rcp_rn_d:
    return true;
  default:
    return false;
  }
}

/// Conversions, and what takes an element out of a word.
static bool mayMove(const Instruction &op) {
  if (isa<FPExtInst, ZExtInst, SExtInst, BitCastInst, UIToFPInst, SIToFPInst>(op))
    return true;
  // Halves of words.
  if (isa<TruncInst>(op))
    return op.getType()->getScalarSizeInBits() < 32;
  if (isa<ExtractElementInst>(op) || op.getOpcode() == Instruction::LShr)
    return isa<Constant>(op.getOperand(1));
  return false;
}

static void sinkIn(BasicBlock &block) {
  // Numbers of instructions as they were; what moved has that of its user.
  DenseMap<const Instruction *, unsigned> places;
  SmallVector<unsigned> branchesBefore;
  unsigned count = 0;
  for (const Instruction &op : block) {
    places[&op] = branchesBefore.size();
    branchesBefore.push_back(count);
    count += branches(op);
  }
  if (!count)
    return;
  for (Instruction &op : make_early_inc_range(reverse(block))) {
    if (!mayMove(op) || op.use_empty())
      continue;
    Instruction *first = nullptr;
    for (User *user : op.users()) {
      auto *next = cast<Instruction>(user);
      if (next->getParent() != &block || isa<PHINode>(next)) {
        first = nullptr;
        break;
      }
      if (!first || places[next] < places[first] ||
          (places[next] == places[first] && next->comesBefore(first)))
        first = next;
    }
    if (!first || branchesBefore[places[first]] == branchesBefore[places[&op]])
      continue;
    op.moveBefore(first->getIterator());
    places[&op] = places[first];
  }
}

void tilerun::nvptx::sinkConversions(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      sinkIn(block);
}
