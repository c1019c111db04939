// Mathematics without libdevice. Ops with `afn` are the language's fast forms: the hardware's
// approximations. Ops without it become polynomials, MLIR's first.
#include "backends/nvptx/Patterns.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::nvptx;

namespace {

bool isFast(arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, arith::FastMathFlags::afn);
}

Value f32Constant(OpBuilder &b, Location loc, double value) {
  return LLVM::ConstantOp::create(b, loc, b.getF32Type(), b.getF32FloatAttr(value));
}

/// The hardware's approximation of a unary f32 op: scale the input, call an intrinsic, scale the
/// result. Replaces ops with `afn`, or all.
template <typename Op> struct FastUnary : OpRewritePattern<Op> {
  FastUnary(MLIRContext *context, const char *intrinsic, double before, double after,
            bool always = false)
      : OpRewritePattern<Op>(context, PatternBenefit(10)), intrinsic(intrinsic), before(before),
        after(after), always(always) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    if (!(always || isFast(op.getFastmath())) || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    auto scale = [&](Value value, double factor) -> Value {
      if (factor == 1)
        return value;
      return LLVM::FMulOp::create(rewriter, loc, value, f32Constant(rewriter, loc, factor));
    };
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getType(), op.getOperand(), [&](ValueRange x) {
          Value value =
              callIntrinsic(rewriter, loc, rewriter.getF32Type(), intrinsic, scale(x[0], before));
          return scale(value, after);
        }));
    return success();
  }
  const char *intrinsic;
  double before, after;
  bool always;
};

/// The language's `/` on f32: 2 ulp over the whole range.
struct FastDivision : OpRewritePattern<arith::DivFOp> {
  explicit FastDivision(MLIRContext *context) : OpRewritePattern(context, PatternBenefit(10)) {}
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const final {
    if (!isFast(op.getFastmath()) || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op, mapElements(rewriter, loc, op.getType(), op->getOperands(), [&](ValueRange xy) {
          return callIntrinsic(rewriter, loc, rewriter.getF32Type(), "llvm.nvvm.div.full", xy);
        }));
    return success();
  }
};

/// PTX conversions between f32 and narrower floats with a rounding mode, and the 8-bit formats that
/// the hardware knows.
struct FpCastPattern : ConvertOpToLLVMPattern<simt::FpCastOp> {
  FpCastPattern(const LLVMTypeConverter &converter, unsigned arch)
      : ConvertOpToLLVMPattern(converter), arch(arch) {}

  /// The hardware's name of an 8-bit format; empty if it has none.
  static StringRef nameOf8(Type type) {
    if (isa<Float8E4M3FNType>(type))
      return "e4m3";
    if (isa<Float8E5M2Type>(type))
      return "e5m2";
    return "";
  }

  LogicalResult matchAndRewrite(simt::FpCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Type from = op.getFrom(), to = op.getTo();
    bool towardZero = op.getRounding() == tile::RoundingMode::TowardZero;
    unsigned fromBits = isa<FloatType>(from) ? from.getIntOrFloatBitWidth() : 8;
    unsigned toBits = isa<FloatType>(to) ? to.getIntOrFloatBitWidth() : 8;
    auto refuse = [&](StringRef why) {
      return op.emitError() << "'tile.fp_cast' from " << from << " to " << to << " " << why;
    };
    if ((fromBits == 8 && nameOf8(from).empty()) || (toBits == 8 && nameOf8(to).empty()))
      return refuse("is not supported on NVIDIA GPUs yet; f8E4M3FN and f8E5M2 are");
    if ((fromBits == 8 || toBits == 8) && arch < 89)
      return refuse("needs sm_89 or later");
    if (toBits == 8 && towardZero)
      return refuse("rounds to nearest only");
    Type type = typeConverter->convertType(op.getType());
    Type f32 = rewriter.getF32Type(), i16 = rewriter.getI16Type(), i32 = rewriter.getI32Type();
    auto convert = [&](ValueRange x) -> Value {
      Value value = x[0];
      if (fromBits == 8) {
        // Two at a time is what there is: the high half is not used.
        Value wide = LLVM::ZExtOp::create(rewriter, loc, i16, value);
        Value pair =
            inlinePtx(rewriter, loc, {i32}, wide,
                      "cvt.rn.f16x2." + nameOf8(from).str() + "x2 $0, $1;", "=r,h", false)[0];
        value = LLVM::TruncOp::create(rewriter, loc, i16, pair);
        value = LLVM::BitcastOp::create(rewriter, loc, rewriter.getF16Type(), value);
        value = to.isF16() ? value : Value(LLVM::FPExtOp::create(rewriter, loc, f32, value));
        if (to.isBF16())
          value = LLVM::FPTruncOp::create(rewriter, loc, to, value);
        if (to.isF64())
          value = LLVM::FPExtOp::create(rewriter, loc, to, value);
        if (toBits != 8)
          return value;
      }
      if (toBits == 8) {
        if (value.getType().getIntOrFloatBitWidth() < 32)
          value = LLVM::FPExtOp::create(rewriter, loc, f32, value);
        else if (value.getType().isF64())
          value = LLVM::FPTruncOp::create(rewriter, loc, f32, value);
        Value zero = f32Constant(rewriter, loc, 0);
        Value pair = inlinePtx(rewriter, loc, {i16}, {zero, value},
                               "cvt.rn.satfinite." + nameOf8(to).str() + "x2.f32 $0, $1, $2;",
                               "=h,f,f", false)[0];
        return LLVM::TruncOp::create(rewriter, loc, rewriter.getI8Type(), pair);
      }
      if (towardZero && toBits == 16) {
        if (value.getType().isF64())
          value = LLVM::FPTruncOp::create(rewriter, loc, f32, value);
        if (to.isBF16()) {
          // Cutting off the low half rounds toward zero; a NaN whose payload is low stays one.
          Value bits = LLVM::BitcastOp::create(rewriter, loc, i32, value);
          Value isNan = LLVM::FCmpOp::create(rewriter, loc, LLVM::FCmpPredicate::uno, value, value);
          Value quiet =
              LLVM::OrOp::create(rewriter, loc, bits, integerConstant(rewriter, loc, 32, 0x400000));
          bits = LLVM::SelectOp::create(rewriter, loc, isNan, quiet, bits);
          bits = LLVM::LShrOp::create(rewriter, loc, bits, integerConstant(rewriter, loc, 32, 16));
          Value half = LLVM::TruncOp::create(rewriter, loc, i16, bits);
          return LLVM::BitcastOp::create(rewriter, loc, to, half);
        }
        Value half =
            inlinePtx(rewriter, loc, {i16}, value, "cvt.rz.f16.f32 $0, $1;", "=h,f", false)[0];
        return LLVM::BitcastOp::create(rewriter, loc, to, half);
      }
      if (towardZero && value.getType().isF64() && to.isF32())
        return callIntrinsic(rewriter, loc, f32, "llvm.nvvm.d2f.rz", value);
      if (toBits > fromBits)
        return LLVM::FPExtOp::create(rewriter, loc, to, value);
      if (toBits < fromBits)
        return LLVM::FPTruncOp::create(rewriter, loc, to, value);
      if (from == to)
        return value;
      value = LLVM::FPExtOp::create(rewriter, loc, f32, value); // f16 and bf16
      return LLVM::FPTruncOp::create(rewriter, loc, to, value);
    };
    rewriter.replaceOp(op, mapElements(rewriter, loc, type, adaptor.getSource(), convert));
    return success();
  }
  unsigned arch;
};

} // namespace

/// log10 by the natural logarithm.
struct Log10 : OpRewritePattern<math::Log10Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log10Op op, PatternRewriter &rewriter) const final {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    Location loc = op.getLoc();
    TypedAttr factor = rewriter.getF32FloatAttr(0.43429448190325183);
    if (auto vector = dyn_cast<VectorType>(type))
      factor = DenseElementsAttr::get(vector, Attribute(factor));
    Value logarithm = math::LogOp::create(rewriter, loc, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, logarithm,
                                               arith::ConstantOp::create(rewriter, loc, factor));
    return success();
  }
};

/// Ops that LLVM lowers for this target by itself.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::RoundEvenOp, math::RoundOp,
             math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

LogicalResult nvptx::expandMath(ModuleOp module, const Architecture &arch) {
  MLIRContext *context = module.getContext();
  constexpr double log2E = 1.4426950408889634, ln2 = 0.69314718055994531;
  constexpr double log10Of2 = 0.30102999566398120;
  RewritePatternSet patterns(context);
  patterns.add<FastUnary<math::ExpOp>>(context, "llvm.nvvm.ex2.approx", log2E, 1);
  patterns.add<FastUnary<math::Exp2Op>>(context, "llvm.nvvm.ex2.approx", 1, 1, true);
  patterns.add<FastUnary<math::LogOp>>(context, "llvm.nvvm.lg2.approx.f", 1, ln2);
  patterns.add<FastUnary<math::Log2Op>>(context, "llvm.nvvm.lg2.approx.f", 1, 1);
  patterns.add<FastUnary<math::Log10Op>>(context, "llvm.nvvm.lg2.approx.f", 1, log10Of2);
  patterns.add<FastUnary<math::SinOp>>(context, "llvm.nvvm.sin.approx.f", 1, 1);
  patterns.add<FastUnary<math::CosOp>>(context, "llvm.nvvm.cos.approx.f", 1, 1);
  patterns.add<FastUnary<math::SqrtOp>>(context, "llvm.nvvm.sqrt.approx.f", 1, 1);
  patterns.add<FastUnary<math::RsqrtOp>>(context, "llvm.nvvm.rsqrt.approx.f", 1, 1, true);
  patterns.add<FastDivision, Log10>(context);
  auto all = [](StringRef) { return true; };
  populateMathF32ExpansionPatterns(patterns, all);
  populateMathPolynomialApproximationPatterns(patterns, all);
  populateAccurateMath(patterns);
  math::populateExpansionPatterns(patterns, {"cosh", "fpowi", "powf"});
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError("internal error: the expansion of mathematics does not end");
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) || isNative(op))
      return WalkResult::advance();
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    InFlightDiagnostic error = op->emitError() << "'" << op->getName() << "' on " << element
                                               << " is not supported on cuda:" << arch.name;
    if (!element.isF32())
      error << "; compute it in f32";
    return error;
  });
  return failure(walk.wasInterrupted());
}

void nvptx::populateMathPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                 const Architecture &arch) {
  patterns.add<FpCastPattern>(converter, arch.number);
}
