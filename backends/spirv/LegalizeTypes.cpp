// Arithmetic on types that the target does not compute in, rewritten to types that it does: 8- and
// 16-bit integers in 32 bits, 16-bit floats in float32, and every conversion between floats that is
// not an instruction as integer arithmetic. Works on vectors of registers. All that is left of such
// types are constants, moves, accesses, and extensions and truncations of integers (see
// Patterns.h).
#include "backends/spirv/LegalizeTypes.h"
#include "backends/spirv/SmallFloat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// A constant of 32 bits, or a vector of it.
Value wordLike(OpBuilder &b, Location loc, Type type, uint32_t value) {
  TypedAttr word = b.getI32IntegerAttr(static_cast<int32_t>(value));
  if (auto shaped = dyn_cast<ShapedType>(type))
    word = DenseElementsAttr::get(shaped, Attribute(word));
  return arith::ConstantOp::create(b, loc, word);
}

/// An op of integers of 8 or 16 bits in 32 of them.
template <typename Op, bool Signed> struct WidenInteger : OpRewritePattern<Op> {
  WidenInteger(MLIRContext *context, const Target &target)
      : OpRewritePattern<Op>(context), target(target) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Value first = op->getOperand(0);
    if (computes(elementOf(first), target))
      return failure();
    Location loc = op.getLoc();
    Type wide = typeLike(first.getType(), rewriter.getI32Type());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(Signed ? Value(arith::ExtSIOp::create(rewriter, loc, wide, operand))
                                : Value(arith::ExtUIOp::create(rewriter, loc, wide, operand)));
    if constexpr (std::is_same_v<Op, arith::CmpIOp>) {
      rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(), operands[0], operands[1]);
    } else {
      // Overflow of the narrow type is not overflow of the wide one: flags are left out.
      Value result = Op::create(rewriter, loc, wide, operands);
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op->getResult(0).getType(), result);
    }
    return success();
  }
  const Target &target;
};

struct WidenCompare : OpRewritePattern<arith::CmpIOp> {
  WidenCompare(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const final {
    using P = arith::CmpIPredicate;
    const P p = op.getPredicate();
    if (p == P::slt || p == P::sle || p == P::sgt || p == P::sge)
      return WidenInteger<arith::CmpIOp, true>(getContext(), target).matchAndRewrite(op, rewriter);
    return WidenInteger<arith::CmpIOp, false>(getContext(), target).matchAndRewrite(op, rewriter);
  }
  const Target &target;
};

/// An extension of what was computed in 32 bits, by shifts or a mask: drivers that see a narrow
/// integer there fold a negation into its extension, and the smallest number has another sign then.
template <typename Op> struct ExtendWord : OpRewritePattern<Op> {
  ExtendWord(MLIRContext *context, const Target &) : OpRewritePattern<Op>(context) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto choice = op.getIn().template getDefiningOp<arith::SelectOp>();
    if (choice && isa<IntegerType>(elementOf(choice)) && !elementOf(choice).isInteger(1)) {
      Value x = Op::create(rewriter, loc, op.getType(), choice.getTrueValue());
      Value y = Op::create(rewriter, loc, op.getType(), choice.getFalseValue());
      rewriter.replaceOpWithNewOp<arith::SelectOp>(op, choice.getCondition(), x, y);
      return success();
    }
    auto truncation = op.getIn().template getDefiningOp<arith::TruncIOp>();
    if (!truncation || elementOf(op.getIn()).getIntOrFloatBitWidth() >= 32 ||
        elementOf(op.getIn()).isInteger(1))
      return failure();
    Value word = truncation.getIn();
    if (elementOf(word).isInteger(64))
      word = arith::TruncIOp::create(rewriter, loc, typeLike(word.getType(), rewriter.getI32Type()),
                                     word);
    if (!elementOf(word).isInteger(32))
      return failure();
    const unsigned bits = elementOf(op.getIn()).getIntOrFloatBitWidth();
    auto number = [&](uint32_t value) { return wordLike(rewriter, loc, word.getType(), value); };
    if constexpr (std::is_same_v<Op, arith::ExtSIOp>) {
      Value count = number(32 - bits);
      word = arith::ShLIOp::create(rewriter, loc, word, count);
      word = arith::ShRSIOp::create(rewriter, loc, word, count);
    } else {
      word = arith::AndIOp::create(rewriter, loc, word, number((1u << bits) - 1));
    }
    const unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    if (width == 32)
      rewriter.replaceOp(op, word);
    else if (width > 32)
      rewriter.replaceOpWithNewOp<Op>(op, op.getType(), word);
    else
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), word);
    return success();
  }
};

/// Both halves of a product of narrow integers.
template <typename Op, typename Extend> struct WidenProduct : OpRewritePattern<Op> {
  WidenProduct(MLIRContext *context, const Target &target) : OpRewritePattern<Op>(context) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op.getLhs().getType();
    const unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (width != 8 && width != 16)
      return failure();
    Location loc = op.getLoc();
    Type wide = typeLike(type, rewriter.getI32Type());
    Value x = Extend::create(rewriter, loc, wide, op.getLhs());
    Value y = Extend::create(rewriter, loc, wide, op.getRhs());
    Value product = arith::MulIOp::create(rewriter, loc, x, y);
    Value count = wordLike(rewriter, loc, wide, width);
    Value upper = arith::ShRUIOp::create(rewriter, loc, product, count);
    Value low = arith::TruncIOp::create(rewriter, loc, type, product);
    Value high = arith::TruncIOp::create(rewriter, loc, type, upper);
    rewriter.replaceOp(op, {low, high});
    return success();
  }
};

/// Counts of bits of narrow integers.
template <typename Op> struct WidenCount : OpRewritePattern<Op> {
  WidenCount(MLIRContext *context, const Target &target) : OpRewritePattern<Op>(context) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op.getType();
    const unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    if (width >= 32)
      return failure();
    Location loc = op.getLoc();
    Type wide = typeLike(type, rewriter.getI32Type());
    auto number = [&](uint32_t value) { return wordLike(rewriter, loc, wide, value); };
    Value x = arith::ExtUIOp::create(rewriter, loc, wide, op.getOperand());
    if (std::is_same_v<Op, math::CountTrailingZerosOp>) // At most `width`.
      x = arith::OrIOp::create(rewriter, loc, x, number(1 << width));
    Value count = Op::create(rewriter, loc, wide, x);
    if (std::is_same_v<Op, math::CountLeadingZerosOp>)
      count = arith::SubIOp::create(rewriter, loc, count, number(32 - width));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, count);
    return success();
  }
};

/// An op of 16-bit floats in float32: rounding twice gives the result of rounding once.
template <typename Op> struct WidenFloat : OpRewritePattern<Op> {
  WidenFloat(MLIRContext *context, const Target &target)
      : OpRewritePattern<Op>(context), target(target) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Value first = op->getOperand(0);
    if (computes(elementOf(first), target))
      return failure();
    Location loc = op.getLoc();
    Type wide = typeLike(first.getType(), rewriter.getF32Type());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(rewriter, loc, wide, operand));
    if constexpr (std::is_same_v<Op, arith::CmpFOp>) {
      rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, op.getPredicate(), operands[0], operands[1]);
    } else {
      Value result = Op::create(rewriter, loc, TypeRange(wide), operands, op->getAttrs());
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op->getResult(0).getType(), result);
    }
    return success();
  }
  const Target &target;
};

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Whether a value goes to memory alone, after moves among registers.
bool isOnlyStored(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<simt::StoreOp, simt::SharedStoreOp>(user))
      return true;
    return isa<vector::VectorDialect>(user->getDialect()) &&
           llvm::all_of(user->getResults(), isOnlyStored);
  });
}

/// arith.extf and arith.truncf that are not instructions, or ones that the driver drops.
template <typename Op> struct CastFloat : OpRewritePattern<Op> {
  CastFloat(MLIRContext *context, const Target &target)
      : OpRewritePattern<Op>(context), target(target) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type to = getElementTypeOrSelf(op.getType());
    if (isNativeFloatCast(elementOf(op.getIn()), to, target)) {
      if (!target.roundsHalves || !to.isF16() || isOnlyStored(op.getResult()))
        return failure();
      rewriter.replaceOp(op, roundToHalf(rewriter, op.getLoc(), op.getIn(), to));
      return success();
    }
    auto rounding = tile::RoundingMode::NearestEven;
    if constexpr (std::is_same_v<Op, arith::TruncFOp>)
      if (op.getRoundingmode() == arith::RoundingMode::toward_zero)
        rounding = tile::RoundingMode::TowardZero;
    rewriter.replaceOp(op, castFloat(rewriter, op.getLoc(), op.getIn(), to, rounding, target));
    return success();
  }
  const Target &target;
};

struct CastSimt : OpRewritePattern<simt::FpCastOp> {
  CastSimt(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(simt::FpCastOp op, PatternRewriter &rewriter) const final {
    Type from = elementOf(op.getSource()), to = getElementTypeOrSelf(op.getType());
    if (!isa<FloatType>(from) || !isa<FloatType>(to))
      return failure();
    rewriter.replaceOp(
        op, castFloat(rewriter, op.getLoc(), op.getSource(), to, op.getRounding(), target));
    return success();
  }
  const Target &target;
};

template <typename Op> struct CastInteger : OpRewritePattern<Op> {
  CastInteger(MLIRContext *context, const Target &target)
      : OpRewritePattern<Op>(context), target(target) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type from = elementOf(op.getIn()), to = getElementTypeOrSelf(op.getType());
    if (from.getIntOrFloatBitWidth() >= 32 && to.getIntOrFloatBitWidth() >= 32)
      return failure();
    rewriter.replaceOp(op, castInteger(rewriter, op.getLoc(), op.getIn(),
                                       std::is_same_v<Op, arith::SIToFPOp>, to, target));
    return success();
  }
  const Target &target;
};

/// Floats to integers: from float32 or float64, to 32 or 64 bits.
template <typename Op> struct CastToInteger : OpRewritePattern<Op> {
  CastToInteger(MLIRContext *context, const Target &target) : OpRewritePattern<Op>(context) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value source = op.getIn();
    Type to = getElementTypeOrSelf(op.getType());
    const bool isNarrowFloat = elementOf(source).getIntOrFloatBitWidth() < 32;
    const bool isNarrow = to.getIntOrFloatBitWidth() < 32;
    if (!isNarrowFloat && !isNarrow)
      return failure();
    if (isNarrowFloat)
      source = arith::ExtFOp::create(rewriter, loc,
                                     typeLike(source.getType(), rewriter.getF32Type()), source);
    if (!isNarrow) {
      rewriter.replaceOpWithNewOp<Op>(op, op.getType(), source);
      return success();
    }
    // A signed conversion covers all values of the narrow type, and wraps those just outside.
    Type wide = typeLike(source.getType(), rewriter.getI32Type());
    Value integer = arith::FPToSIOp::create(rewriter, loc, wide, source);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), integer);
    return success();
  }
};

} // namespace

LogicalResult spirvbackend::checkFloat64(ModuleOp module, const Target &target) {
  if (target.hasFloat64)
    return success();
  auto isWide = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (op->hasTrait<OpTrait::ConstantLike>()) // Its user knows where it stands in the source.
      return WalkResult::advance();
    if (!llvm::any_of(op->getOperandTypes(), isWide) && !llvm::any_of(op->getResultTypes(), isWide))
      return WalkResult::advance();
    return lacks(
        op, "64-bit floats (shaderFloat64), which '" + op->getName().getStringRef() + "' needs",
        "use float32, or a device that has them");
  });
  return failure(walk.wasInterrupted());
}

LogicalResult spirvbackend::legalizeTypes(ModuleOp module, const Target &target) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  using namespace arith;
  patterns
      .add<WidenInteger<AddIOp, false>, WidenInteger<SubIOp, false>, WidenInteger<MulIOp, false>,
           WidenInteger<AndIOp, false>, WidenInteger<OrIOp, false>, WidenInteger<XOrIOp, false>,
           WidenInteger<ShLIOp, false>, WidenInteger<ShRUIOp, false>, WidenInteger<ShRSIOp, true>,
           WidenInteger<DivUIOp, false>, WidenInteger<DivSIOp, true>, WidenInteger<RemUIOp, false>,
           WidenInteger<RemSIOp, true>, WidenInteger<MaxUIOp, false>, WidenInteger<MaxSIOp, true>,
           WidenInteger<MinUIOp, false>, WidenInteger<MinSIOp, true>, WidenCompare,
           WidenProduct<MulUIExtendedOp, ExtUIOp>, WidenProduct<MulSIExtendedOp, ExtSIOp>,
           WidenCount<math::CtPopOp>, WidenCount<math::CountLeadingZerosOp>,
           WidenCount<math::CountTrailingZerosOp>>(context, target);
  if (target.widensIntegers)
    patterns.add<ExtendWord<ExtSIOp>, ExtendWord<ExtUIOp>>(context, target);
  patterns.add<WidenFloat<AddFOp>, WidenFloat<SubFOp>, WidenFloat<MulFOp>, WidenFloat<DivFOp>,
               WidenFloat<CmpFOp>, WidenFloat<MaximumFOp>, WidenFloat<MinimumFOp>,
               WidenFloat<MaxNumFOp>, WidenFloat<MinNumFOp>, WidenFloat<math::CeilOp>,
               WidenFloat<math::FloorOp>, WidenFloat<math::RoundEvenOp>, WidenFloat<math::TruncOp>,
               WidenFloat<math::SqrtOp>>(context, target);
  populateFloatBits(patterns, target);
  patterns.add<CastFloat<ExtFOp>, CastFloat<TruncFOp>, CastSimt, CastInteger<SIToFPOp>,
               CastInteger<UIToFPOp>, CastToInteger<FPToSIOp>, CastToInteger<FPToUIOp>>(context,
                                                                                        target);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(module, std::move(patterns), config)))
    return module.emitError() << "narrow types could not be rewritten to those of " << kTargetName;
  return success();
}
