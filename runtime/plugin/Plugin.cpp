// Loading of plugins and the check of their tables.
#include "runtime/plugin/Plugin.h"

#include "runtime/plugin/ElfFile.h"
#include "runtime/plugin/LaunchPlan.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>

using namespace tilerun;
using namespace tilerun::plugin;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

const char *plugin::findStatusName(TilerunStatus status) {
  switch (status) {
#define TILERUN_STATUS_CASE(name, number, word)                                                    \
  case number:                                                                                     \
    return word;
    TILERUN_STATUS_LIST(TILERUN_STATUS_CASE)
#undef TILERUN_STATUS_CASE
  }
  return nullptr;
}

std::string plugin::getStatusName(TilerunStatus status) {
  const char *name = findStatusName(status);
  return name ? name : "status " + std::to_string(status);
}

static std::string getText(const char *text) { return text ? text : ""; }

// Collects what a plugin passes to a callback. No exception may pass through the plugin's code,
// which can have a C++ library of its own: an exception of the host's allocator is stored, and
// rethrown after the call.
template <typename T> class Collected {
public:
  template <typename Info, T (*make)(const Info &)>
  static void take(void *user, const Info *info) noexcept {
    auto &self = *static_cast<Collected *>(user);
    try {
      self.items.push_back(make(*info));
    } catch (...) {
      self.failure = std::current_exception();
    }
  }
  std::vector<T> finish() {
    if (failure)
      std::rethrow_exception(failure);
    return std::move(items);
  }

private:
  std::vector<T> items;
  std::exception_ptr failure;
};

ErrorKeeper::ErrorKeeper() {
  sink = {sizeof(TilerunErrorSink), 0, &error, [](void *user, const TilerunErrorInfo *info) {
            try {
              *static_cast<Error *>(user) = {info->status, getText(info->message),
                                             getText(info->call), getText(info->device),
                                             getText(info->driver_word)};
            } catch (...) { // NOLINT(bugprone-empty-catch)
              // Without memory for its texts, the status alone says what failed.
            }
          }};
}

Error ErrorKeeper::take(TilerunStatus status) {
  Error out = std::move(error);
  error = {};
  out.status = status;
  if (out.message.empty())
    out.message = getStatusName(status) + " (the plugin gives no reason)";
  return out;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string getVersion(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

static bool isName(const char *name) {
  if (!name || !*name)
    return false;
  return std::all_of(name, name + std::strlen(name), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// Entries that return handles without an entry to release them: callers would crash.
static std::string checkReleases(const TilerunPlugin &table) {
#define TILERUN_NEEDS(entry, other)                                                                \
  if (TILERUN_HAS(TilerunPlugin, &table, entry) && !table.other)                                   \
    return "its table has " #entry ", but no " #other;
  TILERUN_NEEDS(compile, release_artifact)
  TILERUN_NEEDS(get_self_test, release_artifact)
  TILERUN_NEEDS(finalize_artifact, release_artifact)
  TILERUN_NEEDS(open_device, close_device)
  TILERUN_NEEDS(create_stream, destroy_stream)
  TILERUN_NEEDS(adopt_stream, destroy_stream)
  TILERUN_NEEDS(create_event, destroy_event)
  TILERUN_NEEDS(load_module, unload_module)
  TILERUN_NEEDS(load_module, get_kernel)
#undef TILERUN_NEEDS
  return "";
}

std::string plugin::checkTable(const TilerunPlugin *table) {
  const std::string ours = getVersion(TILERUN_PLUGIN_ABI_MAJOR, TILERUN_PLUGIN_ABI_MINOR);
  if (!table)
    return "it refuses this runtime's plugin ABI " + ours;
  std::string theirs = getVersion(table->abi_major, table->abi_minor);
  if (table->abi_major != TILERUN_PLUGIN_ABI_MAJOR)
    return std::string("it is too ") +
           (table->abi_major < TILERUN_PLUGIN_ABI_MAJOR ? "old" : "new") + ": its plugin ABI is " +
           theirs + ", this runtime's is " + ours;
  // Version 1.0 had everything up to `launch`.
  constexpr size_t kFirstSize = offsetof(TilerunPlugin, launch) + sizeof(table->launch);
  if (table->struct_size < kFirstSize)
    return "its table has " + std::to_string(table->struct_size) + " bytes; plugin ABI " + theirs +
           " has " + std::to_string(kFirstSize) + " at least";
  if (table->required_host_minor > TILERUN_PLUGIN_ABI_MINOR)
    return "it is too new: it needs a runtime with plugin ABI " +
           getVersion(table->abi_major, table->required_host_minor) + ", this runtime's is " + ours;
  if (!isName(table->name))
    return "its name is missing or has characters other than a-z, 0-9, '_' and '-'";
  if (!table->get_devices)
    return "its table has no get_devices";
  return checkReleases(*table);
}

// A size in an array that is not ours would have us read between the elements.
static std::string checkSize(const std::string &what, uint32_t size, size_t ours) {
  return size == ours ? ""
                      : what + " has the struct_size " + std::to_string(size) + ", not " +
                            std::to_string(ours) + ", which is fixed";
}

static std::string checkKernel(const TilerunPluginKernelInfo &kernel, const std::string &what) {
  constexpr uint32_t kMostParameters = 1 << 16;
  if (std::string wrong = checkSize(what, kernel.struct_size, sizeof(kernel)); !wrong.empty())
    return wrong;
  if (!kernel.name)
    return what + " has no name";
  const std::string count = std::to_string(kernel.num_parameters);
  if (kernel.num_parameters > kMostParameters)
    return what + " has " + count + " parameters; " + std::to_string(kMostParameters) +
           " are possible";
  if (kernel.num_parameters && !kernel.parameters)
    return what + " has " + count + " parameters and no list of them";
  for (uint32_t i = 0; i < kernel.num_parameters; ++i)
    if (std::string wrong = checkSize(what + "'s parameter " + std::to_string(i),
                                      kernel.parameters[i].struct_size, sizeof(*kernel.parameters));
        !wrong.empty())
      return wrong;
  return "";
}

std::string plugin::checkArtifact(const TilerunPluginArtifact *artifact) {
  if (!artifact)
    return "it is missing";
  if (artifact->struct_size < offsetof(TilerunPluginArtifact, kernels) + sizeof(artifact->kernels))
    return "its struct_size is " + std::to_string(artifact->struct_size) + ", not at least 40";
  if (artifact->num_bytes && !artifact->bytes)
    return "it has " + std::to_string(artifact->num_bytes) + " bytes at address 0";
  if (artifact->num_kernels && !artifact->kernels)
    return "it has " + std::to_string(artifact->num_kernels) + " kernels and no list of them";
  for (uint32_t i = 0; i < artifact->num_kernels; ++i) {
    const std::string what = "kernel " + std::to_string(i);
    if (std::string wrong = checkKernel(artifact->kernels[i], what); !wrong.empty())
      return wrong;
    if (std::string wrong = checkDetails(artifact->kernels[i], getDetails(*artifact, i));
        !wrong.empty())
      return what + ": " + wrong;
  }
  return "";
}

std::shared_ptr<const Plugin> Plugin::adopt(const TilerunPlugin *table, std::string path,
                                            std::string &reason) {
  reason = checkTable(table);
  if (!reason.empty())
    return nullptr;
  TilerunPlugin full{};
  std::memcpy(&full, table, std::min<size_t>(table->struct_size, sizeof(full)));
  full.struct_size = sizeof(full);
  if (!full.version)
    full.version = "";
  if (!full.description)
    full.description = "";
  return std::shared_ptr<const Plugin>(new Plugin(table, full, std::move(path)));
}

static std::atomic<LogHandler> logHandler{nullptr};

void plugin::setLogHandler(LogHandler handler) { logHandler = handler; }

static void takeLogLine(void *, int32_t level, const char *text) noexcept {
  if (LogHandler handler = logHandler)
    handler(level, text);
  else if (level >= TILERUN_LOG_WARNING)
    std::fprintf(stderr, "tilerun: warning: %s\n", text);
}

std::shared_ptr<const Plugin> Plugin::load(const std::string &path, std::string &reason) {
  reason = checkElfFile(path, TILERUN_PLUGIN_ENTRY);
  if (!reason.empty())
    return nullptr;
  // A path without a slash would be looked up in the linker's own folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *error = dlerror();
    reason = std::string("it cannot be loaded: ") + (error ? error : "the linker gives no reason");
    return nullptr;
  }
  auto entry = reinterpret_cast<TilerunPluginEntry>(dlsym(library, TILERUN_PLUGIN_ENTRY));
  if (!entry) {
    reason = "it does not export " TILERUN_PLUGIN_ENTRY ", so it is not a plugin";
    dlclose(library);
    return nullptr;
  }
  static const TilerunPluginHost host = {sizeof(TilerunPluginHost),
                                         TILERUN_PLUGIN_ABI_MAJOR,
                                         TILERUN_PLUGIN_ABI_MINOR,
                                         0,
                                         nullptr,
                                         takeLogLine};
  // An entry point is called once per process. A refused plugin stays loaded too, because its
  // constructors may have started threads.
  struct Loaded {
    std::shared_ptr<const Plugin> plugin;
    std::string reason;
  };
  static std::mutex mutex;
  static auto *const known = new std::map<void *, Loaded>; // By handle; outlives every thread.
  std::lock_guard lock(mutex);
  auto [it, isNew] = known->try_emplace(library);
  if (isNew)
    it->second.plugin = adopt(entry(&host), path, it->second.reason);
  reason = it->second.reason;
  return it->second.plugin;
}

//===----------------------------------------------------------------------===//
// Devices, targets, phases
//===----------------------------------------------------------------------===//

static DeviceInfo readDevice(const TilerunPluginDeviceInfo &info) {
  return {info.ordinal, getText(info.id), getText(info.uuid), getText(info.name),
          getText(info.target)};
}

std::vector<DeviceInfo> Plugin::getDevices(std::string &reason) const {
  Collected<DeviceInfo> collected;
  reason.clear();
  ErrorKeeper errors;
  if (TilerunStatus status = table.get_devices(collected.take<TilerunPluginDeviceInfo, readDevice>,
                                               &collected, errors.getSink())) {
    reason = errors.take(status).message;
    return {};
  }
  std::vector<DeviceInfo> devices = collected.finish();
  // An id without its plugin's kind would shadow somebody else's device.
  std::string prefix = getName() + ":";
  for (const DeviceInfo &device : devices)
    if (device.id.compare(0, prefix.size(), prefix) != 0) {
      reason = "it names a device '" + device.id + "', which does not begin with '" + prefix + "'";
      return {};
    }
  if (devices.empty())
    reason = "it has no device and gives no reason";
  return devices;
}

static Phase readPhase(const TilerunPluginPhase &phase) {
  return {getText(phase.name), getText(phase.description), getText(phase.comment),
          (phase.flags & TILERUN_PHASE_BINARY) != 0, (phase.flags & TILERUN_PHASE_LOCATIONS) != 0};
}

std::vector<Phase> Plugin::getPhases(const std::string &target, std::string &reason) const {
  Collected<Phase> collected;
  reason.clear();
  if (!table.get_phases) {
    reason = "plugin '" + getName() + "' does not list its phases";
    return {};
  }
  ErrorKeeper errors;
  if (TilerunStatus status =
          table.get_phases(target.c_str(), collected.take<TilerunPluginPhase, readPhase>,
                           &collected, errors.getSink())) {
    reason = errors.take(status).message;
    return {};
  }
  return collected.finish();
}

static std::string readTarget(const char &target) { return &target; }

std::vector<std::string> Plugin::getTargets() const {
  Collected<std::string> collected;
  if (table.get_targets)
    table.get_targets(collected.take<char, readTarget>, &collected, nullptr);
  return collected.finish();
}
