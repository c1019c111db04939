// `tilerun tune`: measures the autotune configurations of a kernel, and values of its own
// parameters that the command line lists, on a device.
#include "tools/tilerun/command/Binding.h"
#include "tools/tilerun/command/Commands.h"

#include "frontend/corpus/Guess.h"
#include "runtime/cache/PluginArtifacts.h"
#include "runtime/compiler/Programs.h"
#include "runtime/core/MemoryPool.h"
#include "runtime/tune/Tuner.h"
#include "tools/tilerun/command/CompileTarget.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Sweep.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace tilerun;
using namespace tilerun::command;
using host::Tensor;
using host::Value;

namespace {

/// One configuration: how the command line would give it, and its result.
struct Way {
  std::string text;
  std::unique_ptr<Options> options;
  std::unique_ptr<Session> session;
  Binding binding;
  std::vector<TilerunArgument> arguments;
  std::optional<CompileSettings> settings;
  std::string refusal;          ///< Why it cannot be launched; empty if it can.
  ExitCode code = ExitCode::Ok; ///< The same, for the command's end.
};

class Tune {
public:
  explicit Tune(Session &session) : session(session) {}
  ~Tune();
  llvm::Expected<ExitCode> run();

private:
  llvm::Error open();
  llvm::Error listWays();
  void addWay(std::optional<unsigned> config, const std::vector<std::string> &extra);
  llvm::Error bind(Way &way) const;
  llvm::Error upload();
  llvm::Error pack(Way &way);
  llvm::Expected<std::vector<tune::Memory>> getMemory() const;
  void print(const tune::Result &result) const;

  Session &session;
  std::vector<std::unique_ptr<Way>> ways;
  const Way *sample = nullptr; ///< The first that can be launched: its tensors stand for all.
  std::shared_ptr<core::Device> device;
  std::unique_ptr<core::Stream> stream;
  /// By the globals that are bound, as a signature's text.
  std::map<std::string, std::shared_ptr<core::Kernel>> kernels;
  std::map<const host::Storage *, TilerunAddress> memory;
};

} // namespace

Tune::~Tune() {
  for (auto &[storage, address] : memory)
    (void)device->getPool().free(*stream, address);
  // Before the device is closed.
  kernels.clear();
}

llvm::Error Tune::open() {
  TILERUN_TRY_VALUE(opened, openDevice(session.options.device));
  device = std::move(opened);
  TILERUN_TRY_ERROR(checkPhases(device->getPlugin(), device->getInfo().target, session.options));
  return toError(core::Stream::create(device, stream));
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

llvm::Error Tune::bind(Way &way) const {
  way.session = std::make_unique<Session>(*way.options);
  TILERUN_TRY_ERROR(way.session->load(way.options->target));
  TILERUN_TRY_VALUE(binding, bindArguments(*way.session));
  way.binding = std::move(binding);
  TILERUN_TRY_ERROR(bindGrid(*way.session, way.binding, *device));
  return checkSurplus(*way.session);
}

void Tune::addWay(std::optional<unsigned> config, const std::vector<std::string> &extra) {
  auto way = std::make_unique<Way>();
  way->options = std::make_unique<Options>(session.options);
  way->options->autotuneConfig = config;
  way->options->arguments.insert(way->options->arguments.end(), extra.begin(), extra.end());
  way->text = llvm::join(extra, " ");
  const std::optional<Autotune> &autotune = session.kernel->autotune;
  // A number of a configuration that does not exist is refused below.
  if (config && autotune && *config < autotune->configs.size()) {
    llvm::StringRef text = autotune->configs[*config].text;
    way->text +=
        (way->text.empty() ? "" : " ") + ("config " + llvm::Twine(*config) + ": " + text).str();
  }
  if (llvm::Error error = bind(*way)) {
    llvm::raw_string_ostream text(way->refusal);
    way->session->getDiagnostics().print(text, /*color=*/false);
    llvm::handleAllErrors(withExitCode(std::move(error), ExitCode::Usage),
                          [&](const CommandError &e) {
                            way->code = std::max(way->code, e.code);
                            text << e.message;
                          });
    way->refusal = llvm::StringRef(way->refusal).rtrim().str();
  } else if (!sample) {
    sample = way.get();
  }
  ways.push_back(std::move(way));
}

// All combinations of the listed values, each with each autotune configuration.
llvm::Error Tune::listWays() {
  std::vector<Sweep> sweeps;
  for (const std::string &text : session.options.varies) {
    TILERUN_TRY_VALUE(sweep, parseSweep(session, text, "--vary"));
    sweeps.push_back(std::move(sweep));
  }
  TILERUN_TRY_VALUE(products, getProduct(sweeps, "--vary"));
  const std::optional<Autotune> &autotune = session.kernel->autotune;
  std::vector<std::optional<unsigned>> configs;
  const std::string reason = session.whyConfigsUnknown();
  if (session.options.autotuneConfig)
    configs.push_back(session.options.autotuneConfig);
  else if (autotune && reason.empty())
    for (unsigned i = 0; i < autotune->configs.size(); ++i)
      configs.push_back(i);
  if (!reason.empty() && session.options.varies.empty())
    return makeUsageError("the autotune configs of '" + session.kernel->qualifiedName +
                          "' are not known: " + reason + "; list values with --vary NAME=A,B");
  if (configs.empty() && session.options.varies.empty())
    return makeUsageError("kernel '" + session.kernel->qualifiedName +
                          "' has no autotune configs; list values with --vary NAME=A,B");
  if (configs.empty())
    configs.push_back(std::nullopt);
  for (std::optional<unsigned> config : configs)
    for (const auto &product : products)
      addWay(config, product);
  if (sample)
    return llvm::Error::success();
  const Way &first = *ways.front();
  return makeCommandError(first.code, (ways.size() == 1 ? llvm::Twine()
                                                        : "none of " + llvm::Twine(ways.size()) +
                                                              " configurations can be launched; "
                                                              "the first one:\n") +
                                          first.refusal);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

llvm::Error Tune::upload() {
  for (const auto &[name, value] : sample->binding.values) {
    auto *tensor = value.getIf<Tensor>();
    if (!tensor || memory.count(tensor->storage.get()))
      continue;
    auto bytes = tensor->storage->bytes();
    TilerunAddress address = 0;
    TILERUN_TRY_LIBRARY(device->getPool().allocate(*stream, bytes.size(), address));
    memory[tensor->storage.get()] = address;
    TILERUN_TRY_LIBRARY(stream->copyToDevice(address, bytes.data(), bytes.size()));
  }
  return llvm::Error::success();
}

llvm::Error Tune::pack(Way &way) {
  for (const ast::Parameter &parameter : way.session->kernel->def->parameters) {
    std::string name = parameter.name.str();
    // A default is the evaluator's.
    const auto &defaults = way.session->evaluator.getNames();
    static const Value none;
    const Value *value = &none;
    TilerunAddress base = 0;
    if (auto it = way.binding.values.find(name); it != way.binding.values.end())
      value = &it->second;
    else if (auto it = defaults.find(name); it != defaults.end())
      value = &it->second;
    if (value->is<Tensor>()) {
      // Each configuration evaluates the same texts: the first one's tensors stand for all.
      const auto it = sample->binding.values.find(name);
      if (it == sample->binding.values.end() || !it->second.is<Tensor>())
        return makeUsageError("argument '" + name + "' is a tensor in '" + way.text +
                              "', but not in '" + sample->text +
                              "'; all configurations must have the same tensors");
      value = &it->second;
      base = memory[value->getIf<Tensor>()->storage.get()];
    }
    std::optional<TilerunArgument> argument = toArgument(*value, base);
    if (!argument)
      return makeUsageError("argument '" + name + "' is " + value->describe() +
                            ", which 'tune' cannot pass; numbers, strings, "
                            "dtypes, none and tensors are possible");
    way.arguments.push_back(*argument);
  }
  return llvm::Error::success();
}

// The decorator's entries, and those of the command line.
llvm::Expected<std::vector<tune::Memory>> Tune::getMemory() const {
  std::vector<tune::Memory> out;
  auto add = [&](llvm::ArrayRef<std::string> names, bool restore) -> llvm::Error {
    for (const std::string &name : names) {
      const auto &values = sample->binding.values;
      auto it = values.find(name);
      const Tensor *tensor = it == values.end() ? nullptr : it->second.getIf<Tensor>();
      if (!tensor)
        return makeUsageError("'" + name + "', which is to be " +
                              (restore ? "restored" : "cleared") + ", is not a tensor argument");
      auto [begin, end] = tensor->getByteRange();
      out.push_back({memory.at(tensor->storage.get()) + begin, end - begin, restore});
    }
    return llvm::Error::success();
  };
  if (const std::optional<Autotune> &autotune = session.kernel->autotune) {
    TILERUN_TRY_ERROR(add(autotune->resetToZero, false));
    TILERUN_TRY_ERROR(add(autotune->restoreValue, true));
  }
  TILERUN_TRY_ERROR(add(session.options.restores, true));
  return out;
}

//===----------------------------------------------------------------------===//
// The tuning
//===----------------------------------------------------------------------===//

void Tune::print(const tune::Result &result) const {
  if (session.options.json) {
    llvm::json::Array configs;
    for (auto [i, way] : llvm::enumerate(ways)) {
      llvm::json::Object object{{"config", jsonText(way->text)}};
      if (i < result.measurements.size()) {
        const tune::Measurement &m = result.measurements[i];
        object["ok"] = m.status.isOk();
        if (m.status.isOk())
          object["milliseconds"] = jsonNumber(m.milliseconds);
        else
          object["error"] = jsonText(m.status.getMessage());
        object["rough"] = m.rough;
      }
      configs.push_back(std::move(object));
    }
    printJson(llvm::json::Object{{"kernel", jsonText(session.kernel->qualifiedName)},
                                 {"device", jsonText(device->getId())},
                                 {"best", static_cast<int64_t>(result.best)},
                                 {"milliseconds", jsonNumber(result.milliseconds)},
                                 {"from_cache", result.fromCache},
                                 {"configs", std::move(configs)}});
    return;
  }
  for (auto [i, m] : llvm::enumerate(result.measurements)) {
    llvm::outs() << "  " << ways[i]->text << ": ";
    if (m.status.isOk())
      llvm::outs() << llvm::format("%.4f ms", m.milliseconds)
                   << (m.rough ? " (not measured further)" : "")
                   << (i == result.best ? "  <- best" : "") << "\n";
    else
      llvm::outs() << "skipped: " << llvm::StringRef(m.status.getMessage()).split('\n').first
                   << "\n";
  }
  llvm::outs() << session.kernel->qualifiedName << " on " << device->getId() << ": best is "
               << ways[result.best]->text << ", " << llvm::format("%.4f ms", result.milliseconds)
               << (result.fromCache ? " (from an earlier run; --no-cache measures again)" : "")
               << "\n";
}

llvm::Expected<ExitCode> Tune::run() {
  TILERUN_TRY_ERROR(session.load(session.options.target));
  TILERUN_TRY_ERROR(open());
  TILERUN_TRY_ERROR(listWays());
  TILERUN_TRY_ERROR(upload());

  auto services = std::make_shared<compiler::Services>();
  services->cache = session.options.useCache ? cache::getSharedCache()
                                             : std::make_shared<cache::ArtifactCache>(nullptr);
  std::shared_ptr<core::Program> program;
  TILERUN_TRY_LIBRARY(session.loadAgain(services, program));
  auto plain = std::make_shared<core::Kernel>(std::move(program));
  kernels[""] = plain;
  std::vector<tune::Config> configs;
  for (const std::unique_ptr<Way> &way : ways) {
    if (!way->refusal.empty()) {
      configs.push_back({plain.get(),
                         {1, 1, 1},
                         {},
                         nullptr,
                         0,
                         core::Status(TILERUN_STATUS_INVALID_ARGUMENT, way->refusal)});
      continue;
    }
    TILERUN_TRY_ERROR(pack(*way));
    const KernelSignature &signature = way->binding.signature;
    KernelSignature globals;
    for (const auto &[name, value] : way->session->globals)
      globals.arguments[name] = value;
    std::string bound = corpus::formatSignature(globals);
    std::shared_ptr<core::Kernel> &kernel = kernels[bound];
    if (!kernel)
      TILERUN_TRY_LIBRARY(plain->bind(bound, kernel));
    way->settings.emplace(signature, *way->options);
    const auto &grid = way->binding.grid;
    configs.push_back({kernel.get(),
                       {static_cast<uint32_t>(grid[0]), static_cast<uint32_t>(grid[1]),
                        static_cast<uint32_t>(grid[2])},
                       way->settings->get(),
                       way->arguments.data(),
                       static_cast<uint32_t>(way->arguments.size()),
                       {}});
  }
  TILERUN_TRY_VALUE(changed, getMemory());
  tune::Options options;
  options.memory = std::move(changed);
  options.warmupMilliseconds = session.options.warmup;
  options.repMilliseconds = session.options.rep;
  if (session.options.useCache)
    options.cache = services->cache->getDisk();
  bool terminal = llvm::sys::Process::StandardErrIsDisplayed();
  options.progress = [&](size_t, const tune::Measurement &, const tune::Progress &progress) {
    if (terminal)
      llvm::errs() << "\r\x1b[Ktuning " << session.kernel->qualifiedName << ": " << progress.numDone << "/"
                   << ways.size();
  };
  tune::Result result;
  core::Status status = tune::tune(*stream, configs, options, result);
  if (terminal)
    llvm::errs() << "\r\x1b[K";
  if (!status.isOk())
    return toError(status);
  print(result);
  return ExitCode::Ok;
}

llvm::Expected<ExitCode> command::runTune(Session &session) { return Tune(session).run(); }
