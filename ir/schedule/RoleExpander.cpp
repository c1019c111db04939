// See RoleExpander.h. The producer:
//
//   loop { acquire; copies; publish of the slot that was filled `lag` iterations ago }
//   `lag` publishes more
//
// so that so many slots are on their way while the producer waits for an empty one. Boxes announce
// themselves, so that their slots are published at once. The consumer
// awaits a slot, reads it and releases it; where products run on into the next iteration, there.
// The last one's slot is not released then: nobody waits for it.
#include "ir/schedule/RoleExpander.h"
#include "ir/schedule/RoleRules.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

/// How often the slots have been used, as its parity: it changes with each turn of them.
Value RoleExpander::flip(Value phase, Value following) {
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, following, constant(0));
  Value flipped = arith::SubIOp::create(b, constant(1), phase);
  return arith::SelectOp::create(b, wraps, flipped, phase);
}

/// Rings, the channel, and a region for each role; all that was in the kernel is the consumer's.
void RoleExpander::createRoles() {
  Block *kernel = op->getBlock();
  Operation *first = &kernel->front(), *end = kernel->getTerminator();
  unsigned warps = layouts.numWarps();
  b.setInsertionPointToStart(kernel);
  // Of boxes one warp fills; others of its group only give up their registers.
  createRings(boxes.empty() ? producers : 1, warps);
  RoleRegisters registers = boxes.empty() ? RoleRegisters() : getRegisters(producers, layouts);
  auto filling =
      RoleOp::create(b, RoleKind::Producer, warps, warps + producers, registers.producer);
  producer = b.createBlock(&filling.getBody());
  b.setInsertionPointAfter(filling);
  auto reading = RoleOp::create(b, RoleKind::Consumer, 0, warps, registers.consumer);
  consumer = b.createBlock(&reading.getBody());
  consumer->getOperations().splice(consumer->end(), kernel->getOperations(), first->getIterator(),
                                   end->getIterator());
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

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

void RoleExpander::emitCopies(scf::ForOp loop, IRMapping &map) {
  auto own = loop.getRegionIterArgs().take_back(4);
  // Of boxes the last one is the number of the iteration.
  Value slot = own[0], phase = own[1], filled = own[2], count = own[3];
  map.map(op.getInductionVar(), loop.getInductionVar());
  for (auto [index, value] : llvm::zip(slice.carried, loop.getRegionIterArgs()))
    map.map(op.getRegionIterArg(index), value);
  AcquireOp::create(b, channel, slot, phase);
  for (Operation *inner : ops)
    b.clone(*inner, map);
  if (boxes.empty())
    copyAll(map, Value(), slot);
  else
    copyBoxes(map, count, slot);
  publish(filled, count);
  if (!boxes.empty())
    count = arith::AddIOp::create(b, count, constant(1));
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
  limitConversions(producer->getParentOp());
  b.setInsertionPointToStart(producer);
  IRMapping map;
  for (Operation *inner : before)
    b.clone(*inner, map)->walk([](Operation *op) { op->removeAttr(SchedDialect::kConversions); });
  Values inits;
  SmallVector<Attribute> homes, arguments{layouts.getHomeAttr(op.getInductionVar())};
  for (unsigned index : slice.carried) {
    Value init = map.lookupOrDefault(op.getInitArgs()[index]);
    inits.push_back(keep(init, op.getRegionIterArg(index)));
    homes.push_back(layouts.getHomeAttr(op.getRegionIterArg(index)));
  }
  for (int i = 0; i < 4; ++i) {
    inits.push_back(constant(0));
    homes.push_back(b.getUnitAttr());
  }
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
    emitCopies(loop, map);
  }
  Value filled = loop.getResults().drop_back().back(), count = loop.getResults().back();
  for (int64_t i = 0; i < lag; ++i)
    publish(filled, count);
}

//===----------------------------------------------------------------------===//
// Consumer
//===----------------------------------------------------------------------===//

void RoleExpander::emitReads(scf::ForOp loop) {
  auto own = loop.getRegionIterArgs().take_back(3);
  Value slot = own[0], phase = own[1], last = own[2];
  AwaitOp::create(b, channel, slot, phase, 0);
  readAll(slot);
  moveBody(loop);
  Values results;
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    results.push_back(forLoads.contains(index) ? Value(loop.getRegionIterArg(index))
                                               : keep(value, op.getRegionIterArg(index)));
  if (deferred.empty()) {
    ReleaseOp::create(b, channel, slot, Value());
  } else {
    // The products of this iteration run on; those of the last one are done.
    DotWaitOp::create(b, TypeRange(), ValueRange(), deferred.size());
    ReleaseOp::create(b, channel, last, isLess(loop.getLowerBound(), loop.getInductionVar()));
  }
  Value following = advance(slot);
  results.append({following, flip(phase, following), slot});
  scf::YieldOp::create(b, results);
}

void RoleExpander::emitConsumer() {
  b.setInsertionPoint(op);
  Values inits;
  for (auto [index, init] : llvm::enumerate(op.getInitArgs()))
    inits.push_back(forLoads.contains(index) ? init : keep(init, op.getRegionIterArg(index)));
  Values own(3, constant(0));
  scf::ForOp loop = createLoop(inits, own, SmallVector<Attribute>(3, b.getUnitAttr()));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    emitReads(loop);
  }
  b.setInsertionPointAfter(op);
  replaceLoop(loop);
}

void RoleExpander::run() {
  createRoles();
  emitProducer();
  emitConsumer();
}
