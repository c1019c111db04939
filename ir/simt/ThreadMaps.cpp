// See ThreadMaps.h.
#include "ir/simt/ThreadMaps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::layout;

ThreadMaps::ThreadMaps(ImplicitLocOpBuilder &b)
    : b(b), loc(b.getLoc()), known(ThreadIdOp::create(b).getResult()) {}

Value ThreadMaps::apply(ArrayRef<uint64_t> bases) {
  std::vector<uint64_t> key(bases.begin(), bases.end());
  if (auto it = known.maps.find(key); it != known.maps.end())
    return it->second;
  PlaceGuard guard(b);
  b.setInsertionPointAfterValue(known.id);
  b.setLoc(loc);
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
      part = arith::AndIOp::create(b, known.id, constant(b, run << bit));
      int shift = int(llvm::Log2_64(basis)) - int(bit);
      if (shift > 0)
        part = arith::ShLIOp::create(b, part, constant(b, shift));
      else if (shift < 0)
        part = arith::ShRUIOp::create(b, part, constant(b, -shift));
    } else {
      Value shifted = arith::ShRUIOp::create(b, known.id, constant(b, bit));
      Value set = arith::AndIOp::create(b, shifted, constant(b, 1));
      part = arith::MulIOp::create(b, set, constant(b, basis));
    }
    uint64_t image = single ? run * basis : basis;
    if (!result)
      result = part;
    else if (used & image)
      result = arith::XOrIOp::create(b, result, part);
    else
      result = arith::AddIOp::create(
          b, result, part, arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
    used |= image;
    bit = end;
  }
  if (!result)
    result = constant(b, 0);
  known.maps[key] = result;
  return result;
}

Value ThreadMaps::test(ArrayRef<uint64_t> bases, unsigned bit) {
  Value map = apply(bases);
  Value &flag = known.flags[{map, bit}];
  if (flag)
    return flag;
  // Beside the map; a conversion asks for it once for each register.
  PlaceGuard guard(b);
  b.setInsertionPointAfterValue(map);
  b.setLoc(loc);
  Value own = arith::AndIOp::create(b, map, constant(b, 1 << bit));
  flag = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, own, constant(b, 0));
  return flag;
}

Value ThreadMaps::sum(ArrayRef<uint64_t> bases) {
  std::vector<uint64_t> key(bases.begin(), bases.end());
  if (auto it = known.sums.find(key); it != known.sums.end())
    return it->second;
  PlaceGuard guard(b);
  b.setInsertionPointAfterValue(known.id);
  b.setLoc(loc);
  Value result;
  for (size_t bit = 0; bit < bases.size();) {
    size_t end = bit + 1;
    while (bases[bit] && end < bases.size() && bases[end] == bases[bit] << (end - bit))
      ++end;
    if (bases[bit]) {
      Value part = arith::ShRUIOp::create(b, known.id, constant(b, int32_t(bit)));
      part = arith::AndIOp::create(b, part, constant(b, (1 << (end - bit)) - 1));
      part = arith::MulIOp::create(b, part, constant(b, int32_t(bases[bit])));
      result = result ? Value(arith::AddIOp::create(b, result, part)) : part;
    }
    bit = end;
  }
  if (!result)
    result = constant(b, 0);
  return known.sums[key] = result;
}

/// All lanes have `value` already; a shuffle tells the target's compiler so.
static Value broadcastInWarp(ImplicitLocOpBuilder &b, Value value) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(value);
  return shuffle(b, ShuffleMode::Index, value, constant(b, 0));
}

Value ThreadMaps::applyUniform(ArrayRef<uint64_t> bases) {
  Value &uniform = known.uniformMaps[std::vector<uint64_t>(bases.begin(), bases.end())];
  if (!uniform)
    uniform = broadcastInWarp(b, apply(bases));
  return uniform;
}

Value ThreadMaps::sumUniform(ArrayRef<uint64_t> bases) {
  Value &uniform = known.uniformSums[std::vector<uint64_t>(bases.begin(), bases.end())];
  if (!uniform)
    uniform = broadcastInWarp(b, sum(bases));
  return uniform;
}

Value ThreadMaps::coordinates(const LinearLayout &layout, StringRef out, int64_t start) {
  SmallVector<uint64_t, 16> bases = threadBases(layout, out);
  uint64_t threadBits = 0, registerBits = 0;
  for (uint64_t basis : bases)
    threadBits |= basis;
  unsigned count = 1u << layout.inBits(kRegister);
  SmallVector<int32_t, 32> constants;
  for (unsigned reg = 0; reg < count; ++reg) {
    constants.push_back(registerImage(layout, reg, out));
    registerBits |= uint64_t(uint32_t(constants.back()));
  }
  bool disjoint = !(threadBits & registerBits);
  if (disjoint)
    for (int32_t &value : constants)
      value += start;
  auto type = VectorType::get({count}, b.getI32Type());
  Value registers =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int32_t>(constants)));
  if (!threadBits)
    return disjoint || !start
               ? registers
               : Value(arith::AddIOp::create(b, registers, splat(b, constant(b, start), count)));
  Value thread = splat(b, apply(bases), count);
  if (disjoint)
    return arith::AddIOp::create(b, thread, registers, arith::IntegerOverflowFlags::nsw);
  Value mixed = arith::XOrIOp::create(b, thread, registers);
  if (start)
    mixed = arith::AddIOp::create(b, mixed, splat(b, constant(b, start), count),
                                  arith::IntegerOverflowFlags::nsw);
  return mixed;
}

Value ThreadMaps::isFirstHolder(const LinearLayout &layout) {
  uint64_t mask =
      layout.freeVariableMask(kLane) | (layout.freeVariableMask(kWarp) << layout.inBits(kLane));
  if (!mask)
    return {};
  Value bits = arith::AndIOp::create(b, known.id, constant(b, mask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(b, 0));
}
