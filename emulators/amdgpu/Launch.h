// One launch while it runs: what its workgroups share.
#ifndef TILERUN_EMULATORS_AMDGPU_LAUNCH_H
#define TILERUN_EMULATORS_AMDGPU_LAUNCH_H

#include "emulators/amdgpu/CodeObject.h"
#include "emulators/amdgpu/Counters.h"
#include "emulators/amdgpu/Findings.h"
#include "emulators/amdgpu/Memory.h"
#include "emulators/amdgpu/Program.h"

#include <atomic>
#include <mutex>

namespace tilerun::amdsim {

struct LaunchOptions {
  uint32_t grid[3] = {1, 1, 1};    // workgroups
  uint32_t threads[3] = {1, 1, 1}; // of a workgroup
  uint32_t dynamicLdsBytes = 0;    // beyond what the kernel has itself
  uint64_t seed = 0;               // of the order in which waves run
  unsigned hostThreads = 1;
  uint64_t mostInstructions = uint64_t(1) << 34; // of one workgroup, before it counts as endless
  unsigned mostFindings = 16; // at different instructions; one more ends the launch
  bool countsMemory = false;  // fills the counters of LDS and global memory
};

struct LaunchState {
  const CodeObject &object;
  const Kernel &kernel;
  const Program &program;
  const LaunchOptions &options;
  uint64_t arguments; // address of the argument block
  std::vector<Allocation> allocations;
  std::atomic<uint64_t> nextGroup = 0;
  std::atomic<bool> isOver = false; // a fault ends it
  std::mutex mutex;
  std::vector<Finding> findings;
  Counters counters;
};

// Runs all workgroups; findings and counters are in the state afterwards.
void runLaunch(LaunchState &state);

} // namespace tilerun::amdsim

#endif
