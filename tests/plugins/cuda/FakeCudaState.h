// State of the fake driver: devices, contexts, objects. The state's lock is held by the entry
// points.
#pragma once

#include "plugins/cuda/Driver.h"
#include "tests/plugins/cuda/FakePtx.h"

#include <chrono>
#include <memory>

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
  fake_driver::Kernel kernel;
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
using fake_driver::add;
using fake_driver::enter;
using fake_driver::findAllocation;
using fake_driver::getNumber;
using fake_driver::isMemory;
using fake_driver::isObject;
using fake_driver::state;
using fake_driver::toAddress;
using fake_driver::toPointer;

constexpr size_t kMemory = size_t(2) << 30;
constexpr int kMaxShared = 227 << 10;

struct Device {
  std::unique_ptr<CUctx_st> context; ///< Pinned memory goes with it, too.
  unsigned retained = 0;
  bool stuck = false; // A context was lost, which no reset mends (seen on an H200).
};
extern bool initialized;
extern std::vector<Device> devices;
extern thread_local std::vector<CUcontext> contextStack;

CUcontext current();
/// The state of the current context, which most calls need first.
CUresult checkContext();
bool isDevice(CUdevice device);
void destroyPrimary(Device &device);
bool isStream(CUstream stream);

template <typename T> CUresult destroy(T *object) {
  return fake_driver::destroy(object) ? kSuccess : kInvalidHandle;
}

} // namespace fake_cuda
