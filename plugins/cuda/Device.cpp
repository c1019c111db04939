// Devices: enumeration, opening, properties, errors.
#include "plugins/cuda/Device.h"

#include <cstdio>
#include <cstring>

using namespace cuda;

TilerunStatus Device::getStatus(CUresult error) {
  switch (error) {
  case kNotReady:
    return TILERUN_STATUS_NOT_READY;
  case kInvalidValue:
  case kInvalidHandle:
  case kLaunchOutOfResources:
    return TILERUN_STATUS_INVALID_ARGUMENT;
  case kOutOfMemory:
    return TILERUN_STATUS_OUT_OF_MEMORY;
  case kNotInitialized:
  case kInsufficientDriver:
  case kNoDevice:
  case kInvalidDevice:
  case kSystemDriverMismatch:
  case kCompatNotSupportedOnDevice:
    return TILERUN_STATUS_UNAVAILABLE;
  case kInvalidImage:
  case kNoBinaryForGpu:
  case kInvalidPtx:
  case kJitCompilerNotFound:
  case kUnsupportedPtxVersion:
  case kJitCompilationDisabled:
  case kInvalidSource:
    return TILERUN_STATUS_COMPILE;
  case kNotFound:
    return TILERUN_STATUS_NOT_FOUND;
  case kNotSupported:
    return TILERUN_STATUS_UNSUPPORTED;
  case kEccUncorrectable:
  case kNvlinkUncorrectable:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextIsDestroyed:
  case kAssert:
    return TILERUN_STATUS_DEVICE_LOST;
  default:
    // The errors from a broken stack to a failed launch leave the context unusable.
    return error >= kHardwareStackError && error <= kLaunchFailed ? TILERUN_STATUS_DEVICE_LOST
                                                                  : TILERUN_STATUS_DRIVER;
  }
}

namespace {

std::string formatUuid(const CUuuid &uuid) {
  const unsigned char *b = uuid.bytes;
  char text[64];
  std::snprintf(text, sizeof(text),
                "cuda:GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
                b[13], b[14], b[15]);
  return text;
}

// "-580.82.07": the driver's own version, which its interface does not report; empty if it cannot
// be read. The driver's compiler changes with it.
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

} // namespace

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

uint32_t Device::count(std::string &reason) {
  const Driver *driver = findDriver(reason);
  int count = 0;
  if (!driver)
    return 0;
  if (CUresult error = driver->cuDeviceGetCount(&count))
    reason = "cuDeviceGetCount(&count): " + driver->getErrorName(error) + ": " +
             driver->getErrorText(error);
  else if (count <= 0)
    reason = "the CUDA driver " + formatVersion(driver->version) +
             " reports no device (is CUDA_VISIBLE_DEVICES set?)";
  return static_cast<uint32_t>(std::max(count, 0));
}

#define TRY_CU(call)                                                                               \
  if (const Outcome outcome_ = CU(call))                                                           \
  return outcome_

// Shared by enumeration and opening. The device has no context yet.
Outcome Device::describe() {
  char text[256] = {};
  CUuuid id = {};
  int major = 0, minor = 0, pools = 0, shared = 0;
  size_t total = 0;
  TRY_CU(cuDeviceGet(&handle, static_cast<int>(ordinal)));
  TRY_CU(cuDeviceGetName(text, sizeof(text) - 1, handle));
  name = text;
  std::fill_n(text, sizeof(text), '\0');
  TRY_CU(cuDeviceGetPCIBusId(text, sizeof(text) - 1, handle));
  pciAddress = text;
  TRY_CU(cuDeviceGetUuid(&id, handle));
  uuid = formatUuid(id);
  TRY_CU(cuDeviceGetAttribute(&major, kComputeCapabilityMajor, handle));
  TRY_CU(cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, handle));
  TRY_CU(cuDeviceGetAttribute(&pools, kMemoryPoolsSupported, handle));
  TRY_CU(cuDeviceGetAttribute(&shared, kMaxSharedMemoryPerBlockOptin, handle));
  TRY_CU(cuDeviceTotalMem(&total, handle));
  totalMemory = total;
  memoryPools = pools != 0;
  maxShared = static_cast<uint32_t>(std::max(shared, 0));
  capability = major * 10 + minor;
  // The architecture's own features are worth an artifact that runs on no other architecture.
  bool own = capability == 90 || capability == 100 || capability == 120;
  arch = "sm_" + std::to_string(capability) + (own ? "a" : "");
  overlapsGrids = capability >= 90 && driver.version >= 12000;
  driverVersion = formatVersion(driver.version);
  binaryCompatibility = "cuda:sass:" + arch + ":driver-" + driverVersion + getKernelModuleVersion();
  return {};
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

// Some drivers (580 among them) give a process that lost a device no context of it any more, of
// whatever kind, until it ends.
TilerunStatus Device::open(const TilerunErrorSink *sink) {
  if (context) // The caller's.
    return TILERUN_STATUS_OK;
  const Outcome outcome = getUsers<Device>().add(ordinal, [&] {
    CUdevice device = handle;
    return CU(cuDevicePrimaryCtxRetain(&context, device));
  });
  ownsContext = !outcome;
  return finish(sink, this, outcome);
}

// Releases the primary context. After a loss, the last handle resets it first: a dead context that
// was released instead stays dead for the next user that retains it, and others in the process (a
// framework) may hold it too.
void Device::close() {
  if (ownsContext)
    getUsers<Device>().remove(
        ordinal, latch, [&] { driver.cuDevicePrimaryCtxReset(handle); },
        [&] { driver.cuDevicePrimaryCtxRelease(handle); });
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

Outcome Device::getNumber(uint32_t property, uint64_t &number, bool &known) const {
  if (property != TILERUN_DEVICE_PROPERTY_MAX_CLUSTER)
    return getAttributeNumber(*this, property, number, known);
  // The shared memory that every device of these architectures provides without opting in.
  known = overlapsGrids;
  number = 8;
  return {};
}

Outcome Device::getFreeMemory(uint64_t &bytes) const {
  size_t free = 0, total = 0;
  Outcome outcome = CU(cuMemGetInfo(&free, &total));
  bytes = free;
  return outcome;
}

Outcome Device::getPointerInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const {
  unsigned memoryType = 0;
  int owner = -1;
  CUdeviceptr base = 0;
  size_t size = 0;
  int attributes[] = {kPointerMemoryType, kPointerDeviceOrdinal, kPointerRangeStart,
                      kPointerRangeSize};
  void *data[] = {&memoryType, &owner, &base, &size};
  Outcome outcome = CU(cuPointerGetAttributes(4, attributes, data, address));
  constexpr unsigned kHost = 1;
  info.on_host = memoryType == kHost;
  info.other_device = !info.on_host && owner != static_cast<int>(ordinal);
  info.base = base;
  info.num_bytes = memoryType ? size : 0; // The driver succeeds for properties it does not know.
  return outcome;
}
