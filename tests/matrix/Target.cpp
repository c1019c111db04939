// The interpreter, a plugin's device, and a plugin's compiler as targets.
#include "tests/matrix/Target.h"

#include "backends/interpreter/Interpreter.h"
#include "runtime/plugin/Plugin.h"
#include "tests/matrix/SpirvCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>

using namespace tilerun;
using namespace tilerun::matrix;
using plugin::ErrorKeeper;

namespace {

Failure makeFailure(Failure::Kind kind, std::string message, bool lost = false) {
  return {kind, std::move(message), lost};
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

class Interpreter : public Target {
public:
  std::string getName() const override { return "interpreter"; }
  std::string getDescription() const override { return "reference interpreter, in process"; }
  bool defaultsToTf32() const override { return false; }

  Outcome run(const Request &request, std::array<uint32_t, 3> grid,
              const std::vector<RunArgument> &arguments,
              std::vector<std::vector<uint8_t>> &buffers) override {
    auto fail = [](Failure::Kind kind, llvm::Error error) {
      return makeFailure(kind, llvm::toString(std::move(error)));
    };
    auto program = interp::loadProgram(request.bytecode, request.kernel);
    if (!program)
      return fail(Failure::Kind::Compile, program.takeError());
    interp::Heap heap(uint64_t(1) << 32);
    std::vector<uint64_t> addresses;
    for (const auto &buffer : buffers) {
      auto address = heap.allocate(buffer.size(), "argument " + std::to_string(addresses.size()));
      if (!address)
        return fail(Failure::Kind::Run, address.takeError());
      addresses.push_back(*address);
      if (llvm::Error error = heap.copyIn(*address, buffer))
        return fail(Failure::Kind::Run, std::move(error));
    }
    std::vector<interp::LaunchArgument> launch;
    for (const RunArgument &a : arguments) {
      using Kind = interp::LaunchArgument::Kind;
      if (a.buffer >= 0)
        launch.push_back({Kind::Pointer, addresses[static_cast<size_t>(a.buffer)] + a.offset});
      else
        launch.push_back({a.isFloat ? Kind::Float : Kind::Integer, a.bits});
    }
    interp::LaunchOptions options;
    options.grid = {grid[0], grid[1], grid[2]};
    options.numThreads = 1;
    options.debug = request.debug;
    auto result = interp::launchProgram(**program, heap, launch, options);
    if (!result)
      return fail(Failure::Kind::Run, result.takeError());
    if (!result->reports.empty()) {
      const interp::CheckReport &report = result->reports.front();
      return makeFailure(Failure::Kind::Run,
                         llvm::formatv("{0}:{1}:{2}: {3}", report.position.file,
                                       report.position.line, report.position.column, report.message)
                             .str());
    }
    for (size_t i = 0; i < buffers.size(); ++i)
      if (llvm::Error error = heap.copyOut(buffers[i], addresses[i]))
        return fail(Failure::Kind::Run, std::move(error));
    return std::nullopt;
  }
};

//===----------------------------------------------------------------------===//
// Plugins
//===----------------------------------------------------------------------===//

/// Calls an entry of the table; a failure ends the function with it.
#define TILERUN_TRY(kind, entry, ...)                                                              \
  do {                                                                                             \
    if (!table.entry)                                                                              \
      return makeFailure(kind, "unsupported: the plugin has no " #entry);                          \
    ErrorKeeper errors_;                                                                           \
    if (TilerunStatus status_ = table.entry(__VA_ARGS__, errors_.getSink()))                       \
      return makeFailure(kind, errors_.take(status_).message,                                      \
                         status_ == TILERUN_STATUS_DEVICE_LOST);                                   \
  } while (false)

/// An artifact with its release.
struct Artifact {
  explicit Artifact(const TilerunPlugin &table) : table(table) {}
  ~Artifact() {
    if (artifact)
      table.release_artifact(artifact);
  }
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;
  const TilerunPluginKernelInfo *find(const std::string &name) const {
    for (uint32_t i = 0; i < artifact->num_kernels; ++i)
      if (name == artifact->kernels[i].name)
        return &artifact->kernels[i];
    return nullptr;
  }
  const TilerunPlugin &table;
  const TilerunPluginArtifact *artifact = nullptr;
};

Outcome compile(const TilerunPlugin &table, const std::string &target, const Request &request,
                Artifact &artifact, const char *emit = nullptr) {
  std::string warps = std::to_string(request.numWarps), stages = std::to_string(request.numStages);
  std::vector<TilerunPluginOption> options = {{"num-warps", warps.c_str()},
                                              {"num-stages", stages.c_str()},
                                              {"debug", request.debug ? "true" : "false"}};
  if (emit)
    options.push_back({"emit", emit});
  TilerunPluginCompileRequest compileRequest = {
      sizeof(compileRequest),  static_cast<uint32_t>(options.size()),
      request.bytecode.data(), request.bytecode.size(),
      target.c_str(),          options.data()};
  TILERUN_TRY(Failure::Kind::Compile, compile, &compileRequest, &artifact.artifact);
  return std::nullopt;
}

/// The bits of a double in a narrower format.
uint64_t narrow(uint64_t bits, unsigned width, bool isBFloat) {
  double value = std::bit_cast<double>(bits);
  if (width == 64)
    return bits;
  if (width == 32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  llvm::APFloat half(value);
  bool lossy;
  half.convert(isBFloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
               llvm::APFloat::rmNearestTiesToEven, &lossy);
  return half.bitcastToAPInt().getZExtValue();
}

/// What Vulkan's validation layer says, by the plugin's log.
std::mutex messagesMutex;
std::string messages;

void keepMessages(int32_t level, const char *text) noexcept {
  std::lock_guard lock(messagesMutex);
  if (llvm::StringRef(text).starts_with("validation "))
    messages += (messages.empty() ? "" : "\n") + std::string(text);
  else if (level >= TILERUN_LOG_WARNING)
    llvm::errs() << "warning: " << text << "\n";
}

std::string takeMessages() {
  std::lock_guard lock(messagesMutex);
  return std::exchange(messages, "");
}

class PluginTarget : public Target {
public:
  PluginTarget(std::shared_ptr<const plugin::Plugin> plugin, plugin::DeviceInfo info,
               TilerunPluginDevice *device)
      : plugin(std::move(plugin)), table(this->plugin->getTable()), info(std::move(info)),
        device(device) {}
  ~PluginTarget() override {
    if (table.close_device)
      table.close_device(device);
  }
  std::string getName() const override { return info.id; }
  std::string getDescription() const override {
    return info.name + ", " + shortenTarget(info.target);
  }
  bool defaultsToTf32() const override { return llvm::StringRef(info.target).starts_with("cuda:"); }
  bool mayFlushSubnormals() const override {
    llvm::StringRef target = info.target;
    return target.starts_with("vulkan:") &&
           !llvm::is_contained(llvm::split(target, ','), "denorm-f32");
  }

  Outcome run(const Request &request, std::array<uint32_t, 3> grid,
              const std::vector<RunArgument> &arguments,
              std::vector<std::vector<uint8_t>> &buffers) override {
    Outcome outcome = runOnce(request, grid, arguments, buffers);
    if (outcome)
      outcome->message = shortenTargetIn(std::move(outcome->message), info.target);
    if (std::string said = takeMessages(); !said.empty())
      return makeFailure(Failure::Kind::Run,
                         said + (outcome ? "\nand: " + outcome->message : std::string()),
                         outcome && outcome->lost);
    return outcome;
  }

private:
  Outcome runOnce(const Request &request, std::array<uint32_t, 3> grid,
                  const std::vector<RunArgument> &arguments,
                  std::vector<std::vector<uint8_t>> &buffers) {
    Artifact artifact(table);
    if (Outcome failed = compile(table, info.target, request, artifact))
      return failed;
    const TilerunPluginKernelInfo *kernel = artifact.find(request.kernel);
    if (!kernel)
      return makeFailure(Failure::Kind::Compile,
                         "the artifact has no kernel '" + request.kernel + "'");
    Loaded loaded{table, nullptr};
    TILERUN_TRY(Failure::Kind::Run, load_module, device, artifact.artifact, &loaded.module);
    TilerunPluginKernel *handle = nullptr;
    TILERUN_TRY(Failure::Kind::Run, get_kernel, loaded.module, kernel->name, &handle);
    Memory memory{table, device, {}};
    for (const auto &buffer : buffers) {
      TilerunAddress address = 0;
      TILERUN_TRY(Failure::Kind::Run, allocate, device, nullptr, buffer.size(), &address);
      memory.addresses.push_back(address);
      TILERUN_TRY(Failure::Kind::Run, copy_to_device, device, nullptr, address, buffer.data(),
                  buffer.size());
    }
    std::vector<uint8_t> packed;
    if (kernel->num_parameters != arguments.size())
      return makeFailure(Failure::Kind::Compile,
                         "the kernel takes " + std::to_string(kernel->num_parameters) +
                             " arguments, not " + std::to_string(arguments.size()));
    for (size_t i = 0; i < arguments.size(); ++i)
      pack(packed, kernel->parameters[i], arguments[i], memory.addresses);
    TilerunPluginLaunch launch = {};
    launch.struct_size = sizeof(launch);
    for (unsigned axis = 0; axis < 3; ++axis)
      launch.grid[axis] = grid[axis];
    launch.threads = kernel->threads;
    launch.shared_bytes = kernel->shared_bytes;
    launch.arguments = packed.data();
    launch.num_bytes = packed.size();
    TILERUN_TRY(Failure::Kind::Run, launch, handle, nullptr, &launch);
    TILERUN_TRY(Failure::Kind::Run, synchronize_stream, device, nullptr);
    for (size_t i = 0; i < buffers.size(); ++i)
      TILERUN_TRY(Failure::Kind::Run, copy_from_device, device, nullptr, buffers[i].data(),
                  memory.addresses[i], buffers[i].size());
    TILERUN_TRY(Failure::Kind::Run, synchronize_stream, device, nullptr);
    return std::nullopt;
  }

  struct Loaded {
    const TilerunPlugin &table;
    TilerunPluginModule *module;
    ~Loaded() {
      if (module && table.unload_module)
        table.unload_module(module);
    }
  };
  struct Memory {
    const TilerunPlugin &table;
    TilerunPluginDevice *device;
    std::vector<TilerunAddress> addresses;
    ~Memory() {
      for (TilerunAddress address : addresses)
        if (table.free)
          table.free(device, nullptr, address, nullptr);
    }
  };

  static void pack(std::vector<uint8_t> &packed, const TilerunPluginParameter &parameter,
                   const RunArgument &argument, const std::vector<TilerunAddress> &addresses) {
    uint64_t bits = argument.bits;
    if (argument.buffer >= 0)
      bits = addresses[static_cast<size_t>(argument.buffer)] + argument.offset;
    else if (argument.isFloat)
      bits = narrow(bits, parameter.bits, argument.isBFloat);
    if (parameter.bits == 1)
      bits &= 1;
    size_t bytes = std::max(parameter.bits / 8, 1);
    packed.resize(llvm::alignTo(packed.size(), bytes));
    for (size_t i = 0; i < bytes; ++i)
      packed.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }

  std::shared_ptr<const plugin::Plugin> plugin;
  const TilerunPlugin &table;
  plugin::DeviceInfo info;
  TilerunPluginDevice *device;
};

//===----------------------------------------------------------------------===//
// Compiling only
//===----------------------------------------------------------------------===//

class Compiler : public Target {
public:
  Compiler(std::shared_ptr<const plugin::Plugin> plugin, std::string target, CodeCheckers checkers)
      : plugin(std::move(plugin)), target(std::move(target)), checkers(std::move(checkers)) {}
  std::string getName() const override { return target; }
  std::string getDescription() const override {
    std::string text = "compiled only";
    if (isVulkan())
      text += checkers.spirvVal.empty() ? "" : ", accepted by spirv-val";
    else if (!checkers.ptxas.empty())
      text += ", assembled by ptxas";
    return text;
  }
  bool defaultsToTf32() const override { return llvm::StringRef(target).starts_with("cuda:"); }

  Outcome run(const Request &request, std::array<uint32_t, 3>, const std::vector<RunArgument> &,
              std::vector<std::vector<uint8_t>> &) override {
    Artifact artifact(plugin->getTable());
    if (Outcome failed =
            compile(plugin->getTable(), target, request, artifact, isVulkan() ? "spirv" : nullptr))
      return failed;
    if (!artifact.find(request.kernel))
      return makeFailure(Failure::Kind::Compile,
                         "the artifact has no kernel '" + request.kernel + "'");
    llvm::StringRef text(reinterpret_cast<const char *>(artifact.artifact->bytes),
                         artifact.artifact->num_bytes);
    if (isVulkan()) {
      std::string wrong = checkWords(text);
      if (wrong.empty() && !checkers.spirvVal.empty())
        if (wrong = validate(text, checkers.spirvVal); !wrong.empty())
          wrong = "spirv-val: " + wrong;
      return wrong.empty() ? std::nullopt : Outcome(makeFailure(Failure::Kind::Run, wrong));
    }
    if (checkers.ptxas.empty() || !text.contains(".version"))
      return std::nullopt;
    return assemble(text);
  }

private:
  bool isVulkan() const { return llvm::StringRef(target).starts_with("vulkan:"); }

  Outcome assemble(llvm::StringRef text) {
    llvm::SmallString<128> input, log;
    int descriptor = -1;
    if (llvm::sys::fs::createTemporaryFile("tilerun-matrix", "ptx", descriptor, input) ||
        llvm::sys::fs::createTemporaryFile("tilerun-matrix", "log", log))
      return makeFailure(Failure::Kind::Run, "no temporary file can be made");
    {
      llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
      os << text;
    }
    std::string arch = "-arch=" + llvm::StringRef(target).split(':').second.str();
    llvm::StringRef arguments[] = {checkers.ptxas, arch, "-O1", input, "-o", "/dev/null"};
    std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
    std::string message;
    int status = llvm::sys::ExecuteAndWait(checkers.ptxas, arguments, std::nullopt, redirects, 60,
                                           0, &message);
    if (status != 0)
      if (auto content = llvm::MemoryBuffer::getFile(log))
        message += (*content)->getBuffer().rtrim().str();
    llvm::sys::fs::remove(input);
    llvm::sys::fs::remove(log);
    if (status == 0)
      return std::nullopt;
    return makeFailure(Failure::Kind::Run, "ptxas: " + message);
  }

  std::shared_ptr<const plugin::Plugin> plugin;
  std::string target;
  CodeCheckers checkers;
};

} // namespace

std::string matrix::shortenTarget(llvm::StringRef target) {
  auto [first, rest] = target.split(',');
  auto [second, more] = rest.split(',');
  return (first + (second.empty() ? "" : ",") + second + (more.empty() ? "" : ",…")).str();
}

std::string matrix::shortenTargetIn(std::string message, llvm::StringRef target) {
  std::string by = shortenTarget(target);
  if (by != target)
    for (size_t at = 0; (at = message.find(target, at)) != std::string::npos; at += by.size())
      message.replace(at, target.size(), by);
  return message;
}

std::unique_ptr<Target> matrix::makeInterpreter() { return std::make_unique<Interpreter>(); }

llvm::StringRef matrix::getPluginName(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::stem(path);
  name.consume_front("libtilerun-");
  return name;
}

bool matrix::isRequired(llvm::StringRef path) {
  const char *required = std::getenv("TILERUN_REQUIRE");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(required ? required : "").split(names, ',');
  return llvm::is_contained(names, getPluginName(path));
}

std::unique_ptr<Target> matrix::openPlugin(const std::string &path, const std::string &device,
                                           std::string &reason) {
  plugin::setLogHandler(keepMessages);
  std::shared_ptr<const plugin::Plugin> plugin = plugin::Plugin::load(path, reason);
  if (!plugin)
    return nullptr;
  std::vector<plugin::DeviceInfo> devices = plugin->getDevices(reason);
  for (const plugin::DeviceInfo &info : devices) {
    if (!device.empty() && info.id != device)
      continue;
    TilerunPluginDevice *handle = nullptr;
    ErrorKeeper errors;
    const TilerunPlugin &table = plugin->getTable();
    if (!table.open_device) {
      reason = "the plugin has no open_device";
      return nullptr;
    }
    if (TilerunStatus status =
            table.open_device(info.ordinal, nullptr, &handle, errors.getSink())) {
      reason = errors.take(status).message;
      return nullptr;
    }
    return std::make_unique<PluginTarget>(plugin, info, handle);
  }
  if (!devices.empty())
    reason = "the plugin has no device '" + device + "'";
  return nullptr;
}

std::unique_ptr<Target> matrix::makeCompiler(const std::string &path, const std::string &target,
                                             const CodeCheckers &checkers, std::string &reason) {
  std::shared_ptr<const plugin::Plugin> plugin = plugin::Plugin::load(path, reason);
  if (!plugin)
    return nullptr;
  // Words after the first say what a device has, in any combination.
  std::vector<std::string> targets = plugin->getTargets();
  if (!llvm::is_contained(targets, target) &&
      !llvm::is_contained(targets, llvm::StringRef(target).split(',').first)) {
    reason =
        "the plugin does not compile for '" + target + "'; it has " + llvm::join(targets, ", ");
    return nullptr;
  }
  return std::make_unique<Compiler>(plugin, target, checkers);
}
