// What the tests of devices share: the plugin without its compiler over the loader that fails, and
// a program that does everything with a device.
#pragma once

#include "plugins/vulkan/Functions.h"
#include "runtime/plugin/Plugin.h"
#include "tests/plugins/vulkan/FakeLoader.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vulkan_test {

using namespace tilerun::plugin;

/// Whatever else the machine has.
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

  // A device that is closed at the end, with what a test wants most.
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
      TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1, 0, &arguments, sizeof(arguments)};
      return table().launch(kernel, stream, &launch, to);
    }
    TilerunPluginDevice *handle = nullptr;
    TilerunPluginModule *module = nullptr;
    ErrorKeeper keeper;
  };

  // Forks. True in the parent, once the child has ended as it should.
  static bool waitForChild() {
    pid_t child = fork();
    if (child == 0)
      return false;
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "see above; status " << status;
    return true;
  }

  // Everything that a program does with a device; OK, or the first error. Releases all of it.
  static TilerunStatus runAll(Error &error) {
    const TilerunPlugin &t = table();
    ErrorKeeper keeper;
    const TilerunErrorSink *sink = keeper.getSink();
    TilerunPluginDevice *device = nullptr;
    TilerunPluginStream *stream = nullptr;
    TilerunPluginEvent *start = nullptr, *end = nullptr;
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    const TilerunPluginArtifact *artifact = nullptr;
    TilerunAddress a = 0, b = 0;
    void *pinned = nullptr;
    int32_t value = 20, result = 0;
    double time = 0;
    TilerunPropertyValue property = {sizeof(property), 0, 0, nullptr};
    auto run = [&]() -> TilerunStatus {
#define STEP(...)                                                                                  \
  if (TilerunStatus status = __VA_ARGS__)                                                          \
  return status
      STEP(t.get_devices([](void *, const TilerunPluginDeviceInfo *) {}, nullptr, sink));
      STEP(t.open_device(0, nullptr, &device, sink));
      STEP(t.get_device_property(device, TILERUN_DEVICE_PROPERTY_MEMORY_FREE, &property, sink));
      STEP(t.create_stream(device, &stream, sink));
      STEP(t.create_event(device, TILERUN_EVENT_TIMING, &start, sink));
      STEP(t.create_event(device, TILERUN_EVENT_TIMING, &end, sink));
      STEP(t.allocate(device, stream, 64, &a, sink));
      STEP(t.allocate(device, stream, uint64_t(100) << 20, &b, sink));
      STEP(t.allocate_host(device, 64, &pinned, sink));
      std::memcpy(pinned, &value, sizeof(value));
      STEP(t.fill(device, stream, a + 1, 1, 1, 61, sink));
      STEP(t.copy_to_device(device, stream, a, pinned, 4, sink));
      STEP(t.get_self_test("tilerun_test_delay", &artifact, sink));
      STEP(t.load_module(device, artifact, &module, sink));
      STEP(t.get_kernel(module, "tilerun_test_delay", &kernel, sink));
      STEP(t.record_event(start, stream, sink));
      struct {
        uint64_t out;
        int64_t ns;
      } arguments = {a, 0};
      TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1, 0, &arguments, sizeof(arguments)};
      STEP(t.launch(kernel, stream, &launch, sink));
      STEP(t.record_event(end, stream, sink));
      STEP(t.wait_event(device, nullptr, end, sink));
      STEP(t.copy_on_device(device, nullptr, b, a, 4, sink));
      STEP(t.copy_from_device(device, nullptr, &result, b, 4, sink));
      STEP(t.synchronize_stream(device, nullptr, sink));
      STEP(t.query_stream(device, nullptr, sink));
      STEP(t.synchronize_event(end, sink));
      STEP(t.query_event(end, sink));
      STEP(t.elapsed_time(start, end, &time, sink));
      STEP(t.free(device, stream, b, sink));
      b = 0;
      STEP(t.synchronize_device(device, sink));
      STEP(t.free_host(device, pinned, sink));
      pinned = nullptr;
#undef STEP
      return TILERUN_STATUS_OK;
    };
    TilerunStatus status = run();
    error = keeper.take(status);
    if (device) {
      t.synchronize_device(device, nullptr);
      t.free(device, stream, a, nullptr);
      t.free(device, stream, b, nullptr);
      if (pinned)
        t.free_host(device, pinned, nullptr);
    }
    t.unload_module(module);
    t.release_artifact(artifact);
    t.destroy_event(start);
    t.destroy_event(end);
    t.destroy_stream(stream);
    t.close_device(device);
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
