// See RoleExpander.h. The producer:
//
//   loop { acquire; copies; publish of the slot that was filled `lag` iterations ago }
//   `lag` publishes more
//
// so that so many slots are on their way while the producer waits for an empty one. Boxes announce
// themselves, so that their slots are published at once. The consumer
// awaits a slot, reads it and releases it; where products run on into the next iteration, there.
// The last one's slot is not released then: nobody waits for it.
//
// With late products (LateProducts.h) there is a second channel, of the tiles that they read. The
// producer begins it with tiles of zeros, and the consumer is one slot behind:
//
//   loop { await; first product starts; await late; late products of the last iteration start;
//          first product ends, release; ...; late products end, release late }
//   await late; late products of the last iteration
//
// Warp groups may take turns to start these products: a turn begins before the first one starts,
// and ends when the late ones have started. Turns are open as long as the consumer runs.
//
// Loops that follow each other in the kernel use the same rings, if their tiles are alike: both
// roles go on where they are in them (RoleState), so that the producer fills slots of the next loop
// while the consumer is in the last iterations of this one.
#include "ir/schedule/RoleExpander.h"
#include "ir/schedule/LoopSlice.h"
#include "ir/schedule/RoleRules.h"

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

RoleExpander::Cursor RoleExpander::step(const Cursor &cursor) {
  Value following = advance(cursor.slot);
  return {cursor.channel, following, flip(cursor.phase, following)};
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
  state.producer = b.createBlock(&filling.getBody());
  b.setInsertionPointAfter(filling);
  auto reading = RoleOp::create(b, RoleKind::Consumer, 0, warps, registers.consumer);
  Block *consumer = state.consumer = b.createBlock(&reading.getBody());
  if (isPersistent) {
    state.filled.resize(2 * getChannels().size());
    state.read.resize(2 * getChannels().size());
    state.producer = openPrograms(b, state.producer, state.filled);
    consumer = state.consumer = openPrograms(b, state.consumer, state.read);
  }
  consumer->getOperations().splice(consumer->end(), kernel->getOperations(), first->getIterator(),
                                   end->getIterator());
  for (auto buffer : llvm::make_early_inc_range(consumer->getOps<StoreBufferOp>()))
    buffer->moveBefore(filling);
  state.rings.assign(rings.begin(), rings.end());
  state.channel = channel;
  state.lateChannel = lateChannel;
}

void RoleExpander::adoptRoles() {
  rings.assign(state.rings.begin(), state.rings.end());
  channel = state.channel;
  lateChannel = state.lateChannel;
}

/// The transposition of a slot's tile that `operand` may be, as `map` has the tile.
void RoleExpander::cloneTransposed(Value operand, IRMapping &map) {
  auto trans = operand.getDefiningOp<tile::TransOp>();
  if (!trans || map.contains(operand))
    return;
  cloneTransposed(trans.getSource(), map);
  b.clone(*trans, map);
}

/// A tile's transpositions go to where it is read.
static void bringOperand(Value operand) {
  auto trans = operand.getDefiningOp<tile::TransOp>();
  if (!trans)
    return;
  bringOperand(trans.getSource());
  trans->moveAfter(trans.getSource().getDefiningOp());
}

/// Whether this product alone reads the slots of `from` in its loop.
bool RoleExpander::readsAll(tile::DotOp dot, Value from) const {
  auto isOnly = [&](Value tile) {
    return llvm::all_of(findReaders(tile), [&](tile::DotOp reader) { return reader == dot; });
  };
  for (Value ring : rings)
    for (Operation *user : ring.getUsers())
      if (auto read = dyn_cast<ReadOp>(user); read && read->getBlock() == dot->getBlock() &&
                                              getChannel(ring) == from && !isOnly(read.getTile()))
        return false;
  return true;
}

void RoleExpander::takeTurn(TurnStep step) {
  if (!turns)
    return;
  TurnOp::create(b, step, turns);
  state.turns = turns;
}

void schedule::finishRoles(const RoleState &state) {
  if (!state.consumer)
    return;
  if (isPersistent(state.consumer->getParentOp()->getParentOfType<func::FuncOp>())) {
    closePrograms(state.producer, state.filled);
    closePrograms(state.consumer, state.read);
  }
  Operation *consumer = state.consumer->getParentOp();
  auto role = isa<RoleOp>(consumer) ? cast<RoleOp>(consumer) : consumer->getParentOfType<RoleOp>();
  Block *block = &role.getBody().front();
  auto b = ImplicitLocOpBuilder::atBlockEnd(role.getLoc(), block);
  for (auto buffer : role->getBlock()->getOps<StoreBufferOp>()) {
    for (Operation *user : buffer->getUsers())
      if (auto store = dyn_cast<StoreBoxOp>(user))
        store.getMaskMutable().clear();
    StoreWaitOp::create(b, buffer);
  }
  if (!state.turns)
    return;
  // Around all loops of the role: a group that closed turns alone and opened them again could give
  // a turn before the last one has been taken.
  TurnOp::create(b, TurnStep::Close, state.turns);
  b.setInsertionPointToStart(block);
  TurnOp::create(b, TurnStep::Open, state.turns);
}

void RoleExpander::startLate(scf::ForOp loop, ValueRange factors, const Cursor &behind) {
  tile::DotOp first = findFirstProduct(loop);
  b.setInsertionPointAfter(first);
  AwaitOp::create(b, behind.channel, behind.slot, behind.phase, 0);
  readAll(behind.slot, /*isLate=*/true);
  auto end = DotWaitOp::create(b, first.getType(), first.getResult(), ValueRange(), late.size());
  setHomes(end, layouts.getHomeAttr(first.getResult()));
  first.getResult().replaceAllUsesExcept(end.getResult(0), end);
  first->setAttr(SchedDialect::kInFlight, b.getUnitAttr());
  first->removeAttr(SchedDialect::kTurns);
  for (LateProduct &product : late) {
    tile::DotOp dot = product.dot;
    for (unsigned number : product.computed) {
      dot->setOperand(number, factors.front());
      factors = factors.drop_front();
    }
    dot.getAccMutable().assign(loop.getRegionIterArg(product.carried));
    dot->moveBefore(end);
    bringOperand(dot.getA());
    bringOperand(dot.getB());
    dot->removeAttr(SchedDialect::kStage);
    dot->setAttr(SchedDialect::kInFlight, b.getUnitAttr());
  }
  b.setInsertionPoint(end);
  takeTurn(TurnStep::End);
  b.setInsertionPointAfter(end);
}

/// The conversion that a factor is made by, if nothing but the product has read its result; null if
/// there is none.
static Operation *findConversion(Value factor) {
  Operation *op = factor.getDefiningOp();
  bool isConversion = isa_and_nonnull<arith::TruncFOp, arith::TruncIOp, tile::FpCastOp>(op);
  return isConversion && factor.use_empty() ? op : nullptr;
}

/// What scales the sums of the loop's late products, besides themselves.
RoleExpander::Values RoleExpander::getScales(scf::ForOp loop) const {
  Values scales;
  for (const LateProduct &product : late) {
    Value scaled = loop.getRegionIterArg(product.carried);
    for (Operation *step : product.scaling) {
      llvm::copy_if(step->getOperands(), std::back_inserter(scales),
                    [&](Value operand) { return operand != scaled; });
      scaled = step->getResult(0);
    }
  }
  return scales;
}

/// The tensor of which `value` is a broadcast.
static Value stripBroadcast(Value value) {
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Moves what `values` are computed of in the iteration behind `place`. The last such op; null if
/// nothing of it is computed there, or it cannot be moved.
static Operation *moveBehind(Operation *place, ValueRange values) {
  Block *block = place->getBlock();
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block || !place->isBeforeInBlock(op) || !slice.insert(op))
      continue;
    if (!isMemoryEffectFree(op))
      return nullptr;
    op->walk([&](Operation *inner) { work.append(inner->operand_begin(), inner->operand_end()); });
  }
  SmallVector<Operation *> sorted(slice.begin(), slice.end());
  llvm::sort(sorted, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *op : sorted) {
    op->moveAfter(place);
    place = op;
  }
  return sorted.empty() ? nullptr : place;
}

RoleExpander::Values RoleExpander::placeEnd(scf::ForOp loop, ValueRange factors, Operation *started,
                                            SmallVectorImpl<Operation *> &conversions) {
  // Sums are scaled as soon as their scales are known, which fills gaps between what threads
  // compute for the next factors.
  Values scales = getScales(loop);
  if (Operation *last = moveBehind(started, scales)) {
    b.setInsertionPointAfter(last);
    Values before;
    for (Value scale : scales)
      if (Value tensor = stripBroadcast(scale); isa<RankedTensorType>(tensor.getType()))
        before.push_back(tensor);
    return before;
  }
  // Products that run read the registers that the next ones' factors take the place of. So what is
  // converted to factors stays as it is until they end.
  Values before;
  for (Value factor : factors) {
    Operation *conversion = findConversion(factor);
    before.push_back(conversion ? conversion->getOperand(0) : factor);
    if (conversion)
      conversions.push_back(conversion);
  }
  return before;
}

void RoleExpander::endLate(scf::ForOp loop, ValueRange factors, Operation *started,
                           const Cursor &behind) {
  SmallVector<Operation *> conversions;
  Values before = placeEnd(loop, factors, started, conversions);
  Values sums;
  SmallVector<Attribute> homes;
  for (LateProduct &product : late) {
    sums.push_back(product.dot.getResult());
    homes.push_back(layouts.getHomeAttr(product.dot.getResult()));
  }
  auto end = DotWaitOp::create(b, ValueRange(sums).getTypes(), sums, before, 0);
  setHomes(end, homes);
  ReleaseOp::create(b, behind.channel, behind.slot, Value());
  for (Operation *conversion : conversions)
    conversion->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  for (auto [product, sum] : llvm::zip_equal(late, end.getResults())) {
    Value unscaled = loop.getRegionIterArg(product.carried), scaled = sum;
    for (Operation *step : product.scaling) {
      step->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
      step->replaceUsesOfWith(unscaled, scaled);
      unscaled = scaled = step->getResult(0);
    }
    yield->setOperand(product.carried, scaled);
  }
  b.setInsertionPointToEnd(loop.getBody());
}

/// The slots of this iteration, and those that late products read.
std::pair<RoleExpander::Cursor, RoleExpander::Cursor>
RoleExpander::getCursors(ValueRange carried) const {
  Cursor cursor{channel, carried[carried.size() - 4], carried[carried.size() - 3]};
  return {cursor, {lateChannel, carried[carried.size() - 2], carried.back()}};
}

void RoleExpander::emitLateReads(scf::ForOp loop) {
  auto [cursor, behind] = getCursors(loop.getRegionIterArgs());
  AwaitOp::create(b, channel, cursor.slot, cursor.phase, 0);
  readAll(cursor.slot);
  moveBody(loop);
  Values factors;
  for (LateProduct &product : late)
    for (unsigned number : product.computed)
      factors.push_back(product.dot->getOperand(number));
  bool isReleased = readsAll(findFirstProduct(loop), channel);
  Operation *started;
  {
    OpBuilder::InsertionGuard guard(b);
    auto carried = loop.getRegionIterArgs().drop_back(4).take_back(factors.size());
    b.setInsertionPoint(findFirstProduct(loop));
    takeTurn(TurnStep::Begin);
    startLate(loop, carried, behind);
    if (isReleased)
      ReleaseOp::create(b, channel, cursor.slot, Value());
    started = &*std::prev(b.getInsertionPoint());
  }
  endLate(loop, factors, started, behind);
  if (!isReleased)
    ReleaseOp::create(b, channel, cursor.slot, Value());
  Values results = keepYielded(loop);
  llvm::append_range(results, factors);
  for (const Cursor &next : {step(cursor), step(behind)})
    results.append({next.slot, next.phase});
  scf::YieldOp::create(b, results);
}

/// Sums of the last iteration, in place of those of `loop`.
void RoleExpander::emitLast(scf::ForOp loop) {
  Cursor behind = getCursors(loop.getResults()).second;
  AwaitOp::create(b, behind.channel, behind.slot, behind.phase, 0);
  IRMapping map;
  loop->walk([&](ReadOp read) {
    if (getChannel(read.getRing()) == lateChannel)
      cast<ReadOp>(b.clone(*read, map)).getSlotMutable().assign(behind.slot);
  });
  for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    map.map(argument, result);
  for (const LateProduct &product : late) {
    tile::DotOp dot = product.dot;
    for (Value operand : {dot.getA(), dot.getB()})
      cloneTransposed(operand, map);
    Operation *last = b.clone(*dot, map);
    last->removeAttr(SchedDialect::kInFlight);
    op.getResult(product.carried).replaceAllUsesWith(last->getResult(0));
  }
  ReleaseOp::create(b, behind.channel, behind.slot, Value());
  Cursor following = step(behind);
  state.read[2] = following.slot, state.read[3] = following.phase;
}

void RoleExpander::emitReads(scf::ForOp loop) {
  auto own = loop.getRegionIterArgs().take_back(3);
  Cursor cursor{channel, own[0], own[1]};
  Value last = own[2];
  AwaitOp::create(b, channel, cursor.slot, cursor.phase, 0);
  readAll(cursor.slot);
  moveBody(loop);
  Values results = keepYielded(loop);
  if (deferred.empty()) {
    ReleaseOp::create(b, channel, cursor.slot, Value());
  } else {
    // The products of this iteration run on; those of the last one are done.
    DotWaitOp::create(b, TypeRange(), ValueRange(), ValueRange(), deferred.size());
    ReleaseOp::create(b, channel, last, isLess(loop.getLowerBound(), loop.getInductionVar()));
  }
  Cursor next = step(cursor);
  results.append({next.slot, next.phase, cursor.slot});
  scf::YieldOp::create(b, results);
}

/// The values of the next iteration that the loop had before.
RoleExpander::Values RoleExpander::keepYielded(scf::ForOp loop) {
  Values results;
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    results.push_back(forLoads.contains(index) ? Value(loop.getRegionIterArg(index))
                                               : keep(value, op.getRegionIterArg(index)));
  return results;
}

void RoleExpander::emitConsumer() {
  b.setInsertionPoint(op);
  Values inits, own;
  SmallVector<Attribute> homes;
  for (auto [index, init] : llvm::enumerate(op.getInitArgs()))
    inits.push_back(forLoads.contains(index) ? init : keep(init, op.getRegionIterArg(index)));
  for (LateProduct &product : late)
    for (unsigned number : product.computed) {
      // The first iteration multiplies zeros.
      Value factor = product.dot->getOperand(number);
      auto zeros = arith::ConstantOp::create(b, b.getZeroAttr(factor.getType()));
      own.push_back(keep(zeros, factor));
      homes.push_back(layouts.getHomeAttr(factor));
    }
  // Where each channel is; without late products, the slot before.
  if (state.read.empty())
    state.read.assign(2 * getChannels().size(), constant(0));
  llvm::append_range(own, state.read);
  if (late.empty())
    own.push_back(constant(0));
  homes.append(own.size() - homes.size(), b.getUnitAttr());
  scf::ForOp loop = createLoop(inits, own, homes);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    if (late.empty())
      emitReads(loop);
    else
      emitLateReads(loop);
  }
  b.setInsertionPointAfter(op);
  size_t cursors = state.read.size();
  llvm::copy(late.empty() ? loop.getResults().drop_back().take_back(cursors)
                          : loop.getResults().take_back(cursors),
             state.read.begin());
  if (!late.empty())
    emitLast(loop);
  replaceLoop(loop);
  // The next program fills the last slot that products have read.
  if (isPersistent && !deferred.empty())
    ReleaseOp::create(b, channel, loop.getResults().back(),
                      isLess(loop.getLowerBound(), loop.getUpperBound()));
}

void RoleExpander::run() {
  if (state.producer)
    adoptRoles();
  else
    createRoles();
  emitProducer();
  emitConsumer();
}
