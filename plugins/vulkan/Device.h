// The plugin's handles. All handles of one physical device share a context (a VkDevice with its
// queues and memory), as long as it is not lost; so addresses, streams and kernels of one handle
// work with another's.
#pragma once

#include "plugins/support/LossLatch.h"
#include "plugins/vulkan/Instance.h"
#include "plugins/vulkan/Memory.h"
#include "plugins/vulkan/Timestamps.h"

namespace vulkan {

class Flusher;
using tilerun::plugin_support::LossLatch;

/// A logical device. It ends with its last handle.
class Context {
public:
  explicit Context(const PhysicalDevice &physical);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Makes the VkDevice and its queues.
  TilerunStatus open(const TilerunErrorSink *sink);

  /// The queue with the fewest streams; null if there is none of that kind. Null is ignored.
  Queue *acquireQueue(QueueKind kind);
  void releaseQueue(Queue *queue);
  /// A timeline semaphore and the value that it has. They are used again rather than destroyed:
  /// Mesa's queues touch one for a moment after its value can be seen (found with 22.3).
  TilerunStatus acquireTimeline(VkSemaphore &timeline, uint64_t &value,
                                const TilerunErrorSink *sink);
  void releaseTimeline(VkSemaphore timeline, uint64_t value);
  void addStream(const std::shared_ptr<Stream> &stream);
  /// Streams that have not ended, for waiting for all of them.
  std::vector<std::shared_ptr<Stream>> getStreams();
  /// Keeps a destroyed stream until its work is done.
  void retire(std::shared_ptr<Stream> stream);

  const PhysicalDevice &physical;
  DeviceTable table;
  VkDevice handle = VK_NULL_HANDLE;
  std::vector<std::unique_ptr<Queue>> computeQueues, transferQueues;
  std::vector<uint32_t> families; ///< That use buffers.

  LossLatch loss;
  mutable std::mutex mutex;                       ///< Guards what follows.
  std::set<std::string> kernelNames;              ///< Outlive their modules.
  VkPipelineCache pipelineCache = VK_NULL_HANDLE; ///< In memory alone; made by Modules.cpp.
  std::vector<std::weak_ptr<Stream>> streams;
  std::vector<std::shared_ptr<Stream>> retired; ///< Their work may still run.
  std::vector<std::pair<VkSemaphore, uint64_t>> idleTimelines;

  Memory memory;
  std::unique_ptr<TimestampPool> timestamps;
  std::unique_ptr<Flusher> flusher;
};

} // namespace vulkan

struct TilerunPluginDevice {
  std::shared_ptr<vulkan::Context> context;
  std::shared_ptr<vulkan::Stream> stream; ///< The stream that a null handle means.
};
struct TilerunPluginStream {
  TilerunPluginDevice *device;
  std::shared_ptr<vulkan::Stream> stream;
};

namespace vulkan {

inline Stream &getStream(TilerunPluginDevice *device, TilerunPluginStream *stream) {
  return stream ? *stream->stream : *device->stream;
}
inline std::shared_ptr<Stream> shareStream(TilerunPluginDevice *device,
                                           TilerunPluginStream *stream) {
  return stream ? stream->stream : device->stream;
}

/// The targets of the devices that were enumerated so far; for get_targets.
std::vector<std::string> getKnownTargets();

/// The entries of the table, by file. Those of modules, launches and compiling are in Launch.h.
void addDeviceEntries(TilerunPlugin &table);
void addMemoryEntries(TilerunPlugin &table);
void addCopyEntries(TilerunPlugin &table);
void addStreamEntries(TilerunPlugin &table);
void addEventEntries(TilerunPlugin &table);

} // namespace vulkan
