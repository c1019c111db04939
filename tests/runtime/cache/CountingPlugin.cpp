// The counting plugin: artifacts are the kernel's bytecode, named "kernel".
#include "tests/runtime/cache/CountingPlugin.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace tilerun;

struct TilerunPluginDevice {};
struct TilerunPluginModule {};
struct TilerunPluginKernel {};

namespace {

std::atomic<unsigned> numCompiled{0}, numFinalized{0}, numLoaded{0}, numRefused{0};

struct Given {
  TilerunPluginArtifact artifact = {}; // First.
  std::string bytes, compatibility;
  TilerunPluginKernelInfo kernel = {sizeof(kernel), 0, "kernel", nullptr, 1, 0};
  Given(std::string code, std::string name)
      : bytes(std::move(code)), compatibility(std::move(name)) {
    artifact = {sizeof(artifact),
                1,
                reinterpret_cast<const uint8_t *>(bytes.data()),
                bytes.size(),
                compatibility.c_str(),
                &kernel,
                nullptr};
  }
};

TilerunStatus compile(const TilerunPluginCompileRequest *request,
                      const TilerunPluginArtifact **artifact, const TilerunErrorSink *) {
  ++numCompiled;
  // Long enough for other threads to come by.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *artifact = &(new Given(std::string(reinterpret_cast<const char *>(request->bytecode),
                                      request->num_bytes),
                          "counting:portable"))
                   ->artifact;
  return TILERUN_STATUS_OK;
}

TilerunStatus finalize(TilerunPluginDevice *, const TilerunPluginArtifact *artifact,
                       const TilerunPluginArtifact **out, const TilerunErrorSink *) {
  ++numFinalized;
  *out =
      &(new Given(std::string(reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes),
                  "counting:binary"))
           ->artifact;
  return TILERUN_STATUS_OK;
}

TilerunStatus load(TilerunPluginDevice *, const TilerunPluginArtifact *,
                   TilerunPluginModule **module, const TilerunErrorSink *) {
  if (numRefused > 0) {
    --numRefused;
    return TILERUN_STATUS_INCOMPATIBLE;
  }
  ++numLoaded;
  *module = new TilerunPluginModule;
  return TILERUN_STATUS_OK;
}

const TilerunPlugin &getTable() {
  static const TilerunPlugin table = [] {
    TilerunPlugin t = {};
    t.struct_size = sizeof(t);
    t.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
    t.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
    t.name = "counting";
    t.version = "1";
    t.compiler_version = "1";
    t.compile = compile;
    t.finalize_artifact = finalize;
    t.release_artifact = [](const TilerunPluginArtifact *a) {
      delete reinterpret_cast<Given *>(const_cast<TilerunPluginArtifact *>(a));
    };
    t.get_devices = [](TilerunDeviceCallback, void *, const TilerunErrorSink *) -> TilerunStatus {
      return TILERUN_STATUS_OK;
    };
    t.open_device = [](uint32_t, const TilerunPluginOpenOptions *, TilerunPluginDevice **device,
                       const TilerunErrorSink *) -> TilerunStatus {
      *device = new TilerunPluginDevice;
      return TILERUN_STATUS_OK;
    };
    t.close_device = [](TilerunPluginDevice *device) { delete device; };
    t.synchronize_device = [](TilerunPluginDevice *, const TilerunErrorSink *) -> TilerunStatus {
      return TILERUN_STATUS_OK;
    };
    t.get_device_property = [](TilerunPluginDevice *, uint32_t property,
                               TilerunPropertyValue *value,
                               const TilerunErrorSink *) -> TilerunStatus {
      if (property != TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY)
        return TILERUN_STATUS_UNSUPPORTED;
      value->type = TILERUN_VALUE_STRING;
      value->string = "counting:binary";
      return TILERUN_STATUS_OK;
    };
    t.load_module = load;
    t.unload_module = [](TilerunPluginModule *module) { delete module; };
    t.get_kernel = [](TilerunPluginModule *, const char *, TilerunPluginKernel **kernel,
                      const TilerunErrorSink *) -> TilerunStatus {
      static TilerunPluginKernel only;
      *kernel = &only;
      return TILERUN_STATUS_OK;
    };
    t.launch = [](TilerunPluginKernel *, TilerunPluginStream *, const TilerunPluginLaunch *,
                  const TilerunErrorSink *) -> TilerunStatus { return TILERUN_STATUS_OK; };
    return t;
  }();
  return table;
}

} // namespace

counting::Counts counting::getCounts() { return {numCompiled, numFinalized, numLoaded}; }
void counting::refuseLoads(unsigned times) { numRefused = times; }

std::shared_ptr<const plugin::Plugin> counting::getPlugin() {
  std::string reason;
  return plugin::Plugin::adopt(&getTable(), "in this process", reason);
}

plugin::DeviceInfo counting::getDevice() {
  return {0, "counting:0", "", "counting", "counting:any"};
}
