// See Expand.h: loops whose loads and products are one role's.
//
// Asynchronous copies fill a slot some iterations before it is read. Loads through registers of a
// later iteration are under way while this one's products run; the next iteration begins by putting
// them: into the one slot, between two barriers; or, with more slots, into one that is not being
// read, with one barrier for an iteration.
//
// Operands of addresses and masks are computed twice: once for the iteration at hand, and once
// for the iteration that is being fetched, with loop-carried values of its own that run ahead.
#include "ir/schedule/Expand.h"
#include "ir/schedule/Allocate.h"
#include "ir/schedule/LoopExpander.h"
#include "ir/schedule/RoleExpander.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

namespace {
/// A loop with loads that run ahead.
class PipelineExpander : LoopExpander {
public:
  PipelineExpander(scf::ForOp op, const LayoutAssignment &layouts) : LoopExpander(op, layouts) {}
  void run();

private:
  /// One iteration that is fetched ahead.
  struct Ahead {
    Values next;   ///< Of the carried values that run ahead.
    Values staged; ///< Registers on their way to slots.
  };
  StagedType getStagedType(tile::LoadOp load) const;
  Value conjunction(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  /// Starts the copies or loads of one iteration and steps to the next one's values.
  Ahead fetch(Value induction, Value inRange, ArrayRef<Value> carried, Value slot);
  Values fetchRegisters(IRMapping &map, Value inRange);
  void putAll(ArrayRef<Value> staged, Value slot, bool isAhead);
  void emitStart();
  void emitPrologue();
  void emitBody();

  Values inits, ahead; ///< Carried values, and those of the slice that run ahead.
  Values staged;
  Value induction, limit;
  scf::ForOp loop;
};
} // namespace

StagedType PipelineExpander::getStagedType(tile::LoadOp load) const {
  auto access = cast<AccessAttr>(load->getAttr(DistributeDialect::kAccessAttr));
  return StagedType::get(load.getContext(), cast<RankedTensorType>(load.getType()),
                         access.getLayout(), getRing(load).getPerWord());
}

PipelineExpander::Values PipelineExpander::fetchRegisters(IRMapping &map, Value inRange) {
  SmallVector<Type> types;
  for (tile::LoadOp load : loads)
    types.push_back(getStagedType(load));
  auto fetched = FetchOp::create(b, types, inRange);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&fetched.getBody());
  Values values;
  for (tile::LoadOp load : loads) {
    Operation *copy = b.clone(*load, map);
    copy->removeAttr(SchedDialect::kRing);
    values.push_back(copy->getResult(0));
  }
  YieldOp::create(b, values);
  return Values(fetched.getStaged());
}

PipelineExpander::Ahead PipelineExpander::fetch(Value induction, Value inRange,
                                                ArrayRef<Value> carried, Value slot) {
  SmallVector<Type> types;
  SmallVector<Attribute> homes;
  for (unsigned index : slice.carried) {
    types.push_back(op.getRegionIterArg(index).getType());
    homes.push_back(layouts.getHomeAttr(op.getRegionIterArg(index)));
  }
  if (!isAsync)
    for (tile::LoadOp load : loads) {
      types.push_back(getStagedType(load));
      homes.push_back(b.getUnitAttr());
    }
  auto region = AheadOp::create(b, types);
  setHomes(region, homes);
  limitConversions(region);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&region.getBody());
  IRMapping map;
  map.map(op.getInductionVar(), induction);
  for (auto [index, value] : llvm::zip(slice.carried, carried))
    map.map(op.getRegionIterArg(index), value);
  for (Operation *inner : ops) {
    auto index = dyn_cast<tile::LoadOp>(inner);
    if (!index) {
      b.clone(*inner, map);
      continue;
    }
    // Past the end of the loop an index is not read, and what follows from it is not used.
    Value mask =
        index.getMask() ? conjunction(map.lookupOrDefault(index.getMask()), inRange) : inRange;
    cast<tile::LoadOp>(b.clone(*inner, map)).getMaskMutable().assign(mask);
  }
  Values results, values;
  if (isAsync) {
    AcquireOp::create(b, channel, slot, Value());
    copyAll(map, inRange, slot);
    PublishOp::create(b, channel, slot, Value(), 0);
  } else {
    values = fetchRegisters(map, inRange);
  }
  for (unsigned index : slice.carried)
    results.push_back(map.lookupOrDefault(yield->getOperand(index)));
  llvm::append_range(results, values);
  YieldOp::create(b, results);
  auto all = region.getResults();
  size_t count = slice.carried.size();
  return {Values(all.take_front(count)), Values(all.drop_front(count))};
}

void PipelineExpander::putAll(ArrayRef<Value> staged, Value slot, bool isAhead) {
  AcquireOp::create(b, channel, slot, Value());
  for (auto [load, ring, value] : llvm::zip(loads, rings, staged)) {
    b.setLoc(load.getLoc());
    PutOp::create(b, value, ring, slot, isAhead);
  }
  PublishOp::create(b, channel, slot, Value(), 0);
  b.setLoc(loc);
}

/// The first values, and the rings.
void PipelineExpander::emitStart() {
  for (auto [init, argument] : llvm::zip(op.getInitArgs(), op.getRegionIterArgs()))
    inits.push_back(keep(init, argument));
  createRings(/*producers=*/0, /*consumers=*/0);
}

void PipelineExpander::emitPrologue() {
  Value lower = op.getLowerBound(), upper = op.getUpperBound();
  induction = lower;
  Value inRange = isLess(lower, upper);
  for (unsigned index : slice.carried)
    ahead.push_back(inits[index]);
  for (int64_t stage = 0; stage < distance; ++stage) {
    Ahead fetched = fetch(induction, inRange, ahead, constant(stage));
    ahead = fetched.next, staged = fetched.staged;
    if (!isAsync && stage + 1 < distance)
      putAll(staged, constant(stage), /*isAhead=*/false);
    Value following = arith::AddIOp::create(b, induction, op.getStep());
    // Beyond the largest integer there is no iteration, whatever the sum is.
    Value grows = isLess(induction, following);
    inRange = conjunction(inRange, conjunction(grows, isLess(following, upper)));
    induction = following;
  }
  // Iterations before `limit` have one `distance` later; sums that may wrap are not needed for it.
  limit = arith::SubIOp::create(b, induction, lower);
  limit = arith::SubIOp::create(b, upper, limit);
  limit = arith::SelectOp::create(b, inRange, limit, lower);
}

void PipelineExpander::emitBody() {
  // Carried: the loop's own, the slice's ahead, registers, the slots to read and to fill, and the
  // induction variable ahead.
  auto arguments = loop.getRegionIterArgs();
  size_t size = arguments.size();
  Value readSlot = arguments[size - 3], writeSlot = arguments[size - 2],
        aheadInduction = arguments[size - 1];
  auto firstStaged = arguments.begin() + inits.size() + ahead.size();
  Values aheadNow(arguments.begin() + inits.size(), firstStaged);
  Value hasAhead = isLess(loop.getInductionVar(), limit);
  if (isAsync || slots > 1)
    AwaitOp::create(b, channel, readSlot, Value(), isAsync ? distance - 1 : 0);
  if (!isAsync)
    putAll(Values(firstStaged, arguments.end() - 3), writeSlot, /*isAhead=*/slots > 1);
  if (!isAsync && slots == 1)
    AwaitOp::create(b, channel, readSlot, Value(), 0);
  DotWaitOp wait;
  if (!deferred.empty())
    wait = DotWaitOp::create(b, TypeRange(), ValueRange(), ValueRange(), deferred.size());
  Ahead next = fetch(aheadInduction, hasAhead, aheadNow, writeSlot);
  // While this iteration's products run, those of the last one end in all warps; then its tiles
  // are filled with what comes next. That way no copy waits for the tiles before its own.
  if (wait)
    b.setInsertionPoint(wait);
  readAll(readSlot);
  moveBody(loop);
  Values results;
  for (auto [value, argument] : llvm::zip(yield->getOperands(), op.getRegionIterArgs()))
    results.push_back(keep(value, argument));
  ReleaseOp::create(b, channel, readSlot, Value());
  b.setInsertionPointToEnd(loop.getBody());
  llvm::append_range(results, next.next);
  llvm::append_range(results, next.staged);
  results.push_back(advance(readSlot));
  results.push_back(advance(writeSlot));
  results.push_back(arith::AddIOp::create(b, aheadInduction, op.getStep()));
  scf::YieldOp::create(b, results);
}

void PipelineExpander::run() {
  emitStart();
  emitPrologue();
  Values more(ahead);
  llvm::append_range(more, staged);
  SmallVector<Attribute> homes;
  for (unsigned index : slice.carried)
    homes.push_back(layouts.getHomeAttr(op.getRegionIterArg(index)));
  Value readSlot = constant(0);
  // Of registers, the last iteration is in none of the slots.
  Value writeSlot = constant(isAsync ? distance : distance - 1);
  more.append({readSlot, writeSlot, induction});
  homes.append(more.size() - homes.size(), b.getUnitAttr());
  loop = createLoop(inits, more, homes);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    emitBody();
  }
  DrainOp::create(b, channel);
  replaceLoop(loop);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult schedule::expandSchedule(func::FuncOp kernel, const LayoutAssignment &layouts) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (getPipeline(loop))
      loops.push_back(loop);
  });
  if (!loops.empty() && !isAllocated(kernel))
    return kernel.emitError("the loops of kernel '")
           << kernel.getName() << "' have a schedule, but no 'sched.conversions'; run "
           << "schedule-allocate first";
  RoleState state;
  for (scf::ForOp loop : loops)
    if (hasRoles(loop))
      RoleExpander(loop, layouts, state).run();
    else
      PipelineExpander(loop, layouts).run();
  finishRoles(state);
  kernel->setAttr(SchedDialect::kExpanded, UnitAttr::get(kernel.getContext()));
  return success();
}
