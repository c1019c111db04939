// See Pressure.h: liveness by backward data flow, then one walk over every block.
#include "backends/nvptx/Pressure.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
class Liveness {
public:
  explicit Liveness(const Function &function) : function(function) {
    const DataLayout &layout = function.getDataLayout();
    for (const BasicBlock &block : function)
      for (const Instruction &op : block)
        if (unsigned registers = countRegisters(layout, op.getType())) {
          numbers[&op] = sizes.size();
          sizes.push_back(registers);
        }
  }

  unsigned findMost() {
    // Half a gigabit; kernels of that size have thousands of blocks.
    if (sizes.size() * function.size() > (size_t(1) << 29))
      return 0;
    for (const BasicBlock &block : function)
      liveIn[&block].resize(sizes.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : post_order(&function)) {
        BitVector live = getLiveOut(*block);
        for (const Instruction &op : reverse(*block))
          step(op, live);
        BitVector &known = liveIn[block];
        if (live != known) {
          known = std::move(live);
          changed = true;
        }
      }
    }
    unsigned most = 0;
    for (const BasicBlock &block : function) {
      BitVector live = getLiveOut(block);
      size_t now = 0;
      for (unsigned number : live.set_bits())
        now += sizes[number];
      for (const Instruction &op : reverse(block)) {
        most = std::max<size_t>(most, now);
        now += step(op, live);
      }
      most = std::max<size_t>(most, now);
    }
    return most;
  }

private:
  static unsigned countRegisters(const DataLayout &layout, Type *type) {
    if (auto *structure = dyn_cast<StructType>(type)) {
      unsigned sum = 0;
      for (Type *element : structure->elements())
        sum += countRegisters(layout, element);
      return sum;
    }
    if (!type->isSized() || type->isIntOrIntVectorTy(1))
      return 0;
    return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32);
  }

  BitVector getLiveOut(const BasicBlock &block) {
    BitVector live(sizes.size());
    for (const BasicBlock *next : successors(&block)) {
      live |= liveIn[next];
      for (const PHINode &phi : next->phis())
        if (auto it = numbers.find(phi.getIncomingValueForBlock(&block)); it != numbers.end())
          live.set(it->second);
    }
    return live;
  }

  /// From after `op` to before it; by how many registers that changes the sum.
  int step(const Instruction &op, BitVector &live) {
    int change = 0;
    if (auto it = numbers.find(&op); it != numbers.end() && live.test(it->second)) {
      live.reset(it->second);
      change -= sizes[it->second];
    }
    if (isa<PHINode>(op))
      return change;
    for (const Value *operand : op.operand_values())
      if (auto it = numbers.find(operand); it != numbers.end() && !live.test(it->second)) {
        live.set(it->second);
        change += sizes[it->second];
      }
    return change;
  }

  const Function &function;
  DenseMap<const Value *, unsigned> numbers;
  SmallVector<unsigned> sizes;
  DenseMap<const BasicBlock *, BitVector> liveIn;
};
} // namespace

unsigned tilerun::nvptx::estimateRegisters(const Function &function) {
  return function.isDeclaration() ? 0 : Liveness(function).findMost();
}
