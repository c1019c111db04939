// Values of an expanded schedule (ir/schedule/ScheduleOps.td): those that are computed for a later
// iteration, and sums of products that may still run.
#include "ir/simt/Conversions.h"
#include "ir/simt/HandlerList.h"
#include "ir/simt/ProductStrategy.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::distribute;

LogicalResult simt::lower(LowerContext &c, schedule::AheadOp op) {
  LowerContext::ConversionLimit limit(c, op);
  FailureOr<Values> results;
  {
    LowerContext::Scope scope(c, c.b.getInsertionBlock(), /*isLoop=*/false);
    Block &body = op.getBody().front();
    if (failed(lowerBlock(c, body)))
      return failure();
    results = c.getAll(body.getTerminator()->getOperands(), op.getResults());
    if (failed(results))
      return failure();
  }
  for (auto [value, result] : llvm::zip(op.getResults(), *results))
    c.set(value, result);
  return success();
}

/// The same registers, of which compilers below do not know how they were made.
static Value makeFresh(LowerContext &c, Value registers) {
  auto type = cast<VectorType>(registers.getType());
  const unsigned bits = type.getElementTypeBitWidth() * type.getNumElements();
  auto words = VectorType::get({bits / 32}, c.b.getI32Type());
  Values fresh;
  for (Value word : unpack(c.b, vector::BitCastOp::create(c.b, words, registers)))
    fresh.push_back(FreshOp::create(c.b, word));
  return vector::BitCastOp::create(c.b, type, pack(c.b, fresh));
}

LogicalResult simt::lower(LowerContext &c, schedule::KeepOp op) {
  LowerContext::ConversionLimit limit(c, op);
  FailureOr<Value> kept = c.get(op.getValue(), c.layoutOf(op.getResult()));
  if (failed(kept))
    return failure();
  auto type = cast<VectorType>((*kept).getType());
  if (op.getFresh() && type.getElementTypeBitWidth() * type.getNumElements() % 32)
    return op.emitOpError("is fresh, but a thread has no whole words of 32 bits of the tensor");
  c.set(op.getResult(), op.getFresh() ? makeFresh(c, *kept) : *kept);
  return success();
}

/// How many groups of instructions the last products before `op` may leave running: a loop's body
/// has these products, which go on into its next iteration.
static unsigned groupsOf(LowerContext &c, schedule::DotWaitOp op) {
  unsigned groups = 0, products = op.getPending();
  if (!products)
    return 0;
  SmallVector<tile::DotOp, 4> inFlight;
  for (auto dot : op->getBlock()->getOps<tile::DotOp>())
    if (schedule::isInFlight(dot))
      inFlight.push_back(dot);
  // Those behind it are of the iteration before.
  auto isBehind = [&](tile::DotOp dot) { return op->isBeforeInBlock(dot); };
  std::rotate(inFlight.begin(), llvm::find_if(inFlight, isBehind), inFlight.end());
  for (tile::DotOp dot : llvm::reverse(inFlight))
    if (products) {
      groups += groupsInFlight(c.layouts.getDot(dot));
      --products;
    }
  return groups + products;
}

/// The registers that products read which are waited for here.
static FailureOr<Values> registersOf(LowerContext &c, schedule::DotWaitOp op) {
  Values kept;
  for (Value sum : op.getSums()) {
    auto dot = sum.getDefiningOp<tile::DotOp>();
    if (!dot || !c.layouts.getDot(dot).warpGroup)
      continue;
    const DotPlan &plan = c.layouts.getDot(dot);
    Value left = dot->getOperand(plan.registerOperand());
    if (plan.warpGroup->turns || findTile(c, left) ||
        !schedule::isInFragments(left, plan.registers(), c.layouts))
      continue;
    FailureOr<Value> registers = c.get(left, plan.registers());
    if (failed(registers))
      return failure();
    kept.push_back(*registers);
  }
  return kept;
}

/// What is to be computed before products are waited for. An assembler moves such a wait to the
/// front of what threads compute, where nothing would overlap any more, but not past a loop: that
/// of another look at a slot which the products read, and which is full already.
static LogicalResult computeBefore(LowerContext &c, schedule::DotWaitOp op) {
  Values values;
  for (Value value : op.getAfter()) {
    FailureOr<Value> registers = c.get(value, c.layoutOf(value));
    if (failed(registers))
      return failure();
    values.push_back(*registers);
  }
  // As many as the wait before has left running; this one waits for nothing more.
  unsigned running = 0;
  for (Operation *before = op->getPrevNode(); before && !running; before = before->getPrevNode())
    if (auto wait = dyn_cast<schedule::DotWaitOp>(before))
      running = groupsOf(c, wait);
  GroupMmaWaitOp::create(c.b, TypeRange(), running, ValueRange(), values);
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    auto await = dyn_cast<schedule::AwaitOp>(before);
    if (await && schedule::getChannelType(await.getChannel()).isBetweenRoles())
      return lower(c, await);
  }
  return success();
}

LogicalResult simt::lower(LowerContext &c, schedule::DotWaitOp op) {
  if (!op.getAfter().empty() && failed(computeBefore(c, op)))
    return failure();
  FailureOr<Values> sums = c.getAll(op.getSums(), op.getResults()), kept = registersOf(c, op);
  if (failed(sums) || failed(kept))
    return failure();
  auto wait =
      GroupMmaWaitOp::create(c.b, ValueRange(*sums).getTypes(), groupsOf(c, op), *sums, *kept);
  for (auto [value, sum] : llvm::zip(op.getResults(), wait.getResults()))
    c.set(value, sum);
  return success();
}
