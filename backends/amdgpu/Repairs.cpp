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

static bool isExtremum(const Instruction &op) {
  const auto *call = dyn_cast<IntrinsicInst>(&op);
  return call && is_contained({Intrinsic::minnum, Intrinsic::maxnum, Intrinsic::minimumnum,
                               Intrinsic::maximumnum},
                              call->getIntrinsicID());
}

static bool isBFloat(const Type *type) { return type->getScalarType()->isBFloatTy(); }

/// bfloat16 as float32, by a shift.
static Value *extendByShift(IRBuilder<> &b, Value *narrow) {
  Type *type = narrow->getType();
  Value *bits = b.CreateBitCast(narrow, type->getWithNewType(b.getInt16Ty()));
  Value *wide = b.CreateShl(b.CreateZExt(bits, type->getWithNewType(b.getInt32Ty())), 16);
  return b.CreateBitCast(wide, type->getWithNewType(b.getFloatTy()));
}

/// An extremum of bfloat16 as that of float32, which is exact.
static Value *widenExtremum(IRBuilder<> &b, IntrinsicInst &call) {
  Type *type = call.getType();
  Value *wide =
      b.CreateBinaryIntrinsic(call.getIntrinsicID(), extendByShift(b, call.getArgOperand(0)),
                              extendByShift(b, call.getArgOperand(1)));
  Value *bits = b.CreateBitCast(wide, type->getWithNewType(b.getInt32Ty()));
  Value *high = b.CreateTrunc(b.CreateLShr(bits, 16), type->getWithNewType(b.getInt16Ty()));
  return b.CreateBitCast(high, type);
}

void tilerun::amdgpu::keepSignals(Module &module) {
  for (Function &function : module) {
    if (none_of(instructions(function), isExtremum))
      continue;
    for (Instruction &op : make_early_inc_range(instructions(function))) {
      IRBuilder<> b(&op);
      Value *mended = nullptr;
      if (isExtremum(op) && isBFloat(op.getType()))
        mended = widenExtremum(b, cast<IntrinsicInst>(op));
      else if (isa<FPExtInst>(op) && isBFloat(op.getOperand(0)->getType()) &&
               op.getType()->getScalarType()->isFloatTy())
        mended = extendByShift(b, op.getOperand(0));
      if (!mended)
        continue;
      op.replaceAllUsesWith(mended);
      op.eraseFromParent();
    }
  }
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
