// Opening and closing of devices, their properties and host memory.
#include "runtime/core/Device.h"

#include "runtime/core/Executable.h"
#include "runtime/core/MemoryPool.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::core;

static uint64_t getNextSerial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Device::Device(std::shared_ptr<const plugin::Plugin> plugin, const plugin::DeviceInfo &info)
    : plugin(std::move(plugin)), table(this->plugin->getTable()), info(info),
      serial(getNextSerial()) {}

Status Device::open(std::shared_ptr<const plugin::Plugin> plugin, const plugin::DeviceInfo &info,
                    const DeviceOptions &options, std::shared_ptr<Device> &out) {
  std::shared_ptr<Device> device(new Device(std::move(plugin), info));
  device->sharesHost = options.hostMemory;
  TilerunPluginOpenOptions open = {sizeof(open), 0, options.foreignContext};
  TILERUN_TRY(TILERUN_CALL(device->table, open_device, info.ordinal, &open, &device->handle));
  device->isChecking = device->getNumber(TILERUN_DEVICE_PROPERTY_LAUNCH_RANGES, 0) != 0;
  device->isSmallUsed = device->getNumber(TILERUN_DEVICE_PROPERTY_USES_SMALL, 0) != 0;
  if (options.hostMemory && !device->isChecking)
    return Status(TILERUN_STATUS_UNSUPPORTED,
                  info.id + " cannot use the host's memory: allocate on the device, and copy");
  if (!device->getNumber(TILERUN_DEVICE_PROPERTY_SURVIVES_FORK, 0))
    noteOpened(device->table, info.id);
  device->readLimits();
  device->defaultStream = std::make_unique<Stream>(*device);
  device->pool = std::make_unique<MemoryPool>(*device, options.usePool);
  out = std::move(device);
  return {};
}

Device::~Device() {
  if (!handle)
    return;
  const bool isParents = isInherited(table);
  // A failure shows in the state; no caller is left to report it to.
  (void)synchronize();
  {
    std::lock_guard lock(modules->mutex);
    for (Executable *executable : modules->alive)
      executable->unload();
    modules->alive.clear();
  }
  pool.reset();
  for (void *pointer : hostMemory)
    (void)TILERUN_CALL(table, free_host, handle, pointer);
  defaultStream.reset();
  if (table.close_device && !isParents)
    table.close_device(handle);
}

void Device::readLimits() {
  for (uint32_t axis = 0; axis < 3; ++axis)
    limits.maxGrid[axis] = static_cast<uint32_t>(std::min<uint64_t>(
        getNumber(TILERUN_DEVICE_PROPERTY_MAX_GRID_X + axis, limits.maxGrid[axis]), UINT32_MAX));
  limits.maxThreads = static_cast<uint32_t>(std::min<uint64_t>(
      getNumber(TILERUN_DEVICE_PROPERTY_MAX_THREADS, limits.maxThreads), UINT32_MAX));
  limits.maxShared = getNumber(TILERUN_DEVICE_PROPERTY_MAX_SHARED, limits.maxShared);
  isHost = getNumber(TILERUN_DEVICE_PROPERTY_RUNS_ON_HOST, 0) != 0;
}

Status Device::makeGridError(const std::string &kernel, int axis, uint64_t programs) const {
  return Status::invalid("kernel '" + kernel + "': the grid has " + std::to_string(programs) +
                         " programs on axis " + std::to_string(axis) + "; " + getId() +
                         " takes 1 to " + std::to_string(limits.maxGrid[axis]));
}

Status Device::getProperty(uint32_t property, TilerunPropertyValue &value) const {
  return TILERUN_CALL(table, get_device_property, handle, property, &value);
}

uint64_t Device::getNumber(uint32_t property, uint64_t otherwise) const {
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  bool known = getProperty(property, value).isOk() && value.type == TILERUN_VALUE_U64;
  return known ? value.number : otherwise;
}

Status Device::getState() const {
  // Without the entry, a device of that plugin cannot be lost.
  if (!table.get_device_state)
    return {};
  return TILERUN_CALL(table, get_device_state, handle);
}

Status Device::getNativeContext(uint64_t &context) const {
  return TILERUN_CALL(table, get_native_context, handle, &context);
}

Status Device::synchronize() const { return TILERUN_CALL(table, synchronize_device, handle); }

Status Device::allocateHost(uint64_t bytes, void *&pointer) {
  void *memory = nullptr;
  TILERUN_TRY(TILERUN_CALL(table, allocate_host, handle, bytes, &memory));
  std::lock_guard lock(hostMutex);
  hostMemory.insert(memory);
  pointer = memory;
  return {};
}

Status Device::freeHost(void *pointer) {
  if (!pointer)
    return {};
  {
    std::lock_guard lock(hostMutex);
    if (!hostMemory.erase(pointer))
      return Status::invalid("free of host memory on " + getId() +
                             ": the pointer was not allocated there, or is free already");
  }
  return TILERUN_CALL(table, free_host, handle, pointer);
}
