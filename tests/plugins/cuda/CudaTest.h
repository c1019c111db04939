// Shared by the tests of the CUDA plugin: the plugin over the fake driver, and a program that does
// everything with a device.
#pragma once

#include "plugins/cuda/Driver.h"
#include "tests/plugins/PluginUse.h"
#include "tests/plugins/cuda/FakeCuda.h"

#include <cstdlib>
#include <dlfcn.h>

namespace cuda_test {

using namespace tilerun::plugin;
using plugin_test::waitForChild;

class Cuda : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
    std::string reason;
    plugin = Plugin::load(CUDA_PLUGIN, reason);
    ASSERT_TRUE(plugin) << reason;
    ASSERT_EQ(plugin->getDevices(reason).size(), 2u) << reason;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_TRUE(library);
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      ASSERT_TRUE(function);
    };
    find(fail, "fakeCudaFail");
    find(reset, "fakeCudaReset");
    find(countAlive, "fakeCudaCountAlive");
    find(countCalls, "fakeCudaCountCalls");
  }
  ~Cuda() override {
    reset();
    unsetenv("FAKE_CUDA_REVIVE");
  }

  const TilerunPlugin &table() { return plugin->getTable(); }

  // Everything that a program does with a device; OK, or the first error. Releases all of it.
  TilerunStatus runAll(Error &error) {
    plugin_test::DeviceUse use(table());
    const TilerunPlugin &t = use.t;
    const TilerunErrorSink *sink = use.sink;
    const TilerunPluginArtifact *binary = nullptr;
    TilerunPluginModule *portable = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    int32_t value = 20;
    TilerunPluginPointerInfo info = {};
    info.struct_size = sizeof(info);
    auto run = [&]() -> TilerunStatus {
      PLUGIN_TEST_TRY(use.open());
      PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, 64, &use.a, sink));
      PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, 64, &use.b, sink));
      PLUGIN_TEST_TRY(t.allocate_host(use.device, 64, &use.pinned, sink));
      PLUGIN_TEST_TRY(t.get_pointer_info(use.device, use.a, &info, sink));
      PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 1, 1, 64, sink));
      PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 1, 2, 64, sink));
      PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a, 0, 4, 64, sink));
      PLUGIN_TEST_TRY(t.copy_to_device(use.device, use.stream, use.a, &value, 4, sink));
      PLUGIN_TEST_TRY(t.get_self_test("tilerun_test_delay", &use.artifact, sink));
      PLUGIN_TEST_TRY(t.load_module(use.device, use.artifact, &portable, sink));
      PLUGIN_TEST_TRY(t.finalize_artifact(use.device, use.artifact, &binary, sink));
      PLUGIN_TEST_TRY(t.load_module(use.device, binary, &use.module, sink));
      PLUGIN_TEST_TRY(t.get_kernel(use.module, "tilerun_test_delay", &kernel, sink));
      PLUGIN_TEST_TRY(
          t.get_kernel_property(kernel, TILERUN_KERNEL_PROPERTY_REGISTERS, &use.property, sink));
      return use.launch(kernel, value);
    };
    TilerunStatus status = run();
    t.unload_module(portable);
    t.release_artifact(binary);
    error = use.release(status);
    EXPECT_TRUE(status || value == 21) << value;
    return status;
  }

  static inline std::shared_ptr<const Plugin> plugin;
  static inline decltype(&fakeCudaFail) fail;
  static inline decltype(&fakeCudaReset) reset;
  static inline decltype(&fakeCudaCountAlive) countAlive;
  static inline decltype(&fakeCudaCountCalls) countCalls;
};

} // namespace cuda_test
