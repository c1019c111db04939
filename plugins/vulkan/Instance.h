// The loader library, the Vulkan instance and its physical devices.
#pragma once

#include "plugins/vulkan/Features.h"

namespace vulkan {

/// One for the process; never destroyed, as other threads may use it until the end.
struct Instance {
  GlobalTable global;
  InstanceTable table;
  VkInstance handle = VK_NULL_HANDLE;
  uint32_t version = 0;    ///< Of the loader.
  bool validation = false; ///< Whether the Khronos layer is on.
};

/// Opens the loader and creates the instance, on the first call that succeeds; later calls are
/// cheap. Null with the reason if there is no usable one.
///   TILERUN_VULKAN_LOADER      another library than libvulkan.so.1
///   TILERUN_VULKAN_VALIDATION  1: with the Khronos validation layer, whose messages become lines
///                              of the log
const Instance *getInstance(std::string &reason);

/// The devices that can be used, in the order of their ordinals: GPUs before CPUs. Empty with the
/// reason, which names each device that is refused. Looks again on every call that `refresh`es; a
/// device that was given lives on.
std::vector<const PhysicalDevice *> getPhysicalDevices(std::string &reason, bool refresh);

} // namespace vulkan
