// Global memory: loads and stores as wide accesses.
#include "ir/simt/GlobalLoads.h"
#include "ir/simt/HandlerList.h"
#include "ir/tile/TileUtils.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// The type in which an element lies in memory: i1 takes a byte.
static Type memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}

/// Registers as they lie in memory; null stays null.
static Value toMemory(LowerContext &c, Value vector) {
  auto type = vector ? cast<VectorType>(vector.getType()) : VectorType();
  if (!type || !type.getElementType().isInteger(1))
    return vector;
  return arith::ExtUIOp::create(c.b, type.clone(c.b.getI8Type()), vector);
}

namespace {
/// One load of a thread's registers.
class Load {
public:
  Load(LowerContext &c, tile::LoadOp op)
      : c(c), op(op), element(elementType(op.getType())), stored(memoryType(element)) {}
  FailureOr<Value> scalar();
  FailureOr<Value> registers();
  /// Of 32-bit words that have `perWord` registers each.
  FailureOr<Value> words(unsigned perWord);

private:
  Value access(Type type, size_t count, Value address, Value mask, Value other) {
    return LoadOp::create(c.b, VectorType::get({int64_t(count)}, type), address, mask, other,
                          op.getCache(), op.getEvict(), op.getIsVolatile());
  }
  /// For each register the first one with an equal element of `value`, where that is known; empty:
  /// of none. Without a mask, all are equal.
  SmallVector<int64_t> findSame(const LinearLayout &layout, Value value) {
    if (tile::isObserving(op) || (op.getOther() && !isSplat(op.getOther())))
      return {};
    if (!value)
      return SmallVector<int64_t>(size_t(1) << layout.inBits(layout::kRegister), 0);
    return c.layouts.getSameRegisters(value, layout);
  }
  static bool isSplat(Value value) {
    DenseElementsAttr elements;
    return value.getDefiningOp<tile::SplatOp>() ||
           (matchPattern(value, m_Constant(&elements)) && elements.isSplat());
  }
  Value fromMemory(Value vector) {
    if (stored == element)
      return vector;
    auto type = cast<VectorType>(vector.getType());
    Value zero = arith::ConstantOp::create(c.b, c.b.getZeroAttr(type));
    return arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, vector, zero);
  }

  LowerContext &c;
  tile::LoadOp op;
  Type element, stored;
};
} // namespace

FailureOr<Value> Load::scalar() {
  FailureOr<Values> mask = c.getElements(op.getMask(), {}),
                    other = c.getElements(op.getOther(), {});
  FailureOr<Value> pointer = c.getScalar(op.getPtr());
  if (failed(mask) || failed(other) || failed(pointer))
    return failure();
  Value instead = other->empty() ? Value() : toMemory(c, pack(c.b, *other));
  Value loaded = access(stored, 1, *pointer, mask->empty() ? Value() : mask->front(), instead);
  return unpack(c.b, fromMemory(loaded))[0];
}

FailureOr<Value> Load::registers() {
  const AccessPlan &plan = c.layouts.getAccess(op);
  FailureOr<Values> pointers = c.getRegisters(op.getPtr(), plan.layout),
                    masks = c.getRegisters(op.getMask(), plan.layout);
  if (failed(pointers) || failed(masks))
    return failure();
  Value others;
  if (op.getOther()) {
    FailureOr<Value> vector = c.get(op.getOther(), plan.layout);
    if (failed(vector))
      return failure();
    others = toMemory(c, *vector);
  }
  Values result(pointers->size());
  // One load for registers with the same address, mask and value instead.
  std::map<std::pair<int64_t, int64_t>, Value> made;
  const SmallVector<int64_t> same = findSame(plan.layout, op.getPtr()),
                             sameMasks = findSame(plan.layout, op.getMask());
  for (const auto &group : groupRegisters(plan, getScalarBytes(stored), c.target.maxVectorBytes)) {
    Value *known = nullptr;
    if (group.size() == 1 && !same.empty() && !sameMasks.empty())
      known = &made[{same[group[0]], sameMasks[group[0]]}];
    if (known && *known) {
      result[group[0]] = *known;
      continue;
    }
    SmallVector<int64_t> indices(group.begin(), group.end());
    Value other = others ? pick(c.b, others, indices) : Value();
    Value loaded = access(stored, group.size(), (*pointers)[group[0]],
                          masks->empty() ? Value() : (*masks)[group[0]], other);
    for (auto [reg, value] : llvm::zip(group, unpack(c.b, loaded)))
      result[reg] = value;
    if (known)
      *known = result[group[0]];
  }
  return fromMemory(pack(c.b, result));
}

FailureOr<Value> Load::words(unsigned perWord) {
  const AccessPlan &plan = c.layouts.getAccess(op);
  FailureOr<Values> pointers = c.getRegisters(op.getPtr(), plan.layout),
                    masks = c.getRegisters(op.getMask(), plan.layout);
  if (failed(pointers) || failed(masks))
    return failure();
  Values words(pointers->size() / perWord);
  Type word = c.b.getI32Type();
  Value others;
  if (op.getOther() && !tile::isPositiveZero(op.getOther())) {
    FailureOr<Value> vector = c.get(op.getOther(), plan.layout);
    if (failed(vector))
      return failure();
    others =
        vector::BitCastOp::create(c.b, VectorType::get({int64_t(words.size())}, word), *vector);
  }
  for (const auto &group : groupRegisters(plan, getScalarBytes(stored), c.target.maxVectorBytes)) {
    SmallVector<int64_t> indices = wordsOf(group, perWord);
    Value other = others ? pick(c.b, others, indices) : Value();
    Value loaded = access(word, indices.size(), (*pointers)[group[0]],
                          masks->empty() ? Value() : (*masks)[group[0]], other);
    for (auto [index, value] : llvm::zip(indices, unpack(c.b, loaded)))
      words[index] = value;
  }
  return pack(c.b, words);
}

FailureOr<Value> simt::loadRegisters(LowerContext &c, tile::LoadOp op, unsigned perWord) {
  return perWord > 1 ? Load(c, op).words(perWord) : Load(c, op).registers();
}

LogicalResult simt::lower(LowerContext &c, tile::LoadOp op) {
  bool isTensor = isa<RankedTensorType>(op.getType());
  FailureOr<Value> loaded = isTensor ? Load(c, op).registers() : Load(c, op).scalar();
  if (failed(loaded))
    return failure();
  if (isTensor) // a stronger value may have decided where it is kept
    return c.set(op.getResult(), *loaded, c.layouts.getAccess(op).layout);
  c.set(op.getResult(), *loaded);
  return success();
}

LogicalResult simt::lower(LowerContext &c, tile::StoreOp op) {
  auto access = [&](Value address, Value value, Value mask) {
    StoreOp::create(c.b, address, value, mask, op.getCache(), op.getEvict());
  };
  if (!isa<RankedTensorType>(op.getValue().getType())) {
    Value first = arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, c.threads.threadId(),
                                        constant(c.b, 0));
    FailureOr<Values> mask = c.getElements(op.getMask(), {});
    FailureOr<Value> pointer = c.getScalar(op.getPtr()), value = c.getScalar(op.getValue());
    if (failed(mask) || failed(pointer) || failed(value))
      return failure();
    access(*pointer, toMemory(c, pack(c.b, {*value})),
           conjunction(c.b, first, mask->empty() ? Value() : mask->front()));
    return success();
  }
  const AccessPlan &plan = c.layouts.getAccess(op);
  FailureOr<Values> pointers = c.getRegisters(op.getPtr(), plan.layout),
                    masks = c.getRegisters(op.getMask(), plan.layout);
  FailureOr<Value> vector = c.get(op.getValue(), plan.layout);
  if (failed(pointers) || failed(masks) || failed(vector))
    return failure();
  Value value = toMemory(c, *vector), first = c.threads.isFirstHolder(plan.layout);
  Type stored = cast<VectorType>(value.getType()).getElementType();
  for (const auto &group : groupRegisters(plan, getScalarBytes(stored), c.target.maxVectorBytes)) {
    SmallVector<int64_t> indices(group.begin(), group.end());
    access((*pointers)[group[0]], pick(c.b, value, indices),
           conjunction(c.b, first, masks->empty() ? Value() : (*masks)[group[0]]));
  }
  return success();
}
