// How failures of Vulkan become errors of the ABI.
#pragma once

#include "plugins/support/Error.h"
#include "plugins/vulkan/Functions.h"
#include "runtime/include/tilerun/plugin.h"

#include <string>

namespace vulkan {

class Context;

/// Reports an error that is not the driver's, and returns `status`; with the id of a device, or
/// "vulkan" where there is none.
using tilerun::plugin_support::fail;
TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                   const Context &context, const std::string &what);

/// Reports a failed Vulkan call; `detail` says what was asked for. Marks the device as lost where
/// the result says so.
TilerunStatus failVulkan(const TilerunErrorSink *sink, Context &context, const char *expression,
                         VkResult result, const std::string &detail = "");

/// Reports DEVICE_LOST with the reason.
TilerunStatus failLost(const TilerunErrorSink *sink, const Context &context, const char *call);

/// Marks the device as lost for a reason that is not a single result.
void loseDevice(Context &context, const std::string &reason);

/// "VK_ERROR_DEVICE_LOST"
std::string getResultName(VkResult result);
/// Its meaning, for people: "the device was lost".
const char *getResultText(VkResult result);

/// One line for the host's log, with TILERUN_LOG_*.
void log(int32_t level, const std::string &text);
/// Set by the entry; may be null.
void setHost(const TilerunPluginHost *host);

} // namespace vulkan

/// Calls Vulkan through the context's table; a failure is reported and ends the function with its
/// status. Results above 0 (VK_NOT_READY, VK_TIMEOUT, VK_INCOMPLETE) are not failures.
#define VK_TRY(context, sink, expression)                                                          \
  do {                                                                                             \
    if (VkResult result_ = (context).table.expression; result_ < 0)                                \
      return ::vulkan::failVulkan(sink, context, #expression, result_);                            \
  } while (false)

/// Begins an entry that works on a device: refuses a lost one.
#define VK_ENTER(context, sink, call)                                                              \
  if ((context).loss.isLost())                                                                     \
  return ::vulkan::failLost(sink, context, call)
