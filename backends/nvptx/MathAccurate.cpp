// Accurate f32 functions where MLIR's approximations lose too much: each is written once, on
// scalars or vectors, in terms of arith and math ops that the hardware has. Errors are listed in
// MATH.md and were measured against float64.
#include "backends/nvptx/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

/// Arithmetic on values of one type (f32 or a vector of it), as expressions.
class Calculator {
public:
  Calculator(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), type(type) {}

  Value number(double value) {
    TypedAttr attribute = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value integer(int32_t value) {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector.clone(b.getI32Type()), Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value log1p(Value x) { return math::Log1pOp::create(b, loc, x); }
  Value expm1(Value x) { return math::ExpM1Op::create(b, loc, x); }
  Value log(Value x) { return math::LogOp::create(b, loc, x); }
  Value withSign(Value magnitude, Value sign) {
    return math::CopySignOp::create(b, loc, magnitude, sign);
  }
  Value less(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// c[0] + x·(c[1] + x·(…)).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, number(coefficient));
    return result;
  }
  Type integerType() {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.clone(b.getI32Type());
    return b.getI32Type();
  }

  OpBuilder &b;
  Location loc;
  Type type;
};

/// sin or cos: x is reduced by multiples of π/2, whose three parts together have 72 bits, so that
/// the reduction is exact to the result's last bit for |x| up to some ten thousand; then Taylor's
/// polynomials on [-π/4, π/4].
Value sineOrCosine(Calculator &c, Value x, unsigned quadrantOffset) {
  Value turns = math::RoundEvenOp::create(c.b, c.loc, c.mul(x, c.number(2 / std::numbers::pi)));
  Value r = c.fma(turns, c.number(-0x1.921fb4p+0), x);
  r = c.fma(turns, c.number(-0x1.4442dp-24), r);
  r = c.fma(turns, c.number(-0x1.846988p-48), r);
  Value quadrant = arith::FPToSIOp::create(c.b, c.loc, c.integerType(), turns);
  quadrant = arith::AddIOp::create(c.b, c.loc, quadrant, c.integer(quadrantOffset));
  Value square = c.mul(r, r);
  Value sine = c.fma(c.mul(r, square),
                     c.polynomial(square, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880}), r);
  Value cosine = c.polynomial(square, {1, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320});
  auto bit = [&](int32_t mask) {
    Value masked = arith::AndIOp::create(c.b, c.loc, quadrant, c.integer(mask));
    return arith::CmpIOp::create(c.b, c.loc, arith::CmpIPredicate::ne, masked, c.integer(0));
  };
  Value result = c.select(bit(1), cosine, sine);
  return c.select(bit(2), arith::NegFOp::create(c.b, c.loc, result), result);
}

Value tangent(Calculator &c, Value x) {
  return c.div(sineOrCosine(c, x, 0), sineOrCosine(c, x, 1));
}

/// By expm1, which keeps small arguments: with e = expm1(|x|), sinh = (e + e/(e+1)) / 2. Halving
/// before adding keeps the largest results finite.
Value hyperbolicSine(Calculator &c, Value x) {
  Value half = c.number(0.5), magnitude = c.abs(x);
  Value e = c.expm1(magnitude);
  Value small = c.mul(half, c.add(e, c.div(e, c.add(e, c.number(1)))));
  // exp(|x|)/2 as the square of exp(|x|/2), times a half, where e/(e+1) is 1.
  Value root = math::ExpOp::create(c.b, c.loc, c.mul(half, magnitude));
  Value large = c.mul(c.mul(half, root), root);
  return c.withSign(c.select(c.less(magnitude, c.number(16)), small, large), x);
}

/// log1p(x + x²/(1 + √(x²+1))), and log(2x) where x² would overflow.
Value areaSine(Calculator &c, Value x) {
  Value magnitude = c.abs(x), square = c.mul(x, x), one = c.number(1);
  Value root = c.sqrt(c.add(square, one));
  Value small = c.log1p(c.add(magnitude, c.div(square, c.add(one, root))));
  Value large = c.add(c.log(magnitude), c.number(std::numbers::ln2));
  return c.withSign(c.select(c.less(magnitude, c.number(1e9)), small, large), x);
}

/// log1p(d + √(d² + 2d)) with d = x - 1, which is exact near 1.
Value areaCosine(Calculator &c, Value x) {
  Value d = c.sub(x, c.number(1));
  Value root = c.sqrt(c.fma(d, d, c.add(d, d)));
  Value small = c.log1p(c.add(d, root));
  Value large = c.add(c.log(x), c.number(std::numbers::ln2));
  return c.select(c.less(c.number(1e9), x), large, small);
}

/// log1p(2|x| / (1 - |x|)) / 2.
Value areaTangent(Calculator &c, Value x) {
  Value magnitude = c.abs(x);
  Value ratio = c.div(c.add(magnitude, magnitude), c.sub(c.number(1), magnitude));
  return c.withSign(c.mul(c.number(0.5), c.log1p(ratio)), x);
}

template <typename Op> struct Accurate : OpRewritePattern<Op> {
  using Function = Value (*)(Calculator &, Value);
  Accurate(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context, PatternBenefit(5)), function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Calculator calculator(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, function(calculator, op.getOperand()));
    return success();
  }
  Function function;
};

} // namespace

void nvptx::populateAccurateMath(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Accurate<math::SinOp>>(context,
                                      [](Calculator &c, Value x) { return sineOrCosine(c, x, 0); });
  patterns.add<Accurate<math::CosOp>>(context,
                                      [](Calculator &c, Value x) { return sineOrCosine(c, x, 1); });
  patterns.add<Accurate<math::TanOp>>(context, tangent);
  patterns.add<Accurate<math::SinhOp>>(context, hyperbolicSine);
  patterns.add<Accurate<math::AsinhOp>>(context, areaSine);
  patterns.add<Accurate<math::AcoshOp>>(context, areaCosine);
  patterns.add<Accurate<math::AtanhOp>>(context, areaTangent);
}
