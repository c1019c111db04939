// Folders of the `tile` dialect: results that are an existing value or a constant. A fold never
// creates an op, so nothing here can lose a source location.
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilerun::tile;

/// `attribute` as a splat of another shape, where it is a splat (or poison).
static Attribute resizeSplat(Attribute attribute, Type resultType) {
  if (isa_and_nonnull<ub::PoisonAttr>(attribute))
    return attribute;
  auto splat = dyn_cast_if_present<SplatElementsAttr>(attribute);
  if (!splat)
    return {};
  return splat.resizeSplat(cast<ShapedType>(resultType));
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (type.getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(type, APInt(32, getStart()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute source = adaptor.getSource();
  if (isa_and_nonnull<ub::PoisonAttr>(source))
    return source;
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(source))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), source);
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resizeSplat(adaptor.getSource(), getType());
}

/// A constant under another shape with as many elements, in row-major order.
static Attribute reshapeConstant(Attribute attribute, Type resultType) {
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(attribute))
    return dense.reshape(cast<ShapedType>(resultType));
  return resizeSplat(attribute, resultType);
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeConstant(adaptor.getSource(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  // The order that allow_reorder leaves open is chosen later; only a splat does not depend on it.
  if (getAllowReorder())
    return resizeSplat(adaptor.getSource(), getType());
  return reshapeConstant(adaptor.getSource(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [i, dim] : llvm::enumerate(getOrder()))
    identity &= int64_t(i) == dim;
  if (identity)
    return getSource();
  return resizeSplat(adaptor.getSource(), getType());
}

OpFoldResult JoinOp::fold(FoldAdaptor) {
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getLhs() && getRhs() == split.getRhs())
    return split.getSource();
  return {};
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSource().getDefiningOp<JoinOp>()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  Attribute source = adaptor.getSource();
  if (isa_and_nonnull<ub::PoisonAttr>(source)) {
    results.assign({source, source});
    return success();
  }
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(source)) {
    Attribute half;
    if (auto type = dyn_cast<ShapedType>(getLhs().getType()))
      half = splat.resizeSplat(type);
    else
      half = splat.getSplatValue<Attribute>();
    results.assign({half, half});
    return success();
  }
  return failure();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getBase();
  return {};
}

OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  // A volatile load stays, whatever its mask.
  if (getIsVolatile() || !getMask() || !matchPattern(adaptor.getMask(), m_Zero()))
    return {};
  if (getOther())
    return getOther();
  return Builder(getContext()).getZeroAttr(getType());
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto cast = getSource().getDefiningOp<PtrToIntOp>();
  if (cast && cast.getSource().getType() == getType())
    return cast.getSource();
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  if (auto cast = getSource().getDefiningOp<IntToPtrOp>())
    return cast.getSource();
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<BitcastOp>())
    if (inner.getSource().getType() == getType())
      return inner.getSource();
  return {};
}

/// `value` converted as tile.fp_cast defines it; nothing for NaN, whose payload is left to
/// execution.
static std::optional<APFloat> castFloat(APFloat value, FloatType to, RoundingMode rounding) {
  if (value.isNaN())
    return std::nullopt;
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  bool negative = value.isNegative(), isNarrow = to.getWidth() == 8;
  APFloat largest = APFloat::getLargest(semantics, negative);
  if (isNarrow && value.isInfinity())
    return largest;
  bool losesInfo;
  value.convert(semantics,
                rounding == RoundingMode::TowardZero ? APFloat::rmTowardZero
                                                     : APFloat::rmNearestTiesToEven,
                &losesInfo);
  // Overflow gives an infinity, or NaN in a format without one.
  if (isNarrow && !value.isFinite())
    return largest;
  return value;
}

OpFoldResult FpCastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  Attribute source = adaptor.getSource();
  if (isa_and_nonnull<ub::PoisonAttr>(source))
    return source;
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(getType()));
  if (!to)
    return {};
  if (auto scalar = dyn_cast_if_present<FloatAttr>(source)) {
    if (auto value = castFloat(scalar.getValue(), to, getRounding()))
      return FloatAttr::get(to, *value);
  }
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(source)) {
    if (auto value = castFloat(splat.getSplatValue<APFloat>(), to, getRounding()))
      return DenseElementsAttr::get(cast<ShapedType>(getType()), *value);
  }
  return {};
}

OpFoldResult HintOp::fold(FoldAdaptor adaptor) {
  auto saysNothing = [](ArrayRef<int64_t> list) {
    return llvm::all_of(list, [](int64_t value) { return value == 1; });
  };
  // The value of a constant is already known.
  if (adaptor.getSource() || (saysNothing(getDivisibility()) && saysNothing(getContiguity()) &&
                              saysNothing(getConstancy())))
    return getSource();
  return {};
}
