// The one device of the plugin: identity, properties, opening and closing.
#include "plugins/cpu/Handles.h"
#include "plugins/cpu/Host.h"
#include "plugins/support/Error.h"
#include "plugins/support/Property.h"

using namespace tilerun;
using namespace tilerun::cpu;

static constexpr const char *kUuid = "cpu:host";

static TilerunStatus getDevices(TilerunDeviceCallback each, void *user, const TilerunErrorSink *) {
  TilerunPluginDeviceInfo info = {sizeof(info), 0, kDeviceId, kUuid, kDeviceName, kTarget};
  each(user, &info);
  return TILERUN_STATUS_OK;
}

static TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                                TilerunPluginDevice **device, const TilerunErrorSink *sink) {
  if (ordinal != 0)
    return fail(sink, TILERUN_STATUS_UNAVAILABLE, "open_device",
                plugin_support::describeMissingDevice(ordinal, 1));
  if (options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context))
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "open_device",
                "the device has no contexts that could be adopted");
  *device = new TilerunPluginDevice;
  return TILERUN_STATUS_OK;
}

static TilerunStatus getProperty(TilerunPluginDevice *device, uint32_t property,
                                 TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  const std::pair<uint32_t, const char *> texts[] = {{TILERUN_DEVICE_PROPERTY_NAME, kDeviceName},
                                                     {TILERUN_DEVICE_PROPERTY_UUID, kUuid},
                                                     {TILERUN_DEVICE_PROPERTY_ARCH, "interpreter"}};
  for (auto [known, text] : texts)
    if (property == known)
      return plugin_support::setValue(value, text);
  const std::pair<uint32_t, uint64_t> numbers[] = {
      {TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, getMemoryBytes()},
      {TILERUN_DEVICE_PROPERTY_MEMORY_FREE, getMemoryBytes() - getHeap().getLiveBytes()},
      {TILERUN_DEVICE_PROPERTY_UNITS, getNumCores()},
      {TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1},
      {TILERUN_DEVICE_PROPERTY_MAX_THREADS, kMaxThreads},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_X, interp::kMaxGrid[0]},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Y, interp::kMaxGrid[1]},
      {TILERUN_DEVICE_PROPERTY_MAX_GRID_Z, interp::kMaxGrid[2]},
      {TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY, 1},
      {TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY, 1},
      {TILERUN_DEVICE_PROPERTY_LAUNCH_RANGES, 1},
      {TILERUN_DEVICE_PROPERTY_FALLBACK, 1},
      {TILERUN_DEVICE_PROPERTY_SURVIVES_FORK, 1},
      {TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST, 1}};
  for (auto [known, number] : numbers)
    if (property == known)
      return plugin_support::setValue(value, number);
  return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_device_property",
              "no property " + std::to_string(property));
}

static TilerunStatus synchronize(TilerunPluginDevice *device, const TilerunErrorSink *sink) {
  std::vector<std::shared_ptr<Stream>> streams = {device->stream};
  Fault fault;
  {
    std::lock_guard lock(device->mutex);
    streams.insert(streams.end(), device->streams.begin(), device->streams.end());
    fault = std::exchange(device->fault, {});
  }
  for (const std::shared_ptr<Stream> &stream : streams) {
    // Another thread may have work in flight.
    std::lock_guard running(stream->running);
    fault.add(takeFault(*stream));
  }
  CPU_ENTER(device, sink, "synchronize_device");
  return fault.report(sink, "synchronize_device");
}

void cpu::addDeviceEntries(TilerunPlugin &table) {
  table.get_devices = getDevices;
  table.open_device = openDevice;
  table.close_device = [](TilerunPluginDevice *device) { delete device; };
  table.get_device_state = [](TilerunPluginDevice *device,
                              const TilerunErrorSink *sink) -> TilerunStatus {
    return checkAlive(device, "get_device_state", sink);
  };
  table.get_device_property = getProperty;
  table.synchronize_device = synchronize;
}
