// The entries for streams.
#include "plugins/vulkan/Device.h"
#include "plugins/vulkan/Launch.h"

#include <algorithm>

using namespace vulkan;

namespace {

TilerunStatus createStream(TilerunPluginDevice *device, TilerunPluginStream **out,
                           const TilerunErrorSink *sink) {
  std::shared_ptr<Stream> stream;
  TILERUN_PLUGIN_TRY(Stream::create(*device->context, stream, sink));
  *out = new TilerunPluginStream{device, std::move(stream)};
  return TILERUN_STATUS_OK;
}

// Vulkan has no streams; the native handle is that of the plugin's own object.
TilerunStatus getNativeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                              uint64_t *native, const TilerunErrorSink *) {
  *native = reinterpret_cast<uint64_t>(&getStream(device, stream));
  return TILERUN_STATUS_OK;
}

TilerunStatus adoptStream(TilerunPluginDevice *device, uint64_t native, TilerunPluginStream **out,
                          const TilerunErrorSink *sink) {
  Context &context = *device->context;
  VK_ENTER(context, sink, "adopt_stream");
  for (std::shared_ptr<Stream> &stream : context.getStreams())
    if (reinterpret_cast<uint64_t>(stream.get()) == native) {
      *out = new TilerunPluginStream{device, std::move(stream)};
      return TILERUN_STATUS_OK;
    }
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "adopt_stream", context,
              "the native stream did not come from get_native_stream of this device; a VkQueue of "
              "the caller cannot be adopted, because only one thread at a time may use a queue");
}

void destroyStream(TilerunPluginStream *stream) {
  if (!stream)
    return;
  // The caller has released nothing of the device before its streams.
  Context &context = *stream->device->context;
  std::shared_ptr<Stream> ended = std::move(stream->stream);
  delete stream;
  context.retire(std::move(ended));
}

TilerunStatus synchronizeStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                                const TilerunErrorSink *sink) {
  Stream &each = getStream(device, stream);
  TILERUN_PLUGIN_TRY(each.wait(sink));
  return takeReports(each, sink);
}

TilerunStatus queryStream(TilerunPluginDevice *device, TilerunPluginStream *stream,
                          const TilerunErrorSink *sink) {
  Stream &each = getStream(device, stream);
  TILERUN_PLUGIN_TRY(each.query(sink));
  return takeReports(each, sink);
}

} // namespace

void vulkan::addStreamEntries(TilerunPlugin &table) {
  table.create_stream = createStream;
  table.adopt_stream = adoptStream;
  table.get_native_stream = getNativeStream;
  table.destroy_stream = destroyStream;
  table.synchronize_stream = synchronizeStream;
  table.query_stream = queryStream;
}
