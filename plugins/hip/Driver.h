// The HIP runtime, opened at run time: the functions that the plugin uses, as one list that drives
// the table, its loading and the tests' fake runtime. The types are declared here, so that building
// needs nothing from AMD. The signatures are the same from ROCm 5.2 to 7; where a struct or an enum
// changed in between, this folder asks in another way (getArchitectureName, kHostMemory…).
//
// Rules of this folder: every call of the driver is an Outcome with its expression (Device.h). The
// thread's current device and its mode of stream capture are preserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hip {

using hipError_t = int;
using hipDevice_t = int;
using hipDeviceptr_t = void *;
using hipStream_t = struct ihipStream_t *;
using hipEvent_t = struct ihipEvent_t *;
using hipModule_t = struct ihipModule_t *;
using hipFunction_t = struct ihipModuleSymbol_t *;
struct hipUUID {
  char bytes[16];
};
/// Of any version of the runtime: its struct has 792 bytes until 5.7, and 1472 from 6.0 on.
struct DeviceProperties {
  char bytes[4096];
};

/// X(name, whether the plugin can do without it, result, parameters)
#define HIP_FUNCTION_LIST(X)                                                                       \
  X(hipInit, false, hipError_t, (unsigned flags))                                                  \
  X(hipDriverGetVersion, false, hipError_t, (int *version))                                        \
  X(hipGetErrorName, false, const char *, (hipError_t error))                                      \
  X(hipGetErrorString, false, const char *, (hipError_t error))                                    \
  X(hipGetDeviceCount, false, hipError_t, (int *count))                                            \
  X(hipDeviceGet, false, hipError_t, (hipDevice_t * device, int ordinal))                          \
  X(hipDeviceGetName, false, hipError_t, (char *name, int size, hipDevice_t device))               \
  X(hipDeviceGetUuid, false, hipError_t, (hipUUID * uuid, hipDevice_t device))                     \
  X(hipDeviceGetPCIBusId, false, hipError_t, (char *id, int size, int device))                     \
  X(hipDeviceTotalMem, false, hipError_t, (size_t *bytes, hipDevice_t device))                     \
  X(hipDeviceGetAttribute, false, hipError_t, (int *value, int attribute, int device))             \
  X(hipGetDevicePropertiesR0600, true, hipError_t, (DeviceProperties * properties, int device))    \
  X(hipGetDeviceProperties, true, hipError_t, (DeviceProperties * properties, int device))         \
  X(hipGetDevice, false, hipError_t, (int *device))                                                \
  X(hipSetDevice, false, hipError_t, (int device))                                                 \
  X(hipDeviceReset, false, hipError_t, ())                                                         \
  X(hipDeviceSynchronize, false, hipError_t, ())                                                   \
  X(hipThreadExchangeStreamCaptureMode, false, hipError_t, (int *mode))                            \
  X(hipMemGetInfo, false, hipError_t, (size_t *free, size_t *total))                               \
  X(hipMalloc, false, hipError_t, (void **pointer, size_t bytes))                                  \
  X(hipFree, false, hipError_t, (void *pointer))                                                   \
  X(hipMallocAsync, false, hipError_t, (void **pointer, size_t bytes, hipStream_t stream))         \
  X(hipFreeAsync, false, hipError_t, (void *pointer, hipStream_t stream))                          \
  X(hipHostMalloc, false, hipError_t, (void **pointer, size_t bytes, unsigned flags))              \
  X(hipHostFree, false, hipError_t, (void *pointer))                                               \
  X(hipMemcpyHtoDAsync, false, hipError_t,                                                         \
    (hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream))                       \
  X(hipMemcpyDtoHAsync, false, hipError_t,                                                         \
    (void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream))                             \
  X(hipMemcpyDtoDAsync, false, hipError_t,                                                         \
    (hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream))                    \
  X(hipMemcpyPeerAsync, false, hipError_t,                                                         \
    (void *to, int toDevice, const void *from, int fromDevice, size_t bytes, hipStream_t stream))  \
  X(hipMemsetD8Async, false, hipError_t,                                                           \
    (hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream))                    \
  X(hipMemsetD16Async, false, hipError_t,                                                          \
    (hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream))                   \
  X(hipMemsetD32Async, false, hipError_t,                                                          \
    (hipDeviceptr_t to, int value, size_t count, hipStream_t stream))                              \
  X(hipDrvPointerGetAttributes, false, hipError_t,                                                 \
    (unsigned count, int *attributes, void **data, hipDeviceptr_t address))                        \
  X(hipStreamCreateWithFlags, false, hipError_t, (hipStream_t * stream, unsigned flags))           \
  X(hipStreamDestroy, false, hipError_t, (hipStream_t stream))                                     \
  X(hipStreamSynchronize, false, hipError_t, (hipStream_t stream))                                 \
  X(hipStreamQuery, false, hipError_t, (hipStream_t stream))                                       \
  X(hipStreamWaitEvent, false, hipError_t, (hipStream_t stream, hipEvent_t event, unsigned flags)) \
  X(hipStreamIsCapturing, false, hipError_t, (hipStream_t stream, int *status))                    \
  X(hipEventCreateWithFlags, false, hipError_t, (hipEvent_t * event, unsigned flags))              \
  X(hipEventDestroy, false, hipError_t, (hipEvent_t event))                                        \
  X(hipEventRecord, false, hipError_t, (hipEvent_t event, hipStream_t stream))                     \
  X(hipEventSynchronize, false, hipError_t, (hipEvent_t event))                                    \
  X(hipEventQuery, false, hipError_t, (hipEvent_t event))                                          \
  X(hipEventElapsedTime, false, hipError_t,                                                        \
    (float *milliseconds, hipEvent_t start, hipEvent_t end))                                       \
  X(hipModuleLoadData, false, hipError_t, (hipModule_t * module, const void *image))               \
  X(hipModuleUnload, false, hipError_t, (hipModule_t module))                                      \
  X(hipModuleGetFunction, false, hipError_t,                                                       \
    (hipFunction_t * function, hipModule_t module, const char *name))                              \
  X(hipFuncGetAttribute, false, hipError_t, (int *value, int attribute, hipFunction_t function))   \
  X(hipModuleLaunchKernel, false, hipError_t,                                                      \
    (hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,      \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, hipStream_t stream,                   \
     void **parameters, void **extra))

struct Driver {
#define HIP_MEMBER(name, optional, result, parameters) result(*name) parameters = nullptr;
  HIP_FUNCTION_LIST(HIP_MEMBER)
#undef HIP_MEMBER
  int version = 0;         ///< 60443483 for 6.4; the rest is a number of its own.
  bool isEmulated = false; ///< It is libtilerun-amdsim.

  /// "hipErrorOutOfMemory", and "out of memory".
  std::string getErrorName(hipError_t error) const;
  std::string getErrorText(hipError_t error) const;
  /// "gfx942:sramecc+:xnack-", the only property that has no function of its own.
  hipError_t getArchitectureName(int device, std::string &name, const char *&expression) const;
};

/// Opens and initializes the runtime on the first call that succeeds; later calls are cheap. Null
/// with the reason if there is no usable one. In this order: the library that TILERUN_HIP_DRIVER
/// names; the emulator beside the plugins, if TILERUN_AMDSIM lists devices for it; one that is in
/// the process already, such as a framework's; those of the system.
const Driver *findDriver(std::string &reason);
/// The result of findDriver.
const Driver &getDriver();
/// Says that a runtime has no device, and what the system says of that.
std::string describeNoDevice(const Driver &driver);

/// "6.4"
std::string formatVersion(int version);
constexpr int makeVersion(int major, int minor) { return major * 10000000 + minor * 100000; }

/// Lowest version of the runtime that will do: it has every function of the list.
constexpr int kLowestVersion = makeVersion(5, 2);
/// From here on, structs and enums of the runtime have another form.
constexpr int kSecondForm = makeVersion(6, 0);

// The values of the runtime's enumerations that are used here.
enum Result {
  kFailedAssertion = -1, ///< None of the runtime's: an assertion in a kernel has failed.
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kInvalidConfiguration = 9,
  kInvalidDevicePointer = 17,
  kInsufficientDriver = 35,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccNotCorrectable = 214,
  kInvalidKernelFile = 218,
  kInvalidSource = 300,
  kSharedObjectSymbolNotFound = 302,
  kSharedObjectInitFailed = 303,
  kOperatingSystem = 304,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeOut = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kLaunchFailure = 719,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kCapturedEvent = 907,
  kStreamCaptureWrongThread = 908,
  kUnknown = 999,
};
enum DeviceAttribute {
  kClockRate = 5,
  kIntegrated = 16,
  kL2CacheSize = 19,
  kMaxGridDimX = 29,
  kMaxGridDimY = 30,
  kMaxGridDimZ = 31,
  kMaxThreadsPerBlock = 56,
  kMultiprocessorCount = 63,
  kMaxRegistersPerMultiprocessor = 72,
  kMaxSharedMemoryPerBlock = 74,
  kWarpSize = 87,
  kMemoryPoolsSupported = 88,
};
enum FunctionAttribute {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
};
enum PointerAttribute {
  kPointerMemoryType = 2,
  kPointerDeviceOrdinal = 9,
  kPointerRangeStart = 11,
  kPointerRangeSize = 12,
};
/// What kPointerMemoryType is for pinned memory of the host.
constexpr unsigned getHostMemoryType(int version) { return version >= kSecondForm ? 1 : 0; }
enum CaptureStatus { kCaptureActive = 1 };
enum CaptureMode { kCaptureModeRelaxed = 2 };

} // namespace hip
