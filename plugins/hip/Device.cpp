// Devices: enumeration, opening, properties, errors.
#include "plugins/hip/Device.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

using namespace hip;

TilerunStatus Device::getStatus(hipError_t error) {
  switch (error) {
  case kNotReady:
    return TILERUN_STATUS_NOT_READY;
  case kFailedAssertion:
    return TILERUN_STATUS_FAULT;
  case kInvalidValue:
  case kInvalidConfiguration:
  case kInvalidDevicePointer:
  case kInvalidHandle:
  case kLaunchOutOfResources:
    return TILERUN_STATUS_INVALID_ARGUMENT;
  case kOutOfMemory:
    return TILERUN_STATUS_OUT_OF_MEMORY;
  case kNotInitialized:
  case kDeinitialized:
  case kInsufficientDriver:
  case kNoDevice:
  case kInvalidDevice:
    return TILERUN_STATUS_UNAVAILABLE;
  case kInvalidDeviceFunction:
  case kInvalidImage:
  case kNoBinaryForGpu:
  case kInvalidKernelFile:
  case kInvalidSource:
  case kSharedObjectSymbolNotFound:
  case kSharedObjectInitFailed:
    return TILERUN_STATUS_COMPILE;
  case kNotFound:
    return TILERUN_STATUS_NOT_FOUND;
  case kNotSupported:
    return TILERUN_STATUS_UNSUPPORTED;
  // Most faults end the process inside the runtime. These are the ones that it returns.
  case kEccNotCorrectable:
  case kIllegalAddress:
  case kLaunchTimeOut:
  case kContextIsDestroyed:
  case kAssert:
  case kLaunchFailure:
    return TILERUN_STATUS_DEVICE_LOST;
  default:
    // Calls that are not allowed while a stream is captured into a graph.
    return error >= kStreamCaptureUnsupported && error <= kStreamCaptureWrongThread
               ? TILERUN_STATUS_INVALID_ARGUMENT
               : TILERUN_STATUS_DRIVER;
  }
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

uint32_t Device::count(std::string &reason) {
  const Driver *driver = findDriver(reason);
  int count = 0;
  if (!driver)
    return 0;
  const hipError_t error = driver->hipGetDeviceCount(&count);
  if (error && error != kNoDevice && error != kInvalidDevice)
    reason = "hipGetDeviceCount(&count): " + driver->getErrorName(error) + ": " +
             driver->getErrorText(error);
  else if (error || count <= 0)
    reason = describeNoDevice(*driver);
  return error ? 0 : static_cast<uint32_t>(std::max(count, 0));
}

// The runtime gives the 16 digits of the device's unique number as letters; where there is none,
// "XX" or zeros.
static std::string formatUuid(const hipUUID &uuid) {
  std::string text = "hip:GPU-";
  const bool isText = std::all_of(std::begin(uuid.bytes), std::end(uuid.bytes), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
  const bool isNone = std::all_of(std::begin(uuid.bytes), std::end(uuid.bytes),
                                  [](char c) { return c == 'X' || c == '\0'; });
  if (isNone)
    return "";
  if (isText)
    return text.append(uuid.bytes, sizeof(uuid.bytes));
  for (char byte : uuid.bytes) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

#define TRY_HIP(call)                                                                              \
  if (const Outcome outcome_ = HIP(call))                                                          \
  return outcome_

// Shared by enumeration and opening.
Outcome Device::describe() {
  char text[256] = {};
  hipUUID id = {};
  int pools = 0, shared = 0;
  size_t total = 0;
  TRY_HIP(hipDeviceGet(&handle, static_cast<int>(ordinal)));
  TRY_HIP(hipDeviceGetName(text, sizeof(text) - 1, handle));
  name = text;
  std::fill_n(text, sizeof(text), '\0');
  TRY_HIP(hipDeviceGetPCIBusId(text, sizeof(text) - 1, handle));
  pciAddress = text;
  TRY_HIP(hipDeviceGetUuid(&id, handle));
  uuid = formatUuid(id);
  TRY_HIP(hipDeviceGetAttribute(&pools, kMemoryPoolsSupported, handle));
  TRY_HIP(hipDeviceGetAttribute(&shared, kMaxSharedMemoryPerBlock, handle));
  TRY_HIP(hipDeviceTotalMem(&total, handle));
  Outcome outcome;
  outcome.error = driver.getArchitectureName(handle, targetId, outcome.expression);
  totalMemory = total;
  memoryPools = pools != 0;
  maxShared = static_cast<uint32_t>(std::max(shared, 0));
  // Code for the architecture runs with any setting of its features.
  arch = targetId.substr(0, targetId.find(':'));
  driverVersion = formatVersion(driver.version);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

// The runtime makes the process's context of a device on first use: the stream that every handle
// creates shows whether there is one.
TilerunStatus Device::open(const TilerunErrorSink *) {
  getUsers<Device>().add(ordinal, [] { return Outcome(); });
  return TILERUN_STATUS_OK;
}

void Device::close() {
  const Current current(*this);
  auto reset = [&] {
    if (!current.outcome)
      driver.hipDeviceReset();
  };
  if (!current.outcome) {
    const OutsideCapture outside(driver); // Memory of the debug buffers is freed.
    reports.close();
  }
  getUsers<Device>().remove(ordinal, latch, reset, [] {});
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

Outcome Device::getFreeMemory(uint64_t &bytes) const {
  size_t free = 0, total = 0;
  Outcome outcome = HIP(hipMemGetInfo(&free, &total));
  bytes = free;
  return outcome;
}

// hipPointerGetAttributes would fill in a struct that has changed.
Outcome Device::getPointerInfo(TilerunAddress address, TilerunPluginPointerInfo &info) const {
  unsigned memoryType = 0;
  int owner = -1;
  TilerunAddress base = 0;
  size_t size = 0;
  int attributes[] = {kPointerMemoryType, kPointerDeviceOrdinal, kPointerRangeStart,
                      kPointerRangeSize};
  void *data[] = {&memoryType, &owner, &base, &size};
  Outcome outcome = HIP(hipDrvPointerGetAttributes(4, attributes, data, toPointer(address)));
  info.on_host = memoryType == getHostMemoryType(driver.version);
  info.other_device = !info.on_host && owner != handle;
  info.base = base;
  info.num_bytes = base ? size : 0; // The runtime succeeds for addresses that it does not know.
  return outcome;
}
