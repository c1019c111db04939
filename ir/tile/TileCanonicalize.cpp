// Canonicalization patterns of the `tile` dialect: rewrites that always make the program simpler
// and never trade one cost for another (those are passes, in ir/transforms). A merged op carries
// the locations of both.
#include "ir/tile/KeepOther.h"
#include "ir/tile/TileOps.h"

#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun::tile;

namespace {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// shape-op(splat x) is a splat of x.
template <typename ShapeOp> struct ShapeOfSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    Location loc = rewriter.getFusedLoc({op.getLoc(), splat.getLoc()});
    Value result = SplatOp::create(rewriter, loc, op.getType(), splat.getSource());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// broadcast(broadcast x) is one broadcast.
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    Location loc = rewriter.getFusedLoc({op.getLoc(), inner.getLoc()});
    Value result = BroadcastOp::create(rewriter, loc, op.getType(), inner.getSource());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// reshape(reshape x) and reshape(expand_dims x) are one reshape, where both keep row-major order.
/// A free order must stay where it is: it has to agree with other reshapes of the same two types.
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const final {
    if (op.getAllowReorder())
      return failure();
    Operation *inner = op.getSource().getDefiningOp();
    if (auto reshape = dyn_cast_if_present<ReshapeOp>(inner)) {
      if (reshape.getAllowReorder())
        return failure();
    } else if (!isa_and_present<ExpandDimsOp>(inner)) {
      return failure();
    }
    Location loc = rewriter.getFusedLoc({op.getLoc(), inner->getLoc()});
    Value source = inner->getOperand(0);
    if (source.getType() != op.getType())
      source = ReshapeOp::create(rewriter, loc, op.getType(), source, /*allow_reorder=*/false);
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// A reshape that only inserts one dimension of size 1 is expand_dims, which analyses understand
/// better.
struct ReshapeToExpandDims : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const final {
    auto from = cast<RankedTensorType>(op.getSource().getType()).getShape();
    auto to = cast<RankedTensorType>(op.getType()).getShape();
    if (op.getAllowReorder() || to.size() != from.size() + 1)
      return failure();
    size_t axis = 0;
    while (axis < from.size() && from[axis] == to[axis])
      ++axis;
    if (to[axis] != 1 || from.drop_front(axis) != to.drop_front(axis + 1))
      return failure();
    rewriter.replaceOpWithNewOp<ExpandDimsOp>(op, op.getType(), op.getSource(), axis);
    return success();
  }
};

/// trans(trans x) is one permutation.
struct TransOfTrans : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getSource().getDefiningOp<TransOp>();
    if (!inner)
      return failure();
    SmallVector<int32_t> order;
    for (int32_t dim : op.getOrder())
      order.push_back(inner.getOrder()[dim]);
    Location loc = rewriter.getFusedLoc({op.getLoc(), inner.getLoc()});
    Value result = TransOp::create(rewriter, loc, op.getType(), inner.getSource(), order);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// trans(expand_dims x) that only moves the new dimension is expand_dims along another axis.
struct TransOfExpandDims : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const final {
    auto expand = op.getSource().getDefiningOp<ExpandDimsOp>();
    if (!expand)
      return failure();
    uint32_t newAxis = 0;
    int32_t previous = -1;
    for (auto [i, dim] : llvm::enumerate(op.getOrder())) {
      if (uint32_t(dim) == expand.getAxis()) {
        newAxis = i;
        continue;
      }
      if (dim < previous)
        return failure();
      previous = dim;
    }
    Location loc = rewriter.getFusedLoc({op.getLoc(), expand.getLoc()});
    Value result = ExpandDimsOp::create(rewriter, loc, op.getType(), expand.getSource(), newAxis);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// split(splat x) is two smaller splats.
struct SplitOfSplat : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const final {
    auto splat = op.getSource().getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    Value half = splat.getSource();
    Location loc = rewriter.getFusedLoc({op.getLoc(), splat.getLoc()});
    if (isa<RankedTensorType>(op.getLhs().getType()))
      half = SplatOp::create(rewriter, loc, op.getLhs().getType(), half);
    rewriter.replaceOp(op, {half, half});
    return success();
  }
};

/// Reducing a dimension of size 1 combines nothing: only the shape changes.
struct ReduceOfUnitDim : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const final {
    auto type = cast<RankedTensorType>(op.getOperand(0).getType());
    // No op takes the scalar out of a 1-D tensor but this one.
    if (type.getRank() == 1 || type.getDimSize(op.getAxis()) != 1)
      return failure();
    SmallVector<Value> results;
    for (auto [operand, result] : llvm::zip(op.getOperands(), op.getOutputs()))
      results.push_back(ReshapeOp::create(rewriter, op.getLoc(), result.getType(), operand,
                                          /*allow_reorder=*/false));
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pointers and memory
//===----------------------------------------------------------------------===//

/// addptr(addptr(p, constant), constant) adds the sum, where the sum needs no more bits than the
/// wider offset has.
struct AddPtrOfConstants : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const final {
    auto inner = op.getBase().getDefiningOp<AddPtrOp>();
    APInt a, b;
    if (!inner || !matchPattern(inner.getOffset(), m_ConstantInt(&a)) ||
        !matchPattern(op.getOffset(), m_ConstantInt(&b)))
      return failure();
    Value wider = a.getBitWidth() > b.getBitWidth() ? inner.getOffset() : op.getOffset();
    unsigned bits = std::max(a.getBitWidth(), b.getBitWidth());
    bool overflow;
    APInt sum = a.sext(bits).sadd_ov(b.sext(bits), overflow);
    if (overflow)
      return failure();
    Location loc = rewriter.getFusedLoc({op.getLoc(), inner.getLoc()});
    Value offset = arith::ConstantOp::create(rewriter, loc, getConstantAttr(wider.getType(), sum));
    Value result = AddPtrOp::create(rewriter, loc, op.getType(), inner.getBase(), offset);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A mask that is all true says nothing; without a mask, neither does `other`; and `other` is 0 by
/// default, which is dropped unless the module is checked.
struct SimplifyLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const final {
    bool dropMask = op.getMask() && matchPattern(op.getMask(), m_One());
    auto isDefault = [&] {
      auto module = op->getParentOfType<ModuleOp>();
      return isPositiveZero(op.getOther()) && !(module && module->hasAttr(kKeepOtherAttr));
    };
    bool dropOther = op.getOther() && (!op.getMask() || dropMask || isDefault());
    if (dropMask || dropOther) {
      rewriter.modifyOpInPlace(op, [&] {
        if (dropOther)
          op.getOtherMutable().clear();
        if (dropMask)
          op.getMaskMutable().clear();
      });
      return success();
    }
    // The folder replaces what has a constant; other element types have a zero nevertheless.
    if (op.getIsVolatile() || !op.getMask() || !matchPattern(op.getMask(), m_Zero()))
      return failure();
    rewriter.replaceOp(op, createZero(rewriter, op.getLoc(), op.getType()));
    return success();
  }
};

/// The mask of a store or an atomic: all true means none, all false means no op.
template <typename MaskedOp> struct SimplifyMasked : OpRewritePattern<MaskedOp> {
  using OpRewritePattern<MaskedOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(MaskedOp op, PatternRewriter &rewriter) const final {
    if (!op.getMask())
      return failure();
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (!matchPattern(op.getMask(), m_Zero()))
      return failure();
    if (op->getNumResults() == 0)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, createZero(rewriter, op.getLoc(), op->getResult(0).getType()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Hints and debugging
//===----------------------------------------------------------------------===//

/// assume(true) and assert(true) say nothing.
template <typename ConditionOp> struct EraseIfTrue : OpRewritePattern<ConditionOp> {
  using OpRewritePattern<ConditionOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ConditionOp op, PatternRewriter &rewriter) const final {
    if (!matchPattern(op.getCondition(), m_One()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<BroadcastOp>, BroadcastOfBroadcast>(context);
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ExpandDimsOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ReshapeOp>, ReshapeOfReshape, ReshapeToExpandDims>(context);
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<TransOp>, TransOfTrans, TransOfExpandDims>(context);
}

void SplitOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplitOfSplat>(context);
}

void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddPtrOfConstants>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyLoad>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyMasked<StoreOp>>(context);
}

void AtomicRMWOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyMasked<AtomicRMWOp>>(context);
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReduceOfUnitDim>(context);
}

void AssumeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<EraseIfTrue<AssumeOp>>(context);
}

void AssertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<EraseIfTrue<AssertOp>, SimplifyMasked<AssertOp>>(context);
}
