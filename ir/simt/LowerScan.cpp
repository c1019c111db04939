// Scans: in an ordered layout each thread scans its registers, then adds what lies before it in its
// warp (by exchange) and in the warps before (through shared memory).
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

void Lowering::lowerScan(tile::ScanOp op) {
  unsigned axis = op.getAxis();
  std::string name = dimName(axis);
  bool reverse = op.getReverse();
  auto type = cast<RankedTensorType>(op.getOperand(0).getType());
  LinearLayout layout = layouts.getOrdered(type, axis);
  size_t operands = op.getNumOperands();
  SmallVector<Values> registers; // by operand, then register
  for (Value operand : op.getOperands())
    registers.push_back(unpack(get(operand, layout)));

  // The layout is separable: these bits, lowest first, number a thread's elements along the axis.
  SmallVector<unsigned> axisBits, rowBits, laneAxisBits, warpAxisBits;
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    (layout.getBasis(kRegister, bit, name) ? axisBits : rowBits).push_back(bit);
  for (unsigned bit = 0; bit < laneBits(); ++bit)
    if (layout.getBasis(kLane, bit, name))
      laneAxisBits.push_back(bit);
  for (unsigned bit = 0; bit < warpBits(); ++bit)
    if (layout.getBasis(kWarp, bit, name))
      warpAxisBits.push_back(bit);
  auto scatter = [](ArrayRef<unsigned> bits, unsigned index) {
    unsigned result = 0;
    for (auto [i, bit] : llvm::enumerate(bits))
      result |= ((index >> i) & 1) << bit;
    return result;
  };
  unsigned length = 1u << axisBits.size(), rows = 1u << rowBits.size();
  // Step i in scan order; vectors have one register per row.
  auto step = [&](unsigned i) {
    Values vectors;
    unsigned position = scatter(axisBits, reverse ? length - 1 - i : i);
    for (size_t operand = 0; operand < operands; ++operand) {
      Values list;
      for (unsigned row = 0; row < rows; ++row)
        list.push_back(registers[operand][position | scatter(rowBits, row)]);
      vectors.push_back(pack(list));
    }
    return vectors;
  };
  auto select = [&](Value condition, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Values result;
    for (auto [x, y] : llvm::zip(yes, no))
      result.push_back(arith::SelectOp::create(b, loc, condition, x, y));
    return result;
  };

  SmallVector<Values> prefixes{step(0)};
  for (unsigned i = 1; i < length; ++i)
    prefixes.push_back(combine(op, prefixes.back(), step(i)));

  // `before`: the total of what lies before this thread; valid where `hasBefore`.
  Values total = prefixes.back(), before;
  Value hasBefore;
  auto flag = [&](Value condition) { return condition; };
  if (!laneAxisBits.empty()) {
    // Axis bits are neighbouring lane bits, so that a step along the axis is a step between lanes.
    unsigned low = laneAxisBits.front();
    uint64_t mask = 0;
    for (unsigned bit : laneAxisBits)
      mask |= uint64_t(1) << bit;
    Value bits = arith::AndIOp::create(b, loc, threadId, constant(mask));
    Value index = arith::ShRUIOp::create(b, loc, bits, constant(low));
    if (reverse)
      index = arith::SubIOp::create(b, loc, constant((1 << laneAxisBits.size()) - 1), index);
    ShuffleMode mode = reverse ? ShuffleMode::Down : ShuffleMode::Up;
    Values inclusive = total;
    for (unsigned distance = 1; distance < (1u << laneAxisBits.size()); distance *= 2) {
      Values other = exchange(inclusive, mode, constant(distance << low));
      Value reaches =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, index, constant(distance));
      inclusive = select(reaches, combine(op, other, inclusive), inclusive);
    }
    before = exchange(inclusive, mode, constant(1 << low));
    hasBefore = flag(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, index, constant(0)));
    // The last lane along the axis has the warp's total: give it to all.
    if (!warpAxisBits.empty()) {
      Value lane =
          arith::AndIOp::create(b, loc, threadId, constant(((1 << laneBits()) - 1) & ~mask));
      Value last = reverse ? lane : arith::OrIOp::create(b, loc, lane, constant(mask));
      total = exchange(inclusive, ShuffleMode::Index, last);
    }
  }
  if (!warpAxisBits.empty()) {
    // Totals of warps, as a tensor along the axis, all of it in each thread.
    unsigned warps = 1u << warpAxisBits.size();
    DimList outs;
    for (const Dim &out : layout.getOuts())
      outs.emplace_back(out.name, out.name == name ? warpAxisBits.size() : out.bits);
    DimList ins;
    BitVectors bases;
    unsigned nextBit = 0;
    for (const Dim &in : layout.getIns()) {
      unsigned kept = 0;
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        bool along = layout.getBasis(in.name, bit, name) != 0;
        if (in.name == kRegister && along)
          continue;
        ++kept;
        SmallVector<uint64_t, 4> coordinates;
        for (const Dim &out : layout.getOuts())
          coordinates.push_back(out.name == name ? 0 : layout.getBasis(in.name, bit, out.name));
        if (in.name == kWarp && along)
          coordinates[axis] = uint64_t(1) << nextBit++;
        bases.push_back(LinearLayout::pack(outs, coordinates));
      }
      ins.emplace_back(in.name, kept);
    }
    LinearLayout partial(ins, outs, bases);
    LinearLayout wanted = normalize(LinearLayout::identity1D(warpAxisBits.size(), kRegister, name) *
                                        expandDim(sliceDim(partial, axis), axis),
                                    laneBits(), warpBits());
    SmallVector<Values> totals; // by operand, then register: warps are the low bits
    for (Value vector : total)
      totals.push_back(unpack(convert(vector, partial, wanted)));
    auto totalOf = [&](unsigned i) {
      Values vectors;
      unsigned warp = reverse ? warps - 1 - i : i;
      for (const Values &list : totals) {
        Values own;
        for (unsigned row = 0; row < rows; ++row)
          own.push_back(list[warp | (row << warpAxisBits.size())]);
        vectors.push_back(pack(own));
      }
      return vectors;
    };
    uint64_t mask = 0;
    for (unsigned bit : warpAxisBits)
      mask |= uint64_t(1) << (laneBits() + bit);
    Value bits = arith::AndIOp::create(b, loc, threadId, constant(mask));
    Value index = arith::ShRUIOp::create(b, loc, bits, constant(laneBits() + warpAxisBits.front()));
    if (reverse)
      index = arith::SubIOp::create(b, loc, constant(warps - 1), index);
    Values running = totalOf(0), chosen = running;
    for (unsigned i = 2; i < warps; ++i) {
      running = combine(op, running, totalOf(i - 1));
      Value isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, constant(i));
      chosen = select(isMine, running, chosen);
    }
    Value hasWarps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, index, constant(0));
    if (before.empty()) {
      before = chosen;
      hasBefore = hasWarps;
    } else {
      Values both = select(hasBefore, combine(op, chosen, before), chosen);
      before = select(hasWarps, both, before);
      hasBefore = arith::OrIOp::create(b, loc, hasBefore, hasWarps);
    }
  }

  SmallVector<Values> results(operands, Values(registers[0].size()));
  for (unsigned i = 0; i < length; ++i) {
    Values vectors = prefixes[i];
    if (hasBefore)
      vectors = select(hasBefore, combine(op, before, vectors), vectors);
    unsigned position = scatter(axisBits, reverse ? length - 1 - i : i);
    for (size_t operand = 0; operand < operands; ++operand)
      for (auto [row, value] : llvm::enumerate(unpack(vectors[operand])))
        results[operand][position | scatter(rowBits, row)] = value;
  }
  for (auto [value, list] : llvm::zip(op.getOutputs(), results))
    set(value, convert(pack(list), layout, *layouts.getHome(value)));
}
