// tile-reorder-broadcast: elementwise work is done on the smallest tensor that holds all the
// different values, and stretched afterwards.
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEREORDERBROADCAST
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {

/// Whether `op` computes each element of its one tensor result from the operands' elements at the
/// same place.
bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0 &&
         op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         isMemoryEffectFree(op);
}

/// The attribute of a tensor constant with one value everywhere.
SplatElementsAttr getSplatConstant(Value value) {
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat;
  return {};
}

bool isScalar(Value value) { return !isa<ShapedType>(value.getType()); }

/// Clones the elementwise `op` on `operands`, whose shape is that of `shape` (a tensor, or any
/// scalar type).
Value cloneWithShape(PatternRewriter &rewriter, Operation *op, ArrayRef<Value> operands, Type shape,
                     Location loc) {
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(op->getOperands(), operands))
    mapping.map(from, to);
  Operation *clone = rewriter.clone(*op, mapping);
  rewriter.modifyOpInPlace(clone, [&] {
    clone->setLoc(loc);
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    clone->getResult(0).setType(withElementType(shape, element));
  });
  return clone->getResult(0);
}

/// op(splat x, splat y, constant) → splat(op(x, y, constant)).
struct ElementwiseOfSplats : RewritePattern {
  ElementwiseOfSplats(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if (!isElementwise(op))
      return failure();
    SmallVector<Location> locs{op->getLoc()};
    for (Value operand : op->getOperands()) {
      if (auto splat = operand.getDefiningOp<SplatOp>())
        locs.push_back(splat.getLoc());
      else if (!isScalar(operand) && !getSplatConstant(operand))
        return failure();
    }
    // Constants alone are for the folder.
    if (locs.size() == 1)
      return failure();
    Location loc = rewriter.getFusedLoc(locs);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto splat = operand.getDefiningOp<SplatOp>())
        operand = splat.getSource();
      else if (SplatElementsAttr constant = getSplatConstant(operand))
        operand = arith::ConstantOp::create(rewriter, operand.getLoc(),
                                            cast<TypedAttr>(constant.getSplatValue<Attribute>()));
      operands.push_back(operand);
    }
    Type resultType = op->getResult(0).getType();
    Value scalar = cloneWithShape(rewriter, op, operands, getElementTypeOrSelf(resultType), loc);
    rewriter.replaceOpWithNewOp<SplatOp>(op, resultType, scalar);
    return success();
  }
};

/// op(broadcast x, broadcast y, splat z) → broadcast(op(x, y, splat z)), where x and y have one
/// shape.
struct ElementwiseOfBroadcasts : RewritePattern {
  ElementwiseOfBroadcasts(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if (!isElementwise(op))
      return failure();
    RankedTensorType small;
    SmallVector<Location> locs{op->getLoc()};
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        auto source = cast<RankedTensorType>(broadcast.getSource().getType());
        if (small && small.getShape() != source.getShape())
          return failure();
        small = source;
        locs.push_back(broadcast.getLoc());
      } else if (!isScalar(operand) && !operand.getDefiningOp<SplatOp>() &&
                 !getSplatConstant(operand)) {
        return failure();
      }
    }
    if (!small)
      return failure();
    Location loc = rewriter.getFusedLoc(locs);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Type type = withElementType(small, getElementTypeOrSelf(operand.getType()));
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
        operand = broadcast.getSource();
      else if (auto splat = operand.getDefiningOp<SplatOp>())
        operand = SplatOp::create(rewriter, splat.getLoc(), type, splat.getSource());
      else if (SplatElementsAttr constant = getSplatConstant(operand))
        operand = arith::ConstantOp::create(rewriter, operand.getLoc(),
                                            constant.resizeSplat(cast<ShapedType>(type)));
      operands.push_back(operand);
    }
    Value result = cloneWithShape(rewriter, op, operands, small, loc);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op->getResult(0).getType(), result);
    return success();
  }
};

/// expand_dims(broadcast x) → broadcast(expand_dims x).
struct ExpandDimsOfBroadcast : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const final {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    Location loc = rewriter.getFusedLoc({op.getLoc(), broadcast.getLoc()});
    Value small = ExpandDimsOp::create(rewriter, loc, broadcast.getSource(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), small);
    return success();
  }
};

/// trans(broadcast x) → broadcast(trans x).
struct TransOfBroadcast : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const final {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    Location loc = rewriter.getFusedLoc({op.getLoc(), broadcast.getLoc()});
    Value small = TransOp::create(rewriter, loc, broadcast.getSource(), op.getOrder());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), small);
    return success();
  }
};

struct ReorderBroadcastPass : public tilerun::impl::TileReorderBroadcastBase<ReorderBroadcastPass> {
  void runOnOperation() final {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns
        .add<ElementwiseOfSplats, ElementwiseOfBroadcasts, ExpandDimsOfBroadcast, TransOfBroadcast>(
            context);
    // Folds that these patterns enable belong to the same fixed point: splats and broadcasts that
    // meet merge.
    for (StringRef name : {BroadcastOp::getOperationName(), ExpandDimsOp::getOperationName(),
                           TransOp::getOperationName()})
      RegisteredOperationName::lookup(name, context)
          ->getCanonicalizationPatterns(patterns, context);
    // A program that needs more rounds than the driver allows is correct nevertheless.
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
