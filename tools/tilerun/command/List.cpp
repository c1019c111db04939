// `tilerun list` and `tilerun devices`: list kernels, and devices to run them on.
#include "frontend/sema/Names.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Emulate.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

static llvm::json::Value toJson(Session &session, const JitFunction &function) {
  using llvm::json::Object;
  auto position = session.frontend.getSources().getLineColumn(function.def->nameRange.begin);
  auto describe = [&](const ast::Parameter &parameter) {
    Object object{{"name", jsonText(parameter.name)},
                  {"constexpr", sema::isConstexprAnnotation(parameter.annotation)}};
    if (parameter.annotation)
      object["annotation"] = jsonText(session.getText(parameter.annotation->range));
    if (parameter.defaultValue)
      object["default"] = jsonText(session.getText(parameter.defaultValue->range));
    return object;
  };
  Object out{{"name", jsonText(function.qualifiedName)},
             {"kind", function.usedAsHelper ? "helper" : "kernel"},
             {"line", position.line},
             {"parameters", jsonArray(function.def->parameters, describe)},
             {"do_not_specialize", jsonTexts(function.doNotSpecialize)},
             {"documentation", jsonText(function.def->docstring.trim())}};
  if (function.autotune) {
    auto getText = [](const AutotuneConfig &config) { return jsonText(config.text); };
    out["autotune"] = Object{{"configs", jsonArray(function.autotune->configs, getText)},
                             {"complete", function.autotune->configsKnown &&
                                              function.autotune->change.doubt == Doubt::None},
                             {"key", jsonTexts(function.autotune->key)}};
  }
  out["heuristics"] = jsonArray(function.heuristics, [](const Heuristic &heuristic) {
    return Object{{"name", jsonText(heuristic.name)}, {"value", jsonText(heuristic.text)}};
  });
  return out;
}

static void printFunction(llvm::raw_ostream &os, Session &session, const JitFunction &function) {
  os << (function.usedAsHelper ? "helper " : "kernel ") << function.qualifiedName << "(";
  llvm::interleaveComma(function.def->parameters, os, [&](const ast::Parameter &parameter) {
    os << parameter.name;
    if (parameter.annotation)
      os << ": " << session.getText(parameter.annotation->range);
    if (parameter.defaultValue)
      os << " = " << session.getText(parameter.defaultValue->range);
  });
  os << ")\n";
  llvm::StringRef summary = function.def->docstring.trim().split('\n').first;
  if (!summary.empty())
    os << "  " << summary << "\n";
  std::vector<llvm::StringRef> constants;
  for (const ast::Parameter &parameter : function.def->parameters)
    if (sema::isConstexprAnnotation(parameter.annotation))
      constants.push_back(parameter.name);
  if (!constants.empty())
    os << "  constexprs: " << llvm::join(constants, ", ") << "\n";
  if (function.autotune) {
    if (!function.autotune->key.empty())
      os << "  autotune key: " << llvm::join(function.autotune->key, ", ") << "\n";
    for (auto [i, config] : llvm::enumerate(function.autotune->configs))
      os << "  autotune config " << i << ": " << config.text << "\n";
    if (!function.autotune->configsKnown)
      os << "  autotune configs are built by host code\n";
    else if (function.autotune->change.doubt != Doubt::None)
      os << "  autotune configs may be changed by host code\n";
  }
  for (const Heuristic &heuristic : function.heuristics)
    os << "  heuristic " << heuristic.name << ": " << heuristic.text << "\n";
  if (!function.doNotSpecialize.empty())
    os << "  not specialized: " << llvm::join(function.doNotSpecialize, ", ") << "\n";
}

llvm::Expected<ExitCode> command::runList(Session &session) {
  TILERUN_TRY_ERROR(session.loadFile(session.options.target));
  session.getDiagnostics().print(llvm::errs(), useColor(session.options.color, llvm::errs()));
  // Kernels first, each group in the order of the source.
  std::vector<const JitFunction *> functions;
  for (bool helpers : {false, true})
    for (const auto &function : session.module->functions)
      if (function->usedAsHelper == helpers)
        functions.push_back(function.get());
  if (session.options.json) {
    auto describe = [&](const JitFunction *function) { return toJson(session, *function); };
    printJson(llvm::json::Object{{"file", jsonText(session.module->path)},
                                 {"functions", jsonArray(functions, describe)}});
    return ExitCode::Ok;
  }
  for (const JitFunction *function : functions)
    printFunction(llvm::outs(), session, *function);
  if (functions.empty())
    llvm::errs() << "tilerun: '" << session.module->path << "' "
                 << session.module->describeNoKernels() << '\n';
  return ExitCode::Ok;
}

static llvm::json::Object toJson(const core::Device &device) {
  const plugin::DeviceInfo &info = device.getInfo();
  const uint32_t *grid = device.getLimits().maxGrid;
  return llvm::json::Object{
      {"id", jsonText(info.id)},
      {"uuid", jsonText(info.uuid)},
      {"available", true},
      {"name", jsonText(info.name)},
      {"arch", jsonText(llvm::StringRef(info.target).split(':').second)},
      {"memory_bytes", device.getNumber(TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, 0)},
      {"units", device.getNumber(TILERUN_DEVICE_PROPERTY_UNITS, 1)},
      {"warp_size", device.getNumber(TILERUN_DEVICE_PROPERTY_WARP_SIZE, 1)},
      {"checks", device.checksBounds()},
      {"max_grid", llvm::json::Array{grid[0], grid[1], grid[2]}}};
}

static void print(llvm::raw_ostream &os, const llvm::json::Object &device) {
  // A target's words on features are for programs; JSON has them.
  os << llvm::formatv("{0}: {1}, {2}, {3} units, {4} MiB{5}\n", *device.getString("id"),
                      *device.getString("name"), device.getString("arch")->split(',').first,
                      *device.getInteger("units"), *device.getInteger("memory_bytes") >> 20,
                      *device.getBoolean("checks") ? ", checks" : "");
}

llvm::Expected<ExitCode> command::runDevices(const Options &options) {
  llvm::json::Array array;
  // A device that cannot be used is listed with its reason.
  auto addAbsent = [&](const std::string &id, const std::string &reason) {
    array.push_back(llvm::json::Object{
        {"id", jsonText(id)}, {"available", false}, {"reason", jsonText(reason)}});
    if (!options.json)
      llvm::outs() << id << ": not available: " << reason << "\n";
  };
  std::vector<plugin::FoundPlugin> found =
      core::Runtime(plugin::DiscoveryOptions::fromEnvironment()).getPlugins();
  for (const plugin::FoundPlugin &file : found) {
    if (!file.plugin) {
      // Under the name that its file claims, unless another plugin has it.
      llvm::StringRef name = llvm::sys::path::stem(file.path);
      name.consume_front("libtilerun-");
      const bool isTaken = llvm::any_of(found, [&](const plugin::FoundPlugin &other) {
        return other.plugin && other.plugin->getName() == name;
      });
      addAbsent(isTaken ? file.path : name.str(),
                "plugin '" + file.path + "' was skipped: " + file.reason);
      continue;
    }
    std::string reason;
    for (const plugin::DeviceInfo &info : file.plugin->getDevices(reason)) {
      std::shared_ptr<core::Device> device;
      core::Status status = core::Device::open(file.plugin, info, {}, device);
      if (!status.isOk()) {
        addAbsent(info.id, status.getMessage());
        continue;
      }
      array.push_back(toJson(*device));
      if (!options.json)
        print(llvm::outs(), *array.back().getAsObject());
    }
    if (!reason.empty())
      addAbsent(file.plugin->getName(), reason);
  }
  llvm::json::Object result{{"devices", std::move(array)}};
  if (!options.emulate.empty()) {
    TILERUN_TRY_VALUE(variable, readEmulation(options.emulate));
    const auto &[name, value] = variable;
    if (!options.json)
      llvm::outs() << "For every program of this shell:\n  export " << name << "=" << value << "\n";
    result["environment"] = llvm::json::Object{{name, value}};
  }
  if (options.json)
    printJson(std::move(result));
  return ExitCode::Ok;
}
