// The plugin's handles, and how its errors are made.
#pragma once

#include "plugins/cuda/Driver.h"
#include "plugins/support/LaunchLog.h"
#include "runtime/include/tilerun/plugin.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace cuda {

using tilerun::plugin_support::LaunchLog;

} // namespace cuda

struct TilerunPluginDevice {
  const cuda::Driver &driver;
  cuda::CUdevice handle = 0;
  uint32_t ordinal = 0;
  std::string id; ///< "cuda:0"
  std::string name, uuid, arch, pciAddress, driverVersion;
  std::string binaryCompatibility; ///< Of what finalize_artifact gives.
  int capability = 0;              ///< 90
  uint64_t totalMemory = 0;
  bool memoryPools = false;
  bool overlapsGrids = false; ///< TILERUN_LAUNCH_OVERLAP has an effect.
  uint32_t maxShared = 0;     ///< Bytes of shared memory of one program.
  bool foreign = false;       ///< The context is the caller's.
  cuda::CUcontext context = nullptr;
  cuda::CUstream stream = nullptr; ///< What a null stream means.
  cuda::LaunchLog log;             ///< Of that stream.

  std::atomic<bool> lost{false};
  std::mutex mutex; ///< Guards what follows.
  std::string lossReason;
  std::set<std::string> kernelNames; ///< Outlive their modules.
  std::set<TilerunPluginStream *> streams;
};
struct TilerunPluginStream {
  TilerunPluginDevice *device;
  cuda::CUstream handle;
  bool owned;
  cuda::LaunchLog log;
};
struct TilerunPluginEvent {
  TilerunPluginDevice *device;
  cuda::CUevent handle;
};
struct TilerunPluginKernel {
  TilerunPluginDevice *device;
  cuda::CUfunction function;
  const char *name;              ///< In the device's kernelNames.
  int64_t packedBytes = -1;      ///< Size of the arguments; -1 where it is not known.
  uint32_t maxDynamicShared = 0; ///< What a launch may ask for.
};
struct TilerunPluginModule {
  TilerunPluginDevice *device;
  cuda::CUmodule handle;
  struct Entry {
    std::string name;
    int64_t packedBytes;
    uint32_t sharedBytes;
  };
  std::vector<Entry> entries;
  std::mutex mutex; ///< Guards `kernels`.
  std::vector<std::unique_ptr<TilerunPluginKernel>> kernels;
};

namespace cuda {

/// Reports an error that is not the driver's, and returns `status`. `device` may be null.
TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                   const TilerunPluginDevice *device, const std::string &what);

/// Reports a failed driver call; `detail` says what was asked for. Marks the device as lost where
/// the error says so.
TilerunStatus failDriver(const TilerunErrorSink *sink, TilerunPluginDevice *device,
                         const char *expression, CUresult error, const std::string &detail = "");

/// Whether an error says that the context is of no use any more.
bool isLoss(CUresult error);

/// Reports DEVICE_LOST with the reason.
TilerunStatus failLost(const TilerunErrorSink *sink, TilerunPluginDevice *device, const char *call);

/// Makes a context current for a scope, and leaves the thread as it was.
class CurrentContext {
public:
  explicit CurrentContext(TilerunPluginDevice *device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  CUresult getError() const { return error; }

private:
  TilerunPluginDevice *device;
  bool pushed = false;
  CUresult error = kSuccess;
};

inline LaunchLog &getLog(TilerunPluginDevice *device, TilerunPluginStream *stream) {
  return stream ? stream->log : device->log;
}
inline CUstream getStream(TilerunPluginDevice *device, TilerunPluginStream *stream) {
  return stream ? stream->handle : device->stream;
}
/// What the compatibility of `artifact` says against the device; reports.
TilerunStatus checkCompatibility(TilerunPluginDevice *device, const char *compatibility,
                                 const TilerunErrorSink *sink);
/// Whether a compatibility string is that of a binary, which the driver need not compile.
bool isBinary(const char *compatibility);
/// Size of packed arguments.
int64_t getPackedBytes(const TilerunPluginKernelInfo &info);
/// Refuses an artifact whose arrays have elements of another size than this plugin's.
TilerunStatus checkKernels(TilerunPluginDevice *device, const TilerunPluginArtifact &artifact,
                           const char *call, const TilerunErrorSink *sink);

/// The entries of the table, by file.
void addDeviceEntries(TilerunPlugin &table);
void addMemoryEntries(TilerunPlugin &table);
void addStreamEntries(TilerunPlugin &table);
void addModuleEntries(TilerunPlugin &table);
void addLinkEntries(TilerunPlugin &table);
void addSelfTestEntries(TilerunPlugin &table);
void addCompileEntries(TilerunPlugin &table);

} // namespace cuda

/// Calls the driver; a failure is reported and ends the function with its status.
#define CU_TRY(device, sink, expression)                                                           \
  do {                                                                                             \
    if (::cuda::CUresult error_ = (device)->driver.expression)                                     \
      return ::cuda::failDriver(sink, device, #expression, error_);                                \
  } while (false)

/// Begins an entry that works on a device: refuses a lost one, makes its context current.
#define CU_ENTER(device, sink, call)                                                               \
  if ((device)->lost.load(std::memory_order_relaxed))                                              \
    return ::cuda::failLost(sink, device, call);                                                   \
  ::cuda::CurrentContext current_(device);                                                         \
  if (current_.getError())                                                                         \
  return ::cuda::failDriver(sink, device, "cuCtxPushCurrent(context)", current_.getError())
