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
#include "tools/tilerun/command/OutputFiles.h"
#include "tools/tilerun/command/Sweep.h"
#include "tools/tilerun/command/TuneProgress.h"
#include "tools/tilerun/command/TuneReport.h"

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
  std::vector<std::pair<std::string, std::string>> values; ///< By the names that it sets.
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
  llvm::Error bind(Way &way);
  llvm::Error upload();
  llvm::Error pack(Way &way);
  llvm::Expected<std::vector<tune::Memory>> getMemory() const;
  llvm::Expected<tune::Result> measure(const std::vector<tune::Config> &configs,
                                       tune::Options &options) const;
  bool wantsMap(const OutputFiles &files) const;
  llvm::Error show(const TuneReport &report, OutputFiles &files) const;

  Session &session;
  host::FilledTensors filled; ///< Of all ways, which do not change them.
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

llvm::Error Tune::bind(Way &way) {
  way.session = std::make_unique<Session>(*way.options);
  way.session->expressions.filled = &filled;
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
  for (const std::string &setting : extra) {
    auto [name, value] = llvm::StringRef(setting).split('=');
    way->values.emplace_back(name, value);
  }
  const std::optional<Autotune> &autotune = session.kernel->autotune;
  // A number of a configuration that does not exist is refused below.
  if (config && autotune && *config < autotune->configs.size()) {
    const AutotuneConfig &known = autotune->configs[*config];
    way->text += (way->text.empty() ? "" : " ") +
                 ("config " + llvm::Twine(*config) + ": " + known.text).str();
    for (const auto &[name, expr] : known.kwargs)
      way->values.emplace_back(name, session.getText(expr->range));
    for (const LaunchOption &option : getLaunchOptions())
      if (const ast::Expr *expr = known.*option.config)
        way->values.emplace_back(option.name, session.getText(expr->range));
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

llvm::Expected<tune::Result> Tune::measure(const std::vector<tune::Config> &configs,
                                           tune::Options &options) const {
  std::vector<std::string> texts;
  texts.reserve(ways.size());
  for (const std::unique_ptr<Way> &way : ways)
    texts.push_back(way->text);
  TuneProgress progress(llvm::errs(), session.options.progress,
                        llvm::sys::Process::StandardErrIsDisplayed(), session.kernel->qualifiedName,
                        std::move(texts));
  options.progress = [&](size_t index, const tune::Measurement &measurement,
                         const tune::Progress &state) { progress.add(index, measurement, state); };
  options.waiting = [&](const tune::Progress &state) {
    progress.wait(state);
    return core::Status();
  };
  tune::Result result;
  if (core::Status status = tune::tune(*stream, configs, options, result); !status.isOk())
    return toError(status);
  return result;
}

bool Tune::wantsMap(const OutputFiles &files) const {
  return !session.options.axes.empty() || files.hasPicture();
}

// Text shows maps that a terminal has room for.
static bool fitsText(const picture::HeatMap &map) {
  constexpr size_t kMostColumns = 16, kMostRows = 40;
  return map.xs.size() <= kMostColumns && map.ys.size() <= kMostRows;
}

llvm::Error Tune::show(const TuneReport &report, OutputFiles &files) const {
  const tune::Result &result = report.result;
  const auto numAxes =
      llvm::count_if(listAxes(report), [](const TuneAxis &axis) { return axis.values.size() > 1; });
  std::optional<picture::HeatMap> map;
  if (!result.fromCache && (wantsMap(files) || numAxes > 1)) {
    TILERUN_TRY_VALUE(made, makeHeatMap(report, session.options.axes));
    map = std::move(made);
  }
  TILERUN_TRY_ERROR(files.write([&](llvm::StringRef kind, llvm::raw_ostream &os) {
    if (kind == "csv")
      writeCsv(os, report);
    else if (kind == "json")
      writeJson(os, toJson(report));
    else if (kind == "svg")
      picture::writeSvg(os, *map);
    else
      picture::writeHtml(os, *map);
  }));
  if (session.options.json) {
    printJson(toJson(report));
    return llvm::Error::success();
  }
  llvm::raw_ostream &os = llvm::outs();
  print(os, report);
  if (map && fitsText(*map) && (map->ys.size() > 1 || !session.options.axes.empty()))
    picture::print(os, *map, useColor(session.options.color, llvm::outs()));
  os << report.kernel << " on " << report.device << ": best is " << report.ways[result.best].text
     << ", " << llvm::format("%.4f ms", result.milliseconds)
     << (result.fromCache ? " (from an earlier run; --no-cache measures again)" : "") << "\n";
  return llvm::Error::success();
}

llvm::Expected<ExitCode> Tune::run() {
  TILERUN_TRY_VALUE(files, OutputFiles::open(session.options.outputs));
  TILERUN_TRY_ERROR(session.load(session.options.target));
  TILERUN_TRY_ERROR(open());
  TILERUN_TRY_ERROR(listWays());
  TuneReport report;
  report.kernel = session.kernel->qualifiedName;
  report.device = device->getId();
  report.isHost = device->runsOnHost();
  for (const std::unique_ptr<Way> &way : ways)
    report.ways.push_back({way->text, way->values});
  // A mistake in its axes is found before the work.
  if (wantsMap(files))
    TILERUN_TRY_ERROR(makeHeatMap(report, session.options.axes).takeError());
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
  options.numThreads = session.options.threads;
  // Only the choice is kept, and a map needs all times.
  options.refresh = !files.empty() || !session.options.axes.empty();
  TILERUN_TRY_VALUE(result, measure(configs, options));
  report.result = std::move(result);
  TILERUN_TRY_ERROR(show(report, files));
  return ExitCode::Ok;
}

llvm::Expected<ExitCode> command::runTune(Session &session) { return Tune(session).run(); }
