// The adapter from the runtime's core to the C++ interface: errors and arguments are translated,
// everything else is core's. The pool is off, so that memory checkers see each tensor by itself.
#include "runtime/PluginDevice.h"

#include "runtime/cache/PluginArtifacts.h"
#include "runtime/core/Arguments.h"
#include "runtime/core/MemoryPool.h"
#include "runtime/plugin/Discovery.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace tilerun;

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

static llvm::Error toError(const core::Status &status) {
  if (status.isOk())
    return llvm::Error::success();
  return makeDeviceError(getKind(status.getCode()), status.getMessage());
}

/// Ends the function with the failure of `expression`, a core::Status.
#define TILERUN_TRY_CORE(expression)                                                               \
  do {                                                                                             \
    if (const core::Status &status_ = (expression); !status_.isOk())                               \
      return toError(status_);                                                                     \
  } while (false)

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class PluginKernel : public DeviceKernel {
public:
  PluginKernel(std::shared_ptr<core::Device> device, std::shared_ptr<core::Executable> executable)
      : device(std::move(device)), executable(std::move(executable)) {}
  llvm::StringRef getName() const override { return executable->getName(); }
  size_t getNumArguments() const override { return executable->getParameters().size(); }

  /// Writes the packed bytes of a launch.
  llvm::Error pack(llvm::ArrayRef<LaunchArgument> arguments, llvm::MutableArrayRef<uint8_t> packed);

  std::shared_ptr<core::Device> device; // Closed after the last kernel is unloaded.
  std::shared_ptr<core::Executable> executable;
};

// The bits of a double in a narrower format; 16 bits are IEEE half precision.
uint64_t convertFloat(uint64_t bits, unsigned width) {
  TilerunArgument argument = {TILERUN_ARGUMENT_FLOAT, TILERUN_DTYPE_AUTO, 0, {}};
  argument.value.number = std::bit_cast<double>(bits);
  return core::getArgumentBits(argument, width == 64   ? TILERUN_DTYPE_FP64
                                         : width == 32 ? TILERUN_DTYPE_FP32
                                                       : TILERUN_DTYPE_FP16);
}

llvm::Error PluginKernel::pack(llvm::ArrayRef<LaunchArgument> arguments,
                               llvm::MutableArrayRef<uint8_t> packed) {
  const auto &parameters = executable->getParameters();
  std::string name = executable->getName();
  if (arguments.size() != parameters.size())
    return makeDeviceError(DeviceErrorKind::InvalidArgument,
                           "kernel '" + name + "' takes " + llvm::Twine(parameters.size()) +
                               " arguments, " + llvm::Twine(arguments.size()) + " were given");
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const core::Executable::Parameter &parameter = parameters[index];
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
    // Little-endian, as every host and device here.
    std::memcpy(packed.data() + parameter.offset, &bits, parameter.bytes);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

class PluginDevice : public Device {
public:
  explicit PluginDevice(std::shared_ptr<core::Device> opened)
      : device(std::move(opened)), stream(device->getDefaultStream()) {
    const plugin::DeviceInfo &info = device->getInfo();
    properties.id = info.id;
    properties.uuid = info.uuid;
    properties.name = info.name;
    properties.arch = llvm::StringRef(info.target).split(':').second.str();
    properties.memoryBytes = device->getNumber(TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, 0);
    properties.numUnits =
        static_cast<unsigned>(device->getNumber(TILERUN_DEVICE_PROPERTY_UNITS, 1));
    properties.warpSize =
        static_cast<unsigned>(device->getNumber(TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1));
    llvm::copy(device->getLimits().maxGrid, properties.maxGrid.begin());
  }

  const DeviceProperties &getProperties() const override { return properties; }

  llvm::Expected<DeviceAddress> allocate(uint64_t bytes, llvm::StringRef) override {
    TilerunAddress address = 0;
    TILERUN_TRY_CORE(device->getPool().allocate(stream, bytes, address));
    return address;
  }
  llvm::Error free(DeviceAddress address) override {
    return toError(device->getPool().free(stream, address));
  }
  llvm::Error copyIn(DeviceAddress to, llvm::ArrayRef<uint8_t> from) override {
    TILERUN_TRY_CORE(stream.copyToDevice(to, from.data(), from.size()));
    return toError(stream.synchronize());
  }
  llvm::Error copyOut(llvm::MutableArrayRef<uint8_t> to, DeviceAddress from) override {
    TILERUN_TRY_CORE(stream.copyFromDevice(to.data(), from, to.size()));
    return toError(stream.synchronize());
  }
  llvm::Error poison(DeviceAddress address) override {
    core::MemoryPool::Place place = device->getPool().find(address);
    if (!place.block || place.begin != address)
      return makeDeviceError(DeviceErrorKind::InvalidArgument, "poison on " + properties.id +
                                                                   ": no allocation begins at " +
                                                                   llvm::Twine(address));
    // All bits set are a NaN in every format.
    TILERUN_TRY_CORE(stream.fill(address, 0xFF, 1, place.bytes));
    return toError(stream.synchronize());
  }

  llvm::Expected<std::unique_ptr<DeviceKernel>> load(llvm::ArrayRef<uint8_t> bytecode,
                                                     llvm::StringRef name) override {
    return loadWith(bytecode, name, {});
  }
  llvm::Expected<std::unique_ptr<DeviceKernel>> loadWith(llvm::ArrayRef<uint8_t> bytecode,
                                                         llvm::StringRef name,
                                                         const LoadOptions &options) override;
  llvm::Expected<std::unique_ptr<DeviceKernel>>
  loadSource(const KernelSource &source, const LoadOptions &options, std::string &note) override;
  llvm::Expected<LaunchResult> launch(DeviceKernel &kernel,
                                      llvm::ArrayRef<LaunchArgument> arguments,
                                      const LaunchOptions &options) override;

private:
  /// Loads what became of a compilation; `status` is the driver's answer.
  llvm::Expected<std::unique_ptr<DeviceKernel>>
  loadArtifact(const cache::Outcome &outcome, llvm::StringRef name, TilerunStatus &status);

  std::shared_ptr<core::Device> device;
  const core::Stream &stream;
  DeviceProperties properties;
};

// What the plugin's compiler is asked for, and what the request points to.
struct Request {
  std::string numWarps, numStages, numCtas, maxnreg;
  TilerunPluginOption options[5];
  TilerunPluginCompileRequest request;

  Request(const core::Device &device, llvm::ArrayRef<uint8_t> bytecode, const LoadOptions &given)
      : numWarps(std::to_string(given.numWarps)), numStages(std::to_string(given.numStages)),
        numCtas(std::to_string(given.numCtas)), maxnreg(std::to_string(given.maxnreg.value_or(0))),
        options{{"num-warps", numWarps.c_str()},
                {"num-stages", numStages.c_str()},
                {"debug", given.debug ? "true" : "false"}},
        request{
            sizeof(request), 3, bytecode.data(), bytecode.size(), device.getInfo().target.c_str(),
            options} {
    // Only where they are given, so that plugins need not know them.
    if (given.numCtas != 1)
      options[request.num_options++] = {"num-ctas", numCtas.c_str()};
    if (given.maxnreg)
      options[request.num_options++] = {"maxnreg", maxnreg.c_str()};
  }
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;
};

llvm::Expected<std::unique_ptr<DeviceKernel>>
PluginDevice::loadArtifact(const cache::Outcome &outcome, llvm::StringRef name,
                           TilerunStatus &status) {
  status = TILERUN_STATUS_OK;
  if (outcome.error)
    return makeDeviceError(getKind(outcome.error->status), outcome.error->message);
  std::shared_ptr<core::Executable> executable;
  core::Status loaded =
      core::Executable::load(*device, outcome.artifact->get(), name.str(), executable);
  status = loaded.getCode();
  TILERUN_TRY_CORE(loaded);
  return std::make_unique<PluginKernel>(device, std::move(executable));
}

// Whether the driver does not take code, so that it must not be kept.
static bool isRefusal(TilerunStatus status) {
  return status == TILERUN_STATUS_COMPILE || status == TILERUN_STATUS_INCOMPATIBLE;
}

llvm::Expected<std::unique_ptr<DeviceKernel>>
PluginDevice::loadWith(llvm::ArrayRef<uint8_t> bytecode, llvm::StringRef name,
                       const LoadOptions &options) {
  const TilerunPlugin &table = device->getTable();
  if (!table.compile)
    return toError(core::makeMissingEntry(table, "compile"));
  Request request(*device, bytecode, options);
  std::shared_ptr<cache::ArtifactCache> cache =
      options.useCache ? cache::getSharedCache() : nullptr;
  TilerunStatus status;
  llvm::Expected<std::unique_ptr<DeviceKernel>> kernel = loadArtifact(
      cache::getArtifact(cache.get(), table, device->getHandle(), request.request), name, status);
  if (cache && isRefusal(status))
    cache->forget(cache::getArtifactKey(table, device->getHandle(), request.request));
  return kernel;
}

llvm::Expected<std::unique_ptr<DeviceKernel>> PluginDevice::loadSource(const KernelSource &source,
                                                                       const LoadOptions &options,
                                                                       std::string &note) {
  const TilerunPlugin &table = device->getTable();
  if (!options.useCache || !table.compile || source.identity.empty())
    return Device::loadSource(source, options, note);
  std::shared_ptr<cache::ArtifactCache> cache = cache::getSharedCache();
  Request request(*device, {}, options);
  cache::KeyBuilder builder("artifact of source");
  builder.add("identity", llvm::StringRef(source.identity));
  cache::Key key = cache::getSourceKey(builder, table, device->getHandle(), request.request);
  for (bool again = true;;) {
    bool made = false, keep = true;
    std::optional<llvm::Error> failure;
    cache::Outcome outcome = cache::getArtifactOfSource(
        *cache, key, table, device->getHandle(), request.request,
        [&](std::vector<uint8_t> &bytecode, std::string &text) -> std::optional<plugin::Error> {
          made = true;
          llvm::Expected<SourceModule> module = source.make();
          if (!module) {
            // Kept as it is for this caller; others that wait get its text.
            failure = module.takeError();
            return plugin::Error{TILERUN_STATUS_COMPILE, "the kernel does not compile", "", "", ""};
          }
          bytecode = std::move(module->bytecode);
          text = std::move(module->note);
          keep = module->keep;
          return std::nullopt;
        });
    if (failure)
      return std::move(*failure);
    if (outcome.artifact)
      note = outcome.artifact->getNote();
    TilerunStatus status;
    llvm::Expected<std::unique_ptr<DeviceKernel>> kernel =
        loadArtifact(outcome, source.name, status);
    if (!keep || isRefusal(status))
      cache->forget(key);
    // What an earlier process kept may be refused by this one's driver.
    if (kernel || made || !isRefusal(status) || !std::exchange(again, false))
      return kernel;
    llvm::consumeError(kernel.takeError());
  }
}

llvm::Expected<LaunchResult> PluginDevice::launch(DeviceKernel &deviceKernel,
                                                  llvm::ArrayRef<LaunchArgument> arguments,
                                                  const LaunchOptions &options) {
  auto &kernel = static_cast<PluginKernel &>(deviceKernel);
  if (options.checks.any())
    return makeDeviceError(DeviceErrorKind::InvalidArgument,
                           "device '" + properties.id + "' cannot check launches");
  alignas(8) std::array<uint8_t, core::kMaxPackedBytes> packed = {};
  if (llvm::Error error = kernel.pack(arguments, packed))
    return error;
  uint32_t grid[3];
  for (unsigned axis = 0; axis < 3; ++axis) // What no device has stays more than any has.
    grid[axis] = static_cast<uint32_t>(std::min<uint64_t>(options.grid[axis], UINT32_MAX));
  TILERUN_TRY_CORE(kernel.executable->checkGrid(grid));
  std::unique_ptr<core::Event> start, end;
  if (options.timed) {
    TILERUN_TRY_CORE(core::Event::create(device, TILERUN_EVENT_TIMING, start));
    TILERUN_TRY_CORE(core::Event::create(device, TILERUN_EVENT_TIMING, end));
    TILERUN_TRY_CORE(start->record(stream));
  }
  TILERUN_TRY_CORE(kernel.executable->launch(stream, grid, packed.data()));
  if (options.timed)
    TILERUN_TRY_CORE(end->record(stream));
  TILERUN_TRY_CORE(stream.synchronize());
  LaunchResult result;
  if (options.timed) {
    double milliseconds = 0;
    TILERUN_TRY_CORE(core::Event::getElapsed(*start, *end, milliseconds));
    result.seconds = milliseconds / 1000;
  }
  return result;
}

} // namespace

llvm::Expected<std::unique_ptr<Device>>
tilerun::openPluginDevice(std::shared_ptr<const plugin::Plugin> plugin,
                          const plugin::DeviceInfo &info) {
  core::DeviceOptions options;
  options.usePool = false;
  std::shared_ptr<core::Device> device;
  TILERUN_TRY_CORE(core::Device::open(std::move(plugin), info, options, device));
  return std::make_unique<PluginDevice>(std::move(device));
}

void tilerun::addPluginDevices(DeviceRegistry &registry) {
  // `cpu` is the embedded device's: a plugin of that name that is skipped is shown by its file.
  llvm::StringSet<> names({"cpu"});
  // Under the plugin's name, or the file's where another plugin has taken that.
  auto addAbsent = [&](std::string id, const std::string &path, const std::string &reason) {
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
      registry.add(
          info.id, [plugin = found.plugin, info] { return openPluginDevice(plugin, info); },
          info.uuid);
  }
}
