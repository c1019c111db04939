// An open CUDA device, with the members that the stream driver requires. Calls are inline, because
// a launch is one of them.
#pragma once

#include "plugins/cuda/Driver.h"
#include "plugins/cuda/TensorMaps.h"
#include "plugins/stream_driver/Attributes.h"
#include "plugins/stream_driver/Plugin.h"

namespace cuda {

using namespace tilerun::stream_driver;

/// A call of the device's driver, with its text for errors.
#define CU(call)                                                                                   \
  Outcome { driver.call, #call }

struct Device : DeviceState<Device> {
  using StreamHandle = CUstream;
  using EventHandle = CUevent;
  using ModuleHandle = CUmodule;
  using FunctionHandle = CUfunction;
  using TensorMaps = cuda::TensorMaps;
  using KernelState = TensorMapCache;
  static constexpr const char *kName = "cuda";
  static constexpr std::string_view kDerivedForms[] = {"words", "tensor-map"};

  const Driver &driver = getDriver(); ///< `count` found it.
  CUdevice handle = 0;
  int capability = 0; ///< 90
  uint64_t totalMemory = 0;
  bool memoryPools = false;
  bool overlapsGrids = false; ///< TILERUN_LAUNCH_OVERLAP has an effect.
  uint32_t maxShared = 0;     ///< Bytes of shared memory of one program.
  CUcontext context = nullptr;
  bool ownsContext = false; ///< Otherwise it is the caller's.
  CUstream own = nullptr;   ///< The stream that a null handle means.

  /// Makes the context current for a scope, and leaves the thread as it was.
  class Current {
  public:
    explicit Current(Device &device) : driver(device.driver) {
      CUcontext current = nullptr;
      if (driver.cuCtxGetCurrent(&current) == kSuccess && current == device.context)
        return;
      CUcontext context = device.context;
      outcome = CU(cuCtxPushCurrent(context));
      pushed = !outcome;
    }
    ~Current() {
      CUcontext popped;
      if (pushed)
        driver.cuCtxPopCurrent(&popped);
    }
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    Outcome outcome;

  private:
    const Driver &driver;
    bool pushed = false;
  };

  static TilerunStatus getStatus(CUresult error);
  std::string getErrorName(CUresult error) const { return driver.getErrorName(error); }
  std::string getErrorText(CUresult error) const { return driver.getErrorText(error); }

  // Devices (Device.cpp).
  static uint32_t count(std::string &reason);
  Outcome describe();
  void adopt(uint64_t foreignContext) { context = reinterpret_cast<CUcontext>(foreignContext); }
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): replaces the default.
  TilerunStatus open(const TilerunErrorSink *sink);
  void close();
  static constexpr Attribute kAttributes[] = {
      {TILERUN_DEVICE_PROPERTY_UNITS, kMultiprocessorCount},
      {TILERUN_DEVICE_PROPERTY_WARP_SIZE, kWarpSize},
      {TILERUN_DEVICE_PROPERTY_MAX_THREADS, kMaxThreadsPerBlock},
      {TILERUN_DEVICE_PROPERTY_MAX_SHARED, kMaxSharedMemoryPerBlockOptin},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_X, kMaxGridDimX},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Y, kMaxGridDimY},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Z, kMaxGridDimZ},
      {TILERUN_DEVICE_PROPERTY_REGISTERS, kMaxRegistersPerMultiprocessor},
      {TILERUN_DEVICE_PROPERTY_L2_BYTES, kL2CacheSize},
      {TILERUN_DEVICE_PROPERTY_CLOCK_KHZ, kClockRate},
      {TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY, kIntegrated}};
  Outcome readAttribute(int attribute, int &value) const {
    return CU(cuDeviceGetAttribute(&value, attribute, handle));
  }
  Outcome getFreeMemory(uint64_t &bytes) const;
  Outcome getNumber(uint32_t property, uint64_t &number, bool &known) const;
  Outcome synchronize() const { return CU(cuCtxSynchronize()); }

  // Memory: stream-ordered where the device has memory pools.
  Outcome allocate(TilerunAddress &out, size_t bytes, CUstream stream) const {
    CUdeviceptr pointer = 0;
    Outcome outcome = memoryPools ? CU(cuMemAllocAsync(&pointer, bytes, stream))
                                  : CU(cuMemAlloc(&pointer, bytes));
    out = pointer;
    return outcome;
  }
  Outcome free(TilerunAddress address, CUstream stream) const {
    if (memoryPools)
      return CU(cuMemFreeAsync(address, stream));
    // Not ordered by itself: the stream's work may still use the memory.
    Outcome outcome = CU(cuStreamSynchronize(stream));
    return outcome ? outcome : CU(cuMemFree(address));
  }
  Outcome allocateHost(void *&pointer, size_t bytes) const {
    constexpr unsigned kPortable = 1; // Pinned for every context.
    return CU(cuMemHostAlloc(&pointer, bytes, kPortable));
  }
  Outcome freeHost(void *pointer) const { return CU(cuMemFreeHost(pointer)); }
  Outcome copy(Copy kind, uint64_t to, uint64_t from, size_t bytes, CUstream stream) const {
    if (kind == Copy::ToDevice)
      return CU(cuMemcpyHtoDAsync(to, reinterpret_cast<const void *>(from), bytes, stream));
    if (kind == Copy::FromDevice)
      return CU(cuMemcpyDtoHAsync(reinterpret_cast<void *>(to), from, bytes, stream));
    return CU(cuMemcpyDtoDAsync(to, from, bytes, stream));
  }
  bool sharesMemory(const Device &peer) const { return context == peer.context; }
  Outcome copyFromPeer(TilerunAddress to, const Device &peer, TilerunAddress from, size_t bytes,
                       CUstream stream) const {
    return CU(cuMemcpyPeerAsync(to, context, from, peer.context, bytes, stream));
  }
  Outcome fill(TilerunAddress to, uint32_t pattern, uint32_t patternBytes, size_t count,
               CUstream stream) const {
    if (patternBytes == 1)
      return CU(cuMemsetD8Async(to, static_cast<uint8_t>(pattern), count, stream));
    if (patternBytes == 2)
      return CU(cuMemsetD16Async(to, static_cast<uint16_t>(pattern), count, stream));
    return CU(cuMemsetD32Async(to, pattern, count, stream));
  }
  Outcome getPointerInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const;

  // Streams and events.
  Outcome createStream(CUstream &stream) const {
    constexpr unsigned kNonBlocking = 1; // Ordered by events only, not by the legacy stream.
    return CU(cuStreamCreate(&stream, kNonBlocking));
  }
  Outcome destroyStream(CUstream stream) const { return CU(cuStreamDestroy(stream)); }
  Outcome synchronizeStream(CUstream stream) const { return CU(cuStreamSynchronize(stream)); }
  Outcome queryStream(CUstream stream) const { return CU(cuStreamQuery(stream)); }
  Outcome waitEvent(CUstream stream, CUevent event) const {
    return CU(cuStreamWaitEvent(stream, event, 0));
  }
  Outcome createEvent(CUevent &event, bool timing) const {
    constexpr unsigned kDisableTiming = 2;
    return CU(cuEventCreate(&event, timing ? 0 : kDisableTiming));
  }
  Outcome destroyEvent(CUevent event) const { return CU(cuEventDestroy(event)); }
  Outcome recordEvent(CUevent event, CUstream stream) const {
    return CU(cuEventRecord(event, stream));
  }
  Outcome synchronizeEvent(CUevent event) const { return CU(cuEventSynchronize(event)); }
  Outcome queryEvent(CUevent event) const { return CU(cuEventQuery(event)); }
  Outcome elapsedTime(float &time, CUevent start, CUevent end) const {
    return CU(cuEventElapsedTime(&time, start, end));
  }

  // Modules and launches (Modules.cpp).
  std::string checkCompatibility(const std::string &text) const;
  Outcome loadModule(CUmodule &module, const TilerunPluginArtifact &artifact,
                     std::string &detail) const;
  static bool isFinal(const std::string &compatibility) {
    return compatibility.rfind("cuda:sass:", 0) == 0;
  }
  Outcome finalize(std::string &code, std::string &detail) const; // Link.cpp
  bool losesByFinalizing(const std::string &code) const;
  void unloadModule(CUmodule module) const { driver.cuModuleUnload(module); }
  Outcome getFunction(CUfunction &function, CUmodule module, const char *name) const {
    return CU(cuModuleGetFunction(&function, module, name));
  }
  Outcome getSharedLimit(CUfunction function, uint32_t &fixed, uint32_t &most) const;
  Outcome allowShared(CUfunction function, uint32_t bytes) const {
    return CU(cuFuncSetAttribute(function, kFunctionMaxDynamicShared, static_cast<int>(bytes)));
  }
  static constexpr Attribute kFunctionAttributes[] = {
      {TILERUN_KERNEL_PROPERTY_REGISTERS, kFunctionRegisters},
      {TILERUN_KERNEL_PROPERTY_STATIC_SHARED, kFunctionSharedBytes},
      {TILERUN_KERNEL_PROPERTY_LOCAL_BYTES, kFunctionLocalBytes},
      {TILERUN_KERNEL_PROPERTY_MAX_THREADS, kFunctionMaxThreads}};
  Outcome readFunctionAttribute(CUfunction function, int attribute, int &value) const {
    return CU(cuFuncGetAttribute(&value, attribute, function));
  }
  Outcome getKernelNumber(uint32_t property, CUfunction function, uint64_t &number,
                          bool &known) const {
    return getFunctionNumber(*this, property, function, number, known);
  }
  static bool launchesWait();
  Outcome launch(CUfunction function, const LaunchCall &call, CUstream stream) const {
    const TilerunPluginLaunch &launch = call.launch;
    // The driver's marks for a packed buffer.
    void *const kBuffer = reinterpret_cast<void *>(1), *const kSize = reinterpret_cast<void *>(2);
    size_t size = launch.num_bytes;
    void *packed[] = {kBuffer, const_cast<void *>(launch.arguments), kSize, &size, nullptr};
    void **extra = call.parameters ? nullptr : packed;
    if ((call.overlap && overlapsGrids) || call.cluster[0]) [[unlikely]]
      return launchExtended(function, call, stream, extra);
    const CUresult error = driver.cuLaunchKernel(
        function, launch.grid[0], launch.grid[1], launch.grid[2], launch.threads, 1, 1,
        launch.shared_bytes, stream, call.parameters, extra);
    return {error, "cuLaunchKernel(function, …)"};
  }

private:
  Outcome launchExtended(CUfunction function, const LaunchCall &call, CUstream stream,
                         void **extra) const;
};

/// The entries of the table that are CUDA's own, by file.
void addSelfTestEntries(TilerunPlugin &table);
void addCompileEntries(TilerunPlugin &table);

} // namespace cuda
