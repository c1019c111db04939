// Devices: identity, properties, state, opening and closing.
#include "tests/conformance/Suite.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::conformance;

static Outcome stableIdentity(Context &c) {
  std::string reason;
  std::vector<plugin::DeviceInfo> again = c.plugin.getDevices(reason);
  auto it = std::find_if(again.begin(), again.end(),
                         [&](const plugin::DeviceInfo &d) { return d.ordinal == c.info.ordinal; });
  EXPECT(it != again.end(), "a second enumeration lacks the device " + reason);
  EXPECT(it->id == c.info.id && it->uuid == c.info.uuid && it->target == c.info.target,
         "a second enumeration names the device otherwise");
  EXPECT(!c.info.id.empty() && !c.info.name.empty(), "an id or name is empty");
  EXPECT(c.info.target.find(':') != std::string::npos, "the target is not kind:arch");
  return {};
}

static Outcome uniqueIdentities(Context &c) {
  std::string reason;
  std::vector<plugin::DeviceInfo> devices = c.plugin.getDevices(reason);
  for (size_t i = 0; i < devices.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      EXPECT(devices[i].id != devices[k].id, "two devices share an id");
      EXPECT(devices[i].ordinal != devices[k].ordinal, "two devices share an ordinal");
      EXPECT(devices[i].uuid.empty() || devices[i].uuid != devices[k].uuid,
             "two devices share a UUID");
    }
  return {};
}

static Outcome properties(Context &c) {
  // One list drives the properties and this case.
  struct Property {
    uint32_t number, type;
    const char *name;
  };
  static const Property list[] = {
#define PROPERTY(name, number, type, word, unit) {number, TILERUN_VALUE_##type, word},
      TILERUN_DEVICE_PROPERTY_LIST(PROPERTY)
#undef PROPERTY
  };
  if (!c.table.get_device_property)
    return unsupported("the plugin has no get_device_property");
  for (const Property &property : list) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    TilerunStatus status = c.table.get_device_property(c.device, property.number, &value, c.sink());
    if (status == TILERUN_STATUS_UNSUPPORTED)
      continue; // A property may be unknown; the mandatory ones follow in their own case.
    TRY(c.judge(status, property.name));
    EXPECT(value.type == property.type, std::string("the type of ") + property.name);
    EXPECT(value.type != TILERUN_VALUE_STRING || value.string, property.name);
  }
  return {};
}

static Outcome getNumber(Context &c, uint32_t property, uint64_t &number) {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, property, &value);
  number = value.number;
  return {};
}

static Outcome mandatoryProperties(Context &c) {
  for (uint32_t property : {TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, TILERUN_DEVICE_PROPERTY_UNITS,
                            TILERUN_DEVICE_PROPERTY_WARP_SIZE, TILERUN_DEVICE_PROPERTY_MAX_THREADS,
                            TILERUN_DEVICE_PROPERTY_MAX_GRID_X, TILERUN_DEVICE_PROPERTY_MAX_GRID_Y,
                            TILERUN_DEVICE_PROPERTY_MAX_GRID_Z}) {
    uint64_t number = 0;
    Outcome outcome = getNumber(c, property, number);
    EXPECT(outcome.kind != Outcome::Kind::Unsupported, "a mandatory property is missing");
    TRY(outcome);
    EXPECT(number > 0, "property " + std::to_string(property) + " is 0");
  }
  return {};
}

static Outcome freeMemory(Context &c) {
  uint64_t total = 0, before = 0, after = 0;
  TRY(getNumber(c, TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, total));
  TRY(getNumber(c, TILERUN_DEVICE_PROPERTY_MEMORY_FREE, before));
  TilerunAddress address;
  TRY(c.allocate(uint64_t(64) << 20, address));
  CALL(c, synchronize_device, c.device);
  TRY(getNumber(c, TILERUN_DEVICE_PROPERTY_MEMORY_FREE, after));
  EXPECT(before <= total && after <= before, "free memory is not between 0 and the total");
  return {};
}

static Outcome unknownProperty(Context &c) {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  CALL_FAILS(c, TILERUN_STATUS_UNSUPPORTED, get_device_property, c.device, 1000000, &value);
  return {};
}

static Outcome unknownOrdinal(Context &c) {
  TilerunPluginDevice *device = nullptr;
  if (!c.table.open_device)
    return unsupported("the plugin has no open_device");
  TilerunStatus status = c.table.open_device(4096, nullptr, &device, c.sink());
  EXPECT(status == TILERUN_STATUS_UNAVAILABLE && !device,
         "opening device 4096 gives '" + plugin::getStatusName(status) + "'");
  const std::string message = c.takeError(status).message;
  EXPECT(message.find("4096") != std::string::npos, "the message does not name it: " + message);
  return {};
}

static Outcome openTwice(Context &c) {
  TilerunPluginDevice *second = nullptr;
  CALL(c, open_device, c.info.ordinal, nullptr, &second);
  // One handle's allocations outlive the other handle.
  TilerunAddress address;
  Outcome outcome = c.allocate(64, address);
  c.table.close_device(second);
  TRY(outcome);
  uint32_t value = 7, back = 0;
  TRY(c.write(address, &value, sizeof(value)));
  TRY(c.read(&back, address, sizeof(back)));
  EXPECT(back == value, "memory of one handle went with another");
  return {};
}

static Outcome reopen(Context &c) {
  c.release();
  for (int i = 0; i < 3; ++i) {
    TRY(c.open());
    TilerunAddress address;
    TRY(c.allocate(1024, address));
    c.release();
  }
  return {};
}

static Outcome state(Context &c) {
  CALL(c, get_device_state, c.device);
  return {};
}

static Outcome closeNull(Context &c) {
  if (c.table.close_device)
    c.table.close_device(nullptr);
  if (c.table.destroy_stream)
    c.table.destroy_stream(nullptr);
  if (c.table.destroy_event)
    c.table.destroy_event(nullptr);
  if (c.table.unload_module)
    c.table.unload_module(nullptr);
  if (c.table.release_artifact)
    c.table.release_artifact(nullptr);
  return {};
}

static Outcome adoptContext(Context &c) {
  uint64_t native = 0;
  CALL(c, get_native_context, c.device, &native);
  if (!native)
    return unsupported("the driver has no contexts");
  TilerunPluginOpenOptions options = {sizeof(options), 0, native};
  TilerunPluginDevice *adopted = nullptr;
  CALL(c, open_device, c.info.ordinal, &options, &adopted);
  uint64_t again = 0;
  TilerunStatus status = c.table.get_native_context(adopted, &again, c.sink());
  // Each can use the other's memory, as they share the context.
  TilerunAddress address = 0;
  if (!status)
    status = c.table.allocate(adopted, nullptr, 256, &address, c.sink());
  if (!status)
    status = c.table.fill(c.device, nullptr, address, 5, 4, 256, c.sink());
  if (!status)
    status = c.table.synchronize_device(c.device, c.sink());
  if (!status)
    status = c.table.free(adopted, nullptr, address, c.sink());
  c.table.close_device(adopted);
  TRY(c.judge(status, "the adopted context"));
  EXPECT(again == native, "the adopted device works in another context");
  // The owner's handle still works.
  CALL(c, synchronize_device, c.device);
  return {};
}

static Outcome targets(Context &c) {
  if (!c.table.get_targets)
    return unsupported("the plugin has no get_targets");
  std::vector<std::string> names = c.plugin.getTargets();
  EXPECT(!names.empty(), "the plugin names no target");
  EXPECT(std::find(names.begin(), names.end(), c.info.target) != names.end(),
         "the device's own target " + c.info.target + " is not among them");
  return {};
}

std::vector<Case> conformance::getDeviceCases() {
  return {{"devices", "stable-identity", stableIdentity},
          {"devices", "unique-identities", uniqueIdentities},
          {"devices", "properties", properties},
          {"devices", "mandatory-properties", mandatoryProperties},
          {"devices", "free-memory", freeMemory},
          {"devices", "unknown-property", unknownProperty},
          {"devices", "unknown-ordinal", unknownOrdinal},
          {"devices", "open-twice", openTwice},
          {"devices", "reopen", reopen},
          {"devices", "state", state},
          {"devices", "release-null", closeNull},
          {"devices", "adopt-context", adoptContext},
          {"devices", "targets", targets}};
}
