// The fake driver's state, and the controls that tests have over it.
#include "tests/plugins/cuda/FakeCudaState.h"

#include "tests/plugins/cuda/FakeCuda.h"

using namespace fake_cuda;

bool fake_cuda::initialized = false;
std::vector<Device> fake_cuda::devices;
thread_local std::vector<CUcontext> fake_cuda::contextStack;

CUcontext fake_cuda::current() { return contextStack.empty() ? nullptr : contextStack.back(); }

CUresult fake_cuda::checkContext() {
  CUcontext context = current();
  if (!context)
    return kInvalidContext;
  for (const Device &device : devices) {
    if (device.context.get() == context)
      return context->lost ? kIllegalAddress : kSuccess;
  }
  return kContextIsDestroyed;
}

bool fake_cuda::isDevice(CUdevice device) {
  return device >= 0 && device < static_cast<int>(devices.size());
}

void fake_cuda::destroyPrimary(Device &device) {
  if (!device.context)
    return;
  device.stuck |= device.context->lost;
  fake_driver::freeAll(device.context.get());
  device.context.reset();
}

// Handles 0, 1 and 2 are the driver's own streams.
bool fake_cuda::isStream(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 || isObject(stream);
}

static int countRetained() {
  unsigned count = 0;
  for (const Device &device : devices)
    count += device.retained;
  return static_cast<int>(count);
}

FAKE_DRIVER_CONTROLS(fakeCuda, countRetained())
