// See SplitTensors.h. Reductions and stores are sinks; neighbouring ones that do not need each
// other's results share a loop. An iteration computes, from the loads on, one part of what its
// sinks want. So a later loop loads again what an earlier one has loaded, which is allowed only
// where nothing is written in between.
//
// A part is stored before the next one is loaded. So a kernel stays as it is if it stores at other
// addresses of a pointer than it loads in the same loop. Two parameters may still be one tensor;
// then elements of one index keep their order.
#include "ir/distribute/SplitTensors.h"
#include "ir/distribute/DistributeDialect.h"
#include "ir/distribute/LayoutAssignment.h"
#include "ir/distribute/Passes.h"
#include "ir/distribute/ProgramOptions.h"
#include "ir/distribute/Splitter.h"
#include "ir/tile/TileOps.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilerun {
#define GEN_PASS_DEF_TILESPLIT
#include "ir/distribute/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun;
using namespace tilerun::split;

/// Ops that compute each element of their results from the same elements of their operands.
static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

static bool canBeSplit(Operation *op) {
  return isElementwise(op) || isa<arith::ConstantOp, tile::MakeRangeOp, tile::SplatOp,
                                  tile::ExpandDimsOp, tile::BroadcastOp, tile::HintOp>(op);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

bool Splitter::canSplit(Value value, unsigned dim, Group &group, unsigned depth) {
  constexpr unsigned kMaxDepth = 200;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth || type.getDimSize(dim) % group.parts)
    return false;
  // Once is enough.
  if (!built.try_emplace({value, dim}, value).second)
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<tile::MakeRangeOp, tile::SplatOp>(op))
    return true;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return dim != expand.getAxis() &&
           canSplit(expand.getSource(), dim - (dim > expand.getAxis()), group, depth + 1);
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto source = cast<RankedTensorType>(broadcast.getSource().getType());
    if (source.getDimSize(dim) == 1)
      return !isLarge(source);
    return canSplit(broadcast.getSource(), dim, group, depth + 1);
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto it = epochs.find(op);
    if (op->getBlock() != group.block || tile::isObserving(load) || it == epochs.end() ||
        it->second != group.epoch ||
        llvm::any_of(group.members, [&](auto &m) { return m.first == op && m.second != dim; }))
      return false;
    group.members.push_back({op, dim});
  } else if (!isElementwise(op) && !isa<tile::HintOp>(op)) {
    return false;
  }
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canSplit(operand, dim, group, depth + 1); });
}

bool Splitter::canCombine(tile::ReduceOp op) {
  if (!isa<RankedTensorType>(op->getResult(0).getType()))
    return true;
  // Of tensors, only what needs nothing but the two sides.
  Block &body = op.getCombine().front();
  return llvm::all_of(body.without_terminator(),
                      [&](Operation &inner) {
                        return isElementwise(&inner) &&
                               llvm::all_of(inner.getOperands(), [&](Value operand) {
                                 return operand.getParentBlock() == &body;
                               });
                      }) &&
         llvm::all_of(body.getTerminator()->getOperands(),
                      [&](Value value) { return value.getParentBlock() == &body; });
}

/// The pointer that addresses are computed from.
static Value getBase(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (!isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::HintOp>(
            op))
      break;
    address = op->getOperand(0);
  }
  return address;
}

/// Whether addresses may be of one tensor: two parameters are taken for two tensors; of anything
/// else nothing is known.
static bool mayOverlap(Value x, Value y) {
  auto isParameter = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  };
  x = getBase(x);
  y = getBase(y);
  return x == y || !isParameter(x) || !isParameter(y);
}

/// Whether a part that is stored may be what a later part loads, or the other way round.
bool Splitter::maySwap(const Group &group) {
  for (auto [op, dim] : group.members)
    if (auto load = dyn_cast<tile::LoadOp>(op))
      for (Operation *sink : group.sinks)
        if (auto store = dyn_cast<tile::StoreOp>(sink))
          if (load.getPtr() != store.getPtr() && mayOverlap(load.getPtr(), store.getPtr()))
            return true;
  return false;
}

bool Splitter::addSink(Operation *op, Group &group) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  unsigned dim = 0;
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    dim = reduce.getAxis();
    if (!canCombine(reduce))
      return false;
  } else {
    for (unsigned i = 1; i < type.getRank(); ++i)
      if (type.getDimSize(i) > type.getDimSize(dim))
        dim = i;
  }
  // Of two stores of one place the later one counts: such small ones stay in their places.
  if (auto store = dyn_cast<tile::StoreOp>(op);
      store && llvm::any_of(delayed, [&](Operation *small) {
        return mayOverlap(cast<tile::StoreOp>(small).getPtr(), store.getPtr());
      })) {
    finish(group);
    delayed.clear();
    ++epoch;
  }
  int64_t wanted = std::min(type.getNumElements() / part, type.getDimSize(dim));
  if (!group.sinks.empty() && (group.parts != wanted || group.dim != dim))
    finish(group);
  if (group.sinks.empty()) {
    group.block = op->getBlock();
    group.parts = wanted;
    group.dim = dim;
    group.epoch = epoch;
  }
  if (!llvm::all_of(op->getOperands(),
                    [&](Value operand) { return canSplit(operand, dim, group); }))
    return false;
  group.sinks.push_back(op);
  group.members.push_back({op, dim});
  return !maySwap(group);
}

void Splitter::finish(Group &group) {
  if (!group.sinks.empty()) {
    llvm::sort(group.members, [](const auto &x, const auto &y) {
      return x.first == y.first ? x.second < y.second : x.first->isBeforeInBlock(y.first);
    });
    for (Operation *store : delayed)
      if (store->isBeforeInBlock(group.sinks.back()))
        group.delayed.push_back(store);
    epoch += llvm::any_of(group.sinks, [](Operation *op) { return isa<tile::StoreOp>(op); });
    groups.push_back(group);
  }
  group = Group();
  built.clear();
}

bool Splitter::plan(Block &block) {
  Group group;
  for (Operation &op : block) {
    // Users of a result of the group come after its loop.
    bool needsGroup = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        needsGroup |= llvm::is_contained(group.sinks, operand.getDefiningOp());
    });
    if (needsGroup)
      finish(group);
    if (isa<tile::StoreOp, tile::ReduceOp>(op) && isLarge(op.getOperand(0).getType())) {
      if (llvm::any_of(op.getResultTypes(), [&](Type type) { return isLarge(type); }) ||
          !addSink(&op, group))
        return false;
      continue;
    }
    if (isa<tile::StoreOp>(op)) {
      delayed.push_back(&op);
      continue;
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      // Earlier stores are visible, so they stay in place.
      if (!delayed.empty()) {
        finish(group);
        delayed.clear();
        ++epoch;
      }
      epochs[&op] = epoch;
      if (!tile::isObserving(load))
        continue;
    }
    if (touchesLarge(&op) && !canBeSplit(&op))
      return false;
    if (isMemoryEffectFree(&op) || isa<tile::AssumeOp>(op))
      continue;
    finish(group);
    delayed.clear();
    ++epoch;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (!plan(inner))
          return false;
    delayed.clear();
    ++epoch;
  }
  finish(group);
  return true;
}

void Splitter::run() {
  bool any = false;
  kernel.walk([&](Operation *op) { any |= touchesLarge(op); });
  if (!any || !plan(kernel.getBody().front()))
    return;
  for (Group &group : groups)
    emit(group);
  // Users before what they use.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

void tilerun::splitTensors(ModuleOp module, int64_t most, int64_t part) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::TileDialect::kKernelAttr) && function.getBody().hasOneBlock() &&
        !distribute::keepsLayouts(function))
      Splitter(function, most, part).run();
}

namespace {
struct SplitPass : public tilerun::impl::TileSplitBase<SplitPass> {
  using TileSplitBase::TileSplitBase;

  void runOnOperation() final {
    FailureOr<distribute::Program> program = distribute::getProgram(getOperation());
    if (failed(program) || failed(distribute::checkExpanded(getOperation(), "tile-split")))
      return signalPassFailure();
    constexpr int64_t kMost = 65536; // more than any thread holds, and far from overflows
    auto check = [&](StringRef option, int64_t value, int64_t least, int64_t limit) {
      if (llvm::isPowerOf2_64(value) && value >= least && value <= limit)
        return true;
      getOperation().emitError("tile-split: ")
          << option << "=" << value << " is not a power of two from " << least << " to " << limit;
      return false;
    };
    // A part of more than `most` elements would be more than the tensor.
    if (!check("most", most, 1, kMost) || !check("part", part, 1, most))
      return signalPassFailure();
    int64_t threads = int64_t(program->numWarps) * program->target->warpSize;
    splitTensors(getOperation(), threads * most, threads * part);
  }
};
} // namespace
