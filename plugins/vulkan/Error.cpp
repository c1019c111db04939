// How failures of Vulkan become errors of the ABI; the log.
#include "plugins/vulkan/Device.h"

#include <cstdio>

using namespace vulkan;

static std::atomic<const TilerunPluginHost *> theHost{nullptr};

void vulkan::setHost(const TilerunPluginHost *host) { theHost = host; }

void vulkan::log(int32_t level, const std::string &text) {
  const TilerunPluginHost *host = theHost;
  if (host && TILERUN_HAS(TilerunPluginHost, host, log))
    host->log(host->user, level, text.c_str());
  else if (level >= TILERUN_LOG_WARNING)
    std::fprintf(stderr, "tilerun: vulkan: %s\n", text.c_str());
}

// X(result, status, text)
#define VULKAN_RESULT_LIST(X)                                                                      \
  X(VK_NOT_READY, NOT_READY, "the work is not done yet")                                           \
  X(VK_TIMEOUT, NOT_READY, "the wait timed out")                                                   \
  X(VK_INCOMPLETE, DRIVER, "the array was too small")                                              \
  X(VK_ERROR_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY, "the driver found no host memory")                 \
  X(VK_ERROR_OUT_OF_DEVICE_MEMORY, OUT_OF_MEMORY, "the device has no memory left")                 \
  X(VK_ERROR_INITIALIZATION_FAILED, UNAVAILABLE, "the driver could not be initialized")            \
  X(VK_ERROR_DEVICE_LOST, DEVICE_LOST, "the device was lost")                                      \
  X(VK_ERROR_MEMORY_MAP_FAILED, DRIVER, "memory could not be mapped")                              \
  X(VK_ERROR_LAYER_NOT_PRESENT, UNAVAILABLE, "a layer is not installed")                           \
  X(VK_ERROR_EXTENSION_NOT_PRESENT, UNAVAILABLE, "an extension is not available")                  \
  X(VK_ERROR_FEATURE_NOT_PRESENT, UNAVAILABLE, "a feature is not available")                       \
  X(VK_ERROR_INCOMPATIBLE_DRIVER, UNAVAILABLE, "no driver for this version of Vulkan")             \
  X(VK_ERROR_TOO_MANY_OBJECTS, OUT_OF_MEMORY, "too many objects of the kind exist")                \
  X(VK_ERROR_FRAGMENTATION, OUT_OF_MEMORY, "a pool is too fragmented")                             \
  X(VK_ERROR_FRAGMENTED_POOL, OUT_OF_MEMORY, "a pool is too fragmented")                           \
  X(VK_ERROR_OUT_OF_POOL_MEMORY, OUT_OF_MEMORY, "a pool is empty")                                 \
  X(VK_ERROR_INVALID_EXTERNAL_HANDLE, INVALID_ARGUMENT, "a handle from elsewhere is invalid")      \
  X(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, OUT_OF_MEMORY, "no address range is left")            \
  X(VK_ERROR_INVALID_SHADER_NV, COMPILE, "the driver rejects the shader")                          \
  X(VK_PIPELINE_COMPILE_REQUIRED, COMPILE, "the pipeline must be compiled")                        \
  X(VK_ERROR_UNKNOWN, DRIVER, "the driver gives no reason")

namespace {
struct ResultRow {
  VkResult result;
  const char *name;
  TilerunStatus status;
  const char *text;
};
} // namespace

static ResultRow getRow(VkResult result) {
#define VULKAN_ROW(name, status, text) {name, #name, TILERUN_STATUS_##status, text},
  static constexpr ResultRow kRows[] = {VULKAN_RESULT_LIST(VULKAN_ROW)};
#undef VULKAN_ROW
  for (const ResultRow &row : kRows)
    if (row.result == result)
      return row;
  return {result, nullptr, TILERUN_STATUS_DRIVER, "its meaning is unknown"};
}

std::string vulkan::getResultName(VkResult result) {
  const char *name = getRow(result).name;
  return name ? name : "VkResult " + std::to_string(static_cast<int>(result));
}

const char *vulkan::getResultText(VkResult result) { return getRow(result).text; }

TilerunStatus vulkan::fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                           const Context &context, const std::string &what) {
  return fail(sink, status, call, context.physical.id.c_str(), what);
}

// The kernels that may have lost the device.
static std::string describeLoss(Context &context) {
  std::vector<const char *> pending;
  bool more = false;
  for (const std::shared_ptr<Stream> &stream : context.getStreams())
    more |= stream->log.getPending(pending);
  return tilerun::plugin_support::describePending(pending, more);
}

// The driver's own report of the fault, such as the address.
static std::string describeFault(Context &context) {
  if (!context.physical.deviceFault || !context.table.vkGetDeviceFaultInfoEXT)
    return "";
  auto counts = make<VkDeviceFaultCountsEXT>(VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT);
  if (context.table.vkGetDeviceFaultInfoEXT(context.handle, &counts, nullptr) < 0)
    return "";
  counts.vendorBinarySize = 0; // Useless here.
  std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount);
  std::vector<VkDeviceFaultVendorInfoEXT> vendor(counts.vendorInfoCount);
  auto info = make<VkDeviceFaultInfoEXT>(VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT);
  info.pAddressInfos = addresses.data();
  info.pVendorInfos = vendor.data();
  if (context.table.vkGetDeviceFaultInfoEXT(context.handle, &counts, &info) < 0)
    return "";
  std::string text;
  if (info.description[0])
    text += std::string("; the driver says: ") + info.description;
  for (uint32_t i = 0; i < counts.addressInfoCount && i < 4; ++i) {
    char line[64];
    std::snprintf(line, sizeof(line), "; at address 0x%llx",
                  static_cast<unsigned long long>(addresses[i].reportedAddress));
    text += line;
  }
  return text;
}

TilerunStatus vulkan::failVulkan(const TilerunErrorSink *sink, Context &context,
                                 const char *expression, VkResult result,
                                 const std::string &detail) {
  TilerunStatus status = getRow(result).status;
  if (status == TILERUN_STATUS_NOT_READY)
    return status; // An answer, not an error.
  const std::string &id = context.physical.id;
  std::string name = getResultName(result);
  std::string message = std::string(expression) + " on " + id + ": " + name + ": " +
                        getResultText(result) + (detail.empty() ? "" : "; " + detail);
  if (status == TILERUN_STATUS_DEVICE_LOST) {
    message += describeLoss(context) + describeFault(context) +
               "; the device is lost: close it and open it again";
    context.loss.lose(message);
  }
  return tilerun::plugin_support::report(sink, status, expression, id.c_str(), name.c_str(),
                                         message);
}

void vulkan::loseDevice(Context &context, const std::string &reason) {
  context.loss.lose(reason + describeLoss(context));
}

TilerunStatus vulkan::failLost(const TilerunErrorSink *sink, const Context &context,
                               const char *call) {
  return fail(sink, TILERUN_STATUS_DEVICE_LOST, call, context,
              "the device is lost since " + context.loss.getReason());
}
