// See Rematerialize.h.
#include "ir/schedule/Rematerialize.h"
#include "ir/schedule/RegisterDemand.h"
#include "ir/schedule/Retain.h"
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
  int64_t row = 0;    ///< Registers of tensors of the block that are kept across the reduction.
  int64_t others = 0; ///< Of other tensors that are kept across it: of loops, and from outside.
  int64_t loaded = 0; ///< Of tensors that are loaded, or carried by loops, behind it.
  int64_t saved = 0;

  int64_t getLeast() const { return row + others - saved; }
};

class Rematerializer {
public:
  Rematerializer(func::FuncOp kernel, const LayoutAssignment &layouts)
      : kernel(kernel), layouts(layouts) {}
  /// The reductions in order, each before those behind it in its block.
  SmallVector<tile::ReduceOp> findReductions() const;
  Plan plan(tile::ReduceOp reduction, bool saves) const;
  void apply(tile::ReduceOp reduction, const Plan &plan) const;

private:
  /// Whether `value` is used behind `reduction`, which is in the block of the value.
  static bool isUsedBehind(Value value, tile::ReduceOp reduction);
  void countKept(tile::ReduceOp reduction, Plan &plan) const;
  void choose(tile::ReduceOp reduction, Plan &plan) const;
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

/// Instructions for one element that are made again behind a reduction, at most.
static constexpr unsigned kMostCost = 24;

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
  return recipe.cost <= kMostCost;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

void Rematerializer::countKept(tile::ReduceOp reduction, Plan &plan) const {
  Block *block = reduction->getBlock();
  // Sums of a loop over blocks are not the row: what the loop loads needs the registers.
  auto add = [&](Value value, bool isRow) {
    if (layouts.getHome(value) && isUsedBehind(value, reduction))
      (isRow ? plan.row : plan.others) += countRegisters(value, layouts);
  };
  for (Value argument : block->getArguments())
    add(argument, true);
  for (Operation &op : llvm::make_range(block->begin(), Block::iterator(reduction)))
    for (Value value : op.getResults())
      add(value, !isa<LoopLikeOpInterface>(op));
  llvm::SmallDenseSet<Value> outside;
  for (Operation &op : llvm::make_range(std::next(Block::iterator(reduction)), block->end()))
    op.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (isa<RankedTensorType>(value.getType()) && layouts.getHome(value) &&
            value.getParentBlock() != block &&
            !block->findAncestorOpInBlock(*value.getParentBlock()->getParentOp()) &&
            outside.insert(value).second)
          plan.others += countRegisters(value, layouts);
      if (isa<tile::LoadOp, RecallOp, LoopLikeOpInterface>(inner))
        for (Value value : inner->getResults())
          if (layouts.getHome(value))
            plan.loaded += countRegisters(value, layouts);
    });
}

void Rematerializer::choose(tile::ReduceOp reduction, Plan &plan) const {
  constexpr int64_t kLeastSaved = 8;
  Block *block = reduction->getBlock();
  for (Operation &op : llvm::make_range(block->begin(), Block::iterator(reduction)))
    for (Value value : op.getResults()) {
      if (!getCost(&op) || !layouts.getHome(value) || !isUsedBehind(value, reduction))
        continue;
      Recipe more = plan.recipe;
      if (addTo(more, value, layouts.getHome(value), block)) {
        plan.recipe = std::move(more);
        plan.values.insert(value);
      }
    }
  for (Value value : plan.values)
    plan.saved += countRegisters(value, layouts);
  for (Value value : plan.recipe.begins)
    if (!isUsedBehind(value, reduction))
      plan.saved -= countRegisters(value, layouts);
  if (plan.saved < kLeastSaved) {
    plan.values.clear();
    plan.saved = 0;
  }
}

Plan Rematerializer::plan(tile::ReduceOp reduction, bool saves) const {
  Plan plan;
  countKept(reduction, plan);
  if (saves)
    choose(reduction, plan);
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

/// Products have layouts and schedules of their own, which know what they keep.
static bool hasProducts(func::FuncOp kernel) {
  return kernel.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether the kernel has nothing that takes registers which are not counted here.
static bool isPlain(func::FuncOp kernel) {
  return !kernel
              .walk([](Operation *op) {
                const bool isCounted =
                    isa<tile::LoadOp, tile::StoreOp, tile::ReduceOp, tile::MakeRangeOp,
                        tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::AddPtrOp,
                        tile::AssumeOp, KeepOp, RetainedOp, RetainOp, RecallOp>(op) ||
                    !isa<tile::TileDialect, SchedDialect>(op->getDialect()) ||
                    getCost(op).has_value() ||
                    (op->getNumResults() && !isa<RankedTensorType>(op->getResult(0).getType()));
                return isCounted || op->hasTrait<OpTrait::IsTerminator>() ? WalkResult::advance()
                                                                          : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether loops read what stays in the caches for later ones (Evictions.h).
static bool keepsInCaches(func::FuncOp kernel) {
  return kernel
      .walk([](tile::LoadOp load) {
        return load.getEvict() == tile::EvictionPolicy::Last && isa<scf::ForOp>(load->getParentOp())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The most registers of a thread with which `programs` run at a time.
static void setRegisters(func::FuncOp kernel, const LayoutAssignment &layouts, int64_t programs) {
  const int64_t threads = int64_t(layouts.numWarps()) * layouts.target().warpSize;
  const target::TargetInfo &target = layouts.target();
  int64_t most = std::max<int64_t>(target.unitRegisters / (threads * programs) / 8 * 8, 8);
  if (target.registers)
    most = std::min<int64_t>(most, target.registers);
  kernel->setAttr(SchedDialect::kRegisters, Builder(kernel).getI64IntegerAttr(most));
}

void schedule::rematerialize(func::FuncOp kernel, const LayoutAssignment &layouts, Choice choice) {
  constexpr int64_t kWide = 16;
  constexpr unsigned kFewPrograms = 2;
  const target::TargetInfo &target = layouts.target();
  if (!target.unitRegisters || !target.unitThreads)
    return;
  if (hasProducts(kernel))
    return setRegisters(kernel, layouts, 1);
  Rematerializer work(kernel, layouts);
  SmallVector<tile::ReduceOp> reductions = work.findReductions();
  int64_t row = 0, before = 0, after = 0, loaded = 0;
  for (tile::ReduceOp reduction : reductions) {
    Plan plan = work.plan(reduction, choice != Choice::Off);
    row = std::max(row, plan.row);
    before = std::max(before, plan.row + plan.others);
    after = std::max(after, plan.getLeast());
    loaded = std::max(loaded, plan.loaded);
  }
  // Loads behind a reduction may be late; with a limit they must be.
  const std::optional<unsigned> retained = countByRetained(kernel, target);
  const unsigned threads = layouts.numWarps() * target.warpSize,
                 byMemory = retained.value_or(target.unitThreads),
                 fewer = std::min(target.countPrograms(threads, getRegisterNeed(before)), byMemory),
                 more = std::min(target.countPrograms(threads, getRegisterNeed(after + loaded)),
                                 byMemory);
  // One program alone keeps its row in the caches, which another one would share.
  const bool pays = more > fewer && fewer <= kFewPrograms && isPlain(kernel) &&
                    !(fewer == 1 && keepsInCaches(kernel));
  if (choice == Choice::Off || after == before || (choice == Choice::Auto && !pays)) {
    // Retained tiles leave room for so many programs, which should all have registers.
    if (row < kWide)
      setRegisters(kernel, layouts, retained ? std::clamp(fewer, 1u, kFewPrograms) : 1);
    return;
  }
  emitRemark(reductions.front(), RemarkName::ValuesRematerialized,
             "values are computed again behind reductions: across them a thread keeps " +
                 Twine(after) + " registers of tensors instead of " + Twine(before) + ", so that " +
                 Twine(more) + (more == 1 ? " program has" : " programs have") +
                 " room on a unit at a time, instead of " + Twine(fewer),
             /*isMissed=*/false);
  for (tile::ReduceOp reduction : reductions)
    if (Plan plan = work.plan(reduction, /*saves=*/true); !plan.values.empty())
      work.apply(reduction, plan);
  setRegisters(kernel, layouts, std::max(more, 1u));
}
