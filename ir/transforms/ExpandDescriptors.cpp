// tile-expand-descriptors: descriptors become their fields, and accesses to blocks become accesses
// through tensors of pointers with masks. A conversion of types from one value to several does it,
// so that whatever carries a descriptor carries its fields.
#include "ir/tile/TileOps.h"
#include "ir/tile/TileUtils.h"
#include "ir/transforms/Passes.h"

#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilerun {
#define GEN_PASS_DEF_TILEEXPANDDESCRIPTORS
#include "ir/transforms/Passes.h.inc"
} // namespace tilerun

using namespace mlir;
using namespace tilerun::tile;

namespace {

/// The values that a descriptor becomes: its address, sizes and strides.
struct Fields {
  Value base;
  ValueRange sizes, strides;

  explicit Fields(ValueRange values)
      : base(values.front()), sizes(values.drop_front().take_front(values.size() / 2)),
        strides(values.drop_front().drop_front(values.size() / 2)) {}
};

/// The pointers of a block's elements, and which of them are in the view.
struct Access {
  Value pointers, mask;
};

/// Emits the access of one op. Indices are tensors of i64 with the rank of the block and sizes of 1
/// but along their own dimension; what an index is used for has its shape as long as it can.
class AccessBuilder {
public:
  AccessBuilder(OpBuilder &builder, Operation *op, ArrayRef<int64_t> shape)
      : builder(builder), loc(op->getLoc()), shape(shape),
        checksOverflow(op->hasAttr(TileDialect::kSignedAttr)) {}

  /// `offset` + 0, 1, … along dimension `dim`.
  Value makeWindow(Value offset, unsigned dim) {
    auto line = RankedTensorType::get({shape[dim]}, builder.getI32Type());
    Value steps = MakeRangeOp::create(builder, loc, line, 0u, static_cast<uint32_t>(shape[dim]));
    for (unsigned other = 0; other < shape.size(); ++other)
      if (other != dim)
        steps = ExpandDimsOp::create(builder, loc, steps, other);
    steps = arith::ExtSIOp::create(builder, loc,
                                   withElementType(steps.getType(), builder.getI64Type()), steps);
    return mark(arith::AddIOp::create(builder, loc, splat(offset, steps), steps));
  }

  Access build(const Fields &fields, ArrayRef<Value> indices) {
    Value pointers = fields.base, mask;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      Value distance =
          mark(arith::MulIOp::create(builder, loc, index, splat(fields.strides[dim], index)));
      bringTogether(pointers, distance);
      pointers = AddPtrOp::create(builder, loc, pointers, distance);
      Value zero = createZero(builder, loc, index.getType());
      Value isBehindStart = compare(arith::CmpIPredicate::sge, index, zero);
      Value isBeforeEnd =
          compare(arith::CmpIPredicate::slt, index, splat(fields.sizes[dim], index));
      mask = mask ? intersect(mask, isBehindStart) : isBehindStart;
      mask = intersect(mask, isBeforeEnd);
    }
    return {broadcast(pointers, shape), broadcast(mask, shape)};
  }

  /// The value of a load outside the view.
  Value makePadding(DescriptorType type) {
    auto result = RankedTensorType::get(shape, type.getElementType());
    if (type.getPadding() == DescriptorPadding::Zero)
      return createZero(builder, loc, result);
    // No attribute holds a float that MLIR does not have.
    auto element = dyn_cast<FloatType>(type.getElementType());
    bool isForeign = !element;
    if (isForeign)
      element = builder.getF32Type();
    bool losesInfo;
    llvm::APFloat nan(std::numeric_limits<double>::quiet_NaN());
    nan.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    auto wide = RankedTensorType::get(shape, element);
    Value value =
        arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(wide, ArrayRef(nan)));
    return isForeign ? FpCastOp::create(builder, loc, result, value, RoundingMode::NearestEven)
                     : value;
  }

private:
  /// In debug mode what computes an address must not overflow.
  Value mark(Operation *op) {
    if (checksOverflow)
      op->setAttr(TileDialect::kSignedAttr, builder.getUnitAttr());
    return op->getResult(0);
  }

  Value splat(Value scalar, Value like) {
    auto type =
        RankedTensorType::get(cast<RankedTensorType>(like.getType()).getShape(), scalar.getType());
    return SplatOp::create(builder, loc, type, scalar);
  }

  Value broadcast(Value value, ArrayRef<int64_t> to) {
    auto type = RankedTensorType::get(to, getElementTypeOrSelf(value.getType()));
    if (value.getType() == type)
      return value;
    if (!isa<RankedTensorType>(value.getType()))
      return SplatOp::create(builder, loc, type, value);
    return BroadcastOp::create(builder, loc, type, value);
  }

  /// Brings two values to the shape in which the sizes of both are, one of which may be a scalar.
  void bringTogether(Value &a, Value &b) {
    SmallVector<int64_t> common(shape.size(), 1);
    for (Value value : {a, b})
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        for (auto [size, own] : llvm::zip(common, type.getShape()))
          size = std::max(size, own);
    a = broadcast(a, common);
    b = broadcast(b, common);
  }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  Value intersect(Value a, Value b) {
    bringTogether(a, b);
    return arith::AndIOp::create(builder, loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
  ArrayRef<int64_t> shape;
  bool checksOverflow;
};

/// Gathers and scatters name rows, the others a block by its offsets.
template <typename OpTy>
Access makeAccess(OpTy op, OpBuilder &b, AccessBuilder &builder, ValueRange fields) {
  SmallVector<Value> indices;
  if constexpr (llvm::is_one_of<OpTy, DescriptorGatherOp, DescriptorScatterOp>::value) {
    Value columns = builder.makeWindow(op.getColumn(), 1);
    indices = {ExpandDimsOp::create(b, op.getLoc(), op.getRows(), 1), columns};
  } else {
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets()))
      indices.push_back(builder.makeWindow(offset, dim));
  }
  return builder.build(Fields(fields), indices);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

struct ExpandMake : OpConversionPattern<MakeDescriptorOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeDescriptorOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithMultiple(op, {op->getOperands()});
    return success();
  }
};

struct ExpandSize : OpConversionPattern<DescriptorSizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorSizeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, Fields(adaptor.getDescriptor()).sizes[op.getAxis()]);
    return success();
  }
};

struct ExpandStride : OpConversionPattern<DescriptorStrideOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStrideOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, Fields(adaptor.getDescriptor()).strides[op.getAxis()]);
    return success();
  }
};

template <typename OpTy> struct ExpandLoad : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op,
                                typename OpConversionPattern<OpTy>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    AccessBuilder builder(rewriter, op, op.getType().getShape());
    Access access = makeAccess(op, rewriter, builder, adaptor.getDescriptor());
    rewriter.replaceOpWithNewOp<LoadOp>(op, access.pointers, access.mask,
                                        builder.makePadding(op.getDescriptor().getType()),
                                        op.getCache(), op.getEvict(), /*is_volatile=*/false);
    return success();
  }
};

template <typename OpTy> struct ExpandStore : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult matchAndRewrite(OpTy op,
                                typename OpConversionPattern<OpTy>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    AccessBuilder builder(rewriter, op, op.getValue().getType().getShape());
    Access access = makeAccess(op, rewriter, builder, adaptor.getDescriptor());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, op.getValue(), access.mask,
                                         CacheModifier::None, EvictionPolicy::Normal);
    return success();
  }
};

struct ExpandReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    AccessBuilder builder(rewriter, op, op.getValue().getType().getShape());
    Access access = makeAccess(op, rewriter, builder, adaptor.getDescriptor());
    AtomicRMWOp::create(rewriter, op.getLoc(), op.getKind(), access.pointers, op.getValue(),
                        access.mask, MemSemantic::AcquireRelease, MemScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Selects between two descriptors by a condition that is the same for the whole program.
struct ExpandSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<Value> fields;
    for (auto [a, b] : llvm::zip(adaptor.getTrueValue(), adaptor.getFalseValue()))
      fields.push_back(arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), a, b));
    rewriter.replaceOpWithMultiple(op, {fields});
    return success();
  }
};

/// Stands for the descriptor on a path that has none.
struct ExpandPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> fields;
    for (Type type : types)
      fields.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type));
    rewriter.replaceOpWithMultiple(op, {fields});
    return success();
  }
};

/// MLIR's own pattern loses the attributes, which are the hints of a loop that may be left early.
struct ExpandWhile : OpConversionPattern<scf::WhileOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(scf::WhileOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<Value> inits;
    for (ValueRange values : adaptor.getInits())
      llvm::append_range(inits, values);
    SmallVector<Type> types;
    SmallVector<size_t> ends;
    for (Type type : op.getResultTypes()) {
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      ends.push_back(types.size());
    }
    auto loop = scf::WhileOp::create(rewriter, op.getLoc(), types, inits);
    loop->setAttrs(op->getAttrs());
    for (auto [from, to] : llvm::zip(op->getRegions(), loop->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      if (failed(rewriter.convertRegionTypes(&to, *getTypeConverter())))
        return failure();
    }
    SmallVector<ValueRange> results;
    for (size_t begin = 0; size_t end : ends) {
      results.push_back(loop.getResults().slice(begin, end - begin));
      begin = end;
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

bool isDescriptor(Type type) { return isa<DescriptorType>(type); }

/// Whether there is a descriptor anywhere in `root`.
bool hasDescriptors(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), isDescriptor))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(), isDescriptor))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

struct ExpandDescriptorsPass
    : public tilerun::impl::TileExpandDescriptorsBase<ExpandDescriptorsPass> {
  void runOnOperation() final {
    if (failed(tilerun::expandDescriptors(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult tilerun::expandDescriptors(ModuleOp module) {
  if (!hasDescriptors(module))
    return success();
  MLIRContext *context = module.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](DescriptorType type, SmallVectorImpl<Type> &fields) {
    fields.push_back(type.getBaseType());
    fields.append(2 * type.getRank(), IntegerType::get(type.getContext(), 64));
    return success();
  });
  RewritePatternSet patterns(context);
  patterns.add<ExpandMake, ExpandSize, ExpandStride, ExpandLoad<DescriptorLoadOp>,
               ExpandLoad<DescriptorGatherOp>, ExpandStore<DescriptorStoreOp>,
               ExpandStore<DescriptorScatterOp>, ExpandReduce, ExpandSelect, ExpandPoison>(
      converter, context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) { return converter.isLegal(op); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
    return converter.isSignatureLegal(function.getFunctionType());
  });
  patterns.add<ExpandWhile>(converter, context, /*benefit=*/2);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  return applyPartialConversion(module, target, std::move(patterns));
}
