// Opens the loader library and makes the instance; the messages of the validation layer.
#include "plugins/vulkan/Instance.h"

#include "plugins/support/Library.h"
#include "plugins/vulkan/Error.h"

#include <cstdlib>
#include <cstring>

using namespace vulkan;
using namespace tilerun::plugin_support;

std::string vulkan::formatVersion(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

static VKAPI_ATTR VkBool32 VKAPI_CALL takeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                  VkDebugUtilsMessageTypeFlagsEXT,
                                                  const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                  void *) {
  const bool error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  log(TILERUN_LOG_WARNING, std::string("validation ") + (error ? "error: " : "warning: ") +
                               (data->pMessage ? data->pMessage : "without text"));
  return VK_FALSE;
}

static bool isOn(const char *variable) {
  const char *value = secure_getenv(variable);
  return value && *value && std::strcmp(value, "0") != 0;
}

// Whether one of `count` names, which `get` gives, is `wanted`.
template <typename Properties, typename Enumerate, typename GetName>
static bool offers(Enumerate enumerate, GetName getName, const char *wanted) {
  uint32_t count = 0;
  if (enumerate(&count, static_cast<Properties *>(nullptr)) < 0)
    return false;
  std::vector<Properties> all(count);
  if (enumerate(&count, all.data()) < 0)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (std::strcmp(getName(all[i]), wanted) == 0)
      return true;
  return false;
}

static constexpr const char *kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Everything up to the instance's functions; empty if it worked.
static std::string openInstance(Instance &instance) {
  const char *path = secure_getenv("TILERUN_VULKAN_LOADER");
  if (!path || !*path)
    path = "libvulkan.so.1";
  std::string why;
  void *library = openLibrary(path, why);
  if (!library)
    return "the Vulkan loader library was not found: " + why +
           " (install libvulkan1, or name the library in TILERUN_VULKAN_LOADER)";
  GlobalTable &global = instance.global;
  if (!loadFunction(library, "vkGetInstanceProcAddr", global.vkGetInstanceProcAddr))
    return std::string("'") + path + "' is not a Vulkan loader: it has no vkGetInstanceProcAddr";
  auto load = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(
        global.vkGetInstanceProcAddr(instance.handle, name));
    return member != nullptr;
  };
  // The version first: an old loader lacks functions, and its version is the clearer message.
  instance.version = VK_API_VERSION_1_0;
  if (load(global.vkEnumerateInstanceVersion, "vkEnumerateInstanceVersion"))
    global.vkEnumerateInstanceVersion(&instance.version);
  if (instance.version < kLowestVersion)
    return "the Vulkan loader is too old: it is for Vulkan " + formatVersion(instance.version) +
           ", and " + formatVersion(kLowestVersion) + " or later is needed";
#define VULKAN_LOAD(name)                                                                          \
  if (!load(global.name, #name))                                                                   \
    return std::string("the Vulkan loader '") + path + "' has no function " #name;
  VULKAN_GLOBAL_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD

  std::vector<const char *> layers, extensions;
  if (isOn("TILERUN_VULKAN_VALIDATION")) {
    if (!offers<VkLayerProperties>(
            [&](uint32_t *count, VkLayerProperties *all) {
              return global.vkEnumerateInstanceLayerProperties(count, all);
            },
            [](const VkLayerProperties &p) { return p.layerName; }, kValidationLayer))
      return std::string("TILERUN_VULKAN_VALIDATION is set, but the layer ") + kValidationLayer +
             " is not installed (package vulkan-validationlayers)";
    layers.push_back(kValidationLayer);
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    instance.validation = true;
  }
  auto application = make<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "tilerun";
  application.pEngineName = "tilerun";
  application.apiVersion = kLowestVersion;
  auto info = make<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  auto messenger = make<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = takeMessage;
  if (instance.validation)
    info.pNext = &messenger;
  if (VkResult result = global.vkCreateInstance(&info, nullptr, &instance.handle)) {
    std::string reason = "vkCreateInstance(&info, nullptr, &handle): " + getResultName(result) +
                         ": " + getResultText(result);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
      reason += " (the loader found no driver: install one, such as mesa-vulkan-drivers, or see "
                "VK_DRIVER_FILES)";
    return reason;
  }
#define VULKAN_LOAD(name)                                                                          \
  if (!load(instance.table.name, #name))                                                           \
    return std::string("the Vulkan loader '") + path + "' has no function " #name;
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
#define VULKAN_LOAD(name) load(instance.table.name, #name);
  VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
  VkDebugUtilsMessengerEXT handle = VK_NULL_HANDLE;
  if (instance.validation && instance.table.vkCreateDebugUtilsMessengerEXT)
    instance.table.vkCreateDebugUtilsMessengerEXT(instance.handle, &messenger, nullptr, &handle);
  return "";
}

const Instance *vulkan::getInstance(std::string &reason) {
  static DriverHolder<Instance> holder;
  return holder.find(reason, openInstance);
}
