// Scans: in an ordered layout each thread scans its registers, then adds the prefix before it in
// its warp (by exchange) and in the warps before (through shared memory).
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Conversions.h"
#include "ir/simt/Exchange.h"
#include "ir/simt/HandlerList.h"
#include "ir/simt/Regions.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

/// The bits of `index` at the places `bits`.
static unsigned scatter(ArrayRef<unsigned> bits, unsigned index) {
  unsigned result = 0;
  for (auto [i, bit] : llvm::enumerate(bits))
    result |= ((index >> i) & 1) << bit;
  return result;
}

/// A mask of these bits, moved up by `shift`.
static uint64_t maskOf(ArrayRef<unsigned> bits, unsigned shift = 0) {
  uint64_t mask = 0;
  for (unsigned bit : bits)
    mask |= uint64_t(1) << (shift + bit);
  return mask;
}

namespace {
/// A scan. The layout is separable: some bits of registers, lanes and warps, lowest first, number a
/// thread's elements along the axis. Vectors have one register per row, which is what those bits
/// leave.
class Scan {
public:
  Scan(LowerContext &c, tile::ScanOp op);
  LogicalResult emit();

private:
  LogicalResult scanRegisters();
  LogicalResult addLanes();
  LogicalResult addWarps();
  LogicalResult setResults();

  /// The elements at step i in scan order.
  Values step(unsigned i);
  unsigned positionOf(unsigned i) {
    return scatter(axisBits, op.getReverse() ? length - 1 - i : i);
  }
  /// This thread's number along the axis in scan order, out of so many, from bits of its number.
  Value indexOf(uint64_t mask, unsigned low, unsigned count);
  /// One position along the axis for each warp, as it is spread over threads.
  LinearLayout warpTotals() const;
  /// By operand, then register: of all warps, which are the low bits.
  FailureOr<SmallVector<Values>> gatherWarpTotals();

  Values select(Value condition, ArrayRef<Value> yes, ArrayRef<Value> no) {
    Values result;
    for (auto [x, y] : llvm::zip(yes, no))
      result.push_back(arith::SelectOp::create(c.b, condition, x, y));
    return result;
  }

  LowerContext &c;
  tile::ScanOp op;
  unsigned axis;
  std::string name; ///< Of the axis' dimension.
  LinearLayout layout;
  SmallVector<unsigned> axisBits, rowBits, laneAxisBits, warpAxisBits;
  unsigned length, rows;         ///< Of a thread.
  SmallVector<Values> registers; ///< By operand, then register.
  SmallVector<Values> prefixes;  ///< By step.
  Values total;                  ///< Of this thread, then of its warp.
  Values before;   ///< The total of what lies before this thread; valid where `hasBefore`.
  Value hasBefore; ///< Null: nothing does.
};
} // namespace

Scan::Scan(LowerContext &c, tile::ScanOp op)
    : c(c), op(op), axis(op.getAxis()), name(dimName(axis)),
      layout(c.layouts.getOrdered(cast<RankedTensorType>(op.getOperand(0).getType()), axis)) {
  for (unsigned bit = 0; bit < layout.inBits(kRegister); ++bit)
    (layout.getBasis(kRegister, bit, name) ? axisBits : rowBits).push_back(bit);
  for (unsigned bit = 0; bit < c.laneBits(); ++bit)
    if (layout.getBasis(kLane, bit, name))
      laneAxisBits.push_back(bit);
  for (unsigned bit = 0; bit < c.warpBits(); ++bit)
    if (layout.getBasis(kWarp, bit, name))
      warpAxisBits.push_back(bit);
  length = 1u << axisBits.size();
  rows = 1u << rowBits.size();
}

Values Scan::step(unsigned i) {
  Values vectors;
  unsigned position = positionOf(i);
  for (const Values &operand : registers) {
    Values list;
    for (unsigned row = 0; row < rows; ++row)
      list.push_back(operand[position | scatter(rowBits, row)]);
    vectors.push_back(pack(c.b, list));
  }
  return vectors;
}

LogicalResult Scan::scanRegisters() {
  prefixes.push_back(step(0));
  for (unsigned i = 1; i < length; ++i) {
    FailureOr<Values> next = combine(c, op, prefixes.back(), step(i));
    if (failed(next))
      return failure();
    prefixes.push_back(*next);
  }
  total = prefixes.back();
  return success();
}

Value Scan::indexOf(uint64_t mask, unsigned low, unsigned count) {
  Value bits = arith::AndIOp::create(c.b, c.threads.threadId(), constant(c.b, mask));
  Value index = arith::ShRUIOp::create(c.b, bits, constant(c.b, low));
  return op.getReverse() ? arith::SubIOp::create(c.b, constant(c.b, count - 1), index) : index;
}

LogicalResult Scan::addLanes() {
  if (laneAxisBits.empty())
    return success();
  // Axis bits are neighbouring lane bits, so that a step along the axis is a step between lanes.
  unsigned low = laneAxisBits.front(), lanes = 1u << laneAxisBits.size();
  uint64_t mask = maskOf(laneAxisBits);
  Value index = indexOf(mask, low, lanes);
  ShuffleMode mode = op.getReverse() ? ShuffleMode::Down : ShuffleMode::Up;
  Values inclusive = total;
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    Values other = exchange(c, inclusive, mode, constant(c.b, distance << low));
    Value reaches =
        arith::CmpIOp::create(c.b, arith::CmpIPredicate::uge, index, constant(c.b, distance));
    FailureOr<Values> sum = combine(c, op, other, inclusive);
    if (failed(sum))
      return failure();
    inclusive = select(reaches, *sum, inclusive);
  }
  before = exchange(c, inclusive, mode, constant(c.b, 1 << low));
  hasBefore = arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, index, constant(c.b, 0));
  // The last lane along the axis has the warp's total: give it to all.
  if (!warpAxisBits.empty()) {
    Value lane = arith::AndIOp::create(c.b, c.threads.threadId(),
                                       constant(c.b, ((1 << c.laneBits()) - 1) & ~mask));
    Value last =
        op.getReverse() ? lane : arith::OrIOp::create(c.b, lane, constant(c.b, mask)).getResult();
    total = exchange(c, inclusive, ShuffleMode::Index, last);
  }
  return success();
}

LinearLayout Scan::warpTotals() const {
  DimList outs, ins;
  for (const Dim &out : layout.getOuts())
    outs.emplace_back(out.name, out.name == name ? warpAxisBits.size() : out.bits);
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
  return LinearLayout(ins, outs, bases);
}

FailureOr<SmallVector<Values>> Scan::gatherWarpTotals() {
  LinearLayout partial = warpTotals();
  LinearLayout wanted = c.normalize(LinearLayout::identity1D(warpAxisBits.size(), kRegister, name) *
                                    expandDim(sliceDim(partial, axis), axis));
  SmallVector<Values> totals;
  for (Value vector : total) {
    FailureOr<Value> all = convert(c, vector, partial, wanted);
    if (failed(all))
      return failure();
    totals.push_back(unpack(c.b, *all));
  }
  return totals;
}

LogicalResult Scan::addWarps() {
  if (warpAxisBits.empty())
    return success();
  unsigned warps = 1u << warpAxisBits.size();
  FailureOr<SmallVector<Values>> totals = gatherWarpTotals();
  if (failed(totals))
    return failure();
  auto totalOf = [&](unsigned i) {
    Values vectors;
    unsigned warp = op.getReverse() ? warps - 1 - i : i;
    for (const Values &list : *totals) {
      Values own;
      for (unsigned row = 0; row < rows; ++row)
        own.push_back(list[warp | (row << warpAxisBits.size())]);
      vectors.push_back(pack(c.b, own));
    }
    return vectors;
  };
  Value index =
      indexOf(maskOf(warpAxisBits, c.laneBits()), c.laneBits() + warpAxisBits.front(), warps);
  Values running = totalOf(0), chosen = running;
  for (unsigned i = 2; i < warps; ++i) {
    FailureOr<Values> sum = combine(c, op, running, totalOf(i - 1));
    if (failed(sum))
      return failure();
    running = *sum;
    Value isMine = arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, index, constant(c.b, i));
    chosen = select(isMine, running, chosen);
  }
  Value hasWarps = arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, index, constant(c.b, 0));
  if (before.empty()) {
    before = chosen;
    hasBefore = hasWarps;
    return success();
  }
  FailureOr<Values> sum = combine(c, op, chosen, before);
  if (failed(sum))
    return failure();
  Values both = select(hasBefore, *sum, chosen);
  before = select(hasWarps, both, before);
  hasBefore = arith::OrIOp::create(c.b, hasBefore, hasWarps);
  return success();
}

LogicalResult Scan::setResults() {
  SmallVector<Values> results(registers.size(), Values(registers[0].size()));
  for (unsigned i = 0; i < length; ++i) {
    Values vectors = prefixes[i];
    if (hasBefore) {
      FailureOr<Values> sum = combine(c, op, before, vectors);
      if (failed(sum))
        return failure();
      vectors = select(hasBefore, *sum, vectors);
    }
    unsigned position = positionOf(i);
    for (auto [vector, list] : llvm::zip(vectors, results))
      for (auto [row, value] : llvm::enumerate(unpack(c.b, vector)))
        list[position | scatter(rowBits, row)] = value;
  }
  for (auto [value, list] : llvm::zip(op.getOutputs(), results))
    if (failed(c.set(value, pack(c.b, list), layout)))
      return failure();
  return success();
}

LogicalResult Scan::emit() {
  for (Value operand : op.getOperands()) {
    FailureOr<Values> list = c.getRegisters(operand, layout);
    if (failed(list))
      return failure();
    registers.push_back(*list);
  }
  return success(succeeded(scanRegisters()) && succeeded(addLanes()) && succeeded(addWarps()) &&
                 succeeded(setResults()));
}

LogicalResult simt::lower(LowerContext &c, tile::ScanOp op) { return Scan(c, op).emit(); }
