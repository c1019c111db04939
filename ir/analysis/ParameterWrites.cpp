// Follows addresses that are written back to the parameters that they are computed from.
#include "ir/analysis/ParameterWrites.h"

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilerun;

// Conditions choose among addresses, and say nothing about where they come from.
static bool mayHoldAddress(Value value) { return !getElementTypeOrSelf(value).isInteger(1); }

namespace {

class Writes {
public:
  void add(Value value) {
    if (mayHoldAddress(value) && seen.insert(value).second)
      worklist.push_back(value);
  }
  void add(ValueRange values) {
    for (Value value : values)
      add(value);
  }
  void addWritten(Operation *op);
  llvm::SmallBitVector follow(func::FuncOp kernel);

private:
  void addSources(Value value, Operation *parent);

  SmallVector<Value> worklist;
  DenseSet<Value> seen;
};

} // namespace

// The address is the first operand of every op that writes global memory; assembly may write
// through each.
void Writes::addWritten(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || !op->getNumOperands())
    return;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  bool writes = llvm::any_of(found, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() == tile::GlobalMemory::get();
  });
  if (writes && isa<tile::InlineAsmOp>(op))
    add(op->getOperands());
  else if (writes)
    add(op->getOperand(0));
}

// What a result, or an argument of a block, of an op with regions may hold.
void Writes::addSources(Value value, Operation *parent) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(parent)) {
    RegionBranchInverseSuccessorMapping sources;
    branch.getSuccessorInputOperandMapping(sources);
    for (OpOperand *source : sources.lookup(value))
      add(source->get());
    return;
  }
  add(parent->getOperands());
  for (Region &region : parent->getRegions())
    for (Block &block : region)
      add(block.getTerminator()->getOperands());
}

llvm::SmallBitVector Writes::follow(func::FuncOp kernel) {
  llvm::SmallBitVector written(kernel.getNumArguments());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == kernel)
        written.set(argument.getArgNumber());
      else
        addSources(value, parent);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto addition = dyn_cast<tile::AddPtrOp>(op))
      add(addition.getBase());
    else if (op->getNumRegions())
      addSources(value, op);
    else if (!hasEffect<MemoryEffects::Read>(op))
      add(op->getOperands());
  }
  return written;
}

llvm::SmallBitVector tilerun::findWrittenParameters(func::FuncOp kernel) {
  Writes writes;
  kernel.walk([&](Operation *op) { writes.addWritten(op); });
  return writes.follow(kernel);
}
