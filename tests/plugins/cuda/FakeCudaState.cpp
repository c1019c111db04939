// The fake driver's state, and the controls that tests have over it.
#include "tests/plugins/cuda/FakeCudaState.h"

#include "tests/plugins/cuda/FakeCuda.h"

#include <cstdlib>

using namespace fake_cuda;

State &fake_cuda::state() {
  static State s;
  return s;
}
thread_local std::vector<CUcontext> fake_cuda::contextStack;

int fake_cuda::getNumber(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Counts the call and gives an injected error.
CUresult fake_cuda::enter(const char *function) {
  std::lock_guard lock(state().mutex);
  ++state().calls[function];
  auto it = state().injections.find(function);
  if (it == state().injections.end())
    return kSuccess;
  Injection &injection = it->second;
  if (injection.skip > 0) {
    --injection.skip;
    return kSuccess;
  }
  if (injection.times <= 0)
    return kSuccess;
  --injection.times;
  return injection.error;
}

CUcontext fake_cuda::current() { return contextStack.empty() ? nullptr : contextStack.back(); }

// The state of the current context, which most calls need first.
CUresult fake_cuda::checkContext() {
  CUcontext context = current();
  if (!context)
    return kInvalidContext;
  for (const Device &device : state().devices) {
    if (device.context.get() == context)
      return context->lost ? kIllegalAddress : kSuccess;
  }
  return kContextIsDestroyed;
}

bool fake_cuda::isDevice(CUdevice device) {
  return device >= 0 && device < static_cast<int>(state().devices.size());
}

std::map<CUdeviceptr, Allocation>::iterator fake_cuda::findAllocation(CUdeviceptr address,
                                                                      size_t bytes) {
  auto &map = state().allocations;
  auto it = map.upper_bound(address);
  if (it == map.begin())
    return map.end();
  --it;
  size_t offset = address - it->first;
  return offset <= it->second.bytes && bytes <= it->second.bytes - offset ? it : map.end();
}
bool fake_cuda::isMemory(CUdeviceptr address, size_t bytes) {
  return findAllocation(address, bytes) != state().allocations.end();
}
void *fake_cuda::toPointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

static void freeAllocations(CUcontext context) {
  for (auto it = state().allocations.begin(); it != state().allocations.end();)
    if (it->second.context == context) {
      if (!it->second.onHost)
        state().devices[static_cast<size_t>(it->second.device)].used -= it->second.bytes;
      std::free(toPointer(it->first));
      it = state().allocations.erase(it);
    } else {
      ++it;
    }
}
void fake_cuda::destroyPrimary(Device &device) {
  if (!device.context)
    return;
  device.stuck |= device.context->lost;
  freeAllocations(device.context.get());
  device.context.reset();
}
bool fake_cuda::isObject(void *object) { return state().objects.count(object) != 0; }
// Handles 0, 1 and 2 are the driver's own streams.
bool fake_cuda::isStream(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 || isObject(stream);
}

void fakeCudaFail(const char *function, int error, int skip, int times) {
  std::lock_guard lock(state().mutex);
  state().injections[function] = {error, skip, times};
}
void fakeCudaReset() {
  std::lock_guard lock(state().mutex);
  state().injections.clear();
}
int fakeCudaCountAlive() {
  std::lock_guard lock(state().mutex);
  size_t count = state().allocations.size() + state().objects.size();
  for (const Device &device : state().devices)
    count += device.retained;
  return static_cast<int>(count);
}
int fakeCudaCountCalls(const char *function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}
