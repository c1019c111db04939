// See FakeDriver.h.
#include "tests/plugins/fake/FakeDriver.h"

#include "plugins/support/HostSelfTests.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace fake_driver;

State &fake_driver::state() {
  static State s;
  return s;
}

int fake_driver::getNumber(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Allocates nothing but on the first call, since tests count what a launch allocates.
int fake_driver::enter(const char *function) {
  std::lock_guard lock(state().mutex);
  if (auto it = state().calls.find(function); it != state().calls.end())
    ++it->second;
  else
    state().calls[function] = 1;
  auto it = state().injections.find(function);
  if (it == state().injections.end())
    return 0;
  Injection &injection = it->second;
  if (injection.skip > 0) {
    --injection.skip;
    return 0;
  }
  if (injection.times <= 0)
    return 0;
  --injection.times;
  return injection.error;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t fake_driver::allocate(size_t bytes, size_t most, int device, const void *owner) {
  size_t &used = state().used[device];
  if (bytes > most - used)
    return 0;
  // Untouched pages cost nothing, so that tests may take all of it.
  void *pointer = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!pointer)
    return 0;
  used += bytes;
  state().allocations[toAddress(pointer)] = {bytes, device, owner};
  return toAddress(pointer);
}

void *fake_driver::allocateHost(size_t bytes, int device, const void *owner) {
  // A sanitizer's malloc ends the process for sizes that no machine has.
  void *pointer = bytes >> 40 ? nullptr : std::malloc(bytes);
  if (pointer)
    state().allocations[toAddress(pointer)] = {bytes, device, owner, true};
  return pointer;
}

bool fake_driver::free(uint64_t address, bool onHost) {
  auto it = state().allocations.find(address);
  if (it == state().allocations.end() || it->second.onHost != onHost)
    return false;
  if (!onHost)
    state().used[it->second.device] -= it->second.bytes;
  std::free(toPointer(address));
  state().allocations.erase(it);
  return true;
}

void fake_driver::freeAll(const void *owner) {
  std::vector<std::pair<uint64_t, bool>> all;
  for (const auto &[address, allocation] : state().allocations)
    if (allocation.owner == owner)
      all.emplace_back(address, allocation.onHost);
  for (auto [address, onHost] : all)
    free(address, onHost);
}

std::map<uint64_t, Allocation>::iterator fake_driver::findAllocation(uint64_t address,
                                                                     size_t bytes) {
  auto &map = state().allocations;
  auto it = map.upper_bound(address);
  if (it == map.begin())
    return map.end();
  --it;
  size_t offset = address - it->first;
  return offset <= it->second.bytes && bytes <= it->second.bytes - offset ? it : map.end();
}

bool fake_driver::isMemory(uint64_t address, size_t bytes) {
  return findAllocation(address, bytes) != state().allocations.end();
}

bool fake_driver::fill(uint64_t to, uint32_t pattern, size_t patternBytes, size_t count) {
  if (count > SIZE_MAX / patternBytes || !isMemory(to, count * patternBytes))
    return false;
  // The lowest bytes come first, as hosts are little-endian.
  for (size_t i = 0; i < count; ++i)
    std::memcpy(toPointer(to + i * patternBytes), &pattern, patternBytes);
  return true;
}

bool fake_driver::isObject(void *object) { return state().objects.count(object) != 0; }

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static constexpr size_t kMostBytes = 4096; // As many as kernels may have.

const unsigned char *fake_driver::readArguments(const Kernel &kernel, void **parameters,
                                                void **extra) {
  static thread_local unsigned char copied[kMostBytes];
  if (kernel.bytes > kMostBytes || (parameters == nullptr) == (extra == nullptr) ||
      (extra && *static_cast<size_t *>(extra[3]) != kernel.bytes))
    return nullptr;
  if (extra && kernel.bytes)
    std::memcpy(copied, extra[1], kernel.bytes);
  for (const Parameter &parameter : kernel.parameters) {
    if (parameters)
      std::memcpy(copied + parameter.offset, *parameters++, parameter.bytes);
    uint64_t address = 0;
    if (parameter.isPointer)
      std::memcpy(&address, copied + parameter.offset, sizeof(address));
    // Tensors without elements have no address. The kernel that faults gets a wild one.
    if (address && !isMemory(address, 1) && kernel.name != "tilerun_test_fault")
      return nullptr;
  }
  return copied;
}

LaunchResult fake_driver::launch(const Kernel &kernel, const Grid &grid, void **parameters,
                                 void **extra) {
  using namespace tilerun::plugin_support;
  const unsigned char *packed = readArguments(kernel, parameters, extra);
  if (!packed)
    return LaunchResult::Invalid;
  const int selfTest = findSelfTest(kernel.name);
  if (selfTest < 0)
    return LaunchResult::Ok;
  // Parameters after those of the source are derived.
  const size_t own = kSelfTests[selfTest].num_parameters;
  const auto *words =
      kernel.parameters.size() > own
          ? reinterpret_cast<const uint64_t *>(packed + kernel.parameters[own].offset)
          : nullptr;
  TilerunPluginLaunch launch = {};
  std::copy(grid.programs, grid.programs + 3, launch.grid);
  launch.threads = grid.threads;
  launch.arguments = packed;
  launch.derived = &words;
  std::fill_n(launch.cluster, 3, 1u);
  if (grid.cluster)
    std::copy(grid.cluster, grid.cluster + 3, launch.cluster);
  return runSelfTest(selfTest, launch) ? LaunchResult::Ok : LaunchResult::Fault;
}
