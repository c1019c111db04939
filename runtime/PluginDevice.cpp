// The adapter from the C ABI to the C++ interface.
#include "runtime/PluginDevice.h"

#include "runtime/plugin/Discovery.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <bit>
#include <mutex>

using namespace tilerun;
using plugin::ErrorKeeper;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static DeviceErrorKind getKind(TilerunStatus status) {
  switch (status) {
  case TILERUN_STATUS_INVALID_ARGUMENT:
    return DeviceErrorKind::InvalidArgument;
  case TILERUN_STATUS_UNAVAILABLE:
  case TILERUN_STATUS_UNSUPPORTED:
    return DeviceErrorKind::Unavailable;
  case TILERUN_STATUS_OUT_OF_MEMORY:
    return DeviceErrorKind::OutOfMemory;
  case TILERUN_STATUS_COMPILE:
  case TILERUN_STATUS_INCOMPATIBLE:
  case TILERUN_STATUS_NOT_FOUND:
    return DeviceErrorKind::Compile;
  case TILERUN_STATUS_FAULT:
  case TILERUN_STATUS_DEVICE_LOST:
  case TILERUN_STATUS_DRIVER:
    return DeviceErrorKind::Fault;
  default:
    return DeviceErrorKind::Internal;
  }
}

static llvm::Error makeError(ErrorKeeper &errors, TilerunStatus status) {
  return makeDeviceError(getKind(status), errors.take(status).message);
}

/// Calls an entry of the table `t`; a failure, or an entry that is not there, ends the function.
#define TILERUN_CALL(t, entry, ...)                                                                \
  do {                                                                                             \
    if (!(t).entry)                                                                                \
      return makeDeviceError(DeviceErrorKind::Unavailable,                                         \
                             llvm::Twine("plugin '") + (t).name + "' has no " #entry);             \
    ErrorKeeper errors_;                                                                           \
    if (TilerunStatus status_ = (t).entry(__VA_ARGS__, errors_.getSink()))                         \
      return makeError(errors_, status_);                                                          \
  } while (false)

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

struct Parameter {
  uint16_t kind, bits;
};

class PluginKernel : public DeviceKernel {
public:
  PluginKernel(const TilerunPlugin &table, std::shared_ptr<TilerunPluginDevice> device,
               TilerunPluginModule *module, TilerunPluginKernel *kernel,
               const TilerunPluginKernelInfo &info)
      : table(table), device(std::move(device)), module(module), kernel(kernel), name(info.name),
        threads(info.threads), sharedBytes(info.shared_bytes) {
    for (uint32_t i = 0; i < info.num_parameters; ++i)
      parameters.push_back({info.parameters[i].kind, info.parameters[i].bits});
  }
  ~PluginKernel() override { table.unload_module(module); }
  llvm::StringRef getName() const override { return name; }
  size_t getNumArguments() const override { return parameters.size(); }

  /// The packed bytes of a launch.
  llvm::Expected<std::vector<uint8_t>> pack(llvm::ArrayRef<LaunchArgument> arguments) const;

  const TilerunPlugin &table;
  std::shared_ptr<TilerunPluginDevice> device; // Closed after the last kernel is unloaded.
  TilerunPluginModule *module;
  TilerunPluginKernel *kernel;
  std::string name;
  uint32_t threads, sharedBytes;
  std::vector<Parameter> parameters;
};

// The bits of a double in a narrower format; 16 bits are IEEE half precision.
uint64_t convertFloat(uint64_t bits, unsigned width) {
  double value = std::bit_cast<double>(bits);
  if (width == 64)
    return bits;
  if (width == 32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  llvm::APFloat half(value);
  bool lossy;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return half.bitcastToAPInt().getZExtValue();
}

llvm::Expected<std::vector<uint8_t>>
PluginKernel::pack(llvm::ArrayRef<LaunchArgument> arguments) const {
  if (arguments.size() != parameters.size())
    return makeDeviceError(DeviceErrorKind::InvalidArgument,
                           "kernel '" + name + "' takes " + llvm::Twine(parameters.size()) +
                               " arguments, " + llvm::Twine(arguments.size()) + " were given");
  std::vector<uint8_t> packed;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const Parameter &parameter = parameters[index];
    using Kind = LaunchArgument::Kind;
    Kind wanted = parameter.kind == TILERUN_ARGUMENT_POINTER ? Kind::Pointer
                  : parameter.kind == TILERUN_ARGUMENT_FLOAT ? Kind::Float
                                                             : Kind::Integer;
    if (argument.kind != wanted) {
      static constexpr const char *kNames[] = {"a pointer", "an integer",
                                               "a floating-point number"};
      return makeDeviceError(DeviceErrorKind::InvalidArgument,
                             "kernel '" + name + "': argument " + llvm::Twine(index) + " is " +
                                 kNames[static_cast<int>(argument.kind)] + ", the parameter is " +
                                 kNames[static_cast<int>(wanted)]);
    }
    uint64_t bits =
        argument.kind == Kind::Float ? convertFloat(argument.bits, parameter.bits) : argument.bits;
    if (parameter.bits == 1)
      bits &= 1;
    size_t bytes = std::max(parameter.bits / 8, 1);
    packed.resize(llvm::alignTo(packed.size(), bytes));
    // Little-endian, as every host and device here.
    for (size_t i = 0; i < bytes; ++i)
      packed.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
  return packed;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

// An artifact with its release.
class Artifact {
public:
  Artifact(const TilerunPlugin &table) : table(table) {}
  ~Artifact() {
    if (artifact)
      table.release_artifact(artifact);
  }
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;
  const TilerunPlugin &table;
  const TilerunPluginArtifact *artifact = nullptr;
};

class PluginDevice : public Device {
public:
  PluginDevice(std::shared_ptr<const plugin::Plugin> plugin,
               std::shared_ptr<TilerunPluginDevice> device, const plugin::DeviceInfo &info)
      : plugin(std::move(plugin)), table(this->plugin->getTable()), device(std::move(device)),
        target(info.target) {
    properties.id = info.id;
    properties.name = info.name;
    properties.arch = llvm::StringRef(info.target).split(':').second.str();
    properties.memoryBytes = getNumber(TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, 0);
    properties.numUnits = static_cast<unsigned>(getNumber(TILERUN_DEVICE_PROPERTY_UNITS, 1));
    properties.warpSize = static_cast<unsigned>(getNumber(TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1));
    for (unsigned axis = 0; axis < 3; ++axis)
      properties.maxGrid[axis] =
          getNumber(TILERUN_DEVICE_PROPERTY_MAX_GRID_X + axis, properties.maxGrid[axis]);
  }

  const DeviceProperties &getProperties() const override { return properties; }

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes, llvm::StringRef) override {
    TilerunAddress address = 0;
    TILERUN_CALL(table, allocate, device.get(), nullptr, bytes, &address);
    std::lock_guard lock(mutex);
    sizes[address] = bytes;
    return address;
  }
  llvm::Error free(DeviceAddress address) override {
    {
      std::lock_guard lock(mutex);
      if (!sizes.erase(address))
        return makeDeviceError(DeviceErrorKind::InvalidArgument, "free on " + properties.id +
                                                                     ": no allocation begins at " +
                                                                     llvm::Twine(address));
    }
    TILERUN_CALL(table, free, device.get(), nullptr, address);
    return llvm::Error::success();
  }
  llvm::Error copyIn(DeviceAddress to, llvm::ArrayRef<uint8_t> from) override {
    TILERUN_CALL(table, copy_to_device, device.get(), nullptr, to, from.data(), from.size());
    return synchronize();
  }
  llvm::Error copyOut(llvm::MutableArrayRef<uint8_t> to, DeviceAddress from) override {
    TILERUN_CALL(table, copy_from_device, device.get(), nullptr, to.data(), from, to.size());
    return synchronize();
  }
  llvm::Error poison(DeviceAddress address) override {
    uint64_t bytes = 0;
    {
      std::lock_guard lock(mutex);
      auto it = sizes.find(address);
      if (it == sizes.end())
        return makeDeviceError(DeviceErrorKind::InvalidArgument, "poison on " + properties.id +
                                                                     ": no allocation begins at " +
                                                                     llvm::Twine(address));
      bytes = it->second;
    }
    // All bits set are a NaN in every format.
    TILERUN_CALL(table, fill, device.get(), nullptr, address, 0xFF, 1, bytes);
    return synchronize();
  }

  llvm::Expected<std::unique_ptr<DeviceKernel>> load(llvm::ArrayRef<uint8_t> bytecode,
                                                     llvm::StringRef name) override {
    return loadWith(bytecode, name, {});
  }
  llvm::Expected<std::unique_ptr<DeviceKernel>> loadWith(llvm::ArrayRef<uint8_t> bytecode,
                                                         llvm::StringRef name,
                                                         const LoadOptions &options) override;
  llvm::Expected<LaunchResult> launch(DeviceKernel &kernel,
                                      llvm::ArrayRef<LaunchArgument> arguments,
                                      const LaunchOptions &options) override;

private:
  llvm::Error synchronize() {
    TILERUN_CALL(table, synchronize_stream, device.get(), nullptr);
    return llvm::Error::success();
  }
  uint64_t getNumber(uint32_t property, uint64_t otherwise) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    if (!table.get_device_property ||
        table.get_device_property(device.get(), property, &value, nullptr) ||
        value.type != TILERUN_VALUE_U64)
      return otherwise;
    return value.number;
  }

  std::shared_ptr<const plugin::Plugin> plugin;
  const TilerunPlugin &table;
  std::shared_ptr<TilerunPluginDevice> device;
  std::string target;
  DeviceProperties properties;
  std::mutex mutex; // Guards `sizes`.
  std::map<DeviceAddress, uint64_t> sizes;
};

llvm::Expected<std::unique_ptr<DeviceKernel>>
PluginDevice::loadWith(llvm::ArrayRef<uint8_t> bytecode, llvm::StringRef name,
                       const LoadOptions &loadOptions) {
  Artifact artifact(table);
  std::string numWarps = std::to_string(loadOptions.numWarps);
  std::string numStages = std::to_string(loadOptions.numStages);
  const TilerunPluginOption options[] = {{"num-warps", numWarps.c_str()},
                                         {"num-stages", numStages.c_str()},
                                         {"debug", loadOptions.debug ? "true" : "false"}};
  TilerunPluginCompileRequest request = {sizeof(request), std::size(options), bytecode.data(),
                                         bytecode.size(), target.c_str(),     options};
  TILERUN_CALL(table, compile, &request, &artifact.artifact);
  const TilerunPluginKernelInfo *info = nullptr;
  for (uint32_t i = 0; i < artifact.artifact->num_kernels; ++i)
    if (name == artifact.artifact->kernels[i].name)
      info = &artifact.artifact->kernels[i];
  if (!info)
    return makeDeviceError(DeviceErrorKind::Internal, "the artifact that " + properties.id +
                                                          " compiled has no kernel '" + name + "'");
  TilerunPluginModule *module = nullptr;
  TILERUN_CALL(table, load_module, device.get(), artifact.artifact, &module);
  TilerunPluginKernel *kernel = nullptr;
  ErrorKeeper errors;
  if (TilerunStatus status = table.get_kernel(module, info->name, &kernel, errors.getSink())) {
    table.unload_module(module);
    return makeError(errors, status);
  }
  return std::make_unique<PluginKernel>(table, device, module, kernel, *info);
}

// The events around a launch.
class Timer {
public:
  explicit Timer(const TilerunPlugin &table) : table(table) {}
  ~Timer() {
    for (TilerunPluginEvent *event : events)
      if (event)
        table.destroy_event(event);
  }
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;
  const TilerunPlugin &table;
  TilerunPluginEvent *events[2] = {};
};

llvm::Expected<LaunchResult> PluginDevice::launch(DeviceKernel &deviceKernel,
                                                  llvm::ArrayRef<LaunchArgument> arguments,
                                                  const LaunchOptions &options) {
  auto &kernel = static_cast<PluginKernel &>(deviceKernel);
  if (options.checks.any())
    return makeDeviceError(DeviceErrorKind::InvalidArgument,
                           "device '" + properties.id + "' cannot check launches");
  llvm::Expected<std::vector<uint8_t>> packed = kernel.pack(arguments);
  if (!packed)
    return packed.takeError();
  TilerunPluginLaunch launch = {};
  launch.struct_size = sizeof(launch);
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (options.grid[axis] == 0 || options.grid[axis] > properties.maxGrid[axis])
      return makeDeviceError(DeviceErrorKind::InvalidArgument,
                             "kernel '" + kernel.name + "': the grid has " +
                                 llvm::Twine(options.grid[axis]) + " programs on axis " +
                                 llvm::Twine(axis) + "; " + properties.id + " takes 1 to " +
                                 llvm::Twine(properties.maxGrid[axis]));
    launch.grid[axis] = static_cast<uint32_t>(options.grid[axis]);
  }
  launch.threads = kernel.threads;
  launch.shared_bytes = kernel.sharedBytes;
  launch.arguments = packed->data();
  launch.num_bytes = packed->size();
  Timer timer(table);
  for (TilerunPluginEvent *&event : timer.events)
    TILERUN_CALL(table, create_event, device.get(), TILERUN_EVENT_TIMING, &event);
  TILERUN_CALL(table, record_event, timer.events[0], nullptr);
  TILERUN_CALL(table, launch, kernel.kernel, nullptr, &launch);
  TILERUN_CALL(table, record_event, timer.events[1], nullptr);
  if (llvm::Error error = synchronize())
    return error;
  double milliseconds = 0;
  TILERUN_CALL(table, elapsed_time, timer.events[0], timer.events[1], &milliseconds);
  LaunchResult result;
  result.seconds = milliseconds / 1000;
  return result;
}

} // namespace

llvm::Expected<std::unique_ptr<Device>>
tilerun::openPluginDevice(std::shared_ptr<const plugin::Plugin> plugin,
                          const plugin::DeviceInfo &info) {
  const TilerunPlugin &table = plugin->getTable();
  TilerunPluginDevice *handle = nullptr;
  TILERUN_CALL(table, open_device, info.ordinal, nullptr, &handle);
  // Kernels may outlive the device object, and keep the plugin's handle open.
  std::shared_ptr<TilerunPluginDevice> device(
      handle, [plugin](TilerunPluginDevice *d) { plugin->getTable().close_device(d); });
  return std::make_unique<PluginDevice>(plugin, std::move(device), info);
}

void tilerun::addPluginDevices(DeviceRegistry &registry) {
  llvm::StringSet<> names;
  // Under the plugin's name, or the file's where another plugin has taken that.
  auto addAbsent = [&](std::string id, const std::string &path, std::string reason) {
    if (!names.insert(id).second)
      id = path;
    registry.add(std::move(id), [reason]() -> llvm::Expected<std::unique_ptr<Device>> {
      return makeDeviceError(DeviceErrorKind::Unavailable, reason);
    });
  };
  for (plugin::FoundPlugin &found :
       plugin::discoverPlugins(plugin::DiscoveryOptions::fromEnvironment())) {
    if (!found.plugin) {
      // Under the name that its file claims.
      llvm::StringRef name = llvm::sys::path::stem(found.path);
      name.consume_front("libtilerun-");
      addAbsent(name.str(), found.path, "plugin '" + found.path + "' was skipped: " + found.reason);
      continue;
    }
    std::string reason;
    std::vector<plugin::DeviceInfo> devices = found.plugin->getDevices(reason);
    if (devices.empty())
      addAbsent(found.plugin->getName(), found.path, reason);
    names.insert(found.plugin->getName());
    for (const plugin::DeviceInfo &info : devices)
      registry.add(info.id,
                   [plugin = found.plugin, info] { return openPluginDevice(plugin, info); });
  }
}
