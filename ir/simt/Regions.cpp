// See Regions.h. A region of elementwise ops is one such op on all registers at once; one with
// control flow is lowered for one register after the other.
#include "ir/simt/Regions.h"
#include "ir/simt/Handlers.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

/// A region of elementwise ops on `count` registers of each argument.
static FailureOr<Values> applyToAll(LowerContext &c, Block &body, ArrayRef<Value> arguments,
                                    unsigned count) {
  llvm::DenseMap<Value, Value> mapped;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    mapped[argument] = value;
  auto lookup = [&](ValueRange values) -> FailureOr<Values> {
    Values result;
    for (Value value : values) {
      if (Value found = mapped.lookup(value)) {
        result.push_back(found);
        continue;
      }
      FailureOr<Value> outer = c.getScalar(value); // uniform: defined outside
      if (failed(outer))
        return failure();
      result.push_back(splat(c.b, *outer, count));
    }
    return result;
  };
  for (Operation &inner : body.without_terminator()) {
    c.b.setLoc(inner.getLoc());
    FailureOr<Values> operands = lookup(inner.getOperands());
    if (failed(operands))
      return failure();
    FailureOr<Values> results = applyElementwise(c, &inner, *operands, count);
    if (failed(results))
      return failure();
    for (auto [result, value] : llvm::zip(inner.getResults(), *results))
      mapped[result] = value;
  }
  return lookup(body.getTerminator()->getOperands());
}

/// A region with control flow, for one register after the other.
static FailureOr<Values> applyOneByOne(LowerContext &c, Block &body, ArrayRef<Value> vectors,
                                       unsigned count) {
  SmallVector<Values> registers;
  for (Value vector : vectors)
    registers.push_back(unpack(c.b, vector));
  SmallVector<Values> results(body.getTerminator()->getNumOperands(), Values(count));
  for (unsigned reg = 0; reg < count; ++reg) {
    LowerContext::Scope scope(c, c.b.getInsertionBlock(), /*isLoop=*/false);
    for (auto [argument, list] : llvm::zip(body.getArguments(), registers))
      c.set(argument, list[reg]);
    if (failed(lowerBlock(c, body)))
      return failure();
    for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      FailureOr<Value> result = c.getScalar(value);
      if (failed(result))
        return failure();
      results[i][reg] = *result;
    }
  }
  Values packed;
  for (const Values &list : results)
    packed.push_back(pack(c.b, list));
  return packed;
}

FailureOr<Values> simt::applyRegion(LowerContext &c, Operation *op, ArrayRef<Value> vectors) {
  Block &body = op->getRegion(0).front();
  unsigned count = cast<VectorType>(vectors[0].getType()).getNumElements();
  PlaceGuard guard(c.b);
  bool isElementwise = llvm::all_of(body.without_terminator(), [](Operation &inner) {
    return inner.getNumRegions() == 0 && inner.getDialect();
  });
  return isElementwise ? applyToAll(c, body, vectors, count)
                       : applyOneByOne(c, body, vectors, count);
}

FailureOr<Values> simt::combine(LowerContext &c, Operation *op, ArrayRef<Value> left,
                                ArrayRef<Value> right) {
  Values arguments(left);
  arguments.append(right.begin(), right.end());
  return applyRegion(c, op, arguments);
}
