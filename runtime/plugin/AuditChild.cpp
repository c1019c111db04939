// The children's side of the audit: the plugin is loaded here and asked.
#include "runtime/plugin/Audit.h"

#include "runtime/plugin/Child.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace tilerun;
using namespace tilerun::plugin;

namespace {

class Reporter {
public:
  Reporter(int fd, const char *group) : fd(fd), group(group) {}
  void add(const std::string &name, const char *verdict, const std::string &text = "") {
    good &= writeReport(fd, makeReportLine({"item", group, name, verdict, text}));
  }
  void judge(const std::string &name, const std::string &wrong) {
    add(name, wrong.empty() ? "pass" : "fail", wrong);
  }
  int finish() { return good && writeReport(fd, "end\n") ? kHelperStatus : 1; }

private:
  int fd;
  const char *group;
  bool good = true;
};

// Entries that are useless, or leak, without another. checkTable refuses those that return handles
// without a release.
std::string checkPairs(const TilerunPlugin &table) {
  std::string wrong;
#define TILERUN_NEEDS(entry, other)                                                                \
  if (table.entry && !table.other)                                                                 \
    wrong += (wrong.empty() ? "" : "; ") + std::string("it has " #entry ", but no " #other);
  TILERUN_NEEDS(compile, get_targets)
  TILERUN_NEEDS(close_device, open_device)
  TILERUN_NEEDS(allocate, free)
  TILERUN_NEEDS(allocate_host, free_host)
  TILERUN_NEEDS(create_stream, synchronize_stream)
  TILERUN_NEEDS(create_event, record_event)
  TILERUN_NEEDS(elapsed_time, record_event)
  TILERUN_NEEDS(launch, load_module)
#undef TILERUN_NEEDS
  return wrong;
}

std::string checkSize(const TilerunPlugin &table) {
  // A plugin of this minor version was built with this header.
  if (table.abi_minor == TILERUN_PLUGIN_ABI_MINOR && table.struct_size != sizeof(TilerunPlugin))
    return "its table has " + std::to_string(table.struct_size) + " bytes; plugin ABI " +
           std::to_string(table.abi_major) + "." + std::to_string(table.abi_minor) + " has " +
           std::to_string(sizeof(TilerunPlugin));
  if (table.struct_size % sizeof(void *) != 0)
    return "its table's size, " + std::to_string(table.struct_size) +
           ", is not a multiple of a pointer's";
  return "";
}

std::string checkTexts(const TilerunPlugin &table) {
  if (!table.version || !*table.version)
    return "it has no version";
  if (!table.description || !*table.description)
    return "it has no description";
  return std::strchr(table.description, '\n') ? "its description has several lines" : "";
}

// The requirements for loading and launching an artifact.
std::string checkContent(const TilerunPluginArtifact &artifact) {
  if (std::string wrong = checkArtifact(&artifact); !wrong.empty())
    return "the artifact cannot be read: " + wrong;
  if (!artifact.bytes || !artifact.num_bytes)
    return "the artifact is empty";
  if (!artifact.compatibility || !*artifact.compatibility)
    return "the artifact has no compatibility string";
  if (artifact.num_kernels != 1 || !artifact.kernels)
    return "the artifact has " + std::to_string(artifact.num_kernels) +
           " kernels; the module has 1";
  const TilerunPluginKernelInfo &kernel = artifact.kernels[0];
  if (!*kernel.name)
    return "the kernel has no name";
  if (!kernel.threads)
    return "the kernel's threads are 0";
  for (uint32_t i = 0; i < kernel.num_parameters; ++i) {
    const TilerunPluginParameter &parameter = kernel.parameters[i];
    bool pointer = parameter.kind == TILERUN_ARGUMENT_POINTER;
    if (parameter.kind < TILERUN_ARGUMENT_POINTER || parameter.kind > TILERUN_ARGUMENT_FLOAT ||
        (pointer && parameter.bits != 64) || !parameter.bits || !parameter.name)
      return "parameter " + std::to_string(i) + " is not described as the ABI requires";
  }
  return "";
}

std::string readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// Why `bytes`, which should compile, do not.
std::string compileOnce(const TilerunPlugin &table, const std::string &bytes, const char *target,
                        std::string &code, TilerunStatus &status,
                        const std::vector<TilerunPluginOption> &options = {}) {
  TilerunPluginCompileRequest request = {};
  request.struct_size = sizeof(request);
  request.bytecode = reinterpret_cast<const uint8_t *>(bytes.data());
  request.num_bytes = bytes.size();
  request.target = target;
  request.options = options.data();
  request.num_options = static_cast<uint32_t>(options.size());
  const TilerunPluginArtifact *artifact = nullptr;
  ErrorKeeper errors;
  status = table.compile(&request, &artifact, errors.getSink());
  if (status)
    return artifact ? "a failed compilation gave an artifact" : errors.take(status).message;
  if (!artifact)
    return "the compilation gives OK and no artifact";
  std::string wrong = checkContent(*artifact);
  if (wrong.empty())
    code.assign(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
  table.release_artifact(artifact);
  return wrong;
}

// The plugin emits exactly the phases that it lists for a target.
std::string checkPhases(const Plugin &plugin, const std::string &kernel,
                        const std::string &target) {
  if (!plugin.getTable().get_phases)
    return "";
  std::string reason;
  std::vector<Phase> phases = plugin.getPhases(target, reason);
  if (phases.empty())
    return "it lists no phases of the target" + (reason.empty() ? "" : ": " + reason);
  phases.push_back({"no-such-phase", "", "", false});
  for (const Phase &phase : phases) {
    const TilerunPluginOption emit = {"emit", phase.name.c_str()};
    std::string code;
    TilerunStatus status = TILERUN_STATUS_OK;
    auto compileTo = [&](const std::vector<TilerunPluginOption> &options) {
      return compileOnce(plugin.getTable(), kernel, target.c_str(), code, status, options);
    };
    std::string wrong = compileTo({emit});
    const bool isKnown = &phase != &phases.back();
    if (!isKnown && status != TILERUN_STATUS_INVALID_ARGUMENT)
      return "an unknown phase gives '" + getStatusName(status) + "', not 'invalid argument'";
    if (isKnown && !wrong.empty())
      return "its phase '" + phase.name + "': " + wrong;
    if (isKnown && !phase.isBinary && code.find('\0') != std::string::npos)
      return "its phase '" + phase.name + "' should be text, and has bytes 0";
    if (isKnown && phase.takesLocations)
      if (wrong = compileTo({emit, {"locations", "true"}}); !wrong.empty() || status)
        return "its phase '" + phase.name + "' lists locations, but " +
               (wrong.empty() ? "compiling with them gives '" + getStatusName(status) + "'"
                              : wrong);
  }
  return "";
}

} // namespace

int plugin::runTableAudit(const char *file, int fd) {
  Reporter reporter(fd, "table");
  std::string reason;
  std::shared_ptr<const Plugin> plugin = Plugin::load(file, reason);
  if (!plugin) {
    reporter.add("loads-again", "fail", reason);
    return reporter.finish();
  }
  // The plugin's own table, not the one that is completed for the host.
  reporter.judge("size", checkSize(plugin->getOwnTable()));
  reporter.judge("texts", checkTexts(plugin->getOwnTable()));
  reporter.judge("pairs", checkPairs(plugin->getTable()));
  const TilerunPlugin &table = plugin->getTable();
  if (table.release_artifact)
    table.release_artifact(nullptr);
  if (table.close_device)
    table.close_device(nullptr);
  reporter.add("release-null", "pass");
  std::string first, second;
  std::vector<DeviceInfo> devices = plugin->getDevices(first), again = plugin->getDevices(second);
  reporter.judge("devices-again", devices.size() == again.size() && first.empty() == second.empty()
                                      ? ""
                                      : "a second enumeration gives another number of devices");
  std::vector<std::string> targets = plugin->getTargets();
  std::string wrong;
  for (const DeviceInfo &device : devices)
    if (std::find(targets.begin(), targets.end(), device.target) == targets.end() &&
        table.get_targets)
      wrong = "the target '" + device.target + "' of " + device.id + " is not among its targets";
  reporter.judge("targets-of-devices", wrong);
  return reporter.finish();
}

int plugin::runCompileAudit(const char *file, const char *bytecode, const char *target, int fd) {
  Reporter reporter(fd, "compile");
  std::string reason;
  std::shared_ptr<const Plugin> plugin = Plugin::load(file, reason);
  const std::string name = target;
  auto end = [&](const char *verdict, const std::string &text) {
    reporter.add(name, verdict, text);
    return reporter.finish();
  };
  if (!plugin)
    return end("fail", reason);
  const TilerunPlugin &table = plugin->getTable();
  if (!table.compile)
    return end("unsupported", "the plugin has no compile");
  std::string kernel = readFile(bytecode);
  if (kernel.empty())
    return end("fail", std::string("cannot read '") + bytecode + "'");
  std::string code[2];
  TilerunStatus status = TILERUN_STATUS_OK;
  std::string wrong = compileOnce(table, kernel, target, code[0], status);
  if (status == TILERUN_STATUS_UNSUPPORTED)
    return end("unsupported", wrong);
  if (wrong.empty())
    wrong = compileOnce(table, kernel, target, code[1], status);
  if (wrong.empty() && code[0] != code[1])
    wrong = "the same request gave other bytes the second time";
  if (!wrong.empty())
    return end("fail", wrong);
  // Not bytecode, and bytecode that ends early: an error, and no crash.
  for (const std::string &bad : {std::string("garbage"), kernel.substr(0, kernel.size() / 2)}) {
    std::string ignored;
    compileOnce(table, bad, target, ignored, status);
    if (status != TILERUN_STATUS_COMPILE && wrong.empty())
      wrong =
          "bytes that are not a module give '" + getStatusName(status) + "', not 'compile error'";
  }
  const TilerunPluginOption unknown = {"no-such-option", "1"};
  const std::string other = plugin->getName() + ":no-such-architecture";
  for (bool option : {true, false}) {
    std::string ignored;
    compileOnce(table, kernel, option ? target : other.c_str(), ignored, status,
                option ? std::vector{unknown} : std::vector<TilerunPluginOption>());
    if (status != TILERUN_STATUS_INVALID_ARGUMENT && wrong.empty())
      wrong = std::string("an unknown ") + (option ? "option" : "architecture") + " gives '" +
              getStatusName(status) + "', not 'invalid argument'";
  }
  if (wrong.empty())
    wrong = checkPhases(*plugin, kernel, name);
  if (!wrong.empty())
    return end("fail", wrong);
  return end("pass", std::to_string(code[0].size()) + " bytes, the same twice");
}
