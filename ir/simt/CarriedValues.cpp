// See CarriedValues.h. Marks the values that reach an effect; a loop-carried value is live if its
// result or its argument in the body is.
#include "ir/simt/CarriedValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {
class Marker {
public:
  explicit Marker(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        markAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        mark(branch.getCondition());
      else if (isa<scf::YieldOp>(op))
        markAll(isa<scf::ForOp, scf::IfOp>(op->getParentOp()) ? ValueRange() : op->getOperands());
      else if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
               !wouldOpBeTriviallyDead(op))
        markAll(op->getOperands());
    });
    while (!work.empty())
      follow(work.pop_back_val());
  }
  bool isWanted(Value value) const { return wanted.contains(value); }

private:
  void mark(Value value) {
    if (wanted.insert(value).second)
      work.push_back(value);
  }
  void markAll(ValueRange values) {
    for (Value value : values)
      mark(value);
  }
  void markCarried(scf::ForOp loop, unsigned index) {
    markAll({loop.getInitArgs()[index], loop.getYieldedValues()[index],
             loop.getRegionIterArg(index), loop.getResult(index)});
  }
  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument != loop.getInductionVar())
        markCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
      return;
    }
    Operation *op = value.getDefiningOp();
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      markCarried(loop, index);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      mark(branch.thenYield().getOperand(index));
      mark(branch.elseYield().getOperand(index));
    } else {
      markAll(op->getOperands());
    }
  }

  llvm::DenseSet<Value> wanted;
  SmallVector<Value> work;
};
} // namespace

/// The loop without the carried values that `marker` has not marked.
static void shrink(scf::ForOp loop, const Marker &marker) {
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
    if (marker.isWanted(loop.getRegionIterArg(index)))
      kept.push_back(index);
  if (kept.size() == loop.getNumRegionIterArgs())
    return;
  OpBuilder b(loop);
  SmallVector<Value> inits, yielded;
  for (unsigned index : kept) {
    inits.push_back(loop.getInitArgs()[index]);
    yielded.push_back(loop.getYieldedValues()[index]);
  }
  auto smaller = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  smaller->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = smaller.getBody(), *old = loop.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  old->getTerminator()->setOperands(yielded);
  body->getOperations().splice(body->end(), old->getOperations());
  loop.getInductionVar().replaceAllUsesWith(smaller.getInductionVar());
  // The remaining users of a dropped value are dead, too.
  auto replace = [&](unsigned index, Value argument, Value result) {
    loop.getRegionIterArg(index).replaceAllUsesWith(argument);
    loop.getResult(index).replaceAllUsesWith(result);
  };
  unsigned place = 0;
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index) {
    Value init = loop.getInitArgs()[index];
    if (place == kept.size() || kept[place] != index) {
      replace(index, init, init);
      continue;
    }
    replace(index, smaller.getRegionIterArg(place), smaller.getResult(place));
    ++place;
  }
  loop.erase();
}

void simt::dropUnusedCarried(func::FuncOp kernel) {
  Marker marker(kernel);
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    shrink(loop, marker);
}
