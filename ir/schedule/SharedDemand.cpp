// See SharedDemand.h.
#include "ir/schedule/SharedDemand.h"
#include "ir/layout/Conversion.h"
#include "ir/layout/TensorLayout.h"
#include "ir/schedule/AsyncStores.h"
#include "ir/schedule/LateProducts.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/Retain.h"
#include "ir/schedule/RingTile.h"
#include "ir/schedule/RoleRules.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;
using namespace tilerun::layout;

static int64_t bytesOf(Type type) {
  int64_t bytes = tile::getElementBytes(getElementTypeOrSelf(type));
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() * bytes : bytes;
}

/// Whether `op` has blocks that run when it does; the regions of reductions and the like have
/// scalars only.
static bool isControl(Operation *op) { return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op); }

bool SharedDemand::isInRing(Value operand) const {
  tile::LoadOp load = loadOf(operand);
  return load && getRing(load) && !(waiting && waiting->contains(load->getParentOp()));
}

SharedDemand::SharedDemand(func::FuncOp kernel, const LayoutAssignment &layouts,
                           const LoopSet *waiting)
    : layouts(layouts), budget(layouts.target().budget()), waiting(waiting) {
  kernel.walk([&](tile::DotOp dot) {
    addStored(dot, 0);
    addStored(dot, 1);
  });
  for (auto &[block, operands] : stored)
    extendLives(operands);
  retained = getRetainedBytes(kernel) + getStoreBufferBytes(kernel, layouts.target());
  for (scf::ForOp loop : findRoleLoops(kernel))
    producer = std::max(producer, alignedBytes(ofProducer(loop), layouts.target()));
}

int64_t SharedDemand::ofProducer(scf::ForOp loop) const {
  LoopSlice slice;
  int64_t most = 0;
  auto add = [&](Operation *op) {
    most = std::max(most, isControl(op) ? peak(op, /*withConversions=*/true)
                                        : need(op, /*withConversions=*/true));
  };
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    if (getRing(load)) {
      slice.add(loop, load, /*takesLoads=*/true);
      add(load); // Its address and mask become those of a copy.
    }
  for (Operation *op : slice.ops)
    add(op);
  for (unsigned index : slice.carried)
    if (Type type = loop.getRegionIterArg(index).getType(); isa<RankedTensorType>(type))
      most = std::max(most, std::min(bytesOf(type), target::MemoryBudget::kLeastConversion));
  OpsBefore before;
  findBefore(loop, slice, before);
  for (Operation *op : before)
    add(op);
  return most;
}

void SharedDemand::extendLives(StoredOperands &operands) {
  // Of one product the first operand is stored first.
  SmallVector<std::pair<size_t, Stored *>> byFirst;
  for (auto &[value, buffer] : operands)
    byFirst.push_back({byFirst.size(), &buffer});
  llvm::sort(byFirst, [](auto &x, auto &y) {
    Operation *left = x.second->first, *right = y.second->first;
    return left == right ? x.first < y.first : left->isBeforeInBlock(right);
  });
  for (size_t i = 0; i < byFirst.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      Stored &outer = *byFirst[j].second, &inner = *byFirst[i].second;
      if (!outer.last->isBeforeInBlock(inner.first) && outer.last->isBeforeInBlock(inner.last))
        outer.last = inner.last;
    }
}

//===----------------------------------------------------------------------===//
// Operands that products store
//===----------------------------------------------------------------------===//

int64_t SharedDemand::operandBytes(tile::DotOp dot, unsigned operand) const {
  const DotPlan &plan = layouts.getDot(dot);
  Value value = dot->getOperand(operand);
  auto type = cast<RankedTensorType>(value.getType());
  const target::TargetInfo &target = layouts.target();
  const bool isTransposed = plan.transposesTiles() && operand != plan.registerOperand();
  if (isInRing(value))
    return isTransposed && !isOnlyReader(value) ? alignedBytes(bytesOf(type), target) : 0;
  if (plan.warpGroup) {
    bool inRegisters =
        operand == plan.registerOperand() && isInFragments(value, plan.registers(), layouts);
    return inRegisters ? 0 : alignedBytes(bytesOf(type), target) * (isTransposed ? 2 : 1);
  }
  if (!isOpaque(dot, layouts))
    return 0;
  target::MatrixElement row = operand == 0 ? plan.instruction->a : plan.instruction->b;
  int64_t element = tile::getElementBytes(opaqueElement(row, dot.getContext()));
  int64_t lines = std::max(type.getDimSize(0), type.getDimSize(1));
  return alignedBytes(type.getNumElements() * element + lines * kPaddingBytes, target);
}

void SharedDemand::addStored(tile::DotOp dot, unsigned number) {
  Value operand = dot->getOperand(number);
  int64_t bytes = operandBytes(dot, number);
  if (!bytes)
    return;
  // A loop invariant is stored once, before the loop.
  Block *block = dot->getBlock();
  Operation *first = dot;
  if (layouts.getHome(operand)) {
    bool crossesLoop = false;
    Operation *around = dot;
    while (around->getBlock() != operand.getParentBlock()) {
      around = around->getParentOp();
      crossesLoop |= isa<LoopLikeOpInterface>(around);
    }
    if (crossesLoop) {
      block = operand.getParentBlock();
      first = operand.getDefiningOp() ? operand.getDefiningOp() : &block->front();
    }
  }
  Operation *last = block->findAncestorOpInBlock(*dot);
  // The first product runs until the late ones have ended.
  if (auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
      loop && dot->getBlock() == block && dot == findFirstProduct(loop) && hasLateProducts(loop))
    last = block->getTerminator();
  // Warp groups read the first operand and the second one in different forms; opaque matrices have
  // one form for both.
  unsigned form = layouts.getDot(dot).warpGroup ? number : 0;
  auto [it, isNew] = stored[block].insert({{operand, form}, {first, last, bytes}});
  if (!isNew && it->second.last->isBeforeInBlock(last))
    it->second.last = last;
}

int64_t SharedDemand::storedBy(scf::ForOp loop) const {
  int64_t sum = 0;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    if (layouts.getDot(dot).warpGroup)
      sum += operandBytes(dot, 0) + operandBytes(dot, 1);
  return sum;
}

int64_t SharedDemand::liveAt(Operation *op) const {
  auto it = stored.find(op->getBlock());
  if (it == stored.end())
    return 0;
  int64_t sum = 0;
  for (auto &[value, buffer] : it->second)
    if (!op->isBeforeInBlock(buffer.first) && !buffer.last->isBeforeInBlock(op))
      sum += buffer.bytes;
  return sum;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool SharedDemand::isStoredByWarps(tile::DotOp dot, unsigned operand) const {
  const DotPlan &plan = layouts.getDot(dot);
  if (isInRing(dot->getOperand(operand)))
    return false;
  if (!plan.instruction)
    return true;
  DotSource source = getSource(dot, plan, operand == 0);
  Value value = source.value;
  // Of a matrix instruction's operands those are stored that move between warps and are small.
  return bytesOf(value.getType()) <= budget.forStoredOperand() &&
         cast<RankedTensorType>(value.getType()).getRank() == 2 && layouts.getHome(value) &&
         value.getParentBlock() == dot->getBlock() && !isInFragments(value, source.layout, layouts);
}

int64_t SharedDemand::ofDot(tile::DotOp dot) const {
  const DotPlan &plan = layouts.getDot(dot);
  if (plan.warpGroup)
    return 0;
  if (isOpaque(dot, layouts)) {
    // One slot a warp, for as many matrices as there is room for, and at least for one.
    const target::MatrixInstruction &row = *plan.instruction;
    int64_t matrix = int64_t(row.m) * row.n *
                     tile::getElementBytes(opaqueElement(row.acc, dot.getContext())) *
                     layouts.numWarps();
    int64_t all = matrix << (plan.rowBits + plan.columnBits);
    return std::min(all, std::max(matrix, budget.forMatrixSlots()));
  }
  int64_t sum = 0;
  for (unsigned operand = 0; operand < 2; ++operand)
    if (isStoredByWarps(dot, operand))
      sum += bytesOf(plan.instruction ? getSource(dot, plan, operand == 0).value.getType()
                                      : dot->getOperand(operand).getType());
  return sum;
}

/// Of all its tensors, the largest.
static int64_t largestTensor(Operation *op) {
  int64_t largest = 0;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isa<RankedTensorType>(type))
      largest = std::max(largest, bytesOf(type));
  return largest;
}

int64_t SharedDemand::leastConversion(Operation *op) const {
  return std::min(largestTensor(op), target::MemoryBudget::kLeastConversion);
}

int64_t SharedDemand::conversionBeside(Operation *op) const {
  if (isa<tile::GatherOp, tile::HistogramOp>(op))
    return leastConversion(op);
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot || layouts.getDot(dot).warpGroup || isOpaque(dot, layouts) || !isStoredByWarps(dot, 0))
    return 0;
  // The second operand is brought to its place once the first one is stored. One without a layout
  // of its own is computed then; else it is stored as it is.
  Value second = dot.getB();
  bool isComputed = !layouts.getHome(second);
  if (isInRing(second) || (!isComputed && isStoredByWarps(dot, 1)))
    return 0;
  return isComputed ? target::MemoryBudget::kLeastConversion
                    : std::min(bytesOf(second.getType()), target::MemoryBudget::kLeastConversion);
}

int64_t SharedDemand::need(Operation *op, bool withConversions) const {
  int64_t own = ofOp(op);
  if (!withConversions)
    return own;
  if (int64_t beside = conversionBeside(op))
    own = alignedBytes(own, layouts.target()) + beside;
  return std::max(own, leastConversion(op));
}

int64_t SharedDemand::ofOp(Operation *op) const {
  const target::TargetInfo &target = layouts.target();
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<tile::DotOp>([&](tile::DotOp dot) { return ofDot(dot); })
      .Case<tile::GatherOp>([&](auto gather) { return bytesOf(gather.getSource().getType()); })
      .Case<tile::HistogramOp>([&](auto histogram) {
        return 4 * cast<RankedTensorType>(histogram.getType()).getNumElements();
      })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](auto atomic) {
        return atomic.getResult().use_empty() ? 0 : bytesOf(atomic.getType());
      })
      .Case<tile::ReduceOp, tile::ScanOp>([&](Operation *) -> int64_t {
        // What the warps hand each other: one result of each at a time.
        int64_t results = 0;
        for (Type type : op->getResultTypes())
          results = std::max(results, bytesOf(type) * int64_t(layouts.numWarps()));
        if (target.hasShuffle)
          return std::min(results, largestTensor(op) * int64_t(op->getNumOperands()));
        // A round of an exchange holds at least one word of each thread, also of a tensor that has
        // fewer elements.
        int64_t words = 8 * int64_t(layouts.numWarps()) * target.warpSize;
        return std::max(words, std::min(8 * largestTensor(op) * int64_t(op->getNumOperands()),
                                        budget.forExchange()));
      })
      .Default(int64_t(0));
}

int64_t SharedDemand::peak(Operation *op, bool withConversions) const {
  int64_t most = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block) {
        int64_t own =
            isControl(&inner) ? peak(&inner, withConversions) : need(&inner, withConversions);
        most = std::max(most, own + liveAt(&inner));
      }
  return most;
}

int64_t SharedDemand::liveThrough(Operation *op) const {
  int64_t through = 0;
  for (; op->getBlock() && !isa<func::FuncOp>(op); op = op->getParentOp())
    through += liveAt(op);
  return through;
}

int64_t SharedDemand::within(Operation *op) const {
  return producer + retained + liveThrough(op) + peak(op, /*withConversions=*/true);
}

int64_t SharedDemand::fixedWithin(Operation *op) const {
  return producer + retained + liveThrough(op) + peak(op, /*withConversions=*/false);
}

int64_t SharedDemand::largestConversion(Operation *op) const {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot)
    return largestTensor(op);
  // Operands are stored, or conversions of their own; a sum in its place needs none.
  const LinearLayout &d = layouts.getDot(dot).d;
  int64_t largest = 0;
  for (Value value : {dot.getA(), dot.getB()})
    if (!isInRing(value))
      largest = std::max(largest, bytesOf(value.getType()));
  for (Value value : {dot.getAcc(), dot.getResult()}) {
    const LinearLayout *home = layouts.getHome(value);
    if (!home || *home != d)
      largest = std::max(largest, bytesOf(value.getType()));
  }
  return largest;
}

int64_t SharedDemand::roomIn(Operation *op, int64_t room) const {
  int64_t least = room;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block) {
        int64_t left = room - liveAt(&inner);
        if (isa<scf::IfOp, scf::WhileOp>(inner))
          left = roomIn(&inner, left);
        else if (isControl(&inner) || ofOp(&inner) + largestConversion(&inner) <= left)
          continue;
        else
          left -= ofOp(&inner);
        least = std::min(least, left);
      }
  return least;
}

int64_t SharedDemand::roomForConversions(Operation *op, int64_t room) const {
  return roomIn(op, room - producer - retained - liveThrough(op));
}
