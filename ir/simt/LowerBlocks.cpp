// Building blocks of the lowering: registers as vectors, and linear maps as arithmetic.
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

Value Lowering::constant(int32_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }

Value Lowering::splat(Value scalar, unsigned count) {
  return vector::BroadcastOp::create(b, loc, VectorType::get({count}, scalar.getType()), scalar);
}

Values Lowering::unpack(Value vector) {
  auto op = vector::ToElementsOp::create(b, loc, vector);
  return Values(op.getResults().begin(), op.getResults().end());
}

Value Lowering::pack(ArrayRef<Value> elements) {
  auto type = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, loc, type, elements);
}

Value Lowering::pick(Value vector, ArrayRef<int64_t> indices) {
  auto type = cast<VectorType>(vector.getType());
  bool same = int64_t(indices.size()) == type.getNumElements();
  for (auto [i, index] : llvm::enumerate(indices))
    same &= int64_t(i) == index;
  return same ? vector : Value(vector::ShuffleOp::create(b, loc, vector, vector, indices));
}

llvm::SmallVector<uint64_t, 16> Lowering::threadBases(const LinearLayout &layout,
                                                      StringRef out) const {
  llvm::SmallVector<uint64_t, 16> bases;
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      bases.push_back(layout.getBasis(in, bit, out));
  return bases;
}

uint64_t Lowering::registerImage(const LinearLayout &layout, uint64_t reg, StringRef out) const {
  uint64_t image = 0;
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    if ((reg >> bit) & 1)
      image ^= layout.getBasis(kRegister, bit, out);
  return image;
}

Value Lowering::applyToThread(ArrayRef<uint64_t> bases) {
  std::vector<uint64_t> key(bases.begin(), bases.end());
  if (auto it = threadMaps.find(key); it != threadMaps.end())
    return it->second;
  // Thread ids do not change: build at the kernel's entry, once.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(threadId);
  Location oldLoc = std::exchange(loc, kernel.getLoc());
  Value result;
  uint64_t used = 0;
  for (size_t bit = 0; bit < bases.size();) {
    uint64_t basis = bases[bit];
    if (!basis) {
      ++bit;
      continue;
    }
    // A run of bits that are shifted together.
    size_t end = bit + 1;
    bool single = llvm::isPowerOf2_64(basis);
    while (single && end < bases.size() && bases[end] == basis << (end - bit))
      ++end;
    uint64_t run = ((uint64_t(1) << (end - bit)) - 1);
    Value part;
    if (single) {
      part = arith::AndIOp::create(b, loc, threadId, constant(run << bit));
      int shift = int(llvm::Log2_64(basis)) - int(bit);
      if (shift > 0)
        part = arith::ShLIOp::create(b, loc, part, constant(shift));
      else if (shift < 0)
        part = arith::ShRUIOp::create(b, loc, part, constant(-shift));
    } else {
      Value shifted = arith::ShRUIOp::create(b, loc, threadId, constant(bit));
      Value set = arith::AndIOp::create(b, loc, shifted, constant(1));
      part = arith::MulIOp::create(b, loc, set, constant(basis));
    }
    uint64_t image = single ? run * basis : basis;
    if (!result)
      result = part;
    else if (used & image)
      result = arith::XOrIOp::create(b, loc, result, part);
    else
      result = arith::AddIOp::create(b, loc, result, part,
                                     arith::IntegerOverflowFlags::nsw |
                                         arith::IntegerOverflowFlags::nuw);
    used |= image;
    bit = end;
  }
  if (!result)
    result = constant(0);
  loc = oldLoc;
  threadMaps[key] = result;
  return result;
}

Value Lowering::testThread(ArrayRef<uint64_t> bases, unsigned bit) {
  Value map = applyToThread(bases);
  Value &flag = threadFlags[{map, bit}];
  if (flag)
    return flag;
  // Beside the map; a conversion asks for it once for each register.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(map);
  Location oldLoc = std::exchange(loc, kernel.getLoc());
  Value own = arith::AndIOp::create(b, loc, map, constant(1 << bit));
  flag = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, constant(0));
  loc = oldLoc;
  return flag;
}

Value Lowering::offsetBy(Value base, uint64_t baseBits, uint64_t constantPart) {
  if (!constantPart)
    return base;
  Value other = constant(constantPart);
  if (baseBits & constantPart)
    return arith::XOrIOp::create(b, loc, base, other);
  return arith::AddIOp::create(b, loc, base, other,
                               arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
}

Value Lowering::coordinates(const LinearLayout &layout, StringRef out, int64_t start) {
  llvm::SmallVector<uint64_t, 16> bases = threadBases(layout, out);
  uint64_t threadBits = 0, registerBits = 0;
  for (uint64_t basis : bases)
    threadBits |= basis;
  unsigned count = 1u << layout.inBits(kRegister);
  llvm::SmallVector<int32_t, 32> constants;
  for (unsigned reg = 0; reg < count; ++reg) {
    constants.push_back(registerImage(layout, reg, out));
    registerBits |= uint64_t(uint32_t(constants.back()));
  }
  bool disjoint = !(threadBits & registerBits);
  if (disjoint)
    for (int32_t &value : constants)
      value += start;
  auto type = VectorType::get({count}, b.getI32Type());
  auto toVector = [&](ArrayRef<int32_t> list) {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, list));
  };
  Value registers = toVector(constants);
  if (!threadBits)
    return disjoint || !start
               ? registers
               : Value(arith::AddIOp::create(b, loc, registers, splat(constant(start), count)));
  Value thread = splat(applyToThread(bases), count);
  if (disjoint)
    return arith::AddIOp::create(b, loc, thread, registers, arith::IntegerOverflowFlags::nsw);
  Value mixed = arith::XOrIOp::create(b, loc, thread, registers);
  if (start)
    mixed = arith::AddIOp::create(b, loc, mixed, splat(constant(start), count),
                                  arith::IntegerOverflowFlags::nsw);
  return mixed;
}

Value Lowering::isFirstHolder(const LinearLayout &layout) {
  uint64_t mask =
      layout.freeVariableMask(kLane) | (layout.freeVariableMask(kWarp) << layout.inBits(kLane));
  if (!mask)
    return {};
  Value bits = arith::AndIOp::create(b, loc, threadId, constant(mask));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits, constant(0));
}

Value Lowering::conjunction(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

Value Lowering::resizeInteger(Value integer, unsigned bits) {
  unsigned own = integer.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(bits);
  if (own < bits)
    return arith::ExtUIOp::create(b, loc, type, integer);
  return own > bits ? arith::TruncIOp::create(b, loc, type, integer).getResult() : integer;
}

Value Lowering::shuffle(ShuffleMode mode, Value scalar, Value lane) {
  return ShuffleOp::create(b, loc, scalar.getType(), mode, scalar, lane);
}
