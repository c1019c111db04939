// Modules and launches. Required of D: checkCompatibility(text), which returns the reason if not;
// loadModule(module, artifact, detail) with the driver's log in `detail`; unloadModule,
// getFunction; maxShared, and getSharedLimit and allowShared for shared memory beyond what every
// launch may have; getKernelNumber; launch, which takes no lock and allocates nothing; and
// isFinal(compatibility) and finalize(bytes, detail), which makes bytes that the driver need not
// compile. A driver with tensor maps has a class TensorMaps, which makes those of one launch.
#pragma once

#include "plugins/stream_driver/Device.h"
#include "plugins/support/ArtifactCheck.h"
#include "plugins/support/OwnedArtifact.h"

#include <algorithm>

namespace tilerun::stream_driver {

/// A launch as passed to the driver: with separate parameters if some are derived.
struct LaunchCall {
  const TilerunPluginLaunch &launch;
  void **parameters; ///< Null: they are the launch's packed arguments alone.
  uint32_t cluster[3];
  bool overlap; ///< TILERUN_LAUNCH_OVERLAP
};

/// Checks an artifact before loading and finalizing.
template <typename D>
TilerunStatus checkArtifact(D *device, const TilerunPluginArtifact &artifact, const char *call,
                            const TilerunErrorSink *sink) {
  const char *text = artifact.compatibility ? artifact.compatibility : "";
  if (std::string reason = device->checkCompatibility(text); !reason.empty())
    return fail(sink, TILERUN_STATUS_INCOMPATIBLE, "check_compatibility", device,
                std::string("the artifact is for '") + text + "': " + reason);
  if (!artifact.num_bytes)
    return fail(sink, TILERUN_STATUS_COMPILE, call, device, "the artifact is empty");
  if (std::string wrong = checkKernels(artifact, D::kDerivedForms); !wrong.empty())
    return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, call, device, wrong);
  return TILERUN_STATUS_OK;
}

/// Whether this code is slower once it is finalized, by a driver that has such code.
template <typename D> bool losesByFinalizing(const D &device, const std::string &code) {
  if constexpr (requires { device.losesByFinalizing(code); })
    return device.losesByFinalizing(code);
  return false;
}

template <typename D> struct Modules {
  static TilerunStatus checkCompatibility(TilerunPluginDevice *handle, const char *compatibility,
                                          const TilerunErrorSink *sink) {
    TilerunPluginArtifact artifact = {};
    artifact.struct_size = sizeof(artifact);
    artifact.num_bytes = 1;
    artifact.compatibility = compatibility;
    return checkArtifact(get<D>(handle), artifact, "check_compatibility", sink);
  }

  static TilerunStatus loadModule(TilerunPluginDevice *handle,
                                  const TilerunPluginArtifact *artifact, TilerunPluginModule **out,
                                  const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "load_module");
    TILERUN_PLUGIN_TRY(checkArtifact(device, *artifact, "load_module", sink));
    typename D::ModuleHandle native{};
    std::string detail;
    if (Outcome outcome = device->loadModule(native, *artifact, detail))
      return finish(sink, device, outcome, detail);
    *out = reinterpret_cast<TilerunPluginModule *>(
        new ModuleOf<D>{device, native, ModuleTable(*artifact), {}, {}});
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus finalizeArtifact(TilerunPluginDevice *handle,
                                        const TilerunPluginArtifact *artifact,
                                        const TilerunPluginArtifact **out,
                                        const TilerunErrorSink *sink) {
    D *device = get<D>(handle);
    ENTER_DEVICE(D, device, sink, "finalize_artifact");
    TILERUN_PLUGIN_TRY(checkArtifact(device, *artifact, "finalize_artifact", sink));
    std::string bytes(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes);
    std::string compatibility = artifact->compatibility, detail;
    if (!device->isFinal(compatibility) && !losesByFinalizing(*device, bytes)) {
      if (Outcome outcome = device->finalize(bytes, detail))
        return finish(sink, device, outcome, detail);
      compatibility = device->binaryCompatibility;
    }
    auto binary = std::make_unique<OwnedArtifact>(std::move(bytes), std::move(compatibility));
    binary->addKernels(*artifact);
    *out = OwnedArtifact::give(std::move(binary));
    return TILERUN_STATUS_OK;
  }

  static void unloadModule(TilerunPluginModule *handle) {
    if (!handle)
      return;
    std::unique_ptr<ModuleOf<D>> module(get<D>(handle));
    const typename D::Current current(*module->device);
    if (!current.outcome)
      module->device->unloadModule(module->handle);
  }

  static TilerunStatus getKernel(TilerunPluginModule *handle, const char *name,
                                 TilerunPluginKernel **out, const TilerunErrorSink *sink) {
    ModuleOf<D> *module = get<D>(handle);
    D *device = module->device;
    ENTER_DEVICE(D, device, sink, "get_kernel");
    typename D::FunctionHandle function{};
    if (Outcome outcome = device->getFunction(function, module->handle, name))
      return finish(sink, device, outcome, module->table.describe(name));
    uint32_t fixed = 0, most = 0;
    TRY_DRIVER(device, sink, device->getSharedLimit(function, fixed, most));
    const ModuleTable::Entry *entry = module->table.find(name);
    const uint64_t wanted = entry ? entry->sharedBytes : 0;
    if (fixed + wanted > device->maxShared)
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "get_kernel", device,
                  describeSharedMemory(name, fixed + wanted, device->maxShared));
    // Done once here instead of in each launch.
    if (wanted > most) {
      most = static_cast<uint32_t>(wanted);
      TRY_DRIVER(device, sink, device->allowShared(function, most));
    }
    const char *kept = nullptr;
    {
      std::lock_guard lock(device->namesMutex);
      kept = device->kernelNames.insert(name).first->c_str();
    }
    std::lock_guard lock(module->mutex);
    module->kernels.emplace_back(new KernelOf<D>{device, function, kept, entry, most, {}});
    *out = reinterpret_cast<TilerunPluginKernel *>(module->kernels.back().get());
    return TILERUN_STATUS_OK;
  }

  static TilerunStatus getKernelProperty(TilerunPluginKernel *handle, uint32_t property,
                                         TilerunPropertyValue *value,
                                         const TilerunErrorSink *sink) {
    KernelOf<D> *kernel = get<D>(handle);
    ENTER_DEVICE(D, kernel->device, sink, "get_kernel_property");
    uint64_t number = 0;
    bool known = true;
    TRY_DRIVER(kernel->device, sink,
               kernel->device->getKernelNumber(property, kernel->function, number, known));
    if (known)
      return setValue(value, number);
    return fail(sink, TILERUN_STATUS_UNSUPPORTED, "get_kernel_property", kernel->device,
                "property " + std::to_string(property) + " is not known");
  }

  // With derived parameters the driver gets a pointer to each, and lays them out itself.
  [[gnu::noinline]] static Outcome launchDerived(KernelOf<D> *kernel, TilerunPluginStream *stream,
                                                 LaunchCall call) {
    void *parameters[kMostWithDerived];
    const ModuleTable::Entry &entry = *kernel->entry;
    size_t count = 0;
    const auto *packed = static_cast<const char *>(call.launch.arguments);
    for (uint32_t offset : entry.offsets)
      parameters[count++] = const_cast<char *>(packed + offset);
    for (size_t i = 0; i < entry.derived.size(); ++i)
      parameters[count++] = const_cast<uint64_t *>(call.launch.derived[i]);
    call.parameters = parameters;
    if constexpr (requires { typename D::TensorMaps; }) {
      typename D::TensorMaps maps;
      if (Outcome outcome = maps.encode(*kernel->device, kernel->state, entry.derived,
                                        parameters + entry.offsets.size()))
        return outcome;
      return kernel->device->launch(kernel->function, call, getStream(kernel->device, stream));
    }
    return kernel->device->launch(kernel->function, call, getStream(kernel->device, stream));
  }

  static TilerunStatus launch(TilerunPluginKernel *handle, TilerunPluginStream *stream,
                              const TilerunPluginLaunch *launch, const TilerunErrorSink *sink) {
    KernelOf<D> *kernel = get<D>(handle);
    D *device = kernel->device;
    ENTER_DEVICE(D, device, sink, "launch");
    if (kernel->entry && launch->num_bytes != kernel->entry->packedBytes)
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", device,
                  "the arguments should have " + std::to_string(kernel->entry->packedBytes) +
                      " bytes: " + describeLaunch(kernel->name, *launch));
    if (launch->shared_bytes > kernel->maxShared)
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", device,
                  describeSharedMemory(kernel->name, launch->shared_bytes, kernel->maxShared));
    LaunchCall call = {*launch, nullptr, {}, false};
    call.overlap =
        TILERUN_HAS(TilerunPluginLaunch, launch, flags) && launch->flags & TILERUN_LAUNCH_OVERLAP;
    if (TILERUN_HAS(TilerunPluginLaunch, launch, cluster[0]))
      std::copy(launch->cluster, launch->cluster + 3, call.cluster);
    const bool isDerived = kernel->entry && !kernel->entry->derived.empty();
    if (isDerived && !TILERUN_HAS(TilerunPluginLaunch, launch, derived)) [[unlikely]]
      return fail(sink, TILERUN_STATUS_INVALID_ARGUMENT, "launch", device,
                  "the launch lacks the derived parameters: " +
                      describeLaunch(kernel->name, *launch));
    LaunchLog &log = getLog(device, stream);
    const uint32_t index = log.add(kernel->name);
    const Outcome outcome = isDerived
                                ? launchDerived(kernel, stream, call)
                                : device->launch(kernel->function, call, getStream(device, stream));
    if (!outcome) [[likely]]
      return TILERUN_STATUS_OK;
    // It never ran, unless launches were made to wait: the fault is that of an earlier launch.
    if (!D::launchesWait())
      log.withdraw(index);
    return finish(sink, device, outcome, describeLaunch(kernel->name, *launch));
  }
};

template <typename D> void addModuleEntries(TilerunPlugin &table) {
  table.check_compatibility = Modules<D>::checkCompatibility;
  table.load_module = Modules<D>::loadModule;
  table.unload_module = Modules<D>::unloadModule;
  table.get_kernel = Modules<D>::getKernel;
  table.get_kernel_property = Modules<D>::getKernelProperty;
  table.launch = Modules<D>::launch;
  if constexpr (requires { D::isFinal(std::string()); })
    table.finalize_artifact = Modules<D>::finalizeArtifact;
  table.release_artifact = OwnedArtifact::release;
}

} // namespace tilerun::stream_driver
