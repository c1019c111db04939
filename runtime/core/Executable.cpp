// Loading and unloading of kernels.
#include "runtime/core/Executable.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::core;

Executable::Executable(Device &device, std::string name)
    : device(device), table(device.getTable()), deviceSerial(device.getSerial()),
      modules(device.getModules()), name(std::move(name)) {}

Status Executable::load(Device &device, const TilerunPluginArtifact &artifact,
                        const std::string &name, std::shared_ptr<Executable> &out) {
  const TilerunPluginKernelInfo *info = nullptr;
  const TilerunPluginKernelDetails *details = nullptr;
  for (uint32_t i = 0; i < artifact.num_kernels; ++i)
    if (name == artifact.kernels[i].name) {
      info = &artifact.kernels[i];
      details = plugin::getDetails(artifact, i);
    }
  if (!info)
    return Status(TILERUN_STATUS_INTERNAL,
                  "the artifact for " + device.getId() + " has no kernel '" + name + "'");
  Span span("load", "load " + name);
  std::shared_ptr<Executable> executable(new Executable(device, name));
  TILERUN_TRY(executable->readInfo(*info, details));
  TILERUN_TRY(TILERUN_CALL(device.getTable(), load_module, device.getHandle(), &artifact,
                           &executable->module));
  {
    std::lock_guard lock(executable->modules->mutex);
    executable->modules->alive.insert(executable.get());
  }
  TILERUN_TRY(TILERUN_CALL(device.getTable(), get_kernel, executable->module, name.c_str(),
                           &executable->kernel));
  if (!device.getTable().launch)
    return makeMissingEntry(device.getTable(), "launch");
  out = std::move(executable);
  return {};
}

Status Executable::readInfo(const TilerunPluginKernelInfo &info,
                            const TilerunPluginKernelDetails *details) {
  threads = info.threads;
  sharedBytes = info.shared_bytes;
  const Device::Limits &limits = device.getLimits();
  if (threads > limits.maxThreads)
    return Status::invalid("kernel '" + name + "' has " + std::to_string(threads) +
                           " threads in a program; " + device.getId() + " takes " +
                           std::to_string(limits.maxThreads) + " at most: use fewer warps");
  if (sharedBytes > limits.maxShared)
    return Status::invalid("kernel '" + name + "' needs " + std::to_string(sharedBytes) +
                           " bytes of shared memory in a program; " + device.getId() + " has " +
                           std::to_string(limits.maxShared) +
                           ": use smaller tiles or fewer stages");
  if (info.num_parameters > kMaxParameters)
    return Status::invalid("kernel '" + name + "' has " + std::to_string(info.num_parameters) +
                           " run-time parameters; " + std::to_string(kMaxParameters) +
                           " are possible");
  for (uint32_t i = 0; i < info.num_parameters; ++i) {
    const TilerunPluginParameter &from = info.parameters[i];
    uint32_t bytes = std::max(from.bits / 8, 1);
    packedBytes = (packedBytes + bytes - 1) / bytes * bytes;
    parameters.push_back({from.name ? from.name : "", from.kind, from.bits, packedBytes, bytes});
    packedBytes += bytes;
  }
  if (!details)
    return {};
  plan = std::make_unique<plugin::LaunchPlan>(info, *details,
                                              device.getNumber(TILERUN_DEVICE_PROPERTY_UNITS, 1));
  // A plugin of an earlier version would not notice clusters.
  uint64_t most = device.getNumber(TILERUN_DEVICE_PROPERTY_MAX_CLUSTER, 1);
  if (plan->getClusterSize() > most)
    return Status::invalid("kernel '" + name + "' has clusters of " +
                           std::to_string(plan->getClusterSize()) +
                           (plan->getBlocks() > 1 ? " blocks; " : " programs; ") + device.getId() +
                           " takes " + std::to_string(most) + " at most");
  return {};
}

Status Executable::launchSlowly(const Stream &stream, TilerunPluginLaunch &launch) const {
  Span span("launch", name);
  if (span) {
    const auto size = [&](int axis) { return std::to_string(launch.grid[axis]); };
    span.note("device", device.getId());
    span.note("grid", size(0) + " x " + size(1) + " x " + size(2));
  }
  return launchUnrecorded(stream, launch);
}

Status Executable::launchUnrecorded(const Stream &stream, TilerunPluginLaunch &launch) const {
  plugin::LaunchPlan::Words words;
  plugin::LaunchPlan::Refusal refusal;
  if (plan)
    refusal = plan->apply(launch, words);
  if (!refusal) [[likely]]
    return TILERUN_CALL(table, launch, kernel, stream.getHandle(), &launch);
  if (refusal.isOfArguments && makeGeneral)
    return launchGeneral(stream, launch);
  return Status::invalid("kernel '" + name + "': " + refusal.reason);
}

// The launch has the caller's grid and arguments still: nothing was derived from them.
Status Executable::launchGeneral(const Stream &stream, TilerunPluginLaunch &launch) const {
  std::shared_ptr<Executable> other;
  {
    std::lock_guard lock(generalMutex);
    if (!general)
      TILERUN_TRY(makeGeneral(general));
    other = general;
  }
  // One launch of the caller's is one event of a trace.
  TilerunPluginLaunch again =
      other->makeLaunch(launch.grid, launch.arguments, launch.flags, launch.ranges);
  return other->launchUnrecorded(stream, again);
}

void Executable::unload() {
  if (module && table.unload_module && !isInherited(table))
    table.unload_module(module);
  module = nullptr;
}

Executable::~Executable() {
  std::lock_guard lock(modules->mutex);
  if (!module)
    return;
  // Launches of it may be in flight; a device that is lost has none.
  (void)device.synchronize();
  unload();
  modules->alive.erase(this);
}

Status Executable::getProperty(uint32_t property, TilerunPropertyValue &value) const {
  if (property == TILERUN_KERNEL_PROPERTY_BLOCKS) {
    value.type = TILERUN_VALUE_U64;
    value.number = plan ? plan->getBlocks() : 1;
    return {};
  }
  return TILERUN_CALL(table, get_kernel_property, kernel, property, &value);
}
