// Modules and launches. Code objects are final: loading compiles nothing.
#include "plugins/hip/CodeObject.h"
#include "plugins/hip/Device.h"
#include "plugins/support/Environment.h"

#include <algorithm>
#include <cstdlib>

using namespace hip;

// The runtimes of ROCm 6 and later take version 5; 5.2 is known not to, and those in between say
// so themselves.
static constexpr unsigned kOldVersion = 4;
static constexpr int kFirstUnsure = makeVersion(5, 3);

static std::string describeOldDriver(const Driver &driver, unsigned version) {
  return "the driver is too old for this code object: it is HIP " + formatVersion(driver.version) +
         ", and code objects of version " + std::to_string(version) + " need ROCm 6.0 or later";
}

std::string Device::checkCompatibility(const std::string &text) const {
  const Compatibility found = Compatibility::parse(text);
  if (found.target.empty())
    return "this plugin takes hip:ARCHITECTURE:covVERSION and hip:bundle:covVERSION";
  if (!found.isBundle() && !TargetId::parse(found.target).runsOn(TargetId::parse(targetId)))
    return "the device is " + targetId;
  if (found.version > kOldVersion && driver.version < kFirstUnsure)
    return describeOldDriver(driver, found.version);
  return "";
}

Outcome Device::loadModule(hipModule_t &module, const TilerunPluginArtifact &artifact,
                           std::string &detail) const {
  constexpr const char *kCall = "hipModuleLoadData(&handle, image)";
  const std::string_view code =
      findCodeObject({reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes},
                     TargetId::parse(targetId), detail);
  if (code.empty())
    return {kInvalidImage, kCall};
  const OutsideCapture outside(driver);
  const hipError_t error = driver.hipModuleLoadData(&module, code.data());
  if (const unsigned version = getVersion(code); getStatus(error) == TILERUN_STATUS_COMPILE)
    detail = version > kOldVersion && driver.version < kSecondForm
                 ? describeOldDriver(driver, version)
                 : "the code object is of version " + std::to_string(version) + ", the device is " +
                       targetId + ", the driver HIP " + driverVersion;
  return {error, kCall};
}

// A launch may add as much as the device has left, without asking first.
Outcome Device::getSharedLimit(hipFunction_t function, uint32_t &fixed, uint32_t &most) const {
  int bytes = 0;
  Outcome outcome = readFunctionAttribute(function, kFunctionSharedBytes, bytes);
  fixed = static_cast<uint32_t>(std::max(bytes, 0));
  most = maxShared - std::min(fixed, maxShared);
  return outcome;
}

bool Device::launchesWait() {
  // 1: before a launch, 2: after it, 3: both.
  static const bool waits = [] {
    const char *serialize = std::getenv("AMD_SERIALIZE_KERNEL");
    return isSwitchedOn("HIP_LAUNCH_BLOCKING") ||
           (serialize && (*serialize == '2' || *serialize == '3'));
  }();
  return waits;
}
