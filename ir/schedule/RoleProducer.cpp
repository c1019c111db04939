// The producer of a loop with roles (RoleExpander.h): the part of the loop that its copies need.
#include "ir/schedule/RoleExpander.h"
#include "ir/schedule/RoleRules.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

void RoleExpander::publish(Value &slot, Value &count) {
  Value isFilled;
  if (lag)
    isFilled = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, count, constant(lag));
  PublishOp::create(b, channel, slot, isFilled, lag);
  Value following = advance(slot);
  if (!lag) {
    slot = following;
    return;
  }
  Value more = arith::AddIOp::create(b, count, constant(1));
  slot = arith::SelectOp::create(b, isFilled, following, slot);
  count = arith::SelectOp::create(b, isFilled, count, more);
}

void RoleExpander::fill(const Cursor &cursor, const IRMapping &map, Value iteration) {
  AcquireOp::create(b, cursor.channel, cursor.slot, cursor.phase);
  for (auto [load, ring, box] : llvm::zip_equal(loads, rings, boxes)) {
    if (getChannel(ring) != cursor.channel)
      continue;
    b.setLoc(load.getLoc());
    Values starts;
    for (const Polynomial &start : box.starts)
      starts.push_back(finder.emit(b, start, map, iteration));
    CopyBoxOp::create(b, starts, ring, cursor.slot, box.tensor);
  }
  b.setLoc(loc);
  PublishOp::create(b, cursor.channel, cursor.slot, Value(), 0);
}

void RoleExpander::fillWithZeros(const Cursor &cursor) {
  AcquireOp::create(b, cursor.channel, cursor.slot, cursor.phase);
  for (auto [ring, box] : llvm::zip_equal(rings, boxes)) {
    if (getChannel(ring) != cursor.channel)
      continue;
    Values starts;
    for (int64_t size : box.tensor.getTile().asArrayRef())
      starts.push_back(constant(-size));
    CopyBoxOp::create(b, starts, ring, cursor.slot, box.tensor);
  }
  PublishOp::create(b, cursor.channel, cursor.slot, Value(), 0);
}

/// One iteration of a producer of boxes: its channels in turn.
void RoleExpander::emitBoxes(scf::ForOp loop, IRMapping &map) {
  map.map(op.getInductionVar(), loop.getInductionVar());
  Values results;
  auto own = loop.getRegionIterArgs();
  Value iteration = own.back();
  for (auto [number, from] : llvm::enumerate(getChannels())) {
    Cursor cursor{from, own[2 * number], own[2 * number + 1]};
    fill(cursor, map, iteration);
    Cursor next = step(cursor);
    results.append({next.slot, next.phase});
  }
  results.push_back(arith::AddIOp::create(b, iteration, constant(1)));
  scf::YieldOp::create(b, results);
}

void RoleExpander::emitCopies(scf::ForOp loop, IRMapping &map) {
  auto own = loop.getRegionIterArgs().take_back(4);
  Value slot = own[0], phase = own[1], filled = own[2], count = own[3];
  map.map(op.getInductionVar(), loop.getInductionVar());
  for (auto [index, value] : llvm::zip(slice.carried, loop.getRegionIterArgs()))
    map.map(op.getRegionIterArg(index), value);
  AcquireOp::create(b, channel, slot, phase);
  for (Operation *inner : ops)
    b.clone(*inner, map);
  copyAll(map, Value(), slot);
  publish(filled, count);
  Values results;
  for (unsigned index : slice.carried)
    results.push_back(map.lookupOrDefault(yield->getOperand(index)));
  Value following = advance(slot);
  results.append({following, flip(phase, following), filled, count});
  scf::YieldOp::create(b, results);
}

void RoleExpander::emitProducer() {
  OpsBefore before;
  Operation *blocker = findBefore(op, slice, before);
  assert(!blocker && "a loop was given roles that the producer's part keeps from it");
  (void)blocker;
  // It converts in the smallest pieces: the consumer has the rest of the room (SharedDemand.h).
  llvm::SaveAndRestore ofLoop(
      conversions, Attribute(b.getI64IntegerAttr(target::MemoryBudget::kLeastConversion)));
  limitConversions(state.producer->getParentOp());
  b.setInsertionPointToEnd(state.producer);
  IRMapping &map = state.before;
  for (Operation *inner : before)
    if (!llvm::all_of(inner->getResults(), [&](Value result) { return map.contains(result); }))
      b.clone(*inner, map)->walk([](Operation *op) { op->removeAttr(SchedDialect::kConversions); });
  Values inits;
  SmallVector<Attribute> homes, arguments{layouts.getHomeAttr(op.getInductionVar())};
  for (unsigned index : slice.carried) {
    Value init = map.lookupOrDefault(op.getInitArgs()[index]);
    inits.push_back(keep(init, op.getRegionIterArg(index)));
    homes.push_back(layouts.getHomeAttr(op.getRegionIterArg(index)));
  }
  // Of boxes, where each channel is, and the number of the iteration; of chunks, where it is filled
  // and where it is published, and how many slots have been filled.
  if (boxes.empty()) {
    inits.append(4, constant(0));
  } else {
    if (state.filled.empty())
      state.filled.assign(2 * getChannels().size(), constant(0));
    if (lateChannel) {
      Cursor cursor{lateChannel, state.filled[2], state.filled[3]};
      fillWithZeros(cursor);
      Cursor next = step(cursor);
      state.filled[2] = next.slot, state.filled[3] = next.phase;
    }
    llvm::append_range(inits, state.filled);
    inits.push_back(constant(0));
  }
  homes.append(inits.size() - homes.size(), b.getUnitAttr());
  auto loop = scf::ForOp::create(b, map.lookupOrDefault(op.getLowerBound()),
                                 map.lookupOrDefault(op.getUpperBound()),
                                 map.lookupOrDefault(op.getStep()), inits);
  limitConversions(loop);
  setHomes(loop, homes);
  llvm::append_range(arguments, homes);
  loop->setAttr(DistributeDialect::kArgumentsAttr, b.getArrayAttr(arguments));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    if (boxes.empty())
      emitCopies(loop, map);
    else
      emitBoxes(loop, map);
  }
  if (!boxes.empty()) {
    llvm::copy(loop.getResults().drop_back(), state.filled.begin());
    return;
  }
  Value filled = loop.getResults().drop_back().back(), count = loop.getResults().back();
  for (int64_t i = 0; i < lag; ++i)
    publish(filled, count);
}
