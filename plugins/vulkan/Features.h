// The properties of a physical device, read once; the features that the plugin enables, the
// compiler's target, and the reason why a device is refused.
#pragma once

#include "backends/spirv/Target.h"
#include "plugins/vulkan/Functions.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace vulkan {

struct Instance;

/// The features that a device is created with, chained. Every member has what the device offers;
/// structs of missing extensions are left out of the chain.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceVulkan13Features v13 = {};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat = {};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2 = {};
  VkPhysicalDeviceShaderClockFeaturesKHR clock = {};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicitLayout = {};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16 = {};
  VkPhysicalDeviceFaultFeaturesEXT fault = {};
};

/// Queues of one family that the plugin uses.
struct QueueFamily {
  uint32_t index = 0;
  uint32_t count = 0;
  uint32_t timestampBits = 0;
  bool compute = false; ///< Otherwise for copies only.
  bool sparse = false;
};

/// One physical device. Written while it is enumerated, read afterwards.
struct PhysicalDevice {
  const Instance *instance = nullptr;
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  uint32_t ordinal = 0;
  std::string id;         ///< "vulkan:0"
  std::string uuid;       ///< "vulkan:8f8f40f7-…"
  std::string name;       ///< "NVIDIA H200"
  std::string targetText; ///< "vulkan:1.3,subgroup=32,…"
  std::string driverVersion, pciAddress, matrixShapes;
  std::string binaryCompatibility; ///< Of what finalize_artifact gives.
  std::string refusal;             ///< Why it cannot be used; empty if it can.

  tilerun::spirvbackend::Target target;
  VkPhysicalDeviceProperties properties = {};
  const VkPhysicalDeviceLimits &limits() const { return properties.limits; }
  bool isCpu = false, isIntegrated = false;
  uint32_t units = 1;
  uint64_t maxGrid[3] = {}; ///< Of a launch, which may be split; limits() has that of a dispatch.
  uint64_t maxAllocation = 0, maxBuffer = 0; ///< Bytes.
  bool memoryBudget = false, sparse = false;
  bool executableInfo = false; ///< VK_KHR_pipeline_executable_properties is turned on.
  bool shaderClock = false;    ///< shaderDeviceClock and shaderSubgroupClock are turned on.
  bool deviceFault = false;    ///< VK_EXT_device_fault is turned on.
  VkPhysicalDeviceMemoryProperties memory = {};
  uint32_t deviceHeap = 0; ///< Where device memory comes from.
  std::vector<QueueFamily> families;
  std::vector<const char *> extensions; ///< To be turned on.
  FeatureChain features;                ///< To be turned on; its head is `features.core`.

  /// Bytes of the device heap that this process holds, over all contexts.
  mutable std::atomic<uint64_t> used{0};
};

/// Reads everything about a physical device; `device.refusal` says why it cannot be used.
void describe(PhysicalDevice &device);

} // namespace vulkan
