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
  /// `isOffset`: a number that is added to an address. Integers that are parameters do not count as
  /// such, but a difference of addresses leads from one tensor to another.
  void add(Value value, bool isOffset) {
    if (mayHoldAddress(value) && seen[isOffset].insert(value).second)
      worklist.push_back({value, isOffset});
  }
  void add(ValueRange values, bool isOffset) {
    for (Value value : values)
      add(value, isOffset);
  }
  void addWritten(Operation *op);
  llvm::SmallBitVector follow(func::FuncOp kernel);

private:
  void addSources(Value value, Operation *parent, bool isOffset);

  SmallVector<std::pair<Value, bool>> worklist;
  DenseSet<Value> seen[2]; ///< As an address; as an offset.
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
    add(op->getOperands(), /*isOffset=*/false);
  else if (writes)
    add(op->getOperand(0), /*isOffset=*/false);
}

// What a result, or an argument of a block, of an op with regions may hold.
void Writes::addSources(Value value, Operation *parent, bool isOffset) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(parent)) {
    RegionBranchInverseSuccessorMapping sources;
    branch.getSuccessorInputOperandMapping(sources);
    for (OpOperand *source : sources.lookup(value))
      add(source->get(), isOffset);
    return;
  }
  add(parent->getOperands(), isOffset);
  for (Region &region : parent->getRegions())
    for (Block &block : region)
      add(block.getTerminator()->getOperands(), isOffset);
}

llvm::SmallBitVector Writes::follow(func::FuncOp kernel) {
  llvm::SmallBitVector written(kernel.getNumArguments());
  while (!worklist.empty()) {
    auto [value, isOffset] = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent != kernel)
        addSources(value, parent, isOffset);
      else if (!isOffset || isa<tile::PointerType>(value.getType()))
        written.set(argument.getArgNumber());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto addition = dyn_cast<tile::AddPtrOp>(op)) {
      add(addition.getBase(), isOffset);
      add(addition.getOffset(), /*isOffset=*/true);
    } else if (op->getNumRegions()) {
      addSources(value, op, isOffset);
    } else if (!hasEffect<MemoryEffects::Read>(op)) {
      add(op->getOperands(), isOffset);
    }
  }
  return written;
}

llvm::SmallBitVector tilerun::findWrittenParameters(func::FuncOp kernel) {
  Writes writes;
  kernel.walk([&](Operation *op) { writes.addWritten(op); });
  return writes.follow(kernel);
}
