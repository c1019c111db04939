// See Protocol.h. Each role is traced by itself (ProtocolTrace.h). Then the traces run beside each
// other: a role stops where it waits for another one, and goes on once that has come so far. What
// happens to a slot does not depend on who goes first, because phases are checked against how often
// it has been used.
#include "ir/schedule/Protocol.h"
#include "ir/schedule/ProtocolTrace.h"
#include "ir/schedule/RingTile.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;
using namespace tilerun::distribute;

namespace {
/// A slot of a channel: how often each has happened to it.
struct Slot {
  int64_t acquired = 0, published = 0, awaited = 0, released = 0;
  int64_t group = 0; ///< The publish that counts its latest copies.
  bool isFilled = false;
};

struct Channel {
  std::vector<Slot> slots;
  int64_t publishes = 0; ///< Those that make no slot full, too.
};

/// A slot of a ring that somebody reads.
struct Place {
  Value ring;
  int64_t slot;
  bool operator==(const Place &) const = default;
};

/// What one role has done so far.
struct Runner {
  RoleOp role; ///< Null: there are no roles.
  std::vector<ProtocolStep> steps;
  size_t next = 0;
  SmallVector<SmallVector<Place, 2>> products; ///< That may be under way, oldest first.
  bool isDone() const { return next == steps.size(); }
};

enum class Progress { Step, Wait, Error };

class Simulation {
public:
  LogicalResult run(MutableArrayRef<Runner> runners);

private:
  using Code = Progress;
  Code step(Runner &runner, const ProtocolStep &step);
  Code acquire(Runner &runner, AcquireOp op, const ProtocolStep &step);
  Code publish(Runner &runner, PublishOp op, const ProtocolStep &step);
  Code await(Runner &runner, AwaitOp op, const ProtocolStep &step);
  Code release(Runner &runner, ReleaseOp op, const ProtocolStep &step);
  Code fill(Runner &runner, Operation *op, Value ring, const ProtocolStep &step);
  Code read(ReadOp op, const ProtocolStep &step);
  void start(Runner &runner, tile::DotOp dot);
  Code fail(Operation *op, const Twine &what) {
    (void)op->emitOpError(what);
    return Progress::Error;
  }
  /// The slot, if there is one of this number, and the role is who it must be.
  Slot *find(Runner &runner, Operation *op, Value channel, int64_t slot, bool fills);
  /// The channel that orders a ring's slots; of those that hold this slot the latest.
  Value channelOf(Value ring, function_ref<bool(const Slot &)> holds, int64_t slot);
  bool isRead(const Runner &runner, Place place) const;
  LogicalResult checkEnd();

  llvm::MapVector<Value, Channel> channels;
  llvm::DenseMap<Value, Value> channelOfRing;
  llvm::DenseMap<Value, int64_t> slotOfRead;
};

std::string slotName(int64_t slot) { return "slot " + std::to_string(slot); }
std::string times(int64_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}
} // namespace

//===----------------------------------------------------------------------===//
// Steps of channels
//===----------------------------------------------------------------------===//

Slot *Simulation::find(Runner &runner, Operation *op, Value channel, int64_t slot, bool fills) {
  ChannelType type = getChannelType(channel);
  if (slot < 0 || slot >= type.getSlots())
    return fail(op, "uses " + slotName(slot) + " of a channel of " + Twine(type.getSlots())),
           nullptr;
  if (type.isBetweenRoles()) {
    RoleKind kind = fills ? RoleKind::Producer : RoleKind::Consumer;
    unsigned warps = fills ? type.getProducers() : type.getConsumers();
    if (!runner.role || runner.role.getKind() != kind)
      return fail(op, "is not in a " + stringifyRoleKind(kind)), nullptr;
    if (runner.role.getWarps() != warps)
      return fail(op, "is in a role of " + Twine(runner.role.getWarps()) +
                          " warps, but its channel has " + Twine(warps) + " of them"),
             nullptr;
  }
  return &channels[channel].slots[slot];
}

Progress Simulation::acquire(Runner &runner, AcquireOp op, const ProtocolStep &step) {
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
  slot->isFilled = false;
  return Progress::Step;
}

Progress Simulation::publish(Runner &runner, PublishOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/true);
  if (!slot)
    return Progress::Error;
  int64_t number = channels[op.getChannel()].publishes++;
  if (!step.when)
    return Progress::Step;
  if (slot->acquired == slot->published)
    return fail(op, "publishes " + slotName(step.slot) + ", which has not been acquired");
  if (slot->isFilled && slot->group > number - int64_t(op.getPending()))
    return fail(op, "publishes " + slotName(step.slot) + ", whose copies may still be under way");
  ++slot->published;
  return Progress::Step;
}

Progress Simulation::await(Runner &runner, AwaitOp op, const ProtocolStep &step) {
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
  if (slot->isFilled &&
      slot->group >= channels[op.getChannel()].publishes - int64_t(op.getPending()))
    return fail(op, "awaits " + slotName(step.slot) + ", whose copies may still be under way");
  ++slot->awaited;
  return Progress::Step;
}

bool Simulation::isRead(const Runner &runner, Place place) const {
  return llvm::any_of(runner.products, [&](const SmallVector<Place, 2> &product) {
    return llvm::is_contained(product, place);
  });
}

Progress Simulation::release(Runner &runner, ReleaseOp op, const ProtocolStep &step) {
  Slot *slot = find(runner, op, op.getChannel(), step.slot, /*fills=*/false);
  if (!slot)
    return Progress::Error;
  if (!step.when)
    return Progress::Step;
  if (slot->awaited == slot->released)
    return fail(op, "releases " + slotName(step.slot) + ", which has not been awaited");
  if (getChannelType(op.getChannel()).isBetweenRoles())
    for (auto [ring, channel] : channelOfRing)
      if (channel == op.getChannel() && isRead(runner, {ring, step.slot}))
        return fail(op, "releases " + slotName(step.slot) +
                            ", which products that are under way may still read");
  ++slot->released;
  return Progress::Step;
}

//===----------------------------------------------------------------------===//
// Steps of rings and products
//===----------------------------------------------------------------------===//

Value Simulation::channelOf(Value ring, function_ref<bool(const Slot &)> holds, int64_t slot) {
  if (Value known = channelOfRing.lookup(ring))
    return holds(channels[known].slots[slot]) ? known : Value();
  for (auto &[channel, state] : llvm::reverse(channels))
    if (slot < int64_t(state.slots.size()) && holds(state.slots[slot]) &&
        getChannelType(channel).getSlots() == getRingType(ring).getSlots()) {
      channelOfRing[ring] = channel;
      return channel;
    }
  return {};
}

Progress Simulation::fill(Runner &runner, Operation *op, Value ring, const ProtocolStep &step) {
  if (step.slot < 0 || step.slot >= getRingType(ring).getSlots())
    return fail(op, "uses " + slotName(step.slot) + " of a ring of " +
                        Twine(getRingType(ring).getSlots()));
  Value channel =
      channelOf(ring, [](const Slot &slot) { return slot.acquired != slot.published; }, step.slot);
  if (!channel)
    return fail(op, "fills " + slotName(step.slot) +
                        ", which is not between an acquire and its publish");
  if (isRead(runner, {ring, step.slot}))
    return fail(op, "fills " + slotName(step.slot) +
                        ", which products that are under way may still read");
  Channel &state = channels[channel];
  Slot &slot = state.slots[step.slot];
  // Puts have landed when they are made.
  if (isa<CopyOp>(op)) {
    slot.isFilled = true;
    slot.group = state.publishes;
  }
  return Progress::Step;
}

Progress Simulation::read(ReadOp op, const ProtocolStep &step) {
  if (step.slot < 0 || step.slot >= getRingType(op.getRing()).getSlots())
    return fail(op, "uses " + slotName(step.slot) + " of a ring of " +
                        Twine(getRingType(op.getRing()).getSlots()));
  if (!channelOf(
          op.getRing(), [](const Slot &slot) { return slot.awaited != slot.released; }, step.slot))
    return fail(op,
                "reads " + slotName(step.slot) + ", which is not between an await and its release");
  slotOfRead[op.getTile()] = step.slot;
  return Progress::Step;
}

void Simulation::start(Runner &runner, tile::DotOp dot) {
  SmallVector<Place, 2> places;
  for (Value operand : {dot.getA(), dot.getB()}) {
    while (auto trans = operand.getDefiningOp<tile::TransOp>())
      operand = trans.getSource();
    if (auto read = operand.getDefiningOp<ReadOp>())
      places.push_back({read.getRing(), slotOfRead.lookup(operand)});
  }
  runner.products.push_back(places);
}

Progress Simulation::step(Runner &runner, const ProtocolStep &step) {
  Operation *op = step.op;
  if (auto channel = dyn_cast<ChannelOp>(op)) {
    channels[channel] = {};
    channels[channel].slots.resize(getChannelType(channel).getSlots());
    return Progress::Step;
  }
  if (auto ring = dyn_cast<RingOp>(op)) {
    channelOfRing.erase(ring);
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
  if (auto put = dyn_cast<PutOp>(op))
    return fill(runner, op, put.getRing(), step);
  if (auto tile = dyn_cast<ReadOp>(op))
    return read(tile, step);
  if (auto wait = dyn_cast<DotWaitOp>(op)) {
    if (size_t all = runner.products.size(), left = wait.getPending(); all > left)
      runner.products.erase(runner.products.begin(), runner.products.end() - left);
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    start(runner, dot);
  }
  return Progress::Step;
}

//===----------------------------------------------------------------------===//
// Roles beside each other
//===----------------------------------------------------------------------===//

/// Between roles all that is filled is read. The last releases may be missing: nobody waits for
/// them.
LogicalResult Simulation::checkEnd() {
  for (auto &[channel, state] : channels) {
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

LogicalResult Simulation::run(MutableArrayRef<Runner> runners) {
  for (bool isMoving = true; isMoving;) {
    isMoving = false;
    for (Runner &runner : runners)
      while (!runner.isDone()) {
        Progress progress = step(runner, runner.steps[runner.next]);
        if (progress == Progress::Error)
          return failure();
        if (progress == Progress::Wait)
          break;
        ++runner.next;
        isMoving = true;
      }
  }
  auto *stuck = llvm::find_if(runners, [](Runner &runner) { return !runner.isDone(); });
  if (stuck == runners.end())
    return checkEnd();
  const ProtocolStep &last = stuck->steps[stuck->next];
  auto error = last.op->emitOpError() << "waits for " << slotName(last.slot) << " forever";
  for (Runner &runner : runners)
    if (&runner != stuck && runner.role) {
      auto &note = error.attachNote(runner.isDone() ? runner.role.getLoc()
                                                    : runner.steps[runner.next].op->getLoc());
      note << "the " << stringifyRoleKind(runner.role.getKind())
           << (runner.isDone() ? " has ended" : " waits here");
    }
  return error;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// What roles need of the target, and rings between them of its shared memory.
static LogicalResult checkRoles(MutableArrayRef<RoleOp> roles, func::FuncOp kernel,
                                const LayoutAssignment &layouts) {
  if (roles.empty())
    return success();
  const target::TargetInfo &target = layouts.target();
  unsigned warps = 0;
  for (auto [i, role] : llvm::enumerate(roles)) {
    if (!target.hasRoles)
      return role->emitOpError() << "cannot be on " << target.name << ", which has no roles";
    if (role.getWarps() != layouts.numWarps())
      return role->emitOpError() << "has " << role.getWarps() << " warps, but layouts are for "
                                 << layouts.numWarps();
    for (RoleOp other : roles.slice(0, i))
      if (role.getFirst() < other.getEnd() && other.getFirst() < role.getEnd())
        return role->emitOpError("has warps of another role");
    warps = std::max(warps, role.getEnd());
  }
  for (Operation &op : kernel.getBody().front())
    if (!isa<RoleOp, RingOp, ChannelOp, func::ReturnOp>(op))
      return op.emitOpError("is beside roles; all of a kernel but rings and channels is in them");
  if (uint64_t threads = uint64_t(warps) * target.warpSize; threads > target.maxThreads)
    return kernel.emitError() << "roles take " << threads << " threads, but " << target.name
                              << " allows " << target.maxThreads << " in a program";
  uint64_t bytes = 0;
  for (auto ring : kernel.getOps<RingOp>())
    bytes += ring.getRing().getType().getSlots() *
             slotBytesOf(ring.getRing().getType().getTile(), ring.getRing().getType().getForm());
  for (auto channel : kernel.getOps<ChannelOp>())
    bytes += getChannelType(channel).getSlots() * 2 * kPhaseBytes;
  if (bytes > target.sharedMemoryBytes)
    return kernel.emitError() << "rings between roles take " << bytes << " bytes, but "
                              << target.name << " has " << target.sharedMemoryBytes
                              << " of shared memory";
  return success();
}

static LogicalResult simulate(func::FuncOp kernel, int64_t trips, int64_t limit) {
  TripCounts counts(trips, limit);
  Runner before;
  std::vector<Runner> runners;
  for (Operation &op : kernel.getBody().front())
    if (auto channel = dyn_cast<ChannelOp>(op); channel || isa<RingOp>(op))
      before.steps.push_back({&op});
  bool hasRoles = false;
  for (auto role : kernel.getOps<RoleOp>()) {
    auto steps = traceProtocol(role.getBody().front(), counts);
    if (failed(steps))
      return failure();
    runners.emplace_back().role = role;
    runners.back().steps = std::move(*steps);
    hasRoles = true;
  }
  if (!hasRoles) {
    auto steps = traceProtocol(kernel.getBody().front(), counts);
    if (failed(steps))
      return failure();
    before.steps.clear();
    runners.emplace_back().steps = std::move(*steps);
  }
  Simulation simulation;
  if (failed(simulation.run(before)))
    return failure();
  return simulation.run(runners);
}

LogicalResult schedule::checkProtocol(func::FuncOp kernel, const LayoutAssignment &layouts) {
  int64_t slots = 0;
  kernel.walk([&](ChannelOp op) { slots = std::max(slots, getChannelType(op).getSlots()); });
  SmallVector<RoleOp> roles(kernel.getOps<RoleOp>());
  if (failed(checkRoles(roles, kernel, layouts)))
    return failure();
  if (!slots && roles.empty())
    return success();
  for (int64_t trips : {int64_t(0), int64_t(1), slots, 2 * slots + 2})
    if (failed(simulate(kernel, trips, 2 * slots + 2)))
      return failure();
  return success();
}
