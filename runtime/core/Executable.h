// A kernel that is compiled and loaded on one device, and how its arguments are packed.
#pragma once

#include "runtime/core/Device.h"
#include "runtime/plugin/LaunchPlan.h"
#include "runtime/plugin/Trace.h"

#include <functional>
#include <mutex>
#include <vector>

namespace tilerun::core {

/// Most parameters that a kernel may have at run time; the packed bytes fit a buffer on the stack.
constexpr uint32_t kMaxParameters = 256;
constexpr uint32_t kMaxPackedBytes = kMaxParameters * 8;

class Executable {
public:
  struct Parameter {
    std::string name; ///< "" where it is not known.
    uint16_t kind, bits;
    uint32_t offset, bytes; ///< In the packed arguments.
  };

  /// Loads the kernel `name` of an artifact. COMPILE, INCOMPATIBLE, OUT_OF_MEMORY as the plugin
  /// says; INVALID_ARGUMENT if it needs more threads or shared memory than the device has.
  static Status load(Device &device, const TilerunPluginArtifact &artifact, const std::string &name,
                     std::shared_ptr<Executable> &executable);
  /// Waits for the device and unloads, unless the device did that already.
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  /// Makes code of the same kernel for arguments that this one's refuses.
  using MakeGeneral = std::function<Status(std::shared_ptr<Executable> &)>;
  /// Whether there are such arguments: negative sizes, or strides that no tensor map can have.
  bool hasRequirements() const { return plan && plan->hasRequirements(); }
  /// To be called by the first launch with such arguments. Before the first launch.
  void setGeneral(MakeGeneral make) { makeGeneral = std::move(make); }

  const std::string &getName() const { return name; }
  uint64_t getDeviceSerial() const { return deviceSerial; }
  uint32_t getThreads() const { return threads; }
  uint32_t getSharedBytes() const { return sharedBytes; }
  const std::vector<Parameter> &getParameters() const { return parameters; }
  uint32_t getPackedBytes() const { return packedBytes; }
  Status getProperty(uint32_t property, TilerunPropertyValue &value) const;

  /// INVALID_ARGUMENT if the device does not take the grid.
  Status checkGrid(const uint32_t grid[3]) const { return device.checkGrid(name, grid); }
  /// Puts one grid on a stream of the same device; `packed` has getPackedBytes(), `flags` are
  /// TILERUN_LAUNCH_*, `ranges` null or one for each parameter.
  [[gnu::always_inline]] Status launch(const Stream &stream, const uint32_t grid[3],
                                       const void *packed, uint32_t flags = 0,
                                       const TilerunMemoryRange *ranges = nullptr) const {
    TilerunPluginLaunch launch = makeLaunch(grid, packed, flags, ranges);
    if (plan || Trace::isOn()) [[unlikely]]
      return launchSlowly(stream, launch);
    return TILERUN_CALL(table, launch, kernel, stream.getHandle(), &launch);
  }

private:
  friend class Device;
  Executable(Device &device, std::string name);
  Status readInfo(const TilerunPluginKernelInfo &info, const TilerunPluginKernelDetails *details);
  [[gnu::always_inline]] TilerunPluginLaunch makeLaunch(const uint32_t grid[3], const void *packed,
                                                        uint32_t flags,
                                                        const TilerunMemoryRange *ranges) const {
    return {sizeof(TilerunPluginLaunch),
            {grid[0], grid[1], grid[2]},
            threads,
            sharedBytes,
            packed,
            packedBytes,
            flags,
            0,
            ranges,
            nullptr,
            {},
            0};
  }
  /// Of a kernel with a plan, or while a trace is recorded.
  Status launchSlowly(const Stream &stream, TilerunPluginLaunch &launch) const;
  /// Completes the launch by the plan, if there is one.
  Status launchUnrecorded(const Stream &stream, TilerunPluginLaunch &launch) const;
  Status launchGeneral(const Stream &stream, TilerunPluginLaunch &launch) const;
  void unload(); ///< Under the lock of `modules`, with the device's work done.

  Device &device; ///< May be gone once `module` is null.
  const TilerunPlugin &table;
  const uint64_t deviceSerial;
  std::shared_ptr<Device::Modules> modules;
  TilerunPluginModule *module = nullptr;
  TilerunPluginKernel *kernel = nullptr;
  std::string name;
  uint32_t threads = 0, sharedBytes = 0, packedBytes = 0;
  std::vector<Parameter> parameters;
  std::unique_ptr<const plugin::LaunchPlan> plan; ///< Null for an ordinary kernel.
  MakeGeneral makeGeneral;                        ///< None: such launches are refused.
  mutable std::mutex generalMutex;                ///< Guards `general`.
  mutable std::shared_ptr<Executable> general;
};

} // namespace tilerun::core
