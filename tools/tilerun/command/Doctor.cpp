// `tilerun doctor`: reports what is installed, whether it works, and what to do if it does not.
// Devices are tested in child processes, so that a driver that crashes or hangs is a line of the
// report.
#include "runtime/cache/DiskCache.h"
#include "runtime/plugin/Child.h"
#include "runtime/plugin/Discovery.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Library.h"
#include "tools/tilerun/command/SmallKernel.h"
#include "tools/tilerun/toolkit/Toolkit.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr std::chrono::milliseconds kSelfTestTimeout{60000};

#ifdef NDEBUG
constexpr const char *kBuild = "without assertions";
#else
constexpr const char *kBuild = "with assertions";
#endif

/// Collects the report: as text and as JSON.
class Doctor {
public:
  explicit Doctor(const Options &options) : options(options) {}

  ExitCode run() {
    addVersion();
    addEnvironment();
    addCache();
    addTools();
    addPlugins();
    addDevices();
    if (options.json) {
      json["advice"] = jsonTexts(advice);
      json["status"] = cpuWorks ? "ok" : "unavailable";
      json["exit_code"] = static_cast<int>(getExitCode());
      printJson(std::move(json));
    } else {
      head("Advice");
      for (const std::string &line : advice)
        row(line);
      if (advice.empty())
        row("nothing to do: everything here works");
    }
    return getExitCode();
  }

private:
  ExitCode getExitCode() const { return cpuWorks ? ExitCode::Ok : ExitCode::Unavailable; }

  void head(llvm::StringRef title) {
    if (!options.json)
      llvm::outs() << title << "\n";
  }
  void row(const llvm::Twine &text) {
    if (!options.json)
      llvm::outs() << "  " << text << "\n";
  }

  void addVersion() {
    head("Version");
    std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
    row(llvm::Twine("tilerun ") + TILERUN_VERSION ", LLVM " LLVM_VERSION_STRING ", " + kBuild);
    row("plugin ABI " + llvm::Twine(TILERUN_PLUGIN_ABI_MAJOR) + "." +
        llvm::Twine(TILERUN_PLUGIN_ABI_MINOR));
    row("program: " + program);
    json["version"] = TILERUN_VERSION;
    json["llvm"] = LLVM_VERSION_STRING;
    json["build"] = kBuild;
    json["plugin_abi"] =
        llvm::formatv("{0}.{1}", TILERUN_PLUGIN_ABI_MAJOR, TILERUN_PLUGIN_ABI_MINOR).str();
    json["program"] = jsonText(program);
  }

  void addEnvironment() {
    head("Environment");
    Object object;
    std::vector<std::string> names = {"CUDA_VISIBLE_DEVICES",   "CUDA_HOME",
                                      "LD_LIBRARY_PATH",        "HIP_VISIBLE_DEVICES",
                                      "ROCR_VISIBLE_DEVICES",   "HSA_OVERRIDE_GFX_VERSION",
                                      "XDG_CACHE_HOME",         "HOME",
                                      "VK_DRIVER_FILES",        "VK_ICD_FILENAMES",
                                      "VK_LAYER_PATH",          "VK_INSTANCE_LAYERS",
                                      "VK_LOADER_LAYERS_ENABLE"};
    for (char **entry = environ; *entry; ++entry)
      if (llvm::StringRef(*entry).starts_with("TILERUN_"))
        names.push_back(llvm::StringRef(*entry).split('=').first.str());
    llvm::sort(names);
    for (const std::string &name : names)
      if (const char *value = std::getenv(name.c_str())) {
        row(name + "=" + value);
        object[jsonText(name)] = jsonText(value);
      }
    json["environment"] = std::move(object);
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible && (!*visible || llvm::StringRef(visible).starts_with("-")))
      advice.push_back("CUDA_VISIBLE_DEVICES hides every GPU; unset it to use them");
  }

  void addCache() {
    head("Cache");
    std::string warning;
    Array warnings;
    cache::DiskCache disk(cache::DiskCacheOptions::fromEnvironment([&](const std::string &text) {
      warning += (warning.empty() ? "" : "; ") + text;
      warnings.push_back(jsonText(text));
    }));
    Object object;
    if (!disk.isEnabled() || disk.getFolder().empty()) {
      row("off" + (warning.empty() ? std::string() : ": " + warning));
      object["enabled"] = false;
      object["reason"] = jsonText(warning);
    } else {
      cache::DiskCacheStat stat = disk.getStat();
      const std::string obstacle = disk.findObstacle();
      const bool writable = obstacle.empty();
      row(llvm::formatv("{0}: {1} entries, {2:f1} of {3:f0} MiB{4}", disk.getFolder(),
                        stat.numEntries, double(stat.numBytes) / (1 << 20),
                        double(disk.getMaxBytes()) / (1 << 20),
                        !writable                                       ? ", " + obstacle
                        : llvm::sys::fs::is_directory(disk.getFolder()) ? ""
                                                                        : ", not made yet")
              .str());
      if (!warning.empty())
        row(warning);
      if (!writable)
        advice.push_back("the cache folder '" + disk.getFolder() + "' cannot be written (" +
                         obstacle + "): kernels are compiled again in each process");
      object = Object{{"enabled", true},        {"folder", jsonText(disk.getFolder())},
                      {"writable", writable},   {"entries", stat.numEntries},
                      {"bytes", stat.numBytes}, {"max_bytes", disk.getMaxBytes()}};
    }
    object["warnings"] = std::move(warnings);
    json["cache"] = std::move(object);
  }

  void addTools() {
    head("Optional tools");
    Object object;
    for (const char *name : {"ptxas", "nvdisasm", "cuobjdump"}) {
      std::optional<std::string> path = toolkit::findTool(name);
      row(std::string(name) + ": " +
          (path ? *path + ", " + toolkit::getVersion(*path)
                : "not found (only 'compile --resources' and '--emit sass' use it)"));
      object[name] = path ? llvm::json::Value(jsonText(*path)) : llvm::json::Value(nullptr);
    }
    json["tools"] = std::move(object);
  }

  void addPlugins() {
    head("Plugin search path");
    plugin::DiscoveryOptions search = plugin::DiscoveryOptions::fromEnvironment();
    Array path, files;
    for (const std::string &entry : search.searchPath) {
      bool exists = llvm::sys::fs::exists(entry);
      row("TILERUN_PLUGIN_PATH: " + entry + (exists ? "" : " (does not exist)"));
      path.push_back(
          Object{{"origin", "TILERUN_PLUGIN_PATH"}, {"path", jsonText(entry)}, {"exists", exists}});
      if (!exists)
        advice.push_back("TILERUN_PLUGIN_PATH names '" + entry + "', which does not exist");
    }
    row("built in: " + (search.builtinFolder.empty() ? "not found" : search.builtinFolder));
    path.push_back(Object{{"origin", "built in"},
                          {"path", jsonText(search.builtinFolder)},
                          {"exists", !search.builtinFolder.empty()}});
    row("helper: " + (search.probeHelper.empty() ? "not found" : search.probeHelper));
    if (search.builtinFolder.empty())
      advice.push_back(
          "the folder lib/tilerun/plugins was not found next to bin/: devices are in its "
          "plugins; install Tilerun as a whole");
    if (search.probeHelper.empty())
      advice.push_back("tilerun-plugin-probe is missing next to tilerun: plugins of "
                       "TILERUN_PLUGIN_PATH cannot be tried and are skipped");
    head("Plugins");
    for (const plugin::FoundPlugin &found : core::Runtime(search).getPlugins()) {
      Object object{{"path", jsonText(found.path)}, {"loaded", found.plugin != nullptr}};
      if (found.plugin) {
        const TilerunPlugin &table = found.plugin->getTable();
        row(llvm::formatv("{0} {1} ({2}): {3}", table.name, table.version, table.description,
                          found.path)
                .str());
        object["name"] = jsonText(table.name);
        object["version"] = jsonText(table.version);
        object["compiles"] = table.compile != nullptr;
      } else {
        row(found.path + ": skipped: " + found.reason);
        object["reason"] = jsonText(found.reason);
        advice.push_back("plugin '" + found.path + "' is skipped: " + found.reason +
                         "; 'tilerun plugin check' says more about a file");
      }
      files.push_back(std::move(object));
      plugins.push_back(found);
    }
    if (plugins.empty())
      row("none");
    json["plugin_path"] = std::move(path);
    json["plugins"] = std::move(files);
  }

  /// Tests in a child, which is this program with the hidden option, and reports its findings.
  void addDevice(const std::string &id, Object object, std::string text) {
    std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
    plugin::ChildResult child =
        plugin::runChild({program, "doctor", "--self-test", id}, kSelfTestTimeout);
    std::string failure = child.describe(kSelfTestTimeout), unsupported;
    for (const std::string &line : child.getLines()) {
      std::vector<std::string> fields = plugin::splitReportLine(line, 4);
      uint64_t number = 0;
      if (fields[0] == "result") {
        failure = fields[1];
      } else if (fields[0] == "unsupported") {
        unsupported = fields[1];
      } else if (fields[0] == "property") {
        text += "\n      " + fields[1] + ": " + fields[3];
        bool isNumber =
            fields[2] == "number" && !llvm::StringRef(fields[3]).getAsInteger(10, number);
        object[jsonText(fields[1])] =
            isNumber ? llvm::json::Value(number) : llvm::json::Value(jsonText(fields[3]));
      }
    }
    row(text);
    // A crash in between is a failure, too.
    if (!failure.empty())
      unsupported.clear();
    row(!failure.empty()       ? "  self-test: FAILED: " + failure
        : !unsupported.empty() ? "  self-test: unsupported: " + unsupported
                               : "  self-test: ok");
    object["id"] = jsonText(id);
    object["available"] = true;
    object["self_test"] = !failure.empty()       ? jsonText(failure)
                          : !unsupported.empty() ? jsonText("unsupported: " + unsupported)
                                                 : "ok";
    if (failure.empty() && unsupported.empty() && id == "cpu:0")
      cpuWorks = true;
    if (!failure.empty())
      advice.push_back("device '" + id + "' is present, but the self-test fails: " + failure);
    devices.push_back(std::move(object));
  }

  void addDevices() {
    head("Devices");
    for (const plugin::FoundPlugin &found : plugins) {
      if (!found.plugin)
        continue;
      std::string reason;
      for (const plugin::DeviceInfo &info : found.plugin->getDevices(reason)) {
        addDevice(info.id, Object{{"name", jsonText(info.name)}, {"target", jsonText(info.target)}},
                  info.id + ": " + info.name);
      }
      if (reason.empty())
        continue;
      std::string name = found.plugin->getName();
      row(name + ": none: " + reason);
      devices.push_back(
          Object{{"id", jsonText(name)}, {"available", false}, {"reason", jsonText(reason)}});
      if (name == "cuda")
        advice.push_back("no NVIDIA GPU can be used: " + reason +
                         "; if this machine has one, install its driver (CUDA 11.8 or later) and "
                         "check that nvidia-smi lists it");
      if (name == "hip")
        advice.push_back("no AMD GPU can be used: " + reason +
                         "; if this machine has one, install its driver (ROCm 6.0 or later) and "
                         "check that rocminfo lists it; --emulate hip:gfx942 emulates one");
      if (name == "vulkan")
        advice.push_back("no Vulkan device can be used: " + reason +
                         "; install the loader (package libvulkan1) and a driver for Vulkan 1.3: "
                         "the GPU's, or mesa-vulkan-drivers, which also runs on the CPU");
    }
    json["devices"] = std::move(devices);
    if (!cpuWorks)
      advice.push_back("the device cpu does not work, which is a bug in Tilerun");
  }

  const Options &options;
  Object json;
  Array devices;
  std::vector<std::string> advice;
  std::vector<plugin::FoundPlugin> plugins;
  bool cpuWorks = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The child's side: lines of a report
//===----------------------------------------------------------------------===//

static bool report(std::vector<std::string> fields) {
  return plugin::writeReport(plugin::kReportFd, plugin::makeReportLine(std::move(fields)));
}

static void reportProperties(const core::Device &device) {
  struct Property {
    uint32_t number;
    const char *name;
  };
  static const Property list[] = {
#define TILERUN_PROPERTY(name, number, type, word, unit) {number, word},
      TILERUN_DEVICE_PROPERTY_LIST(TILERUN_PROPERTY)
#undef TILERUN_PROPERTY
  };
  for (const Property &property : list) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    if (!device.getProperty(property.number, value).isOk())
      continue;
    if (value.type == TILERUN_VALUE_U64)
      report({"property", property.name, "number", std::to_string(value.number)});
    else
      report({"property", property.name, "string", value.string ? value.string : ""});
  }
}

static ExitCode runSelfTest(const Options &options) {
  // The parent reports the signal; the command's own handlers would hide it.
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    std::signal(signal, SIG_DFL);
  std::string unsupported;
  llvm::Error error = [&]() -> llvm::Error {
    TILERUN_TRY_VALUE(device, openDevice(options.selfTest, kUnpooled));
    reportProperties(*device);
    const plugin::Plugin &plugin = device->getPlugin();
    if (plugin.getTable().compile)
      return runSmallKernel(device);
    unsupported = "plugin '" + plugin.getName() +
                  "' has no compiler, so that nothing can be run on the device";
    return llvm::Error::success();
  }();
  const bool good = !error;
  bool written = (!good || unsupported.empty() || report({"unsupported", unsupported})) &&
                 report({"result", llvm::toString(std::move(error))}) &&
                 plugin::writeReport(plugin::kReportFd, "end\n");
  return good && written ? ExitCode::Ok : ExitCode::Unavailable;
}

llvm::Expected<ExitCode> command::runDoctor(const Options &options) {
  if (!options.selfTest.empty())
    return runSelfTest(options);
  return Doctor(options).run();
}
