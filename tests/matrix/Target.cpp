// The interpreter, a plugin's device, and a plugin's compiler as targets.
#include "tests/matrix/Target.h"

#include "backends/interpreter/Interpreter.h"
#include "runtime/compiler/Backend.h"
#include "runtime/core/Kernel.h"
#include "runtime/core/MemoryPool.h"
#include "runtime/core/Runtime.h"
#include "tests/matrix/Launch.h"
#include "tests/matrix/SpirvCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>

using namespace tilerun;
using namespace tilerun::matrix;
using core::Status;

namespace {

Failure makeFailure(Failure::Kind kind, std::string message, bool lost = false) {
  return {kind, std::move(message), lost};
}

//===----------------------------------------------------------------------===//
// The interpreter
//===----------------------------------------------------------------------===//

class Interpreter : public Target {
public:
  explicit Interpreter(bool optimizes) : optimizes(optimizes) {}
  std::string getName() const override { return "interpreter"; }
  std::string getDescription() const override { return "reference interpreter, in process"; }

  Outcome run(const Request &request, std::array<uint32_t, 3> grid,
              const std::vector<RunArgument> &arguments,
              std::vector<std::vector<uint8_t>> &buffers) override {
    auto fail = [](Failure::Kind kind, llvm::Error error) {
      return makeFailure(kind, llvm::toString(std::move(error)));
    };
    std::vector<uint8_t> optimized;
    if (std::string error = optimizes ? optimize(request, optimized) : ""; !error.empty())
      return makeFailure(Failure::Kind::Compile, error);
    auto program = interp::loadProgram(optimizes ? llvm::ArrayRef(optimized) : request.bytecode,
                                       request.kernel);
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

private:
  bool optimizes;
};

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A refusal of the plugin's compiler may mean unsupported; the rest is a failure of the run.
Failure explain(const Status &status) {
  const core::Error &error = status.getError();
  const bool isMissing = error.status == TILERUN_STATUS_UNSUPPORTED && error.call.empty();
  return {isMissing || error.call == "compile" ? Failure::Kind::Compile : Failure::Kind::Run,
          (isMissing ? "unsupported: " : "") + error.message,
          error.status == TILERUN_STATUS_DEVICE_LOST};
}

/// Points into `more`.
class CompileOptions {
public:
  CompileOptions(const Request &request, const TargetOptions &more) {
    for (const auto &[name, value] : more)
      pairs.push_back({name.c_str(), value.c_str()});
    options = makeOptions(request);
    options.num_options = static_cast<uint32_t>(pairs.size());
    options.options = pairs.data();
  }
  CompileOptions(const CompileOptions &) = delete;
  operator const TilerunCompileOptions &() const { return options; }

private:
  static TilerunCompileOptions makeOptions(const Request &request);
  std::vector<TilerunPluginOption> pairs;
  TilerunCompileOptions options;
};

TilerunCompileOptions CompileOptions::makeOptions(const Request &request) {
  TilerunCompileOptions options = {};
  options.struct_size = sizeof(options);
  options.num_warps = request.numWarps;
  options.num_stages = request.numStages;
  options.num_ctas = 1;
  options.debug = request.debug;
  return options;
}

/// Messages of Vulkan's validation layer, from the plugin's log.
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

/// Kernels of one kind of target are compiled once, but for AMD's, whose assembly differs.
std::string getLanguageTargetOf(llvm::StringRef target) {
  if (target.starts_with("cuda:"))
    return "cuda:sm_90a";
  return target.starts_with("hip:") ? target.str() : "";
}

class DeviceTarget : public Target {
public:
  DeviceTarget(std::shared_ptr<core::Device> device, TargetOptions options)
      : device(std::move(device)), info(this->device->getInfo()), options(std::move(options)) {}
  std::string getName() const override { return info.id; }
  std::string getDescription() const override {
    return info.name + ", " + shortenTarget(info.target);
  }
  std::string getLanguageTarget() const override { return getLanguageTargetOf(info.target); }
  bool mayFlushSubnormals() const override {
    llvm::StringRef target = info.target;
    return target.starts_with("vulkan:") &&
           !llvm::is_contained(llvm::split(target, ','), "denorm-f32");
  }

  Outcome run(const Request &request, std::array<uint32_t, 3> grid,
              const std::vector<RunArgument> &arguments,
              std::vector<std::vector<uint8_t>> &buffers) override {
    Status status = runOnce(request, grid, arguments, buffers);
    Outcome outcome = status.isOk() ? std::nullopt : Outcome(explain(status));
    if (outcome)
      outcome->message = shortenTargetIn(std::move(outcome->message), info.target);
    if (std::string said = takeMessages(); !said.empty())
      return makeFailure(Failure::Kind::Run,
                         said + (outcome ? "\nand: " + outcome->message : std::string()),
                         outcome && outcome->lost);
    return outcome;
  }

private:
  Status runOnce(const Request &request, std::array<uint32_t, 3> grid,
                 const std::vector<RunArgument> &arguments,
                 std::vector<std::vector<uint8_t>> &buffers) {
    std::shared_ptr<core::Program> program;
    TILERUN_TRY(compiler::loadTileIr(std::make_shared<compiler::Services>(),
                                     llvm::toStringRef(request.bytecode), request.kernel, program));
    std::shared_ptr<core::Specialization> code;
    TILERUN_TRY(
        core::Kernel(program).specialize(*device, "", CompileOptions(request, options), code));
    const core::Stream &stream = device->getDefaultStream();
    Memory memory{*device, {}};
    for (const auto &buffer : buffers) {
      TilerunAddress &address = memory.addresses.emplace_back();
      TILERUN_TRY(device->getPool().allocate(stream, buffer.size(), address));
      TILERUN_TRY(stream.copyToDevice(address, buffer.data(), buffer.size()));
    }
    std::vector<TilerunArgument> values;
    for (auto [argument, place] : llvm::zip(arguments, code->places))
      values.push_back(convert(argument, place, memory.addresses));
    // As many as the cell has, which may be wrong.
    TILERUN_TRY(core::Kernel::launchSpecialized(*code, stream, grid.data(), values.data(),
                                                static_cast<uint32_t>(arguments.size())));
    TILERUN_TRY(stream.synchronize());
    for (auto [buffer, address] : llvm::zip_equal(buffers, memory.addresses))
      TILERUN_TRY(stream.copyFromDevice(buffer.data(), address, buffer.size()));
    return stream.synchronize();
  }

  struct Memory {
    core::Device &device;
    std::vector<TilerunAddress> addresses;
    ~Memory() {
      for (TilerunAddress address : addresses)
        (void)device.getPool().free(device.getDefaultStream(), address);
    }
  };

  static TilerunArgument convert(const RunArgument &argument,
                                 const core::Specialization::Place &place,
                                 const std::vector<TilerunAddress> &addresses) {
    TilerunArgument out = {place.kind, place.dtype, 0, {}};
    if (argument.buffer >= 0)
      out.value.address = addresses[static_cast<size_t>(argument.buffer)] + argument.offset;
    else if (argument.isFloat)
      out.value.number = std::bit_cast<double>(argument.bits);
    else
      out.value.natural = place.dtype == TILERUN_DTYPE_I1 ? argument.bits & 1 : argument.bits;
    return out;
  }

  std::shared_ptr<core::Device> device;
  const plugin::DeviceInfo &info;
  TargetOptions options;
};

//===----------------------------------------------------------------------===//
// Compiling only
//===----------------------------------------------------------------------===//

class Compiler : public Target {
public:
  Compiler(std::shared_ptr<const plugin::Plugin> plugin, std::string target, CodeCheckers checkers,
           TargetOptions options)
      : plugin(std::move(plugin)), target(std::move(target)), checkers(std::move(checkers)),
        options(std::move(options)) {}
  std::string getName() const override { return target; }
  std::string getDescription() const override {
    std::string text = "compiled only";
    if (isVulkan())
      text += checkers.spirvVal.empty() ? "" : ", accepted by spirv-val";
    else if (!checkers.ptxas.empty())
      text += ", assembled by ptxas";
    return text;
  }
  std::string getLanguageTarget() const override { return getLanguageTargetOf(target); }

  Outcome run(const Request &request, std::array<uint32_t, 3>, const std::vector<RunArgument> &,
              std::vector<std::vector<uint8_t>> &) override {
    std::vector<uint8_t> optimized;
    if (std::string error = optimize(request, optimized); !error.empty())
      return makeFailure(Failure::Kind::Run, error);
    std::string text;
    Status status = compiler::Backend::emit(
        *plugin, target, optimized, CompileOptions(request, options), isVulkan() ? "spirv" : "",
        [&](const TilerunPluginArtifact &artifact) {
          text.assign(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
        });
    if (!status.isOk())
      return explain(status);
    if (isVulkan()) {
      std::string wrong = checkWords(text);
      if (wrong.empty() && !checkers.spirvVal.empty())
        if (wrong = validate(text, checkers.spirvVal); !wrong.empty())
          wrong = "spirv-val: " + wrong;
      return wrong.empty() ? std::nullopt : Outcome(makeFailure(Failure::Kind::Run, wrong));
    }
    if (checkers.ptxas.empty() || !llvm::StringRef(text).contains(".version"))
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
    (void)llvm::sys::fs::remove(input);
    (void)llvm::sys::fs::remove(log);
    if (status == 0)
      return std::nullopt;
    return makeFailure(Failure::Kind::Run, "ptxas: " + message);
  }

  std::shared_ptr<const plugin::Plugin> plugin;
  std::string target;
  CodeCheckers checkers;
  TargetOptions options;
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

std::unique_ptr<Target> matrix::makeInterpreter(bool optimizes) {
  return std::make_unique<Interpreter>(optimizes);
}

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
                                           std::string &reason, TargetOptions options) {
  plugin::setLogHandler(keepMessages);
  // This file, which the caller has named, and no other.
  plugin::DiscoveryOptions only;
  only.trustAll = true;
  core::Runtime runtime(only);
  std::shared_ptr<core::Device> opened;
  Status status = runtime.loadPlugin(path);
  if (status.isOk())
    status = runtime.openDevice(device, {.usePool = false}, opened);
  if (status.isOk())
    return std::make_unique<DeviceTarget>(std::move(opened), std::move(options));
  reason = status.getMessage();
  return nullptr;
}

std::unique_ptr<Target> matrix::makeCompiler(const std::string &path, const std::string &target,
                                             const CodeCheckers &checkers, std::string &reason,
                                             TargetOptions options) {
  std::shared_ptr<const plugin::Plugin> plugin = plugin::Plugin::load(path, reason);
  if (!plugin)
    return nullptr;
  // Words after the first name features of a device, in any combination.
  std::vector<std::string> targets = plugin->getTargets();
  if (!llvm::is_contained(targets, target) &&
      !llvm::is_contained(targets, llvm::StringRef(target).split(',').first)) {
    reason =
        "the plugin does not compile for '" + target + "'; it has " + llvm::join(targets, ", ");
    return nullptr;
  }
  return std::make_unique<Compiler>(plugin, target, checkers, std::move(options));
}
