// The functions of Vulkan that the plugin uses, as lists that drive the tables, their loading and
// the tests' failing driver.
//
// Rules of this folder: the loader library is opened at run time, and nothing is linked. Every
// Vulkan call that can fail goes through VK_TRY (Error.h), which records the expression, Vulkan's
// name for the result and the device. Functions report to the sink that they are passed, and return
// a status; no function throws.
#pragma once

#include "plugins/vulkan/KhrExtensions.h"

#include <string>

namespace vulkan {

/// Found without an instance.
#define VULKAN_GLOBAL_FUNCTIONS(X)                                                                 \
  X(vkEnumerateInstanceVersion)                                                                    \
  X(vkEnumerateInstanceExtensionProperties)                                                        \
  X(vkEnumerateInstanceLayerProperties)                                                            \
  X(vkCreateInstance)

/// Found with an instance.
#define VULKAN_INSTANCE_FUNCTIONS(X)                                                               \
  X(vkGetDeviceProcAddr)                                                                           \
  X(vkEnumeratePhysicalDevices)                                                                    \
  X(vkEnumerateDeviceExtensionProperties)                                                          \
  X(vkGetPhysicalDeviceProperties)                                                                 \
  X(vkGetPhysicalDeviceProperties2)                                                                \
  X(vkGetPhysicalDeviceFeatures2)                                                                  \
  X(vkGetPhysicalDeviceMemoryProperties2)                                                          \
  X(vkGetPhysicalDeviceQueueFamilyProperties)                                                      \
  X(vkCreateDevice)

/// The same, of extensions: null where they are missing.
#define VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(X)                                                      \
  X(vkCreateDebugUtilsMessengerEXT)                                                                \
  X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)

/// Found with a device.
#define VULKAN_DEVICE_FUNCTIONS(X)                                                                 \
  X(vkDestroyDevice)                                                                               \
  X(vkDeviceWaitIdle)                                                                              \
  X(vkGetDeviceQueue)                                                                              \
  X(vkQueueSubmit2)                                                                                \
  X(vkQueueBindSparse)                                                                             \
  X(vkCreateSemaphore)                                                                             \
  X(vkDestroySemaphore)                                                                            \
  X(vkWaitSemaphores)                                                                              \
  X(vkGetSemaphoreCounterValue)                                                                    \
  X(vkCreateCommandPool)                                                                           \
  X(vkDestroyCommandPool)                                                                          \
  X(vkResetCommandPool)                                                                            \
  X(vkAllocateCommandBuffers)                                                                      \
  X(vkBeginCommandBuffer)                                                                          \
  X(vkEndCommandBuffer)                                                                            \
  X(vkCmdPipelineBarrier2)                                                                         \
  X(vkCmdCopyBuffer)                                                                               \
  X(vkCmdFillBuffer)                                                                               \
  X(vkResetQueryPool)                                                                              \
  X(vkCmdWriteTimestamp2)                                                                          \
  X(vkCmdBindPipeline)                                                                             \
  X(vkCmdPushConstants)                                                                            \
  X(vkCmdDispatch)                                                                                 \
  X(vkCreateQueryPool)                                                                             \
  X(vkDestroyQueryPool)                                                                            \
  X(vkGetQueryPoolResults)                                                                         \
  X(vkAllocateMemory)                                                                              \
  X(vkFreeMemory)                                                                                  \
  X(vkMapMemory)                                                                                   \
  X(vkCreateBuffer)                                                                                \
  X(vkDestroyBuffer)                                                                               \
  X(vkGetBufferMemoryRequirements)                                                                 \
  X(vkBindBufferMemory)                                                                            \
  X(vkGetBufferDeviceAddress)                                                                      \
  X(vkCreateShaderModule)                                                                          \
  X(vkDestroyShaderModule)                                                                         \
  X(vkCreatePipelineLayout)                                                                        \
  X(vkDestroyPipelineLayout)                                                                       \
  X(vkCreatePipelineCache)                                                                         \
  X(vkDestroyPipelineCache)                                                                        \
  X(vkGetPipelineCacheData)                                                                        \
  X(vkMergePipelineCaches)                                                                         \
  X(vkCreateComputePipelines)                                                                      \
  X(vkDestroyPipeline)

/// The same, of extensions.
#define VULKAN_OPTIONAL_DEVICE_FUNCTIONS(X)                                                        \
  X(vkGetPipelineExecutablePropertiesKHR)                                                          \
  X(vkGetPipelineExecutableStatisticsKHR)                                                          \
  X(vkGetDeviceFaultInfoEXT)

#define VULKAN_MEMBER(name) PFN_##name name = nullptr;
struct GlobalTable {
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  VULKAN_GLOBAL_FUNCTIONS(VULKAN_MEMBER)
};
struct InstanceTable {
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
  VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
};
struct DeviceTable {
  VULKAN_DEVICE_FUNCTIONS(VULKAN_MEMBER)
  VULKAN_OPTIONAL_DEVICE_FUNCTIONS(VULKAN_MEMBER)
};
#undef VULKAN_MEMBER

/// A struct of this type, the rest of which is 0.
template <typename T> T make(VkStructureType type) {
  T made = {};
  made.sType = type;
  return made;
}

/// "1.3.239"
std::string formatVersion(uint32_t version);

/// Lowest version of Vulkan, of loader and device, that will do.
constexpr uint32_t kLowestVersion = VK_API_VERSION_1_3;

} // namespace vulkan
