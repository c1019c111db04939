// Forward: layouts flow from operands to results, and around loops and branches. The stronger one
// wins.
#include "ir/distribute/Assigner.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Most elements of one tensor in a thread where other threads hold the same ones.
static constexpr unsigned kMaxRepeatedBits = 8;

/// Copies along a new dimension stay in the threads that hold the original. Where all threads hold
/// all of a row, and its copies are a tile, each would compute the whole tile: not beyond a few
/// elements.
LinearLayout Assigner::limitRepeating(LinearLayout layout, RankedTensorType type) const {
  unsigned bits = llvm::Log2_64(type.getNumElements());
  unsigned threadBits = threads.laneBits() + threads.warpBits();
  unsigned needed = bits > threadBits ? bits - threadBits : 0;
  if (layout.inBits(kRegister) <= std::max(needed, kMaxRepeatedBits))
    return layout;
  return defaultLayout(threads, type);
}

void Assigner::propose(Value value, LayoutAttr layout, unsigned strength) {
  if (!layout || !isa<RankedTensorType>(value.getType()) || strength <= this->strength(value))
    return;
  homes[value] = {layout, strength};
  changed = true;
}

void Assigner::propose(Value value, const LinearLayout &layout, unsigned strength) {
  if (strength > this->strength(value))
    propose(value, intern(canonical(layout)), strength);
}

LayoutAttr Assigner::operandHome(Value operand) {
  LayoutAttr layout = home(operand);
  return layout ? layout
                : intern(defaultLayout(threads, cast<RankedTensorType>(operand.getType())));
}

static unsigned bytesOf(Value value) {
  return tile::getElementBytes(getElementTypeOrSelf(value.getType()));
}

/// Accesses have the layout that they chose.
void Assigner::forwardAccess(Operation *op, AccessPlan &plan) {
  // Where neighbours are not contiguous, nothing is gained by moving indices that were loaded.
  auto [ptr, mask] = pointerAndMask(op);
  if (LayoutAttr indices = home(ptr))
    if (plan.facts.contiguity[plan.order.front()] == 1 && strength(ptr) > Weak)
      plan.layout = indices.getMap();
  // A small result is stored where it is; so is one that would not fit into shared memory on the
  // way to a better layout.
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    auto type = cast<RankedTensorType>(ptr.getType());
    if (LayoutAttr value = home(store.getValue()))
      if (type.getNumElements() <= threads.count() ||
          type.getNumElements() * int64_t(bytesOf(store.getValue())) >
              options.target->budget().forStoredResult())
        plan.layout = value.getMap();
  }
  for (Value value : op->getResults())
    propose(value, plan.layout, Loaded);
}

/// Ops that move elements; false if `op` is another one.
bool Assigner::forwardShape(Operation *op) {
  // The layout of `source` as `change` makes it, unless the result has a stronger one already.
  auto derive = [&](Value source, unsigned strength, auto change) {
    LayoutAttr layout = home(source);
    if (layout && strength > this->strength(op->getResult(0)))
      propose(op->getResult(0), change(layout.getMap()), strength);
  };
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    derive(expand.getSource(), strength(expand.getSource()),
           [&](const LinearLayout &source) { return expandDim(source, expand.getAxis()); });
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    derive(broadcast.getSource(), Weak, [&](LinearLayout layout) {
      auto from = cast<RankedTensorType>(broadcast.getSource().getType()).getShape();
      auto to = cast<RankedTensorType>(broadcast.getType()).getShape();
      for (auto [i, sizes] : llvm::enumerate(llvm::zip(from, to)))
        if (std::get<0>(sizes) != std::get<1>(sizes))
          layout = broadcastDim(layout, i, llvm::Log2_64(std::get<1>(sizes)));
      return limitRepeating(canonical(layout), broadcast.getType());
    });
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    derive(trans.getSource(), strength(trans.getSource()), [&](const LinearLayout &source) {
      SmallVector<unsigned, 4> order(trans.getOrder().begin(), trans.getOrder().end());
      return transposeDims(source, order);
    });
  } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    derive(reshape.getSource(), strength(reshape.getSource()), [&](const LinearLayout &source) {
      return reshapeDims(source, shapeBits(cast<RankedTensorType>(reshape.getType()).getShape()));
    });
  } else if (auto join = dyn_cast<tile::JoinOp>(op)) {
    derive(home(join.getLhs()) ? join.getLhs() : join.getRhs(), Weak, joinLayout);
  } else if (auto cat = dyn_cast<tile::CatOp>(op)) {
    derive(home(cat.getLhs()) ? cat.getLhs() : cat.getRhs(), Weak, [](const LinearLayout &source) {
      return source * LinearLayout::identity1D(1, kRegister, dimName(0));
    });
  } else if (auto split = dyn_cast<tile::SplitOp>(op)) {
    for (Value value : split.getResults())
      if (strength(value) < Weak)
        propose(value, splitLayout(operandHome(split.getSource()).getMap()), Weak);
  } else {
    return false;
  }
  return true;
}

/// Loop-carried values and results of branches; false if `op` is neither.
bool Assigner::forwardControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto yielded = loop.getBody()->getTerminator()->getOperands();
    for (auto [init, argument, next, value] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), yielded, loop.getResults())) {
      proposeFrom(argument, init);
      proposeFrom(argument, next);
      proposeFrom(value, argument);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (auto [value, yielded] :
             llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
          proposeFrom(value, yielded);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument, next] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands())) {
      proposeFrom(argument, init);
      proposeFrom(argument, next);
    }
    for (auto [value, passed, argument] :
         llvm::zip(loop.getResults(), loop.getConditionOp().getArgs(), loop.getAfterArguments())) {
      proposeFrom(argument, passed);
      proposeFrom(value, argument);
    }
  } else {
    return false;
  }
  return true;
}

void Assigner::forward(Operation *op) {
  if (auto access = accesses.find(op); access != accesses.end())
    return forwardAccess(op, access->second);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return propose(dot.getResult(), dots[op].d, Product);
  if (forwardShape(op) || forwardControl(op))
    return;
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    for (Value value : reduce.getResults())
      if (strength(value) < Weak)
        propose(value, sliceDim(operandHome(reduce.getOperand(0)).getMap(), reduce.getAxis()),
                Weak);
    return;
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return propose(gather.getResult(), operandHome(gather.getIndices()), Weak);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op)) {
    if (strength(histogram.getResult()) < Weak)
      propose(histogram.getResult(),
              defaultLayout(threads, cast<RankedTensorType>(histogram.getType())), Weak);
    return;
  }
  // Assembly may be of scalars.
  if (isa<tile::MapOp, tile::InlineAsmOp>(op) && op->getNumResults() &&
      isa<RankedTensorType>(op->getResult(0).getType())) {
    for (Value value : op->getResults())
      for (Value operand : op->getOperands())
        propose(value, operandHome(operand), std::max(strength(operand), unsigned(Weak)));
    return;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    auto type = cast<RankedTensorType>(scan.getOperand(0).getType());
    for (Value value : scan.getResults())
      if (strength(value) < Loaded)
        propose(value, orderedLayout(threads, type, scan.getAxis()), Loaded);
    return;
  }
  if (op->getNumRegions())
    return;
  // Elementwise: the strongest operand decides.
  Value strongest;
  for (Value operand : op->getOperands())
    if (home(operand) && (!strongest || strength(operand) > strength(strongest)))
      strongest = operand;
  if (strongest)
    for (Value value : op->getResults())
      proposeFrom(value, strongest);
}
