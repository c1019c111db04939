// The template of a plugin: one device whose memory is the host's and whose streams do their work
// at once. Copy this folder, rename `null`, and replace the bodies by calls into your driver; the
// conformance suite tells what is still missing. It needs nothing but the ABI header and the
// standard library, and is real enough to test the runtime against.
#include "tilerun/plugin.h"

#include "NullKernels.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

// The ABI's opaque handles are this plugin's own structs. A handle knows its device, so that every
// error can name it.
struct TilerunPluginDevice {
  std::mutex mutex; // Guards what follows.
  std::map<TilerunAddress, uint64_t> allocations;
  uint64_t used = 0;
  bool lost = false;
  std::string lossReason;
};
struct TilerunPluginStream {
  TilerunPluginDevice *device;
  uint64_t native; // What adopt_stream was given; 0 for the plugin's own.
};
struct TilerunPluginEvent {
  TilerunPluginDevice *device;
  bool timing;
  std::mutex mutex; // Guards what follows.
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};
struct TilerunPluginKernel {
  TilerunPluginDevice *device;
  const null::TestKernel *kernel;
};
struct TilerunPluginModule {
  TilerunPluginDevice *device;
  TilerunPluginKernel kernel;
};

namespace {

constexpr const char *kDeviceId = "null:0";
constexpr const char *kCompatibility = "null:1";
constexpr uint64_t kMemoryBytes = uint64_t(1) << 30;
constexpr uint64_t kAlignment = 256;
constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kMaxShared = 48 << 10;
constexpr uint32_t kMaxCluster = 2;
constexpr uint32_t kMaxGrid[3] = {2147483647, 65535, 65535};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

// Reports and returns `status`, so that a failure is one statement: `return fail(…)`. A real driver
// gives its own word for the error as well.
TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                   const std::string &what) {
  if (!sink || !TILERUN_HAS(TilerunErrorSink, sink, report))
    return status;
  std::string message = std::string(call) + " on " + kDeviceId + ": " + what;
  TilerunErrorInfo info = {sizeof(TilerunErrorInfo), status, call, kDeviceId, nullptr,
                           message.c_str()};
  sink->report(sink->user, &info);
  return status;
}

// Every entry that works on a device begins with this.
TilerunStatus checkAlive(TilerunPluginDevice *device, const char *call,
                         const TilerunErrorSink *sink) {
  std::lock_guard lock(device->mutex);
  if (device->lost)
    return fail(sink, TILERUN_STATUS_DEVICE_LOST, call,
                device->lossReason + "; close the device and open it again");
  return TILERUN_STATUS_OK;
}

// The allocation that holds [address, address + bytes), or the end of the map. Under the lock.
auto findAllocation(TilerunPluginDevice &device, TilerunAddress address, uint64_t bytes) {
  auto it = device.allocations.upper_bound(address);
  if (it == device.allocations.begin())
    return device.allocations.end();
  --it;
  bool inside = address - it->first <= it->second && bytes <= it->second - (address - it->first);
  return inside ? it : device.allocations.end();
}

TilerunStatus checkRange(TilerunPluginDevice *device, TilerunAddress address, uint64_t bytes,
                         const char *call, const TilerunErrorSink *sink) {
  std::lock_guard lock(device->mutex);
  if (device->lost)
    return fail(sink, TILERUN_STATUS_DEVICE_LOST, call, device->lossReason);
  // Nothing is inside of anything, wherever it is.
  if (bytes && findAllocation(*device, address, bytes) == device->allocations.end())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call,
                std::to_string(bytes) + " bytes at " + std::to_string(address) +
                    " are not inside one allocation");
  return TILERUN_STATUS_OK;
}

void *toPointer(TilerunAddress address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}
TilerunAddress toAddress(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

//===----------------------------------------------------------------------===//
// Artifacts: nothing is compiled here, but the self-test kernels exist
//===----------------------------------------------------------------------===//

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  each(user, "null:host");
  return TILERUN_STATUS_OK;
}

TilerunStatus getSelfTest(const char *name, const TilerunPluginArtifact **artifact,
                          const TilerunErrorSink *sink) {
  const null::TestKernel *kernel = null::findTestKernel(name);
  if (!kernel)
    return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test",
                std::string("there is no self-test kernel '") + name + "'");
  // The bytes of this plugin's artifacts are the kernel's name.
  *artifact = new TilerunPluginArtifact{sizeof(TilerunPluginArtifact),
                                        1,
                                        reinterpret_cast<const uint8_t *>(kernel->info.name),
                                        std::strlen(kernel->info.name),
                                        kCompatibility,
                                        &kernel->info,
                                        &kernel->details};
  return TILERUN_STATUS_OK;
}

void releaseArtifact(const TilerunPluginArtifact *artifact) { delete artifact; }

TilerunStatus checkCompatibility(TilerunPluginDevice *, const char *compatibility,
                                 const TilerunErrorSink *sink) {
  if (std::strcmp(compatibility, kCompatibility) == 0)
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_INCOMPATIBLE, "check_compatibility",
              std::string("the artifact is for '") + compatibility + "', this device takes '" +
                  kCompatibility + "'");
}

// A real driver compiles here what loading would compile otherwise, so that a cache can keep it;
// the compatibility string then names the driver's version. A kernel's name is as final as it gets.
TilerunStatus finalizeArtifact(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                               const TilerunPluginArtifact **out, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "finalize_artifact", sink))
    return status;
  if (TilerunStatus status = checkCompatibility(device, artifact->compatibility, sink))
    return status;
  std::string name(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
  if (!null::findTestKernel(name))
    return fail(sink, TILERUN_STATUS_COMPILE, "finalize_artifact",
                "the artifact is no name of a self-test kernel");
  return getSelfTest(name.c_str(), out, sink);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TilerunStatus getDevices(TilerunDeviceCallback each, void *user, const TilerunErrorSink *) {
  TilerunPluginDeviceInfo info = {
      sizeof(TilerunPluginDeviceInfo), 0,          kDeviceId, "null:host-memory",
      "Null device (host memory)",     "null:host"};
  each(user, &info);
  return TILERUN_STATUS_OK;
}

TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                         TilerunPluginDevice **device, const TilerunErrorSink *sink) {
  if (ordinal != 0)
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "open_device",
                "there is no device " + std::to_string(ordinal) + ", only 0");
  if (options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context))
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "open_device", "there are no contexts to adopt");
  *device = new TilerunPluginDevice;
  return TILERUN_STATUS_OK;
}

void closeDevice(TilerunPluginDevice *device) {
  if (!device)
    return;
  for (auto [address, bytes] : device->allocations)
    std::free(toPointer(address));
  delete device;
}

TilerunStatus getDeviceState(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  return checkAlive(device, "get_device_state", sink);
}

TilerunStatus setValue(TilerunPropertyValue *value, uint64_t number) {
  value->type = TILERUN_VALUE_U64;
  value->number = number;
  return TILERUN_STATUS_OK;
}
TilerunStatus setValue(TilerunPropertyValue *value, const char *string) {
  value->type = TILERUN_VALUE_STRING;
  value->string = string;
  return TILERUN_STATUS_OK;
}

TilerunStatus getDeviceProperty(TilerunPluginDevice *device, uint32_t property,
                                TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  switch (property) {
  case TILERUN_DEVICE_PROPERTY_NAME:
    return setValue(value, "Null device (host memory)");
  case TILERUN_DEVICE_PROPERTY_UUID:
    return setValue(value, "null:host-memory");
  case TILERUN_DEVICE_PROPERTY_ARCH:
    return setValue(value, "host");
  case TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY:
    return setValue(value, kCompatibility);
  case TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL:
    return setValue(value, kMemoryBytes);
  case TILERUN_DEVICE_PROPERTY_MEMORY_FREE: {
    std::lock_guard lock(device->mutex);
    return setValue(value, kMemoryBytes - device->used);
  }
  case TILERUN_DEVICE_PROPERTY_UNITS:
  case TILERUN_DEVICE_PROPERTY_WARP_SIZE:
    return setValue(value, uint64_t(1));
  case TILERUN_DEVICE_PROPERTY_MAX_THREADS:
    return setValue(value, uint64_t(kMaxThreads));
  case TILERUN_DEVICE_PROPERTY_MAX_CLUSTER:
    return setValue(value, uint64_t(kMaxCluster));
  case TILERUN_DEVICE_PROPERTY_MAX_SHARED:
    return setValue(value, uint64_t(kMaxShared));
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_X:
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Y:
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Z:
    return setValue(value, uint64_t(kMaxGrid[property - TILERUN_DEVICE_PROPERTY_MAX_GRID_X]));
  case TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY:
  case TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY:
    return setValue(value, uint64_t(1));
  }
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_device_property",
              "no property " + std::to_string(property));
}

TilerunStatus synchronizeDevice(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  return checkAlive(device, "synchronize_device", sink);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TilerunStatus allocate(TilerunPluginDevice *device, TilerunPluginStream *, uint64_t bytes,
                       TilerunAddress *address, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "allocate", sink))
    return status;
  std::lock_guard lock(device->mutex);
  uint64_t size = bytes ? bytes : 1;
  if (size > kMemoryBytes - device->used)
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate",
                std::to_string(bytes) + " bytes wanted, " +
                    std::to_string(kMemoryBytes - device->used) + " free");
  size = (size + kAlignment - 1) / kAlignment * kAlignment;
  void *pointer = std::aligned_alloc(kAlignment, size);
  if (!pointer)
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate", "the host is out of memory");
  size = bytes ? bytes : 1;
  device->allocations.emplace(toAddress(pointer), size);
  device->used += size;
  *address = toAddress(pointer);
  return TILERUN_STATUS_OK;
}

TilerunStatus freeMemory(TilerunPluginDevice *device, TilerunPluginStream *, TilerunAddress address,
                         const TilerunErrorSink *sink) {
  if (!address)
    return TILERUN_STATUS_OK;
  if (TilerunStatus status = checkAlive(device, "free", sink))
    return status;
  std::lock_guard lock(device->mutex);
  auto it = device->allocations.find(address);
  if (it == device->allocations.end())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "free",
                "no allocation begins at " + std::to_string(address));
  device->used -= it->second;
  device->allocations.erase(it);
  std::free(toPointer(address));
  return TILERUN_STATUS_OK;
}

TilerunStatus allocateHost(TilerunPluginDevice *device, uint64_t bytes, void **pointer,
                           const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "allocate_host", sink))
    return status;
  void *memory = std::malloc(bytes ? bytes : 1);
  if (!memory)
    return fail(sink, TILERUN_STATUS_OUT_OF_MEMORY, "allocate_host",
                std::to_string(bytes) + " bytes");
  *pointer = memory;
  return TILERUN_STATUS_OK;
}

TilerunStatus freeHost(TilerunPluginDevice *, void *pointer, const TilerunErrorSink *) {
  std::free(pointer);
  return TILERUN_STATUS_OK;
}

TilerunStatus copyToDevice(TilerunPluginDevice *device, TilerunPluginStream *, TilerunAddress to,
                           const void *from, uint64_t bytes, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkRange(device, to, bytes, "copy_to_device", sink))
    return status;
  if (bytes)
    std::memcpy(toPointer(to), from, bytes);
  return TILERUN_STATUS_OK;
}

TilerunStatus copyFromDevice(TilerunPluginDevice *device, TilerunPluginStream *, void *to,
                             TilerunAddress from, uint64_t bytes, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkRange(device, from, bytes, "copy_from_device", sink))
    return status;
  if (bytes)
    std::memcpy(to, toPointer(from), bytes);
  return TILERUN_STATUS_OK;
}

TilerunStatus copyFromPeer(TilerunPluginDevice *device, TilerunPluginStream *, TilerunAddress to,
                           TilerunPluginDevice *peer, TilerunAddress from, uint64_t bytes,
                           const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkRange(device, to, bytes, "copy_from_peer", sink))
    return status;
  if (TilerunStatus status = checkRange(peer, from, bytes, "copy_from_peer", sink))
    return status;
  if (bytes)
    std::memcpy(toPointer(to), toPointer(from), bytes);
  return TILERUN_STATUS_OK;
}

TilerunStatus copyOnDevice(TilerunPluginDevice *device, TilerunPluginStream *stream,
                           TilerunAddress to, TilerunAddress from, uint64_t bytes,
                           const TilerunErrorSink *sink) {
  return copyFromPeer(device, stream, to, device, from, bytes, sink);
}

TilerunStatus fill(TilerunPluginDevice *device, TilerunPluginStream *, TilerunAddress to,
                   uint32_t pattern, uint32_t patternBytes, uint64_t bytes,
                   const TilerunErrorSink *sink) {
  if ((patternBytes != 1 && patternBytes != 2 && patternBytes != 4) || bytes % patternBytes)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "fill",
                "a pattern of " + std::to_string(patternBytes) + " bytes over " +
                    std::to_string(bytes));
  if (TilerunStatus status = checkRange(device, to, bytes, "fill", sink))
    return status;
  // The pattern's lowest bytes come first in it, as hosts are little-endian.
  for (uint64_t at = 0; at < bytes; at += patternBytes)
    std::memcpy(toPointer(to + at), &pattern, patternBytes);
  return TILERUN_STATUS_OK;
}

TilerunStatus getPointerInfo(TilerunPluginDevice *device, TilerunAddress address,
                             TilerunPluginPointerInfo *info, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkRange(device, address, 1, "get_pointer_info", sink))
    return status;
  std::lock_guard lock(device->mutex);
  auto it = findAllocation(*device, address, 1);
  info->accessible = 1;
  info->base = it->first;
  info->num_bytes = it->second;
  info->on_host = 0;
  info->other_device = 0;
  return TILERUN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Streams and events: work is done when a call returns
//===----------------------------------------------------------------------===//

TilerunStatus adoptStream(TilerunPluginDevice *device, uint64_t native,
                          TilerunPluginStream **stream, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "adopt_stream", sink))
    return status;
  *stream = new TilerunPluginStream{device, native};
  return TILERUN_STATUS_OK;
}

TilerunStatus createStream(TilerunPluginDevice *device, TilerunPluginStream **stream,
                           const TilerunErrorSink *sink) {
  return adoptStream(device, 0, stream, sink);
}

TilerunStatus getNativeStream(TilerunPluginDevice *, TilerunPluginStream *stream, uint64_t *native,
                              const TilerunErrorSink *) {
  *native = stream ? stream->native : 0;
  return TILERUN_STATUS_OK;
}

void destroyStream(TilerunPluginStream *stream) { delete stream; }

TilerunStatus waitForStream(TilerunPluginDevice *device, TilerunPluginStream *,
                            const TilerunErrorSink *sink) {
  return checkAlive(device, "synchronize_stream", sink);
}

TilerunStatus createEvent(TilerunPluginDevice *device, uint32_t flags, TilerunPluginEvent **event,
                          const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "create_event", sink))
    return status;
  *event = new TilerunPluginEvent{device, (flags & TILERUN_EVENT_TIMING) != 0, {}, false, {}};
  return TILERUN_STATUS_OK;
}

void destroyEvent(TilerunPluginEvent *event) { delete event; }

TilerunStatus recordEvent(TilerunPluginEvent *event, TilerunPluginStream *,
                          const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(event->device, "record_event", sink))
    return status;
  std::lock_guard lock(event->mutex);
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return TILERUN_STATUS_OK;
}

TilerunStatus waitEvent(TilerunPluginDevice *device, TilerunPluginStream *, TilerunPluginEvent *,
                        const TilerunErrorSink *sink) {
  return checkAlive(device, "wait_event", sink);
}

TilerunStatus waitForEvent(TilerunPluginEvent *event, const TilerunErrorSink *sink) {
  return checkAlive(event->device, "synchronize_event", sink);
}

TilerunStatus elapsedTime(TilerunPluginEvent *start, TilerunPluginEvent *end, double *milliseconds,
                          const TilerunErrorSink *sink) {
  auto read = [](TilerunPluginEvent *event, std::chrono::steady_clock::time_point &time) {
    std::lock_guard lock(event->mutex);
    time = event->time;
    return event->timing && event->recorded;
  };
  std::chrono::steady_clock::time_point from, to;
  if (!read(start, from) || !read(end, to))
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "elapsed_time",
                "an event has no timing or was never recorded");
  *milliseconds = std::chrono::duration<double, std::milli>(to - from).count();
  return TILERUN_STATUS_OK;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

TilerunStatus loadModule(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                         TilerunPluginModule **module, const TilerunErrorSink *sink) {
  if (TilerunStatus status = checkAlive(device, "load_module", sink))
    return status;
  if (TilerunStatus status = checkCompatibility(device, artifact->compatibility, sink))
    return status;
  std::string name(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
  const null::TestKernel *kernel = null::findTestKernel(name);
  if (!kernel)
    return fail(sink, TILERUN_STATUS_COMPILE, "load_module",
                "the artifact is no name of a self-test kernel");
  *module = new TilerunPluginModule{device, {device, kernel}};
  return TILERUN_STATUS_OK;
}

void unloadModule(TilerunPluginModule *module) { delete module; }

TilerunStatus getKernel(TilerunPluginModule *module, const char *name, TilerunPluginKernel **kernel,
                        const TilerunErrorSink *sink) {
  const char *known = module->kernel.kernel->info.name;
  if (std::strcmp(name, known) != 0)
    return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_kernel",
                std::string("there is no kernel '") + name + "', only '" + known + "'");
  *kernel = &module->kernel;
  return TILERUN_STATUS_OK;
}

TilerunStatus getKernelProperty(TilerunPluginKernel *, uint32_t property,
                                TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  if (property == TILERUN_KERNEL_PROPERTY_MAX_THREADS)
    return setValue(value, uint64_t(kMaxThreads));
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property",
              "no property " + std::to_string(property));
}

TilerunStatus launch(TilerunPluginKernel *kernel, TilerunPluginStream *,
                     const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
  TilerunPluginDevice *device = kernel->device;
  if (TilerunStatus status = checkAlive(device, "launch", sink))
    return status;
  for (int axis = 0; axis < 3; ++axis)
    if (launch->grid[axis] == 0 || launch->grid[axis] > kMaxGrid[axis])
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch",
                  "the grid has " + std::to_string(launch->grid[axis]) + " programs on axis " +
                      std::to_string(axis) + "; 1 to " + std::to_string(kMaxGrid[axis]) +
                      " are possible");
  if (launch->threads == 0 || launch->threads > kMaxThreads)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch",
                std::to_string(launch->threads) + " threads; 1 to " + std::to_string(kMaxThreads) +
                    " are possible");
  if (launch->shared_bytes > kMaxShared)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch",
                std::to_string(launch->shared_bytes) + " bytes of shared memory; at most " +
                    std::to_string(kMaxShared) + " are possible");
  uint64_t wanted = null::getPackedBytes(kernel->kernel->info);
  if (launch->num_bytes != wanted)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch",
                std::to_string(launch->num_bytes) + " bytes of arguments; kernel '" +
                    kernel->kernel->info.name + "' takes " + std::to_string(wanted));
  if (kernel->kernel->run(*launch))
    return TILERUN_STATUS_OK;
  std::lock_guard lock(device->mutex);
  device->lost = true;
  device->lossReason = std::string("kernel '") + kernel->kernel->info.name +
                       "' wrote to an address that is not the device's";
  return TILERUN_STATUS_OK; // As on a GPU: it shows at the next call that waits.
}

// In the order of the header. An entry that is left out, or null, means "not supported": here
// compiling, and a context of the driver's.
const TilerunPlugin kPlugin = {
    .struct_size = sizeof(TilerunPlugin),
    .abi_major = TILERUN_PLUGIN_ABI_MAJOR,
    .abi_minor = TILERUN_PLUGIN_ABI_MINOR,
    .required_host_minor = 0,
    .name = "null",
    .version = "1.0.0",
    .description = "the template: one device in host memory",
    .get_targets = getTargets,
    .compile = nullptr,
    .get_self_test = getSelfTest,
    .release_artifact = releaseArtifact,
    .get_devices = getDevices,
    .open_device = openDevice,
    .close_device = closeDevice,
    .get_device_state = getDeviceState,
    .get_device_property = getDeviceProperty,
    .get_native_context = nullptr,
    .synchronize_device = synchronizeDevice,
    .allocate = allocate,
    .free = freeMemory,
    .allocate_host = allocateHost,
    .free_host = freeHost,
    .copy_to_device = copyToDevice,
    .copy_from_device = copyFromDevice,
    .copy_on_device = copyOnDevice,
    .copy_from_peer = copyFromPeer,
    .fill = fill,
    .get_pointer_info = getPointerInfo,
    .create_stream = createStream,
    .adopt_stream = adoptStream,
    .get_native_stream = getNativeStream,
    .destroy_stream = destroyStream,
    .synchronize_stream = waitForStream,
    .query_stream = waitForStream,
    .create_event = createEvent,
    .destroy_event = destroyEvent,
    .record_event = recordEvent,
    .wait_event = waitEvent,
    .synchronize_event = waitForEvent,
    .query_event = waitForEvent,
    .elapsed_time = elapsedTime,
    .check_compatibility = checkCompatibility,
    .load_module = loadModule,
    .unload_module = unloadModule,
    .get_kernel = getKernel,
    .get_kernel_property = getKernelProperty,
    .launch = launch,
    .compiler_version = nullptr,
    .finalize_artifact = finalizeArtifact,
    .get_phases = nullptr,
};

} // namespace

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  // The first three fields are the same in every version, so this test is always safe.
  return host && host->abi_major == TILERUN_PLUGIN_ABI_MAJOR ? &kPlugin : nullptr;
}
