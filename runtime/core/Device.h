// An open device of a plugin: its limits, memory pool, own stream and loaded modules.
#pragma once

#include "runtime/core/Status.h"

#include <atomic>
#include <mutex>
#include <set>

namespace tilerun::core {

class Executable;
class MemoryPool;
class Stream;

struct DeviceOptions {
  bool usePool = true;
  bool hostMemory = false;     ///< Launches may point to any memory of the host.
  uint64_t foreignContext = 0; ///< 0: the plugin's choice.
};

class Device : public std::enable_shared_from_this<Device> {
public:
  /// Opens a device that the plugin listed.
  static Status open(std::shared_ptr<const plugin::Plugin> plugin, const plugin::DeviceInfo &info,
                     const DeviceOptions &options, std::shared_ptr<Device> &device);
  /// Waits for its work, unloads modules, frees the pool, closes.
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const plugin::Plugin &getPlugin() const { return *plugin; }
  const TilerunPlugin &getTable() const { return table; }
  TilerunPluginDevice *getHandle() const { return handle; }
  const plugin::DeviceInfo &getInfo() const { return info; }
  const std::string &getId() const { return info.id; }
  /// Never given twice in a process.
  uint64_t getSerial() const { return serial; }

  struct Limits {
    uint32_t maxGrid[3] = {2147483647, 65535, 65535};
    uint32_t maxThreads = UINT32_MAX;
    uint64_t maxShared = UINT64_MAX;
  };
  const Limits &getLimits() const { return limits; }
  /// INVALID_ARGUMENT if the device does not take the grid of a kernel of this name.
  Status checkGrid(const std::string &kernel, const uint32_t grid[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (grid[axis] - 1 >= limits.maxGrid[axis]) [[unlikely]]
        return makeGridError(kernel, axis, grid[axis]);
    return {};
  }

  Status getProperty(uint32_t property, TilerunPropertyValue &value) const;
  /// A number, or `otherwise` where the device lacks it.
  uint64_t getNumber(uint32_t property, uint64_t otherwise) const;
  Status getState() const;
  Status getNativeContext(uint64_t &context) const;
  Status synchronize() const;

  /// Whether launches may point to any memory of the host, which the device shares.
  bool usesHostMemory() const { return sharesHost; }
  /// Whether the host's own cores run its kernels, so that other work of the host slows them.
  bool runsOnHost() const { return isHost; }
  /// Whether launches pass the extents of the memory behind their pointers, to check accesses.
  bool checksBounds() const { return isChecking; }
  /// Whether launches are specialized on whether the memory behind pointers is small.
  bool usesSmall() const { return isSmallUsed; }

  Stream &getDefaultStream() const { return *defaultStream; }
  MemoryPool &getPool() const { return *pool; }

  /// Host memory; any that remains is freed with the device.
  Status allocateHost(uint64_t bytes, void *&pointer);
  Status freeHost(void *pointer);

  /// The modules that are loaded here, so that they can be unloaded before the device is closed.
  /// Shared with each Executable, which may outlive the device.
  struct Modules {
    std::mutex mutex;
    std::set<Executable *> alive;
  };
  const std::shared_ptr<Modules> &getModules() const { return modules; }

private:
  Device(std::shared_ptr<const plugin::Plugin> plugin, const plugin::DeviceInfo &info);
  void readLimits();
  Status makeGridError(const std::string &kernel, int axis, uint64_t programs) const;

  const std::shared_ptr<const plugin::Plugin> plugin;
  const TilerunPlugin &table;
  const plugin::DeviceInfo info;
  const uint64_t serial;
  TilerunPluginDevice *handle = nullptr;
  Limits limits;
  std::shared_ptr<Modules> modules = std::make_shared<Modules>();
  std::unique_ptr<Stream> defaultStream;
  std::unique_ptr<MemoryPool> pool;
  bool sharesHost = false, isChecking = false, isHost = false, isSmallUsed = false;
  std::mutex hostMutex; ///< Guards `hostMemory`.
  std::set<void *> hostMemory;
};

/// A stream of a device. Releasing it while it is used is the caller's error.
class Stream {
public:
  static Status create(std::shared_ptr<Device> device, std::unique_ptr<Stream> &stream);
  static Status adopt(std::shared_ptr<Device> device, uint64_t native,
                      std::unique_ptr<Stream> &stream);
  /// The device's own, which it owns.
  explicit Stream(Device &device) : device(device) {}
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  Device &getDevice() const { return device; }
  TilerunPluginStream *getHandle() const { return handle; }
  bool isDefault() const { return !keep; }

  Status getNative(uint64_t &native) const;
  Status synchronize() const;
  Status query() const;

  Status copyToDevice(TilerunAddress to, const void *from, uint64_t bytes) const;
  Status copyFromDevice(void *to, TilerunAddress from, uint64_t bytes) const;
  Status copyOnDevice(TilerunAddress to, TilerunAddress from, uint64_t bytes) const;
  Status fill(TilerunAddress to, uint32_t pattern, uint32_t patternBytes, uint64_t bytes) const;
  /// From memory of another device, in the order of both streams.
  Status copyFrom(const Stream &source, TilerunAddress to, TilerunAddress from,
                  uint64_t bytes) const;

private:
  Stream(std::shared_ptr<Device> keep, TilerunPluginStream *handle)
      : device(*keep), handle(handle), keep(std::move(keep)) {}
  /// INVALID_ARGUMENT if a range leaves its allocation in the pool.
  Status checkRange(const char *what, TilerunAddress address, uint64_t bytes) const;
  Status copyStaged(const Stream &source, TilerunAddress to, TilerunAddress from,
                    uint64_t bytes) const;
  /// Makes later work of this stream wait for the work so far of another.
  Status waitFor(const Stream &other) const;

  Device &device;
  TilerunPluginStream *handle = nullptr;
  std::shared_ptr<Device> keep; ///< Null for the device's own.
};

class Event {
public:
  static Status create(std::shared_ptr<Device> device, uint32_t flags,
                       std::unique_ptr<Event> &event);
  ~Event();
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  Device &getDevice() const { return *device; }
  TilerunPluginEvent *getHandle() const { return handle; }
  Status record(const Stream &stream) const;
  Status wait(const Stream &stream) const; ///< The stream waits for the event.
  Status synchronize() const;
  Status query() const;
  static Status getElapsed(const Event &start, const Event &end, double &milliseconds);

private:
  Event(std::shared_ptr<Device> device, TilerunPluginEvent *handle)
      : device(std::move(device)), handle(handle) {}
  std::shared_ptr<Device> device;
  TilerunPluginEvent *handle;
};

} // namespace tilerun::core
