// Runtimes, plugins and devices.
#include "runtime/api/Handles.h"

#include "runtime/cache/PluginArtifacts.h"
#include "runtime/core/MemoryPool.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace tilerun;
using namespace tilerun::api;

using Log = std::function<void(int32_t, const std::string &)>;

static void logToStderr(int32_t level, const std::string &text) {
  const char *mark = level >= TILERUN_LOG_WARNING ? "tilerun: warning: " : "";
  std::fprintf(stderr, "%s%s%s", mark, text.c_str(),
               !text.empty() && text.back() == '\n' ? "" : "\n");
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

// The process's cache outlives every runtime: its messages go to the listeners of the moment.
struct api::CacheListener {
  explicit CacheListener(Log log) : log(std::move(log)) {}
  // A log may destroy its own runtime; another thread's waits until the log has returned.
  std::recursive_mutex mutex; ///< Guards `log`; held while it runs.
  Log log;                    ///< Empty once the runtime is gone.
};

namespace {
struct Listeners {
  std::mutex mutex; ///< Guards `all`.
  std::vector<std::shared_ptr<CacheListener>> all;
};
} // namespace

// Never destroyed: other threads may compile until the end of the process.
static Listeners &getListeners() {
  static auto *const listeners = new Listeners;
  return *listeners;
}

static void tellListeners(const std::string &text) {
  Listeners &listeners = getListeners();
  std::vector<std::shared_ptr<CacheListener>> all;
  {
    std::lock_guard lock(listeners.mutex);
    all = listeners.all;
  }
  for (const std::shared_ptr<CacheListener> &listener : all) {
    std::lock_guard lock(listener->mutex);
    if (Log log = listener->log)
      log(TILERUN_LOG_WARNING, text);
  }
  if (all.empty())
    logToStderr(TILERUN_LOG_WARNING, text);
}

static std::shared_ptr<CacheListener> listen(Log log) {
  auto listener = std::make_shared<CacheListener>(std::move(log));
  std::lock_guard lock(getListeners().mutex);
  getListeners().all.push_back(listener);
  return listener;
}

TilerunRuntime::~TilerunRuntime() {
  if (!listener)
    return;
  {
    std::lock_guard lock(getListeners().mutex);
    std::erase(getListeners().all, listener);
  }
  std::lock_guard lock(listener->mutex);
  listener->log = nullptr;
}

static std::shared_ptr<cache::ArtifactCache> makeCache(const std::string &folder, const Log &log) {
  cache::DiskCacheOptions options = cache::DiskCacheOptions::fromEnvironment(
      [log](const std::string &text) { log(TILERUN_LOG_WARNING, text); }, folder);
  return std::make_shared<cache::ArtifactCache>(
      std::make_shared<cache::DiskCache>(std::move(options)));
}

//===----------------------------------------------------------------------===//
// Runtimes
//===----------------------------------------------------------------------===//

TilerunStatus tilerunCreateRuntime(const TilerunRuntimeOptions *given,
                                   TilerunRuntime **runtime) try {
  TILERUN_API_ENTER(runtime);
  if (given)
    TILERUN_API_CHECK_SIZE(given);
  TilerunRuntimeOptions options = readStruct(given);
  if (uint32_t unknown = options.flags & ~uint32_t(TILERUN_RUNTIME_TRUST_PLUGINS))
    return refuse(__func__, "options->flags has " + std::to_string(unknown) +
                                ", which is not a flag of a runtime");
  if (options.reserved)
    return refuseReserved(__func__, "options", options.reserved);
  if (options.num_plugins > kMostElements)
    return refuseCount(__func__, "num_plugins", options.num_plugins, kMostElements);
  if (options.num_plugins && !options.plugins)
    return refuse(__func__, "num_plugins is " + std::to_string(options.num_plugins) +
                                ", but plugins is null");
  for (uint32_t i = 0; i < options.num_plugins; ++i)
    if (!options.plugins[i])
      return refuse(__func__, "plugins[" + std::to_string(i) + "] is null");
  plugin::DiscoveryOptions discovery = plugin::DiscoveryOptions::fromEnvironment();
  for (uint32_t i = 0; i < options.num_plugins; ++i)
    discovery.files.push_back(options.plugins[i]);
  discovery.trustAll |= (options.flags & TILERUN_RUNTIME_TRUST_PLUGINS) != 0;
  if (options.plugin_path)
    discovery.setSearchPath(options.plugin_path);
  auto services = std::make_shared<compiler::Services>();
  if (options.log)
    services->log = [options](int32_t level, const std::string &text) {
      options.log(options.user, level, text.c_str());
    };
  else
    services->log = logToStderr;
  services->log = compiler::makeDeferrable(std::move(services->log));
  auto *made = new TilerunRuntime(std::move(discovery));
  if (!options.cache_folder) {
    // First, so that errors in the environment are reported.
    made->listener = listen(services->log);
    services->cache = cache::getSharedCache(tellListeners);
  } else if (*options.cache_folder) {
    services->cache = makeCache(options.cache_folder, services->log);
  } else {
    services->cache = std::make_shared<cache::ArtifactCache>(nullptr);
  }
  made->services = std::move(services);
  *runtime = made;
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

void tilerunDestroyRuntime(TilerunRuntime *runtime) try {
  TILERUN_API_ENTER_VOID();
  delete runtime;
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunLoadPlugin(TilerunRuntime *runtime, const char *path) {
  TILERUN_API_FORWARD(runtime->runtime.loadPlugin(path), runtime, path);
}

TilerunStatus tilerunListPlugins(TilerunRuntime *runtime,
                                 void (*each)(void *user, const TilerunPluginFile *file),
                                 void *user) try {
  TILERUN_API_ENTER(runtime, each);
  for (const plugin::FoundPlugin &found : runtime->runtime.getPlugins()) {
    std::string name = found.plugin ? found.plugin->getName() : "", reason = found.reason;
    if (found.plugin)
      (void)found.plugin->getDevices(reason);
    TilerunPluginFile file = {sizeof(file),
                              found.plugin != nullptr,
                              found.path.c_str(),
                              name.c_str(),
                              found.plugin ? found.plugin->getTable().version : "",
                              reason.c_str()};
    each(user, &file);
  }
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus tilerunGetCompilerKey(TilerunRuntime *runtime,
                                    void (*take)(void *user, const char *key), void *user) try {
  TILERUN_API_ENTER(runtime, take);
  std::vector<std::shared_ptr<const plugin::Plugin>> plugins;
  for (plugin::FoundPlugin &found : runtime->runtime.getPlugins())
    if (found.plugin)
      plugins.push_back(std::move(found.plugin));
  take(user, compiler::getCompilerKey(std::move(plugins)).c_str());
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus tilerunListDevices(TilerunRuntime *runtime, TilerunDeviceCallback each,
                                 void *user) try {
  TILERUN_API_ENTER(runtime, each);
  runtime->runtime.listDevices([&](const plugin::DeviceInfo &info) {
    TilerunPluginDeviceInfo out = {sizeof(out),       info.ordinal,      info.id.c_str(),
                                   info.uuid.c_str(), info.name.c_str(), info.target.c_str()};
    each(user, &out);
  });
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus tilerunOpenDevice(TilerunRuntime *runtime, const char *id,
                                const TilerunDeviceOptions *given, TilerunDevice **device) try {
  TILERUN_API_ENTER(runtime, device);
  if (given)
    TILERUN_API_CHECK_SIZE(given);
  TilerunDeviceOptions options = readStruct(given);
  if (uint32_t unknown =
          options.flags & ~uint32_t(TILERUN_DEVICE_NO_MEMORY_POOL | TILERUN_DEVICE_HOST_MEMORY))
    return refuse(__func__, "options->flags has " + std::to_string(unknown) +
                                ", which is not a flag of a device");
  const char *pool = std::getenv("TILERUN_MEMORY_POOL");
  core::DeviceOptions open;
  open.usePool =
      !(options.flags & TILERUN_DEVICE_NO_MEMORY_POOL) && !(pool && std::strcmp(pool, "0") == 0);
  open.hostMemory = options.flags & TILERUN_DEVICE_HOST_MEMORY;
  open.foreignContext = options.foreign_context;
  auto made = std::make_unique<TilerunDevice>();
  core::Status status = runtime->runtime.openDevice(id ? id : "", open, made->device);
  if (status.isOk())
    *device = made.release();
  return finish(status);
}
TILERUN_API_CATCH

void tilerunCloseDevice(TilerunDevice *device) try {
  TILERUN_API_ENTER_VOID();
  delete device;
}
TILERUN_API_CATCH_VOID

TilerunStatus tilerunGetDeviceProperty(TilerunDevice *device, uint32_t property,
                                       TilerunPropertyValue *value) try {
  TILERUN_API_ENTER(device, value);
  TILERUN_API_CHECK_SIZE(value);
  return finish(device->device->getProperty(property, *value));
}
TILERUN_API_CATCH

const char *tilerunGetDeviceId(TilerunDevice *device) {
  return device ? device->device->getId().c_str() : "";
}
const char *tilerunGetDeviceTarget(TilerunDevice *device) {
  return device ? device->device->getInfo().target.c_str() : "";
}

TilerunStatus tilerunGetDeviceState(TilerunDevice *device) {
  TILERUN_API_FORWARD(device->device->getState(), device);
}

TilerunStatus tilerunGetNativeContext(TilerunDevice *device, uint64_t *context) {
  TILERUN_API_FORWARD(device->device->getNativeContext(*context), device, context);
}

TilerunStatus tilerunSynchronizeDevice(TilerunDevice *device) {
  TILERUN_API_FORWARD(device->device->synchronize(), device);
}

TilerunStatus tilerunGetMemoryStatistics(TilerunDevice *device,
                                         TilerunMemoryStatistics *statistics) try {
  TILERUN_API_ENTER(device, statistics);
  TILERUN_API_CHECK_SIZE(statistics);
  core::MemoryPool::Statistics s = device->device->getPool().getStatistics();
  TilerunMemoryStatistics out = {0,
                                 0,
                                 s.allocated,
                                 s.inBlocks,
                                 s.held,
                                 s.peakAllocated,
                                 s.peakHeld,
                                 s.numAllocations,
                                 s.numReused,
                                 s.numDriverAllocations,
                                 s.numDriverFrees,
                                 s.numOutOfMemory};
  writeStruct(statistics, out);
  return TILERUN_STATUS_OK;
}
TILERUN_API_CATCH

TilerunStatus tilerunTrimMemory(TilerunDevice *device, uint64_t keepBytes) {
  TILERUN_API_FORWARD(device->device->getPool().trim(keepBytes), device);
}
