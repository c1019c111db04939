// State of the fake driver: devices, contexts, memory, objects, injected failures. The state's
// lock is held by the entry points.
#pragma once

#include "plugins/cuda/Driver.h"
#include "plugins/support/HostSelfTests.h"
#include "tests/plugins/cuda/FakePtx.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cuda {
struct CUctx_st {
  CUdevice device;
  bool lost = false;
};
struct CUstream_st {
  CUcontext context;
};
struct CUevent_st {
  bool timing, recorded = false;
  std::chrono::steady_clock::time_point time;
};
struct CUfunc_st {
  fake_cuda::PtxKernel kernel;
  int selfTest; // What it does; -1: nothing.
  int maxDynamicShared = 48 << 10;
};
struct CUmod_st {
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};
struct CUlinkState_st {
  std::string binary;
  char *log;
};
} // namespace cuda

namespace fake_cuda {

using namespace cuda;

constexpr size_t kMemory = size_t(2) << 30;
constexpr int kMaxShared = 227 << 10;

struct Allocation {
  size_t bytes;
  CUdevice device;
  CUcontext context;
  bool onHost = false; // Pinned; goes with its context nevertheless.
};
struct Device {
  std::unique_ptr<CUctx_st> context;
  unsigned retained = 0;
  bool stuck = false; // A context was lost, which no reset mends (seen on an H200).
  size_t used = 0;
};
struct Injection {
  int error, skip, times;
};

struct State {
  std::recursive_mutex mutex;
  bool initialized = false;
  std::vector<Device> devices;
  std::map<CUdeviceptr, Allocation> allocations;
  std::set<void *> objects;
  std::map<std::string, Injection> injections;
  std::map<std::string, int> calls;
};

State &state();
extern thread_local std::vector<CUcontext> contextStack;

int getNumber(const char *name, int otherwise); ///< Of the environment.
/// Counts the call and gives an injected error.
CUresult enter(const char *function);
CUcontext current();
/// The state of the current context, which most calls need first.
CUresult checkContext();
bool isDevice(CUdevice device);
/// The allocation that holds all of these bytes, or the end of the map.
std::map<CUdeviceptr, Allocation>::iterator findAllocation(CUdeviceptr address, size_t bytes);
bool isMemory(CUdeviceptr address, size_t bytes);
void *toPointer(CUdeviceptr address);
void destroyPrimary(Device &device);
bool isObject(void *object);
bool isStream(CUstream stream);

template <typename T> T *add(T *object) {
  state().objects.insert(object);
  return object;
}
template <typename T> CUresult destroy(T *object) {
  if (!state().objects.erase(object))
    return kInvalidHandle;
  delete object;
  return kSuccess;
}
template <typename T> CUresult setMemory(CUdeviceptr to, T value, size_t count) {
  if (count > SIZE_MAX / sizeof(T) || !isMemory(to, count * sizeof(T)))
    return kInvalidValue;
  std::fill_n(static_cast<T *>(toPointer(to)), count, value);
  return kSuccess;
}

} // namespace fake_cuda
