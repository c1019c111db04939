// Arithmetic on scalars. Only types that are held as themselves have arithmetic; the others only
// move (see Patterns.h).
#include "backends/spirv/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

bool isBool(Type type) { return type.isInteger(1); }

/// An op that is one instruction, and another one on booleans.
template <typename Op, typename SpirvOp, typename BoolOp>
struct IntegerPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (isBool(op.getType()))
      rewriter.replaceOpWithNewOp<BoolOp>(op, adaptor.getLhs(), adaptor.getRhs());
    else
      rewriter.replaceOpWithNewOp<SpirvOp>(op, adaptor.getLhs(), adaptor.getRhs());
    return success();
  }
};

/// Of booleans only the shift by zero is defined, and only the division by one.
template <typename Op, typename SpirvOp> struct ShiftPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (isBool(op.getType()))
      rewriter.replaceOp(op, adaptor.getLhs());
    else
      rewriter.replaceOpWithNewOp<SpirvOp>(op, adaptor.getLhs().getType(), adaptor.getLhs(),
                                           adaptor.getRhs());
    return success();
  }
};

template <typename Op, typename SpirvOp> struct DividePattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (isBool(op.getType()))
      rewriter.replaceOp(op, adaptor.getLhs());
    else
      rewriter.replaceOpWithNewOp<SpirvOp>(op, adaptor.getLhs(), adaptor.getRhs());
    return success();
  }
};

/// By the quotient: Vulkan leaves OpSRem of negative operands open.
template <typename Op, typename Divide> struct RemainderPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (isBool(op.getType())) {
      rewriter.replaceOp(op, constantOf(rewriter, loc, op.getType(), 0));
      return success();
    }
    Value quotient = Divide::create(rewriter, loc, adaptor.getLhs(), adaptor.getRhs());
    Value product = spirv::IMulOp::create(rewriter, loc, quotient, adaptor.getRhs());
    rewriter.replaceOpWithNewOp<spirv::ISubOp>(op, adaptor.getLhs(), product);
    return success();
  }
};

template <typename Op, typename Compare, typename BoolOp> struct MinMaxPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    if (isBool(op.getType())) {
      rewriter.replaceOpWithNewOp<BoolOp>(op, x, y);
      return success();
    }
    Value first = Compare::create(rewriter, op.getLoc(), x, y);
    rewriter.replaceOpWithNewOp<spirv::SelectOp>(op, x.getType(), first, x, y);
    return success();
  }
};

struct CompareIntegersPattern : KernelPattern<arith::CmpIOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    using Predicate = arith::CmpIPredicate;
    Location loc = op.getLoc();
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    Predicate predicate = op.getPredicate();
    if (isBool(x.getType())) {
      if (predicate == Predicate::eq)
        return replace<spirv::LogicalEqualOp>(op, x, y, rewriter);
      if (predicate == Predicate::ne)
        return replace<spirv::LogicalNotEqualOp>(op, x, y, rewriter);
      // As signed numbers, true is -1.
      bool isSigned = predicate <= Predicate::sge;
      Type i32 = rewriter.getI32Type();
      Value zero = constantOf(rewriter, loc, i32, 0);
      Value one = constantOf(rewriter, loc, i32, isSigned ? -1 : 1);
      x = spirv::SelectOp::create(rewriter, loc, i32, x, one, zero);
      y = spirv::SelectOp::create(rewriter, loc, i32, y, one, zero);
    }
    switch (predicate) {
    case Predicate::eq:
      return replace<spirv::IEqualOp>(op, x, y, rewriter);
    case Predicate::ne:
      return replace<spirv::INotEqualOp>(op, x, y, rewriter);
    case Predicate::slt:
      return replace<spirv::SLessThanOp>(op, x, y, rewriter);
    case Predicate::sle:
      return replace<spirv::SLessThanEqualOp>(op, x, y, rewriter);
    case Predicate::sgt:
      return replace<spirv::SGreaterThanOp>(op, x, y, rewriter);
    case Predicate::sge:
      return replace<spirv::SGreaterThanEqualOp>(op, x, y, rewriter);
    case Predicate::ult:
      return replace<spirv::ULessThanOp>(op, x, y, rewriter);
    case Predicate::ule:
      return replace<spirv::ULessThanEqualOp>(op, x, y, rewriter);
    case Predicate::ugt:
      return replace<spirv::UGreaterThanOp>(op, x, y, rewriter);
    case Predicate::uge:
      return replace<spirv::UGreaterThanEqualOp>(op, x, y, rewriter);
    }
    return failure();
  }
  template <typename Compare>
  LogicalResult replace(Operation *op, Value x, Value y,
                        ConversionPatternRewriter &rewriter) const {
    rewriter.replaceOpWithNewOp<Compare>(op, x, y);
    return success();
  }
};

struct CompareFloatsPattern : KernelPattern<arith::CmpFOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    using Predicate = arith::CmpFPredicate;
    Location loc = op.getLoc();
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    if (!isa<FloatType>(x.getType()))
      return failure();
    auto isNumber = [&](Value value) -> Value {
      return spirv::FOrdEqualOp::create(rewriter, loc, value, value);
    };
    Value result;
    switch (op.getPredicate()) {
#define CASE(predicate, Compare)                                                                   \
  case Predicate::predicate:                                                                       \
    result = spirv::Compare##Op::create(rewriter, loc, x, y);                                      \
    break;
      CASE(OEQ, FOrdEqual)
      CASE(OGT, FOrdGreaterThan)
      CASE(OGE, FOrdGreaterThanEqual)
      CASE(OLT, FOrdLessThan)
      CASE(OLE, FOrdLessThanEqual)
      CASE(ONE, FOrdNotEqual)
      CASE(UEQ, FUnordEqual)
      CASE(UGT, FUnordGreaterThan)
      CASE(UGE, FUnordGreaterThanEqual)
      CASE(ULT, FUnordLessThan)
      CASE(ULE, FUnordLessThanEqual)
      CASE(UNE, FUnordNotEqual)
#undef CASE
    case Predicate::AlwaysFalse:
    case Predicate::AlwaysTrue:
      result = constantOf(rewriter, loc, rewriter.getI1Type(),
                          op.getPredicate() == Predicate::AlwaysTrue);
      break;
    // OpOrdered and OpUnordered are not for shaders.
    case Predicate::ORD:
      result = spirv::LogicalAndOp::create(rewriter, loc, isNumber(x), isNumber(y));
      break;
    case Predicate::UNO:
      result = spirv::LogicalAndOp::create(rewriter, loc, isNumber(x), isNumber(y));
      result = spirv::LogicalNotOp::create(rewriter, loc, result);
      break;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The driver must not fuse it with a neighbour: where the kernel allows that, it is a math.fma by
/// now.
template <typename Op, typename SpirvOp> struct FloatPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!isa<FloatType>(adaptor.getOperands().front().getType()))
      return failure();
    auto result = rewriter.replaceOpWithNewOp<SpirvOp>(op, adaptor.getOperands().front().getType(),
                                                       adaptor.getOperands());
    noContraction(result);
    return success();
  }
};

/// With NMin and NMax: a number beats a NaN; or a NaN comes through.
template <typename Op, uint32_t instruction, bool keepsNan>
struct FloatMinMaxPattern : KernelPattern<Op> {
  using KernelPattern<Op>::KernelPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    Type type = x.getType();
    if (!isa<FloatType>(type))
      return failure();
    Value result = emitGlsl(rewriter, loc, this->kernel, instruction, type, {x, y});
    if (keepsNan) {
      Value isFirst = spirv::IsNanOp::create(rewriter, loc, x);
      Value isSecond = spirv::IsNanOp::create(rewriter, loc, y);
      result = spirv::SelectOp::create(rewriter, loc, type, isSecond, y, result);
      result = spirv::SelectOp::create(rewriter, loc, type, isFirst, x, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};
constexpr uint32_t kNMin = 79, kNMax = 80;

struct SelectPattern : KernelPattern<arith::SelectOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Value x = adaptor.getTrueValue(), y = adaptor.getFalseValue();
    if (isa<spirv::CooperativeMatrixType>(x.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<spirv::SelectOp>(op, x.getType(), adaptor.getCondition(), x, y);
    return success();
  }
};

struct ConstantPattern : KernelPattern<arith::ConstantOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto make = [&](Attribute attribute, Type type) {
      return constantFrom(rewriter, op.getLoc(), type, attribute);
    };
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      Type type = convert(dense.getElementType());
      SmallVector<Value> elements;
      for (Attribute element : dense.getValues<Attribute>())
        elements.push_back(make(element, type));
      rewriter.replaceOpWithMultiple(op, {elements});
      return success();
    }
    Type type = convert(op.getType());
    if (!type || !isa<FloatAttr, IntegerAttr>(op.getValue()))
      return failure();
    rewriter.replaceOp(op, make(op.getValue(), type));
    return success();
  }
};

struct BitcastPattern : KernelPattern<arith::BitcastOp> {
  using KernelPattern::KernelPattern;
  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value source = adaptor.getIn();
    Type type = convert(op.getType());
    if (source.getType() == type) {
      rewriter.replaceOp(op, source);
      return success();
    }
    if (source.getType().getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth()) {
      rewriter.replaceOp(op, bitcast(rewriter, loc, type, source));
      return success();
    }
    SmallVector<Value> words = toWords(rewriter, loc, source, op.getIn().getType(), target);
    rewriter.replaceOp(op, fromWords(rewriter, loc, words, op.getType(), 1, target));
    return success();
  }
};

} // namespace

void spirvbackend::populateArithPatterns(SPIRVTypeConverter &converter, RewritePatternSet &patterns,
                                         KernelContext &kernel) {
  using namespace arith;
  patterns
      .add<IntegerPattern<AddIOp, spirv::IAddOp, spirv::LogicalNotEqualOp>,
           IntegerPattern<SubIOp, spirv::ISubOp, spirv::LogicalNotEqualOp>,
           IntegerPattern<MulIOp, spirv::IMulOp, spirv::LogicalAndOp>,
           IntegerPattern<AndIOp, spirv::BitwiseAndOp, spirv::LogicalAndOp>,
           IntegerPattern<OrIOp, spirv::BitwiseOrOp, spirv::LogicalOrOp>,
           IntegerPattern<XOrIOp, spirv::BitwiseXorOp, spirv::LogicalNotEqualOp>,
           ShiftPattern<ShLIOp, spirv::ShiftLeftLogicalOp>,
           ShiftPattern<ShRUIOp, spirv::ShiftRightLogicalOp>,
           ShiftPattern<ShRSIOp, spirv::ShiftRightArithmeticOp>,
           DividePattern<DivUIOp, spirv::UDivOp>, DividePattern<DivSIOp, spirv::SDivOp>,
           RemainderPattern<RemUIOp, spirv::UDivOp>, RemainderPattern<RemSIOp, spirv::SDivOp>,
           MinMaxPattern<MinSIOp, spirv::SLessThanOp, spirv::LogicalOrOp>,
           MinMaxPattern<MinUIOp, spirv::ULessThanOp, spirv::LogicalAndOp>,
           MinMaxPattern<MaxSIOp, spirv::SGreaterThanOp, spirv::LogicalAndOp>,
           MinMaxPattern<MaxUIOp, spirv::UGreaterThanOp, spirv::LogicalOrOp>,
           CompareIntegersPattern, CompareFloatsPattern, FloatPattern<AddFOp, spirv::FAddOp>,
           FloatPattern<SubFOp, spirv::FSubOp>, FloatPattern<MulFOp, spirv::FMulOp>,
           FloatPattern<DivFOp, spirv::FDivOp>, FloatPattern<NegFOp, spirv::FNegateOp>,
           FloatMinMaxPattern<MinNumFOp, kNMin, false>, FloatMinMaxPattern<MaxNumFOp, kNMax, false>,
           FloatMinMaxPattern<MinimumFOp, kNMin, true>, FloatMinMaxPattern<MaximumFOp, kNMax, true>,
           SelectPattern, ConstantPattern, BitcastPattern>(converter, kernel);
  populateWidthPatterns(converter, patterns, kernel);
  populateCeilFloorDivExpandOpsPatterns(patterns);
}
