// See TileUtils.h.
#include "ir/tile/TileUtils.h"

#include "ir/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilerun::tile {

TypedAttr getConstantAttr(Type type, const APInt &value) {
  // A tensor, or a thread's registers.
  if (auto shaped = dyn_cast<ShapedType>(type))
    return DenseElementsAttr::get(shaped, value);
  return IntegerAttr::get(type, value);
}

Value createZero(OpBuilder &builder, Location loc, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto zero = dyn_cast_if_present<TypedAttr>(builder.getZeroAttr(type)))
    return arith::ConstantOp::create(builder, loc, zero);
  bool isPointer = isa<PointerType>(element);
  Value bits =
      createZero(builder, loc, withElementType(type, builder.getIntegerType(isPointer ? 64 : 8)));
  if (isPointer)
    return IntToPtrOp::create(builder, loc, type, bits);
  return BitcastOp::create(builder, loc, type, bits);
}

bool isPositiveZero(Value value) {
  // The result of `createZero` for types without constants.
  Operation *op = value.getDefiningOp();
  if (isa_and_present<BitcastOp, IntToPtrOp>(op))
    return matchPattern(op->getOperand(0), m_Zero());
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

bool maskImplies(Value mask, Value condition) {
  // Iterative and bounded: a conjunction may be as long as a program, and its parts may be shared.
  SmallVector<Value> parts{mask};
  for (int steps = 0; steps < 64 && !parts.empty(); ++steps) {
    Value part = parts.pop_back_val();
    if (part == condition)
      return true;
    if (auto conjunction = part.getDefiningOp<arith::AndIOp>())
      parts.append({conjunction.getLhs(), conjunction.getRhs()});
  }
  return false;
}

bool isObserving(LoadOp load) {
  return load.getIsVolatile() || load.getCache() == CacheModifier::CV;
}

bool dependsOn(ValueRange values, function_ref<bool(Operation *)> isSource) {
  SmallVector<Value> work(values);
  llvm::DenseSet<Value> seen;
  auto addAllIn = [&](Operation *op) {
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  };
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (loop && argument == loop.getInductionVar())
        work.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      else if (loop)
        work.append(
            {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
      else if (!isa<FunctionOpInterface>(parent))
        addAllIn(parent);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (isSource(op))
      return true;
    addAllIn(op);
  }
  return false;
}

unsigned getBlocks(Operation *kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(TileDialect::kBlocksAttr);
  return blocks ? unsigned(blocks.getInt()) : 1;
}

bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

bool mayDivideByZero(Operation *op) {
  // MLIR takes remainders for defined, which they are not where they become machine code.
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    APInt divisor;
    return !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || divisor.isZero() ||
           divisor.isAllOnes();
  }
  return isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
             arith::FloorDivSIOp>(op) &&
         !isSpeculatable(op);
}

} // namespace tilerun::tile
