// The code that plugins share over a driver with streams, events and modules, such as CUDA's and
// HIP's. A plugin provides its driver as a class D, derived from DeviceState<D>, which
// is an open device:
//
//   types     StreamHandle, EventHandle, ModuleHandle, FunctionHandle: of 64 bits; StreamHandle{}
//             is not a stream
//   scope     class Current: makes the driver's context current and leaves the thread as it was;
//             it has a member `outcome`
//   errors    static getStatus(error); getErrorName(error), getErrorText(error)
//   calls     named as here and in the entries of the ABI, each returning an Outcome: TRY_DRIVER(…)
//
// The parts: Device.h, Memory.h, Streams.h, Modules.h; each has an add…Entries<D>(table). The null
// plugin has the shortest D.
#pragma once

#include "plugins/stream_driver/Users.h"
#include "plugins/support/Error.h"
#include "plugins/support/LossLatch.h"
#include "plugins/support/ModuleTable.h"
#include "plugins/support/Property.h"
#include "plugins/support/StreamSet.h"

#include <memory>

namespace tilerun::stream_driver {

using namespace plugin_support;

/// The result of a call of the driver; true if it failed.
struct Outcome {
  int error = 0; ///< The driver's number; 0: it worked.
  const char *expression = "";
  explicit operator bool() const { return error != 0; }
};

/// A call of the driver with its text, for errors.
#define DRIVER_CALL(expression)                                                                    \
  ::tilerun::stream_driver::Outcome { static_cast<int>((expression)), #expression }

template <typename D> struct StreamOf {
  D *device;
  typename D::StreamHandle handle;
  bool owned;
  LaunchLog log;
};
template <typename D> struct EventOf {
  D *device;
  typename D::EventHandle handle;
};
template <typename D> struct KernelOf {
  D *device;
  typename D::FunctionHandle function;
  const char *name;                ///< In the device's kernelNames.
  const ModuleTable::Entry *entry; ///< Null if the artifact does not describe it.
  uint32_t maxShared;              ///< The maximum for a launch.
  typename D::KernelState state;
};
template <typename D> struct ModuleOf {
  D *device;
  typename D::ModuleHandle handle;
  ModuleTable table;
  std::mutex mutex; ///< Guards `kernels`.
  std::vector<std::unique_ptr<KernelOf<D>>> kernels;
};

template <typename D> struct DeviceState {
  uint32_t ordinal = 0;
  /// The properties of these names; "" if the driver does not report one.
  std::string id, uuid, name, arch, driverVersion, pciAddress, binaryCompatibility;
  bool isOpen = false; ///< Until then, an error that means loss is an error of opening.
  LossLatch latch;
  StreamSet<StreamOf<D>> streams;
  std::mutex namesMutex;
  std::set<std::string> kernelNames; ///< Outlive their modules.

  // Defaults that a driver may keep.
  struct KernelState {}; ///< Of a kernel, the driver's own.
  static constexpr std::string_view kDerivedForms[] = {"words"};
  TilerunStatus open(const TilerunErrorSink *) { return TILERUN_STATUS_OK; }
  bool sharesMemory(const DeviceState &peer) const { return this == &peer; }
  static bool launchesWait() { return false; } ///< Until the grid has ended.
  template <typename Function> Outcome getSharedLimit(Function, uint32_t &, uint32_t &most) const {
    most = static_cast<const D *>(this)->maxShared;
    return {};
  }
  template <typename Function> Outcome allowShared(Function, uint32_t) { return {}; }

private:
  DeviceState() = default; // A base of D alone.
  friend D;
};

// The ABI's opaque handles are these structs.
template <typename D> D *get(TilerunPluginDevice *handle) { return reinterpret_cast<D *>(handle); }
template <typename D> StreamOf<D> *get(TilerunPluginStream *handle) {
  return reinterpret_cast<StreamOf<D> *>(handle);
}
template <typename D> EventOf<D> *get(TilerunPluginEvent *handle) {
  return reinterpret_cast<EventOf<D> *>(handle);
}
template <typename D> ModuleOf<D> *get(TilerunPluginModule *handle) {
  return reinterpret_cast<ModuleOf<D> *>(handle);
}
template <typename D> KernelOf<D> *get(TilerunPluginKernel *handle) {
  return reinterpret_cast<KernelOf<D> *>(handle);
}
/// A null stream means the device's `own`.
template <typename D> auto getStream(D *device, TilerunPluginStream *stream) {
  return stream ? get<D>(stream)->handle : device->own;
}
template <typename D> LaunchLog &getLog(D *device, TilerunPluginStream *stream) {
  return stream ? get<D>(stream)->log : device->streams.log;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

using plugin_support::fail;
/// Reports an error that is not the driver's.
template <typename D>
TilerunStatus fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                   const D *device, const std::string &what) {
  return fail(sink, status, call, device->id.c_str(), what);
}

template <typename D>
TilerunStatus failLost(const TilerunErrorSink *sink, const D *device, const char *call) {
  return fail(sink, TILERUN_STATUS_DEVICE_LOST, call, device,
              "the device is lost since " + device->latch.getReason());
}

/// Why a device answers that it is lost before it is open: some drivers give none to a process that
/// lost one. `loss`: what the process lost it by; "" if it is not known to have.
inline std::string describeEarlierLoss(const std::string &loss) {
  return loss.empty() ? "; if this process lost a device before, its driver may give it none any "
                        "more: start a new process"
                      : "; this process lost the device before, and its driver does not give it "
                        "back: start a new process; it was lost by " +
                            loss;
}

/// Reports a failed call of the driver; `detail` describes the request. Marks the device as lost if
/// the error says so. OK if it did not fail.
template <typename D>
TilerunStatus finish(const TilerunErrorSink *sink, D *device, const Outcome &outcome,
                     const std::string &detail = "") {
  if (!outcome)
    return TILERUN_STATUS_OK;
  TilerunStatus status = D::getStatus(outcome.error);
  if (status == TILERUN_STATUS_NOT_READY)
    return status; // An answer, not an error.
  const std::string name = device->getErrorName(outcome.error);
  std::string message = std::string(outcome.expression) + " on " + device->id + ": " + name + ": " +
                        device->getErrorText(outcome.error) + (detail.empty() ? "" : "; " + detail);
  if (status == TILERUN_STATUS_DEVICE_LOST) {
    std::vector<const char *> pending;
    const bool more = device->isOpen && device->streams.getPending(pending);
    // One device's fault may be the answer to every call of the process.
    if (device->isOpen && pending.empty() && !more)
      message += "; no kernel of this handle was under way, so that another handle or another "
                 "device of this process may have been the cause";
    if (device->isOpen) {
      message += describePending(pending, more) +
                 "; the device is lost: close it and open it again, in a new process if the driver "
                 "refuses that";
      device->latch.lose(message);
    } else {
      // The reason stays what it was, however often the device is tried.
      const std::string loss = getUsers<D>().getLastLoss(device->ordinal);
      device->latch.lose(loss.empty() ? message : loss);
      message += describeEarlierLoss(loss);
    }
  }
  return report(sink, status, outcome.expression, device->id.c_str(), name.c_str(), message);
}

/// Ends the function if a call of the driver fails.
#define TRY_DRIVER(device, sink, outcome)                                                          \
  do {                                                                                             \
    if (const ::tilerun::stream_driver::Outcome outcome_ = (outcome)) [[unlikely]]                 \
      return ::tilerun::stream_driver::finish(sink, device, outcome_);                             \
  } while (false)

/// Begins an entry that works on a device: refuses a lost one, makes its context current.
#define ENTER_DEVICE(D, device, sink, call)                                                        \
  if ((device)->latch.isLost())                                                                    \
    return ::tilerun::stream_driver::failLost(sink, device, call);                                 \
  const typename D::Current current_(*(device));                                                   \
  TRY_DRIVER(device, sink, current_.outcome)

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// D::count(reason) says how many there are; describe() fills in what DeviceState has of this one,
/// which needs no context; adopt(context) works in one of the caller's, and may be missing;
/// open(sink) and close() do the rest; getNumber(property, number, known) returns properties that
/// are not text.
template <typename D> struct Devices {
  static TilerunStatus describe(uint32_t ordinal, std::unique_ptr<D> &device,
                                const TilerunErrorSink *sink) {
    device = std::make_unique<D>();
    device->ordinal = ordinal;
    device->id = std::string(D::kName) + ":" + std::to_string(ordinal);
    return finish(sink, device.get(), device->describe());
  }

  static TilerunStatus getDevices(TilerunDeviceCallback each, void *user,
                                  const TilerunErrorSink *sink) {
    std::string reason;
    const uint32_t count = D::count(reason);
    if (!count)
      return fail(sink, TILERUN_STATUS_UNAVAILABLE, "get_devices", D::kName, reason);
    // All are described before any is reported, so that a failure has reported nothing.
    std::vector<std::unique_ptr<D>> devices(count);
    for (uint32_t i = 0; i < count; ++i)
      TILERUN_PLUGIN_TRY(describe(i, devices[i], sink));
    for (const auto &device : devices) {
      const std::string target = std::string(D::kName) + ":" + device->arch;
      TilerunPluginDeviceInfo info = {sizeof(info),         device->ordinal,
                                      device->id.c_str(),   device->uuid.c_str(),
                                      device->name.c_str(), target.c_str()};
      each(user, &info);
    }
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus openDevice(uint32_t ordinal, const TilerunPluginOpenOptions *options,
                                  TilerunPluginDevice **out, const TilerunErrorSink *sink) {
    std::string reason;
    const uint32_t count = D::count(reason);
    if (ordinal >= count)
      return fail(sink, TILERUN_STATUS_UNAVAILABLE, "open_device", D::kName,
                  count ? plugin_support::describeMissingDevice(ordinal, count) : reason);
    std::unique_ptr<D> device;
    TILERUN_PLUGIN_TRY(describe(ordinal, device, sink));
    if (options && TILERUN_HAS(TilerunPluginOpenOptions, options, foreign_context)) {
      if constexpr (requires { device->adopt(uint64_t()); })
        device->adopt(options->foreign_context);
      else
        return fail(sink, TILERUN_STATUS_UNSUPPORTED, "open_device", device.get(),
                    "the device has no contexts that could be adopted");
    }
    TILERUN_PLUGIN_TRY(device->open(sink));
    if (TilerunStatus status = makeOwnStream(device.get(), sink)) {
      device->close();
      return status;
    }
    device->isOpen = true;
    *out = reinterpret_cast<TilerunPluginDevice *>(device.release());
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus makeOwnStream(D *device, const TilerunErrorSink *sink) {
    ENTER_DEVICE(D, device, sink, "open_device");
    return finish(sink, device, device->createStream(device->own));
  }

  static void closeDevice(TilerunPluginDevice *handle) {
    if (!handle)
      return;
    std::unique_ptr<D> device(get<D>(handle));
    {
      const typename D::Current current(*device);
      if (!current.outcome)
        device->destroyStream(device->own);
    }
    device->close();
  }

  static TilerunStatus getDeviceState(TilerunPluginDevice *handle, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    return device->latch.isLost() ? failLost(sink, device, "get_device_state") : TILERUN_STATUS_OK;
  }

  static TilerunStatus getProperty(TilerunPluginDevice *handle, uint32_t property,
                                   TilerunPropertyValue *value, const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    const std::pair<uint32_t, const std::string &> texts[] = {
        {TILERUN_DEVICE_PROPERTY_NAME, device->name},
        {TILERUN_DEVICE_PROPERTY_UUID, device->uuid},
        {TILERUN_DEVICE_PROPERTY_ARCH, device->arch},
        {TILERUN_DEVICE_PROPERTY_DRIVER_VERSION, device->driverVersion},
        {TILERUN_DEVICE_PROPERTY_PCI_ADDRESS, device->pciAddress},
        {TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, device->binaryCompatibility}};
    for (const auto &[number, text] : texts)
      if (property == number && !text.empty())
        return setValue(value, text.c_str());
    uint64_t number = 0;
    ENTER_DEVICE(D, device, sink, "get_device_property");
    bool known = true;
    TRY_DRIVER(device, sink, device->getNumber(property, number, known));
    if (known)
      return setValue(value, number);
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_device_property", device,
                "property " + std::to_string(property) + " is not known");
  }

  static TilerunStatus synchronizeDevice(TilerunPluginDevice *handle,
                                         const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "synchronize_device");
    return finish(sink, device, device->streams.finishAfter([&] { return device->synchronize(); }));
  }
};

template <typename D> void addDeviceEntries(TilerunPlugin &table) {
  table.get_devices = Devices<D>::getDevices;
  table.open_device = Devices<D>::openDevice;
  table.close_device = Devices<D>::closeDevice;
  table.get_device_state = Devices<D>::getDeviceState;
  table.get_device_property = Devices<D>::getProperty;
  table.synchronize_device = Devices<D>::synchronizeDevice;
}

} // namespace tilerun::stream_driver
