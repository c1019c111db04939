// The C ABI of the HIP runtime as far as libtilerun-amdsim has it: types, the numbers of its
// enumerations, and the functions as one list, which declares them and is their export list.
// Signatures and numbers are those of HIP 6, the version that the library says it is.
#ifndef TILERUN_EMULATORS_AMDGPU_HIP_API_H
#define TILERUN_EMULATORS_AMDGPU_HIP_API_H

#include <cstddef>
#include <cstdint>

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
// hipDeviceProp_tR0600, of which the name, the total memory and the architecture are filled in.
struct hipProperties {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem;
  char between[864];
  char gcnArchName[256];
  char after[56];
};
static_assert(offsetof(hipProperties, totalGlobalMem) == 288);
static_assert(offsetof(hipProperties, gcnArchName) == 1160 && sizeof(hipProperties) == 1472);

// X(name, result, parameters)
#define AMDSIM_HIP_FUNCTIONS(X)                                                                    \
  X(hipInit, hipError_t, (unsigned flags))                                                         \
  X(hipDriverGetVersion, hipError_t, (int *version))                                               \
  X(hipRuntimeGetVersion, hipError_t, (int *version))                                              \
  X(hipGetErrorName, const char *, (hipError_t error))                                             \
  X(hipGetErrorString, const char *, (hipError_t error))                                           \
  X(hipGetDeviceCount, hipError_t, (int *count))                                                   \
  X(hipDeviceGet, hipError_t, (hipDevice_t * device, int ordinal))                                 \
  X(hipDeviceGetName, hipError_t, (char *name, int size, hipDevice_t device))                      \
  X(hipDeviceGetUuid, hipError_t, (hipUUID * uuid, hipDevice_t device))                            \
  X(hipDeviceGetPCIBusId, hipError_t, (char *id, int size, int device))                            \
  X(hipDeviceTotalMem, hipError_t, (size_t *bytes, hipDevice_t device))                            \
  X(hipDeviceGetAttribute, hipError_t, (int *value, int attribute, int device))                    \
  X(hipGetDevicePropertiesR0600, hipError_t, (hipProperties * properties, int device))             \
  X(hipGetDevice, hipError_t, (int *device))                                                       \
  X(hipSetDevice, hipError_t, (int device))                                                        \
  X(hipDeviceReset, hipError_t, ())                                                                \
  X(hipDeviceSynchronize, hipError_t, ())                                                          \
  X(hipThreadExchangeStreamCaptureMode, hipError_t, (int *mode))                                   \
  X(hipMemGetInfo, hipError_t, (size_t *free, size_t *total))                                      \
  X(hipMalloc, hipError_t, (void **pointer, size_t bytes))                                         \
  X(hipFree, hipError_t, (void *pointer))                                                          \
  X(hipMallocAsync, hipError_t, (void **pointer, size_t bytes, hipStream_t stream))                \
  X(hipFreeAsync, hipError_t, (void *pointer, hipStream_t stream))                                 \
  X(hipHostMalloc, hipError_t, (void **pointer, size_t bytes, unsigned flags))                     \
  X(hipHostFree, hipError_t, (void *pointer))                                                      \
  X(hipMemcpyHtoDAsync, hipError_t,                                                                \
    (hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream))                       \
  X(hipMemcpyDtoHAsync, hipError_t,                                                                \
    (void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream))                             \
  X(hipMemcpyDtoDAsync, hipError_t,                                                                \
    (hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream))                    \
  X(hipMemcpyPeerAsync, hipError_t,                                                                \
    (void *to, int toDevice, const void *from, int fromDevice, size_t bytes, hipStream_t stream))  \
  X(hipMemsetD8Async, hipError_t,                                                                  \
    (hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream))                    \
  X(hipMemsetD16Async, hipError_t,                                                                 \
    (hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream))                   \
  X(hipMemsetD32Async, hipError_t,                                                                 \
    (hipDeviceptr_t to, int value, size_t count, hipStream_t stream))                              \
  X(hipDrvPointerGetAttributes, hipError_t,                                                        \
    (unsigned count, int *attributes, void **data, hipDeviceptr_t address))                        \
  X(hipStreamCreateWithFlags, hipError_t, (hipStream_t * stream, unsigned flags))                  \
  X(hipStreamDestroy, hipError_t, (hipStream_t stream))                                            \
  X(hipStreamSynchronize, hipError_t, (hipStream_t stream))                                        \
  X(hipStreamQuery, hipError_t, (hipStream_t stream))                                              \
  X(hipStreamWaitEvent, hipError_t, (hipStream_t stream, hipEvent_t event, unsigned flags))        \
  X(hipStreamIsCapturing, hipError_t, (hipStream_t stream, int *status))                           \
  X(hipEventCreateWithFlags, hipError_t, (hipEvent_t * event, unsigned flags))                     \
  X(hipEventDestroy, hipError_t, (hipEvent_t event))                                               \
  X(hipEventRecord, hipError_t, (hipEvent_t event, hipStream_t stream))                            \
  X(hipEventSynchronize, hipError_t, (hipEvent_t event))                                           \
  X(hipEventQuery, hipError_t, (hipEvent_t event))                                                 \
  X(hipEventElapsedTime, hipError_t, (float *milliseconds, hipEvent_t start, hipEvent_t end))      \
  X(hipModuleLoadData, hipError_t, (hipModule_t * module, const void *image))                      \
  X(hipModuleUnload, hipError_t, (hipModule_t module))                                             \
  X(hipModuleGetFunction, hipError_t,                                                              \
    (hipFunction_t * function, hipModule_t module, const char *name))                              \
  X(hipFuncGetAttribute, hipError_t, (int *value, int attribute, hipFunction_t function))          \
  X(hipModuleLaunchKernel, hipError_t,                                                             \
    (hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,      \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, hipStream_t stream,                   \
     void **parameters, void **extra))

extern "C" {
#define AMDSIM_DECLARE(name, result, parameters)                                                   \
  __attribute__((visibility("default"))) result name parameters;
AMDSIM_HIP_FUNCTIONS(AMDSIM_DECLARE)
#undef AMDSIM_DECLARE
}

namespace tilerun::amdsim::hip {

constexpr int runtimeVersion = 60443483; // 6.4

enum Result : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  invalidConfiguration = 9,
  invalidDevicePointer = 17,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  noBinaryForGpu = 209,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  launchFailure = 719,
  notSupported = 801,
  unknown = 999,
};

enum DeviceAttribute : int {
  clockRate = 5,
  integrated = 16,
  l2CacheBytes = 19,
  mostBlockX = 26,
  mostBlockY = 27,
  mostBlockZ = 28,
  mostGridX = 29,
  mostGridY = 30,
  mostGridZ = 31,
  mostThreadsPerBlock = 56,
  mostThreadsPerUnit = 57,
  unitCount = 63,
  registersPerBlock = 71,
  registersPerUnit = 72,
  sharedBytesPerBlock = 74,
  lanesOfWave = 87,
  memoryPools = 88,
};
enum FunctionAttribute : int {
  functionMostThreads = 0,
  functionSharedBytes = 1,
  functionConstantBytes = 2,
  functionLocalBytes = 3,
  functionRegisters = 4,
};
enum PointerAttribute : int {
  pointerMemoryType = 2,
  pointerDeviceOrdinal = 9,
  pointerRangeStart = 11,
  pointerRangeSize = 12,
};
enum MemoryType : unsigned { unregisteredMemory = 0, hostMemory = 1, deviceMemory = 2 };
enum StreamFlag : unsigned { streamNonBlocking = 1 };
enum EventFlag : unsigned { eventBlockingSync = 1, eventDisableTiming = 2, eventInterprocess = 4 };

} // namespace tilerun::amdsim::hip

#endif
