// See Rematerialize.h.
#include "ir/schedule/Rematerialize.h"
#include "ir/schedule/RegisterDemand.h"
#include "ir/schedule/ScheduleOps.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

//===----------------------------------------------------------------------===//
// What can be computed again
//===----------------------------------------------------------------------===//

/// Instructions for one element, about; nullopt for an op that is not computed twice.
static std::optional<unsigned> getCost(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() || !isMemoryEffectFree(op))
    return std::nullopt;
  if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
          arith::DivFOp>(op))
    return 4;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, tile::FpCastOp, tile::BitcastOp>(op))
    return 1;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(op))
    return std::nullopt;
  if (isa<arith::ArithDialect>(op->getDialect()) && op->hasTrait<OpTrait::Elementwise>())
    return 1;
  return std::nullopt;
}

namespace {

/// How to compute values again: ops in the order of their block, and the tensors that they begin
/// with.
struct Recipe {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> begins;
  unsigned cost = 0;
};

/// The values of one block that are computed again behind one of its reductions.
struct Plan {
  llvm::SetVector<Value> values;
  Recipe recipe;
  /// Registers of tensors that are kept across the reduction, or loaded behind it.
  int64_t before = 0, after = 0;
};

class Rematerializer {
public:
  Rematerializer(func::FuncOp kernel, const LayoutAssignment &layouts)
      : kernel(kernel), layouts(layouts) {}
  /// The reductions in order, each before those behind it in its block.
  SmallVector<tile::ReduceOp> findReductions() const;
  Plan plan(tile::ReduceOp reduction) const;
  void apply(tile::ReduceOp reduction, const Plan &plan) const;

private:
  /// Whether `value` is used behind `reduction`, which is in the block of the value.
  static bool isUsedBehind(Value value, tile::ReduceOp reduction);
  bool addTo(Recipe &recipe, Value value, const LinearLayout *layout, Block *block) const;
  /// Whether threads can be made to forget how they computed it, word by word.
  bool canBegin(Value value) const;

  func::FuncOp kernel;
  const LayoutAssignment &layouts;
};

} // namespace

SmallVector<tile::ReduceOp> Rematerializer::findReductions() const {
  SmallVector<tile::ReduceOp> reductions;
  func::FuncOp(kernel).walk<WalkOrder::PreOrder>([&](tile::ReduceOp op) {
    reductions.push_back(op);
    return WalkResult::skip();
  });
  return reductions;
}

bool Rematerializer::isUsedBehind(Value value, tile::ReduceOp reduction) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *inBlock = reduction->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && reduction->isBeforeInBlock(inBlock);
  });
}

bool Rematerializer::canBegin(Value value) const {
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 ||
      element.getIntOrFloatBitWidth() > 32)
    return false;
  const unsigned registers = 1u << layouts.getHome(value)->inBits(layout::kRegister);
  return registers * element.getIntOrFloatBitWidth() % 32 == 0;
}

/// Adds what computes `value`, a tensor of `layout`. Tensors that each user computes for itself,
/// and scalars, cost nothing.
bool Rematerializer::addTo(Recipe &recipe, Value value, const LinearLayout *layout,
                           Block *block) const {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  const LinearLayout *home = layouts.getHome(value);
  if (!home)
    return true;
  if (home != layout)
    return false; // It would be converted once more.
  Operation *op = value.getDefiningOp();
  std::optional<unsigned> cost = op && op->getBlock() == block ? getCost(op) : std::nullopt;
  if (!cost) {
    recipe.begins.insert(value);
    return canBegin(value);
  }
  if (recipe.ops.contains(op))
    return true;
  for (Value operand : op->getOperands())
    if (!addTo(recipe, operand, layout, block))
      return false;
  recipe.ops.insert(op);
  recipe.cost += *cost;
  return true;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

Plan Rematerializer::plan(tile::ReduceOp reduction) const {
  constexpr unsigned kMostCost = 24;
  constexpr int64_t kLeastSaved = 8;
  Block *block = reduction->getBlock();
  Plan plan;
  // Sums of a loop over blocks are not the row: what the loop loads needs the registers.
  auto addKept = [&](Value value) {
    const bool isOfLoop = value.getDefiningOp<LoopLikeOpInterface>() != nullptr;
    if (layouts.getHome(value) && !isOfLoop && isUsedBehind(value, reduction))
      plan.before += countRegisters(value, layouts);
  };
  for (Value argument : block->getArguments())
    addKept(argument);
  for (Operation &op : llvm::make_range(block->begin(), Block::iterator(reduction))) {
    for (Value value : op.getResults()) {
      addKept(value);
      if (!getCost(&op) || !layouts.getHome(value) || !isUsedBehind(value, reduction))
        continue;
      Recipe more = plan.recipe;
      if (addTo(more, value, layouts.getHome(value), block) && more.cost <= kMostCost) {
        plan.recipe = std::move(more);
        plan.values.insert(value);
      }
    }
  }
  for (Operation &op : llvm::make_range(std::next(Block::iterator(reduction)), block->end()))
    if (auto load = dyn_cast<tile::LoadOp>(op); load && layouts.getHome(load.getResult()))
      plan.before += countRegisters(load.getResult(), layouts);
  plan.after = plan.before;
  for (Value value : plan.values)
    plan.after -= countRegisters(value, layouts);
  for (Value value : plan.recipe.begins)
    if (!isUsedBehind(value, reduction))
      plan.after += countRegisters(value, layouts);
  if (plan.before - plan.after < kLeastSaved) {
    plan.values.clear();
    plan.after = plan.before;
  }
  return plan;
}

void Rematerializer::apply(tile::ReduceOp reduction, const Plan &plan) const {
  Block *block = reduction->getBlock();
  Operation *next = reduction->getNextNode();
  OpBuilder b(next);
  IRMapping map;
  for (Value value : plan.recipe.begins) {
    auto fresh = KeepOp::create(b, value.getLoc(), value.getType(), value, b.getUnitAttr());
    fresh->setAttr(DistributeDialect::kHomesAttr, b.getArrayAttr(layouts.getHomeAttr(value)));
    map.map(value, fresh.getResult());
  }
  SmallVector<Operation *> ops(plan.recipe.ops.begin(), plan.recipe.ops.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ops)
    b.clone(*op, map);
  for (Value value : plan.values)
    value.replaceUsesWithIf(map.lookup(value), [&](OpOperand &use) {
      Operation *inBlock = block->findAncestorOpInBlock(*use.getOwner());
      return inBlock && (inBlock == next || next->isBeforeInBlock(inBlock));
    });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int64_t schedule::countPrograms(const target::TargetInfo &target, int64_t threads,
                                int64_t registers) {
  // A warp's registers are given out by eight for each thread.
  int64_t each = threads * int64_t(llvm::alignTo(uint64_t(registers), 8));
  return std::min<int64_t>(target.unitThreads / threads, target.unitRegisters / each);
}

/// Products have layouts and schedules of their own, which know what they keep.
static bool hasProducts(func::FuncOp kernel) {
  return kernel.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The most registers of a thread with which `programs` run at a time.
static void setRegisters(func::FuncOp kernel, const LayoutAssignment &layouts, int64_t programs) {
  const int64_t threads = int64_t(layouts.numWarps()) * layouts.target().warpSize;
  const int64_t most = layouts.target().unitRegisters / (threads * programs) / 8 * 8;
  kernel->setAttr(SchedDialect::kRegisters, Builder(kernel).getI64IntegerAttr(most));
}

void schedule::rematerialize(func::FuncOp kernel, const LayoutAssignment &layouts, Choice choice) {
  constexpr int64_t kWide = 16, kFewPrograms = 2;
  const target::TargetInfo &target = layouts.target();
  if (!target.unitRegisters)
    return;
  if (hasProducts(kernel))
    return setRegisters(kernel, layouts, 1);
  Rematerializer work(kernel, layouts);
  SmallVector<tile::ReduceOp> reductions = work.findReductions();
  int64_t before = 0, after = 0;
  for (tile::ReduceOp reduction : reductions) {
    Plan plan = work.plan(reduction);
    before = std::max(before, plan.before);
    after = std::max(after, plan.after);
  }
  const int64_t threads = int64_t(layouts.numWarps()) * target.warpSize;
  const int64_t fewer = countPrograms(target, threads, getRegisterNeed(before)),
                more = countPrograms(target, threads, getRegisterNeed(after));
  const bool pays = more > fewer && fewer <= kFewPrograms;
  if (choice == Choice::Off || after == before || (choice == Choice::Auto && !pays)) {
    if (before < kWide)
      setRegisters(kernel, layouts, 1);
    return;
  }
  emitRemark(reductions.front(), RemarkName::ValuesRematerialized,
             "values are computed again behind reductions: across them a thread keeps " +
                 Twine(after) + " registers of tensors instead of " + Twine(before) + ", so that " +
                 Twine(more) + (more == 1 ? " program runs" : " programs run") +
                 " at a time on a unit without spills, instead of " + Twine(fewer),
             /*isMissed=*/false);
  for (tile::ReduceOp reduction : reductions)
    if (Plan plan = work.plan(reduction); !plan.values.empty())
      work.apply(reduction, plan);
  setRegisters(kernel, layouts, std::max<int64_t>(more, 1));
}
