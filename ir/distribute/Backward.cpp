// Backward: carried values that nothing has decided take the layout that their users need. Then
// values that still have no layout, but must have one, get it.
#include "ir/distribute/Assigner.h"
#include "ir/layout/TensorLayout.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void Assigner::backward(Block &block) {
  for (Operation &op : llvm::reverse(block))
    backward(&op);
}

void Assigner::backward(Operation *op) {
  if (auto access = accesses.find(op); access != accesses.end()) {
    LayoutAttr layout = intern(access->second.layout);
    for (Value operand : op->getOperands())
      need(operand, layout);
    return;
  }
  if (op->getNumRegions() && !isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op)) {
    // Loop-carried values: a user after the loop, or one inside it.
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [value, argument, next] :
           llvm::zip(loop.getResults(), loop.getRegionIterArgs(), loop.getYieldedValues())) {
        LayoutAttr after = wanted(value);
        if (LayoutAttr layout = after ? after : wanted(argument)) {
          need(argument, layout);
          need(next, layout);
        }
      }
    }
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults())
      for (auto [value, yes, no] : llvm::zip(branch.getResults(), branch.thenYield().getResults(),
                                             branch.elseYield().getResults()))
        if (LayoutAttr layout = wanted(value)) {
          need(yes, layout);
          need(no, layout);
        }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [value, argument, passed] :
           llvm::zip(loop.getResults(), loop.getAfterArguments(), loop.getConditionOp().getArgs()))
        if (LayoutAttr layout = wanted(value)) {
          need(argument, layout);
          need(passed, layout);
        }
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        backward(block);
    return;
  }
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return;
  LayoutAttr layout = wanted(op->getResult(0));
  if (!layout)
    return;
  const LinearLayout &map = layout.getMap();
  auto needSource = [&](const LinearLayout &source) {
    need(op->getOperand(0), intern(canonical(source)));
  };
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return needSource(expandDimsSource(map, expand.getAxis()));
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return needSource(transSource(map, trans.getOrder()));
  if (isa<tile::ReshapeOp, tile::BroadcastOp>(op)) {
    auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
    return needSource(isa<tile::ReshapeOp>(op) ? reshapeSource(map, shape)
                                               : broadcastSource(map, shape));
  }
  if (isa<tile::JoinOp, tile::SplitOp, tile::CatOp, tile::ReduceOp, tile::ScanOp, tile::DotOp,
          tile::GatherOp, tile::HistogramOp>(op))
    return;
  for (Value operand : op->getOperands())
    need(operand, layout);
}

void Assigner::settle(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || home(value))
    return;
  LayoutAttr needed = needs.lookup(value);
  homes[value] = {needed ? needed : intern(defaultLayout(threads, type)), Weak};
}

/// Gives a layout to everything that crosses a region's boundary.
void Assigner::settleRest() {
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [value, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs())) {
        settle(argument);
        if (LayoutAttr layout = home(argument); layout && !home(value))
          homes[value] = {layout, Weak};
      }
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (Value argument : loop.getBeforeArguments())
        settle(argument);
      // The condition's operands are the results, too: one layout for both.
      for (auto [value, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments())) {
        settle(argument);
        if (LayoutAttr layout = home(argument))
          homes[value] = {layout, Weak};
      }
    }
    if (isa<scf::IfOp>(op))
      for (Value value : op->getResults())
        settle(value);
  });
}

/// Values without a layout are computed by recursion from their users: a long chain of them gets a
/// layout here and there, which bounds its depth.
void Assigner::cutChains(ArrayRef<Operation *> ops) {
  constexpr unsigned kMaxChain = 100;
  llvm::DenseMap<Value, unsigned> depths;
  for (Operation *op : ops) {
    if (op->getNumRegions())
      continue;
    unsigned depth = 0;
    for (Value operand : op->getOperands())
      depth = std::max(depth, depths.lookup(operand));
    for (Value value : op->getResults()) {
      if (!isa<RankedTensorType>(value.getType()) || home(value))
        continue;
      if (depth < kMaxChain)
        depths[value] = depth + 1;
      else
        settle(value);
    }
  }
}

void Assigner::leaveOut(tile::DotOp scaled) {
  llvm::SmallPtrSet<Value, 4> read;
  SmallVector<Value> work{scaled.getA(), scaled.getB()};
  for (auto [operand, inner] : {std::pair(scaled.getA(), 1u), std::pair(scaled.getB(), 0u)}) {
    auto found = findScaled(operand, inner);
    read.insert(found->elements);
    read.insert(found->scales);
  }
  // An operand comes after all of its users that are left out, too, or it is computed.
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool isLeftOut = op && op->getNumResults() == 1 && !read.contains(value) &&
                     llvm::all_of(op->getUsers(), [&](Operation *user) {
                       return user == scaled ||
                              (user->getNumResults() == 1 && unread.contains(user->getResult(0)));
                     });
    if (!isLeftOut || !unread.insert(value).second)
      continue;
    homes.erase(value);
    work.append(op->operand_begin(), op->operand_end());
  }
}
