// Shared by the tests of devices: the plugin without its compiler over the loader that fails, and
// a program that does everything with a device.
#pragma once

#include "plugins/vulkan/Functions.h"
#include "tests/plugins/PluginUse.h"
#include "tests/plugins/vulkan/FakeLoader.h"

#include <cstdlib>
#include <dlfcn.h>

namespace vulkan_test {

using namespace tilerun::plugin;
using plugin_test::waitForChild;

/// Whatever other drivers the machine has.
inline void useLavapipe() {
  for (const char *name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (*VULKAN_DRIVER)
      setenv(name, VULKAN_DRIVER, 1);
}

class Devices : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TILERUN_VULKAN_LOADER", FAKE_LOADER, 1);
    setenv("FAKE_VULKAN_DEVICES", "2", 1);
    useLavapipe();
    std::string reason;
    plugin = Plugin::load(DRIVER_PLUGIN, reason);
    ASSERT_TRUE(plugin) << reason;
    // Lavapipe is installed wherever the tests are (scripts/setup): without it they fail.
    ASSERT_EQ(plugin->getDevices(reason).size(), 2u) << reason;
    void *library = dlopen(FAKE_LOADER, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_TRUE(library);
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      ASSERT_TRUE(function);
    };
    find(fail, "fakeVulkanFail");
    find(reset, "fakeVulkanReset");
    find(countAlive, "fakeVulkanCountAlive");
    find(countCalls, "fakeVulkanCountCalls");
  }
  void SetUp() override { ASSERT_TRUE(countCalls); }
  ~Devices() override {
    if (reset)
      reset();
  }

  static const TilerunPlugin &table() { return plugin->getTable(); }

  // A device that is closed at the end, with the operations that tests need most.
  struct Device {
    explicit Device(uint32_t ordinal = 0) {
      TilerunStatus status = table().open_device(ordinal, nullptr, &handle, keeper.getSink());
      EXPECT_EQ(status, TILERUN_STATUS_OK) << keeper.take(status).message;
    }
    ~Device() { close(); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    void close() {
      if (handle) {
        table().unload_module(module);
        table().synchronize_device(handle, nullptr);
        table().close_device(handle);
      }
      handle = nullptr;
      module = nullptr;
    }
    const TilerunErrorSink *sink() { return keeper.getSink(); }
    void check(TilerunStatus status, const char *what) {
      ASSERT_EQ(status, TILERUN_STATUS_OK) << what << ": " << keeper.take(status).message;
    }
    TilerunAddress allocate(uint64_t bytes) {
      TilerunAddress address = 0;
      check(table().allocate(handle, nullptr, bytes, &address, sink()), "allocate");
      return address;
    }
    TilerunPluginKernel *load(const char *name) {
      const TilerunPluginArtifact *artifact = nullptr;
      TilerunPluginKernel *kernel = nullptr;
      check(table().get_self_test(name, &artifact, sink()), "get_self_test");
      check(table().load_module(handle, artifact, &module, sink()), "load_module");
      check(table().get_kernel(module, name, &kernel, sink()), "get_kernel");
      table().release_artifact(artifact);
      return kernel;
    }
    // Waits `ns`, then adds 1 to the int32 at `counter`.
    TilerunStatus delay(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                        TilerunAddress counter, int64_t ns, const TilerunErrorSink *to) {
      struct {
        uint64_t out;
        int64_t ns;
      } arguments = {counter, ns};
      TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1},         1,  0,
                                    &arguments,     sizeof(arguments), 0,  0,
                                    nullptr,        nullptr,           {}, 0};
      return table().launch(kernel, stream, &launch, to);
    }
    TilerunPluginDevice *handle = nullptr;
    TilerunPluginModule *module = nullptr;
    ErrorKeeper keeper;
  };

  // Everything that a program does with a device; OK, or the first error. Releases all of it.
  static TilerunStatus runAll(Error &error) {
    plugin_test::DeviceUse use(table());
    const TilerunPlugin &t = use.t;
    const TilerunErrorSink *sink = use.sink;
    TilerunPluginKernel *kernel = nullptr;
    int32_t value = 20, result = 0;
    auto run = [&]() -> TilerunStatus {
      PLUGIN_TEST_TRY(use.open());
      PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, 64, &use.a, sink));
      PLUGIN_TEST_TRY(t.allocate(use.device, use.stream, uint64_t(100) << 20, &use.b, sink));
      PLUGIN_TEST_TRY(t.allocate_host(use.device, 64, &use.pinned, sink));
      std::memcpy(use.pinned, &value, sizeof(value));
      PLUGIN_TEST_TRY(t.fill(use.device, use.stream, use.a + 1, 1, 1, 61, sink));
      PLUGIN_TEST_TRY(t.copy_to_device(use.device, use.stream, use.a, use.pinned, 4, sink));
      PLUGIN_TEST_TRY(t.get_self_test("tilerun_test_delay", &use.artifact, sink));
      PLUGIN_TEST_TRY(t.load_module(use.device, use.artifact, &use.module, sink));
      PLUGIN_TEST_TRY(t.get_kernel(use.module, "tilerun_test_delay", &kernel, sink));
      return use.launch(kernel, result);
    };
    TilerunStatus status = run();
    error = use.release(status);
    EXPECT_TRUE(status || result == 21) << result;
    return status;
  }

  static inline std::shared_ptr<const Plugin> plugin;
  static inline decltype(&fakeVulkanFail) fail;
  static inline decltype(&fakeVulkanReset) reset;
  static inline decltype(&fakeVulkanCountAlive) countAlive;
  static inline decltype(&fakeVulkanCountCalls) countCalls;
};

/// Every function of Vulkan that the plugin calls on its way to a launch.
inline constexpr const char *kFunctions[] = {
#define NAME(name) #name,
    VULKAN_GLOBAL_FUNCTIONS(NAME) VULKAN_INSTANCE_FUNCTIONS(NAME) VULKAN_DEVICE_FUNCTIONS(NAME)
#undef NAME
};

} // namespace vulkan_test
