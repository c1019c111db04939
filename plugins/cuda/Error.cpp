// How errors of the driver become errors of the ABI.
#include "plugins/cuda/Device.h"

using namespace cuda;

static void send(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                 const char *device, const char *word, const std::string &message) {
  if (!sink || !TILERUN_HAS(TilerunErrorSink, sink, report))
    return;
  TilerunErrorInfo info = {sizeof(TilerunErrorInfo), status, call, device, word, message.c_str()};
  sink->report(sink->user, &info);
}

TilerunStatus cuda::fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                         const TilerunPluginDevice *device, const std::string &what) {
  const char *id = device ? device->id.c_str() : "cuda";
  send(sink, status, call, id, nullptr, std::string(call) + " on " + id + ": " + what);
  return status;
}

static TilerunStatus getStatus(CUresult error) {
  switch (error) {
  case kNotReady:
    return TILERUN_STATUS_NOT_READY;
  case kInvalidValue:
  case kInvalidHandle:
  case kLaunchOutOfResources:
    return TILERUN_STATUS_INVALID_ARGUMENT;
  case kOutOfMemory:
    return TILERUN_STATUS_OUT_OF_MEMORY;
  case kNotInitialized:
  case kInsufficientDriver:
  case kNoDevice:
  case kInvalidDevice:
  case kSystemDriverMismatch:
  case kCompatNotSupportedOnDevice:
    return TILERUN_STATUS_UNAVAILABLE;
  case kInvalidImage:
  case kNoBinaryForGpu:
  case kInvalidPtx:
  case kJitCompilerNotFound:
  case kUnsupportedPtxVersion:
  case kJitCompilationDisabled:
  case kInvalidSource:
    return TILERUN_STATUS_COMPILE;
  case kNotFound:
    return TILERUN_STATUS_NOT_FOUND;
  case kNotSupported:
    return TILERUN_STATUS_UNSUPPORTED;
  case kEccUncorrectable:
  case kNvlinkUncorrectable:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextIsDestroyed:
  case kAssert:
    return TILERUN_STATUS_DEVICE_LOST;
  default:
    // From a broken stack to a failed launch, all leave the context unusable.
    return error >= kHardwareStackError && error <= kLaunchFailed ? TILERUN_STATUS_DEVICE_LOST
                                                                  : TILERUN_STATUS_DRIVER;
  }
}

bool cuda::isLoss(CUresult error) { return getStatus(error) == TILERUN_STATUS_DEVICE_LOST; }

// The kernels that may have lost the device. Under its lock.
static std::string describePending(TilerunPluginDevice *device) {
  std::vector<const char *> pending;
  bool more = device->log.getPending(pending);
  for (TilerunPluginStream *stream : device->streams)
    more |= stream->log.getPending(pending);
  // One device's fault may be the answer to every call of the process.
  if (pending.empty() && !more)
    return "; no kernel of this handle was under way, so that another handle or another device of "
           "this process may have been the cause";
  return tilerun::plugin_support::describePending(pending, more);
}

TilerunStatus cuda::failDriver(const TilerunErrorSink *sink, TilerunPluginDevice *device,
                               const char *expression, CUresult error, const std::string &detail) {
  TilerunStatus status = getStatus(error);
  if (status == TILERUN_STATUS_NOT_READY)
    return status; // An answer, no error.
  const Driver &driver = device->driver;
  std::string name = driver.getErrorName(error);
  std::string message = std::string(expression) + " on " + device->id + ": " + name + ": " +
                        driver.getErrorText(error) + (detail.empty() ? "" : "; " + detail);
  if (status == TILERUN_STATUS_DEVICE_LOST) {
    std::lock_guard lock(device->mutex);
    // Where a context could not be had, `detail` says what to do.
    if (device->context)
      message += describePending(device) + "; the device is lost: close it and open it again, in a "
                                           "new process if the driver refuses that";
    if (!device->lost.exchange(true))
      device->lossReason = message;
  }
  send(sink, status, expression, device->id.c_str(), name.c_str(), message);
  return status;
}

TilerunStatus cuda::failLost(const TilerunErrorSink *sink, TilerunPluginDevice *device,
                             const char *call) {
  std::string reason;
  {
    std::lock_guard lock(device->mutex);
    reason = device->lossReason;
  }
  return fail(sink, TILERUN_STATUS_DEVICE_LOST, call, device, "the device is lost since " + reason);
}

CurrentContext::CurrentContext(TilerunPluginDevice *device) : device(device) {
  CUcontext current = nullptr;
  if (device->driver.cuCtxGetCurrent(&current) == kSuccess && current == device->context)
    return;
  error = device->driver.cuCtxPushCurrent(device->context);
  pushed = error == kSuccess;
}

CurrentContext::~CurrentContext() {
  CUcontext popped;
  if (pushed)
    device->driver.cuCtxPopCurrent(&popped);
}
