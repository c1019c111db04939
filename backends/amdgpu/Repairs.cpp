// See Repairs.h.
#include "backends/amdgpu/Repairs.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace tilerun::amdgpu;

void tilerun::amdgpu::keepDoubledSums(Module &module) {
  for (Function &function : module)
    for (Instruction &op : instructions(function))
      if (op.getOpcode() == Instruction::FAdd && op.getOperand(0) == op.getOperand(1))
        op.setHasAllowContract(false);
}

/// Calls of intrinsics whose names begin so.
static SmallVector<Instruction *> findCalls(Module &module, StringRef prefix) {
  SmallVector<Instruction *> calls;
  for (Function &function : module)
    for (Instruction &op : instructions(function))
      if (const auto *call = dyn_cast<IntrinsicInst>(&op);
          call && call->getCalledFunction()->getName().starts_with(prefix))
        calls.push_back(&op);
  return calls;
}

/// Sends the value through an instruction that is empty, in a register of `kind`.
static void hide(Instruction &value, char kind) {
  IRBuilder<> b(value.getNextNode());
  auto *type = FunctionType::get(value.getType(), {value.getType()}, /*isVarArg=*/false);
  InlineAsm *nothing =
      InlineAsm::get(type, "", std::string("=") + kind + ",0", /*hasSideEffects=*/false);
  CallInst *hidden = b.CreateCall(type, nothing, {PoisonValue::get(value.getType())});
  hidden->setDoesNotAccessMemory();
  hidden->setDoesNotThrow();
  value.replaceAllUsesWith(hidden);
  hidden->setArgOperand(0, &value);
}

/// Whether a product takes the value, or a wider integer that it is a part of.
static bool feedsProduct(const Instruction &value) {
  return any_of(value.users(), [](const User *user) {
    const auto &op = *cast<Instruction>(user);
    switch (op.getOpcode()) {
    case Instruction::Mul:
      return true;
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::Or:
    case Instruction::BitCast:
    case Instruction::InsertElement:
    case Instruction::ExtractElement:
      return feedsProduct(op);
    default:
      return false;
    }
  });
}

void tilerun::amdgpu::keepExchangesApart(Module &module, Generation generation) {
  if (generation != Generation::Rdna4)
    return;
  for (Instruction *exchange : findCalls(module, "llvm.amdgcn.update.dpp"))
    if (feedsProduct(*exchange))
      hide(*exchange, 'v');
}

void tilerun::amdgpu::readProgramOnce(Module &module, Generation generation) {
  if (generation != Generation::Rdna4)
    return;
  for (Instruction *number : findCalls(module, "llvm.amdgcn.workgroup.id."))
    if (number->getFunction()->size() > 1)
      hide(*number, 's');
}
