// Atomics, element by element: one thread of those that hold an element does it, and gives the
// others the old value.
#include "ir/distribute/AccessGroups.h"
#include "ir/layout/BitMatrix.h"
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// Gives every holder of an element the value of its first holder.
static Value replicate(LowerContext &c, Value vector, const LinearLayout &layout) {
  Value first = c.threads.isFirstHolder(layout);
  if (!first)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = getScalarBytes(type);
  Value buffer = SharedAllocOp::create(c.b, (int64_t(1) << layout.totalOutBits()) * bytes);
  // The flat index of an element is its place in the buffer.
  Values elements = unpack(c.b, vector);
  auto flatBases = [&](StringRef in) {
    SmallVector<uint64_t, 16> bases;
    for (uint64_t basis : layout.getBases(in))
      bases.push_back(basis * bytes);
    return bases;
  };
  SmallVector<uint64_t, 16> bases = flatBases(kLane);
  bases.append(flatBases(kWarp));
  uint64_t threadBits = 0;
  for (uint64_t basis : bases)
    threadBits |= basis;
  Value thread = c.threads.apply(bases);
  auto place = [&](unsigned reg) {
    return offsetBy(c.b, thread, threadBits,
                    layout::combine(layout.getBases(kRegister), reg) * bytes);
  };
  for (auto [reg, element] : llvm::enumerate(elements))
    SharedStoreOp::create(c.b, buffer, place(reg), pack(c.b, {element}), first);
  Values result;
  auto one = VectorType::get({1}, type.getElementType());
  for (unsigned reg = 0; reg < elements.size(); ++reg)
    result.push_back(unpack(c.b, SharedLoadOp::create(c.b, one, buffer, place(reg)))[0]);
  return pack(c.b, result);
}

/// Sets an atomic's result from the values of its elements' first holders.
static LogicalResult setReplicated(LowerContext &c, Value result, ArrayRef<Value> elements,
                                   const LinearLayout &layout) {
  Value vector = replicate(c, pack(c.b, elements), layout);
  if (isa<RankedTensorType>(result.getType()))
    return c.set(result, vector, layout);
  c.set(result, unpack(c.b, vector)[0]);
  return success();
}

/// Of an atomic's operands.
static LinearLayout layoutOf(LowerContext &c, Operation *atomic) {
  return isa<RankedTensorType>(atomic->getResult(0).getType()) ? c.layouts.getAccess(atomic).layout
                                                               : c.everywhere();
}

/// A sum without results, of as many neighbours at a time as the target takes.
static LogicalResult addVectors(LowerContext &c, tile::AtomicRMWOp op, unsigned bytes) {
  const AccessPlan &plan = c.layouts.getAccess(op);
  FailureOr<Values> pointers = c.getRegisters(op.getPtr(), plan.layout),
                    masks = c.getRegisters(op.getMask(), plan.layout);
  FailureOr<Value> values = c.get(op.getValue(), plan.layout);
  if (failed(pointers) || failed(masks) || failed(values))
    return failure();
  Value first = c.threads.isFirstHolder(plan.layout);
  for (const auto &group : groupRegisters(plan, getScalarBytes((*values).getType()), bytes)) {
    SmallVector<int64_t> indices(group.begin(), group.end());
    AtomicSumOp::create(c.b, (*pointers)[group[0]], pick(c.b, *values, indices),
                        conjunction(c.b, first, masks->empty() ? Value() : (*masks)[group[0]]),
                        op.getScope());
  }
  return success();
}

LogicalResult simt::lower(LowerContext &c, tile::AtomicRMWOp op) {
  if (unsigned bytes = getVectorSumBytes(op, c.target))
    return addVectors(c, op, bytes);
  LinearLayout layout = layoutOf(c, op);
  FailureOr<Values> pointers = c.getElements(op.getPtr(), layout),
                    operands = c.getElements(op.getValue(), layout),
                    masks = c.getElements(op.getMask(), layout);
  if (failed(pointers) || failed(operands) || failed(masks))
    return failure();
  Value first = c.threads.isFirstHolder(layout);
  Values results;
  for (auto [i, pointer, operand] : llvm::enumerate(*pointers, *operands)) {
    Value mask = conjunction(c.b, first, masks->empty() ? Value() : (*masks)[i]);
    results.push_back(AtomicRMWOp::create(c.b, operand.getType(), op.getKind(), pointer, operand,
                                          mask, op.getSem(), op.getScope()));
  }
  if (op.getResult().use_empty())
    return success();
  return setReplicated(c, op.getResult(), results, layout);
}

LogicalResult simt::lower(LowerContext &c, tile::AtomicCASOp op) {
  LinearLayout layout = layoutOf(c, op);
  Type element = elementType(op.getType());
  auto integer = IntegerType::get(c.b.getContext(), element.getIntOrFloatBitWidth());
  auto asInteger = [&](Value value) -> Value {
    return value.getType() == integer ? value : arith::BitcastOp::create(c.b, integer, value);
  };
  FailureOr<Values> pointers = c.getElements(op.getPtr(), layout),
                    compares = c.getElements(op.getCompare(), layout),
                    operands = c.getElements(op.getValue(), layout);
  if (failed(pointers) || failed(compares) || failed(operands))
    return failure();
  Value first = c.threads.isFirstHolder(layout);
  Values results;
  for (auto [pointer, compare, operand] : llvm::zip(*pointers, *compares, *operands)) {
    Value old = AtomicCASOp::create(c.b, integer, pointer, asInteger(compare), asInteger(operand),
                                    first, op.getSem(), op.getScope());
    results.push_back(
        old.getType() == element ? old : Value(arith::BitcastOp::create(c.b, element, old)));
  }
  return setReplicated(c, op.getResult(), results, layout);
}
