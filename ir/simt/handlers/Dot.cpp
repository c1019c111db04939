// Products: the plan says which strategy computes one.
#include "ir/simt/HandlerList.h"
#include "ir/simt/ProductStrategy.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

const ProductStrategy &simt::getStrategy(const distribute::DotPlan &plan) {
  if (plan.warpGroup)
    return warpGroupStrategy();
  if (!plan.instruction)
    return multiplyAddStrategy();
  return plan.instruction->isOpaque ? opaqueMatrixStrategy() : warpMatrixStrategy();
}

LogicalResult simt::lower(LowerContext &c, tile::DotOp op) {
  const distribute::DotPlan &plan = c.layouts.getDot(op);
  FailureOr<Value> result = getStrategy(plan).multiply(c, op, plan);
  if (failed(result))
    return failure();
  return c.set(op.getResult(), *result, plan.d);
}
