// See Ptxas.h. Code that LLVM must not turn back into its canonical form is inline assembly.
#include "backends/nvptx/Ptxas.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <string>

using namespace tilerun;

/// Replaces `instruction`, of one operand, by `text` of that operand.
static void replaceByAssembly(llvm::Instruction *instruction, llvm::StringRef text,
                              llvm::StringRef constraints) {
  llvm::Value *operand = instruction->getOperand(0);
  auto *type =
      llvm::FunctionType::get(instruction->getType(), {operand->getType()}, /*isVarArg=*/false);
  auto *assembly = llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/false);
  auto *call = llvm::CallInst::Create(type, assembly, {operand}, "", instruction->getIterator());
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  call->setDebugLoc(instruction->getDebugLoc());
  instruction->replaceAllUsesWith(call);
  instruction->eraseFromParent();
}

/// Whether a division's result depends on `value`.
static bool isDivided(llvm::Instruction *value) {
  llvm::SmallPtrSet<llvm::Instruction *, 16> seen{value};
  llvm::SmallVector<llvm::Instruction *> open{value};
  while (!open.empty())
    for (llvm::User *user : open.pop_back_val()->users()) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      unsigned code = instruction->getOpcode();
      if (code == llvm::Instruction::SDiv || code == llvm::Instruction::SRem)
        return true;
      if (instruction->getType()->isIntegerTy() && seen.insert(instruction).second)
        open.push_back(instruction);
    }
  return false;
}

void nvptx::widenAbsolute(llvm::Module &module) {
  llvm::SmallVector<llvm::Instruction *> found, divided;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::abs) {
        if (call->getType()->isIntegerTy(16))
          found.push_back(call);
        else if ((call->getType()->isIntegerTy(32) || call->getType()->isIntegerTy(64)) &&
                 isDivided(call))
          divided.push_back(call);
      }
  for (llvm::Instruction *call : found)
    replaceByAssembly(call, "{ .reg .s32 t; cvt.s32.s16 t, $1; abs.s32 t, t; cvt.u16.u32 $0, t; }",
                      "=h,h");
  for (llvm::Instruction *call : divided) {
    const unsigned bits = call->getType()->getIntegerBitWidth();
    const std::string width = std::to_string(bits), sign = std::to_string(bits - 1);
    replaceByAssembly(call,
                      "{ .reg .b" + width + " s; shr.s" + width + " s, $1, " + sign + "; xor.b" +
                          width + " $0, $1, s; sub.s" + width + " $0, $0, s; }",
                      bits == 32 ? "=&r,r" : "=&l,l");
  }
}

void nvptx::multiplyToNegate(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<std::pair<llvm::Instruction *, int64_t>> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!instruction.getType()->isIntegerTy(16))
        continue;
      llvm::Value *operand = nullptr;
      const llvm::APInt *factor = nullptr;
      if (match(&instruction, m_Neg(m_Value(operand)))) {
        instruction.setOperand(0, operand);
        found.emplace_back(&instruction, -1);
      } else if (match(&instruction, m_Mul(m_Value(), m_APInt(factor))) &&
                 factor->isNegatedPowerOf2()) {
        found.emplace_back(&instruction, factor->getSExtValue());
      }
    }
  for (auto [instruction, factor] : found)
    replaceByAssembly(instruction, "mul.lo.s16 $0, $1, " + std::to_string(factor) + ";", "=h,h");
}

/// Whether `value` is an operand of a minimum or maximum.
static bool isCompared(const llvm::Value &value) {
  return llvm::any_of(value.users(), llvm::IsaPred<llvm::MinMaxIntrinsic>);
}

void nvptx::complementToNegate(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>> found;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::APInt>> divisions;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!instruction.getType()->isIntegerTy(32) || !isCompared(instruction))
        continue;
      llvm::Value *operand = nullptr;
      const llvm::APInt *factor = nullptr;
      if (match(&instruction, m_Neg(m_Value(operand)))) {
        instruction.setOperand(0, operand);
        found.emplace_back(&instruction, 0);
      } else if (match(&instruction, m_Mul(m_Value(), m_APInt(factor))) &&
                 factor->isNegatedPowerOf2()) {
        found.emplace_back(&instruction, factor->countr_zero());
      } else if (match(&instruction, m_SDiv(m_Value(operand), m_APInt(factor))) &&
                 factor->isNegatedPowerOf2() && !factor->isMinSignedValue()) {
        divisions.emplace_back(&instruction, -*factor);
      }
    }
  // The code generator negates what a shift has divided.
  for (auto &[instruction, divisor] : divisions) {
    auto *quotient = llvm::BinaryOperator::CreateSDiv(
        instruction->getOperand(0), llvm::ConstantInt::get(instruction->getType(), divisor), "",
        instruction->getIterator());
    quotient->setIsExact(instruction->isExact());
    quotient->setDebugLoc(instruction->getDebugLoc());
    instruction->setOperand(0, quotient);
    found.emplace_back(instruction, 0);
  }
  for (auto [instruction, shift] : found) {
    std::string shifted = "shl.b32 $0, $1, " + std::to_string(shift) + "; not.b32 $0, $0;";
    replaceByAssembly(instruction, (shift ? shifted : "not.b32 $0, $1;") + " add.s32 $0, $0, 1;",
                      "=r,r");
  }
}

/// Whether `offset`, scaled and added to others, is used in a loop that it is not in, or begins a
/// value that such a loop carries.
static bool entersLoop(llvm::Instruction *offset, const llvm::LoopInfo &loops) {
  llvm::SmallPtrSet<llvm::Instruction *, 16> seen{offset};
  llvm::SmallVector<llvm::Instruction *> open{offset};
  const llvm::Loop *home = loops.getLoopFor(offset->getParent());
  while (!open.empty()) {
    llvm::Instruction *value = open.pop_back_val();
    for (llvm::User *user : value->users()) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      const llvm::Loop *loop = loops.getLoopFor(instruction->getParent());
      if (loop != home && loop && (!home || home->contains(loop)))
        return true;
      switch (instruction->getOpcode()) {
      case llvm::Instruction::Shl:
      case llvm::Instruction::Mul:
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr:
        if (seen.insert(instruction).second)
          open.push_back(instruction);
        break;
      default:
        break;
      }
    }
  }
  return false;
}

/// Whether LLVM would merge `extension` and its use into one wide product.
static bool isScaled(const llvm::Instruction &extension) {
  return llvm::any_of(extension.users(), [](const llvm::User *user) {
    unsigned opcode = llvm::cast<llvm::Instruction>(user)->getOpcode();
    return opcode == llvm::Instruction::Shl || opcode == llvm::Instruction::Mul ||
           opcode == llvm::Instruction::GetElementPtr;
  });
}

void nvptx::keepWideOffsets(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    if (loops.empty())
      continue;
    llvm::SmallVector<llvm::Instruction *> found;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction) &&
          instruction.getType()->isIntegerTy(64) &&
          instruction.getOperand(0)->getType()->isIntegerTy(32) && isScaled(instruction) &&
          entersLoop(&instruction, loops))
        found.push_back(&instruction);
    for (llvm::Instruction *extension : found)
      replaceByAssembly(extension,
                        llvm::isa<llvm::SExtInst>(extension) ? "cvt.s64.s32 $0, $1;"
                                                             : "cvt.u64.u32 $0, $1;",
                        "=l,r");
  }
}
