// Mathematics without libdevice. Ops with `afn` are the language's fast forms: the hardware's
// approximations. Ops without it become IEEE operations (ir/math). docs/math.md lists methods and
// errors.
#include "backends/nvptx/Patterns.h"
#include "ir/math/Expansions.h"
#include "ir/math/Rounded.h"
#include "ir/simt/Scalarize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

bool isFast(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// Instructions on scalars of f32.
struct Hardware {
  OpBuilder &b;
  Location loc;

  Value scaled(Value x, double factor) {
    if (factor == 1)
      return x;
    Value constant = LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(factor));
    return product(x, constant);
  }
  Value product(Value x, Value y) { return LLVM::FMulOp::create(b, loc, x, y); }
  Value call(StringRef intrinsic, ValueRange operands) {
    return callIntrinsic(b, loc, b.getF32Type(), ("llvm.nvvm." + intrinsic).str(), operands);
  }
  Value sin(Value x) { return call("sin.approx.f", x); }
  Value cos(Value x) { return call("cos.approx.f", x); }
  Value exp2(Value x) { return call("ex2.approx", x); }
  /// Results below 2^-126 become 0: keeping them would take three more instructions.
  Value exp2Normal(Value x) { return call("ex2.approx.ftz", x); }
  Value log2(Value x) { return call("lg2.approx.f", x); }
  Value divide(Value x, Value y) { return call("div.full", {x, y}); }
  Value tanh(Value x) {
    return inlinePtx(b, loc, {b.getF32Type()}, x, "tanh.approx.f32 $0, $1;", "=f,f", false)[0];
  }
};

/// The fast form of an f32 op, given for scalars.
template <typename Op> struct Fast : OpRewritePattern<Op> {
  using Function = Value (*)(Hardware, ValueRange);
  Fast(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context, PatternBenefit(10)), function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!isFast(op.getFastmath()) || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, simt::mapElements(rewriter, loc, op.getType(), op->getOperands(),
                              [&](ValueRange x) { return function({rewriter, loc}, x); }));
    return success();
  }
  Function function;
};

void populateFastForms(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  constexpr double log2E = 1.4426950408889634, ln2 = 0.69314718055994531;
  constexpr double log10Of2 = 0.30102999566398120;
  patterns.add<Fast<arith::DivFOp>>(context,
                                    [](Hardware h, ValueRange x) { return h.divide(x[0], x[1]); });
  patterns.add<Fast<math::ExpOp>>(
      context, [](Hardware h, ValueRange x) { return h.exp2(h.scaled(x[0], log2E)); });
  patterns.add<Fast<math::Exp2Op>>(context,
                                   [](Hardware h, ValueRange x) { return h.exp2Normal(x[0]); });
  patterns.add<Fast<math::LogOp>>(
      context, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), ln2); });
  patterns.add<Fast<math::Log2Op>>(context, [](Hardware h, ValueRange x) { return h.log2(x[0]); });
  patterns.add<Fast<math::Log10Op>>(
      context, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), log10Of2); });
  patterns.add<Fast<math::SinOp>>(context, [](Hardware h, ValueRange x) { return h.sin(x[0]); });
  patterns.add<Fast<math::CosOp>>(context, [](Hardware h, ValueRange x) { return h.cos(x[0]); });
  patterns.add<Fast<math::TanOp>>(
      context, [](Hardware h, ValueRange x) { return h.divide(h.sin(x[0]), h.cos(x[0])); });
  patterns.add<Fast<math::TanhOp>>(context, [](Hardware h, ValueRange x) { return h.tanh(x[0]); });
  patterns.add<Fast<math::SqrtOp>>(
      context, [](Hardware h, ValueRange x) { return h.call("sqrt.approx.ftz.f", x[0]); });
  patterns.add<Fast<math::RsqrtOp>>(
      context, [](Hardware h, ValueRange x) { return h.call("rsqrt.approx.ftz.f", x[0]); });
  patterns.add<Fast<math::PowFOp>>(
      context, [](Hardware h, ValueRange x) { return h.exp2(h.product(x[1], h.log2(x[0]))); });
}

/// The starting points of the accurate forms of float32.
mathx::Estimates makeEstimates(const Architecture &arch) {
  auto instruction = [](StringRef name) -> mathx::Estimates::Function {
    return [name](OpBuilder &b, Location loc, Value x) {
      return simt::mapElements(b, loc, x.getType(), x, [&](ValueRange element) {
        return Hardware{b, loc}.call(name, element[0]);
      });
    };
  };
  mathx::Estimates estimates;
  estimates.exp2 = instruction("ex2.approx.ftz");
  estimates.exp2Whole = instruction("ex2.approx");
  estimates.log2 = instruction("lg2.approx.ftz.f");
  estimates.reciprocal = instruction("rcp.approx.ftz.f");
  estimates.sqrt = instruction("sqrt.approx.ftz.f");
  estimates.rsqrt = instruction("rsqrt.approx.f"); // Keeps subnormal arguments.
  estimates.hasMinimum = arch.number >= 80;
  return estimates;
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

} // namespace

LogicalResult nvptx::expandMath(ModuleOp module, const Architecture &arch) {
  allowContraction(module);
  RewritePatternSet patterns(module.getContext());
  populateFastForms(patterns);
  patterns.add<IsInfPattern>(module.getContext());
  mathx::ExpansionOptions options;
  options.estimates = makeEstimates(arch);
  mathx::populateMathExpansions(patterns, std::move(options));
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError() << "mathematical functions could not be expanded";
  // Functions of the same argument share its reduction, which may be a branch.
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) || isNative(op))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName() << "' on "
                           << getElementTypeOrSelf(op->getResult(0).getType())
                           << " is not supported on cuda:" << arch.name
                           << "; use one of the functions that docs/math.md lists";
  });
  return failure(walk.wasInterrupted());
}
