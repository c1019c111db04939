// Mathematics. On vectors of registers: functions become IEEE operations (ir/math) or, in their
// fast forms where the target's are good enough, instructions of GLSL.std.450, whose own bounds are
// too loose for the accurate forms; what SPIR-V leaves open (division, fma, tests of NaN) is
// written so that any device gives the same. The few ops that are left are MathPatterns.cpp's.
// docs/math.md lists methods and errors.
#include "backends/spirv/Patterns.h"
#include "backends/spirv/Serialize.h"
#include "backends/spirv/SmallFloat.h"
#include "ir/math/Expansions.h"
#include "ir/math/Functions.h"
#include "ir/math/Rounded.h"
#include "ir/simt/Scalarize.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

/// A quotient that is OpFDiv as it stands.
constexpr auto kPlainQuotient = arith::FastMathFlags::afn | arith::FastMathFlags::arcp;

/// A constant of a float type or a vector of one.
Value floatConstant(OpBuilder &b, Location loc, Type type, double value) {
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

//===----------------------------------------------------------------------===//
// Fast forms
//===----------------------------------------------------------------------===//

/// Instructions on scalars of f32.
struct Hardware {
  OpBuilder &b;
  Location loc;

  Value constant(double value) { return floatConstant(b, loc, b.getF32Type(), value); }
  Value product(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value scaled(Value x, double factor) { return factor == 1 ? x : product(x, constant(factor)); }
  /// For divisors up to 2^126.
  Value quotient(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y, kPlainQuotient); }
  Value exp2(Value x) { return spirv::GLExp2Op::create(b, loc, x); }
  Value log2(Value x) { return spirv::GLLog2Op::create(b, loc, x); }
  Value sin(Value x) { return spirv::GLSinOp::create(b, loc, x); }
  Value cos(Value x) { return spirv::GLCosOp::create(b, loc, x); }
  Value sqrt(Value x) { return spirv::GLSqrtOp::create(b, loc, x); }
  Value rsqrt(Value x) { return spirv::GLInverseSqrtOp::create(b, loc, x); }
  /// 1 - 2 / (e^2x + 1).
  Value tanh(Value x) {
    Value power = exp2(scaled(x, 2.8853900817779268));
    Value sum = arith::AddFOp::create(b, loc, power, constant(1));
    return arith::SubFOp::create(b, loc, constant(1), quotient(constant(2), sum));
  }
};

/// The fast form of an f32 op, given for scalars.
template <typename Op> struct Fast : OpRewritePattern<Op> {
  using Function = Value (*)(Hardware, ValueRange);
  Fast(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context, PatternBenefit(kFastBenefit)), function(function) {}
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

/// Vulkan bounds the error of OpFDiv for divisors up to 2^126 only: the inverse of others is
/// subnormal, and drivers multiply by 0 then.
struct FastDivision : OpRewritePattern<arith::DivFOp> {
  FastDivision(MLIRContext *context) : OpRewritePattern(context, PatternBenefit(kFastBenefit)) {}
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const final {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32() || !isFast(op.getFastmath()) ||
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp))
      return failure();
    Location loc = op.getLoc();
    auto number = [&](double value) { return floatConstant(rewriter, loc, type, value); };
    Value magnitude = math::AbsFOp::create(rewriter, loc, op.getRhs());
    Value isHuge =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT, magnitude, number(0x1p126));
    Value factor = arith::SelectOp::create(rewriter, loc, isHuge, number(0x1p-4), number(1));
    Value x = arith::MulFOp::create(rewriter, loc, op.getLhs(), factor);
    Value y = arith::MulFOp::create(rewriter, loc, op.getRhs(), factor);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, x, y, kPlainQuotient);
    return success();
  }
};

void populateFastForms(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  constexpr double log2E = 1.4426950408889634, ln2 = 0.69314718055994531;
  constexpr double log10Of2 = 0.30102999566398120;
  patterns.add<Fast<math::ExpOp>>(
      context, [](Hardware h, ValueRange x) { return h.exp2(h.scaled(x[0], log2E)); });
  patterns.add<Fast<math::Exp2Op>>(context, [](Hardware h, ValueRange x) { return h.exp2(x[0]); });
  patterns.add<Fast<math::LogOp>>(
      context, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), ln2); });
  patterns.add<Fast<math::Log2Op>>(context, [](Hardware h, ValueRange x) { return h.log2(x[0]); });
  patterns.add<Fast<math::Log10Op>>(
      context, [](Hardware h, ValueRange x) { return h.scaled(h.log2(x[0]), log10Of2); });
  patterns.add<Fast<math::SinOp>>(context, [](Hardware h, ValueRange x) { return h.sin(x[0]); });
  patterns.add<Fast<math::CosOp>>(context, [](Hardware h, ValueRange x) { return h.cos(x[0]); });
  patterns.add<Fast<math::TanOp>>(
      context, [](Hardware h, ValueRange x) { return h.quotient(h.sin(x[0]), h.cos(x[0])); });
  patterns.add<Fast<math::TanhOp>>(context, [](Hardware h, ValueRange x) { return h.tanh(x[0]); });
  patterns.add<Fast<math::SqrtOp>>(context, [](Hardware h, ValueRange x) { return h.sqrt(x[0]); });
  patterns.add<Fast<math::RsqrtOp>>(context,
                                    [](Hardware h, ValueRange x) { return h.rsqrt(x[0]); });
  patterns.add<Fast<math::PowFOp>>(
      context, [](Hardware h, ValueRange x) { return h.exp2(h.product(x[1], h.log2(x[0]))); });
}

//===----------------------------------------------------------------------===//
// Operations that SPIR-V leaves open
//===----------------------------------------------------------------------===//

/// The bits of a float as an integer, and masks of them.
struct Bits {
  Bits(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), floats(type) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    width = element.getWidth();
    integers = b.getIntegerType(width);
    if (auto shaped = dyn_cast<ShapedType>(type))
      integers = shaped.clone(integers);
    infinity = APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt();
    smallestNormal = APFloat::getSmallestNormalized(element.getFloatSemantics()).bitcastToAPInt();
  }
  Value constant(const APInt &value) {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(integers), value);
    if (auto shaped = dyn_cast<ShapedType>(integers))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value of(Value x) { return arith::BitcastOp::create(b, loc, integers, x); }
  Value toFloat(Value x) { return arith::BitcastOp::create(b, loc, floats, x); }
  Value masked(Value bits, const APInt &mask) {
    return arith::AndIOp::create(b, loc, bits, constant(mask));
  }
  Value magnitude(Value x) { return masked(of(x), APInt::getSignedMaxValue(width)); }
  Value compare(arith::CmpIPredicate predicate, Value x, const APInt &y) {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
  }

  OpBuilder &b;
  Location loc;
  Type floats, integers;
  unsigned width;
  APInt infinity, smallestNormal;
};

/// Ops that look at or change bits, as integer operations: no driver assumes anything about those.
template <typename Op> struct OnBits : OpRewritePattern<Op> {
  using Function = Value (*)(Bits, ValueRange);
  OnBits(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context), function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op->getOperand(0).getType();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 16)
      return failure();
    rewriter.replaceOp(op, function(Bits(rewriter, op.getLoc(), type), op->getOperands()));
    return success();
  }
  Function function;
};

void populateBitForms(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  using P = arith::CmpIPredicate;
  patterns.add<OnBits<math::CopySignOp>>(context, [](Bits f, ValueRange x) -> Value {
    Value sign = f.masked(f.of(x[1]), APInt::getSignMask(f.width));
    return f.toFloat(arith::OrIOp::create(f.b, f.loc, f.magnitude(x[0]), sign));
  });
  patterns.add<OnBits<math::IsNaNOp>>(context, [](Bits f, ValueRange x) {
    return f.compare(P::ugt, f.magnitude(x[0]), f.infinity);
  });
  patterns.add<OnBits<math::IsInfOp>>(context, [](Bits f, ValueRange x) {
    return f.compare(P::eq, f.magnitude(x[0]), f.infinity);
  });
  patterns.add<OnBits<math::IsFiniteOp>>(context, [](Bits f, ValueRange x) {
    return f.compare(P::ult, f.magnitude(x[0]), f.infinity);
  });
  patterns.add<OnBits<math::IsNormalOp>>(context, [](Bits f, ValueRange x) -> Value {
    Value offset =
        arith::SubIOp::create(f.b, f.loc, f.magnitude(x[0]), f.constant(f.smallestNormal));
    return f.compare(P::ult, offset, f.infinity - f.smallestNormal);
  });
}

/// Ties away from zero: trunc, and one more where the rest is at least one half.
struct Round : OpRewritePattern<math::RoundOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RoundOp op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value x = op.getOperand(), whole = math::TruncOp::create(rewriter, loc, x);
    Value rest = arith::SubFOp::create(rewriter, loc, x, whole);
    rest = math::AbsFOp::create(rewriter, loc, rest);
    Value isFar = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGE, rest,
                                        floatConstant(rewriter, loc, type, 0.5));
    Value step =
        arith::SelectOp::create(rewriter, loc, isFar, floatConstant(rewriter, loc, type, 1),
                                floatConstant(rewriter, loc, type, 0));
    step = math::CopySignOp::create(rewriter, loc, step, x);
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, whole, step);
    return success();
  }
};

struct Absolute : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsIOp op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(op.getType()));
    Value negative = arith::SubIOp::create(rewriter, loc, zero, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, op.getOperand(), negative);
    return success();
  }
};

/// Division and root of 16-bit floats by way of float32, which has enough digits for one rounding.
template <typename Op> struct ThroughFloat32 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op.getType(), wide = rewriter.getF32Type();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() != 16)
      return failure();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand));
    Operation *result = rewriter.create(op.getLoc(), op->getName().getIdentifier(), operands,
                                        {wide}, op->getAttrs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result->getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Products and sums
//===----------------------------------------------------------------------===//

bool mayContract(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::contract);
}

bool hasFma(Type type, const Target &target) {
  Type element = getElementTypeOrSelf(type);
  return (element.isF32() && target.hasFusedMultiplyAdd) ||
         (element.isF64() && target.hasFusedMultiplyAdd64);
}

/// x · y ± z of the kernel as one fma where there is one; nothing is left to the driver.
void fuse(Operation *op, const Target &target) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op) || mathx::isRounded(op) ||
      !hasFma(op->getResult(0).getType(), target))
    return;
  for (unsigned i = 0; i < 2; ++i) {
    auto product = op->getOperand(i).getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse() || mathx::isRounded(product))
      continue;
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value x = product.getLhs(), y = product.getRhs(), z = op->getOperand(1 - i);
    if (isa<arith::SubFOp>(op)) {
      Value &negated = i == 0 ? z : x;
      negated = arith::NegFOp::create(b, loc, negated);
    }
    op->getResult(0).replaceAllUsesWith(math::FmaOp::create(b, loc, x, y, z));
    op->erase();
    product->erase();
    return;
  }
}

/// A kernel's own operations, before functions are expanded.
void prepare(ModuleOp module, const Target &target, bool mayFuse) {
  SmallVector<Operation *> sums;
  module.walk([&](Operation *op) {
    if (isa<arith::AddFOp, arith::SubFOp>(op))
      sums.push_back(op);
    auto fma = dyn_cast<math::FmaOp>(op);
    if (fma && mayContract(fma.getFastmath()) && !hasFma(fma.getType(), target)) {
      OpBuilder b(op);
      Value product = arith::MulFOp::create(b, op->getLoc(), fma.getA(), fma.getB());
      fma.replaceAllUsesWith(
          arith::AddFOp::create(b, op->getLoc(), product, fma.getC()).getResult());
      op->erase();
      return;
    }
    // float64 has no fast forms; others have one only where it is good enough. Division is close
    // enough everywhere.
    auto flagged = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr flags = flagged ? flagged.getFastMathFlagsAttr() : nullptr;
    if (!flags || !isFast(flags.getValue()))
      return;
    bool isSingle = getElementTypeOrSelf(op->getResult(0).getType()).isF32();
    if (isSingle && isa<arith::DivFOp, math::TanOp, math::TanhOp>(op))
      module->setAttr(kFastQuotients, UnitAttr::get(module.getContext()));
    // Exponentials have a fast form of products and sums.
    bool hasForm =
        isSingle && (target.hasApproximations || isa<arith::DivFOp, math::ExpOp, math::Exp2Op>(op));
    if (!hasForm)
      op->setAttr(flagged.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::none));
  });
  if (mayFuse)
    for (Operation *sum : sums)
      fuse(sum, target);
}

/// Ops that have patterns in MathPatterns.cpp.
bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

} // namespace

LogicalResult spirvbackend::expandMath(ModuleOp module, const Target &target, bool mayFuse) {
  using Fma = mathx::ExpansionOptions::Fma;
  if (failed(checkFloat64(module, target)))
    return failure();
  prepare(module, target, mayFuse);
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateBitForms(patterns);
  populateZeroQuotients(patterns);
  patterns.add<Round, Absolute, ThroughFloat32<arith::DivFOp>, ThroughFloat32<math::SqrtOp>>(
      context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  mathx::ExpansionOptions options;
  options.fmaSingle = target.hasFusedMultiplyAdd ? Fma::Stays
                      : target.hasFloat64        ? Fma::ThroughFloat64
                                                 : Fma::ByParts;
  options.fmaWide = target.hasFusedMultiplyAdd64 ? Fma::Stays : Fma::ByParts;
  options.fmaHalf = options.fmaBFloat16 = target.hasFloat64 ? Fma::ThroughFloat64 : Fma::ByParts;
  options.correctsDivision = !target.dividesExactly;
  if (!target.dividesExactly)
    patterns.add<FastDivision>(context);
  options.loopsOverFloat64 = !target.hasFusedMultiplyAdd64;
  if (target.hasApproximations) {
    populateFastForms(patterns);
    options.estimates.rsqrt = [](OpBuilder &b, Location loc, Value x) {
      return simt::mapElements(b, loc, x.getType(), x, [&](ValueRange element) {
        return Hardware{b, loc}.rsqrt(element[0]);
      });
    };
  } else {
    populatePlainExponentials(patterns);
  }
  mathx::populateMathExpansions(patterns, std::move(options));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(module, std::move(patterns), config)))
    return module.emitError() << "mathematical functions could not be expanded";
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) || isNative(op))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName() << "' on "
                           << getElementTypeOrSelf(op->getResult(0).getType())
                           << " is not supported on " << kTargetName
                           << "; use one of the functions that docs/math.md lists";
  });
  return failure(walk.wasInterrupted());
}
