// See Blocks.h: choosing the parts. What the blocks of a program do for each other is not more than
// to begin together, so this is about effects and about memory alone.
#include "ir/schedule/Blocks.h"

#include "ir/distribute/LayoutAssignment.h"
#include "ir/schedule/LoopHazards.h"
#include "ir/tile/Remarks.h"
#include "ir/tile/TileUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// The type of what an effect is on: a store's addresses, an assertion's condition; null: no
/// tensor.
static RankedTensorType getExtent(Operation *op) {
  return op->getNumOperands() ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                              : RankedTensorType();
}

/// Effects whose elements are independent of each other.
static bool canDivide(Operation *op) {
  return isa<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp, tile::AssertOp>(op) &&
         getExtent(op);
}

/// Why the first block cannot do `op` alone; null: it can.
static const char *findUndivided(Operation *op) {
  if (isa<tile::StoreOp, tile::AssertOp, tile::PrintOp>(op))
    return nullptr;
  return isa<tile::AtomicRMWOp>(op) && op->use_empty()
             ? nullptr
             : "all blocks need what it gives, and only one of them may do it";
}

/// Whether other blocks would have to wait: an atomic orders what the whole program does.
static bool ordersProgram(Operation *op) {
  auto isOrder = [](auto atomic) { return atomic.getSem() != tile::MemSemantic::Relaxed; };
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
    return isOrder(atomic);
  auto atomic = dyn_cast<tile::AtomicCASOp>(op);
  return atomic && isOrder(atomic);
}

namespace {
/// One kernel's search for a plan.
class BlockSearch {
public:
  BlockSearch(func::FuncOp kernel, const CheapValues &cheap, const distribute::Program &program,
              unsigned blocks)
      : kernel(kernel), cheap(cheap), program(program), blocks(blocks) {}
  FailureOr<BlockPlan> run(Refusal &refusal);

private:
  std::optional<Refusal> collect();
  std::optional<Refusal> wantControl(BlockParts &parts);
  std::optional<Refusal> wantEffect(BlockPlan &plan, Operation *op, BlockPart part);
  std::optional<Refusal> wantRest(BlockParts &parts);
  std::optional<Refusal> attempt(BlockPlan &plan, BlockPart part);
  std::optional<Refusal> checkWork(const BlockPlan &plan, unsigned rows);
  std::optional<Refusal> checkMemory(const BlockPlan &plan) const;

  func::FuncOp kernel;
  const CheapValues &cheap;
  const distribute::Program &program;
  unsigned blocks;
  SmallVector<Operation *> effects; ///< The largest one that can be divided is the first.
  SmallVector<tile::LoadOp> loads;
};
} // namespace

std::optional<Refusal> BlockSearch::collect() {
  std::optional<Refusal> refusal;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      loads.push_back(load);
      if (tile::isObserving(load))
        refusal = Refusal{op, "blocks may see different values of this volatile load"};
    } else if (isa<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp, tile::AssertOp,
                   tile::PrintOp>(op)) {
      effects.push_back(op);
      if (ordersProgram(op))
        refusal = Refusal{op, "it orders what other blocks write, too; with sem=\"relaxed\" it "
                              "would not"};
    } else if (op != kernel && !isa<tile::GridDependencyOp, tile::AssumeOp>(op) &&
               !op->hasTrait<OpTrait::IsTerminator>() &&
               !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isMemoryEffectFree(op)) {
      refusal = Refusal{op, "this '" + op->getName().getStringRef().str() +
                                "' may order what the whole program does"};
    }
    return refusal ? WalkResult::interrupt() : WalkResult::advance();
  });
  auto sizeOf = [](Operation *op) {
    return canDivide(op) && !isa<tile::AssertOp>(op) ? getExtent(op).getNumElements() : 0;
  };
  auto *largest =
      llvm::max_element(effects, [&](Operation *x, Operation *y) { return sizeOf(x) < sizeOf(y); });
  if (largest != effects.end())
    std::rotate(effects.begin(), largest, std::next(largest));
  return refusal;
}

/// All blocks run the same statements as often.
std::optional<Refusal> BlockSearch::wantControl(BlockParts &parts) {
  std::optional<Refusal> refusal;
  kernel.walk([&](Operation *op) {
    SmallVector<Value> control;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      control = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      control = {loop.getConditionOp().getCondition()};
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      control = {branch.getCondition()};
    else if (auto promise = dyn_cast<tile::AssumeOp>(op))
      control = {promise.getCondition()};
    for (Value value : control)
      if (!refusal)
        refusal = parts.want(value, kWhole, op);
    return refusal ? WalkResult::interrupt() : WalkResult::advance();
  });
  return refusal;
}

std::optional<Refusal> BlockSearch::wantEffect(BlockPlan &plan, Operation *op, BlockPart part) {
  RankedTensorType extent = getExtent(op);
  if (part != kWhole && extent.getDimSize(part) % blocks)
    return Refusal{op, "dimension " + std::to_string(part) + " of the written tensor has " +
                           std::to_string(extent.getDimSize(part)) +
                           " elements, which are not parts for " + std::to_string(blocks) +
                           " blocks"};
  if (const char *why = part == kWhole ? findUndivided(op) : nullptr)
    return Refusal{op, why};
  OperandParts needed = getOperandParts(op, part, blocks);
  assert(needed.why.empty());
  for (auto [operand, operandPart] : llvm::zip(op->getOperands(), needed.parts))
    if (std::optional<Refusal> refusal = plan.parts.want(operand, operandPart, op))
      return refusal;
  // Old values, of which the same part is known.
  for (Value result : op->getResults())
    if (std::optional<Refusal> refusal = plan.parts.want(result, part, op))
      return refusal;
  plan.effects.push_back({op, part});
  return std::nullopt;
}

/// Values that no effect needs, such as what a loop carries for nothing.
std::optional<Refusal> BlockSearch::wantRest(BlockParts &parts) {
  std::optional<Refusal> refusal;
  auto wantAll = [&](ValueRange values, Operation *user) {
    for (Value value : values)
      if (!refusal && !parts.isWanted(value) && !cheap.contains(value))
        refusal = parts.want(value, kWhole, user);
  };
  kernel.walk([&](Operation *op) {
    wantAll(op->getResults(), op);
    if (isa<scf::ForOp, scf::WhileOp>(op))
      for (Region &region : op->getRegions())
        wantAll(region.getArguments(), op);
    return refusal ? WalkResult::interrupt() : WalkResult::advance();
  });
  return refusal;
}

/// `plan` has what control flow needs; `part` is of the largest effect.
std::optional<Refusal> BlockSearch::attempt(BlockPlan &plan, BlockPart part) {
  if (std::optional<Refusal> refusal = wantEffect(plan, effects.front(), part))
    return refusal;
  for (Operation *op : llvm::drop_begin(effects)) {
    SmallVector<BlockPart> choices;
    if (canDivide(op))
      llvm::append_range(choices, llvm::seq<BlockPart>(0, getExtent(op).getRank()));
    choices.push_back(kWhole);
    std::optional<Refusal> refusal;
    for (BlockPart choice : choices) {
      BlockPlan next = plan;
      std::optional<Refusal> fault = wantEffect(next, op, choice);
      if (!fault) {
        plan = std::move(next);
        refusal.reset();
        break;
      }
      if (!refusal)
        refusal = fault;
    }
    if (refusal)
      return refusal;
  }
  return wantRest(plan.parts);
}

//===----------------------------------------------------------------------===//
// Checks of a plan
//===----------------------------------------------------------------------===//

/// Whether blocks have less to do than the program, and not too little: of a product `rows` at
/// least, unless it has fewer as it is.
std::optional<Refusal> BlockSearch::checkWork(const BlockPlan &plan, unsigned rows) {
  constexpr int64_t kColumns = 32;
  int64_t threads = int64_t(program.numWarps) * program.target->warpSize,
          elements = getExtent(effects.front()).getNumElements() / blocks;
  if (elements < threads)
    return Refusal{effects.front(), "a block would have " + std::to_string(elements) +
                                        " elements of the written tensor for its " +
                                        std::to_string(threads) + " threads"};
  std::optional<Refusal> refusal;
  kernel.walk([&](tile::DotOp dot) {
    auto type = cast<RankedTensorType>(dot.getType());
    BlockPart part = plan.parts.getPart(dot.getResult());
    if (part == kWhole) {
      refusal = Refusal{dot, "every block would compute all of this product"};
    } else if (part >= type.getRank() - 2) {
      const bool isRow = part == type.getRank() - 2;
      int64_t size = type.getDimSize(part);
      if (size / blocks < std::min<int64_t>(size, isRow ? rows : kColumns))
        refusal = Refusal{dot, "a block would have " + std::to_string(size / blocks) +
                                   (isRow ? " rows" : " columns") +
                                   " of this product, too few for its instructions"};
    }
    return refusal ? WalkResult::interrupt() : WalkResult::advance();
  });
  return refusal;
}

/// Whether no block needs the order of its accesses and another one's. Which elements of a tensor
/// are the same place is not known, nor are blocks in the same iteration of a loop: what is written
/// is not read, and a place is stored to once.
std::optional<Refusal> BlockSearch::checkMemory(const BlockPlan &plan) const {
  struct Access {
    Operation *op;
    llvm::SetVector<Value> roots;
    bool isKnown;
  };
  auto makeAccess = [](Operation *op, Value pointers) {
    Access access{op, {}, true};
    access.isKnown = addRoots(pointers, access.roots);
    return access;
  };
  auto mayMeet = [](const Access &x, const Access &y) {
    return !x.isKnown || !y.isKnown ||
           llvm::any_of(x.roots, [&](Value root) { return y.roots.contains(root); });
  };
  auto refuse = [](Operation *op, const Twine &why, const Access &other) {
    return Refusal{op, (why + ", by '" + other.op->getName().getStringRef() + "'" +
                        describeLine(other.op->getLoc()))
                           .str()};
  };
  SmallVector<Access> writes;
  for (const BlockEffect &effect : plan.effects)
    if (!isa<tile::AssertOp, tile::PrintOp>(effect.op))
      writes.push_back(makeAccess(effect.op, effect.op->getOperand(0)));
  for (tile::LoadOp load : loads) {
    Access read = makeAccess(load, load.getPtr());
    for (const Access &write : writes)
      if (mayMeet(read, write))
        return refuse(load, "another block may write what this one reads", write);
  }
  for (auto [i, first] : llvm::enumerate(writes)) {
    if (isa<tile::StoreOp>(first.op) && first.op->getParentOfType<LoopLikeOpInterface>())
      return Refusal{first.op, "another block may store to the same place in another iteration of "
                               "the loop"};
    for (const Access &second : ArrayRef(writes).drop_front(i + 1))
      if (mayMeet(first, second))
        return refuse(second.op, "another block may write to the same place", first);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

FailureOr<BlockPlan> BlockSearch::run(Refusal &refusal) {
  if (std::optional<Refusal> found = collect())
    return refusal = *found, failure();
  if (effects.empty() || !canDivide(effects.front()) || isa<tile::AssertOp>(effects.front()))
    return refusal = {kernel, "it writes no tensor that could be divided"}, failure();
  BlockPlan start{BlockParts(cheap, blocks), {}};
  if (std::optional<Refusal> found = wantControl(start.parts))
    return refusal = *found, failure();
  // As many rows as all warps can share; else as few as an instruction takes.
  constexpr unsigned kWarpRows = 16;
  unsigned least = kWarpRows;
  for (const target::WarpGroupInstruction &row : program.target->warpGroupInstructions)
    least = std::max(least, row.m);
  std::optional<Refusal> first;
  for (unsigned rows : {std::max(kWarpRows * program.numWarps, least), least})
    for (BlockPart part = 0; part < getExtent(effects.front()).getRank(); ++part) {
      BlockPlan plan = start;
      std::optional<Refusal> found = attempt(plan, part);
      if (!found)
        found = checkWork(plan, rows);
      if (!found)
        found = checkMemory(plan);
      if (!found)
        return plan;
      if (!first)
        first = found;
    }
  return refusal = *first, failure();
}

FailureOr<BlockPlan> schedule::planBlocks(func::FuncOp kernel, const CheapValues &cheap,
                                          const distribute::Program &program, unsigned blocks,
                                          Refusal &refusal) {
  return BlockSearch(kernel, cheap, program, blocks).run(refusal);
}

/// Users before what they use.
static void eraseDead(func::FuncOp kernel) {
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

void schedule::chooseBlocks(func::FuncOp kernel, const distribute::Program &program) {
  unsigned blocks = program.numCtas;
  if (blocks <= 1 || kernel->hasAttr(tile::TileDialect::kBlocksAttr))
    return;
  auto refuse = [&](Operation *op, const Twine &why) {
    emitRemark(op, RemarkName::ProgramNotDivided,
               "num_ctas=" + Twine(blocks) + " asks for " + Twine(blocks) +
                   " blocks, but each program runs on one: " + why);
  };
  if (distribute::keepsLayouts(kernel))
    return refuse(kernel, "its layouts have been chosen");
  if (blocks > program.target->maxBlocks)
    return refuse(kernel, program.target->name +
                              (program.target->maxBlocks == 1
                                   ? " has no clusters of blocks"
                                   : " has clusters of " +
                                         std::to_string(program.target->maxBlocks) + " at most"));
  if (!kernel.getBody().hasOneBlock())
    return refuse(kernel, "its control flow is not structured");
  eraseDead(kernel);
  CheapValues cheap(kernel);
  Refusal refusal;
  FailureOr<BlockPlan> plan = planBlocks(kernel, cheap, program, blocks, refusal);
  if (failed(plan))
    return refuse(refusal.op, refusal.why);
  const BlockEffect &largest = plan->effects.front();
  emitRemark(largest.op, RemarkName::ProgramDivided,
             "each program runs on " + Twine(blocks) +
                 " blocks, which divide its work along dimension " + Twine(largest.part) +
                 " of the tensor that is written here",
             /*isMissed=*/false);
  divideKernel(kernel, *plan);
  kernel->setAttr(tile::TileDialect::kBlocksAttr, Builder(kernel).getI32IntegerAttr(blocks));
  eraseDead(kernel);
}
