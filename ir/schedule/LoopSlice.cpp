// See LoopSlice.h.
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// Whether `op` may be executed for an iteration past the end of the loop: divisions are guarded
/// then.
static bool maySpeculate(Operation *op) { return isSpeculatable(op) || tile::isDivision(op); }

static bool isCheap(Operation *op) {
  return !op->getNumRegions() && isMemoryEffectFree(op) && maySpeculate(op) &&
         !isa<tile::DotOp, tile::GatherOp, tile::HistogramOp>(op);
}

static bool isIndexLoad(Operation *op, scf::ForOp loop) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !isa<RankedTensorType>(load.getType()) && !tile::isObserving(load) &&
         !LoopHazards(loop).find(load);
}

Operation *LoopSlice::add(scf::ForOp loop, tile::LoadOp load, bool takesLoads) {
  LoopSlice wider = *this;
  SmallVector<Value> work{load.getPtr()};
  for (Value operand : {load.getMask(), load.getOther()})
    if (operand)
      work.insert(work.begin(), operand);
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
        continue;
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      if (wider.carried.insert(index))
        work.push_back(loop.getBody()->getTerminator()->getOperand(index));
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || wider.ops.contains(op))
      continue;
    if (!isCheap(op) && !(takesLoads && isIndexLoad(op, loop)))
      return op;
    wider.ops.insert(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  *this = std::move(wider);
  return nullptr;
}

SmallVector<Operation *> LoopSlice::inOrder() const {
  SmallVector<Operation *> sorted(ops.begin(), ops.end());
  llvm::sort(sorted, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return sorted;
}

OpOperand *schedule::findOtherUse(Value value, Block *body) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != body)
      return &use;
    if (auto trans = dyn_cast<tile::TransOp>(user)) {
      if (OpOperand *other = findOtherUse(trans.getResult(), body))
        return other;
    } else if (!isa<tile::DotOp>(user) || use.getOperandNumber() >= 2) {
      return &use;
    }
  }
  return nullptr;
}

tile::LoadOp schedule::loadOf(Value operand) {
  while (auto trans = operand.getDefiningOp<tile::TransOp>())
    operand = trans.getSource();
  return operand.getDefiningOp<tile::LoadOp>();
}

SmallVector<tile::DotOp> schedule::findReaders(Value value) {
  SmallVector<tile::DotOp> readers;
  for (OpOperand &use : value.getUses()) {
    if (auto trans = dyn_cast<tile::TransOp>(use.getOwner()))
      llvm::append_range(readers, findReaders(trans.getResult()));
    else if (auto dot = dyn_cast<tile::DotOp>(use.getOwner()); dot && use.getOperandNumber() < 2)
      readers.push_back(dot);
  }
  return readers;
}

bool schedule::isOnlyReader(Value operand) {
  while (auto trans = operand.getDefiningOp<tile::TransOp>())
    operand = trans.getSource();
  return findReaders(operand).size() == 1;
}

llvm::SmallDenseSet<unsigned> schedule::findCarriedForLoads(scf::ForOp loop) {
  SmallVector<Value> work;
  llvm::SmallDenseSet<unsigned> unneeded;
  for (unsigned index = 0; index < loop.getNumResults(); ++index) {
    if (loop.getResult(index).use_empty())
      unneeded.insert(index);
    else
      work.push_back(loop.getYieldedValues()[index]);
  }
  llvm::DenseSet<Operation *> needed;
  auto need = [&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!needed.insert(op).second || (load && load->getParentOp() == loop && getRing(load)))
      return;
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      need(&op);
  while (!work.empty()) {
    Value next = work.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(next);
    if (argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar()) {
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      if (unneeded.erase(index))
        work.push_back(loop.getYieldedValues()[index]);
    } else if (Operation *op = next.getDefiningOp(); op && op->getBlock() == loop.getBody()) {
      need(op);
    }
  }
  return unneeded;
}

std::optional<unsigned> schedule::carriedIndex(tile::DotOp dot, scf::ForOp loop) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || acc == loop.getInductionVar())
    return std::nullopt;
  return acc.getArgNumber() - loop.getNumInductionVars();
}
