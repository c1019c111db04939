// tile-combine: patterns that merge neighbouring ops. Unlike canonicalizations they look for shapes
// that kernels have, not for a normal form.
#include "ir/tile/TileOps.h"
#include "ir/tile/TileUtils.h"
#include "ir/transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilerun {
#define GEN_PASS_DEF_TILECOMBINE
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {

/// dot(a, b, 0) + c → dot(a, b, c), for floats and integers. The product may have one use only, and
/// in the same block, else it would be computed more often.
template <typename AddOp> struct AccumulateDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const final {
    for (auto [product, addend] :
         {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      // A bound on imprecise accumulation counts from the accumulator, so it would change meaning.
      if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock() ||
          dot.getMaxImprecise() != 0)
        continue;
      if (!matchPattern(dot.getAcc(), m_Zero()) && !matchPattern(dot.getAcc(), m_AnyZeroFloat()))
        continue;
      Location loc = rewriter.getFusedLoc({add.getLoc(), dot.getLoc()});
      auto merged = DotOp::create(rewriter, loc, dot.getType(), dot.getA(), dot.getB(), addend,
                                  dot.getPrecision(), dot.getMaxImprecise());
      rewriter.replaceOp(add, merged.getResult());
      rewriter.eraseOp(dot);
      return success();
    }
    return failure();
  }
};

/// select(m, load(p, mask m), v) → load(p, mask m, other v). The old `other` does not matter:
/// select took v there.
struct SelectOfMaskedLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const final {
    auto load = select.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load->hasOneUse() || load.getIsVolatile() || !load.getMask() ||
        load.getMask() != select.getCondition())
      return failure();
    // The load stays where it is, since memory may change after it; so v has to be there already.
    if (!DominanceInfo().properlyDominates(select.getFalseValue(), load))
      return failure();
    rewriter.setInsertionPoint(load);
    Location loc = rewriter.getFusedLoc({load.getLoc(), select.getLoc()});
    auto merged = LoadOp::create(rewriter, loc, load.getType(), load.getPtr(), load.getMask(),
                                 select.getFalseValue(), load.getCache(), load.getEvict(),
                                 /*is_volatile=*/false);
    rewriter.replaceOp(select, merged.getResult());
    rewriter.eraseOp(load);
    return success();
  }
};

/// load(p, mask m, other select(m, a, b)) → load(p, mask m, other b): only lanes that m leaves out
/// read `other`.
struct OtherOfSelect : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const final {
    if (!load.getOther())
      return failure();
    auto select = load.getOther().getDefiningOp<arith::SelectOp>();
    if (!select || select.getCondition() != load.getMask())
      return failure();
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(select.getFalseValue()); });
    return success();
  }
};

/// store(p, select(c, v, x), mask m) → store(p, v, mask m), where m selects no lane that c does
/// not.
template <typename WriteOp> struct WriteOfSelect : OpRewritePattern<WriteOp> {
  using OpRewritePattern<WriteOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(WriteOp write, PatternRewriter &rewriter) const final {
    auto select = write.getValue().template getDefiningOp<arith::SelectOp>();
    if (!select || !write.getMask() || !maskImplies(write.getMask(), select.getCondition()))
      return failure();
    rewriter.modifyOpInPlace(write, [&] { write.getValueMutable().assign(select.getTrueValue()); });
    return success();
  }
};

/// select(c, true, false) → c for tensors; the folder of arith.select knows scalars only. select(c,
/// m, false) is not `and`: where c is false, select does not look at m, which may be poison.
struct SelectOfTrueFalse : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const final {
    if (select.getType() != select.getCondition().getType() ||
        !matchPattern(select.getTrueValue(), m_One()) ||
        !matchPattern(select.getFalseValue(), m_Zero()))
      return failure();
    rewriter.replaceOp(select, select.getCondition());
    return success();
  }
};

/// and(m, n) where n already implies m → n.
struct ImpliedConjunct : OpRewritePattern<arith::AndIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AndIOp conjunction, PatternRewriter &rewriter) const final {
    Value lhs = conjunction.getLhs(), rhs = conjunction.getRhs();
    if (maskImplies(lhs, rhs))
      rewriter.replaceOp(conjunction, lhs);
    else if (maskImplies(rhs, lhs))
      rewriter.replaceOp(conjunction, rhs);
    else
      return failure();
    return success();
  }
};

struct CombinePass : public tilerun::impl::TileCombineBase<CombinePass> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<AccumulateDot<arith::AddFOp>, AccumulateDot<arith::AddIOp>, SelectOfMaskedLoad,
                 OtherOfSelect, WriteOfSelect<StoreOp>, WriteOfSelect<AtomicRMWOp>,
                 SelectOfTrueFalse, ImpliedConjunct>(&getContext());
    // A program that needs more rounds than the driver allows is correct nevertheless.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
