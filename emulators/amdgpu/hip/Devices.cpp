// What a program can ask of an emulated device.
#include "emulators/amdgpu/hip/Runtime.h"

#include <cstdio>
#include <cstring>

using namespace tilerun::amdsim;
using namespace tilerun::amdsim::hip;

namespace tilerun::amdsim::hip {

namespace {

// Of the emulator, not of a product: enough that a kernel with one program for each unit has
// several.
constexpr int emulatedUnits = 8, emulatedClock = 1000000, emulatedL2 = 4 << 20;
constexpr int mostThreads = 1024;

Gpu *find(int device) {
  Runtime &runtime = getRuntime();
  return device >= 0 && size_t(device) < runtime.gpus.size() ? runtime.gpus[size_t(device)].get()
                                                             : nullptr;
}

std::string nameOf(const Gpu &gpu) { return std::string("emulated ") + gpu.device->target().name; }

// With the settings that the emulator has: gfx9's memory is checked for errors, and retries no page
// faults.
std::string targetIdOf(const Gpu &gpu) {
  const Target &target = gpu.device->target();
  return std::string(target.name) + (target.hasAgprs ? ":sramecc+:xnack-" : "");
}

hipError_t copyText(const std::string &text, char *to, int size) {
  if (!to || size <= 0)
    return invalidValue;
  std::snprintf(to, size_t(size), "%s", text.c_str());
  return success;
}

bool getAttribute(const Target &target, int attribute, int &value) {
  bool isGfx9 = target.generation == Generation::gfx9;
  switch (attribute) {
  case clockRate:
    value = emulatedClock;
    return true;
  case integrated:
    value = 0;
    return true;
  case l2CacheBytes:
    value = emulatedL2;
    return true;
  case mostBlockX:
  case mostBlockY:
  case mostBlockZ:
  case mostThreadsPerBlock:
    value = mostThreads;
    return true;
  case mostGridX:
  case mostGridY:
  case mostGridZ:
    value = int(largestGrid[attribute - mostGridX]);
    return true;
  case mostThreadsPerUnit:
    value = 2048;
    return true;
  case unitCount:
    value = emulatedUnits;
    return true;
  // Four files of 512 registers of 64 lanes, or two of 1536 of 32.
  case registersPerBlock:
  case registersPerUnit:
    value = isGfx9 ? 4 * 512 * 64 : 2 * 1536 * 32;
    return true;
  case sharedBytesPerBlock:
    value = int(target.ldsBytes);
    return true;
  case lanesOfWave:
    value = target.lanes;
    return true;
  case memoryPools:
    value = 1;
    return true;
  default:
    return false;
  }
}

} // namespace

} // namespace tilerun::amdsim::hip

#define AMDSIM_FIND(gpu, device)                                                                   \
  Gpu *gpu = find(device);                                                                         \
  if (!gpu)                                                                                        \
  return invalidDevice

hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return invalidValue;
  *version = runtimeVersion;
  return success;
}

hipError_t hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return invalidValue;
  *count = int(getRuntime().gpus.size());
  return *count ? success : noDevice;
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  AMDSIM_FIND(gpu, ordinal);
  if (!device)
    return invalidValue;
  *device = gpu->ordinal;
  return success;
}

hipError_t hipDeviceGetName(char *name, int size, hipDevice_t device) {
  AMDSIM_FIND(gpu, device);
  return copyText(nameOf(*gpu), name, size);
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  AMDSIM_FIND(gpu, device);
  if (!uuid)
    return invalidValue;
  char text[17]; // as the runtime has it: 16 digits as letters
  std::snprintf(text, sizeof text, "e0e0e0e0%08x", unsigned(gpu->ordinal));
  std::memcpy(uuid->bytes, text, sizeof uuid->bytes);
  return success;
}

hipError_t hipDeviceGetPCIBusId(char *id, int size, int device) {
  AMDSIM_FIND(gpu, device);
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", 0x80u + unsigned(gpu->ordinal));
  return copyText(text, id, size);
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  AMDSIM_FIND(gpu, device);
  if (!bytes)
    return invalidValue;
  *bytes = totalMemory;
  return success;
}

hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) {
  AMDSIM_FIND(gpu, device);
  return value && getAttribute(gpu->device->target(), attribute, *value) ? success : invalidValue;
}

hipError_t hipGetDevicePropertiesR0600(hipProperties *properties, int device) {
  AMDSIM_FIND(gpu, device);
  if (!properties)
    return invalidValue;
  *properties = {};
  copyText(nameOf(*gpu), properties->name, sizeof properties->name);
  hipDeviceGetUuid(&properties->uuid, device);
  properties->totalGlobalMem = totalMemory;
  return copyText(targetIdOf(*gpu), properties->gcnArchName, sizeof properties->gcnArchName);
}

hipError_t hipDeviceSynchronize() {
  AMDSIM_ENTER(gpu);
  synchronize(*gpu);
  return gpu->error();
}

// Only the error is reset: what lives on the device belongs to other users of this process, too.
hipError_t hipDeviceReset() {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return noDevice;
  synchronize(*gpu);
  gpu->revive();
  return success;
}
