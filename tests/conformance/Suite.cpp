// Shared by the cases.
#include "tests/conformance/Suite.h"

using namespace tilerun;
using namespace tilerun::conformance;

Outcome conformance::fail(std::string text) { return {Outcome::Kind::Fail, std::move(text)}; }
Outcome conformance::unsupported(std::string reason) {
  return {Outcome::Kind::Unsupported, std::move(reason)};
}

Outcome Context::judge(TilerunStatus status, const char *call) {
  if (status == TILERUN_STATUS_OK)
    return {};
  plugin::Error error = errors.take(status);
  if (status == TILERUN_STATUS_UNSUPPORTED)
    return unsupported(error.message);
  return fail(std::string(call) + ": " + plugin::getStatusName(status) + ": " + error.message);
}

Outcome conformance::expectFailure(Context &context, TilerunStatus wanted, TilerunStatus status,
                                   const char *call) {
  plugin::Error error = context.takeError(status);
  if (status == TILERUN_STATUS_UNSUPPORTED && wanted != status)
    return unsupported(error.message);
  if (status != wanted)
    return fail(std::string(call) + " gives '" + plugin::getStatusName(status) + "' (" +
                error.message + ") where '" + plugin::getStatusName(wanted) + "' is right");
  if (error.call.empty() || error.device.empty())
    return fail(std::string(call) +
                ": the error does not name its call and device: " + error.message);
  return {};
}

Outcome Context::open() {
  CALL(*this, open_device, info.ordinal, nullptr, &device);
  return device ? Outcome() : fail("open_device gives OK and no device");
}

void Context::release() {
  if (!device)
    return;
  for (TilerunPluginModule *module : modules)
    table.unload_module(module);
  for (TilerunPluginEvent *event : events)
    table.destroy_event(event);
  for (TilerunAddress address : addresses)
    table.free(device, nullptr, address, nullptr); // Fails, rightly, on a lost device.
  if (table.synchronize_device)
    table.synchronize_device(device, nullptr);
  for (TilerunPluginStream *stream : streams)
    table.destroy_stream(stream);
  modules.clear();
  events.clear();
  addresses.clear();
  streams.clear();
  table.close_device(device);
  device = nullptr;
}

Outcome Context::allocate(uint64_t bytes, TilerunAddress &address) {
  address = 0;
  CALL(*this, allocate, device, nullptr, bytes, &address);
  if (!table.free)
    return fail("the plugin has allocate, but no free");
  if (!address)
    return fail("allocate gives OK and address 0");
  addresses.push_back(address);
  return {};
}

Outcome Context::makeStream(TilerunPluginStream *&stream) {
  stream = nullptr;
  CALL(*this, create_stream, device, &stream);
  if (!stream || !table.destroy_stream)
    return fail("create_stream gives no stream, or destroy_stream is missing");
  streams.push_back(stream);
  return {};
}

Outcome Context::makeEvent(uint32_t flags, TilerunPluginEvent *&event) {
  event = nullptr;
  CALL(*this, create_event, device, flags, &event);
  if (!event || !table.destroy_event)
    return fail("create_event gives no event, or destroy_event is missing");
  events.push_back(event);
  return {};
}

Outcome Context::loadKernel(const char *name, TilerunPluginKernel *&kernel,
                            TilerunPluginLaunch &launch, std::optional<plugin::LaunchPlan> *plan) {
  if (!table.get_self_test)
    return unsupported("the plugin has no get_self_test");
  const TilerunPluginArtifact *artifact = nullptr;
  TilerunStatus status = table.get_self_test(name, &artifact, sink());
  if (status == TILERUN_STATUS_NOT_FOUND)
    return unsupported(errors.take(status).message);
  TRY(judge(status, "get_self_test"));
  Outcome outcome = loadKernel(*artifact, name, kernel, launch);
  TilerunPropertyValue units = {sizeof(units), 0, 1, nullptr};
  if (plan && table.get_device_property)
    table.get_device_property(device, TILERUN_DEVICE_PROPERTY_UNITS, &units, nullptr);
  for (uint32_t i = 0; i < artifact->num_kernels; ++i)
    if (const auto *details = plugin::getDetails(*artifact, i);
        details && plan && std::string(artifact->kernels[i].name) == name) {
      std::string wrong = plugin::checkDetails(artifact->kernels[i], details);
      if (!wrong.empty())
        outcome = fail("the artifact cannot be used: " + wrong);
      else
        plan->emplace(artifact->kernels[i], *details, units.number);
    }
  table.release_artifact(artifact);
  return outcome;
}

Outcome Context::loadKernel(const TilerunPluginArtifact &artifact, const char *name,
                            TilerunPluginKernel *&kernel, TilerunPluginLaunch &launch) {
  launch = {
      sizeof(TilerunPluginLaunch), {1, 1, 1}, 0, 0, nullptr, 0, 0, 0, nullptr, nullptr, {}, 0};
  for (uint32_t i = 0; i < artifact.num_kernels; ++i)
    if (std::string(artifact.kernels[i].name) == name) {
      launch.threads = artifact.kernels[i].threads;
      launch.shared_bytes = artifact.kernels[i].shared_bytes;
    }
  TilerunPluginModule *module = nullptr;
  CALL(*this, load_module, device, &artifact, &module);
  modules.push_back(module);
  CALL(*this, get_kernel, module, name, &kernel);
  return launch.threads ? Outcome() : fail("the artifact does not tell the kernel's threads");
}

Outcome Context::write(TilerunAddress to, const void *from, uint64_t bytes) {
  CALL(*this, copy_to_device, device, nullptr, to, from, bytes);
  CALL(*this, synchronize_stream, device, nullptr);
  return {};
}

Outcome Context::read(void *to, TilerunAddress from, uint64_t bytes) {
  CALL(*this, copy_from_device, device, nullptr, to, from, bytes);
  CALL(*this, synchronize_stream, device, nullptr);
  return {};
}

std::vector<Case> conformance::getAllCases() {
  std::vector<Case> all;
  for (bool losing : {false, true})
    for (auto get : {getDeviceCases, getMemoryCases, getStreamCases, getLaunchCases, getErrorCases,
                     getThreadCases})
      for (const Case &entry : get())
        if (entry.losesDevice == losing)
          all.push_back(entry);
  return all;
}
