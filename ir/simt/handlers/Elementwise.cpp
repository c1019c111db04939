// Ops that work on each element: the same on a scalar, on the registers of a tensor, and in the
// region of a reduction.
#include "ir/simt/FloatCasts.h"
#include "ir/simt/HandlerList.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

//===----------------------------------------------------------------------===//
// Pointers and casts
//===----------------------------------------------------------------------===//

FailureOr<Values> simt::apply(LowerContext &c, tile::AddPtrOp op, ValueRange operands,
                              unsigned count) {
  auto pointee = cast<tile::PointerType>(getElementTypeOrSelf(op.getType())).getPointeeType();
  Value offset = operands[1];
  unsigned width = getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
  if (width < 64)
    offset = arith::ExtSIOp::create(c.b, shaped(elementType(op.getType()), count), offset);
  if (unsigned bytes = tile::getElementBytes(pointee); bytes > 1) {
    Value size = arith::ConstantOp::create(c.b, c.b.getI64IntegerAttr(bytes));
    offset = arith::MulIOp::create(c.b, offset, count ? splat(c.b, size, count) : size,
                                   width < 64 ? arith::IntegerOverflowFlags::nsw
                                              : arith::IntegerOverflowFlags::none);
  }
  return Values{arith::AddIOp::create(c.b, operands[0], offset)};
}

// Registers hold both sides of these as the same type.

FailureOr<Values> simt::apply(LowerContext &, tile::IntToPtrOp, ValueRange operands, unsigned) {
  return Values(operands);
}

FailureOr<Values> simt::apply(LowerContext &, tile::PtrToIntOp, ValueRange operands, unsigned) {
  return Values(operands);
}

FailureOr<Values> simt::apply(LowerContext &, tile::BitcastOp, ValueRange operands, unsigned) {
  return Values(operands);
}

FailureOr<Values> simt::apply(LowerContext &, tile::HintOp, ValueRange operands, unsigned) {
  return Values(operands);
}

FailureOr<Values> simt::apply(LowerContext &c, arith::BitcastOp op, ValueRange operands,
                              unsigned count) {
  Type type = shaped(elementType(op.getType()), count);
  if (operands[0].getType() == type)
    return Values(operands);
  return Values{arith::BitcastOp::create(c.b, type, operands[0])};
}

FailureOr<Values> simt::apply(LowerContext &c, tile::FpCastOp op, ValueRange operands,
                              unsigned count) {
  Type from = getElementTypeOrSelf(op.getSource().getType());
  Type to = getElementTypeOrSelf(op.getType());
  if (Value expanded = castFloat8(c, operands[0], from, to, op.getRounding()))
    return Values{expanded};
  return Values{FpCastOp::create(c.b, shaped(elementType(to), count), operands[0], from, to,
                                 op.getRounding())};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// A divisor with which `division` is defined; the same one where it is already.
static Value guardDivisor(LowerContext &c, Operation *division, Value dividend, Value divisor) {
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto is = [&](Value value, const APInt &number) -> Value {
    Value constant = arith::ConstantOp::create(c.b, tile::getConstantAttr(type, number));
    return arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, value, constant);
  };
  Value undefined = is(divisor, APInt::getZero(width));
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(division)) {
    Value overflows = arith::AndIOp::create(c.b, is(divisor, APInt::getAllOnes(width)),
                                            is(dividend, APInt::getSignedMinValue(width)));
    undefined = arith::OrIOp::create(c.b, undefined, overflows);
  }
  Value one = arith::ConstantOp::create(c.b, tile::getConstantAttr(type, APInt(width, 1)));
  return arith::SelectOp::create(c.b, undefined, one, divisor);
}

FailureOr<Values> simt::copyElementwise(LowerContext &c, Operation *op, ValueRange operands,
                                        unsigned count) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
        element && element.getWidth() == 8 && !isa<arith::SelectOp>(op))
      return c.refuse(op,
                      "arithmetic on 8-bit floats is not defined; convert to another type first");
  Values guarded;
  if (isa<schedule::AheadOp>(op->getParentOp()) && tile::mayDivideByZero(op)) {
    guarded = {operands[0], guardDivisor(c, op, operands[0], operands[1])};
    operands = guarded;
  }
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(shaped(elementType(type), count));
  OperationState state(c.b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return Values(c.b.OpBuilder::create(state)->getResults());
}
