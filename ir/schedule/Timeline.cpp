// See Timeline.h.
#include "ir/schedule/Timeline.h"

#include "ir/schedule/ProtocolSimulation.h"
#include "ir/tile/Remarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

namespace {

/// Follows a simulation, step by step.
class Clockwork {
public:
  Clockwork(func::FuncOp kernel, Timeline &timeline) : timeline(timeline) {
    for (auto role : kernel.getOps<RoleOp>()) {
      roles[role] = timeline.roles.size();
      timeline.roles.push_back(
          {llvm::formatv("{0}, warps {1} to {2}", stringifyRoleKind(role.getKind()),
                         role.getFirst(), role.getEnd())});
    }
    if (roles.empty()) {
      roles[nullptr] = 0;
      timeline.roles.push_back({"program"});
    }
    clocks.resize(timeline.roles.size());
    kernel.walk([&](ChannelOp channel) { addChannel(channel); });
    kernel.walk([&](RingOp ring) { addRing(ring); });
  }
  void take(const Runner &runner, const ProtocolStep &step);

private:
  using Place = std::pair<Value, int64_t>; ///< A slot of a channel.
  void addChannel(ChannelOp op);
  void addRing(RingOp op);
  int64_t &clockOf(const Runner &runner) { return clocks[roles.lookup(runner.role)]; }
  void copy(const Runner &runner, Value ring, int64_t slot);
  void await(const Runner &runner, Place place);
  void free(const Runner &runner);

  Timeline &timeline;
  llvm::DenseMap<Operation *, size_t> roles;
  std::vector<int64_t> clocks;
  llvm::DenseMap<Value, size_t> channelOf;
  std::map<size_t, int64_t> fills; ///< By channel.
  /// The pass that is in a slot, or was there last.
  llvm::DenseMap<Place, size_t> current;
  llvm::DenseSet<Place> acquired; ///< Without a copy so far.
  std::vector<Place> released;    ///< Which products may still read.
};

} // namespace

void Clockwork::addChannel(ChannelOp op) {
  const ChannelType type = getChannelType(op);
  channelOf[op] = timeline.channels.size();
  Timeline::Channel &made = timeline.channels.emplace_back();
  made.line = findLine(op.getLoc());
  made.slots = type.getSlots();
  made.copies = stringifyCopyKind(type.getCopies());
}

void Clockwork::addRing(RingOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const RankedTensorType tile = getRingType(op).getTile();
  for (int64_t extent : tile.getShape())
    os << extent << "x";
  os << tile.getElementType();
  timeline.channels[channelOf.lookup(op.getChannel())].tiles.push_back(text);
}

/// The copies into one slot start together.
void Clockwork::copy(const Runner &runner, Value ring, int64_t slot) {
  const Value channel = getChannel(ring);
  if (!acquired.erase({channel, slot}))
    return;
  const size_t index = channelOf.lookup(channel);
  int64_t &clock = clockOf(runner);
  current[{channel, slot}] = timeline.passes.size();
  timeline.passes.push_back(
      {index, fills[index]++, slot, roles.lookup(runner.role), roles.lookup(runner.role), clock});
  ++clock;
}

void Clockwork::await(const Runner &runner, Place place) {
  auto found = current.find(place);
  if (found == current.end())
    return;
  Timeline::Pass &pass = timeline.passes[found->second];
  int64_t &clock = clockOf(runner);
  clock = std::max(clock, pass.copied + 1);
  pass.consumer = roles.lookup(runner.role);
  pass.read = clock++;
}

/// Slots that were released and that no product in flight reads any more.
void Clockwork::free(const Runner &runner) {
  llvm::erase_if(released, [&](Place place) {
    for (const Runner::Product &product : runner.products)
      for (const Runner::Place &read : product)
        if (read.slot == place.second && getChannel(read.ring) == place.first)
          return false;
    if (auto found = current.find(place); found != current.end())
      timeline.passes[found->second].freed = clockOf(runner);
    return true;
  });
}

void Clockwork::take(const Runner &runner, const ProtocolStep &step) {
  Operation *op = step.op;
  if (auto acquire = dyn_cast<AcquireOp>(op)) {
    const Place place{acquire.getChannel(), step.slot};
    acquired.insert(place);
    if (auto found = current.find(place); found != current.end())
      clockOf(runner) = std::max(clockOf(runner), timeline.passes[found->second].freed);
  } else if (auto copied = dyn_cast<CopyOp>(op)) {
    copy(runner, copied.getRing(), step.slot);
  } else if (auto box = dyn_cast<CopyBoxOp>(op)) {
    copy(runner, box.getRing(), step.slot);
  } else if (auto put = dyn_cast<PutOp>(op)) {
    copy(runner, put.getRing(), step.slot);
  } else if (auto awaited = dyn_cast<AwaitOp>(op)) {
    await(runner, {awaited.getChannel(), step.slot});
  } else if (auto release = dyn_cast<ReleaseOp>(op)) {
    if (step.when)
      released.push_back({release.getChannel(), step.slot});
    free(runner);
  } else if (isa<DotWaitOp>(op)) {
    free(runner);
  }
}

int64_t Timeline::getEnd() const {
  int64_t end = 0;
  for (const Pass &pass : passes)
    end = std::max({end, pass.copied + 1, pass.read + 1, pass.freed});
  return end;
}

FailureOr<Timeline> schedule::makeTimeline(func::FuncOp kernel) {
  Timeline timeline;
  int64_t slots = 0;
  kernel.walk([&](ChannelOp op) { slots = std::max(slots, getChannelType(op).getSlots()); });
  // So often that slots come again.
  timeline.trips = slots + 3;
  if (!slots)
    return timeline;
  ProtocolValues values(kernel);
  ProtocolCost cost;
  Clockwork clockwork(kernel, timeline);
  Simulation simulation(
      [&](const Runner &runner, const ProtocolStep &step) { clockwork.take(runner, step); });
  if (failed(simulate(kernel, timeline.trips, timeline.trips, values, simulation, cost)))
    return failure();
  for (const Timeline::Pass &pass : timeline.passes)
    ++timeline.channels[pass.channel].iterations;
  llvm::erase_if(timeline.passes, [](const Timeline::Pass &pass) {
    return pass.iteration >= Timeline::kMostPasses;
  });
  llvm::sort(timeline.passes, [](const Timeline::Pass &a, const Timeline::Pass &b) {
    return std::tie(a.channel, a.iteration) < std::tie(b.channel, b.iteration);
  });
  return timeline;
}

//===----------------------------------------------------------------------===//
// Text and JSON
//===----------------------------------------------------------------------===//

static std::string describe(const Timeline::Channel &channel) {
  return llvm::formatv("{0}{1} slots of {2}, copies = {3}",
                       channel.line ? "loop at line " + std::to_string(channel.line) + ": " : "",
                       channel.slots, llvm::join(channel.tiles, " and "), channel.copies);
}

std::string schedule::toText(const Timeline &timeline) {
  if (timeline.channels.empty())
    return "# no loop is pipelined\n";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# 'C' copies start, '-' they are under way or have landed, 'R' the slot is read; a letter "
        "is "
        "a step, loops run "
     << timeline.trips << " times\n";
  const int64_t end = timeline.getEnd();
  for (auto [index, channel] : llvm::enumerate(timeline.channels)) {
    os << describe(channel) << "\n";
    for (const Timeline::Pass &pass : timeline.passes) {
      if (pass.channel != index)
        continue;
      std::string row(size_t(end), ' ');
      const int64_t read = pass.read < 0 ? end : pass.read;
      for (int64_t time = pass.copied; time < end; ++time)
        row[size_t(time)] = time == pass.copied ? 'C' : time < read ? '-' : 'R';
      row.resize(size_t(pass.freed < 0 ? end : std::max(pass.freed, read + 1)));
      if (pass.read < 0)
        row += "  past the loop's end";
      os << llvm::formatv("  iteration {0,3}  slot {1,2}  |{2}", pass.iteration, pass.slot, row);
      os << "\n";
    }
    if (channel.iterations > Timeline::kMostPasses)
      os << "  and " << channel.iterations - Timeline::kMostPasses << " more iterations\n";
  }
  if (timeline.roles.size() > 1 && !timeline.passes.empty()) {
    const Timeline::Pass &pass = timeline.passes.front();
    os << "copies by the " << timeline.roles[pass.producer].name << "; read by the "
       << timeline.roles[pass.consumer].name << "\n";
  }
  return text;
}

std::string schedule::toJson(const Timeline &timeline) {
  llvm::json::Array roles, channels, passes;
  for (const Timeline::Role &role : timeline.roles)
    roles.push_back(role.name);
  for (const Timeline::Channel &channel : timeline.channels)
    channels.push_back(llvm::json::Object{{"line", channel.line},
                                          {"slots", channel.slots},
                                          {"copies", channel.copies},
                                          {"tiles", llvm::json::Array(channel.tiles)},
                                          {"iterations", channel.iterations}});
  for (const Timeline::Pass &pass : timeline.passes)
    passes.push_back(llvm::json::Object{{"channel", pass.channel},
                                        {"iteration", pass.iteration},
                                        {"slot", pass.slot},
                                        {"producer", pass.producer},
                                        {"consumer", pass.consumer},
                                        {"copied", pass.copied},
                                        {"read", pass.read},
                                        {"freed", pass.freed}});
  return llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{{"trips", timeline.trips},
                                                            {"roles", std::move(roles)},
                                                            {"channels", std::move(channels)},
                                                            {"passes", std::move(passes)}}));
}
