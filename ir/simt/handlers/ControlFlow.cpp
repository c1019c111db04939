// Structured control flow: the same ops around lowered blocks. Conditions and bounds are scalars,
// so control flow stays the same for all threads of a program.
#include "ir/schedule/ScheduleDialect.h"
#include "ir/simt/HandlerList.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

LogicalResult simt::lower(LowerContext &c, scf::ForOp op) {
  LowerContext::ConversionLimit limit(c, op);
  FailureOr<Values> inits = c.getAll(op.getInitArgs(), op.getRegionIterArgs()),
                    bounds = c.getAll({op.getLowerBound(), op.getUpperBound(), op.getStep()},
                                      {op.getLowerBound(), op.getUpperBound(), op.getStep()});
  if (failed(inits) || failed(bounds))
    return failure();
  auto loop = scf::ForOp::create(c.b, (*bounds)[0], (*bounds)[1], (*bounds)[2], *inits, nullptr,
                                 op.getUnsignedCmp());
  loop->setDiscardableAttrs(schedule::withoutSchedule(op->getDiscardableAttrDictionary()));
  Block *body = loop.getBody();
  // Without carried values the builder has made a terminator already.
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToEnd(body);
  {
    LowerContext::Scope scope(c, body, /*isLoop=*/true);
    c.set(op.getInductionVar(), loop.getInductionVar());
    for (auto [from, to] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
      c.set(from, to);
    if (failed(lowerBlock(c, *op.getBody())))
      return failure();
    FailureOr<Values> yielded = c.getAll(op.getYieldedValues(), op.getRegionIterArgs());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(c.b, *yielded);
  }
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    c.set(from, to);
  return success();
}

LogicalResult simt::lower(LowerContext &c, scf::IfOp op) {
  FailureOr<Value> condition = c.getScalar(op.getCondition());
  if (failed(condition))
    return failure();
  SmallVector<Type> types;
  for (Value value : op.getResults())
    types.push_back(c.loweredType(value));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(c.b, types, *condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/hasElse);
  auto lowerRegion = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(c.b);
    Block *block = &to.front();
    block->clear();
    c.b.setInsertionPointToEnd(block);
    LowerContext::Scope scope(c, block, /*isLoop=*/false);
    if (failed(lowerBlock(c, from.front())))
      return failure();
    FailureOr<Values> yielded =
        c.getAll(from.front().getTerminator()->getOperands(), op.getResults());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(c.b, *yielded);
    return success();
  };
  if (failed(lowerRegion(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(lowerRegion(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  for (auto [from, to] : llvm::zip(op.getResults(), branch.getResults()))
    c.set(from, to);
  return success();
}

/// Lowers a block of a loop into `to`; `finish` makes its terminator.
static LogicalResult lowerLoopBlock(LowerContext &c, Block *from, Region &to,
                                    function_ref<LogicalResult()> finish) {
  OpBuilder::InsertionGuard guard(c.b);
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (BlockArgument argument : from->getArguments()) {
    types.push_back(c.loweredType(argument));
    locations.push_back(argument.getLoc());
  }
  Block *block = c.b.createBlock(&to, {}, types, locations);
  LowerContext::Scope scope(c, block, /*isLoop=*/true);
  for (auto [oldArgument, newArgument] : llvm::zip(from->getArguments(), block->getArguments()))
    c.set(oldArgument, newArgument);
  return failed(lowerBlock(c, *from)) ? failure() : finish();
}

LogicalResult simt::lower(LowerContext &c, scf::WhileOp op) {
  FailureOr<Values> inits = c.getAll(op.getInits(), op.getBeforeArguments());
  if (failed(inits))
    return failure();
  SmallVector<Type> types;
  for (Value value : op.getResults())
    types.push_back(c.loweredType(value));
  auto loop = scf::WhileOp::create(c.b, types, *inits);
  auto finishBefore = [&]() -> LogicalResult {
    scf::ConditionOp condition = op.getConditionOp();
    FailureOr<Values> passed = c.getAll(condition.getArgs(), op.getAfterArguments());
    FailureOr<Value> holds = c.getScalar(condition.getCondition());
    if (failed(passed) || failed(holds))
      return failure();
    scf::ConditionOp::create(c.b, *holds, *passed);
    return success();
  };
  auto finishAfter = [&]() -> LogicalResult {
    FailureOr<Values> yielded = c.getAll(op.getYieldOp().getOperands(), op.getBeforeArguments());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(c.b, *yielded);
    return success();
  };
  if (failed(lowerLoopBlock(c, op.getBeforeBody(), loop.getBefore(), finishBefore)) ||
      failed(lowerLoopBlock(c, op.getAfterBody(), loop.getAfter(), finishAfter)))
    return failure();
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    c.set(from, to);
  return success();
}
