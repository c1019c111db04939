// See LoopHazards.h. Pointers are followed to the kernel's arguments, through whatever hands them
// on; what is computed or loaded instead may point anywhere.
#include "ir/schedule/LoopHazards.h"

#include "ir/tile/TileUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// The values that `value` is one of, or is made of without arithmetic; false if that is unknown.
static bool addSources(Value value, SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned index = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      index -= loop.getNumInductionVars();
      sources.append({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getAfterBody())
        sources.push_back(loop.getConditionOp().getArgs()[index]);
      else
        sources.append({loop.getInits()[index], loop.getYieldOp().getOperand(index)});
      return true;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
          tile::TransOp, tile::HintOp, tile::BitcastOp, tile::SplitOp, tile::GatherOp>(op)) {
    sources.push_back(op->getOperand(0));
  } else if (isa<tile::JoinOp, tile::CatOp>(op)) {
    sources.append(op->operand_begin(), op->operand_end());
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    sources.append({select.getTrueValue(), select.getFalseValue()});
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    sources.append({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(loop.getConditionOp().getArgs()[index]);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    sources.append({branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
  } else {
    return isa<ub::PoisonOp>(op);
  }
  return true;
}

bool schedule::addRoots(Value pointers, llvm::SetVector<Value> &roots) {
  llvm::SmallPtrSet<Value, 16> seen;
  SmallVector<Value> work{pointers};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (!isa<tile::PointerType>(getElementTypeOrSelf(next.getType())))
      return false;
    auto argument = dyn_cast<BlockArgument>(next);
    if (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      roots.insert(next);
    else if (!addSources(next, work))
      return false;
  }
  return true;
}

void LoopHazards::addWrite(Operation *op, Value pointers) {
  llvm::SetVector<Value> roots;
  if (!addRoots(pointers, roots) && !writesAnyhow)
    writesAnyhow = op;
  for (Value root : roots)
    written.insert({root, op});
}

void LoopHazards::addOrder(Operation *op, tile::MemSemantic semantic) {
  if (!order &&
      (semantic == tile::MemSemantic::Acquire || semantic == tile::MemSemantic::AcquireRelease))
    order = op;
}

LoopHazards::LoopHazards(scf::ForOp loop) {
  loop.getBody()->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      // Another program writes there, and the value may say when other loads may begin.
      if (!order && tile::isObserving(load))
        order = op;
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      addWrite(op, store.getPtr());
    } else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
      addWrite(op, atomic.getPtr());
      addOrder(op, atomic.getSem());
    } else if (auto atomic = dyn_cast<tile::AtomicCASOp>(op)) {
      addWrite(op, atomic.getPtr());
      addOrder(op, atomic.getSem());
    } else if (!isa<tile::AssumeOp, tile::PrintOp>(op) && !isMemoryEffectFree(op) &&
               !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !order) {
      // Barriers; and assertions, which may be what keeps a later address in bounds.
      order = op;
    }
  });
}

std::optional<LoopHazard> LoopHazards::find(tile::LoadOp load) const {
  if (order)
    return LoopHazard{order, "the loop has a '" + order->getName().getStringRef().str() +
                                 "' that must come before later loads"};
  if (writesAnyhow)
    return LoopHazard{writesAnyhow, "the loop writes to places that are not known"};
  if (written.empty())
    return std::nullopt;
  llvm::SetVector<Value> roots;
  if (!addRoots(load.getPtr(), roots))
    return LoopHazard{written.front().second,
                      "the loop writes, and where this load reads is not known"};
  for (auto [root, writer] : written)
    if (roots.contains(root))
      return LoopHazard{writer, "the loop writes to the argument that it reads"};
  return std::nullopt;
}
