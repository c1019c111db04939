// A HIP runtime without a GPU: the entry points that the plugin uses, over host memory, with
// streams that work at once. Code objects are real ones, of which only the note is read. Only the
// self-test kernels run; others do nothing, but their launches are checked. A call fails where a
// test asked for it, and a kernel that faults loses its device, as far as a runtime returns from
// that.
//
// Environment: FAKE_HIP_DEVICES (2), FAKE_HIP_VERSION (60443483), FAKE_HIP_ARCH
// (gfx942:sramecc+:xnack-), FAKE_HIP_POOLS (1); FAKE_HIP_INIT, FAKE_HIP_COUNT: errors of hipInit
// and hipGetDeviceCount; FAKE_HIP_REVIVE (0): whether a lost device comes back after a reset.
//
// With FAKE_HIP_FIRST_FORM it has the functions of ROCm 5, else also those of ROCm 6.
#include "tests/plugins/hip/FakeHip.h"
#include "plugins/hip/Driver.h"
#include "tests/plugins/hip/FakeObjects.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace hip;
using fake_driver::enter;
using fake_driver::getNumber;
using fake_driver::isMemory;
using fake_driver::isObject;
using fake_driver::state;
using fake_driver::toAddress;

static constexpr size_t kMemory = size_t(2) << 30;
static constexpr unsigned kMaxShared = 64 << 10;

namespace {
struct FakeDevice {
  bool lost = false;  // Until it is reset.
  bool stuck = false; // Was lost, and no reset mends it.
};
std::vector<FakeDevice> devices;
std::set<hipStream_t> captures;
thread_local int current = 0;
thread_local int captureMode = 0; // Global: unsafe calls end every capture.
} // namespace

static int getVersion() { return getNumber("FAKE_HIP_VERSION", 60443483); }

// Most calls need a device that works.
static hipError_t checkDevice() {
  if (current < 0 || current >= static_cast<int>(devices.size()))
    return kInvalidDevice;
  const FakeDevice &device = devices[static_cast<size_t>(current)];
  return device.lost || (device.stuck && !getNumber("FAKE_HIP_REVIVE", 0)) ? kIllegalAddress
                                                                           : kSuccess;
}
// Handles 0, 1 and 2 are the runtime's own streams.
static bool isStream(hipStream_t stream) { return toAddress(stream) <= 2 || isObject(stream); }
static bool isCaptured(hipStream_t stream) { return captures.count(stream) != 0; }
static hipError_t endCaptures() {
  for (hipStream_t stream : captures)
    stream->isInvalid = true;
  return captures.empty() ? kSuccess : kStreamCaptureUnsupported;
}
// Calls that no graph can hold end the captures of the process, unless the thread is relaxed.
static hipError_t checkUnsafe() {
  return captureMode == kCaptureModeRelaxed ? kSuccess : endCaptures();
}
// Waiting for a captured stream ends its capture; for any other stream, those of the process.
static hipError_t checkWait(hipStream_t stream) {
  if (!isStream(stream))
    return kInvalidHandle;
  if (!isCaptured(stream))
    return checkUnsafe();
  stream->isInvalid = true;
  return kStreamCaptureUnsupported;
}
// The same for events, which are captured where their stream was.
static hipError_t checkWait(hipEvent_t event) {
  if (!isObject(event))
    return kInvalidHandle;
  if (!event->captured)
    return checkUnsafe();
  if (isObject(event->captured))
    event->captured->isInvalid = true;
  return kCapturedEvent;
}

extern "C" {

// FAKE(name, (parameters)) { body }: an entry point; ENTER takes the lock and gives the injected
// failures.
#define FAKE(name, parameters)                                                                     \
  hipError_t name parameters;                                                                      \
  hipError_t name parameters
#define TRY_FAKE(call)                                                                             \
  if (hipError_t error_ = (call))                                                                  \
  return error_
#define ENTER(name)                                                                                \
  TRY_FAKE(enter(name));                                                                           \
  std::lock_guard lock_(state().mutex)
#define ENTER_DEVICE(name)                                                                         \
  ENTER(name);                                                                                     \
  TRY_FAKE(checkDevice())

FAKE(hipInit, (unsigned)) {
  ENTER("hipInit");
  TRY_FAKE(getNumber("FAKE_HIP_INIT", 0));
  if (devices.empty())
    devices.resize(static_cast<size_t>(getNumber("FAKE_HIP_DEVICES", 2)));
  return kSuccess;
}
FAKE(hipDriverGetVersion, (int *version)) {
  ENTER("hipDriverGetVersion");
  *version = getVersion();
  return kSuccess;
}
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorName(hipError_t error) {
  switch (error) {
  case kInvalidValue:
    return "hipErrorInvalidValue";
  case kOutOfMemory:
    return "hipErrorOutOfMemory";
  case kNoDevice:
    return "hipErrorNoDevice";
  case kNoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case kSharedObjectInitFailed:
    return "hipErrorSharedObjectInitFailed";
  case kNotFound:
    return "hipErrorNotFound";
  case kIllegalAddress:
    return "hipErrorIllegalAddress";
  case kLaunchFailure:
    return "hipErrorLaunchFailure";
  case kStreamCaptureUnsupported:
    return "hipErrorStreamCaptureUnsupported";
  case kCapturedEvent:
    return "hipErrorCapturedEvent";
  }
  return "hipErrorUnknown";
}
const char *hipGetErrorString(hipError_t error);
const char *hipGetErrorString(hipError_t) { return "a text of the fake runtime"; }

FAKE(hipGetDeviceCount, (int *count)) {
  ENTER("hipGetDeviceCount");
  TRY_FAKE(getNumber("FAKE_HIP_COUNT", 0));
  *count = static_cast<int>(devices.size());
  return kSuccess;
}
FAKE(hipDeviceGet, (hipDevice_t * device, int ordinal)) {
  ENTER("hipDeviceGet");
  if (ordinal < 0 || ordinal >= static_cast<int>(devices.size()))
    return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}
FAKE(hipDeviceGetName, (char *name, int size, hipDevice_t)) {
  ENTER("hipDeviceGetName");
  std::strncpy(name, "Fake Instinct", static_cast<size_t>(size));
  return kSuccess;
}
FAKE(hipDeviceGetUuid, (hipUUID * uuid, hipDevice_t device)) {
  ENTER("hipDeviceGetUuid");
  // The second one has no number.
  const char *text = device ? "XX\0\0\0\0\0\0\0\0\0\0\0\0\0" : "00ab42cd17ef3355";
  std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
  return kSuccess;
}
FAKE(hipDeviceGetPCIBusId, (char *id, int size, int)) {
  ENTER("hipDeviceGetPCIBusId");
  std::strncpy(id, "0000:c1:00.0", static_cast<size_t>(size));
  return kSuccess;
}
FAKE(hipDeviceTotalMem, (size_t *bytes, hipDevice_t)) {
  ENTER("hipDeviceTotalMem");
  *bytes = kMemory;
  return kSuccess;
}
FAKE(hipDeviceGetAttribute, (int *value, int attribute, int)) {
  ENTER("hipDeviceGetAttribute");
  static const std::map<int, int> values = {{kMaxThreadsPerBlock, 1024},
                                            {kMaxGridDimX, 2147483647},
                                            {kMaxGridDimY, 65536},
                                            {kMaxGridDimZ, 65536},
                                            {kWarpSize, 64},
                                            {kClockRate, 2100000},
                                            {kMultiprocessorCount, 4},
                                            {kIntegrated, 0},
                                            {kL2CacheSize, 4 << 20},
                                            {kMaxRegistersPerMultiprocessor, 65536},
                                            {kMaxSharedMemoryPerBlock, kMaxShared}};
  if (attribute == kMemoryPoolsSupported) {
    *value = getNumber("FAKE_HIP_POOLS", 1);
    return kSuccess;
  }
  auto it = values.find(attribute);
  if (it == values.end())
    return kInvalidValue;
  *value = it->second;
  return kSuccess;
}
// Writes as many bytes as the struct has, none of which is the name but those where it lies.
static void fillProperties(DeviceProperties *properties, size_t size, size_t offset) {
  const char *arch = std::getenv("FAKE_HIP_ARCH");
  std::memset(properties->bytes, 'x', size);
  std::strncpy(properties->bytes + offset, arch ? arch : "gfx942:sramecc+:xnack-", 256);
}
FAKE(hipGetDeviceProperties, (DeviceProperties * properties, int)) {
  ENTER("hipGetDeviceProperties");
  fillProperties(properties, 792, 396);
  return kSuccess;
}
#ifndef FAKE_HIP_FIRST_FORM
FAKE(hipGetDevicePropertiesR0600, (DeviceProperties * properties, int)) {
  ENTER("hipGetDevicePropertiesR0600");
  fillProperties(properties, 1472, 1160);
  return kSuccess;
}
#endif
FAKE(hipGetDevice, (int *device)) {
  ENTER("hipGetDevice");
  *device = current;
  return kSuccess;
}
FAKE(hipSetDevice, (int device)) {
  ENTER("hipSetDevice");
  if (device < 0 || device >= static_cast<int>(devices.size()))
    return kInvalidDevice;
  current = device;
  return kSuccess;
}
FAKE(hipDeviceReset, ()) {
  ENTER("hipDeviceReset");
  FakeDevice &device = devices[static_cast<size_t>(current)];
  device.stuck |= device.lost;
  device.lost = false;
  fake_driver::freeAll(&device);
  return kSuccess;
}
// It ends every capture, whatever the thread's mode is.
FAKE(hipDeviceSynchronize, ()) {
  ENTER_DEVICE("hipDeviceSynchronize");
  return endCaptures();
}
FAKE(hipThreadExchangeStreamCaptureMode, (int *mode)) {
  ENTER("hipThreadExchangeStreamCaptureMode");
  std::swap(*mode, captureMode);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static hipError_t allocateMemory(void **pointer, size_t bytes) {
  if (!bytes)
    return kInvalidValue;
  const uint64_t given =
      fake_driver::allocate(bytes, kMemory, current, &devices[static_cast<size_t>(current)]);
  if (!given)
    return kOutOfMemory;
  *pointer = fake_driver::toPointer(given);
  return kSuccess;
}
static hipError_t freeMemory(void *pointer, bool onHost) {
  return fake_driver::free(toAddress(pointer), onHost) ? kSuccess : kInvalidValue;
}
static hipError_t copy(void *to, const void *from, size_t bytes, bool fits, hipStream_t stream) {
  if (!fits || !isStream(stream))
    return kInvalidValue;
  if (!isCaptured(stream))
    std::memcpy(to, from, bytes);
  return kSuccess;
}
static hipError_t fill(void *to, uint32_t value, size_t bytes, size_t count, hipStream_t stream) {
  return isStream(stream) && fake_driver::fill(toAddress(to), value, bytes, count) ? kSuccess
                                                                                   : kInvalidValue;
}

FAKE(hipMemGetInfo, (size_t *free, size_t *total)) {
  ENTER_DEVICE("hipMemGetInfo");
  *total = kMemory;
  *free = kMemory - state().used[current];
  return kSuccess;
}
FAKE(hipMalloc, (void **pointer, size_t bytes)) {
  ENTER_DEVICE("hipMalloc");
  TRY_FAKE(checkUnsafe());
  return allocateMemory(pointer, bytes);
}
FAKE(hipFree, (void *pointer)) {
  ENTER_DEVICE("hipFree");
  TRY_FAKE(checkUnsafe());
  return freeMemory(pointer, false);
}
FAKE(hipMallocAsync, (void **pointer, size_t bytes, hipStream_t stream)) {
  ENTER_DEVICE("hipMallocAsync");
  return isStream(stream) ? allocateMemory(pointer, bytes) : kInvalidHandle;
}
FAKE(hipFreeAsync, (void *pointer, hipStream_t stream)) {
  ENTER_DEVICE("hipFreeAsync");
  return isStream(stream) ? freeMemory(pointer, false) : kInvalidHandle;
}
FAKE(hipHostMalloc, (void **pointer, size_t bytes, unsigned)) {
  ENTER_DEVICE("hipHostMalloc");
  TRY_FAKE(checkUnsafe());
  void *given = fake_driver::allocateHost(bytes, current, &devices[static_cast<size_t>(current)]);
  if (!given)
    return kOutOfMemory;
  *pointer = given;
  return kSuccess;
}
FAKE(hipHostFree, (void *pointer)) {
  ENTER_DEVICE("hipHostFree");
  TRY_FAKE(checkUnsafe());
  return freeMemory(pointer, true);
}
FAKE(hipMemcpyHtoDAsync, (hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream)) {
  ENTER_DEVICE("hipMemcpyHtoDAsync");
  return copy(to, from, bytes, isMemory(toAddress(to), bytes), stream);
}
FAKE(hipMemcpyDtoHAsync, (void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)) {
  ENTER_DEVICE("hipMemcpyDtoHAsync");
  return copy(to, from, bytes, isMemory(toAddress(from), bytes), stream);
}
FAKE(hipMemcpyDtoDAsync,
     (hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)) {
  ENTER_DEVICE("hipMemcpyDtoDAsync");
  return copy(to, from, bytes, isMemory(toAddress(to), bytes) && isMemory(toAddress(from), bytes),
              stream);
}
FAKE(hipMemcpyPeerAsync,
     (void *to, int toDevice, const void *from, int fromDevice, size_t bytes, hipStream_t stream)) {
  ENTER_DEVICE("hipMemcpyPeerAsync");
  auto isOn = [&](const void *pointer, int device) {
    auto it = fake_driver::findAllocation(toAddress(pointer), bytes);
    return it != state().allocations.end() && it->second.device == device;
  };
  return copy(to, from, bytes, isOn(to, toDevice) && isOn(from, fromDevice), stream);
}
FAKE(hipMemsetD8Async, (hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream)) {
  ENTER_DEVICE("hipMemsetD8Async");
  return fill(to, value, 1, count, stream);
}
FAKE(hipMemsetD16Async,
     (hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream)) {
  ENTER_DEVICE("hipMemsetD16Async");
  return fill(to, value, 2, count, stream);
}
FAKE(hipMemsetD32Async, (hipDeviceptr_t to, int value, size_t count, hipStream_t stream)) {
  ENTER_DEVICE("hipMemsetD32Async");
  return fill(to, static_cast<uint32_t>(value), 4, count, stream);
}
// For an address that it does not know it succeeds, and says nothing.
FAKE(hipDrvPointerGetAttributes,
     (unsigned count, int *attributes, void **data, hipDeviceptr_t address)) {
  ENTER_DEVICE("hipDrvPointerGetAttributes");
  auto it = fake_driver::findAllocation(toAddress(address), 1);
  if (it == state().allocations.end())
    return kSuccess;
  const unsigned first = getVersion() >= kSecondForm ? 1 : 0; // The host's memory, the device's.
  for (unsigned i = 0; i < count; ++i)
    switch (attributes[i]) {
    case kPointerMemoryType:
      *static_cast<unsigned *>(data[i]) = it->second.onHost ? first : first + 1;
      break;
    case kPointerDeviceOrdinal:
      *static_cast<int *>(data[i]) = it->second.device;
      break;
    case kPointerRangeStart:
      *static_cast<uint64_t *>(data[i]) = it->first;
      break;
    case kPointerRangeSize:
      *static_cast<size_t *>(data[i]) = it->second.bytes;
      break;
    default:
      return kInvalidValue;
    }
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

FAKE(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned)) {
  ENTER_DEVICE("hipStreamCreateWithFlags");
  *stream = fake_driver::add(new ihipStream_t{current});
  return kSuccess;
}
FAKE(hipStreamDestroy, (hipStream_t stream)) {
  ENTER("hipStreamDestroy");
  captures.erase(stream);
  return fake_driver::destroy(stream) ? kSuccess : kInvalidHandle;
}
FAKE(hipStreamSynchronize, (hipStream_t stream)) {
  ENTER_DEVICE("hipStreamSynchronize");
  return checkWait(stream);
}
FAKE(hipStreamQuery, (hipStream_t stream)) {
  ENTER_DEVICE("hipStreamQuery");
  return checkWait(stream);
}
FAKE(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned)) {
  ENTER_DEVICE("hipStreamWaitEvent");
  return isStream(stream) && isObject(event) ? kSuccess : kInvalidHandle;
}
// For tests: a capture, and what it holds; the error is that of a capture which was ended.
FAKE(hipStreamBeginCapture, (hipStream_t stream, int)) {
  ENTER_DEVICE("hipStreamBeginCapture");
  stream->isInvalid = false;
  captures.insert(stream);
  stream->isCapturing = true;
  return kSuccess;
}
FAKE(hipStreamEndCapture, (hipStream_t stream, int *launches)) {
  ENTER_DEVICE("hipStreamEndCapture");
  captures.erase(stream);
  stream->isCapturing = false;
  *launches = stream->captured;
  constexpr int kInvalidated = 901;
  return stream->isInvalid ? kInvalidated : kSuccess;
}
FAKE(hipStreamIsCapturing, (hipStream_t stream, int *status)) {
  ENTER_DEVICE("hipStreamIsCapturing");
  if (!isStream(stream))
    return kInvalidHandle;
  *status = !isCaptured(stream) ? 0 : stream->isInvalid ? 2 : kCaptureActive;
  return kSuccess;
}
FAKE(hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags)) {
  ENTER_DEVICE("hipEventCreateWithFlags");
  *event = fake_driver::add(new ihipEvent_t{(flags & 2) == 0, false, nullptr, {}});
  return kSuccess;
}
FAKE(hipEventDestroy, (hipEvent_t event)) {
  ENTER("hipEventDestroy");
  return fake_driver::destroy(event) ? kSuccess : kInvalidHandle;
}
FAKE(hipEventRecord, (hipEvent_t event, hipStream_t stream)) {
  ENTER_DEVICE("hipEventRecord");
  if (!isObject(event) || !isStream(stream))
    return kInvalidHandle;
  event->recorded = true;
  event->captured = isCaptured(stream) ? stream : nullptr;
  event->time = std::chrono::steady_clock::now();
  return kSuccess;
}
FAKE(hipEventSynchronize, (hipEvent_t event)) {
  ENTER_DEVICE("hipEventSynchronize");
  return checkWait(event);
}
FAKE(hipEventQuery, (hipEvent_t event)) {
  ENTER_DEVICE("hipEventQuery");
  return checkWait(event);
}
FAKE(hipEventElapsedTime, (float *milliseconds, hipEvent_t start, hipEvent_t end)) {
  ENTER_DEVICE("hipEventElapsedTime");
  for (hipEvent_t event : {start, end})
    if (!isObject(event) || !event->timing || !event->recorded || event->captured)
      return kInvalidHandle;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FAKE(hipModuleLoadData, (hipModule_t * module, const void *image)) {
  ENTER_DEVICE("hipModuleLoadData");
  TRY_FAKE(checkUnsafe());
  fake_hip::CodeObject object;
  if (!fake_hip::readCodeObject(static_cast<const unsigned char *>(image), object))
    return kInvalidImage;
  // As HIP 5.2 does.
  if (object.version > 4 && getVersion() < kSecondForm)
    return kSharedObjectInitFailed;
  const char *arch = std::getenv("FAKE_HIP_ARCH");
  const std::string own = arch ? arch : "gfx942:sramecc+:xnack-";
  if (own.substr(0, own.find(':')) != object.target.substr(0, object.target.find(':')))
    return kNoBinaryForGpu;
  auto result = std::make_unique<ihipModule_t>();
  for (const fake_hip::CodeKernel &kernel : object.kernels)
    result->functions.push_back(std::make_unique<ihipModuleSymbol_t>(ihipModuleSymbol_t{kernel}));
  *module = fake_driver::add(result.release());
  return kSuccess;
}
FAKE(hipModuleUnload, (hipModule_t module)) {
  ENTER("hipModuleUnload");
  return fake_driver::destroy(module) ? kSuccess : kInvalidHandle;
}
FAKE(hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char *name)) {
  ENTER_DEVICE("hipModuleGetFunction");
  for (auto &candidate : module->functions)
    if (candidate->kernel.name == name) {
      *function = candidate.get();
      return kSuccess;
    }
  return kNotFound;
}
FAKE(hipFuncGetAttribute, (int *value, int attribute, hipFunction_t function)) {
  ENTER_DEVICE("hipFuncGetAttribute");
  const fake_hip::CodeKernel &kernel = function->kernel;
  *value = attribute == kFunctionMaxThreads    ? kernel.maxThreads
           : attribute == kFunctionRegisters   ? kernel.registers
           : attribute == kFunctionSharedBytes ? kernel.sharedBytes
           : attribute == kFunctionLocalBytes  ? kernel.localBytes
                                               : -1;
  return *value < 0 ? kInvalidValue : kSuccess;
}
// What the kernels of Says.ll do. The buffer is what a launch must find: empty, with
// its capacity.
static bool isSaying(const fake_hip::CodeKernel &kernel) {
  return kernel.name == "test_says" || kernel.name == "test_says_grid";
}
static hipError_t say(const fake_hip::CodeKernel &kernel, const unsigned *grid, void **parameters,
                      void **extra) {
  const unsigned char *packed = fake_driver::readArguments(kernel, parameters, extra);
  if (!packed)
    return kInvalidValue;
  auto get = [&](size_t parameter, auto value) {
    std::memcpy(&value, packed + kernel.parameters[parameter].offset, sizeof(value));
    return value;
  };
  const bool hasGrid = kernel.name == "test_says_grid";
  const uint64_t address = get(hasGrid ? 4 : 1, uint64_t());
  constexpr size_t kWords = (1 << 20) / 4, kHeader = 16;
  int32_t x = get(0, int32_t());
  for (size_t axis = 0; hasGrid && axis < 3; ++axis)
    if (get(1 + axis, uint32_t()) != grid[axis])
      return kInvalidValue;
  if (hasGrid)
    x += static_cast<int32_t>(grid[0] * grid[1] * grid[2]);
  if (!isMemory(address, kWords * sizeof(uint32_t)))
    return kInvalidValue;
  auto *words = static_cast<uint32_t *>(fake_driver::toPointer(address));
  if (words[0] != kWords - kHeader ||
      std::any_of(words + 1, words + kWords, [](uint32_t word) { return word != 0; }))
    return kInvalidValue;
  words[1] = 2;
  words[kHeader] = 1;
  words[kHeader + 1] = static_cast<uint32_t>(x);
  if (x < 0) {
    words[3] = 1;
    words[4] = 2;
  }
  return kSuccess;
}

FAKE(hipModuleLaunchKernel,
     (hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
      unsigned blockY, unsigned blockZ, unsigned sharedBytes, hipStream_t stream, void **parameters,
      void **extra)) {
  ENTER_DEVICE("hipModuleLaunchKernel");
  using fake_driver::LaunchResult;
  const fake_hip::CodeKernel &kernel = function->kernel;
  const uint64_t threads = uint64_t(blockX) * blockY * blockZ;
  if (!gridX || !gridY || !gridZ || gridY > 65536 || gridZ > 65536 ||
      uint64_t(gridX) * blockX > UINT32_MAX || !threads ||
      threads > static_cast<uint64_t>(kernel.maxThreads) ||
      static_cast<unsigned>(kernel.sharedBytes) + sharedBytes > kMaxShared)
    return kInvalidConfiguration;
  // The marks around a packed buffer and its size.
  const bool isMarked =
      !extra || (toAddress(extra[0]) == 1 && toAddress(extra[2]) == 2 && toAddress(extra[4]) == 3);
  if (!isMarked || !isStream(stream))
    return kInvalidValue;
  if (isCaptured(stream)) {
    ++stream->captured;
    return kSuccess;
  }
  if (const unsigned grid[] = {gridX, gridY, gridZ}; isSaying(kernel))
    return say(kernel, grid, parameters, extra);
  const LaunchResult result =
      fake_driver::launch(kernel, {{gridX, gridY, gridZ}, blockX}, parameters, extra);
  devices[static_cast<size_t>(current)].lost |= result == LaunchResult::Fault;
  return result == LaunchResult::Invalid ? kInvalidValue : kSuccess;
}

FAKE_DRIVER_CONTROLS(fakeHip, 0)
}
