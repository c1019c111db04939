// See ProtocolSimulation.h: the state of slots in which a loop begins, and its effect on them.
#include "ir/schedule/ProtocolSimulation.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::schedule;

/// Counts matter as their differences and as their parities.
Simulation::State Simulation::getState(const Runner &runner, const ProtocolTrace &loop) {
  State state{int64_t(runner.turn)};
  for (Value value : loop.channels) {
    const Channel &channel = channels[value];
    for (const Slot &slot : channel.slots) {
      int64_t base = std::min({slot.acquired, slot.published, slot.awaited, slot.released}) & ~1;
      for (int64_t number : {slot.acquired, slot.published, slot.awaited, slot.released})
        state.push_back(number - base);
      state.push_back(slot.isInFlight ? channel.publishes - slot.group : -1);
      state.push_back(slot.isRead);
      state.push_back(int64_t(slot.rings.size()));
      for (Value ring : slot.rings)
        state.push_back(int64_t(reinterpret_cast<intptr_t>(ring.getAsOpaquePointer())));
    }
  }
  for (const Runner::Product &product : runner.products) {
    state.push_back(int64_t(product.size()));
    for (const Runner::Place &place : product) {
      state.push_back(int64_t(reinterpret_cast<intptr_t>(place.ring.getAsOpaquePointer())));
      state.push_back(place.slot);
    }
  }
  return state;
}

Simulation::Effect Simulation::getEffect(const Runner &runner, const ProtocolTrace &loop,
                                         ArrayRef<Channel> before) {
  Effect effect;
  for (auto [value, old] : llvm::zip(loop.channels, before)) {
    Channel change = channels[value];
    for (auto [slot, was] : llvm::zip(change.slots, old.slots)) {
      slot.acquired -= was.acquired;
      slot.published -= was.published;
      slot.awaited -= was.awaited;
      slot.released -= was.released;
      slot.group -= change.publishes;
    }
    change.publishes -= old.publishes;
    effect.channels.push_back(std::move(change));
  }
  effect.products = runner.products;
  effect.turn = runner.turn;
  return effect;
}

void Simulation::apply(Runner &runner, const ProtocolTrace &loop, const Effect &effect) {
  for (auto [value, change] : llvm::zip(loop.channels, effect.channels)) {
    Channel &channel = channels[value];
    channel.publishes += change.publishes;
    for (auto [slot, its] : llvm::zip(channel.slots, change.slots)) {
      slot.acquired += its.acquired;
      slot.published += its.published;
      slot.awaited += its.awaited;
      slot.released += its.released;
      slot.group = its.group + channel.publishes;
      slot.isInFlight = its.isInFlight;
      slot.isRead = its.isRead;
      slot.rings = its.rings;
    }
  }
  runner.products = effect.products;
  runner.turn = effect.turn;
}

Simulation::Progress Simulation::runLoop(Runner &runner, const ProtocolTrace &loop) {
  std::pair key(&loop, getState(runner, loop));
  if (auto known = effects.find(key); known != effects.end() && !listener) {
    ++count;
    apply(runner, loop, known->second);
    return Progress::Step;
  }
  std::vector<Channel> before;
  for (Value channel : loop.channels)
    before.push_back(channels[channel]);
  for (const ProtocolStep &inner : loop.steps) {
    Progress progress = inner.loop ? runLoop(runner, *inner.loop) : step(runner, inner);
    assert(progress != Progress::Wait && "a loop that waits is run step by step");
    if (progress == Progress::Error)
      return progress;
  }
  effects.emplace(std::move(key), getEffect(runner, loop, before));
  return Progress::Step;
}
