// See ProtocolSimulation.h.
#include "ir/schedule/ProtocolSimulation.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

static std::string slotName(int64_t slot) { return "slot " + std::to_string(slot); }

static std::string times(int64_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}

const ProtocolStep *Runner::getNext() {
  while (!calls.empty() && calls.back().next == calls.back().trace->steps.size())
    calls.pop_back();
  return calls.empty() ? nullptr : &calls.back().trace->steps[calls.back().next];
}

//===----------------------------------------------------------------------===//
// Steps of channels
//===----------------------------------------------------------------------===//

Simulation::Slot *Simulation::find(Runner &runner, Operation *op, Value channel, int64_t slot,
                                   bool fills) {
  ChannelType type = getChannelType(channel);
  if (slot < 0 || slot >= type.getSlots())
    return fail(op, "uses " + slotName(slot) + " of a channel of " + Twine(type.getSlots())),
           nullptr;
  if (type.isBetweenRoles()) {
    RoleKind kind = fills ? RoleKind::Producer : RoleKind::Consumer;
    unsigned warps = fills ? type.getProducers() : type.getConsumers();
    if (!runner.role || runner.role.getKind() != kind)
      return fail(op, "is not in a " + stringifyRoleKind(kind)), nullptr;
    // Of boxes one thread fills, however many warps its role has.
    bool isOneThread = fills && type.getCopies() == CopyKind::Boxes;
    if (runner.role.getWarps() != warps && !isOneThread)
      return fail(op, "is in a role of " + Twine(runner.role.getWarps()) +
                          " warps, but its channel has " + Twine(warps) + " of them"),
             nullptr;
  }
  return &channels[channel].slots[slot];
}

void Simulation::Channel::land(int64_t pending) {
  for (Slot &slot : slots)
    slot.isInFlight &= slot.group >= publishes - pending;
}

Simulation::Progress Simulation::acquire(Runner &runner, AcquireOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/true);
  if (!slot)
    return Progress::Error;
  if (slot->acquired != slot->published)
    return fail(op, "acquires " + slotName(step.slot) +
                        ", which has been acquired and not been "
                        "published");
  if (op.getPhase() && step.phase != slot->published % 2)
    return fail(op, "waits with phase " + Twine(step.phase) + " for " + slotName(step.slot) +
                        ", which has been filled " + times(slot->published) + " before");
  if (slot->released != slot->acquired) {
    if (op.getPhase())
      return Progress::Wait;
    return fail(op, "acquires " + slotName(step.slot) + ", which has not been released");
  }
  ++slot->acquired;
  slot->isInFlight = false;
  slot->rings.clear();
  return Progress::Step;
}

Simulation::Progress Simulation::publish(Runner &runner, PublishOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/true);
  if (!slot)
    return Progress::Error;
  int64_t number = channels[op.getChannel()].publishes++;
  if (!step.when)
    return Progress::Step;
  if (slot->acquired == slot->published)
    return fail(op, "publishes " + slotName(step.slot) + ", which has not been acquired");
  if (slot->isInFlight && slot->group > number - int64_t(op.getPending()))
    return fail(op, "publishes " + slotName(step.slot) + ", whose copies may still be under way");
  ++slot->published;
  return Progress::Step;
}

Simulation::Progress Simulation::await(Runner &runner, AwaitOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/false);
  if (!slot)
    return Progress::Error;
  if (slot->awaited != slot->released)
    return fail(op, "awaits " + slotName(step.slot) + ", which is being read");
  if (op.getPhase() && step.phase != slot->awaited % 2)
    return fail(op, "waits with phase " + Twine(step.phase) + " for " + slotName(step.slot) +
                        ", which has been read " + times(slot->awaited) + " before");
  if (slot->published == slot->awaited) {
    if (op.getPhase())
      return Progress::Wait;
    return fail(op, "awaits " + slotName(step.slot) + ", which has not been published");
  }
  channels[op.getChannel()].land(op.getPending());
  if (slot->isInFlight)
    return fail(op, "awaits " + slotName(step.slot) + ", whose copies may still be under way");
  ++slot->awaited;
  for (Slot &each : channels[op.getChannel()].slots)
    each.isRead = false;
  return Progress::Step;
}

bool Simulation::isRead(const Runner &runner, Runner::Place place) const {
  return llvm::any_of(runner.products, [&](const Runner::Product &product) {
    return llvm::is_contained(product, place);
  });
}

Simulation::Progress Simulation::release(Runner &runner, ReleaseOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/false);
  if (!slot)
    return Progress::Error;
  if (!step.when)
    return Progress::Step;
  if (slot->awaited == slot->released)
    return fail(op, "releases " + slotName(step.slot) + ", which has not been awaited");
  if (getChannelType(op.getChannel()).isBetweenRoles())
    for (const Runner::Product &product : runner.products)
      for (const Runner::Place &place : product)
        if (place.slot == step.slot && getChannel(place.ring) == op.getChannel())
          return fail(op, "releases " + slotName(step.slot) +
                              ", which products that are under way may still read");
  ++slot->released;
  return Progress::Step;
}

//===----------------------------------------------------------------------===//
// Steps of rings and products
//===----------------------------------------------------------------------===//

Simulation::Progress Simulation::fill(Runner &runner, Operation *op, Value ring,
                                      const ProtocolStep &step) {
  if (step.slot < 0 || step.slot >= getRingType(ring).getSlots())
    return fail(op, "uses " + slotName(step.slot) + " of a ring of " +
                        Twine(getRingType(ring).getSlots()));
  Channel &state = channels[getChannel(ring)];
  Slot &slot = state.slots[step.slot];
  if (slot.acquired == slot.published)
    return fail(op, "fills " + slotName(step.slot) +
                        ", which is not between an acquire and its publish");
  if (isRead(runner, {ring, step.slot}))
    return fail(op, "fills " + slotName(step.slot) +
                        ", which products that are under way may still read");
  if (auto put = dyn_cast<PutOp>(op); put && put.getAhead() && slot.isRead)
    return fail(op, "is ahead and fills " + slotName(step.slot) +
                        ", which products have read since the channel's last await");
  if (llvm::is_contained(slot.rings, ring))
    return fail(op, "fills " + slotName(step.slot) + " twice between an acquire and its publish");
  slot.rings.push_back(ring);
  // Puts have landed when they are made.
  if (isa<CopyOp, CopyBoxOp>(op)) {
    slot.isInFlight = true;
    slot.group = state.publishes;
  }
  return Progress::Step;
}

Simulation::Progress Simulation::read(ReadOp op, const ProtocolStep &step) {
  if (step.slot < 0 || step.slot >= getRingType(op.getRing()).getSlots())
    return fail(op, "uses " + slotName(step.slot) + " of a ring of " +
                        Twine(getRingType(op.getRing()).getSlots()));
  const Slot &slot = channels[getChannel(op.getRing())].slots[step.slot];
  if (slot.awaited == slot.released)
    return fail(op,
                "reads " + slotName(step.slot) + ", which is not between an await and its release");
  if (!llvm::is_contained(slot.rings, op.getRing()))
    return fail(op, "reads " + slotName(step.slot) +
                        ", which nothing has filled since it was acquired");
  readings[op.getTile()] = {step.slot, slot.awaited};
  return Progress::Step;
}

/// Products read slots at their own place.
Simulation::Progress Simulation::multiply(Runner &runner, tile::DotOp dot) {
  Runner::Product places;
  for (Value operand : {dot.getA(), dot.getB()}) {
    while (auto trans = operand.getDefiningOp<tile::TransOp>())
      operand = trans.getSource();
    auto read = operand.getDefiningOp<ReadOp>();
    if (!read)
      continue;
    const Reading its = readings.lookup(operand);
    Slot &slot = channels[getChannel(read.getRing())].slots[its.slot];
    if (slot.awaited != its.use || slot.released == its.use)
      return fail(dot, "reads " + slotName(its.slot) + ", which has been released before");
    slot.isRead = true;
    places.push_back({read.getRing(), its.slot});
  }
  if (isInFlight(dot))
    runner.products.push_back(places);
  return Progress::Step;
}

/// Groups of a role do the same, so that turns cannot be out of step if they alternate: then the
/// group that waits for a turn gets it once the one before it has started its products.
Simulation::Progress Simulation::takeTurn(Runner &runner, TurnOp op) {
  auto isLast = [&](std::initializer_list<TurnStep> steps) {
    return llvm::is_contained(steps, runner.turn);
  };
  switch (op.getStep()) {
  case TurnStep::Open:
    if (!isLast({TurnStep::Close}))
      return fail(op, "opens turns that are open");
    break;
  case TurnStep::Begin:
    if (!isLast({TurnStep::Open, TurnStep::End}))
      return fail(op, isLast({TurnStep::Begin}) ? "begins a turn in a turn"
                                                : "begins a turn before turns are open");
    break;
  case TurnStep::End:
    if (!isLast({TurnStep::Begin}))
      return fail(op, "ends a turn that has not begun");
    break;
  case TurnStep::Close:
    if (!isLast({TurnStep::Open, TurnStep::End}))
      return fail(op, isLast({TurnStep::Begin}) ? "closes turns in a turn"
                                                : "closes turns that are not open");
    break;
  }
  runner.turn = op.getStep();
  return Progress::Step;
}

Simulation::Progress Simulation::step(Runner &runner, const ProtocolStep &step) {
  ++count;
  const Progress progress = dispatch(runner, step);
  if (listener && progress == Progress::Step)
    listener(runner, step);
  return progress;
}

Simulation::Progress Simulation::dispatch(Runner &runner, const ProtocolStep &step) {
  Operation *op = step.op;
  if (auto channel = dyn_cast<ChannelOp>(op)) {
    if (failed(checkLanded(channel)))
      return Progress::Error;
    channels[channel] = {};
    channels[channel].slots.resize(getChannelType(channel).getSlots());
    return Progress::Step;
  }
  if (auto acquired = dyn_cast<AcquireOp>(op))
    return acquire(runner, acquired, step);
  if (auto published = dyn_cast<PublishOp>(op))
    return publish(runner, published, step);
  if (auto awaited = dyn_cast<AwaitOp>(op))
    return await(runner, awaited, step);
  if (auto released = dyn_cast<ReleaseOp>(op))
    return release(runner, released, step);
  if (auto copy = dyn_cast<CopyOp>(op))
    return fill(runner, op, copy.getRing(), step);
  if (auto copy = dyn_cast<CopyBoxOp>(op))
    return fill(runner, op, copy.getRing(), step);
  if (auto put = dyn_cast<PutOp>(op))
    return fill(runner, op, put.getRing(), step);
  if (auto tile = dyn_cast<ReadOp>(op))
    return read(tile, step);
  if (auto turn = dyn_cast<TurnOp>(op))
    return takeTurn(runner, turn);
  if (auto drained = dyn_cast<DrainOp>(op))
    for (Slot &slot : channels[drained.getChannel()].slots)
      slot.isInFlight = false;
  if (auto wait = dyn_cast<DotWaitOp>(op)) {
    if (size_t all = runner.products.size(), left = wait.getPending(); all > left)
      runner.products.erase(runner.products.begin(), runner.products.end() - left);
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    return multiply(runner, dot);
  }
  return Progress::Step;
}

//===----------------------------------------------------------------------===//
// Roles beside each other
//===----------------------------------------------------------------------===//

/// Within one role copies have landed when the channel ends, or is made again in a loop around it:
/// its rings' memory is others' then.
LogicalResult Simulation::checkLanded(ChannelOp channel) {
  auto it = channels.find(channel);
  if (it == channels.end() || getChannelType(channel).isBetweenRoles())
    return success();
  for (auto [number, slot] : llvm::enumerate(it->second.slots))
    if (slot.isInFlight)
      return channel.emitOpError() << "ends while copies into " << slotName(number)
                                   << " may be under way; 'sched.drain' waits for them";
  return success();
}

/// Between roles all that is filled is read. The last releases may be missing: nobody waits for
/// them.
LogicalResult Simulation::checkEnd(ArrayRef<Runner> runners) {
  for (const Runner &runner : runners)
    if (runner.turn != TurnStep::Close)
      return runner.role->emitOpError("ends, and its turns are not closed");
  for (auto &[channel, state] : channels) {
    if (failed(checkLanded(channel.getDefiningOp<ChannelOp>())))
      return failure();
    if (!getChannelType(channel).isBetweenRoles())
      continue;
    for (auto [number, slot] : llvm::enumerate(state.slots)) {
      auto error = [&](const Twine &what) {
        return channel.getDefiningOp()->emitOpError() << slotName(number) << " " << what.str();
      };
      if (slot.acquired != slot.published)
        return error("is acquired " + times(slot.acquired) + ", but published " +
                     times(slot.published));
      if (slot.published != slot.awaited)
        return error("is published " + times(slot.published) + ", but awaited " +
                     times(slot.awaited));
    }
  }
  return success();
}

/// One step of a role, or all of a loop that waits for nobody.
Simulation::Progress Simulation::advance(Runner &runner) {
  const ProtocolStep &next = *runner.getNext();
  if (next.loop && next.loop->waits) {
    runner.pass();
    runner.enter(*next.loop);
    return Progress::Step;
  }
  Progress progress = next.loop ? runLoop(runner, *next.loop) : step(runner, next);
  if (progress == Progress::Step)
    runner.pass();
  return progress;
}

LogicalResult Simulation::run(MutableArrayRef<Runner> runners) {
  for (bool isMoving = true; isMoving;) {
    isMoving = false;
    for (Runner &runner : runners)
      while (runner.getNext()) {
        Progress progress = advance(runner);
        if (progress == Progress::Error)
          return failure();
        if (progress == Progress::Wait)
          break;
        isMoving = true;
      }
  }
  auto *stuck = llvm::find_if(runners, [](Runner &runner) { return runner.getNext(); });
  if (stuck == runners.end())
    return checkEnd(runners);
  const ProtocolStep &last = *stuck->getNext();
  auto error = last.op->emitOpError() << "waits for " << slotName(last.slot) << " forever";
  for (Runner &runner : runners) {
    if (&runner == stuck || !runner.role)
      continue;
    const ProtocolStep *at = runner.getNext();
    auto &note = error.attachNote(at ? at->op->getLoc() : runner.role.getLoc());
    note << "the " << stringifyRoleKind(runner.role.getKind())
         << (at ? " waits here" : " has ended");
  }
  return error;
}
