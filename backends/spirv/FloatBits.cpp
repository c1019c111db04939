// Ops on zeros and subnormal numbers that devices and their drivers may get wrong, rewritten so
// that they cannot: as operations on bits, and as the results of arithmetic with a constant zero.
#include "backends/spirv/LegalizeTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

// Where a device may flush subnormal numbers, operations that only inspect or move bits are integer
// arithmetic: signs, comparisons with zero, conversions to a wider type.

bool keepsSubnormals(Type type, const Target &target) {
  return type.isF64()   ? target.keepsDenormFloat64
         : type.isF32() ? target.keepsDenormFloat32
                        : target.keepsDenormFloat16;
}

/// Whether a value is a constant zero: true if negative.
std::optional<bool> signOfZero(Value value) {
  FloatAttr number;
  if (DenseElementsAttr dense; matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    number = dyn_cast<FloatAttr>(dense.getSplatValue<Attribute>());
  else
    matchPattern(value, m_Constant(&number));
  if (!number || !number.getValue().isZero())
    return std::nullopt;
  return number.getValue().isNegative();
}

/// Whether only arithmetic, which may round it anyway, uses a value; an operand's sign costs
/// nothing there.
bool isOperandOnly(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<arith::CmpFOp>(user))
      return !signOfZero(user->getOperand(0)) && !signOfZero(user->getOperand(1));
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::FmaOp>(user);
  });
}

/// The bits of floats, and constants of that type.
struct FloatBits {
  FloatBits(PatternRewriter &b, Location loc, Value x) : b(b), loc(loc), floats(x.getType()) {
    auto element = cast<FloatType>(getElementTypeOrSelf(floats));
    width = element.getWidth();
    type = typeLike(floats, b.getIntegerType(width));
    value = arith::BitcastOp::create(b, loc, type, x);
    infinity = APFloat::getInf(element.getFloatSemantics()).bitcastToAPInt();
  }
  Value constant(const APInt &number) {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), number);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value magnitude() {
    return arith::AndIOp::create(b, loc, value, constant(APInt::getSignedMaxValue(width)));
  }
  Value sign() { return arith::AndIOp::create(b, loc, value, constant(APInt::getSignMask(width))); }
  Value compare(arith::CmpIPredicate predicate, Value x, const APInt &y) {
    return arith::CmpIOp::create(b, loc, predicate, x, constant(y));
  }
  /// Whether `x` is in [first, first + the bits of infinity).
  Value isFrom(Value x, const APInt &first) {
    Value offset = arith::SubIOp::create(b, loc, x, constant(first));
    return compare(arith::CmpIPredicate::ult, offset, infinity);
  }
  Value invert(Value condition) {
    TypedAttr one = b.getBoolAttr(true);
    if (auto shaped = dyn_cast<ShapedType>(condition.getType()))
      one = DenseElementsAttr::get(shaped, Attribute(one));
    return arith::XOrIOp::create(b, loc, condition, arith::ConstantOp::create(b, loc, one));
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value toFloat(Value bits) { return arith::BitcastOp::create(b, loc, floats, bits); }

  PatternRewriter &b;
  Location loc;
  Type floats, type;
  unsigned width;
  Value value;
  APInt infinity;
};

/// Changes of the sign bit, whatever the rest is.
template <typename Op> struct SignBit : OpRewritePattern<Op> {
  SignBit(MLIRContext *context, const Target &target)
      : OpRewritePattern<Op>(context), target(target) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    Type element = elementOf(x);
    if (computes(element, target) &&
        (keepsSubnormals(element, target) || isOperandOnly(op.getResult())))
      return failure();
    FloatBits f(rewriter, op.getLoc(), x);
    Value result = std::is_same_v<Op, math::AbsFOp>
                       ? f.magnitude()
                       : Value(arith::XOrIOp::create(rewriter, f.loc, f.value,
                                                     f.constant(APInt::getSignMask(f.width))));
    rewriter.replaceOp(op, f.toFloat(result));
    return success();
  }
  const Target &target;
};

/// Comparisons with zero.
struct CompareWithZero : OpRewritePattern<arith::CmpFOp> {
  CompareWithZero(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &rewriter) const final {
    using P = arith::CmpFPredicate;
    const bool isSecond = signOfZero(op.getRhs()).has_value();
    Value x = isSecond ? op.getLhs() : op.getRhs();
    Type element = elementOf(x);
    if ((!isSecond && !signOfZero(op.getLhs())) || !computes(element, target) ||
        keepsSubnormals(element, target))
      return failure();
    FloatBits f(rewriter, op.getLoc(), x);
    const APInt none(f.width, 0), one(f.width, 1), least = APInt::getSignMask(f.width) + 1;
    using I = arith::CmpIPredicate;
    auto isZero = [&] { return f.compare(I::eq, f.magnitude(), none); };
    // 0 < x is x > 0.
    auto isAbove = [&] { return f.isFrom(f.value, isSecond ? one : least); };
    auto isBelow = [&] { return f.isFrom(f.value, isSecond ? least : one); };
    Value result;
    switch (op.getPredicate()) {
    case P::OEQ:
      result = isZero();
      break;
    case P::UNE:
      result = f.compare(I::ne, f.magnitude(), none);
      break;
    case P::ONE:
      result = f.isFrom(f.magnitude(), one);
      break;
    case P::UEQ:
      result = f.invert(f.isFrom(f.magnitude(), one));
      break;
    case P::OGT:
      result = isAbove();
      break;
    case P::OLT:
      result = isBelow();
      break;
    case P::OGE:
      result = f.either(isAbove(), isZero());
      break;
    case P::OLE:
      result = f.either(isBelow(), isZero());
      break;
    case P::UGT:
      result = f.invert(f.either(isBelow(), isZero()));
      break;
    case P::ULT:
      result = f.invert(f.either(isAbove(), isZero()));
      break;
    case P::UGE:
      result = f.invert(isBelow());
      break;
    case P::ULE:
      result = f.invert(isAbove());
      break;
    case P::ORD:
      result = f.compare(I::ule, f.magnitude(), f.infinity);
      break;
    case P::UNO:
      result = f.compare(I::ugt, f.magnitude(), f.infinity);
      break;
    case P::AlwaysFalse:
    case P::AlwaysTrue:
      return failure();
    }
    rewriter.replaceOp(op, result);
    return success();
  }
  const Target &target;
};

/// float32 to float64: a subnormal number by way of the integer that it is a multiple of.
struct WidenSubnormal : OpRewritePattern<arith::ExtFOp> {
  WidenSubnormal(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const final {
    Type from = elementOf(op.getIn());
    if (!from.isF32() || !getElementTypeOrSelf(op.getType()).isF64() ||
        keepsSubnormals(from, target) || op->hasAttr(kIsNormal))
      return failure();
    Location loc = op.getLoc();
    FloatBits f(rewriter, loc, op.getIn());
    auto number = [&](Type type, double value) -> Value {
      TypedAttr attribute = rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
      if (auto shaped = dyn_cast<ShapedType>(type))
        attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
      return arith::ConstantOp::create(rewriter, loc, attribute);
    };
    Value magnitude = f.magnitude();
    Value isSmall = f.compare(arith::CmpIPredicate::ult, magnitude, APInt(32, 1u << 23));
    Value integer = arith::SIToFPOp::create(rewriter, loc, f.floats, magnitude);
    Value bits = arith::BitcastOp::create(rewriter, loc, f.type, integer);
    bits = arith::SelectOp::create(rewriter, loc, isSmall, bits, magnitude);
    auto wide =
        arith::ExtFOp::create(rewriter, loc, op.getType(), f.toFloat(f.either(bits, f.sign())));
    wide->setAttr(kIsNormal, rewriter.getUnitAttr());
    Value factor = arith::SelectOp::create(rewriter, loc, isSmall, number(op.getType(), 0x1p-149),
                                           number(op.getType(), 1));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, wide, factor);
    return success();
  }
  static constexpr StringLiteral kIsNormal = "tilerun.is_normal";
  const Target &target;
};

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

// Some drivers fold x · 0 to 0, x + 0 to x, x - x to 0 and 0 / x to 0 whatever the module says of
// infinities, NaN and signs, and treat x / 0 as undefined. So their results are written out.

struct Zeros {
  Zeros(PatternRewriter &b, Operation *op) : b(b), loc(op->getLoc()) {
    type = op->getResult(0).getType();
    zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    nan = constant(APFloat::getQNaN(element.getFloatSemantics()));
    infinity = constant(APFloat::getInf(element.getFloatSemantics()));
  }
  Value constant(const APFloat &value) {
    TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// A zero with the sign of x, or the other one.
  Value zeroLike(Value x, bool negated) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Type integers = typeLike(type, b.getIntegerType(width));
    TypedAttr sign = b.getIntegerAttr(getElementTypeOrSelf(integers), APInt::getSignMask(width));
    if (auto shaped = dyn_cast<ShapedType>(integers))
      sign = DenseElementsAttr::get(shaped, Attribute(sign));
    Value mask = arith::ConstantOp::create(b, loc, sign);
    Value bits = arith::BitcastOp::create(b, loc, integers, x);
    bits = arith::AndIOp::create(b, loc, bits, mask);
    if (negated)
      bits = arith::XOrIOp::create(b, loc, bits, mask);
    return arith::BitcastOp::create(b, loc, type, bits);
  }
  Value isFinite(Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    return compare(arith::CmpFPredicate::OLT, magnitude, infinity);
  }

  PatternRewriter &b;
  Location loc;
  Type type;
  Value zero, nan, infinity;
};

struct MultiplyZero : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const final {
    for (unsigned i = 0; i < 2; ++i)
      if (std::optional<bool> negative = signOfZero(op->getOperand(i))) {
        Zeros z(rewriter, op);
        Value x = op->getOperand(1 - i);
        rewriter.replaceOp(op, z.select(z.isFinite(x), z.zeroLike(x, *negative), z.nan));
        return success();
      }
    return failure();
  }
};

struct AddZero : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const final {
    for (unsigned i = 0; i < 2; ++i)
      if (std::optional<bool> negative = signOfZero(op->getOperand(i))) {
        Value x = op->getOperand(1 - i);
        Zeros z(rewriter, op);
        // -0 + +0 is +0.
        if (!*negative)
          x = z.select(z.compare(arith::CmpFPredicate::OEQ, x, z.zero), z.zero, x);
        rewriter.replaceOp(op, x);
        return success();
      }
    return failure();
  }
};

struct SubtractZero : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const final {
    Value x = op.getLhs(), y = op.getRhs();
    std::optional<bool> first = signOfZero(x), second = signOfZero(y);
    if (x != y && !first && !second)
      return failure();
    Zeros z(rewriter, op);
    auto isZero = [&](Value value) { return z.compare(arith::CmpFPredicate::OEQ, value, z.zero); };
    if (x == y) {
      rewriter.replaceOp(op, z.select(z.isFinite(x), z.zero, z.nan));
    } else if (second) {
      // x - +0 is x, -0 - -0 is +0.
      rewriter.replaceOp(op, *second ? z.select(isZero(x), z.zero, x) : x);
    } else {
      // ±0 - y is -y, but +0 - ±0 is +0; -0 - y is -y always.
      Value negated = arith::NegFOp::create(rewriter, op.getLoc(), y);
      rewriter.replaceOp(op, *first ? negated : z.select(isZero(y), z.zero, negated));
    }
    return success();
  }
};

struct DivideZero : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const final {
    std::optional<bool> negative = signOfZero(op.getLhs());
    if (std::optional<bool> divisor = signOfZero(op.getRhs())) {
      // Infinity with the signs' product, but for 0 / 0.
      Zeros z(rewriter, op);
      Value x = op.getLhs(), isNan = z.compare(arith::CmpFPredicate::UEQ, x, z.zero);
      Value isNegative = z.compare(arith::CmpFPredicate::OLT, x, z.zero);
      Value other = arith::NegFOp::create(rewriter, op.getLoc(), z.infinity);
      Value result = *divisor ? z.select(isNegative, z.infinity, other)
                              : z.select(isNegative, other, z.infinity);
      rewriter.replaceOp(op, z.select(isNan, z.nan, result));
      return success();
    }
    if (!negative)
      return failure();
    Zeros z(rewriter, op);
    Value y = op.getRhs();
    Value isNan = z.compare(arith::CmpFPredicate::UEQ, y, z.zero);
    rewriter.replaceOp(op, z.select(isNan, z.nan, z.zeroLike(y, *negative)));
    return success();
  }
};

} // namespace

void spirvbackend::populateZeroQuotients(RewritePatternSet &patterns) {
  // Before divisions are expanded: a driver would fold their parts.
  patterns.add<DivideZero>(patterns.getContext(), /*benefit=*/100);
}

void spirvbackend::populateFloatBits(RewritePatternSet &patterns, const Target &target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<SignBit<arith::NegFOp>, SignBit<math::AbsFOp>, CompareWithZero, WidenSubnormal>(
      context, target);
  patterns.add<MultiplyZero, AddZero, SubtractZero>(context);
  populateZeroQuotients(patterns);
}
