// See Blocks.h: making ops compute their parts. What is computed once changes in place; of cheap
// values each part is an op of its own behind that of the whole.
#include "ir/schedule/Blocks.h"

#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {
class KernelDivider {
public:
  KernelDivider(func::FuncOp kernel, const BlockPlan &plan)
      : kernel(kernel), plan(plan), blocks(plan.parts.countBlocks()) {}
  void run();

private:
  Value getRank();
  Value isFirst();
  Type divide(Type type, BlockPart part) const;
  /// A part of a value that is not divided yet, or has been.
  Value get(Value value, BlockPart part);
  Value makePart(Operation *op, BlockPart part);
  Value makeRange(tile::MakeRangeOp range);
  /// Makes `op` compute `part`, given the parts of its operands.
  void divideOp(Operation *op, BlockPart part, ArrayRef<BlockPart> operandParts);
  void divideHint(tile::HintOp hint, BlockPart part);
  SmallVector<BlockPart, 4> getParts(Operation *op, BlockPart part);
  void divideControl(Operation *op);
  void leaveToFirst(Operation *op);

  func::FuncOp kernel;
  const BlockPlan &plan;
  unsigned blocks;
  Value rank, first;
  llvm::DenseMap<std::pair<Value, BlockPart>, Value> made;
};
} // namespace

Value KernelDivider::getRank() {
  if (!rank) {
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    rank = tile::BlockRankOp::create(b, kernel.getLoc(), b.getI32Type());
  }
  return rank;
}

Value KernelDivider::isFirst() {
  if (!first) {
    OpBuilder b(kernel.getContext());
    b.setInsertionPointAfterValue(getRank());
    Value zero = arith::ConstantOp::create(b, kernel.getLoc(), b.getI32IntegerAttr(0));
    first = arith::CmpIOp::create(b, kernel.getLoc(), arith::CmpIPredicate::eq, rank, zero);
  }
  return first;
}

Type KernelDivider::divide(Type type, BlockPart part) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || part == kWhole)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[part] /= blocks;
  return tensor.clone(shape);
}

Value KernelDivider::get(Value value, BlockPart part) {
  if (part == kWhole || !plan.parts.isCheap(value))
    return value;
  if (Value known = made.lookup({value, part}))
    return known;
  Value result = makePart(value.getDefiningOp(), part);
  made[{value, part}] = result;
  return result;
}

SmallVector<BlockPart, 4> KernelDivider::getParts(Operation *op, BlockPart part) {
  OperandParts needed = getOperandParts(op, part, blocks);
  assert(needed.why.empty() && "the plan has asked before");
  return needed.parts;
}

Value KernelDivider::makePart(Operation *op, BlockPart part) {
  if (auto range = dyn_cast<tile::MakeRangeOp>(op))
    return makeRange(range);
  SmallVector<BlockPart, 4> parts = getParts(op, part);
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Operation *copy = b.clone(*op);
  divideOp(copy, part, parts);
  return copy->getResult(0);
}

/// The slice of a range: as many numbers as a block has, from its first one on.
Value KernelDivider::makeRange(tile::MakeRangeOp range) {
  auto type = cast<RankedTensorType>(divide(range.getType(), 0));
  Value rankOfBlock = getRank();
  ImplicitLocOpBuilder b(range.getLoc(), range->getContext());
  b.setInsertionPointAfter(range);
  const auto size = int32_t(type.getDimSize(0));
  const auto start = int32_t(range.getStart());
  Value numbers = tile::MakeRangeOp::create(b, type, uint32_t(start), uint32_t(start + size));
  Value each = arith::ConstantOp::create(b, b.getI32IntegerAttr(size));
  Value before = arith::MulIOp::create(b, rankOfBlock, each);
  return arith::AddIOp::create(b, numbers, tile::SplatOp::create(b, type, before));
}

/// A promise about runs holds for those that a slice has; shorter ones begin at other places.
void KernelDivider::divideHint(tile::HintOp hint, BlockPart part) {
  auto type = cast<RankedTensorType>(hint.getType());
  int64_t size = type.getDimSize(part), unit = 1;
  if (auto pointer = dyn_cast<tile::PointerType>(type.getElementType()))
    unit = tile::getElementBytes(pointer.getPointeeType());
  auto lowest = [](int64_t number) { return number & -number; };
  SmallVector<int64_t> divisibility(hint.getDivisibility()), contiguity(hint.getContiguity()),
      constancy(hint.getConstancy());
  if (!contiguity.empty() && contiguity[part] > size) {
    contiguity[part] = lowest(std::gcd(contiguity[part], size));
    if (!divisibility.empty())
      divisibility[part] = std::min(lowest(divisibility[part]), contiguity[part] * unit);
  }
  if (!constancy.empty() && constancy[part] > size)
    constancy[part] = lowest(std::gcd(constancy[part], size));
  hint.setDivisibility(divisibility);
  hint.setContiguity(contiguity);
  hint.setConstancy(constancy);
}

void KernelDivider::divideOp(Operation *op, BlockPart part, ArrayRef<BlockPart> operandParts) {
  for (auto [operand, operandPart] : llvm::zip(op->getOpOperands(), operandParts))
    operand.set(get(operand.get(), operandPart));
  for (Value result : op->getResults())
    result.setType(divide(result.getType(), part));
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && part != kWhole)
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                              .resizeSplat(cast<ShapedType>(constant.getType())));
  if (auto hint = dyn_cast<tile::HintOp>(op); hint && part != kWhole)
    divideHint(hint, part);
}

/// What crosses a loop or a branch has the part of its argument or result.
void KernelDivider::divideControl(Operation *op) {
  auto divideValue = [&](Value value) {
    value.setType(divide(value.getType(), plan.parts.getPart(value)));
  };
  auto handOver = [&](MutableArrayRef<OpOperand> from, ValueRange to) {
    for (auto [operand, value] : llvm::zip(from, to))
      operand.set(get(operand.get(), plan.parts.getPart(value)));
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    handOver(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    handOver(*loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    handOver(loop.getInitsMutable(), loop.getBeforeArguments());
    handOver(loop.getYieldOp().getResultsMutable(), loop.getBeforeArguments());
    handOver(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.elseBlock()) {
      handOver(branch.thenYield().getResultsMutable(), branch.getResults());
      handOver(branch.elseYield().getResultsMutable(), branch.getResults());
    }
  }
  for (Value result : op->getResults())
    divideValue(result);
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      divideValue(argument);
}

/// The effect is that of one block; the others compute the same, and leave it out.
void KernelDivider::leaveToFirst(Operation *op) {
  Value condition = isFirst();
  OpBuilder b(op);
  if (isa<tile::PrintOp>(op)) {
    auto branch = scf::IfOp::create(b, op->getLoc(), condition, /*withElseRegion=*/false);
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    return;
  }
  auto restrictTo = [&](OpOperand *old, MutableOperandRange mask, Type of) {
    Value all = condition;
    if (auto tensor = dyn_cast<RankedTensorType>(of))
      all = tile::SplatOp::create(b, op->getLoc(), tensor.clone(b.getI1Type()), condition);
    if (old)
      all = arith::AndIOp::create(b, op->getLoc(), old->get(), all);
    mask.assign(all);
  };
  auto restrictAccess = [&](auto access, Type of) {
    MutableOperandRange mask = access.getMaskMutable();
    restrictTo(mask.empty() ? nullptr : &mask[0], mask, of);
  };
  if (auto store = dyn_cast<tile::StoreOp>(op))
    restrictAccess(store, store.getPtr().getType());
  else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    restrictAccess(atomic, atomic.getPtr().getType());
  else
    restrictAccess(cast<tile::AssertOp>(op), cast<tile::AssertOp>(op).getCondition().getType());
}

void KernelDivider::run() {
  llvm::DenseMap<Operation *, BlockPart> effects;
  for (const BlockEffect &effect : plan.effects)
    effects[effect.op] = effect.part;
  struct Step {
    Operation *op;
    BlockPart part;
    SmallVector<BlockPart, 4> operands;
  };
  // Which parts an op needs follows from types that are not divided yet.
  SmallVector<Step> steps;
  SmallVector<Operation *> control, undivided;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto effect = effects.find(op);
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
      control.push_back(op);
    else if (effect != effects.end() && effect->second == kWhole)
      undivided.push_back(op);
    else if (effect != effects.end())
      steps.push_back({op, effect->second, getParts(op, effect->second)});
    else if (op->getNumResults() && !plan.parts.isCheap(op->getResult(0)))
      if (BlockPart part = plan.parts.getPart(op->getResult(0)); part != kWhole)
        steps.push_back({op, part, getParts(op, part)});
  });
  for (const Step &step : steps)
    divideOp(step.op, step.part, step.operands);
  for (Operation *op : control)
    divideControl(op);
  for (Operation *op : undivided)
    leaveToFirst(op);
}

void schedule::divideKernel(func::FuncOp kernel, const BlockPlan &plan) {
  KernelDivider(kernel, plan).run();
}
