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
  if (!state().initialized)
    state().devices.resize(static_cast<size_t>(getNumber("FAKE_CUDA_DEVICES", 2)));
  state().initialized = true;
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
  *count = static_cast<int>(state().devices.size());
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
  Device &d = state().devices[static_cast<size_t>(device)];
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
  Device &d = state().devices[static_cast<size_t>(device)];
  if (!d.retained)
    return kInvalidContext;
  if (--d.retained == 0)
    destroyPrimary(d);
  return kSuccess;
}
FAKE(cuDevicePrimaryCtxReset_v2, (CUdevice device)) {
  ENTER("cuDevicePrimaryCtxReset");
  destroyPrimary(state().devices[static_cast<size_t>(device)]);
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
  *free = kMemory - state().devices[static_cast<size_t>(current()->device)].used;
  return kSuccess;
}
static CUresult allocateMemory(CUdeviceptr *address, size_t bytes) {
  Device &device = state().devices[static_cast<size_t>(current()->device)];
  if (!bytes)
    return kInvalidValue;
  if (bytes > kMemory - device.used)
    return kOutOfMemory;
  // Untouched pages cost nothing, so that tests may take all of it.
  void *pointer = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (!pointer)
    return kOutOfMemory;
  device.used += bytes;
  *address = reinterpret_cast<CUdeviceptr>(pointer);
  state().allocations[*address] = {bytes, current()->device, current(), false};
  return kSuccess;
}
static CUresult freeMemory(CUdeviceptr address) {
  auto it = state().allocations.find(address);
  if (it == state().allocations.end() || it->second.onHost)
    return kInvalidValue;
  state().devices[static_cast<size_t>(it->second.device)].used -= it->second.bytes;
  std::free(toPointer(address));
  state().allocations.erase(it);
  return kSuccess;
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
  // A sanitizer's malloc ends the process for sizes that no machine has.
  *pointer = bytes >> 40 ? nullptr : std::malloc(bytes);
  if (!*pointer)
    return kOutOfMemory;
  state().allocations[reinterpret_cast<CUdeviceptr>(*pointer)] = {bytes, current()->device,
                                                                  current(), true};
  return kSuccess;
}
FAKE(cuMemFreeHost, (void *pointer)) {
  ENTER_CONTEXT("cuMemFreeHost");
  if (!state().allocations.erase(reinterpret_cast<CUdeviceptr>(pointer)))
    return kInvalidValue;
  std::free(pointer);
  return kSuccess;
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
  return setMemory<uint8_t>(to, value, count);
}
FAKE(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream)) {
  ENTER_CONTEXT("cuMemsetD16Async");
  return setMemory<uint16_t>(to, value, count);
}
FAKE(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream)) {
  ENTER_CONTEXT("cuMemsetD32Async");
  return setMemory<uint32_t>(to, value, count);
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
  std::vector<PtxKernel> kernels;
  if (text.find(".version") != std::string::npos && readKernels(text, kernels) &&
      !kernels.empty()) {
    for (PtxKernel &kernel : kernels) {
      const int test = tilerun::plugin_support::findSelfTest(kernel.name);
      result->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{std::move(kernel), test}));
    }
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
constexpr size_t kMostBytes = 4096; // As many as kernels may have.

// All arguments, from one buffer or from a pointer to each, as by a driver. Null if they are not
// what the kernel's text declares.
static const unsigned char *copyArguments(const PtxKernel &kernel, void **parameters,
                                          void **extra) {
  static thread_local unsigned char copied[kMostBytes];
  if (kernel.bytes > kMostBytes || (parameters == nullptr) == (extra == nullptr) ||
      (extra && *static_cast<size_t *>(extra[3]) != kernel.bytes))
    return nullptr;
  if (extra && kernel.bytes)
    std::memcpy(copied, extra[1], kernel.bytes);
  for (const PtxParameter &parameter : kernel.parameters) {
    if (parameters)
      std::memcpy(copied + parameter.offset, *parameters++, parameter.bytes);
    CUdeviceptr address = 0;
    if (parameter.isPointer)
      std::memcpy(&address, copied + parameter.offset, sizeof(address));
    if (address && !isMemory(address, 1)) // Tensors without elements have no address.
      return nullptr;
  }
  return copied;
}
static CUresult launchGrid(const CUlaunchConfig &config, CUfunction function, void **parameters,
                           void **extra, const unsigned *cluster = nullptr) {
  uint64_t threads = uint64_t(config.blockX) * config.blockY * config.blockZ;
  if (!config.gridX || !config.gridY || !config.gridZ || config.gridX > 2147483647u ||
      config.gridY > 65535 || config.gridZ > 65535 || !threads || threads > 1024 ||
      static_cast<int>(config.sharedBytes) > function->maxDynamicShared || !isStream(config.stream))
    return kInvalidValue;
  const unsigned char *packed = copyArguments(function->kernel, parameters, extra);
  if (!packed)
    return kInvalidValue;
  if (function->selfTest < 0)
    return kSuccess;
  // Parameters after those of the source are derived.
  const auto &declared = function->kernel.parameters;
  const size_t own = tilerun::plugin_support::kSelfTests[function->selfTest].num_parameters;
  const auto *words = declared.size() > own
                          ? reinterpret_cast<const uint64_t *>(packed + declared[own].offset)
                          : nullptr;
  TilerunPluginLaunch launch = {};
  launch.grid[0] = config.gridX;
  launch.grid[1] = config.gridY;
  launch.grid[2] = config.gridZ;
  launch.threads = config.blockX;
  launch.arguments = packed;
  launch.derived = &words;
  std::fill_n(launch.cluster, 3, 1u);
  if (cluster)
    std::copy(cluster, cluster + 3, launch.cluster);
  if (!tilerun::plugin_support::runSelfTest(function->selfTest, launch))
    current()->lost = true;
  return kSuccess;
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
