// Runs workgroups: each on one host thread, its waves in turns of random length, in random order.
#include "emulators/amdgpu/Launch.h"
#include "emulators/amdgpu/Rounding.h"
#include "emulators/amdgpu/WaveSetup.h"

#include <thread>

namespace tilerun::amdsim {

void Wave::report(FindingKind kind, int lane, const std::string &text) {
  LaunchState &l = *launch;
  std::lock_guard lock(l.mutex);
  uint32_t offset = current ? current->offset - uint32_t(l.kernel.entry) : 0;
  for (Finding &finding : l.findings)
    if (finding.kind == kind && finding.offset == offset) {
      ++finding.times;
      return;
    }
  if (l.findings.size() >= l.options.mostFindings) {
    l.isOver = true;
    return;
  }
  Finding finding = {};
  finding.kind = kind, finding.times = 1, finding.kernel = l.kernel.name, finding.text = text;
  uint64_t on = exec() & allLanes;
  finding.lane = lane < 0 && on ? std::countr_zero(on) : lane;
  finding.wave = index, finding.offset = offset;
  std::copy_n(group->id, 3, finding.program);
  if (current) {
    finding.instruction = l.program.text(uint32_t(current - l.program.code()));
    finding.source = l.object.sourceLine(current->offset);
  }
  l.findings.push_back(std::move(finding));
}

void Wave::fault(FindingKind kind, int lane, const std::string &text) {
  if (state == WaveState::faulted)
    return;
  report(kind, lane, text);
  state = WaveState::faulted;
  launch->isOver = true;
}

void Wave::reportPending(unsigned reg, bool isVector) {
  std::string name = !isVector         ? "s" + std::to_string(reg)
                     : reg >= agprBase ? "a" + std::to_string(reg - agprBase)
                                       : "v" + std::to_string(reg);
  // Reported once: the value is there for the emulator.
  (isVector ? vgprPending : sgprPending)[reg] = 0;
  report(FindingKind::missingWait, -1,
         "uses " + name + " before a wait for the access that loads it");
}

void Wave::reportUndefined(uint64_t lanesUsed, const char *use) {
  report(FindingKind::undefinedValue, lanesUsed ? std::countr_zero(lanesUsed) : -1,
         std::string(use) + " depends on a register or LDS that was never written");
}

namespace {

// Runs up to `budget` instructions; returns how many it ran.
unsigned runTurn(Wave &w, unsigned budget) {
  const Program &program = w.launch->program;
  const Instruction *code = program.code();
  uint64_t *byRow = w.counters->byRow.data();
  uint32_t size = program.size();
  unsigned left = budget;
  while (left && w.state == WaveState::running) {
    if (w.pc >= size) [[unlikely]] {
      w.fault(FindingKind::unknownInstruction, -1, "execution runs past the end of the code");
      break;
    }
    const Instruction &i = code[w.pc++];
    w.current = &i;
    ++byRow[i.rowIndex];
    if (i.second) [[unlikely]]
      ++byRow[i.second->rowIndex];
    --left;
    if (w.roundsDirected) [[unlikely]]
      runDirected(w, i);
    else
      i.run(w, i);
  }
  w.counters->instructions += budget - left;
  return budget - left;
}

// No wave can go on: some wait at a barrier that others left out.
void reportStuck(Workgroup &group) {
  int ended = -1;
  Wave *waiting = nullptr;
  for (Wave &w : group.waves)
    if (w.state == WaveState::ended)
      ended = w.index;
    else if (!waiting)
      waiting = &w;
  waiting->fault(FindingKind::barrier, -1,
                 "waits at a barrier that wave " + std::to_string(ended) + " never reached");
}

void runGroup(Workgroup &group, uint64_t mostInstructions) {
  uint64_t executed = 0;
  std::vector<Wave *> ready;
  while (!group.launch->isOver) {
    ready.clear();
    bool allEnded = true;
    for (Wave &w : group.waves) {
      if (w.state == WaveState::running)
        ready.push_back(&w);
      allEnded = allEnded && w.state == WaveState::ended;
    }
    if (allEnded)
      return;
    if (ready.empty())
      return reportStuck(group);
    uint64_t random = group.random();
    Wave &w = *ready[random % ready.size()];
    executed += runTurn(w, 16 + unsigned(random >> 32) % 240);
    if (executed > mostInstructions)
      w.fault(FindingKind::endless, -1,
              "the workgroup ran more than " + std::to_string(mostInstructions) + " instructions");
  }
}

void runWorker(LaunchState &state) {
  UsualEnvironment usual;
  Workgroup group;
  Counters counters;
  counters.byRow.resize(rowCount());
  counters.countsMemory = state.options.countsMemory;
  const uint32_t *grid = state.options.grid;
  uint64_t groups = uint64_t(grid[0]) * grid[1] * grid[2];
  for (uint64_t at = state.nextGroup++; at < groups && !state.isOver; at = state.nextGroup++) {
    uint32_t id[3] = {uint32_t(at % grid[0]), uint32_t(at / grid[0] % grid[1]),
                      uint32_t(at / grid[0] / grid[1])};
    group.random.seed(state.options.seed * 0x9e3779b97f4a7c15 + at);
    setUpGroup(group, state, id, counters);
    runGroup(group, state.options.mostInstructions);
  }
  std::lock_guard lock(state.mutex);
  state.counters.add(counters);
}

} // namespace

void runLaunch(LaunchState &state) {
  std::vector<std::thread> others;
  for (unsigned n = 1; n < state.options.hostThreads; ++n)
    others.emplace_back([&state] { runWorker(state); });
  runWorker(state);
  for (std::thread &thread : others)
    thread.join();
}

} // namespace tilerun::amdsim
