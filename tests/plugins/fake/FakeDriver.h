// What fake drivers over host memory share: memory, objects, launches of the self-test kernels, and
// failures that tests inject. A fake driver is a library with the entry points of the real one.
// The state's lock is held by the entry points.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake_driver {

struct Allocation {
  size_t bytes;
  int device;
  const void *owner;   ///< What it goes with: a context, a device.
  bool onHost = false; ///< Pinned.
};
struct Injection {
  int error, skip, times;
};

struct State {
  std::recursive_mutex mutex;
  std::map<uint64_t, Allocation> allocations;
  std::map<int, size_t> used; ///< Bytes of each device.
  std::set<void *> objects;
  std::map<std::string, Injection, std::less<>> injections;
  std::map<std::string, int, std::less<>> calls;
};
State &state();

int getNumber(const char *name, int otherwise); ///< Of the environment.
/// Counts the call and gives an injected error, or 0.
int enter(const char *function);

inline void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }
inline uint64_t toAddress(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// 0 if the device has less than that left of its `most` bytes.
uint64_t allocate(size_t bytes, size_t most, int device, const void *owner);
/// Null for sizes that no machine has.
void *allocateHost(size_t bytes, int device, const void *owner);
/// False if there is no such allocation.
bool free(uint64_t address, bool onHost);
/// Everything that goes with an owner.
void freeAll(const void *owner);
/// The allocation that holds all of these bytes, or the end of the map.
std::map<uint64_t, Allocation>::iterator findAllocation(uint64_t address, size_t bytes);
bool isMemory(uint64_t address, size_t bytes);
/// False if the bytes are not memory of the driver's.
bool fill(uint64_t to, uint32_t pattern, size_t patternBytes, size_t count);

bool isObject(void *object);
template <typename T> T *add(T *object) {
  state().objects.insert(object);
  return object;
}
/// False if it is not alive.
template <typename T> bool destroy(T *object) {
  if (!state().objects.erase(object))
    return false;
  delete object;
  return true;
}

/// A kernel, as far as the text or the binary of its module describes it.
struct Parameter {
  size_t offset, bytes; ///< In the buffer of the arguments.
  bool isPointer;       ///< Declared as a pointer to global memory.
};
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  size_t bytes = 0; ///< Of all parameters.
  /// The clusters that it is compiled for, three sizes; none: any. `needsCluster`: a launch must
  /// say it, too.
  std::vector<unsigned> cluster = {};
  bool needsCluster = false;
};

struct Grid {
  unsigned programs[3], threads;
  const unsigned *cluster = nullptr; ///< Null: (1, 1, 1).
};
/// All arguments in one buffer, as by a driver: they come from one (`extra`, the form of CUDA and
/// HIP) or from a pointer to each. Null if they are not what the kernel declares, or if a pointer
/// is not memory of the driver's. Valid until the thread's next call.
const unsigned char *readArguments(const Kernel &kernel, void **parameters, void **extra);

enum class LaunchResult { Ok, Invalid, Fault };
/// Runs a self-test kernel, or nothing for others. Invalid if the arguments cannot be read.
LaunchResult launch(const Kernel &kernel, const Grid &grid, void **parameters, void **extra);

} // namespace fake_driver

/// The controls of a fake driver, which tests find by dlsym: PREFIXFail, PREFIXReset,
/// PREFIXCountAlive, PREFIXCountCalls. `more`: of the living, besides allocations and objects.
#define FAKE_DRIVER_CONTROLS(prefix, more)                                                         \
  void prefix##Fail(const char *function, int error, int skip, int times) {                        \
    std::lock_guard lock(::fake_driver::state().mutex);                                            \
    ::fake_driver::state().injections[function] = {error, skip, times};                            \
  }                                                                                                \
  void prefix##Reset() {                                                                           \
    std::lock_guard lock(::fake_driver::state().mutex);                                            \
    ::fake_driver::state().injections.clear();                                                     \
  }                                                                                                \
  int prefix##CountAlive() {                                                                       \
    const auto &state = ::fake_driver::state();                                                    \
    std::lock_guard lock(::fake_driver::state().mutex);                                            \
    return static_cast<int>(state.allocations.size() + state.objects.size()) + (more);             \
  }                                                                                                \
  int prefix##CountCalls(const char *function) {                                                   \
    std::lock_guard lock(::fake_driver::state().mutex);                                            \
    return ::fake_driver::state().calls[function];                                                 \
  }
