// Launches. See Launch.h for the cost of a warm one.
#include "plugins/vulkan/Launch.h"

#include "backends/spirv/Interface.h"

#include <algorithm>
#include <cstring>

using namespace vulkan;
using tilerun::plugin_support::describeLaunch;
using tilerun::spirvbackend::Header;
using tilerun::spirvbackend::kHeaderBytes;
using tilerun::spirvbackend::kPushBytes;

// Says what is wrong with a launch; empty if nothing is.
static std::string findFault(const TilerunPluginKernel &kernel, const TilerunPluginLaunch &launch,
                             uint32_t dispatches) {
  if (std::find(launch.grid, launch.grid + 3, 0u) != launch.grid + 3)
    return "the grid has no programs: " + describeLaunch(kernel.name, launch);
  if (!dispatches) {
    return "the grid is too large: the axes take " + std::to_string(kMaxGrid[0]) + ", " +
           std::to_string(kMaxGrid[1]) + " and " + std::to_string(kMaxGrid[2]) +
           " programs, and a launch " + std::to_string(kMaxDispatches) +
           " dispatches of this device: " + describeLaunch(kernel.name, launch);
  }
  if (launch.num_bytes != kernel.packedBytes)
    return "the arguments should have " + std::to_string(kernel.packedBytes) +
           " bytes: " + describeLaunch(kernel.name, launch);
  if (launch.threads != kernel.threads)
    return "the kernel was compiled for " + std::to_string(kernel.threads) +
           " threads: " + describeLaunch(kernel.name, launch);
  if (launch.shared_bytes > kernel.sharedBytes)
    return std::string("kernel '") + kernel.name + "' needs " +
           std::to_string(launch.shared_bytes) + " bytes of shared memory for a program, " +
           std::to_string(kernel.sharedBytes) +
           " are in its code: " + std::to_string(launch.shared_bytes - kernel.sharedBytes) +
           " too many";
  return "";
}

static TilerunStatus record(Stream::Recorder &recorder, const TilerunPluginKernel &kernel,
                            const TilerunPluginLaunch &launch, uint32_t dispatches,
                            uint64_t debugBuffer, const TilerunErrorSink *sink) {
  const DeviceTable &table = kernel.context->table;
  alignas(8) uint8_t push[kPushBytes];
  Header header = {{0, 0, 0}, {launch.grid[0], launch.grid[1], launch.grid[2]}, debugBuffer};
  std::memcpy(push, &header, kHeaderBytes);
  uint32_t pushed = kHeaderBytes;
  if (kernel.parameterBlock) {
    Transient block;
    TILERUN_PLUGIN_TRY(recorder.allocateTransient(launch.num_bytes, block, sink));
    std::memcpy(block.host, launch.arguments, launch.num_bytes);
    std::memcpy(push + pushed, &block.address, sizeof(block.address));
    pushed += sizeof(block.address);
  } else if (launch.num_bytes) {
    std::memcpy(push + pushed, launch.arguments, launch.num_bytes);
    // Push constants are pushed in words.
    uint32_t end = pushed + static_cast<uint32_t>(launch.num_bytes);
    pushed = (end + 3) / 4 * 4;
    std::memset(push + end, 0, pushed - end);
  }
  VkCommandBuffer commands = recorder.getCommands();
  table.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  table.vkCmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, pushed, push);
  if (dispatches == 1) {
    table.vkCmdDispatch(commands, launch.grid[0], launch.grid[1], launch.grid[2]);
    return TILERUN_STATUS_OK;
  }
  const uint32_t *limit = kernel.context->physical.limits().maxComputeWorkGroupCount;
  for (uint32_t i = 0; i < dispatches; ++i) {
    Dispatch dispatch = getDispatch(launch.grid, limit, i);
    table.vkCmdPushConstants(commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                             tilerun::spirvbackend::kBaseOffset, sizeof(dispatch.base),
                             dispatch.base);
    table.vkCmdDispatch(commands, dispatch.count[0], dispatch.count[1], dispatch.count[2]);
  }
  return TILERUN_STATUS_OK;
}

static TilerunStatus launchKernel(TilerunPluginKernel *kernel, TilerunPluginStream *handle,
                                  const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
  Context &context = *kernel->context;
  VK_ENTER(context, sink, "launch");
  uint32_t dispatches =
      countDispatches(launch->grid, context.physical.limits().maxComputeWorkGroupCount);
  if (dispatches != 1 || launch->num_bytes != kernel->packedBytes ||
      launch->threads != kernel->threads || launch->shared_bytes > kernel->sharedBytes)
    if (std::string fault = findFault(*kernel, *launch, dispatches); !fault.empty())
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", context, fault);
  Stream &stream = getStream(kernel->device, handle);
  if (&stream.context != &context)
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", context,
                std::string("the stream belongs to another device than kernel '") + kernel->name +
                    "'");
  std::shared_ptr<Block> debugBuffer;
  if (kernel->sites)
    TILERUN_PLUGIN_TRY(prepareReport(stream, *kernel, debugBuffer, sink));
  uint64_t debugAddress = debugBuffer ? debugBuffer->address : 0;
  uint32_t index = stream.log.add(kernel->name);
  if (TilerunStatus status = stream.record(
          [&](Stream::Recorder &recorder) {
            return record(recorder, *kernel, *launch, dispatches, debugAddress, sink);
          },
          sink)) {
    stream.log.withdraw(index);
    if (debugBuffer)
      stream.reports.giveBack(std::move(debugBuffer));
    return status;
  }
  if (debugBuffer)
    addReport(stream, *kernel, std::move(debugBuffer));
  return TILERUN_STATUS_OK;
}

void vulkan::addLaunchEntries(TilerunPlugin &table) { table.launch = launchKernel; }
