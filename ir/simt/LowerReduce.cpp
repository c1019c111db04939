// Reductions: registers first, then lanes by exchange, then warps through shared memory.
#include "ir/layout/TensorLayout.h"
#include "ir/simt/Lowering.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;
using namespace tilerun::layout;

//===----------------------------------------------------------------------===//
// The combine region
//===----------------------------------------------------------------------===//

Values Lowering::combine(Operation *op, ArrayRef<Value> left, ArrayRef<Value> right) {
  Values arguments(left);
  arguments.append(right.begin(), right.end());
  return applyRegion(op, arguments);
}

Values Lowering::applyRegion(Operation *op, ArrayRef<Value> vectors) {
  Block &body = op->getRegion(0).front();
  unsigned count = cast<VectorType>(vectors[0].getType()).getNumElements();
  auto isElementwise = [](Operation &inner) {
    return inner.getNumRegions() == 0 && inner.getDialect() && !isa<tile::ReduceOp>(inner);
  };
  auto inlineBody = [&](ArrayRef<Value> arguments, unsigned registers) {
    llvm::DenseMap<Value, Value> mapped;
    for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
      mapped[argument] = value;
    auto lookup = [&](Value value) -> Value {
      if (Value found = mapped.lookup(value))
        return found;
      Value outer = getScalar(value); // uniform: defined outside
      return registers ? splat(outer, registers) : outer;
    };
    for (Operation &inner : body.without_terminator()) {
      loc = inner.getLoc();
      if (auto constantOp = dyn_cast<arith::ConstantOp>(inner)) {
        Value copy = cloneUniform(&inner, 0);
        mapped[constantOp] = registers ? splat(copy, registers) : copy;
        continue;
      }
      Values operands;
      for (Value operand : inner.getOperands())
        operands.push_back(lookup(operand));
      for (auto [i, result] : llvm::enumerate(inner.getResults()))
        mapped[result] = cloneElementwise(&inner, operands, registers, i);
    }
    Values results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(lookup(value));
    return results;
  };
  Location oldLoc = loc;
  llvm::scope_exit restore([&] { loc = oldLoc; });
  if (llvm::all_of(body.without_terminator(), isElementwise))
    return inlineBody(vectors, count);
  // Control flow inside: one register at a time.
  SmallVector<Values> registers;
  for (Value vector : vectors)
    registers.push_back(unpack(vector));
  SmallVector<Values> results(body.getTerminator()->getNumOperands(), Values(count));
  for (unsigned reg = 0; reg < count; ++reg) {
    for (auto [argument, list] : llvm::zip(body.getArguments(), registers))
      set(argument, list[reg]);
    lowerBlock(body);
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      results[i][reg] = getScalar(value);
  }
  Values packed;
  for (const Values &list : results)
    packed.push_back(pack(list));
  return packed;
}

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

void Lowering::lowerReduce(tile::ReduceOp op) {
  unsigned axis = op.getAxis();
  std::string name = dimName(axis);
  auto type = cast<RankedTensorType>(op.getOperand(0).getType());
  LinearLayout current = layoutOf(op.getOperand(0));
  bool ordered = !isCommutative(op.getCombine());
  if (!separates(current, name) || !isDistinctAlong(current, name) ||
      (ordered && !ascends(current, name)))
    current = layouts.getOrdered(type, axis);
  current = canonicalize(current, laneBits(), warpBits());
  Values vectors;
  for (Value operand : op.getOperands())
    vectors.push_back(get(operand, current));

  // In each thread: fold registers that differ in one bit along the axis, low bits first.
  auto foldRegisters = [&](LinearLayout layout) {
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
        left.push_back(pick(vector, low));
        right.push_back(pick(vector, high));
      }
      vectors = combine(op, left, right);
      for (const Dim &in : layout.getIns()) {
        bool isRegister = in.name == kRegister;
        ins.emplace_back(in.name, in.bits - isRegister);
        for (auto [i, basis] : llvm::enumerate(layout.getBases(in.name)))
          if (!isRegister || i != bit)
            bases.push_back(basis);
      }
      layout = LinearLayout(ins, DimList(layout.getOuts()), bases);
    }
    return layout;
  };
  current = foldRegisters(current);

  // Between lanes.
  auto foldLanes = [&](const LinearLayout &layout) {
    for (unsigned bit = 0; bit < laneBits(); ++bit) {
      if (!layout.getBasis(kLane, bit, name))
        continue;
      Values other = exchange(vectors, ShuffleMode::Xor, constant(1 << bit));
      if (!ordered) {
        vectors = combine(op, vectors, other);
        continue;
      }
      // The lane with the bit set holds the later elements.
      Value own = arith::AndIOp::create(b, loc, threadId, constant(1 << bit));
      Value isLater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, constant(0));
      Values left, right;
      for (auto [mine, theirs] : llvm::zip(vectors, other)) {
        left.push_back(arith::SelectOp::create(b, loc, isLater, theirs, mine));
        right.push_back(arith::SelectOp::create(b, loc, isLater, mine, theirs));
      }
      vectors = combine(op, left, right);
    }
  };
  foldLanes(current);

  // What is left along the axis are warps: a small tensor. Few parts go to each thread; many go to
  // the lanes of each warp that hold nothing of their own, and meet by shuffles.
  SmallVector<uint64_t> warpBases;
  for (unsigned bit = 0; bit < warpBits(); ++bit)
    if (uint64_t basis = current.getBasis(kWarp, bit, name))
      warpBases.push_back(basis);
  LinearLayout reduced = canonicalize(sliceDim(current, axis), laneBits(), warpBits());
  if (!warpBases.empty()) {
    DimList outs;
    for (const Dim &out : current.getOuts())
      outs.emplace_back(out.name, out.name == name ? warpBases.size() : out.bits);
    BitVectors bases;
    unsigned nextBit = 0;
    for (const Dim &in : current.getIns())
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        SmallVector<uint64_t, 4> coordinates;
        for (const Dim &out : current.getOuts())
          coordinates.push_back(out.name == name ? 0 : current.getBasis(in.name, bit, out.name));
        if (in.name == kWarp && current.getBasis(kWarp, bit, name))
          coordinates[axis] = uint64_t(1) << nextBit++;
        bases.push_back(LinearLayout::pack(outs, coordinates));
      }
    LinearLayout partial(DimList(current.getIns()), outs, bases);
    LinearLayout single = normalize(expandDim(reduced, axis), laneBits(), warpBits());
    std::optional<LinearLayout> byLanes;
    if (warpBases.size() >= kManyWarpBits)
      byLanes = spreadOverFreeLanes(single, axis, warpBases.size());
    LinearLayout wanted =
        byLanes ? *byLanes
                : normalize(LinearLayout::identity1D(warpBases.size(), kRegister, name) *
                                expandDim(reduced, axis),
                            laneBits(), warpBits());
    for (Value &vector : vectors)
      vector = convert(vector, partial, wanted);
    current = foldRegisters(wanted);
    foldLanes(current);
  }
  for (auto [value, vector] : llvm::zip(op.getOutputs(), vectors)) {
    if (!isa<RankedTensorType>(value.getType())) {
      set(value, unpack(vector)[0]);
      continue;
    }
    LinearLayout result = normalize(sliceDim(current, axis), laneBits(), warpBits());
    set(value, convert(vector, result, *layouts.getHome(value)));
  }
}
