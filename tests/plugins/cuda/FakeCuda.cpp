// A driver library without a GPU: the entry points that the plugin uses, over host memory, with
// streams that work at once. Modules are PTX text. Only the self-test kernels run; others do
// nothing, but their launches are checked: the arguments must be what the text declares, and
// pointers must be memory of the driver's. A call fails where a test asked for it, and a kernel
// that faults loses its context, as on a real device.
//
// Environment, read at cuInit: FAKE_CUDA_DEVICES (2), FAKE_CUDA_VERSION (13000), FAKE_CUDA_INIT
// (an error of cuInit), FAKE_CUDA_POOLS (1). FAKE_CUDA_REVIVE (0): whether a process that lost a
// device gets it back after a reset; real drivers refuse. FAKE_CUDA_COMPILES (1): whether it takes
// any module.
#include "tests/plugins/cuda/FakeCuda.h"
#include "tests/plugins/cuda/FakeCudaState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace fake_cuda;

extern "C" {

// FAKE(exported name, (parameters)) { body }: an entry point; ENTER takes the lock and gives the
// injected failures, by the name without its version.
#define FAKE(exported, parameters)                                                                 \
  CUresult exported parameters;                                                                    \
  CUresult exported parameters
#define ENTER(name)                                                                                \
  if (CUresult error_ = enter(name))                                                               \
    return error_;                                                                                 \
  std::lock_guard lock_(state().mutex)
#define ENTER_CONTEXT(name)                                                                        \
  ENTER(name);                                                                                     \
  if (CUresult error_ = checkContext())                                                            \
  return error_

FAKE(cuInit, (unsigned)) {
  ENTER("cuInit");
  if (int error = getNumber("FAKE_CUDA_INIT", 0))
    return error;
  if (!initialized)
    devices.resize(static_cast<size_t>(getNumber("FAKE_CUDA_DEVICES", 2)));
  initialized = true;
  return kSuccess;
}
FAKE(cuDriverGetVersion, (int *version)) {
  ENTER("cuDriverGetVersion");
  *version = getNumber("FAKE_CUDA_VERSION", 13000);
  return kSuccess;
}
FAKE(cuGetErrorName, (CUresult error, const char **name)) {
  switch (error) {
  case kInvalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return kSuccess;
  case kOutOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return kSuccess;
  case kNoDevice:
    *name = "CUDA_ERROR_NO_DEVICE";
    return kSuccess;
  case kInvalidPtx:
    *name = "CUDA_ERROR_INVALID_PTX";
    return kSuccess;
  case kNotFound:
    *name = "CUDA_ERROR_NOT_FOUND";
    return kSuccess;
  case kIllegalAddress:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return kSuccess;
  case kAssert:
    *name = "CUDA_ERROR_ASSERT";
    return kSuccess;
  case kLaunchFailed:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    return kSuccess;
  }
  *name = nullptr;
  return kInvalidValue;
}
FAKE(cuGetErrorString, (CUresult error, const char **text)) {
  *text = "a text of the fake driver";
  return kSuccess;
}
FAKE(cuDeviceGetCount, (int *count)) {
  ENTER("cuDeviceGetCount");
  *count = static_cast<int>(devices.size());
  return kSuccess;
}
FAKE(cuDeviceGet, (CUdevice * device, int ordinal)) {
  ENTER("cuDeviceGet");
  if (!isDevice(ordinal))
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
FAKE(cuDeviceGetName, (char *name, int size, CUdevice)) {
  ENTER("cuDeviceGetName");
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return kSuccess;
}
FAKE(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device)) {
  ENTER("cuDeviceGetUuid");
  std::fill(uuid->bytes, uuid->bytes + 16, static_cast<unsigned char>(0xA0 + device));
  return kSuccess;
}
FAKE(cuDeviceGetPCIBusId, (char *id, int size, CUdevice)) {
  ENTER("cuDeviceGetPCIBusId");
  std::strncpy(id, "0000:0F:00.0", static_cast<size_t>(size));
  return kSuccess;
}
FAKE(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice)) {
  ENTER("cuDeviceTotalMem");
  *bytes = kMemory;
  return kSuccess;
}
FAKE(cuDeviceGetAttribute, (int *value, int attribute, CUdevice)) {
  ENTER("cuDeviceGetAttribute");
  static const std::map<int, int> values = {{kMaxThreadsPerBlock, 1024},
                                            {kMaxGridDimX, 2147483647},
                                            {kMaxGridDimY, 65535},
                                            {kMaxGridDimZ, 65535},
                                            {kWarpSize, 32},
                                            {kClockRate, 1980000},
                                            {kMultiprocessorCount, 4},
                                            {kIntegrated, 0},
                                            {kL2CacheSize, 1 << 20},
                                            {kComputeCapabilityMajor, 9},
                                            {kComputeCapabilityMinor, 0},
                                            {kMaxRegistersPerMultiprocessor, 65536},
                                            {kMaxSharedMemoryPerBlockOptin, kMaxShared}};
  if (attribute == kMemoryPoolsSupported) {
    *value = getNumber("FAKE_CUDA_POOLS", 1);
    return kSuccess;
  }
  auto it = values.find(attribute);
  if (it == values.end())
    return kInvalidValue;
  *value = it->second;
  return kSuccess;
}

FAKE(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device)) {
  ENTER("cuDevicePrimaryCtxRetain");
  Device &d = devices[static_cast<size_t>(device)];
  if (d.stuck && !getNumber("FAKE_CUDA_REVIVE", 0))
    return kIllegalAddress;
  if (!d.context)
    d.context = std::make_unique<CUctx_st>(CUctx_st{device});
  ++d.retained;
  *context = d.context.get();
  return kSuccess;
}
FAKE(cuDevicePrimaryCtxRelease_v2, (CUdevice device)) {
  ENTER("cuDevicePrimaryCtxRelease");
  Device &d = devices[static_cast<size_t>(device)];
  if (!d.retained)
    return kInvalidContext;
  if (--d.retained == 0)
    destroyPrimary(d);
  return kSuccess;
}
FAKE(cuDevicePrimaryCtxReset_v2, (CUdevice device)) {
  ENTER("cuDevicePrimaryCtxReset");
  destroyPrimary(devices[static_cast<size_t>(device)]);
  return kSuccess;
}
FAKE(cuCtxGetCurrent, (CUcontext * context)) {
  ENTER("cuCtxGetCurrent");
  *context = current();
  return kSuccess;
}
FAKE(cuCtxPushCurrent_v2, (CUcontext context)) {
  ENTER("cuCtxPushCurrent");
  contextStack.push_back(context);
  return kSuccess;
}
FAKE(cuCtxPopCurrent_v2, (CUcontext * context)) {
  ENTER("cuCtxPopCurrent");
  if (contextStack.empty())
    return kInvalidContext;
  *context = contextStack.back();
  contextStack.pop_back();
  return kSuccess;
}
FAKE(cuCtxSynchronize, ()) {
  ENTER_CONTEXT("cuCtxSynchronize");
  return kSuccess;
}

FAKE(cuMemGetInfo_v2, (size_t *free, size_t *total)) {
  ENTER_CONTEXT("cuMemGetInfo");
  *total = kMemory;
  *free = kMemory - state().used[current()->device];
  return kSuccess;
}
static CUresult allocateMemory(CUdeviceptr *address, size_t bytes) {
  if (!bytes)
    return kInvalidValue;
  const uint64_t given = fake_driver::allocate(bytes, kMemory, current()->device, current());
  if (!given)
    return kOutOfMemory;
  *address = given;
  return kSuccess;
}
static CUresult freeMemory(CUdeviceptr address) {
  return fake_driver::free(address, /*onHost=*/false) ? kSuccess : kInvalidValue;
}
FAKE(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes)) {
  ENTER_CONTEXT("cuMemAlloc");
  return allocateMemory(address, bytes);
}
FAKE(cuMemFree_v2, (CUdeviceptr address)) {
  ENTER_CONTEXT("cuMemFree");
  return freeMemory(address);
}
FAKE(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream)) {
  ENTER_CONTEXT("cuMemAllocAsync");
  return isStream(stream) ? allocateMemory(address, bytes) : kInvalidHandle;
}
FAKE(cuMemFreeAsync, (CUdeviceptr address, CUstream stream)) {
  ENTER_CONTEXT("cuMemFreeAsync");
  return isStream(stream) ? freeMemory(address) : kInvalidHandle;
}
FAKE(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned)) {
  ENTER_CONTEXT("cuMemHostAlloc");
  void *given = fake_driver::allocateHost(bytes, current()->device, current());
  if (!given)
    return kOutOfMemory;
  *pointer = given;
  return kSuccess;
}
FAKE(cuMemFreeHost, (void *pointer)) {
  ENTER_CONTEXT("cuMemFreeHost");
  return fake_driver::free(toAddress(pointer), /*onHost=*/true) ? kSuccess : kInvalidValue;
}
FAKE(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) {
  ENTER_CONTEXT("cuMemcpyHtoDAsync");
  if (!isMemory(to, bytes) || !isStream(stream))
    return kInvalidValue;
  std::memcpy(toPointer(to), from, bytes);
  return kSuccess;
}
FAKE(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) {
  ENTER_CONTEXT("cuMemcpyDtoHAsync");
  if (!isMemory(from, bytes) || !isStream(stream))
    return kInvalidValue;
  std::memcpy(to, toPointer(from), bytes);
  return kSuccess;
}
FAKE(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) {
  ENTER_CONTEXT("cuMemcpyDtoDAsync");
  if (!isMemory(to, bytes) || !isMemory(from, bytes) || !isStream(stream))
    return kInvalidValue;
  std::memcpy(toPointer(to), toPointer(from), bytes);
  return kSuccess;
}
FAKE(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                         CUcontext fromContext, size_t bytes, CUstream stream)) {
  ENTER_CONTEXT("cuMemcpyPeerAsync");
  if (!isMemory(to, bytes) || !isMemory(from, bytes) || !toContext || !fromContext)
    return kInvalidValue;
  std::memcpy(toPointer(to), toPointer(from), bytes);
  return kSuccess;
}
FAKE(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream)) {
  ENTER_CONTEXT("cuMemsetD8Async");
  return fake_driver::fill(to, value, 1, count) ? kSuccess : kInvalidValue;
}
FAKE(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream)) {
  ENTER_CONTEXT("cuMemsetD16Async");
  return fake_driver::fill(to, value, 2, count) ? kSuccess : kInvalidValue;
}
FAKE(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream)) {
  ENTER_CONTEXT("cuMemsetD32Async");
  return fake_driver::fill(to, value, 4, count) ? kSuccess : kInvalidValue;
}
FAKE(cuPointerGetAttributes, (unsigned count, int *attributes, void **data, CUdeviceptr address)) {
  ENTER_CONTEXT("cuPointerGetAttributes");
  auto it = findAllocation(address, 1);
  bool known = it != state().allocations.end();
  for (unsigned i = 0; i < count; ++i)
    switch (attributes[i]) {
    case kPointerMemoryType:
      *static_cast<unsigned *>(data[i]) = !known ? 0 : it->second.onHost ? 1 : 2;
      break;
    case kPointerDeviceOrdinal:
      *static_cast<int *>(data[i]) = known ? it->second.device : -2;
      break;
    case kPointerRangeStart:
      *static_cast<CUdeviceptr *>(data[i]) = known ? it->first : 0;
      break;
    case kPointerRangeSize:
      *static_cast<size_t *>(data[i]) = known ? it->second.bytes : 0;
      break;
    default:
      return kInvalidValue;
    }
  return kSuccess;
}

FAKE(cuStreamCreate, (CUstream * stream, unsigned)) {
  ENTER_CONTEXT("cuStreamCreate");
  *stream = add(new CUstream_st{current()});
  return kSuccess;
}
FAKE(cuStreamDestroy_v2, (CUstream stream)) {
  ENTER("cuStreamDestroy");
  return destroy(stream);
}
FAKE(cuStreamSynchronize, (CUstream stream)) {
  ENTER_CONTEXT("cuStreamSynchronize");
  return isStream(stream) ? kSuccess : kInvalidHandle;
}
FAKE(cuStreamQuery, (CUstream stream)) {
  ENTER_CONTEXT("cuStreamQuery");
  return isStream(stream) ? kSuccess : kInvalidHandle;
}
FAKE(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned)) {
  ENTER_CONTEXT("cuStreamWaitEvent");
  return isStream(stream) && isObject(event) ? kSuccess : kInvalidHandle;
}
FAKE(cuEventCreate, (CUevent * event, unsigned flags)) {
  ENTER_CONTEXT("cuEventCreate");
  *event = add(new CUevent_st{(flags & 2) == 0, false, {}});
  return kSuccess;
}
FAKE(cuEventDestroy_v2, (CUevent event)) {
  ENTER("cuEventDestroy");
  return destroy(event);
}
FAKE(cuEventRecord, (CUevent event, CUstream stream)) {
  ENTER_CONTEXT("cuEventRecord");
  if (!isObject(event) || !isStream(stream))
    return kInvalidHandle;
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return kSuccess;
}
FAKE(cuEventSynchronize, (CUevent event)) {
  ENTER_CONTEXT("cuEventSynchronize");
  return isObject(event) ? kSuccess : kInvalidHandle;
}
FAKE(cuEventQuery, (CUevent event)) {
  ENTER_CONTEXT("cuEventQuery");
  return isObject(event) ? kSuccess : kInvalidHandle;
}
FAKE(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end)) {
  ENTER_CONTEXT("cuEventElapsedTime");
  for (CUevent event : {start, end})
    if (!isObject(event) || !event->timing || !event->recorded)
      return kInvalidHandle;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return kSuccess;
}

// The kernels that PTX names; null with a line in the log that the options name, if it is not PTX.
static std::unique_ptr<CUmod_st> readPtx(const std::string &text, char *log) {
  auto result = std::make_unique<CUmod_st>();
  std::vector<fake_driver::Kernel> kernels;
  if (text.find(".version") != std::string::npos && readKernels(text, kernels) &&
      !kernels.empty()) {
    for (fake_driver::Kernel &kernel : kernels)
      result->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{std::move(kernel)}));
    return result;
  }
  if (log)
    std::strcpy(log, "fake ptxas: line 1: no .version");
  return nullptr;
}
static char *findLog(unsigned count, const int *options, void *const *values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kJitErrorLog)
      return static_cast<char *>(values[i]);
  return nullptr;
}
// The prefix that the fake linker puts before its PTX.
static constexpr char kBinaryMark[] = "\x7f"
                                      "FAKE-BINARY\n";

FAKE(cuModuleLoadDataEx,
     (CUmodule * module, const void *image, unsigned count, int *options, void **values)) {
  ENTER_CONTEXT("cuModuleLoadDataEx");
  if (!getNumber("FAKE_CUDA_COMPILES", 1))
    return kInvalidPtx;
  std::string text = static_cast<const char *>(image);
  if (text.compare(0, std::strlen(kBinaryMark), kBinaryMark) == 0)
    text.erase(0, std::strlen(kBinaryMark));
  else
    ++state().calls["compile"];
  std::unique_ptr<CUmod_st> result = readPtx(text, findLog(count, options, values));
  if (!result)
    return kInvalidPtx;
  *module = add(result.release());
  return kSuccess;
}
FAKE(cuLinkCreate_v2, (unsigned count, int *options, void **values, CUlinkState *link)) {
  ENTER_CONTEXT("cuLinkCreate");
  *link = add(new CUlinkState_st{"", findLog(count, options, values)});
  return kSuccess;
}
FAKE(cuLinkAddData_v2, (CUlinkState link, int type, void *data, size_t bytes, const char *,
                        unsigned, int *, void **)) {
  ENTER_CONTEXT("cuLinkAddData");
  std::string text(static_cast<char *>(data), bytes);
  if (type != kJitPtx || text.back() != '\0' || !isObject(link))
    return kInvalidValue;
  text.pop_back();
  if (!readPtx(text, link->log))
    return kInvalidPtx;
  ++state().calls["compile"];
  link->binary = kBinaryMark + text;
  return kSuccess;
}
FAKE(cuLinkComplete, (CUlinkState link, void **binary, size_t *bytes)) {
  ENTER_CONTEXT("cuLinkComplete");
  if (!isObject(link) || link->binary.empty())
    return kInvalidValue;
  *binary = link->binary.data();
  *bytes = link->binary.size();
  return kSuccess;
}
FAKE(cuLinkDestroy, (CUlinkState link)) {
  ENTER("cuLinkDestroy");
  return destroy(link);
}
FAKE(cuModuleUnload, (CUmodule module)) {
  ENTER("cuModuleUnload");
  return destroy(module);
}
FAKE(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name)) {
  ENTER_CONTEXT("cuModuleGetFunction");
  for (auto &candidate : module->functions)
    if (std::strcmp(candidate->kernel.name.c_str(), name) == 0) {
      *function = candidate.get();
      return kSuccess;
    }
  return kNotFound;
}
FAKE(cuFuncGetAttribute, (int *value, int attribute, CUfunction function)) {
  ENTER_CONTEXT("cuFuncGetAttribute");
  *value = attribute == kFunctionMaxThreads         ? 1024
           : attribute == kFunctionRegisters        ? 16
           : attribute == kFunctionMaxDynamicShared ? function->maxDynamicShared
                                                    : 0;
  return kSuccess;
}
FAKE(cuFuncSetAttribute, (CUfunction function, int attribute, int value)) {
  ENTER_CONTEXT("cuFuncSetAttribute");
  if (attribute != kFunctionMaxDynamicShared || value > kMaxShared)
    return kInvalidValue;
  function->maxDynamicShared = value;
  return kSuccess;
}
// By the rules of the encoder. The map keeps what it was made from, readable for tests.
FAKE(cuTensorMapEncodeTiled,
     (void *map, int type, uint32_t rank, void *base, const uint64_t *extents,
      const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
      int swizzle, int promotion, int fill)) {
  ENTER("cuTensorMapEncodeTiled");
  constexpr int kBytes[] = {1, 2, 4, 4, 8, 8}, kSpans[] = {0, 32, 64, 128};
  if (reinterpret_cast<uint64_t>(map) % 64 || reinterpret_cast<uint64_t>(base) % 16 || type < 0 ||
      type > 5 || rank < 1 || rank > 5 || interleave || swizzle < 0 || swizzle > 3 || fill ||
      promotion < 0 || promotion > 3)
    return kInvalidValue;
  uint32_t line = box[0] * static_cast<uint32_t>(kBytes[type]);
  if (line % 16 || (swizzle && line > static_cast<uint32_t>(kSpans[swizzle])))
    return kInvalidValue;
  for (uint32_t i = 0; i < rank; ++i)
    if (!extents[i] || extents[i] > uint64_t(1) << 32 || !box[i] || box[i] > 256 || steps[i] != 1 ||
        (i && (!strides[i - 1] || strides[i - 1] % 16 || strides[i - 1] >= uint64_t(1) << 40)))
      return kInvalidValue;
  std::memset(map, 0, 128);
  auto *words = static_cast<uint64_t *>(map);
  words[0] = reinterpret_cast<uint64_t>(base);
  words[1] = rank;
  std::memcpy(words + 2, extents, rank * sizeof(uint64_t));
  std::memcpy(words + 7, strides, (rank - 1) * sizeof(uint64_t));
  return kSuccess;
}

static CUresult launchGrid(const CUlaunchConfig &config, CUfunction function, void **parameters,
                           void **extra, const unsigned *cluster = nullptr) {
  uint64_t threads = uint64_t(config.blockX) * config.blockY * config.blockZ;
  if (!config.gridX || !config.gridY || !config.gridZ || config.gridX > 2147483647u ||
      config.gridY > 65535 || config.gridZ > 65535 || !threads || threads > 1024 ||
      static_cast<int>(config.sharedBytes) > function->maxDynamicShared || !isStream(config.stream))
    return kInvalidValue;
  // What the code says of its clusters must be what is launched, in whole clusters.
  const std::vector<unsigned> &wanted = function->kernel.cluster;
  const unsigned grid[3] = {config.gridX, config.gridY, config.gridZ};
  for (size_t axis = 0; axis < wanted.size(); ++axis)
    if (grid[axis] % wanted[axis] || (cluster && cluster[axis] != wanted[axis]) ||
        (!cluster && function->kernel.needsCluster))
      return kInvalidValue;
  using fake_driver::LaunchResult;
  const LaunchResult result = fake_driver::launch(
      function->kernel, {{config.gridX, config.gridY, config.gridZ}, config.blockX, cluster},
      parameters, extra);
  current()->lost |= result == LaunchResult::Fault;
  return result == LaunchResult::Invalid ? kInvalidValue : kSuccess;
}
FAKE(cuLaunchKernel, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      CUstream stream, void **parameters, void **extra)) {
  ENTER_CONTEXT("cuLaunchKernel");
  return launchGrid({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0},
                    function, parameters, extra);
}
// Counted separately if grids may overlap, which they never do here.
FAKE(cuLaunchKernelEx,
     (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)) {
  ENTER_CONTEXT("cuLaunchKernelEx");
  const unsigned *cluster = nullptr;
  for (unsigned i = 0; i < config->numAttributes; ++i) {
    const CUlaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == kClusterDimension)
      cluster = attribute.value.cluster;
    else if (attribute.id != kProgrammaticStreamSerialization)
      return kInvalidValue;
    else if (attribute.value.number == 1)
      ++state().calls["overlap"];
  }
  // Clusters of eight programs at most, and whole ones.
  if (cluster && (cluster[0] * cluster[1] * cluster[2] > 8 || config->gridX % cluster[0] ||
                  config->gridY % cluster[1] || config->gridZ % cluster[2]))
    return kInvalidValue;
  return launchGrid(*config, function, parameters, extra, cluster);
}
}
