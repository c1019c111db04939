// See Registers.h.
#include "ir/simt/Registers.h"
#include "ir/tile/TileOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

Type simt::elementType(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PointerType>(type))
    return IntegerType::get(type.getContext(), 64);
  if (isa<tile::F8E4M3B15Type>(type) || (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

VectorType simt::registerType(Type element, const LinearLayout &layout) {
  return VectorType::get({int64_t(1) << layout.inBits(kRegister)}, elementType(element));
}

Type simt::shaped(Type element, unsigned count) {
  return count ? Type(VectorType::get({count}, element)) : element;
}

Value simt::constant(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantIntOp::create(b, value, 32);
}

Value simt::splat(ImplicitLocOpBuilder &b, Value scalar, unsigned count) {
  return vector::BroadcastOp::create(b, VectorType::get({count}, scalar.getType()), scalar);
}

Values simt::unpack(ImplicitLocOpBuilder &b, Value vector) {
  auto op = vector::ToElementsOp::create(b, vector);
  return Values(op.getResults().begin(), op.getResults().end());
}

Value simt::pack(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) {
  auto type = VectorType::get({int64_t(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

Value simt::pick(ImplicitLocOpBuilder &b, Value vector, ArrayRef<int64_t> indices) {
  auto type = cast<VectorType>(vector.getType());
  bool same = int64_t(indices.size()) == type.getNumElements();
  for (auto [i, index] : llvm::enumerate(indices))
    same &= int64_t(i) == index;
  return same ? vector : Value(vector::ShuffleOp::create(b, vector, vector, indices));
}

Value simt::offsetBy(ImplicitLocOpBuilder &b, Value base, uint64_t baseBits,
                     uint64_t constantPart) {
  if (!constantPart)
    return base;
  Value other = constant(b, constantPart);
  if (baseBits & constantPart)
    return arith::XOrIOp::create(b, base, other);
  return arith::AddIOp::create(b, base, other,
                               arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
}

Value simt::conjunction(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}

Value simt::resizeInteger(ImplicitLocOpBuilder &b, Value integer, unsigned bits) {
  unsigned own = integer.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(bits);
  if (own < bits)
    return arith::ExtUIOp::create(b, type, integer);
  return own > bits ? arith::TruncIOp::create(b, type, integer).getResult() : integer;
}

Value simt::shuffle(ImplicitLocOpBuilder &b, ShuffleMode mode, Value scalar, Value lane) {
  return ShuffleOp::create(b, scalar.getType(), mode, scalar, lane);
}

Value simt::applyToIndex(ImplicitLocOpBuilder &b, Value index, ArrayRef<uint64_t> bases) {
  bool isScaling = !bases.empty() && llvm::isPowerOf2_64(bases[0]);
  for (auto [bit, basis] : llvm::enumerate(bases))
    isScaling &= basis == bases[0] << bit;
  if (isScaling)
    return arith::MulIOp::create(b, index, constant(b, bases[0]));
  Value result = constant(b, 0);
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    Value shifted = arith::ShRUIOp::create(b, index, constant(b, bit));
    Value set = arith::AndIOp::create(b, shifted, constant(b, 1));
    Value part = arith::MulIOp::create(b, set, constant(b, basis));
    result = arith::XOrIOp::create(b, result, part);
  }
  return result;
}

SmallVector<uint64_t, 16> simt::threadBases(const LinearLayout &layout, StringRef out) {
  SmallVector<uint64_t, 16> bases;
  for (StringRef in : {StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      bases.push_back(layout.getBasis(in, bit, out));
  return bases;
}

uint64_t simt::registerImage(const LinearLayout &layout, uint64_t reg, StringRef out) {
  uint64_t image = 0;
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    if ((reg >> bit) & 1)
      image ^= layout.getBasis(kRegister, bit, out);
  return image;
}
