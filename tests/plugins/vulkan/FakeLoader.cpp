// A Vulkan loader before the real one: counts calls, lets them fail, and shows poorer devices.
#include "tests/plugins/vulkan/FakeLoader.h"

#include "plugins/vulkan/Functions.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

#define FAKE_ALL(X)                                                                                \
  VULKAN_GLOBAL_FUNCTIONS(X)                                                                       \
  VULKAN_INSTANCE_FUNCTIONS(X)                                                                     \
  VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(X)                                                            \
  VULKAN_DEVICE_FUNCTIONS(X)                                                                       \
  VULKAN_OPTIONAL_DEVICE_FUNCTIONS(X)

enum Index {
#define FAKE_INDEX(name) k_##name,
  FAKE_ALL(FAKE_INDEX)
#undef FAKE_INDEX
      kNumFunctions
};

struct State {
  const char *name;
  bool canFail;
  std::atomic<int> calls{0};
  int result = 0, skip = 0, times = 0; ///< Under the lock.
  PFN_vkVoidFunction real = nullptr;
};

template <typename Function> struct Traits;
template <typename R, typename... Args> struct Traits<R (*)(Args...)> {
  static constexpr bool canFail = std::is_same_v<R, VkResult>;
};

State states[kNumFunctions] = {
#define FAKE_STATE(name) {#name, Traits<PFN_##name>::canFail},
    FAKE_ALL(FAKE_STATE)
#undef FAKE_STATE
};
std::mutex mutex;
std::recursive_mutex queueMutex; ///< Around the queues, and `devices`.
std::vector<VkDevice> devices;
/// The kernel that writes to a wild address: it is not run, but its device is lost from then on.
struct Faults {
  std::map<VkPipeline, VkDevice> pipelines;
  std::map<VkCommandBuffer, VkDevice> bound, recorded;
  std::map<VkQueue, VkDevice> queues;
  std::set<VkDevice> lost;
} faults; ///< Under `queueMutex`.
std::atomic<int> alive{0};
VkInstance secondInstance = VK_NULL_HANDLE;

const char *getOption(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}
bool isDiscrete() { return getOption("FAKE_VULKAN_DISCRETE"); }

void waitForDevices();

VkResult inject(State &state) {
  ++state.calls;
  if (const char *text = getOption("FAKE_VULKAN_FAIL")) {
    size_t length = std::strlen(state.name);
    if (std::strncmp(text, state.name, length) == 0 && text[length] == '=')
      return static_cast<VkResult>(std::atoi(text + length + 1));
  }
  VkResult result = VK_SUCCESS;
  {
    std::lock_guard lock(mutex);
    if (state.skip > 0) {
      --state.skip;
    } else if (state.times > 0) {
      --state.times;
      result = static_cast<VkResult>(state.result);
    }
  }
  if (result == VK_ERROR_DEVICE_LOST)
    waitForDevices();
  return result;
}

template <typename First, typename Second, typename... Rest>
bool isNull(First, Second second, Rest...) {
  if constexpr (std::is_pointer_v<Second>)
    return !second;
  else
    return false;
}

bool beginsWith(const char *name, const char *prefix) {
  return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

template <int index, typename Function> struct Wrap;
template <int index, typename R, typename... Args> struct Wrap<index, R (*)(Args...)> {
  static R forward(Args... args) {
    return reinterpret_cast<R (*)(Args...)>(states[index].real)(args...);
  }
  static R call(Args... args) {
    State &state = states[index];
    if constexpr (std::is_same_v<R, VkResult>) {
      if (VkResult result = inject(state))
        return result;
      R result = forward(args...);
      bool makes = beginsWith(state.name, "vkCreate") || index == k_vkAllocateMemory;
      if (makes && index != k_vkCreateInstance && index != k_vkCreateDebugUtilsMessengerEXT &&
          result >= 0)
        ++alive;
      return result;
    } else {
      ++state.calls;
      bool ends = beginsWith(state.name, "vkDestroy") || index == k_vkFreeMemory;
      if constexpr (sizeof...(Args) >= 2)
        if (ends && (index == k_vkDestroyDevice || !isNull(args...)))
          --alive;
      return forward(args...);
    }
  }
};
#define FAKE_FORWARD(name) Wrap<k_##name, PFN_##name>::forward
#define FAKE_CALL(name) Wrap<k_##name, PFN_##name>::call

// A lost device runs nothing any more.
void waitForDevices() {
  std::lock_guard lock(queueMutex);
  for (VkDevice device : devices)
    FAKE_FORWARD(vkDeviceWaitIdle)(device);
}

uint32_t parseVersion(const char *text) {
  unsigned major = 1, minor = 0, patch = 0;
  std::sscanf(text, "%u.%u.%u", &major, &minor, &patch);
  return VK_MAKE_API_VERSION(0, major, minor, patch);
}

// Changes besides failing. ---------------------------------------------------------------

VkResult enumerateVersion(uint32_t *version) {
  VkResult result = FAKE_CALL(vkEnumerateInstanceVersion)(version);
  if (const char *text = getOption("FAKE_VULKAN_VERSION"))
    *version = parseVersion(text);
  return result;
}

VkResult createInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                        VkInstance *instance) {
  VkResult result = FAKE_CALL(vkCreateInstance)(info, callbacks, instance);
  const char *devices = getOption("FAKE_VULKAN_DEVICES");
  if (!result && devices && std::strcmp(devices, "2") == 0)
    FAKE_FORWARD(vkCreateInstance)(info, callbacks, &secondInstance);
  return result;
}

VkResult enumerateDevices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices) {
  const char *wanted = getOption("FAKE_VULKAN_DEVICES");
  if (wanted && std::strcmp(wanted, "0") == 0) {
    *count = 0;
    return VK_SUCCESS;
  }
  uint32_t capacity = *count;
  VkResult result = FAKE_CALL(vkEnumeratePhysicalDevices)(instance, count, devices);
  if (result < 0 || !secondInstance)
    return result;
  // The first device of each instance.
  if (devices) {
    uint32_t one = 1;
    FAKE_FORWARD(vkEnumeratePhysicalDevices)(instance, &one, devices);
    if (capacity > 1) {
      one = 1;
      FAKE_FORWARD(vkEnumeratePhysicalDevices)(secondInstance, &one, devices + 1);
    }
  }
  *count = 2;
  return VK_SUCCESS;
}

void changeProperties(VkPhysicalDeviceProperties &properties) {
  if (const char *text = getOption("FAKE_VULKAN_DEVICE_VERSION"))
    properties.apiVersion = parseVersion(text);
  if (isDiscrete())
    properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

void getProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties) {
  FAKE_CALL(vkGetPhysicalDeviceProperties)(device, properties);
  changeProperties(*properties);
}

void getFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features) {
  FAKE_CALL(vkGetPhysicalDeviceFeatures2)(device, features);
  std::string without = std::string(",") + (std::getenv("FAKE_VULKAN_WITHOUT") ?: "") + ",";
  auto lacks = [&](const char *name) {
    return without.find(std::string(",") + name + ",") != std::string::npos;
  };
  if (lacks("shaderInt64"))
    features->features.shaderInt64 = VK_FALSE;
  for (auto *next = static_cast<VkBaseOutStructure *>(features->pNext); next; next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES &&
        lacks("bufferDeviceAddress"))
      reinterpret_cast<VkPhysicalDeviceVulkan12Features *>(next)->bufferDeviceAddress = VK_FALSE;
}

// A discrete device: type 0 is its own memory, type 1 the host's.
void getMemory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *properties) {
  FAKE_CALL(vkGetPhysicalDeviceMemoryProperties2)(device, properties);
  if (!isDiscrete())
    return;
  VkPhysicalDeviceMemoryProperties &memory = properties->memoryProperties;
  memory.memoryHeapCount = memory.memoryTypeCount = 2;
  memory.memoryHeaps[1] = {memory.memoryHeaps[0].size, 0};
  memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  memory.memoryTypes[1] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                           1};
}
void getRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *needs) {
  FAKE_CALL(vkGetBufferMemoryRequirements)(device, buffer, needs);
  if (isDiscrete())
    needs->memoryTypeBits = 3;
}
VkResult allocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                        const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
  VkMemoryAllocateInfo real = *info;
  if (isDiscrete())
    real.memoryTypeIndex = 0;
  return FAKE_CALL(vkAllocateMemory)(device, &real, callbacks, memory);
}

// Its family 1 only copies; it is really family 0, whose single queue both share.
void getFamilies(VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *families) {
  uint32_t capacity = *count;
  FAKE_CALL(vkGetPhysicalDeviceQueueFamilyProperties)(device, count, families);
  if (!isDiscrete())
    return;
  *count = 2;
  if (families && capacity > 1) {
    families[1] = families[0];
    families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
    families[1].queueCount = 1;
  }
}
VkResult createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                      const VkAllocationCallbacks *callbacks, VkDevice *device) {
  VkDeviceCreateInfo real = *info;
  if (isDiscrete())
    real.queueCreateInfoCount = 1;
  VkResult result = FAKE_CALL(vkCreateDevice)(physical, &real, callbacks, device);
  std::lock_guard lock(queueMutex);
  if (!result)
    devices.push_back(*device);
  return result;
}
void destroyDevice(VkDevice device, const VkAllocationCallbacks *callbacks) {
  {
    std::lock_guard lock(queueMutex);
    std::erase(devices, device);
    faults.lost.erase(device);
  }
  FAKE_CALL(vkDestroyDevice)(device, callbacks);
}
void getQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue) {
  FAKE_CALL(vkGetDeviceQueue)(device, isDiscrete() ? 0 : family, index, queue);
  std::lock_guard lock(queueMutex);
  faults.queues[*queue] = device;
}
VkResult createPool(VkDevice device, const VkCommandPoolCreateInfo *info,
                    const VkAllocationCallbacks *callbacks, VkCommandPool *pool) {
  VkCommandPoolCreateInfo real = *info;
  if (isDiscrete())
    real.queueFamilyIndex = 0;
  return FAKE_CALL(vkCreateCommandPool)(device, &real, callbacks, pool);
}
VkResult createBuffer(VkDevice device, const VkBufferCreateInfo *info,
                      const VkAllocationCallbacks *callbacks, VkBuffer *buffer) {
  VkBufferCreateInfo real = *info;
  if (isDiscrete())
    real.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return FAKE_CALL(vkCreateBuffer)(device, &real, callbacks, buffer);
}
bool isLost(VkDevice device) {
  std::lock_guard lock(queueMutex);
  if (!faults.lost.count(device))
    return false;
  waitForDevices();
  return true;
}
VkResult submit(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence) {
  std::lock_guard lock(queueMutex);
  if (isLost(faults.queues[queue]))
    return VK_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; ++k)
      if (auto it = faults.recorded.find(infos[i].pCommandBufferInfos[k].commandBuffer);
          it != faults.recorded.end())
        faults.lost.insert(it->second);
  return FAKE_CALL(vkQueueSubmit2)(queue, count, infos, fence);
}
VkResult waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout) {
  return isLost(device) ? VK_ERROR_DEVICE_LOST : FAKE_CALL(vkWaitSemaphores)(device, info, timeout);
}
VkResult getCounter(VkDevice device, VkSemaphore semaphore, uint64_t *value) {
  return isLost(device) ? VK_ERROR_DEVICE_LOST
                        : FAKE_CALL(vkGetSemaphoreCounterValue)(device, semaphore, value);
}
VkResult createPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                         const VkComputePipelineCreateInfo *infos,
                         const VkAllocationCallbacks *callbacks, VkPipeline *pipelines) {
  VkResult result =
      FAKE_CALL(vkCreateComputePipelines)(device, cache, count, infos, callbacks, pipelines);
  std::lock_guard lock(queueMutex);
  for (uint32_t i = 0; result >= 0 && i < count; ++i) {
    faults.pipelines.erase(pipelines[i]);
    if (std::strcmp(infos[i].stage.pName, "tilerun_test_fault") == 0)
      faults.pipelines[pipelines[i]] = device;
  }
  return result;
}
VkResult beginCommands(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info) {
  {
    std::lock_guard lock(queueMutex);
    faults.bound.erase(commands);
    faults.recorded.erase(commands);
  }
  return FAKE_CALL(vkBeginCommandBuffer)(commands, info);
}
void bindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
  {
    std::lock_guard lock(queueMutex);
    faults.bound.erase(commands);
    if (auto it = faults.pipelines.find(pipeline); it != faults.pipelines.end())
      faults.bound[commands] = it->second;
  }
  FAKE_CALL(vkCmdBindPipeline)(commands, point, pipeline);
}
void dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  {
    std::lock_guard lock(queueMutex);
    if (auto it = faults.bound.find(commands); it != faults.bound.end()) {
      faults.recorded[commands] = it->second;
      return;
    }
  }
  FAKE_CALL(vkCmdDispatch)(commands, x, y, z);
}

PFN_vkVoidFunction getDeviceFunction(VkDevice device, const char *name);

PFN_vkVoidFunction wrap(const char *name, PFN_vkVoidFunction real) {
  if (!real)
    return nullptr;
  static const struct {
    Index index;
    PFN_vkVoidFunction function;
  } changed[] = {
#define FAKE_CHANGED(name, function)                                                               \
  {k_##name, reinterpret_cast<PFN_vkVoidFunction>(static_cast<PFN_##name>(function))}
      FAKE_CHANGED(vkEnumerateInstanceVersion, enumerateVersion),
      FAKE_CHANGED(vkCreateInstance, createInstance),
      FAKE_CHANGED(vkEnumeratePhysicalDevices, enumerateDevices),
      FAKE_CHANGED(vkGetPhysicalDeviceProperties, getProperties),
      FAKE_CHANGED(vkGetPhysicalDeviceFeatures2, getFeatures),
      FAKE_CHANGED(vkGetPhysicalDeviceMemoryProperties2, getMemory),
      FAKE_CHANGED(vkGetBufferMemoryRequirements, getRequirements),
      FAKE_CHANGED(vkAllocateMemory, allocateMemory),
      FAKE_CHANGED(vkGetPhysicalDeviceQueueFamilyProperties, getFamilies),
      FAKE_CHANGED(vkCreateDevice, createDevice),
      FAKE_CHANGED(vkDestroyDevice, destroyDevice),
      FAKE_CHANGED(vkGetDeviceQueue, getQueue),
      FAKE_CHANGED(vkCreateCommandPool, createPool),
      FAKE_CHANGED(vkCreateBuffer, createBuffer),
      FAKE_CHANGED(vkQueueSubmit2, submit),
      FAKE_CHANGED(vkWaitSemaphores, waitSemaphores),
      FAKE_CHANGED(vkGetSemaphoreCounterValue, getCounter),
      FAKE_CHANGED(vkCreateComputePipelines, createPipelines),
      FAKE_CHANGED(vkBeginCommandBuffer, beginCommands),
      FAKE_CHANGED(vkCmdBindPipeline, bindPipeline),
      FAKE_CHANGED(vkCmdDispatch, dispatch),
      FAKE_CHANGED(vkGetDeviceProcAddr, getDeviceFunction),
#undef FAKE_CHANGED
  };
  static const PFN_vkVoidFunction wrapped[] = {
#define FAKE_WRAPPED(name) reinterpret_cast<PFN_vkVoidFunction>(&Wrap<k_##name, PFN_##name>::call),
      FAKE_ALL(FAKE_WRAPPED)
#undef FAKE_WRAPPED
  };
  for (int i = 0; i < kNumFunctions; ++i)
    if (std::strcmp(states[i].name, name) == 0) {
      states[i].real = real;
      for (const auto &entry : changed)
        if (entry.index == i)
          return entry.function;
      return wrapped[i];
    }
  return real;
}

PFN_vkVoidFunction getDeviceFunction(VkDevice device, const char *name) {
  return wrap(name, FAKE_FORWARD(vkGetDeviceProcAddr)(device, name));
}

} // namespace

extern "C" {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char *name) {
  static const auto real = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      dlsym(dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL), "vkGetInstanceProcAddr"));
  return real ? wrap(name, real(instance, name)) : nullptr;
}

void fakeVulkanFail(const char *function, int result, int skip, int times) {
  std::lock_guard lock(mutex);
  for (State &state : states)
    if (std::strcmp(state.name, function) == 0) {
      state.result = result;
      state.skip = skip;
      state.times = times;
    }
}
void fakeVulkanReset() {
  std::lock_guard lock(mutex);
  for (State &state : states)
    state.result = state.skip = state.times = 0;
}
int fakeVulkanCountAlive() { return alive; }
int fakeVulkanCountCalls(const char *function) {
  for (State &state : states)
    if (std::strcmp(state.name, function) == 0)
      return state.canFail ? state.calls.load() : -1;
  return -1;
}
}
