// Assertions and printing.
#include "ir/simt/Lowering.h"
#include "ir/tile/PrintFormat.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void Lowering::lowerAssert(tile::AssertOp op) {
  Values conditions, masks;
  if (isa<RankedTensorType>(op.getCondition().getType())) {
    LinearLayout layout = canonicalize(layoutOf(op.getCondition()), laneBits(), warpBits());
    conditions = unpack(get(op.getCondition(), layout));
    if (op.getMask())
      masks = unpack(get(op.getMask(), layout));
  } else {
    conditions = {getScalar(op.getCondition())};
    if (op.getMask())
      masks = {getScalar(op.getMask())};
  }
  Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value all;
  for (auto [i, condition] : llvm::enumerate(conditions)) {
    if (!masks.empty()) {
      Value off = arith::XOrIOp::create(b, loc, masks[i], one);
      condition = arith::OrIOp::create(b, loc, condition, off);
    }
    all = conjunction(all, condition);
  }
  AssertOp::create(b, loc, all, op.getMessage());
}

void Lowering::lowerPrint(tile::PrintOp op) {
  Value programs[3];
  for (int axis = 0; axis < 3; ++axis)
    programs[axis] = tile::ProgramIdOp::create(b, loc, axis);
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId, constant(0));
  if (op.getValues().empty()) {
    PrintOp::create(b, loc, tile::getPrintFormat(op, 0),
                    ValueRange{programs[0], programs[1], programs[2]}, first);
    return;
  }
  for (auto [operand, value, isSigned] : llvm::enumerate(op.getValues(), op.getIsSigned())) {
    bool isTensor = isa<RankedTensorType>(value.getType());
    LinearLayout layout = isTensor ? canonicalize(layoutOf(value), laneBits(), warpBits())
                                   : normalize(LinearLayout(), laneBits(), warpBits());
    Value mask = isTensor ? isFirstHolder(layout) : first;
    if (!mask)
      mask = arith::ConstantIntOp::create(b, loc, 1, 1);
    Values elements = isTensor ? unpack(get(value, layout)) : Values{getScalar(value)};
    Type element = elementType(value.getType());
    if (auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
        floating && floating.getWidth() == 8)
      return fail(op, "printing 8-bit floats is not supported; convert to another type first");
    SmallVector<Values> indices;
    std::string format = tile::getPrintFormat(op, unsigned(operand));
    if (isTensor)
      for (unsigned dim = 0; dim < layout.getOuts().size(); ++dim)
        indices.push_back(unpack(coordinates(layout, dimName(dim), 0)));
    for (auto [reg, scalar] : llvm::enumerate(elements)) {
      Value shown = mask;
      for (auto [dim, extent] : llvm::enumerate(op.getExtents()))
        if (extent < cast<RankedTensorType>(value.getType()).getDimSize(dim))
          shown = conjunction(shown, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                                           indices[dim][reg], constant(extent)));
      SmallVector<Value> arguments(programs, programs + 3);
      for (const Values &list : indices)
        arguments.push_back(list[reg]);
      if (isa<FloatType>(element)) {
        if (!element.isF64())
          scalar = arith::ExtFOp::create(b, loc, b.getF64Type(), scalar);
      } else if (element.getIntOrFloatBitWidth() < 32) {
        if (isSigned && element.getIntOrFloatBitWidth() > 1 && !op.getHex())
          scalar = arith::ExtSIOp::create(b, loc, b.getI32Type(), scalar);
        else
          scalar = arith::ExtUIOp::create(b, loc, b.getI32Type(), scalar);
      }
      arguments.push_back(scalar);
      PrintOp::create(b, loc, format, arguments, shown);
    }
  }
}
