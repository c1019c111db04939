// Combine regions of reductions and scans. See RegionSteps.cpp for how they run.
#include "backends/interpreter/Decoder.h"
#include "backends/interpreter/KernelBuilder.h"
#include "backends/interpreter/Steps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

/// Lanes that a region works on at once: enough to pay for dispatch, few enough to stay in the
/// innermost cache.
static constexpr size_t kMaxLanes = 1024;

/// Whether an operation of a combine region works the same on many lanes as on one.
bool Decoder::isBatchable(Operation &op) {
  if (isa<arith::ConstantOp, ub::PoisonOp, arith::BitcastOp, tile::BitcastOp, tile::HintOp,
          tile::IntToPtrOp, tile::PtrToIntOp>(op))
    return true;
  llvm::SmallVector<Dtype> operands, results;
  for (Value operand : op.getOperands()) {
    auto type = getDtype(operand.getType());
    if (!type)
      return false;
    operands.push_back(*type);
  }
  for (Value result : op.getResults()) {
    auto type = getDtype(result.getType());
    if (!type)
      return false;
    results.push_back(*type);
  }
  return bool(buildKernel(op, operands, results));
}

LogicalResult Decoder::splatCaptured(Operation &op, size_t laneCount, StepList &block,
                                     llvm::SmallVectorImpl<std::pair<Value, Slot>> &outside,
                                     llvm::function_ref<FailureOr<Slot>(size_t)> temporary) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(0), captured);
  for (Value value : captured) {
    auto shape = shapeOf(value, op);
    if (failed(shape))
      return failure();
    auto slot = temporary(laneCount * sizeOf(shape->type));
    if (failed(slot))
      return failure();
    Step splat;
    splat.run = runSplatLanes;
    splat.operands = {slotOf(value)};
    splat.results = {*slot};
    splat.resultTypes = {shape->type};
    if (failed(append(op, std::move(splat), block)))
      return failure();
    outside.emplace_back(value, slotOf(value));
    slots[value] = *slot;
  }
  return success();
}

LogicalResult Decoder::decodeBody(Operation &op, Step &step, bool batched, size_t laneCount,
                                  llvm::function_ref<FailureOr<Slot>(size_t)> temporary) {
  step.blocks.resize(1);
  StepList &block = step.blocks[0];
  llvm::SmallVector<std::pair<Value, Slot>> outside;
  const size_t outerLanes = std::exchange(lanes, batched ? laneCount : 0);
  if (batched && failed(splatCaptured(op, laneCount, block, outside, temporary)))
    return failure();
  LogicalResult status = decodeRegion(op.getRegion(0), block, [&](Operation &yield) {
    for (Value value : yield.getOperands())
      step.operands.push_back(slotOf(value));
    return success();
  });
  lanes = outerLanes;
  for (auto [value, slot] : outside)
    slots[value] = slot;
  return status;
}

LogicalResult Decoder::decodeMap(tile::MapOp op, StepList &steps) {
  Block &body = op.getBody().front();
  auto step = makeStep(*op, runMap);
  if (failed(step))
    return failure();
  llvm::SmallVector<Slot> temporaries;
  auto temporary = [&](size_t bytes) -> FailureOr<Slot> {
    auto slot = allocate(bytes, *op);
    if (succeeded(slot))
      temporaries.push_back(*slot);
    return slot;
  };
  const bool batched = lanes == 0 && llvm::all_of(body.without_terminator(),
                                                  [&](Operation &o) { return isBatchable(o); });
  const size_t laneCount = batched ? std::min(kMaxLanes, step->count) : 1;
  step->numbers = {int64_t(op.getNumOperands()), int64_t(step->count), int64_t(laneCount)};
  for (BlockArgument argument : body.getArguments()) {
    auto shape = shapeOf(argument, *op);
    if (failed(shape))
      return failure();
    auto slot = temporary(laneCount * sizeOf(shape->type));
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    step->operands.push_back(*slot);
  }
  if (failed(decodeBody(*op, *step, batched, laneCount, temporary)))
    return failure();
  for (Slot slot : temporaries)
    plan.giveBack(slot);
  return append(*op, std::move(*step), steps);
}

LogicalResult Decoder::decodeCombine(Operation &op, unsigned axis, bool reverse, StepFn run,
                                     StepList &steps) {
  Region &region = op.getRegion(0);
  if (!region.hasOneBlock())
    return op.emitError() << "the cpu device needs a combine region of one block";
  Block &body = region.front();
  const unsigned count = op.getNumOperands();
  if (count == 0)
    return op.emitError() << "the cpu device needs at least one tensor to combine";
  auto input = shapeOf(op.getOperand(0), op);
  if (failed(input))
    return failure();
  if (axis >= input->sizes.size())
    return op.emitError() << "axis " << axis << " is out of range";
  size_t outer = 1, inner = 1;
  for (auto [d, size] : llvm::enumerate(input->sizes))
    (d < axis ? outer : d > axis ? inner : outer) *= d == axis ? 1 : size;

  auto step = makeStep(op, run);
  if (failed(step))
    return failure();
  llvm::SmallVector<Slot> temporaries;
  auto temporary = [&](size_t bytes) -> FailureOr<Slot> {
    auto slot = allocate(bytes, op);
    if (succeeded(slot))
      temporaries.push_back(*slot);
    return slot;
  };

  // One operation on (accumulated, next), or on both in any order where it is commutative.
  Operation *only = nullptr;
  if (count == 1 && llvm::hasSingleElement(body.without_terminator())) {
    Operation &candidate = body.front();
    const bool inOrder = candidate.getNumOperands() == 2 &&
                         candidate.getOperand(0) == body.getArgument(0) &&
                         candidate.getOperand(1) == body.getArgument(1);
    const bool swapped = candidate.getNumOperands() == 2 &&
                         candidate.getOperand(1) == body.getArgument(0) &&
                         candidate.getOperand(0) == body.getArgument(1) &&
                         candidate.hasTrait<OpTrait::IsCommutative>();
    if ((inOrder || swapped) && candidate.getNumResults() == 1 &&
        body.getTerminator()->getOperand(0) == candidate.getResult(0))
      only = &candidate;
  }
  if (only)
    step->kernel = buildKernel(*only, {input->type, input->type}, {input->type});
  const bool halves = step->kernel && only->hasTrait<OpTrait::IsCommutative>();

  const bool batched = lanes == 0 && llvm::all_of(body.without_terminator(),
                                                  [&](Operation &o) { return isBatchable(o); });
  const size_t laneCount = batched ? std::min(kMaxLanes, input->count) : 1;
  step->numbers = {int64_t(outer), input->sizes[axis], int64_t(inner), halves,
                   reverse,        int64_t(laneCount)};
  for (unsigned i = 0; i < count; ++i) {
    auto work = temporary(input->count * sizeOf(step->operandTypes[i]));
    if (failed(work))
      return failure();
    step->results.push_back(*work);
  }
  for (BlockArgument argument : body.getArguments()) {
    auto shape = shapeOf(argument, op);
    if (failed(shape) || !shape->isScalar)
      return failure();
    auto slot = temporary(laneCount * sizeOf(shape->type));
    if (failed(slot))
      return failure();
    slots[argument] = *slot;
    step->operands.push_back(*slot);
  }

  if (failed(decodeBody(op, *step, batched, laneCount, temporary)))
    return failure();
  for (Slot slot : temporaries)
    plan.giveBack(slot);
  return append(op, std::move(*step), steps);
}
