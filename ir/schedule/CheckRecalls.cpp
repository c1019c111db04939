// See Check.h: a recall is in the same iterations as a retain before it, which has filled its slot.
// Trip counts are not known, so the loops' bounds and the slots' arithmetic are compared.
#include "ir/schedule/Check.h"
#include "ir/schedule/ScheduleOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// Whether `x` is computed as `y` is, where counters of loops are the mapped ones.
static bool isSame(Value x, Value y, const IRMapping &counters) {
  if (counters.lookupOrDefault(x) == y)
    return true;
  auto first = dyn_cast<OpResult>(x), second = dyn_cast<OpResult>(y);
  auto compare = [&](Value left, Value right) { return success(isSame(left, right, counters)); };
  return first && second && first.getResultNumber() == second.getResultNumber() &&
         isMemoryEffectFree(first.getOwner()) &&
         OperationEquivalence::isEquivalentTo(first.getOwner(), second.getOwner(), compare, nullptr,
                                              OperationEquivalence::IgnoreLocations);
}

/// The loops around `op` in the block of `kept`, outermost first; nullopt where it is in anything
/// else, which may not run.
static std::optional<SmallVector<scf::ForOp>> findLoops(Operation *op, Operation *kept) {
  SmallVector<scf::ForOp> loops;
  for (; op->getBlock() != kept->getBlock(); op = op->getParentOp()) {
    auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
    if (!loop)
      return std::nullopt;
    loops.push_back(loop);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// Whether the slot of `recall` holds what `retain` has put there.
static bool isFilledBy(RecallOp recall, RetainOp retain) {
  Operation *kept = recall.getKept().getDefiningOp();
  auto late = findLoops(recall, kept), early = findLoops(retain, kept);
  if (!late || !early || late->size() != early->size())
    return false;
  IRMapping counters;
  for (auto [its, other] : llvm::zip(*late, *early)) {
    if (!isSame(its.getLowerBound(), other.getLowerBound(), counters) ||
        !isSame(its.getUpperBound(), other.getUpperBound(), counters) ||
        !isSame(its.getStep(), other.getStep(), counters))
      return false;
    counters.map(its.getInductionVar(), other.getInductionVar());
  }
  Operation *before = retain, *behind = recall;
  for (size_t i = 0; i < late->size() && before->getBlock() != behind->getBlock(); ++i) {
    before = (*early)[early->size() - 1 - i];
    behind = (*late)[late->size() - 1 - i];
  }
  return before->getBlock() == behind->getBlock() && before->isBeforeInBlock(behind) &&
         isSame(recall.getSlot(), retain.getSlot(), counters);
}

/// Of slots that are constants; others follow from the bounds of loops.
static LogicalResult checkSlot(Operation *op, Value kept, Value slot) {
  const int64_t slots = cast<RetainedType>(kept.getType()).getSlots();
  APInt number;
  if (matchPattern(slot, m_ConstantInt(&number)) &&
      (number.isNegative() || number.getSExtValue() >= slots))
    return op->emitOpError() << "uses slot " << number.getSExtValue() << " of " << slots;
  return success();
}

LogicalResult schedule::checkRecalls(func::FuncOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) -> WalkResult {
    if (auto retain = dyn_cast<RetainOp>(op))
      return checkSlot(op, retain.getKept(), retain.getSlot());
    auto recall = dyn_cast<RecallOp>(op);
    if (!recall)
      return WalkResult::advance();
    if (failed(checkSlot(op, recall.getKept(), recall.getSlot())))
      return WalkResult::interrupt();
    for (Operation *user : recall.getKept().getUsers())
      if (auto retain = dyn_cast<RetainOp>(user); retain && isFilledBy(recall, retain))
        return WalkResult::advance();
    return recall.emitOpError("reads a slot that no 'sched.retain' before it has filled in the "
                              "same iterations");
  });
  return failure(walk.wasInterrupted());
}
