// Regions on single elements.
#include "ir/simt/HandlerList.h"
#include "ir/simt/Regions.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

LogicalResult simt::lower(LowerContext &c, tile::MapOp op) {
  LinearLayout layout = *c.layouts.getHome(op.getResult(0));
  Values operands;
  for (Value operand : op.getOperands()) {
    FailureOr<Value> vector = c.get(operand, layout);
    if (failed(vector))
      return failure();
    operands.push_back(*vector);
  }
  FailureOr<Values> results = applyRegion(c, op, operands);
  if (failed(results))
    return failure();
  for (auto [value, vector] : llvm::zip(op.getOutputs(), *results))
    if (failed(c.set(value, vector, layout)))
      return failure();
  return success();
}
