// Devices: enumeration, opening, properties, state.
#include "plugins/cuda/Device.h"

#include <cstdio>
#include <cstring>
#include <map>

using namespace cuda;

namespace {

// How many handles hold the primary context of each device, and what lost one of them. The last
// handle of a lost context resets it; an earlier one would take it from the others.
struct Primary {
  unsigned handles = 0;
  std::string lossReason; // Of those handles; empty while none is lost.
  std::string lastLoss;   // The same, of all handles there ever were.
};
std::mutex primariesMutex;
std::map<CUdevice, Primary> &getPrimaries() {
  static auto *primaries = new std::map<CUdevice, Primary>; // Outlives every thread.
  return *primaries;
}

std::string formatUuid(const CUuuid &uuid) {
  const unsigned char *b = uuid.bytes;
  char text[64];
  std::snprintf(text, sizeof(text),
                "cuda:GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                b[13], b[14], b[15]);
  return text;
}

// "-580.82.07": the driver's own version, which its interface does not tell; empty where it is not
// to be read. Its compiler changes with it.
std::string getKernelModuleVersion() {
  static const std::string version = [] {
    std::string out;
    if (std::FILE *file = std::fopen("/proc/driver/nvidia/version", "re")) {
      char line[512] = {};
      if (std::fgets(line, sizeof(line), file))
        // The first word that is a number with dots.
        for (char *word = std::strtok(line, " \t"); word; word = std::strtok(nullptr, " \t"))
          if (word[0] >= '0' && word[0] <= '9' && std::strchr(word, '.')) {
            out = std::string("-") + word;
            break;
          }
      std::fclose(file);
    }
    return out;
  }();
  return version;
}

// Reads what enumeration and opening both need. The device has no context yet.
TilerunStatus describe(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  device->id = "cuda:" + std::to_string(device->ordinal);
  CU_TRY(device, sink, cuDeviceGet(&device->handle, static_cast<int>(device->ordinal)));
  char text[256] = {};
  CU_TRY(device, sink, cuDeviceGetName(text, sizeof(text) - 1, device->handle));
  device->name = text;
  CUuuid uuid = {};
  CU_TRY(device, sink, cuDeviceGetUuid(&uuid, device->handle));
  device->uuid = formatUuid(uuid);
  int major = 0, minor = 0, pools = 0;
  CU_TRY(device, sink, cuDeviceGetAttribute(&major, kComputeCapabilityMajor, device->handle));
  CU_TRY(device, sink, cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, device->handle));
  CU_TRY(device, sink, cuDeviceGetAttribute(&pools, kMemoryPoolsSupported, device->handle));
  size_t total = 0;
  CU_TRY(device, sink, cuDeviceTotalMem(&total, device->handle));
  device->totalMemory = total;
  device->capability = major * 10 + minor;
  // The architecture's own features are worth an artifact that no other one runs.
  bool own = device->capability == 90 || device->capability == 100 || device->capability == 120;
  device->arch = "sm_" + std::to_string(device->capability) + (own ? "a" : "");
  device->overlapsGrids = device->capability >= 90 && device->driver.version >= 12000;
  device->memoryPools = pools != 0;
  device->driverVersion = formatVersion(device->driver.version);
  int shared = 0;
  CU_TRY(device, sink,
         cuDeviceGetAttribute(&shared, kMaxSharedMemoryPerBlockOptin, device->handle));
  device->maxShared = static_cast<uint32_t>(std::max(shared, 0));
  device->binaryCompatibility =
      "cuda:sass:" + device->arch + ":driver-" + device->driverVersion + getKernelModuleVersion();
  std::fill_n(text, sizeof(text), '\0');
  CU_TRY(device, sink, cuDeviceGetPCIBusId(text, sizeof(text) - 1, device->handle));
  device->pciAddress = text;
  return TILERUN_STATUS_OK;
}

TilerunStatus getDevices(TilerunDeviceCallback each, void *user, const TilerunErrorSink *sink) {
  std::string reason;
  const Driver *driver = getDriver(reason);
  if (!driver)
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "get_devices", nullptr, reason);
  int count = 0;
  if (CUresult error = driver->cuDeviceGetCount(&count))
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "cuDeviceGetCount(&count)", nullptr,
                driver->getErrorName(error) + ": " + driver->getErrorText(error));
  if (count <= 0)
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "get_devices", nullptr,
                "the CUDA driver " + formatVersion(driver->version) +
                    " shows no device (is CUDA_VISIBLE_DEVICES set?)");
  // All are described before any is told, so that a failure has told nothing.
  std::vector<std::unique_ptr<TilerunPluginDevice>> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(std::make_unique<TilerunPluginDevice>(*driver));
    devices.back()->ordinal = static_cast<uint32_t>(i);
    if (TilerunStatus status = describe(devices.back().get(), sink))
      return status;
  }
  for (const auto &device : devices) {
    std::string target = "cuda:" + device->arch;
    TilerunPluginDeviceInfo info = {sizeof(info),         device->ordinal,      device->id.c_str(),
                                    device->uuid.c_str(), device->name.c_str(), target.c_str()};
    each(user, &info);
  }
  return TILERUN_STATUS_OK;
}

TilerunStatus makeStream(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "open_device");
  constexpr unsigned kNonBlocking = 1;
  CU_TRY(device, sink, cuStreamCreate(&device->stream, kNonBlocking));
  return TILERUN_STATUS_OK;
}

// Some drivers (580 among them) give a process that lost a device no context of it any more, of
// whatever kind, until it ends.
TilerunStatus retainPrimary(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  std::lock_guard lock(primariesMutex);
  Primary &primary = getPrimaries()[device->handle];
  if (CUresult error = device->driver.cuDevicePrimaryCtxRetain(&device->context, device->handle)) {
    std::string detail;
    if (isLoss(error))
      detail = "this process lost the device before, and its driver gives it no new context: start "
               "a new process";
    if (!detail.empty() && !primary.lastLoss.empty())
      detail += "; it was lost by " + primary.lastLoss;
    return failDriver(sink, device, "cuDevicePrimaryCtxRetain(&context, device)", error, detail);
  }
  ++primary.handles;
  return TILERUN_STATUS_OK;
}

// Gives the primary context back. After a loss, the last handle resets it first: a dead context
// that was released instead stays dead for whoever retains it next, and others in the process (a
// framework) may hold it too.
void releasePrimary(TilerunPluginDevice *device) {
  std::lock_guard lock(primariesMutex);
  Primary &primary = getPrimaries()[device->handle];
  if (device->lost)
    primary.lossReason = primary.lastLoss = device->lossReason;
  if (--primary.handles == 0 && !primary.lossReason.empty()) {
    device->driver.cuDevicePrimaryCtxReset(device->handle);
    primary.lossReason.clear();
  }
  device->driver.cuDevicePrimaryCtxRelease(device->handle);
}

TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                         TilerunPluginDevice **out, const TilerunErrorSink *sink) {
  std::string reason;
  const Driver *driver = getDriver(reason);
  if (!driver)
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "open_device", nullptr, reason);
  auto device = std::make_unique<TilerunPluginDevice>(*driver);
  device->ordinal = ordinal;
  if (TilerunStatus status = describe(device.get(), sink))
    return status;
  if (options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context)) {
    device->foreign = true;
    device->context = reinterpret_cast<CUcontext>(options->foreign_context);
  } else if (TilerunStatus status = retainPrimary(device.get(), sink)) {
    return status;
  }
  if (TilerunStatus status = makeStream(device.get(), sink)) {
    if (!device->foreign)
      releasePrimary(device.get());
    return status;
  }
  *out = device.release();
  return TILERUN_STATUS_OK;
}

void closeDevice(TilerunPluginDevice *device) {
  if (!device)
    return;
  {
    CurrentContext current(device);
    if (!current.getError())
      device->driver.cuStreamDestroy(device->stream);
  }
  if (!device->foreign)
    releasePrimary(device);
  delete device;
}

TilerunStatus getDeviceState(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  if (device->lost)
    return failLost(sink, device, "get_device_state");
  return TILERUN_STATUS_OK;
}

TilerunStatus setValue(TilerunPropertyValue *value, uint64_t number) {
  value->type = TILERUN_VALUE_U64;
  value->number = number;
  return TILERUN_STATUS_OK;
}
TilerunStatus setValue(TilerunPropertyValue *value, const std::string &string) {
  value->type = TILERUN_VALUE_STRING;
  value->string = string.c_str();
  return TILERUN_STATUS_OK;
}

// Properties that are attributes of the driver.
int getAttribute(uint32_t property) {
  switch (property) {
  case TILERUN_DEVICE_PROPERTY_UNITS:
    return kMultiprocessorCount;
  case TILERUN_DEVICE_PROPERTY_WARP_SIZE:
    return kWarpSize;
  case TILERUN_DEVICE_PROPERTY_MAX_THREADS:
    return kMaxThreadsPerBlock;
  case TILERUN_DEVICE_PROPERTY_MAX_SHARED:
    return kMaxSharedMemoryPerBlockOptin;
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_X:
    return kMaxGridDimX;
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Y:
    return kMaxGridDimY;
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Z:
    return kMaxGridDimZ;
  case TILERUN_DEVICE_PROPERTY_REGISTERS:
    return kMaxRegistersPerMultiprocessor;
  case TILERUN_DEVICE_PROPERTY_L2_BYTES:
    return kL2CacheSize;
  case TILERUN_DEVICE_PROPERTY_CLOCK_KHZ:
    return kClockRate;
  case TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY:
    return kIntegrated;
  default:
    return 0;
  }
}

TilerunStatus getDeviceProperty(TilerunPluginDevice *device, uint32_t property,
                                TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  switch (property) {
  case TILERUN_DEVICE_PROPERTY_NAME:
    return setValue(value, device->name);
  case TILERUN_DEVICE_PROPERTY_UUID:
    return setValue(value, device->uuid);
  case TILERUN_DEVICE_PROPERTY_ARCH:
    return setValue(value, device->arch);
  case TILERUN_DEVICE_PROPERTY_DRIVER_VERSION:
    return setValue(value, device->driverVersion);
  case TILERUN_DEVICE_PROPERTY_PCI_ADDRESS:
    return setValue(value, device->pciAddress);
  case TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY:
    return setValue(value, device->binaryCompatibility);
  case TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL:
    return setValue(value, device->totalMemory);
  case TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY:
    return setValue(value, uint64_t(device->memoryPools));
  case TILERUN_DEVICE_PROPERTY_MEMORY_FREE: {
    CU_ENTER(device, sink, "get_device_property");
    size_t free = 0, total = 0;
    CU_TRY(device, sink, cuMemGetInfo(&free, &total));
    return setValue(value, uint64_t(free));
  }
  }
  int attribute = getAttribute(property);
  if (!attribute)
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_device_property", device,
                "property " + std::to_string(property) + " is not known");
  int number = 0;
  CU_TRY(device, sink, cuDeviceGetAttribute(&number, attribute, device->handle));
  return setValue(value, static_cast<uint64_t>(number));
}

TilerunStatus getNativeContext(TilerunPluginDevice *device, uint64_t *context,
                               const TilerunErrorSink *) {
  *context = reinterpret_cast<uint64_t>(device->context);
  return TILERUN_STATUS_OK;
}

TilerunStatus synchronizeDevice(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "synchronize_device");
  uint32_t launches = device->log.getCount();
  std::vector<std::pair<TilerunPluginStream *, uint32_t>> streams;
  {
    std::lock_guard lock(device->mutex);
    for (TilerunPluginStream *stream : device->streams)
      streams.emplace_back(stream, stream->log.getCount());
  }
  CU_TRY(device, sink, cuCtxSynchronize());
  device->log.finish(launches);
  std::lock_guard lock(device->mutex);
  for (auto [stream, count] : streams)
    if (device->streams.count(stream))
      stream->log.finish(count);
  return TILERUN_STATUS_OK;
}

} // namespace

void cuda::addDeviceEntries(TilerunPlugin &table) {
  table.get_devices = getDevices;
  table.open_device = openDevice;
  table.close_device = closeDevice;
  table.get_device_state = getDeviceState;
  table.get_device_property = getDeviceProperty;
  table.get_native_context = getNativeContext;
  table.synchronize_device = synchronizeDevice;
}
