// See MathScheme.h.
#include "backends/llvm/MathScheme.h"
#include "ir/math/Expansions.h"
#include "ir/math/Rounded.h"
#include "ir/simt/Scalarize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using llvmbackend::MathUnits;

namespace {

bool isFast(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// The units at one place.
struct Hardware {
  const MathUnits &units;
  OpBuilder &b;
  Location loc;

  Value scaled(Value x, double factor) {
    if (factor == 1)
      return x;
    Value constant = LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(factor));
    return product(x, constant);
  }
  Value product(Value x, Value y) { return LLVM::FMulOp::create(b, loc, x, y); }
  Value sin(Value x) { return units.sin(b, loc, x); }
  Value cos(Value x) { return units.cos(b, loc, x); }
  Value exp2(Value x) { return units.exp2(b, loc, x); }
  Value exp2Normal(Value x) { return units.exp2Normal(b, loc, x); }
  Value log2(Value x) { return units.log2(b, loc, x); }
  Value divide(Value x, Value y) { return units.divide(b, loc, x, y); }
};

/// The fast form of an f32 op, given for scalars.
template <typename Op> struct Fast : OpRewritePattern<Op> {
  using Function = Value (*)(Hardware, ValueRange);
  Fast(MLIRContext *context, const MathUnits &units, Function function)
      : OpRewritePattern<Op>(context, PatternBenefit(10)), units(units), function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!isFast(op.getFastmath()) || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, simt::mapElements(rewriter, loc, op.getType(), op->getOperands(),
                              [&](ValueRange x) { return function({units, rewriter, loc}, x); }));
    return success();
  }
  const MathUnits &units;
  Function function;
};

void populateFastForms(RewritePatternSet &patterns, const MathUnits &units) {
  MLIRContext *context = patterns.getContext();
  constexpr double log2E = 1.4426950408889634, ln2 = 0.69314718055994531;
  constexpr double log10Of2 = 0.30102999566398120;
  if (units.divide)
    patterns.add<Fast<arith::DivFOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.divide(x[0], x[1]); });
  if (units.exp2)
    patterns.add<Fast<math::ExpOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.exp2(h.scaled(x[0], log2E)); });
  if (units.exp2Normal)
    patterns.add<Fast<math::Exp2Op>>(context, units,
                                     [](Hardware h, ValueRange x) { return h.exp2Normal(x[0]); });
  if (units.log2) {
    patterns.add<Fast<math::LogOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), ln2); });
    patterns.add<Fast<math::Log2Op>>(context, units,
                                     [](Hardware h, ValueRange x) { return h.log2(x[0]); });
    patterns.add<Fast<math::Log10Op>>(
        context, units, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), log10Of2); });
  }
  if (units.sin)
    patterns.add<Fast<math::SinOp>>(context, units,
                                    [](Hardware h, ValueRange x) { return h.sin(x[0]); });
  if (units.cos)
    patterns.add<Fast<math::CosOp>>(context, units,
                                    [](Hardware h, ValueRange x) { return h.cos(x[0]); });
  if (units.sin && units.cos && units.divide)
    patterns.add<Fast<math::TanOp>>(context, units, [](Hardware h, ValueRange x) {
      return h.divide(h.sin(x[0]), h.cos(x[0]));
    });
  if (units.tanh)
    patterns.add<Fast<math::TanhOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.units.tanh(h.b, h.loc, x[0]); });
  if (units.sqrt)
    patterns.add<Fast<math::SqrtOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.units.sqrt(h.b, h.loc, x[0]); });
  if (units.rsqrt)
    patterns.add<Fast<math::RsqrtOp>>(
        context, units, [](Hardware h, ValueRange x) { return h.units.rsqrt(h.b, h.loc, x[0]); });
  if (units.exp2 && units.log2)
    patterns.add<Fast<math::PowFOp>>(context, units, [](Hardware h, ValueRange x) {
      return h.exp2(h.product(x[1], h.log2(x[0])));
    });
}

/// MLIR has a lowering of isnan and isfinite, but none of isinf: |x| is compared with infinity.
struct IsInfPattern : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsInfOp op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr infinity =
        rewriter.getFloatAttr(element, APFloat::getInf(element.getFloatSemantics()));
    if (auto shaped = dyn_cast<ShapedType>(type))
      infinity = DenseElementsAttr::get(shaped, infinity);
    Value limit = arith::ConstantOp::create(rewriter, op.getLoc(), infinity);
    Value magnitude = math::AbsFOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ, magnitude, limit);
    return success();
  }
};

/// Ops that LLVM lowers for this target by itself.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsNaNOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp,
             math::TruncOp>(op);
}

/// Whether the error of a product's rounding is computed, as fma(a, b, -product): it must be
/// rounded, also where a sum takes it.
bool isErrorTaken(arith::MulFOp product) {
  Value a = product.getLhs(), b = product.getRhs();
  for (Operation *user : product->getUsers())
    if (auto negated = dyn_cast<arith::NegFOp>(user))
      for (Operation *next : negated->getUsers())
        if (auto fused = dyn_cast<math::FmaOp>(next))
          if (fused.getC() == negated.getResult() && ((fused.getA() == a && fused.getB() == b) ||
                                                      (fused.getA() == b && fused.getB() == a)))
            return true;
  return false;
}

/// The kernel's own products and sums may become fused operations; those inside composed functions
/// and expansions may not.
void allowContraction(ModuleOp module) {
  module.walk([](arith::ArithFastMathInterface op) {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) || mathx::isRounded(op))
      return;
    if (auto product = dyn_cast<arith::MulFOp>(op.getOperation()); product && isErrorTaken(product))
      return;
    auto flags = op.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op.getContext(), flags));
  });
}

/// An fma that adds -0 is a product that is rounded by itself (libdevice's mul_rn). LLVM would make
/// a plain product of it, and where a negation is near, give that the flag `contract` of a sum that
/// takes it: (-a · b) + c becomes c - a · b with the sum's flags. Behind a fence it sees no
/// product.
void fenceProducts(ModuleOp module) {
  SmallVector<math::FmaOp> products;
  module.walk([&](math::FmaOp op) {
    if (matchPattern(op.getC(), m_NegZeroFloat()))
      products.push_back(op);
  });
  for (math::FmaOp op : products) {
    OpBuilder b(op);
    Value product = arith::MulFOp::create(b, op.getLoc(), op.getA(), op.getB());
    auto fenced = LLVM::CallIntrinsicOp::create(b, op.getLoc(), op.getType(),
                                                b.getStringAttr("llvm.arithmetic.fence"), product);
    op.replaceAllUsesWith(fenced.getResult(0));
    op.erase();
  }
}

} // namespace

mathx::Estimates::Function llvmbackend::onElements(MathUnits::Unary unit) {
  return [unit = std::move(unit)](OpBuilder &b, Location loc, Value x) {
    return simt::mapElements(b, loc, x.getType(), x,
                             [&](ValueRange element) { return unit(b, loc, element[0]); });
  };
}

LogicalResult llvmbackend::expandMath(ModuleOp module, const MathUnits &units, bool mayContract,
                                      StringRef target) {
  if (mayContract)
    allowContraction(module);
  RewritePatternSet patterns(module.getContext());
  populateFastForms(patterns, units);
  patterns.add<IsInfPattern>(module.getContext());
  mathx::ExpansionOptions options;
  options.estimates = units.estimates;
  mathx::populateMathExpansions(patterns, std::move(options));
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError() << "mathematical functions could not be expanded";
  fenceProducts(module);
  // Functions of the same argument share its reduction, which may be a branch.
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) || isNative(op))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName() << "' on "
                           << getElementTypeOrSelf(op->getResult(0).getType())
                           << " is not supported on " << target
                           << "; use one of the functions that docs/math.md lists";
  });
  return failure(walk.wasInterrupted());
}
