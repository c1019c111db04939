// The physical devices of the instance, in their order, and why one is refused.
#include "plugins/vulkan/Instance.h"

#include "plugins/vulkan/Error.h"

#include <algorithm>
#include <mutex>

using namespace vulkan;

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<PhysicalDevice>> all; ///< With the refused ones; only grows.
  std::vector<const PhysicalDevice *> usable;       ///< By ordinal.
  std::string refusals;
};
Registry &getRegistry() {
  static auto *registry = new Registry; // Outlives every thread.
  return *registry;
}

// GPUs before CPUs that act as one.
constexpr int kNumRanks = 5;
int getRank(const PhysicalDevice &device) {
  switch (device.properties.deviceType) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 4;
  default:
    return 3;
  }
}

// Looks for devices that are not known yet; returns the reason if the driver fails.
std::string enumerate(Registry &registry, const Instance &instance) {
  uint32_t count = 0;
  std::vector<VkPhysicalDevice> handles;
  VkResult result;
  do {
    result = instance.table.vkEnumeratePhysicalDevices(instance.handle, &count, nullptr);
    handles.resize(count);
    if (result >= 0 && count)
      result = instance.table.vkEnumeratePhysicalDevices(instance.handle, &count, handles.data());
  } while (result == VK_INCOMPLETE);
  if (result < 0)
    return "vkEnumeratePhysicalDevices(handle, &count, handles): " + getResultName(result) + ": " +
           getResultText(result);
  handles.resize(count);
  std::vector<PhysicalDevice *> fresh;
  for (VkPhysicalDevice handle : handles) {
    if (std::any_of(registry.all.begin(), registry.all.end(),
                    [&](const auto &known) { return known->handle == handle; }))
      continue;
    auto device = std::make_unique<PhysicalDevice>();
    device->instance = &instance;
    device->handle = handle;
    describe(*device);
    fresh.push_back(device.get());
    registry.all.push_back(std::move(device));
  }
  std::vector<PhysicalDevice *> ordered;
  for (int rank = 0; rank < kNumRanks; ++rank)
    std::copy_if(fresh.begin(), fresh.end(), std::back_inserter(ordered),
                 [&](auto *device) { return getRank(*device) == rank; });
  for (PhysicalDevice *device : ordered) {
    if (!device->refusal.empty()) {
      std::string line = "'" + device->name + "': " + device->refusal;
      log(TILERUN_LOG_INFO, "a device cannot be used: " + line);
      registry.refusals += (registry.refusals.empty() ? "" : "; ") + line;
      continue;
    }
    device->ordinal = static_cast<uint32_t>(registry.usable.size());
    device->id = "vulkan:" + std::to_string(device->ordinal);
    // Two drivers of one device may give it one UUID.
    if (std::any_of(registry.usable.begin(), registry.usable.end(),
                    [&](auto *other) { return other->uuid == device->uuid; }))
      device->uuid += "-" + std::to_string(device->ordinal);
    registry.usable.push_back(device);
  }
  return "";
}

} // namespace

std::vector<const PhysicalDevice *> vulkan::getPhysicalDevices(std::string &reason, bool refresh) {
  const Instance *instance = getInstance(reason);
  if (!instance)
    return {};
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  if (refresh || registry.usable.empty()) {
    reason = enumerate(registry, *instance);
    if (!reason.empty())
      return {};
  }
  if (registry.usable.empty())
    reason = registry.refusals.empty()
                 ? "the Vulkan loader " + formatVersion(instance->version) + " reports no device"
                 : "no Vulkan device can be used: " + registry.refusals;
  return registry.usable;
}
