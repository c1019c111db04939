// The one device of the plugin: identity, properties, opening and closing.
#include "plugins/cpu/Handles.h"
#include "plugins/cpu/Host.h"
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
                "there is no device " + std::to_string(ordinal) + ", only 0");
  if (options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context))
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "open_device", "there are no contexts to adopt");
  *device = new TilerunPluginDevice;
  return TILERUN_STATUS_OK;
}

static TilerunStatus getProperty(TilerunPluginDevice *device, uint32_t property,
                                 TilerunPropertyValue *value, const TilerunErrorSink *sink) {
  auto number = [&](uint64_t n) { return plugin_support::setValue(value, n); };
  auto string = [&](const char *text) { return plugin_support::setValue(value, text); };
  switch (property) {
  case TILERUN_DEVICE_PROPERTY_NAME:
    return string(kDeviceName);
  case TILERUN_DEVICE_PROPERTY_UUID:
    return string(kUuid);
  case TILERUN_DEVICE_PROPERTY_ARCH:
    return string("interpreter");
  case TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL:
    return number(getMemoryBytes());
  case TILERUN_DEVICE_PROPERTY_MEMORY_FREE:
    return number(getMemoryBytes() - getHeap().getLiveBytes());
  case TILERUN_DEVICE_PROPERTY_UNITS:
    return number(getNumCores());
  case TILERUN_DEVICE_PROPERTY_WARP_SIZE:
    return number(1);
  case TILERUN_DEVICE_PROPERTY_MAX_THREADS:
    return number(kMaxThreads);
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_X:
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Y:
  case TILERUN_DEVICE_PROPERTY_MAX_GRID_Z:
    return number(interp::kMaxGrid[property - TILERUN_DEVICE_PROPERTY_MAX_GRID_X]);
  case TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY:
  case TILERUN_DEVICE_PROPERTY_UNIFIED_MEMORY:
  case TILERUN_DEVICE_PROPERTY_LAUNCH_RANGES:
  case TILERUN_DEVICE_PROPERTY_FALLBACK:
    return number(1);
  }
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
