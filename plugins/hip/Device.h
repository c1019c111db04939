// An open HIP device, with the members that the stream driver requires. Calls are inline, because
// a launch is one of them.
#pragma once

#include "plugins/hip/CapturedEvents.h"
#include "plugins/hip/Driver.h"
#include "plugins/hip/Reports.h"
#include "plugins/stream_driver/Attributes.h"
#include "plugins/stream_driver/Plugin.h"

#include <deque>
#include <map>

namespace hip {

using namespace tilerun::stream_driver;

/// A call of the device's driver, with its text for errors.
#define HIP(call)                                                                                  \
  Outcome { driver.call, #call }

/// A kernel of a module.
struct Function {
  hipFunction_t handle = nullptr;
  uint32_t sharedBytes = 0;   ///< In its code; a launch's number includes them.
  uint32_t numParameters = 0; ///< With derived ones; only of kernels with messages.
  /// Of a wave, as a launch counts threads, and as the device does; 0 where they are the same.
  uint32_t lanes = 0, deviceLanes = 0;
  std::shared_ptr<const Messages> messages; ///< Null: it says nothing.
};
struct Module {
  hipModule_t handle = nullptr;
  std::string image; ///< The runtime may read it for as long as the module lives.
  std::vector<tilerun::backend::DebugSite> sites;
  std::map<std::string, uint32_t> numParameters; ///< By kernel.
  std::map<std::string, uint32_t> lanes;         ///< Of a bundle's kernels.
  std::mutex mutex;                              ///< Guards `functions`.
  std::deque<Function> functions;
};

struct Device : DeviceState<Device> {
  using StreamHandle = hipStream_t;
  using EventHandle = hipEvent_t;
  using ModuleHandle = Module *;
  using FunctionHandle = Function *;
  static constexpr const char *kName = "hip";

  const Driver &driver = getDriver(); ///< `count` found it.
  hipDevice_t handle = 0;
  std::string targetId; ///< "gfx942:sramecc+:xnack-": `arch` with its features.
  uint64_t totalMemory = 0;
  bool memoryPools = false;
  uint32_t maxShared = 0;    ///< Bytes of shared memory of one program.
  hipStream_t own = nullptr; ///< The stream that a null handle means.
  mutable Reports reports{driver};
  mutable CapturedEvents capturedEvents;

  /// Makes the device the thread's for a scope. Its context is the process's own, which every
  /// handle and every framework shares.
  class Current {
  public:
    explicit Current(Device &device) : driver(device.driver) {
      outcome = HIP(hipGetDevice(&previous));
      const int handle = device.handle;
      if (outcome || previous == handle)
        return;
      outcome = HIP(hipSetDevice(handle));
      changed = !outcome;
    }
    ~Current() {
      if (changed)
        driver.hipSetDevice(previous);
    }
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    Outcome outcome;

  private:
    const Driver &driver;
    int previous = 0;
    bool changed = false;
  };

  /// Lets a call that no graph can hold, such as an allocation or a wait, pass while the process
  /// captures one on another stream. Without it the call would fail, and end the capture.
  class OutsideCapture {
  public:
    explicit OutsideCapture(const Driver &driver)
        : driver(driver), changed(driver.hipThreadExchangeStreamCaptureMode(&mode) == kSuccess) {}
    ~OutsideCapture() {
      if (changed)
        driver.hipThreadExchangeStreamCaptureMode(&mode);
    }
    OutsideCapture(const OutsideCapture &) = delete;
    OutsideCapture &operator=(const OutsideCapture &) = delete;

  private:
    const Driver &driver;
    int mode = kCaptureModeRelaxed; ///< Then the thread's own.
    bool changed;
  };

  static TilerunStatus getStatus(hipError_t error);
  std::string getErrorName(hipError_t error) const {
    return error == kFailedAssertion ? "assertion" : driver.getErrorName(error);
  }
  std::string getErrorText(hipError_t error) const {
    return error == kFailedAssertion ? Reports::getFailure() : driver.getErrorText(error);
  }

  // Devices (Device.cpp).
  static uint32_t count(std::string &reason);
  Outcome describe();
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): replaces the default.
  TilerunStatus open(const TilerunErrorSink *sink);
  void close();
  static constexpr Attribute kAttributes[] = {
      {TILERUN_DEVICE_PROPERTY_UNITS, kMultiprocessorCount},
      {TILERUN_DEVICE_PROPERTY_WARP_SIZE, kWarpSize},
      {TILERUN_DEVICE_PROPERTY_MAX_THREADS, kMaxThreadsPerBlock},
      {TILERUN_DEVICE_PROPERTY_MAX_SHARED, kMaxSharedMemoryPerBlock},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_X, kMaxGridDimX},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Y, kMaxGridDimY},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Z, kMaxGridDimZ},
      {TILERUN_DEVICE_PROPERTY_REGISTERS, kMaxRegistersPerMultiprocessor},
      {TILERUN_DEVICE_PROPERTY_L2_BYTES, kL2CacheSize},
      {TILERUN_DEVICE_PROPERTY_CLOCK_KHZ, kClockRate},
      {TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY, kIntegrated}};
  Outcome readAttribute(int attribute, int &value) const {
    return HIP(hipDeviceGetAttribute(&value, attribute, handle));
  }
  Outcome getFreeMemory(uint64_t &bytes) const;
  Outcome getNumber(uint32_t property, uint64_t &number, bool &known) const {
    if (property == TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST) {
      known = true;
      number = name.starts_with("emulated "); // As the emulator names its devices.
      return {};
    }
    if (property == TILERUN_DEVICE_PROPERTY_USES_SMALL) {
      known = true;
      number = 1; // Masks are offsets of buffer instructions there.
      return {};
    }
    return getAttributeNumber(*this, property, number, known);
  }
  /// Ends the captures of the process, which no mode of the thread prevents.
  Outcome synchronize() const { return take(HIP(hipDeviceSynchronize()), nullptr); }
  /// The outcome of a wait, or what kernels have told since. To be called outside of captures, as
  /// it may look at events.
  Outcome take(const Outcome &waited, const hipStream_t *stream) const {
    return waited ? waited : reports.take(stream, waited.expression);
  }

  // Memory: stream-ordered where the device has memory pools.
  Outcome allocate(TilerunAddress &out, size_t bytes, hipStream_t stream) const {
    void *pointer = nullptr;
    Outcome outcome;
    if (memoryPools) {
      outcome = HIP(hipMallocAsync(&pointer, bytes, stream));
    } else {
      const OutsideCapture outside(driver);
      outcome = HIP(hipMalloc(&pointer, bytes));
    }
    out = toAddress(pointer);
    return outcome;
  }
  Outcome free(TilerunAddress address, hipStream_t stream) const {
    if (memoryPools)
      return HIP(hipFreeAsync(toPointer(address), stream));
    // Not ordered by itself: the stream's work may still use the memory.
    const Outcome outcome = waitForStream(stream);
    const OutsideCapture outside(driver);
    return outcome ? outcome : HIP(hipFree(toPointer(address)));
  }
  Outcome allocateHost(void *&pointer, size_t bytes) const {
    constexpr unsigned kPortable = 1; // Pinned for every device.
    const OutsideCapture outside(driver);
    return HIP(hipHostMalloc(&pointer, bytes, kPortable));
  }
  Outcome freeHost(void *pointer) const {
    const OutsideCapture outside(driver);
    return HIP(hipHostFree(pointer));
  }
  Outcome copy(Copy kind, uint64_t to, uint64_t from, size_t bytes, hipStream_t stream) const {
    if (kind == Copy::ToDevice)
      return HIP(hipMemcpyHtoDAsync(toPointer(to), toPointer(from), bytes, stream));
    if (kind == Copy::FromDevice)
      return HIP(hipMemcpyDtoHAsync(toPointer(to), toPointer(from), bytes, stream));
    return HIP(hipMemcpyDtoDAsync(toPointer(to), toPointer(from), bytes, stream));
  }
  bool sharesMemory(const Device &peer) const { return handle == peer.handle; }
  Outcome copyFromPeer(TilerunAddress to, const Device &peer, TilerunAddress from, size_t bytes,
                       hipStream_t stream) const {
    return HIP(
        hipMemcpyPeerAsync(toPointer(to), handle, toPointer(from), peer.handle, bytes, stream));
  }
  Outcome fill(TilerunAddress to, uint32_t pattern, uint32_t patternBytes, size_t count,
               hipStream_t stream) const {
    if (patternBytes == 1)
      return HIP(hipMemsetD8Async(toPointer(to), static_cast<uint8_t>(pattern), count, stream));
    if (patternBytes == 2)
      return HIP(hipMemsetD16Async(toPointer(to), static_cast<uint16_t>(pattern), count, stream));
    return HIP(hipMemsetD32Async(toPointer(to), static_cast<int>(pattern), count, stream));
  }
  Outcome getPointerInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const;

  // Streams and events.
  Outcome createStream(hipStream_t &stream) const {
    constexpr unsigned kNonBlocking = 1; // Ordered by events only, not by the legacy stream.
    return HIP(hipStreamCreateWithFlags(&stream, kNonBlocking));
  }
  Outcome destroyStream(hipStream_t stream) const {
    reports.forget(stream);
    return HIP(hipStreamDestroy(stream));
  }
  Outcome waitForStream(hipStream_t stream) const {
    constexpr const char *kCall = "hipStreamSynchronize(stream)";
    const Outcome outcome = checkCapture(stream, kCall);
    const OutsideCapture outside(driver); // Of other streams.
    return outcome ? outcome : Outcome{driver.hipStreamSynchronize(stream), kCall};
  }
  Outcome synchronizeStream(hipStream_t stream) const {
    const OutsideCapture outside(driver);
    return take(waitForStream(stream), &stream);
  }
  Outcome queryStream(hipStream_t stream) const {
    constexpr const char *kCall = "hipStreamQuery(stream)";
    const Outcome outcome = checkCapture(stream, kCall);
    const OutsideCapture outside(driver); // Of other streams.
    return outcome ? outcome : take({driver.hipStreamQuery(stream), kCall}, &stream);
  }
  /// Waiting for a stream that is captured into a graph fails, and would end the capture: refused
  /// before the runtime sees it.
  Outcome checkCapture(hipStream_t stream, const char *call) const {
    bool captures = false;
    const Outcome outcome = isCapturing(stream, captures);
    return outcome || !captures ? outcome : Outcome{kStreamCaptureUnsupported, call};
  }
  Outcome waitEvent(hipStream_t stream, hipEvent_t event) const {
    return HIP(hipStreamWaitEvent(stream, event, 0));
  }
  Outcome createEvent(hipEvent_t &event, bool timing) const {
    constexpr unsigned kDisableTiming = 2;
    return HIP(hipEventCreateWithFlags(&event, timing ? 0 : kDisableTiming));
  }
  Outcome destroyEvent(hipEvent_t event) const {
    capturedEvents.note(event, false);
    return HIP(hipEventDestroy(event));
  }
  Outcome recordEvent(hipEvent_t event, hipStream_t stream) const {
    bool captures = false;
    if (const Outcome outcome = isCapturing(stream, captures))
      return outcome;
    const Outcome outcome = HIP(hipEventRecord(event, stream));
    if (!outcome)
      capturedEvents.note(event, captures);
    return outcome;
  }
  // Waiting for an event of a capture is refused likewise.
  Outcome synchronizeEvent(hipEvent_t event) const {
    if (capturedEvents.has(event))
      return {kCapturedEvent, "hipEventSynchronize(event)"};
    const OutsideCapture outside(driver);
    return take(HIP(hipEventSynchronize(event)), nullptr);
  }
  Outcome queryEvent(hipEvent_t event) const {
    if (capturedEvents.has(event))
      return {kCapturedEvent, "hipEventQuery(event)"};
    const OutsideCapture outside(driver);
    return take(HIP(hipEventQuery(event)), nullptr);
  }
  Outcome elapsedTime(float &time, hipEvent_t start, hipEvent_t end) const {
    if (capturedEvents.has(start) || capturedEvents.has(end))
      return {kCapturedEvent, "hipEventElapsedTime(&time, start, end)"};
    return HIP(hipEventElapsedTime(&time, start, end));
  }

  // Modules and launches (Modules.cpp).
  std::string checkCompatibility(const std::string &text) const;
  Outcome loadModule(Module *&module, const TilerunPluginArtifact &artifact,
                     std::string &detail) const;
  void unloadModule(Module *module) const {
    driver.hipModuleUnload(module->handle);
    delete module;
  }
  Outcome getFunction(Function *&function, Module *module, const char *name) const;
  static constexpr Attribute kFunctionAttributes[] = {
      {TILERUN_KERNEL_PROPERTY_REGISTERS, kFunctionRegisters},
      {TILERUN_KERNEL_PROPERTY_LOCAL_BYTES, kFunctionLocalBytes},
      {TILERUN_KERNEL_PROPERTY_MAX_THREADS, kFunctionMaxThreads}};
  Outcome readFunctionAttribute(const Function *function, int attribute, int &value) const {
    const hipFunction_t handle = function->handle;
    return HIP(hipFuncGetAttribute(&value, attribute, handle));
  }
  Outcome getKernelNumber(uint32_t property, Function *function, uint64_t &number,
                          bool &known) const {
    // All of it is what a launch says.
    if (property == TILERUN_KERNEL_PROPERTY_STATIC_SHARED)
      return {};
    return getFunctionNumber(*this, property, function, number, known);
  }
  static bool launchesWait();
  Outcome launch(const Function *function, const LaunchCall &call, hipStream_t stream) const {
    // The packet of a launch counts threads, in 32 bits.
    if (uint64_t(call.launch.grid[0]) * call.launch.threads > UINT32_MAX) [[unlikely]]
      return {kInvalidConfiguration, "hipModuleLaunchKernel(a grid of 2^32 threads or more, …)"};
    if (function->messages) [[unlikely]]
      return launchWithMessages(*function, call, stream);
    return start(*function, call.launch, stream, call.parameters, call.launch.arguments,
                 call.launch.num_bytes);
  }

private:
  Outcome isCapturing(hipStream_t stream, bool &captures) const {
    int status = 0;
    const Outcome outcome = HIP(hipStreamIsCapturing(stream, &status));
    captures = status == kCaptureActive;
    return outcome;
  }
  /// With a pointer to each parameter, or null and all of them packed.
  Outcome start(const Function &function, const TilerunPluginLaunch &launch, hipStream_t stream,
                void **parameters, const void *arguments, size_t size) const {
    // The runtime's marks for a packed buffer.
    void *const kBuffer = reinterpret_cast<void *>(1), *const kSize = reinterpret_cast<void *>(2),
                *const kEnd = reinterpret_cast<void *>(3);
    void *packed[] = {kBuffer, const_cast<void *>(arguments), kSize, &size, kEnd};
    const uint32_t inCode = std::min(function.sharedBytes, launch.shared_bytes);
    uint32_t threads = launch.threads;
    if (function.lanes) [[unlikely]]
      threads = threads / function.lanes * function.deviceLanes;
    const hipError_t error = driver.hipModuleLaunchKernel(
        function.handle, launch.grid[0], launch.grid[1], launch.grid[2], threads, 1, 1,
        launch.shared_bytes - inCode, stream, parameters, parameters ? nullptr : packed);
    return {error, "hipModuleLaunchKernel(function, …)"};
  }
  Outcome launchWithMessages(const Function &function, const LaunchCall &call,
                             hipStream_t stream) const;
  static void *toPointer(uint64_t address) { return reinterpret_cast<void *>(address); }
  static TilerunAddress toAddress(const void *pointer) {
    return reinterpret_cast<TilerunAddress>(pointer);
  }
};

/// The entries of the table that are HIP's own and need no compiler (Compile.h).
void addSelfTestEntries(TilerunPlugin &table);

} // namespace hip
