// tile-loop-simplify: upstream's simplifications of structured control flow and hoisting, and the
// removal of carried values that nothing but their own next value reads.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

#include "llvm/ADT/SetVector.h"

namespace tilerun {
#define GEN_PASS_DEF_TILELOOPSIMPLIFY
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;

namespace {

/// Which carried values of `loop` matter: those whose result is used, those that reach something
/// with an effect, and those that the ones that matter are computed from.
llvm::SmallBitVector findLiveCarried(scf::ForOp loop) {
  unsigned count = loop.getNumRegionIterArgs();
  llvm::SmallBitVector live(count);
  auto yielded = cast<scf::YieldOp>(loop.getBody()->getTerminator()).getOperands();

  llvm::SmallSetVector<Operation *, 16> worklist;
  auto readsValue = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0)
        live.set(argument.getArgNumber() - 1);
      return;
    }
    // An op in a nested region belongs to the op of the loop's body that holds it.
    if (Operation *producer = loop.getBody()->findAncestorOpInBlock(*value.getDefiningOp()))
      worklist.insert(producer);
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      worklist.insert(&op);
  for (unsigned i = 0; i < count; ++i)
    if (!loop.getResult(i).use_empty())
      live.set(i);

  llvm::SmallBitVector followed(count);
  llvm::SmallPtrSet<Operation *, 16> visited;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i : live.set_bits())
      if (!followed.test(i)) {
        followed.set(i);
        readsValue(yielded[i]);
        changed = true;
        break;
      }
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!visited.insert(op).second)
        continue;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          readsValue(operand);
      });
      changed = true;
    }
  }
  return live;
}

/// Drops carried values that do not matter. Upstream folds carried values that do not change; this
/// is for those that change, to no effect.
struct DropDeadCarried : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const final {
    if (loop.getNumRegionIterArgs() == 0)
      return failure();
    llvm::SmallBitVector live = findLiveCarried(loop);
    if (live.all())
      return failure();

    SmallVector<Value> inits;
    for (unsigned i : live.set_bits())
      inits.push_back(loop.getInitArgs()[i]);
    auto newLoop = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                      loop.getUpperBound(), loop.getStep(), inits,
                                      /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
    newLoop->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *body = newLoop.getBody();
    // Without carried values the builder adds a terminator; the old body brings its own.
    if (!body->empty())
      rewriter.eraseOp(body->getTerminator());
    SmallVector<Value> arguments{newLoop.getInductionVar()};
    SmallVector<Value> results;
    unsigned next = 0;
    for (unsigned i = 0; i < live.size(); ++i) {
      // A dead one is still read by dead ops, which go away with the next round of cleaning.
      arguments.push_back(live.test(i) ? Value(newLoop.getRegionIterArg(next))
                                       : loop.getInitArgs()[i]);
      results.push_back(live.test(i) ? newLoop.getResult(next) : loop.getInitArgs()[i]);
      next += live.test(i);
    }
    rewriter.mergeBlocks(loop.getBody(), body, arguments);
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    SmallVector<Value> yielded;
    for (unsigned i : live.set_bits())
      yielded.push_back(yield.getOperand(i));
    rewriter.modifyOpInPlace(yield, [&] { yield.getResultsMutable().assign(yielded); });
    rewriter.replaceOp(loop, results);
    return success();
  }
};

struct LoopSimplifyPass : public tilerun::impl::TileLoopSimplifyBase<LoopSimplifyPass> {
  void runOnOperation() final {
    MLIRContext *context = &getContext();
    // Inner loops first, so that what leaves one can leave the next.
    getOperation()->walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });

    RewritePatternSet patterns(context);
    patterns.add<DropDeadCarried>(context);
    scf::ForOp::getCanonicalizationPatterns(patterns, context);
    scf::IfOp::getCanonicalizationPatterns(patterns, context);
    scf::WhileOp::getCanonicalizationPatterns(patterns, context);
    // A program that needs more rounds than the driver allows is correct nevertheless.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
