// The patterns: which op becomes which function.
#include "ir/math/Expansions.h"
#include "ir/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <memory>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::mathx;

namespace {

constexpr unsigned kBenefit = 5;

bool hasForm(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  return (element.isF32() || element.isF64()) && (!vector || vector.getRank() == 1);
}

/// The op on one element after the other in a loop. Registers are not indexed: each round takes the
/// first elements, and results come in at the end.
void loopOverElements(Operation *op, PatternRewriter &rewriter) {
  Location loc = op->getLoc();
  auto type = cast<VectorType>(op->getResult(0).getType());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(int32_t(value)));
  };
  SmallVector<Value> inits(op->getOperands());
  inits.push_back(inits.front());
  auto body = [&](OpBuilder &b, Location, Value, ValueRange carried) {
    SmallVector<Value> firsts, next;
    for (Value vector : carried.drop_back()) {
      SmallVector<Value> elements(vector::ToElementsOp::create(b, loc, vector).getResults());
      firsts.push_back(elements.front());
      std::rotate(elements.begin(), elements.begin() + 1, elements.end());
      next.push_back(vector::FromElementsOp::create(b, loc, vector.getType(), elements));
    }
    SmallVector<Value> results(vector::ToElementsOp::create(b, loc, carried.back()).getResults());
    results.erase(results.begin());
    results.push_back(b.create(loc, op->getName().getIdentifier(), firsts, {type.getElementType()},
                               op->getAttrs())
                          ->getResult(0));
    next.push_back(vector::FromElementsOp::create(b, loc, type, results));
    scf::YieldOp::create(b, loc, next);
  };
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(type.getNumElements()), index(1),
                                 inits, body);
  rewriter.replaceOp(op, loop.getResults().back());
}

/// A long vector in parts, one after the other: a thread would need registers for the intermediate
/// results of all its elements at once otherwise.
LogicalResult splitLong(Operation *op, PatternRewriter &rewriter, bool loops) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (type && loops && type.getElementType().isF64()) {
    loopOverElements(op, rewriter);
    return success();
  }
  const int64_t most = getElementTypeOrSelf(op->getResult(0).getType()).isF64() ? 2 : 4;
  if (!type || type.getNumElements() <= most)
    return failure();
  Location loc = op->getLoc();
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands())
    operands.emplace_back(vector::ToElementsOp::create(rewriter, loc, operand).getResults());
  SmallVector<Value> results;
  for (int64_t i = 0; i < type.getNumElements(); i += most) {
    const int64_t count = std::min(most, type.getNumElements() - i);
    auto partType = VectorType::get({count}, type.getElementType());
    SmallVector<Value> parts;
    for (ArrayRef<Value> elements : operands)
      parts.push_back(
          vector::FromElementsOp::create(rewriter, loc, partType, elements.slice(i, count)));
    Operation *part =
        rewriter.create(loc, op->getName().getIdentifier(), parts, {partType}, op->getAttrs());
    llvm::append_range(
        results, vector::ToElementsOp::create(rewriter, loc, part->getResult(0)).getResults());
  }
  rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
  return success();
}

/// What the patterns share.
struct Device {
  bool loops;
  std::shared_ptr<const Estimates> estimates;

  Calculator calculator(OpBuilder &b, Operation *op) const {
    Calculator c(b, op->getLoc(), op->getResult(0).getType());
    c.estimates = estimates.get();
    return c;
  }
};

template <typename Op> struct Unary : OpRewritePattern<Op> {
  using Function = Real (*)(Real);
  Unary(MLIRContext *context, Function function, Device device)
      : OpRewritePattern<Op>(context, PatternBenefit(kBenefit)), function(function),
        device(std::move(device)) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!hasForm(op.getType()))
      return failure();
    if (succeeded(splitLong(op, rewriter, device.loops)))
      return success();
    Calculator c = device.calculator(rewriter, op);
    rewriter.replaceOp(op, function(c.real(op.getOperand())).v);
    return success();
  }
  Function function;
  Device device;
};

template <typename Op> struct Binary : OpRewritePattern<Op> {
  using Function = Real (*)(Real, Real);
  Binary(MLIRContext *context, Function function, Device device)
      : OpRewritePattern<Op>(context, PatternBenefit(kBenefit)), function(function),
        device(std::move(device)) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!hasForm(op.getType()))
      return failure();
    if (succeeded(splitLong(op, rewriter, device.loops)))
      return success();
    Calculator c = device.calculator(rewriter, op);
    rewriter.replaceOp(op, function(c.real(op.getLhs()), c.real(op.getRhs())).v);
    return success();
  }
  Function function;
  Device device;
};

struct SinCos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &rewriter) const final {
    Value x = op.getOperand();
    Value sine = math::SinOp::create(rewriter, op.getLoc(), x, op.getFastmath());
    Value cosine = math::CosOp::create(rewriter, op.getLoc(), x, op.getFastmath());
    rewriter.replaceOp(op, {sine, cosine});
    return success();
  }
};

/// min(max(x, low), high) as the reference does it: NaN stays.
struct Clamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = op.getValue(), low = op.getMin(), high = op.getMax();
    Value above = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT, x, high);
    Value below = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, x, low);
    Value limited = arith::SelectOp::create(rewriter, loc, above, high, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, below, low, limited);
    return success();
  }
};

/// |x|^n with the sign of x where n is odd: a large n's parity is lost in the float.
struct IntegerPower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type type = op.getType(), integers = op.getRhs().getType();
    if (!hasForm(type))
      return failure();
    Value n = op.getRhs(), magnitude = math::AbsFOp::create(rewriter, loc, op.getLhs());
    Value exponent = arith::SIToFPOp::create(rewriter, loc, type, n);
    Value power = math::PowFOp::create(rewriter, loc, magnitude, exponent, op.getFastmath());
    Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getOneAttr(integers));
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(integers));
    Value low = arith::AndIOp::create(rewriter, loc, n, one);
    Value odd = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, low, zero);
    Value withSign = math::CopySignOp::create(rewriter, loc, power, op.getLhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, odd, withSign, power);
    return success();
  }
};

/// 16-bit floats by way of float32.
template <typename Op> struct Promote : OpRewritePattern<Op> {
  explicit Promote(MLIRContext *context)
      : OpRewritePattern<Op>(context, PatternBenefit(kBenefit)) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() != 16)
      return failure();
    Type wide = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<FloatType>(getElementTypeOrSelf(operand.getType()))
                             ? Value(arith::ExtFOp::create(rewriter, op.getLoc(), wide, operand))
                             : operand);
    Operation *promoted = rewriter.create(op.getLoc(), op->getName().getIdentifier(), operands,
                                          {wide}, op->getAttrs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, promoted->getResult(0));
    return success();
  }
};

/// An fma of a target without one.
struct MultiplyAdd : OpRewritePattern<math::FmaOp> {
  using Fma = ExpansionOptions::Fma;
  MultiplyAdd(MLIRContext *context, const ExpansionOptions &options)
      : OpRewritePattern(context, PatternBenefit(kBenefit)), single(options.fmaSingle),
        wide(options.fmaWide), loops(options.loopsOverFloat64) {}
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const final {
    if (!hasForm(op.getType()))
      return failure();
    Calculator c(rewriter, op.getLoc(), op.getType());
    Fma form = c.wide ? wide : single;
    if (form == Fma::Stays)
      return failure();
    if (c.wide && loops && succeeded(splitLong(op, rewriter, loops)))
      return success();
    Real x = c.real(op.getA()), y = c.real(op.getB()), z = c.real(op.getC());
    Real result = form == Fma::ByParts ? fmaByParts(x, y, z) : fmaThroughWide(x, y, z);
    rewriter.replaceOp(op, result.v);
    return success();
  }
  Fma single, wide;
  bool loops;
};

/// fma of 16-bit floats: rounded to odd in a wider type, then once to theirs.
struct NarrowMultiplyAdd : OpRewritePattern<math::FmaOp> {
  using Fma = ExpansionOptions::Fma;
  NarrowMultiplyAdd(MLIRContext *context, const ExpansionOptions &options)
      : OpRewritePattern(context), half(options.fmaHalf), bfloat16(options.fmaBFloat16) {}
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const final {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    const Fma form = element.isF16() ? half : element.isBF16() ? bfloat16 : Fma::Stays;
    if (form == Fma::Stays || bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::contract))
      return failure();
    Location loc = op.getLoc();
    Type wide = form == Fma::ByParts ? Type(rewriter.getF32Type()) : rewriter.getF64Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Calculator c(rewriter, loc, wide);
    SmallVector<Real> x;
    for (Value operand : op->getOperands())
      x.push_back(c.real(arith::ExtFOp::create(rewriter, loc, wide, operand).getResult()));
    Real sum = form == Fma::ByParts ? fmaByParts(x[0], x[1], x[2], /*odd=*/true)
                                    : fmaOddInWide(x[0], x[1], x[2]);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, sum.v);
    return success();
  }
  Fma half, bfloat16;
};

bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

/// What the target gives by itself, which is close.
Real closeQuotient(Real x, Real y) {
  return {x.c, arith::DivFOp::create(x.c->b, x.c->loc, x.v, y.v, arith::FastMathFlags::afn)};
}
Real closeRoot(Real x) {
  return {x.c, math::SqrtOp::create(x.c->b, x.c->loc, x.v, arith::FastMathFlags::afn)};
}

struct Division : OpRewritePattern<arith::DivFOp> {
  Division(MLIRContext *context, bool loops) : OpRewritePattern(context), loops(loops) {}
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const final {
    if (!hasForm(op.getType()) || isApproximate(op.getFastmath()))
      return failure();
    if (loops && succeeded(splitLong(op, rewriter, loops)))
      return success();
    Calculator c(rewriter, op.getLoc(), op.getType());
    Real result = divideExactly(c.real(op.getLhs()), c.real(op.getRhs()), closeQuotient);
    rewriter.replaceOp(op, result.v);
    return success();
  }
  bool loops;
};

struct Root : OpRewritePattern<math::SqrtOp> {
  Root(MLIRContext *context, bool loops) : OpRewritePattern(context), loops(loops) {}
  LogicalResult matchAndRewrite(math::SqrtOp op, PatternRewriter &rewriter) const final {
    if (!hasForm(op.getType()) || isApproximate(op.getFastmath()))
      return failure();
    if (loops && succeeded(splitLong(op, rewriter, loops)))
      return success();
    Calculator c(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, sqrtExactly(c.real(op.getOperand()), closeRoot, closeQuotient).v);
    return success();
  }
  bool loops;
};

} // namespace

void mathx::populateNarrowMultiplyAdd(RewritePatternSet &patterns,
                                      const ExpansionOptions &options) {
  patterns.add<NarrowMultiplyAdd>(patterns.getContext(), options);
}

void mathx::populateMathExpansions(RewritePatternSet &patterns, ExpansionOptions options) {
  MLIRContext *context = patterns.getContext();
  const bool loops = options.loopsOverFloat64;
  const Device device{loops, std::make_shared<const Estimates>(std::move(options.estimates))};
#define TILERUN_UNARY(OP, FUNCTION)                                                                \
  patterns.add<Unary<math::OP>>(context, mathx::FUNCTION, device);                                 \
  patterns.add<Promote<math::OP>>(context)
  TILERUN_UNARY(ExpOp, exp);
  TILERUN_UNARY(Exp2Op, exp2);
  TILERUN_UNARY(ExpM1Op, expm1);
  TILERUN_UNARY(LogOp, log);
  TILERUN_UNARY(Log2Op, log2);
  TILERUN_UNARY(Log10Op, log10);
  TILERUN_UNARY(Log1pOp, log1p);
  TILERUN_UNARY(CbrtOp, cbrt);
  TILERUN_UNARY(RsqrtOp, rsqrt);
  TILERUN_UNARY(SinOp, sin);
  TILERUN_UNARY(CosOp, cos);
  TILERUN_UNARY(TanOp, tan);
  TILERUN_UNARY(AsinOp, asin);
  TILERUN_UNARY(AcosOp, acos);
  TILERUN_UNARY(AtanOp, atan);
  TILERUN_UNARY(SinhOp, sinh);
  TILERUN_UNARY(CoshOp, cosh);
  TILERUN_UNARY(TanhOp, tanh);
  TILERUN_UNARY(AsinhOp, asinh);
  TILERUN_UNARY(AcoshOp, acosh);
  TILERUN_UNARY(AtanhOp, atanh);
  TILERUN_UNARY(ErfOp, erf);
  TILERUN_UNARY(ErfcOp, erfc);
#undef TILERUN_UNARY
  patterns.add<Binary<math::PowFOp>>(context, mathx::pow, device);
  patterns.add<Binary<math::Atan2Op>>(context, mathx::atan2, device);
  patterns.add<Binary<arith::RemFOp>>(context, mathx::fmod, device);
  patterns.add<Promote<math::PowFOp>, Promote<math::Atan2Op>, Promote<arith::RemFOp>,
               Promote<math::FPowIOp>>(context);
  patterns.add<SinCos, Clamp, IntegerPower>(context);
  patterns.add<MultiplyAdd>(context, options);
  populateNarrowMultiplyAdd(patterns, options);
  if (options.correctsDivision)
    patterns.add<Division, Root>(context, loops);
}
