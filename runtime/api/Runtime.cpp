// Runtimes, plugins and devices.
#include "runtime/api/Handles.h"

#include "runtime/cache/PluginArtifacts.h"
#include "runtime/core/MemoryPool.h"

#include <cstdio>
#include <cstdlib>

using namespace tilerun;
using namespace tilerun::api;

// Of a struct that an older caller made smaller: what it lacks is zero.
template <typename T> static T readStruct(const T *given) {
  T out = {};
  if (given)
    std::memcpy(static_cast<void *>(&out), given, std::min<size_t>(given->struct_size, sizeof(T)));
  return out;
}

TilerunCompileOptions api::getCompileOptions(const TilerunCompileOptions *options) {
  TilerunCompileOptions out = readStruct(options);
  if (!out.num_warps)
    out.num_warps = 4;
  if (!out.num_stages)
    out.num_stages = 3;
  return out;
}

static std::vector<std::string> splitPath(const std::string &text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin)
      out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

static std::shared_ptr<cache::ArtifactCache>
makeCache(const char *folder, const std::function<void(int32_t, const std::string &)> &log) {
  auto warn = [log](const std::string &text) { log(TILERUN_LOG_WARNING, text); };
  if (!folder)
    return cache::getSharedCache(warn);
  cache::DiskCacheOptions options = cache::DiskCacheOptions::fromEnvironment(warn);
  options.folder = folder;
  auto disk = *folder ? std::make_shared<cache::DiskCache>(std::move(options)) : nullptr;
  return std::make_shared<cache::ArtifactCache>(std::move(disk));
}

TilerunStatus tilerunCreateRuntime(const TilerunRuntimeOptions *given, TilerunRuntime **runtime) {
  TILERUN_API_CHECK(runtime);
  TilerunRuntimeOptions options = readStruct(given);
  plugin::DiscoveryOptions discovery = plugin::DiscoveryOptions::fromEnvironment();
  for (uint32_t i = 0; i < options.num_plugins; ++i)
    discovery.files.push_back(options.plugins[i]);
  if (options.plugin_path)
    discovery.searchPath = splitPath(options.plugin_path);
  auto services = std::make_shared<compiler::Services>();
  if (options.log)
    services->log = [options](int32_t level, const std::string &text) {
      options.log(options.user, level, text.c_str());
    };
  else
    services->log = [](int32_t level, const std::string &text) {
      const char *mark = level >= TILERUN_LOG_WARNING ? "tilerun: warning: " : "";
      std::fprintf(stderr, "%s%s%s", mark, text.c_str(),
                   !text.empty() && text.back() == '\n' ? "" : "\n");
    };
  services->cache = makeCache(options.cache_folder, services->log);
  auto *made = new TilerunRuntime(std::move(discovery));
  made->services = std::move(services);
  *runtime = made;
  return TILERUN_STATUS_OK;
}

void tilerunDestroyRuntime(TilerunRuntime *runtime) { delete runtime; }

TilerunStatus tilerunLoadPlugin(TilerunRuntime *runtime, const char *path) {
  TILERUN_API_CHECK(runtime);
  TILERUN_API_CHECK(path);
  return finish(runtime->runtime.loadPlugin(path));
}

TilerunStatus tilerunListPlugins(TilerunRuntime *runtime,
                                 void (*each)(void *user, const TilerunPluginFile *file),
                                 void *user) {
  TILERUN_API_CHECK(runtime);
  TILERUN_API_CHECK(each);
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

TilerunStatus tilerunListDevices(TilerunRuntime *runtime, TilerunDeviceCallback each, void *user) {
  TILERUN_API_CHECK(runtime);
  TILERUN_API_CHECK(each);
  runtime->runtime.listDevices([&](const plugin::DeviceInfo &info) {
    TilerunPluginDeviceInfo out = {sizeof(out),       info.ordinal,      info.id.c_str(),
                                   info.uuid.c_str(), info.name.c_str(), info.target.c_str()};
    each(user, &out);
  });
  return TILERUN_STATUS_OK;
}

TilerunStatus tilerunOpenDevice(TilerunRuntime *runtime, const char *id,
                                const TilerunDeviceOptions *given, TilerunDevice **device) {
  TILERUN_API_CHECK(runtime);
  TILERUN_API_CHECK(device);
  TilerunDeviceOptions options = readStruct(given);
  const char *pool = std::getenv("TILERUN_MEMORY_POOL");
  core::DeviceOptions open;
  open.usePool =
      !(options.flags & TILERUN_DEVICE_NO_MEMORY_POOL) && !(pool && std::strcmp(pool, "0") == 0);
  open.foreignContext = options.foreign_context;
  auto made = std::make_unique<TilerunDevice>();
  core::Status status = runtime->runtime.openDevice(id ? id : "", open, made->device);
  if (status.isOk())
    *device = made.release();
  return finish(status);
}

void tilerunCloseDevice(TilerunDevice *device) { delete device; }

TilerunStatus tilerunGetDeviceProperty(TilerunDevice *device, uint32_t property,
                                       TilerunPropertyValue *value) {
  TILERUN_API_CHECK(device);
  TILERUN_API_CHECK(value);
  return finish(device->device->getProperty(property, *value));
}

const char *tilerunGetDeviceId(TilerunDevice *device) {
  return device ? device->device->getId().c_str() : "";
}
const char *tilerunGetDeviceTarget(TilerunDevice *device) {
  return device ? device->device->getInfo().target.c_str() : "";
}

TilerunStatus tilerunGetDeviceState(TilerunDevice *device) {
  TILERUN_API_CHECK(device);
  return finish(device->device->getState());
}

TilerunStatus tilerunGetNativeContext(TilerunDevice *device, uint64_t *context) {
  TILERUN_API_CHECK(device);
  TILERUN_API_CHECK(context);
  return finish(device->device->getNativeContext(*context));
}

TilerunStatus tilerunSynchronizeDevice(TilerunDevice *device) {
  TILERUN_API_CHECK(device);
  return finish(device->device->synchronize());
}

TilerunStatus tilerunGetMemoryStatistics(TilerunDevice *device,
                                         TilerunMemoryStatistics *statistics) {
  TILERUN_API_CHECK(device);
  TILERUN_API_CHECK(statistics);
  core::MemoryPool::Statistics s = device->device->getPool().getStatistics();
  TilerunMemoryStatistics out = {statistics->struct_size,
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
  std::memcpy(statistics, &out, std::min<size_t>(statistics->struct_size, sizeof(out)));
  return TILERUN_STATUS_OK;
}

TilerunStatus tilerunTrimMemory(TilerunDevice *device, uint64_t keepBytes) {
  TILERUN_API_CHECK(device);
  return finish(device->device->getPool().trim(keepBytes));
}
