// See Prefetch.h.
#include "ir/schedule/Prefetch.h"
#include "ir/analysis/AffineForm.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/Rings.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {

/// The loads of one loop that are made early, and what their addresses and masks depend on.
struct EarlyLoads {
  scf::ForOp loop;
  SmallVector<tile::LoadOp> loads;
  LoopSlice slice;

  EarlyLoads(scf::ForOp loop, Choice choice);
  void apply();

private:
  bool isVector(tile::LoadOp load) const;
  /// The loads as `map` has their operands, where `when` holds.
  SmallVector<Value> load(OpBuilder &b, IRMapping &map, Value when) const;
  SmallVector<Value> loadNext(OpBuilder &b, scf::ForOp now) const;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// Whether another load of the loop's body needs `load` for its address or mask.
static bool isAddress(tile::LoadOp load, scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<tile::LoadOp>(), [&](tile::LoadOp other) {
    LoopSlice slice;
    return other != load && slice.add(loop, other) == load;
  });
}

/// Whether the loop is known to have so few iterations that those before them are most of it.
static bool isShort(scf::ForOp loop) {
  constexpr int64_t kFew = 4;
  AffineForms forms(loop);
  std::optional<AffineForm> lower = forms.get(loop.getLowerBound()),
                            upper = forms.get(loop.getUpperBound());
  APInt step;
  if (!lower || !upper || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  std::optional<int64_t> length = (upper->uniform - lower->uniform).getConstant();
  return length && *length <= kFew * step.getSExtValue();
}

/// More elements than this take as many registers as a tile does, in layouts of products.
static constexpr int64_t kMostElements = 128;

bool EarlyLoads::isVector(tile::LoadOp load) const {
  auto type = cast<RankedTensorType>(load.getType());
  return type.getRank() == 1 && type.getNumElements() <= kMostElements;
}

EarlyLoads::EarlyLoads(scf::ForOp loop, Choice choice) : loop(loop) {
  if (loop.getUnsignedCmp() || (choice == Choice::Auto && isShort(loop)))
    return;
  const LoopHazards hazards(loop);
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (!isa<RankedTensorType>(load.getType()) || tile::isObserving(load) ||
        (choice == Choice::Auto && !isVector(load)) ||
        feedsProduct(load.getResult(), loop.getBody()) || hazards.find(load) ||
        isAddress(load, loop))
      continue;
    LoopSlice wider = slice;
    // Past the end of the loop a divisor may be 0.
    if (wider.add(loop, load) || llvm::any_of(wider.ops, tile::isDivision))
      continue;
    slice = std::move(wider);
    loads.push_back(load);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> EarlyLoads::load(OpBuilder &b, IRMapping &map, Value when) const {
  for (Operation *op : slice.inOrder())
    b.clone(*op, map);
  SmallVector<Value> loaded;
  for (tile::LoadOp load : loads) {
    auto type = cast<RankedTensorType>(load.getType());
    Value mask = tile::SplatOp::create(b, load.getLoc(), type.clone(b.getI1Type()), when);
    if (Value own = load.getMask())
      mask = arith::AndIOp::create(b, load.getLoc(), map.lookupOrDefault(own), mask);
    auto early = cast<tile::LoadOp>(b.clone(*load, map));
    early.getMaskMutable().assign(mask);
    loaded.push_back(early.getResult());
  }
  return loaded;
}

SmallVector<Value> EarlyLoads::loadNext(OpBuilder &b, scf::ForOp now) const {
  Location loc = now.getLoc();
  Value next = arith::AddIOp::create(b, loc, now.getInductionVar(), now.getStep());
  auto isLess = [&](Value x, Value y) {
    return Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y));
  };
  // Iterations end at the largest integer, whatever the sum is.
  Value exists = arith::AndIOp::create(b, loc, isLess(now.getInductionVar(), next),
                                       isLess(next, now.getUpperBound()));
  IRMapping current, following;
  for (Operation *op : slice.inOrder())
    if (!slice.carried.empty())
      b.clone(*op, current);
  following.map(now.getInductionVar(), next);
  for (unsigned index : slice.carried)
    following.map(now.getRegionIterArg(index),
                  current.lookupOrDefault(now.getBody()->getTerminator()->getOperand(index)));
  return load(b, following, exists);
}

void EarlyLoads::apply() {
  IRRewriter b(loop);
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (unsigned index : slice.carried)
    first.map(loop.getRegionIterArg(index), loop.getInitArgs()[index]);
  Value runs = arith::CmpIOp::create(b, loop.getLoc(), arith::CmpIPredicate::slt,
                                     loop.getLowerBound(), loop.getUpperBound());
  SmallVector<Value> inits = load(b, first, runs);
  const unsigned own = loop.getNumRegionIterArgs();
  for (tile::LoadOp load : loads)
    emitRemark(load, RemarkName::LoadPrefetched,
               "the load is made one iteration early and carried in registers",
               /*isMissed=*/false);
  auto replaced = *loop.replaceWithAdditionalYields(
      b, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return inits; });
  auto carrying = cast<scf::ForOp>(replaced.getOperation());
  b.setInsertionPointToStart(carrying.getBody());
  SmallVector<Value> next = loadNext(b, carrying);
  Operation *yield = carrying.getBody()->getTerminator();
  for (auto [i, load] : llvm::enumerate(loads)) {
    yield->setOperand(own + i, next[i]);
    b.replaceOp(load, carrying.getRegionIterArg(own + i));
  }
}

void schedule::prefetch(func::FuncOp kernel, const distribute::Program &program, Choice choice) {
  if (choice == Choice::Off || (choice == Choice::Auto && !program.target->hasAsyncCopy))
    return;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<tile::DotOp>().empty())
      loops.push_back(loop);
  });
  // Several such loops leave fewer registers to each.
  if (choice == Choice::Auto &&
      (loops.size() != 1 || askedSlots(loops.front(), program.numStages) < 2))
    return;
  for (scf::ForOp loop : loops)
    if (EarlyLoads early(loop, choice); !early.loads.empty())
      early.apply();
}
