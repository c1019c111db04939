// The CUDA driver, opened at run time: the functions that the plugin uses, as one list that drives
// the table, its loading and the tests' fake driver. The types are declared here, so that building
// needs nothing from NVIDIA.
//
// Rules of this folder: every call of the driver is an Outcome with its expression (Device.h). The
// thread's current context is preserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUlinkState = struct CUlinkState_st *;
struct CUlaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned cluster[3];
  } value;
};
struct CUlaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned numAttributes;
};
struct CUuuid {
  unsigned char bytes[16];
};

/// X(member, exported name, parameters). All return CUresult. The exported names carry the version
/// of each function's interface.
#define CUDA_FUNCTION_LIST(X)                                                                      \
  X(cuInit, "cuInit", (unsigned flags))                                                            \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                                      \
  X(cuGetErrorName, "cuGetErrorName", (CUresult error, const char **name))                         \
  X(cuGetErrorString, "cuGetErrorString", (CUresult error, const char **text))                     \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                            \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                  \
  X(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, CUdevice device))                   \
  X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device))                       \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId", (char *id, int size, CUdevice device))             \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device))                     \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device))    \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))  \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                  \
  X(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset_v2", (CUdevice device))                      \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                                     \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                                  \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                                  \
  X(cuCtxSynchronize, "cuCtxSynchronize", ())                                                      \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *free, size_t *total))                                \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * address, size_t bytes))                            \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr address))                                              \
  X(cuMemAllocAsync, "cuMemAllocAsync", (CUdeviceptr * address, size_t bytes, CUstream stream))    \
  X(cuMemFreeAsync, "cuMemFreeAsync", (CUdeviceptr address, CUstream stream))                      \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void **pointer, size_t bytes, unsigned flags))              \
  X(cuMemFreeHost, "cuMemFreeHost", (void *pointer))                                               \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                     \
    (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                             \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                     \
    (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                                   \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                                     \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                             \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                        \
    (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes,   \
     CUstream stream))                                                                             \
  X(cuMemsetD8Async, "cuMemsetD8Async",                                                            \
    (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                          \
  X(cuMemsetD16Async, "cuMemsetD16Async",                                                          \
    (CUdeviceptr to, unsigned short value, size_t count, CUstream stream))                         \
  X(cuMemsetD32Async, "cuMemsetD32Async",                                                          \
    (CUdeviceptr to, unsigned value, size_t count, CUstream stream))                               \
  X(cuPointerGetAttributes, "cuPointerGetAttributes",                                              \
    (unsigned count, int *attributes, void **data, CUdeviceptr address))                           \
  X(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                         \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                      \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                 \
  X(cuStreamQuery, "cuStreamQuery", (CUstream stream))                                             \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))      \
  X(cuEventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                             \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                          \
  X(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                              \
  X(cuEventSynchronize, "cuEventSynchronize", (CUevent event))                                     \
  X(cuEventQuery, "cuEventQuery", (CUevent event))                                                 \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float *milliseconds, CUevent start, CUevent end))   \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                                      \
    (CUmodule * module, const void *image, unsigned count, int *options, void **values))           \
  X(cuLinkCreate, "cuLinkCreate_v2",                                                               \
    (unsigned count, int *options, void **values, CUlinkState *state))                             \
  X(cuLinkAddData, "cuLinkAddData_v2",                                                             \
    (CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned count,      \
     int *options, void **values))                                                                 \
  X(cuLinkComplete, "cuLinkComplete", (CUlinkState state, void **binary, size_t *bytes))           \
  X(cuLinkDestroy, "cuLinkDestroy", (CUlinkState state))                                           \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                           \
  X(cuModuleGetFunction, "cuModuleGetFunction",                                                    \
    (CUfunction * function, CUmodule module, const char *name))                                    \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, CUfunction function))    \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction function, int attribute, int value))     \
  X(cuLaunchKernel, "cuLaunchKernel",                                                              \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,         \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,   \
     void **extra))                                                                                \
  X(cuLaunchKernelEx, "cuLaunchKernelEx",                                                          \
    (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))

/// The same of those that older drivers lack: null there.
#define CUDA_OPTIONAL_LIST(X)                                                                      \
  X(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                              \
    (void *map, int type, uint32_t rank, void *base, const uint64_t *extents,                      \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,          \
     int swizzle, int promotion, int fill))

struct Driver {
#define CUDA_MEMBER(member, name, parameters) CUresult(*member) parameters = nullptr;
  CUDA_FUNCTION_LIST(CUDA_MEMBER)
  CUDA_OPTIONAL_LIST(CUDA_MEMBER)
#undef CUDA_MEMBER
  int version = 0; ///< 13000 for 13.0.

  /// "CUDA_ERROR_OUT_OF_MEMORY", and "out of memory".
  std::string getErrorName(CUresult error) const;
  std::string getErrorText(CUresult error) const;
};

/// Opens and initializes the driver on the first call that succeeds; later calls are cheap. Null
/// with the reason if there is no usable one. TILERUN_CUDA_DRIVER names another library.
const Driver *findDriver(std::string &reason);
/// The result of findDriver.
const Driver &getDriver();

/// "13.0"
std::string formatVersion(int version);

/// Lowest version of the driver that will do: stream-ordered memory and sm_90.
constexpr int kLowestVersion = 11080;

// The values of the driver's enumerations that are used here.
enum Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInsufficientDriver = 35,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kEccUncorrectable = 214,
  kInvalidPtx = 218,
  kNvlinkUncorrectable = 220,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kJitCompilationDisabled = 223,
  kInvalidSource = 300,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHardwareStackError = 714,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kSystemDriverMismatch = 803,
  kCompatNotSupportedOnDevice = 804,
};
enum DeviceAttribute {
  kMaxThreadsPerBlock = 1,
  kMaxGridDimX = 5,
  kMaxGridDimY = 6,
  kMaxGridDimZ = 7,
  kWarpSize = 10,
  kClockRate = 13,
  kMultiprocessorCount = 16,
  kIntegrated = 18,
  kL2CacheSize = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxSharedMemoryPerBlockOptin = 97,
  kMemoryPoolsSupported = 115,
};
enum FunctionAttribute {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
};
enum PointerAttribute {
  kPointerContext = 1,
  kPointerMemoryType = 2, ///< 1: host, 2: device
  kPointerDeviceOrdinal = 9,
  kPointerRangeStart = 11,
  kPointerRangeSize = 12,
};
enum LaunchAttribute {
  kClusterDimension = 4,
  kProgrammaticStreamSerialization = 6,
};
enum JitOption {
  kJitInfoLog = 3,
  kJitInfoLogSize = 4,
  kJitErrorLog = 5,
  kJitErrorLogSize = 6,
  kJitLineInfo = 13,
};
enum JitInput {
  kJitPtx = 1,
};

} // namespace cuda
