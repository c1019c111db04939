// Reductions: registers first, then lanes by exchange, then warps through shared memory.
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

/// Whether swapping the two sides of a combine region changes nothing, as far as one can see.
static bool isCommutative(Region &region) {
  Block &body = region.front();
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1 || !llvm::hasNItems(body.without_terminator(), 1))
    return false;
  Operation &op = body.front();
  if (yield->getOperand(0).getDefiningOp() != &op || op.getNumOperands() != 2 ||
      op.getOperand(0) == op.getOperand(1))
    return false;
  return op.hasTrait<OpTrait::IsCommutative>() ||
         isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether each basis vector moves along `axis` only or not at all.
static bool separates(const LinearLayout &layout, StringRef axis) {
  for (const Dim &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      if (!layout.getBasis(in.name, bit, axis))
        continue;
      for (const Dim &out : layout.getOuts())
        if (out.name != axis && layout.getBasis(in.name, bit, out.name))
          return false;
    }
  return true;
}

/// Whether positions along `axis` ascend with registers, lanes, warps, one bit after the other.
static bool ascends(const LinearLayout &layout, StringRef axis) {
  uint64_t next = 1;
  for (StringRef in : {StringRef(kRegister), StringRef(kLane), StringRef(kWarp)})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      if (uint64_t basis = layout.getBasis(in, bit, axis)) {
        if (basis != next)
          return false;
        next <<= 1;
      }
  return next == uint64_t(1) << layout.outBits(axis);
}

/// Whether every element of the axis is in exactly one place as far as `axis` bits go.
static bool isDistinctAlong(const LinearLayout &layout, StringRef axis) {
  SmallVector<uint64_t> seen;
  Subspace space;
  for (const Dim &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (uint64_t basis = layout.getBasis(in.name, bit, axis))
        if (!space.insert(basis))
          return false;
  return true;
}

/// From so many warps on, partial results are read by lanes: each thread reading all of them costs
/// a 16-byte access of shared memory for four, in every thread.
static constexpr unsigned kManyWarpBits = 4;

/// `layout`, whose dimension `axis` has size 1, with 2^bits positions along it in lanes that repeat
/// others; none if there are too few.
static std::optional<LinearLayout> spreadOverFreeLanes(const LinearLayout &layout, unsigned axis,
                                                       unsigned bits) {
  DimList outs;
  for (auto [dim, out] : llvm::enumerate(layout.getOuts()))
    outs.emplace_back(out.name, dim == axis ? bits : out.bits);
  BitVectors bases;
  unsigned next = 0;
  for (const Dim &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      SmallVector<uint64_t, 4> coordinates;
      for (const Dim &out : layout.getOuts())
        coordinates.push_back(layout.getBasis(in.name, bit, out.name));
      bool isFree = llvm::all_of(coordinates, [](uint64_t c) { return c == 0; });
      if (in.name == kLane && isFree && next < bits)
        coordinates[axis] = uint64_t(1) << next++;
      bases.push_back(LinearLayout::pack(outs, coordinates));
    }
  if (next < bits)
    return std::nullopt;
  return LinearLayout(DimList(layout.getIns()), outs, bases);
}

namespace {
/// A reduction while its axis shrinks: one vector for each operand, in one layout.
class Reduction {
public:
  Reduction(LowerContext &c, tile::ReduceOp op)
      : c(c), op(op), axis(op.getAxis()), name(dimName(axis)),
        isOrdered(!isCommutative(op.getCombine())) {}
  LogicalResult emit();

private:
  /// In each thread: folds registers that differ in one bit along the axis, low bits first.
  LogicalResult foldRegisters();
  /// Between lanes.
  LogicalResult foldLanes();
  /// Brings what is left along the axis, one position for each warp, into registers or lanes.
  LogicalResult gatherWarps(unsigned warpAxisBits);
  LogicalResult fold(ArrayRef<Value> left, ArrayRef<Value> right) {
    FailureOr<Values> results = combine(c, op, left, right);
    if (failed(results))
      return failure();
    vectors = *results;
    return success();
  }

  LowerContext &c;
  tile::ReduceOp op;
  unsigned axis;
  std::string name; ///< Of the axis' dimension.
  bool isOrdered;   ///< Elements must be combined in their order.
  LinearLayout layout;
  Values vectors;
};
} // namespace

LogicalResult Reduction::foldRegisters() {
  for (unsigned bit = 0; bit < layout.inBits(kRegister);) {
    if (!layout.getBasis(kRegister, bit, name)) {
      ++bit;
      continue;
    }
    SmallVector<int64_t> low, high;
    DimList ins;
    BitVectors bases;
    for (uint64_t reg = 0; reg < (uint64_t(1) << layout.inBits(kRegister)); ++reg)
      ((reg >> bit) & 1 ? high : low).push_back(reg);
    Values left, right;
    for (Value vector : vectors) {
      left.push_back(pick(c.b, vector, low));
      right.push_back(pick(c.b, vector, high));
    }
    if (failed(fold(left, right)))
      return failure();
    for (const Dim &in : layout.getIns()) {
      bool isRegister = in.name == kRegister;
      ins.emplace_back(in.name, in.bits - isRegister);
      for (auto [i, basis] : llvm::enumerate(layout.getBases(in.name)))
        if (!isRegister || i != bit)
          bases.push_back(basis);
    }
    layout = LinearLayout(ins, DimList(layout.getOuts()), bases);
  }
  return success();
}

LogicalResult Reduction::foldLanes() {
  for (unsigned bit = 0; bit < c.laneBits(); ++bit) {
    if (!layout.getBasis(kLane, bit, name))
      continue;
    Values other = exchange(c, vectors, ShuffleMode::Xor, constant(c.b, 1 << bit));
    if (!isOrdered) {
      if (failed(fold(vectors, other)))
        return failure();
      continue;
    }
    // The lane with the bit set holds the later elements.
    Value own = arith::AndIOp::create(c.b, c.threads.threadId(), constant(c.b, 1 << bit));
    Value isLater = arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, own, constant(c.b, 0));
    Values left, right;
    for (auto [mine, theirs] : llvm::zip(vectors, other)) {
      left.push_back(arith::SelectOp::create(c.b, isLater, theirs, mine));
      right.push_back(arith::SelectOp::create(c.b, isLater, mine, theirs));
    }
    if (failed(fold(left, right)))
      return failure();
  }
  return success();
}

LogicalResult Reduction::gatherWarps(unsigned warpAxisBits) {
  DimList outs;
  for (const Dim &out : layout.getOuts())
    outs.emplace_back(out.name, out.name == name ? warpAxisBits : out.bits);
  BitVectors bases;
  unsigned nextBit = 0;
  for (const Dim &in : layout.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      SmallVector<uint64_t, 4> coordinates;
      for (const Dim &out : layout.getOuts())
        coordinates.push_back(out.name == name ? 0 : layout.getBasis(in.name, bit, out.name));
      if (in.name == kWarp && layout.getBasis(kWarp, bit, name))
        coordinates[axis] = uint64_t(1) << nextBit++;
      bases.push_back(LinearLayout::pack(outs, coordinates));
    }
  LinearLayout partial(DimList(layout.getIns()), outs, bases);
  LinearLayout reduced = c.canonicalize(sliceDim(layout, axis));
  // A small tensor. Few parts go to each thread; many go to the lanes of each warp that hold
  // nothing of their own, and meet by shuffles.
  std::optional<LinearLayout> byLanes;
  if (warpAxisBits >= kManyWarpBits)
    byLanes = spreadOverFreeLanes(c.normalize(expandDim(reduced, axis)), axis, warpAxisBits);
  LinearLayout wanted = byLanes
                            ? *byLanes
                            : c.normalize(LinearLayout::identity1D(warpAxisBits, kRegister, name) *
                                          expandDim(reduced, axis));
  for (Value &vector : vectors) {
    FailureOr<Value> converted = convert(c, vector, partial, wanted);
    if (failed(converted))
      return failure();
    vector = *converted;
  }
  layout = wanted;
  return success();
}

LogicalResult Reduction::emit() {
  layout = c.layoutOf(op.getOperand(0));
  if (!separates(layout, name) || !isDistinctAlong(layout, name) ||
      (isOrdered && !ascends(layout, name)))
    layout = c.layouts.getOrdered(cast<RankedTensorType>(op.getOperand(0).getType()), axis);
  layout = c.canonicalize(layout);
  for (Value operand : op.getOperands()) {
    FailureOr<Value> vector = c.get(operand, layout);
    if (failed(vector))
      return failure();
    vectors.push_back(*vector);
  }
  if (failed(foldRegisters()) || failed(foldLanes()))
    return failure();
  unsigned warpAxisBits = 0;
  for (unsigned bit = 0; bit < c.warpBits(); ++bit)
    warpAxisBits += layout.getBasis(kWarp, bit, name) != 0;
  if (warpAxisBits &&
      (failed(gatherWarps(warpAxisBits)) || failed(foldRegisters()) || failed(foldLanes())))
    return failure();
  LinearLayout result = c.normalize(sliceDim(layout, axis));
  for (auto [value, vector] : llvm::zip(op.getOutputs(), vectors))
    if (!isa<RankedTensorType>(value.getType()))
      c.set(value, unpack(c.b, vector)[0]);
    else if (failed(c.set(value, vector, result)))
      return failure();
  return success();
}

LogicalResult simt::lower(LowerContext &c, tile::ReduceOp op) { return Reduction(c, op).emit(); }
