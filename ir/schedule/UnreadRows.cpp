// See UnreadRows.h.
#include "ir/schedule/UnreadRows.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// Whether a mask is false for all of them.
bool UnreadRows::isMasked(Value mask, unsigned dim) {
  std::string unused;
  return mask && llvm::any_of(getConditions(mask), [&](const Condition &condition) {
           std::optional<MaskBound> bound = getBound(condition, forms, unused);
           return bound && bound->isUpper && bound->dim == dim && bound->difference == start - end;
         });
}

bool UnreadRows::follow(OpOperand &use, unsigned dim, SmallVectorImpl<Place> &work) {
  Operation *op = use.getOwner();
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    // A row of the result needs one of the first operand, a column one of the second.
    bool isBatched = cast<RankedTensorType>(dot.getType()).getRank() != 2;
    if (use.getOperandNumber() < 2 && (isBatched || dim != use.getOperandNumber()))
      return false;
    work.emplace_back(dot.getResult(), dim);
    return true;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return use.get() == store.getValue() && use.get() != store.getMask() &&
           isMasked(store.getMask(), dim);
  if (auto store = dyn_cast<StoreBoxOp>(op))
    return use.get() == store.getTile() && isMasked(store.getMask(), dim);
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    unsigned index = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      work.emplace_back(loop.getRegionIterArg(index), dim);
    else if (!isa<scf::IfOp>(parent))
      return false;
    work.emplace_back(parent->getResult(index), dim);
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned index = use.getOperandNumber() - loop.getNumControlOperands();
    work.emplace_back(loop.getRegionIterArg(index), dim);
    work.emplace_back(loop.getResult(index), dim);
    return true;
  }
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    const int32_t *to = llvm::find(trans.getOrder(), int32_t(dim));
    work.emplace_back(trans.getResult(), to - trans.getOrder().begin());
    return true;
  }
  if (op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) && !op->getNumRegions()) {
    for (Value result : op->getResults())
      work.emplace_back(result, dim);
    return true;
  }
  return false;
}

Operation *UnreadRows::findReader(Value value, unsigned dim) {
  llvm::DenseSet<Place> seen;
  SmallVector<Place> work{{value, dim}};
  while (!work.empty()) {
    Place next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.first.getUses())
      if (!follow(use, next.second, work))
        return use.getOwner();
  }
  return nullptr;
}
