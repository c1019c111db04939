// Modules and launches. Code objects are final: loading compiles nothing.
#include "plugins/hip/Artifact.h"
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
         ", and code objects of version " + std::to_string(version) +
         (version == kOldVersion + 1 ? " need ROCm 6.0 or later" : " need a later one");
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

Outcome Device::loadModule(Module *&module, const TilerunPluginArtifact &artifact,
                           std::string &detail) const {
  constexpr const char *kCall = "hipModuleLoadData(&handle, image)";
  ArtifactContent content;
  if (!decodeArtifact({reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes}, content,
                      detail))
    return {kInvalidImage, kCall};
  const std::string_view code = findCodeObject(content.code, TargetId::parse(targetId), detail);
  if (code.empty())
    return {kInvalidImage, kCall};
  auto loaded = std::make_unique<Module>();
  loaded->image = code;
  const OutsideCapture outside(driver);
  const hipError_t error = driver.hipModuleLoadData(&loaded->handle, loaded->image.data());
  if (const unsigned version = getVersion(code); getStatus(error) == TILERUN_STATUS_COMPILE)
    detail = version > kOldVersion && driver.version < kSecondForm
                 ? describeOldDriver(driver, version)
                 : "the code object is of version " + std::to_string(version) + ", the device is " +
                       targetId + ", the driver HIP " + driverVersion;
  if (error)
    return {error, kCall};
  loaded->sites = std::move(content.sites);
  for (uint32_t i = 0; i < artifact.num_kernels; ++i) {
    const TilerunPluginKernelDetails *details =
        TILERUN_HAS(TilerunPluginArtifact, &artifact, details) ? artifact.details[i] : nullptr;
    loaded->numParameters[artifact.kernels[i].name] =
        artifact.kernels[i].num_parameters + (details ? details->num_derived : 0);
    // The artifact says how many threads the first of the bundle's architectures needs.
    // Self-tests, whose threads are what the launch says, have no lanes to speak of.
    if (details && details->lanes > 1 && Compatibility::parse(artifact.compatibility).isBundle())
      loaded->lanes[artifact.kernels[i].name] = details->lanes;
  }
  module = loaded.release();
  return {};
}

Outcome Device::getFunction(Function *&function, Module *module, const char *name) const {
  Function found;
  hipFunction_t &handle = found.handle;
  const hipModule_t of = module->handle;
  int sharedBytes = 0;
  Outcome outcome = HIP(hipModuleGetFunction(&handle, of, name));
  if (!outcome)
    outcome = readFunctionAttribute(&found, kFunctionSharedBytes, sharedBytes);
  if (outcome)
    return outcome;
  found.sharedBytes = static_cast<uint32_t>(std::max(sharedBytes, 0));
  if (auto it = module->lanes.find(name); it != module->lanes.end() && it->second) {
    int lanes = 0;
    if (const Outcome asked = readAttribute(kWarpSize, lanes))
      return asked;
    if (it->second != static_cast<uint32_t>(lanes)) {
      found.lanes = it->second;
      found.deviceLanes = static_cast<uint32_t>(lanes);
    }
  }
  if (auto it = module->numParameters.find(name);
      it != module->numParameters.end() && !module->sites.empty()) {
    found.numParameters = it->second;
    found.messages = std::make_shared<const Messages>(Messages{name, module->sites});
  }
  std::lock_guard lock(module->mutex);
  function = &module->functions.emplace_back(std::move(found));
  return {};
}

// The buffer's address comes after all other arguments. No graph can hold what reads it.
Outcome Device::launchWithMessages(const Function &function, const LaunchCall &call,
                                   hipStream_t stream) const {
  if (const Outcome outcome = checkCapture(stream, "hipModuleLaunchKernel(a kernel that prints or "
                                                   "asserts, …)"))
    return outcome;
  const OutsideCapture outside(driver); // Of other streams, by the buffer's allocation.
  std::list<Reports::Buffer> buffer;
  if (const Outcome outcome = reports.prepare(stream, function.messages, buffer))
    return outcome;
  uint64_t address = buffer.back().address;
  const TilerunPluginLaunch &launch = call.launch;
  Outcome outcome;
  if (call.parameters) {
    std::vector<void *> parameters(call.parameters, call.parameters + function.numParameters);
    parameters.push_back(&address);
    outcome = start(function, launch, stream, parameters.data(), nullptr, 0);
  } else {
    std::string packed(static_cast<const char *>(launch.arguments), launch.num_bytes);
    packed.resize((packed.size() + sizeof(address) - 1) / sizeof(address) * sizeof(address));
    packed.append(reinterpret_cast<const char *>(&address), sizeof(address));
    outcome = start(function, launch, stream, nullptr, packed.data(), packed.size());
  }
  const Outcome added = reports.add(buffer);
  return outcome ? outcome : added;
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
