// Constants, and ops that only move elements: their values are built in the layout that a user asks
// for, mostly from a layout of their operand whose registers are the same ones.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Conversions.h"
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// If element i is start + i·step, the two numbers.
static std::optional<std::pair<int64_t, int64_t>> asRange(DenseElementsAttr elements) {
  if (!isa<IntegerType>(elements.getElementType()) || elements.getType().getRank() != 1)
    return std::nullopt;
  SmallVector<int64_t> list;
  for (const APInt &value : elements.getValues<APInt>())
    list.push_back(value.getSExtValue());
  int64_t step = list.size() > 1 ? list[1] - list[0] : 0;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] != list[0] + int64_t(i) * step)
      return std::nullopt;
  return std::pair(list[0], step);
}

FailureOr<Value> simt::build(LowerContext &c, arith::ConstantOp op, const LinearLayout &layout) {
  VectorType type = registerType(op.getType(), layout);
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (elements.isSplat()) {
    Attribute scalar = elements.getSplatValue<Attribute>();
    if (isa<FloatType>(elements.getElementType()) && !isa<FloatType>(type.getElementType()))
      scalar = IntegerAttr::get(type.getElementType(),
                                cast<FloatAttr>(scalar).getValue().bitcastToAPInt());
    return arith::ConstantOp::create(c.b, DenseElementsAttr::get(type, scalar)).getResult();
  }
  auto range = asRange(elements);
  if (!range)
    return c.refuse(op, "a constant tensor must be a splat or evenly spaced integers");
  Value index = c.threads.coordinates(layout, dimName(0), 0);
  auto element = cast<IntegerType>(type.getElementType());
  if (element.getWidth() > 32)
    index = arith::ExtUIOp::create(c.b, type, index);
  else if (element.getWidth() < 32)
    index = arith::TruncIOp::create(c.b, type, index);
  auto splatOf = [&](int64_t number) {
    return arith::ConstantOp::create(
        c.b, DenseElementsAttr::get(type, APInt(element.getWidth(), number, true, true)));
  };
  Value scaled = arith::MulIOp::create(c.b, index, splatOf(range->second));
  return arith::AddIOp::create(c.b, scaled, splatOf(range->first)).getResult();
}

/// A copy of an op without operands that gives a scalar, for `count` registers.
static FailureOr<Values> copyUniform(LowerContext &c, Operation *op, unsigned count) {
  Operation *copy = c.b.clone(*op);
  Type type = elementType(op->getResult(0).getType());
  copy->getResult(0).setType(type);
  // 8-bit floats are their codes.
  if (auto constantOp = dyn_cast<arith::ConstantOp>(copy))
    if (auto number = dyn_cast<FloatAttr>(constantOp.getValue()); number && type.isInteger())
      constantOp.setValueAttr(IntegerAttr::get(type, number.getValue().bitcastToAPInt()));
  Value scalar = copy->getResult(0);
  return Values{count ? splat(c.b, scalar, count) : scalar};
}

FailureOr<Values> simt::apply(LowerContext &c, arith::ConstantOp op, ValueRange, unsigned count) {
  return copyUniform(c, op, count);
}

FailureOr<Values> simt::apply(LowerContext &c, tile::ProgramIdOp op, ValueRange, unsigned count) {
  return copyUniform(c, op, count);
}

FailureOr<Values> simt::apply(LowerContext &c, tile::NumProgramsOp op, ValueRange, unsigned count) {
  return copyUniform(c, op, count);
}

FailureOr<Values> simt::apply(LowerContext &c, tile::BlockRankOp op, ValueRange, unsigned count) {
  return copyUniform(c, op, count);
}

FailureOr<Values> simt::apply(LowerContext &c, ub::PoisonOp op, ValueRange, unsigned count) {
  return Values{ub::PoisonOp::create(c.b, shaped(elementType(op.getType()), count))};
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

FailureOr<Value> simt::build(LowerContext &c, tile::MakeRangeOp op, const LinearLayout &layout) {
  return c.threads.coordinates(layout, dimName(0), int32_t(op.getStart()));
}

FailureOr<Value> simt::build(LowerContext &c, tile::SplatOp op, const LinearLayout &layout) {
  FailureOr<Value> scalar = c.getScalar(op.getSource());
  if (failed(scalar))
    return failure();
  return splat(c.b, *scalar, 1u << layout.inBits(kRegister));
}

FailureOr<Value> simt::build(LowerContext &c, tile::ExpandDimsOp op, const LinearLayout &layout) {
  return c.get(op.getSource(), c.normalize(expandDimsSource(layout, op.getAxis())));
}

FailureOr<Value> simt::build(LowerContext &c, tile::TransOp op, const LinearLayout &layout) {
  return c.get(op.getSource(), c.normalize(transSource(layout, op.getOrder())));
}

LogicalResult simt::lower(LowerContext &c, tile::TransOp op) {
  // A tile in shared memory is read from there, transposed.
  if (c.getTile(op.getSource()))
    return success();
  return lowerResults(c, op);
}

FailureOr<Value> simt::build(LowerContext &c, tile::ReshapeOp op, const LinearLayout &layout) {
  auto shape = cast<RankedTensorType>(op.getSource().getType()).getShape();
  return c.get(op.getSource(), c.normalize(reshapeSource(layout, shape)));
}

FailureOr<Value> simt::build(LowerContext &c, tile::BroadcastOp op, const LinearLayout &layout) {
  auto shape = cast<RankedTensorType>(op.getSource().getType()).getShape();
  LinearLayout all = c.normalize(broadcastSource(layout, shape));
  LinearLayout distinct = c.canonicalize(all);
  FailureOr<Value> source = c.get(op.getSource(), distinct);
  if (failed(source))
    return failure();
  return convert(c, *source, distinct, all);
}

FailureOr<Value> simt::build(LowerContext &c, tile::JoinOp op, const LinearLayout &layout) {
  auto type = cast<RankedTensorType>(op.getType());
  LinearLayout half = c.canonicalize(sliceDim(layout, type.getRank() - 1));
  LinearLayout joined = c.normalize(joinLayout(half));
  FailureOr<Values> left = c.getElements(op.getLhs(), half),
                    right = c.getElements(op.getRhs(), half);
  if (failed(left) || failed(right))
    return failure();
  Values elements;
  for (auto [x, y] : llvm::zip(*left, *right))
    elements.append({x, y});
  return convert(c, pack(c.b, elements), joined, layout);
}

LogicalResult simt::lower(LowerContext &c, tile::SplitOp op) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  bool isScalar = type.getRank() == 1; // each half
  LinearLayout half = isScalar ? c.everywhere() : *c.layouts.getHome(op.getLhs());
  LinearLayout whole = c.normalize(joinLayout(half));
  FailureOr<Values> elements = c.getRegisters(op.getSource(), whole);
  if (failed(elements))
    return failure();
  Values left, right;
  for (size_t i = 0; i < elements->size(); i += 2) {
    left.push_back((*elements)[i]);
    right.push_back((*elements)[i + 1]);
  }
  c.set(op.getLhs(), isScalar ? left[0] : pack(c.b, left));
  c.set(op.getRhs(), isScalar ? right[0] : pack(c.b, right));
  return success();
}

FailureOr<Value> simt::build(LowerContext &c, tile::CatOp op, const LinearLayout &layout) {
  assert(op.getLhs().getType() == op.getRhs().getType() && "padding makes both sizes equal");
  LinearLayout half = c.layoutOf(op.getLhs());
  LinearLayout whole = c.normalize(half * LinearLayout::identity1D(1, kRegister, dimName(0)));
  FailureOr<Values> elements = c.getRegisters(op.getLhs(), half),
                    more = c.getRegisters(op.getRhs(), half);
  if (failed(elements) || failed(more))
    return failure();
  elements->append(*more);
  return convert(c, pack(c.b, *elements), whole, layout);
}
