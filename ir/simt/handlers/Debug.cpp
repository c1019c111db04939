// Assertions, printing, and ops that only order accesses.
#include "ir/simt/HandlerList.h"
#include "ir/tile/PrintFormat.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

LogicalResult simt::lower(LowerContext &c, tile::AssertOp op) {
  bool isTensor = isa<RankedTensorType>(op.getCondition().getType());
  LinearLayout layout = isTensor ? c.canonicalize(c.layoutOf(op.getCondition())) : c.everywhere();
  FailureOr<Values> conditions = c.getElements(op.getCondition(), layout),
                    masks = c.getElements(op.getMask(), layout);
  if (failed(conditions) || failed(masks))
    return failure();
  Value one = arith::ConstantIntOp::create(c.b, 1, 1);
  Value all;
  for (auto [i, condition] : llvm::enumerate(*conditions)) {
    if (!masks->empty()) {
      Value off = arith::XOrIOp::create(c.b, (*masks)[i], one);
      condition = arith::OrIOp::create(c.b, condition, off);
    }
    all = conjunction(c.b, all, condition);
  }
  AssertOp::create(c.b, all, op.getMessage());
  return success();
}

/// A printed number as printf's family takes it.
static Value widen(LowerContext &c, Value scalar, bool isSigned) {
  Type element = scalar.getType();
  if (isa<FloatType>(element))
    return element.isF64() ? scalar : arith::ExtFOp::create(c.b, c.b.getF64Type(), scalar);
  if (element.getIntOrFloatBitWidth() >= 32)
    return scalar;
  if (isSigned && element.getIntOrFloatBitWidth() > 1)
    return arith::ExtSIOp::create(c.b, c.b.getI32Type(), scalar);
  return arith::ExtUIOp::create(c.b, c.b.getI32Type(), scalar);
}

/// Prints operand number `operand`, element by element; `programs` are what comes first.
static LogicalResult printValue(LowerContext &c, tile::PrintOp op, unsigned operand,
                                ArrayRef<Value> programs, Value isFirstThread) {
  Value value = op.getValues()[operand];
  bool isTensor = isa<RankedTensorType>(value.getType());
  LinearLayout layout = isTensor ? c.canonicalize(c.layoutOf(value)) : c.everywhere();
  Value mask = isTensor ? c.threads.isFirstHolder(layout) : isFirstThread;
  if (!mask)
    mask = arith::ConstantIntOp::create(c.b, 1, 1);
  FailureOr<Values> elements = c.getElements(value, layout);
  if (failed(elements))
    return failure();
  if (auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
      floating && floating.getWidth() == 8)
    return c.refuse(op, "printing 8-bit floats is not supported; convert to another type first");
  SmallVector<Values> indices;
  std::string format = tile::getPrintFormat(op, operand);
  if (isTensor)
    for (unsigned dim = 0; dim < layout.getOuts().size(); ++dim)
      indices.push_back(unpack(c.b, c.threads.coordinates(layout, dimName(dim), 0)));
  for (auto [reg, scalar] : llvm::enumerate(*elements)) {
    Value shown = mask;
    for (auto [dim, extent] : llvm::enumerate(op.getExtents()))
      if (extent < cast<RankedTensorType>(value.getType()).getDimSize(dim))
        shown = conjunction(c.b, shown,
                            arith::CmpIOp::create(c.b, arith::CmpIPredicate::slt, indices[dim][reg],
                                                  constant(c.b, extent)));
    SmallVector<Value> arguments(programs);
    for (const Values &list : indices)
      arguments.push_back(list[reg]);
    arguments.push_back(widen(c, scalar, op.getIsSigned()[operand] && !op.getHex()));
    PrintOp::create(c.b, format, arguments, shown);
  }
  return success();
}

LogicalResult simt::lower(LowerContext &c, tile::PrintOp op) {
  SmallVector<Value, 3> programs;
  for (int axis = 0; axis < 3; ++axis)
    programs.push_back(tile::ProgramIdOp::create(c.b, axis));
  Value first =
      arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, c.threads.threadId(), constant(c.b, 0));
  if (op.getValues().empty())
    PrintOp::create(c.b, tile::getPrintFormat(op, 0), programs, first);
  for (unsigned operand = 0; operand < op.getValues().size(); ++operand)
    if (failed(printValue(c, op, operand, programs, first)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Order and facts
//===----------------------------------------------------------------------===//

LogicalResult simt::lower(LowerContext &c, tile::BarrierOp) {
  BarrierOp::create(c.b, c.inRole ? c.barrierScope() : BarrierScope::Program);
  return success();
}

LogicalResult simt::lower(LowerContext &c, tile::GridDependencyOp op) {
  if (c.target.hasGridDependency)
    c.b.clone(*op);
  return success();
}

// The optimizer has used it.
LogicalResult simt::lower(LowerContext &, tile::AssumeOp) { return success(); }
