// Global memory: loads and stores as wide accesses, atomics element by element.
#include "ir/layout/BitMatrix.h"
#include "ir/layout/Vectorization.h"
#include "ir/simt/Lowering.h"
#include "ir/tile/TileUtils.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

RegisterGroups simt::groupRegisters(const AccessPlan &plan, unsigned elementBytes,
                                    unsigned maxBytes) {
  const LinearLayout &layout = plan.layout;
  unsigned inner = plan.order.front();
  std::string name = dimName(inner);
  AccessLimits limits;
  limits.elementBytes = elementBytes;
  limits.contiguity = plan.facts.contiguity[inner];
  limits.alignmentBytes = plan.facts.alignment[inner];
  limits.maskConstancy = plan.facts.constancy[inner];
  limits.maxBytes = maxBytes;
  unsigned width = vectorWidth(layout, {StringRef(name)}, limits, /*mayChooseRegisters=*/true);
  RegisterVectors runs = longestRuns(layout, {StringRef(name)}, llvm::Log2_32(width));
  RegisterGroups groups;
  for (uint64_t run = 0; run < (uint64_t(1) << runs.runs.size()); ++run) {
    SmallVector<unsigned, 8> group;
    for (uint64_t i = 0; i < (uint64_t(1) << runs.withinRun.size()); ++i)
      group.push_back(unsigned(tilerun::layout::combine(runs.runs, run) ^
                               tilerun::layout::combine(runs.withinRun, i)));
    groups.push_back(std::move(group));
  }
  // In memory order as far as registers go.
  llvm::sort(groups, [](const auto &x, const auto &y) { return x.front() < y.front(); });
  return groups;
}

/// The type in which an element lies in memory: i1 takes a byte.
static Type memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}

void Lowering::lowerLoad(tile::LoadOp op) {
  if (buffered.count(op.getResult()))
    return;
  Value loaded = load(op);
  if (isa<RankedTensorType>(op.getType())) // a stronger value may have decided where it is kept
    loaded = convert(loaded, layouts.getAccess(op).layout, *layouts.getHome(op.getResult()));
  set(op.getResult(), loaded);
}

Value Lowering::load(tile::LoadOp op, unsigned perWord) {
  Type element = elementType(op.getType());
  Type stored = memoryType(element);
  bool isBool = stored != element;
  auto toMemory = [&](Value vector) -> Value {
    if (!isBool)
      return vector;
    auto type = cast<VectorType>(vector.getType()).clone(stored);
    return arith::ExtUIOp::create(b, loc, type, vector);
  };
  auto fromMemory = [&](Value vector) -> Value {
    if (!isBool)
      return vector;
    auto type = cast<VectorType>(vector.getType());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, vector, zero);
  };
  auto access = [&](Value address, Value mask, Value other, unsigned width) -> Value {
    return LoadOp::create(b, loc, VectorType::get({width}, stored), address, mask, other,
                          op.getCache(), op.getEvict(), op.getIsVolatile());
  };
  if (!isa<RankedTensorType>(op.getType())) {
    Value mask = op.getMask() ? getScalar(op.getMask()) : Value();
    Value other = op.getOther() ? toMemory(pack({getScalar(op.getOther())})) : Value();
    return unpack(fromMemory(access(getScalar(op.getPtr()), mask, other, 1)))[0];
  }
  const AccessPlan &plan = layouts.getAccess(op);
  Values pointers = unpack(get(op.getPtr(), plan.layout));
  Values masks = op.getMask() ? unpack(get(op.getMask(), plan.layout)) : Values();
  if (perWord > 1) {
    Values words(pointers.size() / perWord);
    Value others;
    if (op.getOther() && !tile::isPositiveZero(op.getOther())) {
      auto type = VectorType::get({int64_t(words.size())}, b.getI32Type());
      others = vector::BitCastOp::create(b, loc, type, get(op.getOther(), plan.layout));
    }
    for (const auto &group :
         groupRegisters(plan, getScalarBytes(stored), options.target->maxVectorBytes)) {
      SmallVector<int64_t> indices = wordsOf(group, perWord);
      Value loaded = LoadOp::create(
          b, loc, VectorType::get({int64_t(indices.size())}, b.getI32Type()), pointers[group[0]],
          masks.empty() ? Value() : masks[group[0]], others ? pick(others, indices) : Value(),
          op.getCache(), op.getEvict(), op.getIsVolatile());
      for (auto [index, word] : llvm::zip(indices, unpack(loaded)))
        words[index] = word;
    }
    return pack(words);
  }
  Value others = op.getOther() ? toMemory(get(op.getOther(), plan.layout)) : Value();
  Values result(pointers.size());
  for (const auto &group :
       groupRegisters(plan, getScalarBytes(stored), options.target->maxVectorBytes)) {
    SmallVector<int64_t> indices(group.begin(), group.end());
    Value other = others ? pick(others, indices) : Value();
    Value loaded =
        access(pointers[group[0]], masks.empty() ? Value() : masks[group[0]], other, group.size());
    for (auto [reg, value] : llvm::zip(group, unpack(loaded)))
      result[reg] = value;
  }
  return fromMemory(pack(result));
}

void Lowering::lowerStore(tile::StoreOp op) {
  Type element = elementType(op.getValue().getType());
  Type stored = memoryType(element);
  auto toMemory = [&](Value vector) -> Value {
    if (stored == element)
      return vector;
    auto type = cast<VectorType>(vector.getType()).clone(stored);
    return arith::ExtUIOp::create(b, loc, type, vector);
  };
  auto access = [&](Value address, Value value, Value mask) {
    StoreOp::create(b, loc, address, value, mask, op.getCache(), op.getEvict());
  };
  if (!isa<RankedTensorType>(op.getValue().getType())) {
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId, constant(0));
    Value mask = op.getMask() ? getScalar(op.getMask()) : Value();
    return access(getScalar(op.getPtr()), toMemory(pack({getScalar(op.getValue())})),
                  conjunction(first, mask));
  }
  const AccessPlan &plan = layouts.getAccess(op);
  Values pointers = unpack(get(op.getPtr(), plan.layout));
  Values masks = op.getMask() ? unpack(get(op.getMask(), plan.layout)) : Values();
  Value value = toMemory(get(op.getValue(), plan.layout));
  Value first = isFirstHolder(plan.layout);
  for (const auto &group :
       groupRegisters(plan, getScalarBytes(stored), options.target->maxVectorBytes)) {
    SmallVector<int64_t> indices(group.begin(), group.end());
    access(pointers[group[0]], pick(value, indices),
           conjunction(first, masks.empty() ? Value() : masks[group[0]]));
  }
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

Value Lowering::replicate(Value vector, const LinearLayout &layout) {
  Value first = isFirstHolder(layout);
  if (!first)
    return vector;
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = getScalarBytes(type);
  Value buffer = SharedAllocOp::create(b, loc, (int64_t(1) << layout.totalOutBits()) * bytes);
  // The flat index of an element is its place in the buffer.
  Values elements = unpack(vector);
  auto flatBases = [&](StringRef in) {
    llvm::SmallVector<uint64_t, 16> bases;
    for (uint64_t basis : layout.getBases(in))
      bases.push_back(basis * bytes);
    return bases;
  };
  llvm::SmallVector<uint64_t, 16> bases = flatBases(kLane);
  bases.append(flatBases(kWarp));
  uint64_t threadBits = 0;
  for (uint64_t basis : bases)
    threadBits |= basis;
  Value thread = applyToThread(bases);
  auto place = [&](unsigned reg) {
    return offsetBy(thread, threadBits,
                    tilerun::layout::combine(layout.getBases(kRegister), reg) * bytes);
  };
  for (auto [reg, element] : llvm::enumerate(elements))
    SharedStoreOp::create(b, loc, buffer, place(reg), pack({element}), first);
  Values result;
  auto one = VectorType::get({1}, type.getElementType());
  for (unsigned reg = 0; reg < elements.size(); ++reg)
    result.push_back(unpack(SharedLoadOp::create(b, loc, one, buffer, place(reg)))[0]);
  return pack(result);
}

Value Lowering::replicateScalar(Value scalar) {
  return unpack(replicate(pack({scalar}), normalize(LinearLayout(), laneBits(), warpBits())))[0];
}

void Lowering::lowerAtomicRMW(tile::AtomicRMWOp op) {
  bool isTensor = isa<RankedTensorType>(op.getType());
  LinearLayout layout =
      isTensor ? layouts.getAccess(op).layout : normalize(LinearLayout(), laneBits(), warpBits());
  auto asList = [&](Value value) {
    if (!value)
      return Values();
    return isTensor ? unpack(get(value, layout)) : Values{getScalar(value)};
  };
  Values pointers = asList(op.getPtr()), operands = asList(op.getValue()),
         masks = asList(op.getMask());
  Value first = isFirstHolder(layout);
  Values results;
  for (size_t i = 0; i < pointers.size(); ++i) {
    Value mask = conjunction(first, masks.empty() ? Value() : masks[i]);
    results.push_back(AtomicRMWOp::create(b, loc, operands[i].getType(), op.getKind(), pointers[i],
                                          operands[i], mask, op.getSem(), op.getScope()));
  }
  if (op.getResult().use_empty()) {
    set(op.getResult(), isTensor ? poison(loweredType(op.getResult())) : results[0]);
    return;
  }
  if (!isTensor)
    return set(op.getResult(), replicateScalar(results[0]));
  set(op.getResult(),
      convert(replicate(pack(results), layout), layout, *layouts.getHome(op.getResult())));
}

void Lowering::lowerAtomicCAS(tile::AtomicCASOp op) {
  bool isTensor = isa<RankedTensorType>(op.getType());
  LinearLayout layout =
      isTensor ? layouts.getAccess(op).layout : normalize(LinearLayout(), laneBits(), warpBits());
  Type element = elementType(op.getType());
  auto integer = IntegerType::get(b.getContext(), element.getIntOrFloatBitWidth());
  auto asList = [&](Value value) {
    return isTensor ? unpack(get(value, layout)) : Values{getScalar(value)};
  };
  auto asInteger = [&](Value value) -> Value {
    return value.getType() == integer ? value : arith::BitcastOp::create(b, loc, integer, value);
  };
  Values pointers = asList(op.getPtr()), compares = asList(op.getCompare()),
         operands = asList(op.getValue());
  Value first = isFirstHolder(layout);
  Values results;
  for (size_t i = 0; i < pointers.size(); ++i) {
    Value old = AtomicCASOp::create(b, loc, integer, pointers[i], asInteger(compares[i]),
                                    asInteger(operands[i]), first, op.getSem(), op.getScope());
    results.push_back(
        old.getType() == element ? old : Value(arith::BitcastOp::create(b, loc, element, old)));
  }
  if (!isTensor)
    return set(op.getResult(), replicateScalar(results[0]));
  set(op.getResult(),
      convert(replicate(pack(results), layout), layout, *layouts.getHome(op.getResult())));
}
