// See PeelLoops.h. The loops are those that schedule-expand makes (ir/schedule/LoopExpander.h),
// known by what they test: whether an iteration has a next one.
#include "backends/amdgpu/PeelLoops.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilerun;

/// Whether a number is one step of the loop: lower + step - lower, which is a step even if the sum
/// wraps.
static bool isOneStep(Value value, scf::ForOp loop) {
  if (isEqualConstantIntOrValue(value, loop.getStep()))
    return true;
  auto difference = value.getDefiningOp<arith::SubIOp>();
  auto sum = difference ? difference.getLhs().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && isEqualConstantIntOrValue(difference.getRhs(), loop.getLowerBound()) &&
         isEqualConstantIntOrValue(sum.getLhs(), loop.getLowerBound()) &&
         isEqualConstantIntOrValue(sum.getRhs(), loop.getStep());
}

/// Whether the iterations below `limit` are those that have a next one: it is one step before the
/// upper bound, or the lower bound where that is at most one iteration.
static bool isBeforeLast(Value limit, scf::ForOp loop) {
  auto select = limit.getDefiningOp<arith::SelectOp>();
  auto difference = select ? select.getTrueValue().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return difference && isEqualConstantIntOrValue(select.getFalseValue(), loop.getLowerBound()) &&
         isEqualConstantIntOrValue(difference.getLhs(), loop.getUpperBound()) &&
         isOneStep(difference.getRhs(), loop);
}

/// The test for a next iteration, if branches of the loop's body depend on it; null otherwise.
static arith::CmpIOp findTest(scf::ForOp loop) {
  if (loop.getUnsignedCmp() || loop.getBody()->getOps<simt::MmaOp>().empty())
    return {};
  for (auto test : loop.getBody()->getOps<arith::CmpIOp>())
    if (test.getPredicate() == arith::CmpIPredicate::slt &&
        test.getLhs() == loop.getInductionVar() && isBeforeLast(test.getRhs(), loop) &&
        llvm::any_of(test->getUsers(), [&](Operation *user) {
          return isa<scf::IfOp>(user) && user->getBlock() == loop.getBody();
        }))
      return test;
  return {};
}

/// Clones the loop's body, where `test` is known.
static void cloneBody(OpBuilder &b, scf::ForOp loop, arith::CmpIOp test, bool holds,
                      IRMapping &map) {
  map.map(test.getResult(),
          arith::ConstantOp::create(b, test.getLoc(), b.getBoolAttr(holds)).getResult());
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != test)
      b.clone(op, map);
}

/// What an iteration gives to the next one.
static SmallVector<Value> getYielded(scf::ForOp loop, const IRMapping &map) {
  SmallVector<Value> values;
  for (Value value : loop.getBody()->getTerminator()->getOperands())
    values.push_back(map.lookupOrDefault(value));
  return values;
}

/// The loop without its last iteration, whose number is one more result.
static scf::ForOp makeShorter(OpBuilder &b, scf::ForOp loop, arith::CmpIOp test) {
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(loop.getLowerBound());
  auto shorter =
      scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), test.getRhs(), loop.getStep(),
                         inits, [&](OpBuilder &inside, Location loc, Value i, ValueRange carried) {
                           IRMapping map;
                           map.map(loop.getInductionVar(), i);
                           map.map(loop.getRegionIterArgs(), carried.drop_back());
                           cloneBody(inside, loop, test, /*holds=*/true, map);
                           SmallVector<Value> results = getYielded(loop, map);
                           results.push_back(arith::AddIOp::create(inside, loc, i, loop.getStep()));
                           scf::YieldOp::create(inside, loc, results);
                         });
  shorter->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return shorter;
}

/// The loop's body once more, for what `shorter` ends with. Without any iteration that is what the
/// loop began with.
static scf::IfOp makeLast(OpBuilder &b, scf::ForOp loop, scf::ForOp shorter, arith::CmpIOp test) {
  Location loc = loop.getLoc();
  ValueRange ends = shorter.getResults().drop_back();
  Value runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                     loop.getUpperBound());
  return scf::IfOp::create(
      b, loc, runs,
      [&](OpBuilder &inside, Location) {
        IRMapping map;
        map.map(loop.getInductionVar(), shorter.getResults().back());
        map.map(loop.getRegionIterArgs(), ends);
        cloneBody(inside, loop, test, /*holds=*/false, map);
        scf::YieldOp::create(inside, loc, getYielded(loop, map));
      },
      [&](OpBuilder &inside, Location) { scf::YieldOp::create(inside, loc, ends); });
}

void amdgpu::peelLastIterations(func::FuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (arith::CmpIOp test = findTest(loop)) {
      OpBuilder b(loop);
      scf::ForOp shorter = makeShorter(b, loop, test);
      loop.replaceAllUsesWith(makeLast(b, loop, shorter, test).getResults());
      loop.erase();
    }
}
