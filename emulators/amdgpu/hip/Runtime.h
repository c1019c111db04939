// The state of the emulated HIP runtime: its devices, what lives on them, and the errors that
// stick.
//
// Rules of this folder: a function of the ABI checks its handles, sizes and addresses, and returns
// the number that HIP 6 returns; after a kernel that faulted, the device's functions return its
// error until it is reset. All functions may be called by several threads. The state is never
// destroyed, since threads of streams may outlive main.
#ifndef TILERUN_EMULATORS_AMDGPU_HIP_RUNTIME_H
#define TILERUN_EMULATORS_AMDGPU_HIP_RUNTIME_H

#include "emulators/amdgpu/Device.h"
#include "emulators/amdgpu/hip/Api.h"
#include "emulators/amdgpu/hip/Streams.h"

#include <map>
#include <set>

namespace tilerun::amdsim::hip {

// Of each device. The host gives pages as they are touched.
constexpr uint64_t totalMemory = uint64_t(16) << 30;
// Workgroups of a launch in each dimension.
constexpr unsigned largestGrid[3] = {INT32_MAX, 65536, 65536};

// What handles stand for; an unknown handle gives null.
template <class Handle, class T> class Handles {
public:
  Handle add(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex);
    Handle handle = reinterpret_cast<Handle>(object.get());
    objects[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(Handle handle) const {
    std::lock_guard lock(mutex);
    auto it = objects.find(handle);
    return it == objects.end() ? nullptr : it->second;
  }
  // The object, which the handle no longer stands for.
  std::shared_ptr<T> take(Handle handle) {
    std::lock_guard lock(mutex);
    auto it = objects.find(handle);
    if (it == objects.end())
      return nullptr;
    std::shared_ptr<T> object = std::move(it->second);
    objects.erase(it);
    return object;
  }

private:
  mutable std::mutex mutex;
  std::map<Handle, std::shared_ptr<T>> objects;
};

struct Gpu {
  int ordinal = 0;
  std::unique_ptr<Device> device;
  std::mutex orderMutex; // of the streams, and of the order of work among them
  std::map<hipStream_t, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream> nullStream;
  std::atomic<uint64_t> usedBytes = 0;

  // What a kernel that faulted left: success while none did.
  int error() const { return lost; }
  void lose(int error) {
    int none = success;
    lost.compare_exchange_strong(none, error);
  }
  void revive() { lost = success; }

private:
  std::atomic<int> lost = success;
};

class Event {
public:
  Event(Gpu &gpu, bool hasTime) : gpu(gpu), hasTime(hasTime) {}
  Gpu &gpu;
  const bool hasTime;
  void record(PointPtr point) {
    std::lock_guard lock(mutex);
    recorded = std::move(point);
  }
  PointPtr point() const {
    std::lock_guard lock(mutex);
    return recorded;
  }

private:
  mutable std::mutex mutex;
  PointPtr recorded;
};

struct LoadedModule {
  Gpu &gpu;
  std::unique_ptr<Module> module;
  std::map<std::string, hipFunction_t> functions; // by name; complete when the module is loaded
};
struct Function {
  std::shared_ptr<LoadedModule> module;
  const Kernel *kernel;
};

// Pinned memory of the host, which kernels of every device may access.
struct HostBlock {
  size_t bytes;
  int ordinal; // of the device that was current
};

struct Runtime {
  std::vector<std::unique_ptr<Gpu>> gpus;
  Handles<hipEvent_t, Event> events;
  Handles<hipModule_t, LoadedModule> modules;
  Handles<hipFunction_t, Function> functions;
  std::mutex hostMutex;
  std::map<uint64_t, HostBlock> hostBlocks;

  // From the environment, read once (docs/amd-emulator.md).
  std::string problem; // why there are no devices
  uint64_t seed = 0;
  unsigned hostThreads = 1;
  bool findingsAreErrors = true;
  std::string counters; // a file for them, "-", or empty
  std::string coverage; // a file for the instructions that launches have met, or empty

  std::mutex textMutex;
  std::set<std::string> texts; // that hipGetErrorString gave out; they stay valid
  std::string lastFinding;     // the message of the first finding of the last launch with any
  std::map<const Target *, std::vector<bool>> met; // rows that `coverage` has already
};
Runtime &getRuntime();

// The device that the thread works on; null if there is none.
Gpu *currentGpu();
std::shared_ptr<Stream> findStream(hipStream_t handle);
void synchronize(Gpu &gpu);

// Writes a line to stderr.
void complain(const std::string &text);
// Reports findings of a launch and writes its counters and the instructions that it met first; the
// error that it leaves behind.
int finishLaunch(const Target &target, const Kernel &kernel, const LaunchOptions &options,
                 const LaunchResult &result);

// Begins a function of the ABI that works on the thread's device.
#define AMDSIM_ENTER(gpu)                                                                          \
  Gpu *gpu = currentGpu();                                                                         \
  if (!gpu)                                                                                        \
    return noDevice;                                                                               \
  if (int error_ = gpu->error())                                                                   \
  return error_

} // namespace tilerun::amdsim::hip

#endif
