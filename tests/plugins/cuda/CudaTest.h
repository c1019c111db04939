// What the tests of the CUDA plugin share: the plugin over the fake driver, and a program that does
// everything with a device.
#pragma once

#include "plugins/cuda/Driver.h"
#include "runtime/plugin/Plugin.h"
#include "tests/plugins/cuda/FakeCuda.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cuda_test {

using namespace tilerun::plugin;

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
  TilerunStatus runAll(Error &error) {
    const TilerunPlugin &t = table();
    ErrorKeeper keeper;
    const TilerunErrorSink *sink = keeper.getSink();
    TilerunPluginDevice *device = nullptr;
    TilerunPluginStream *stream = nullptr;
    TilerunPluginEvent *start = nullptr, *end = nullptr;
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    const TilerunPluginArtifact *artifact = nullptr, *binary = nullptr;
    TilerunPluginModule *portable = nullptr;
    TilerunAddress a = 0, b = 0;
    void *pinned = nullptr;
    int32_t value = 20;
    double time = 0;
    TilerunPropertyValue property = {sizeof(property), 0, 0, nullptr};
    TilerunPluginPointerInfo info = {};
    info.struct_size = sizeof(info);
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
      STEP(t.allocate(device, stream, 64, &b, sink));
      STEP(t.allocate_host(device, 64, &pinned, sink));
      STEP(t.get_pointer_info(device, a, &info, sink));
      STEP(t.fill(device, stream, a, 1, 1, 64, sink));
      STEP(t.fill(device, stream, a, 1, 2, 64, sink));
      STEP(t.fill(device, stream, a, 0, 4, 64, sink));
      STEP(t.copy_to_device(device, stream, a, &value, 4, sink));
      STEP(t.get_self_test("tilerun_test_delay", &artifact, sink));
      STEP(t.load_module(device, artifact, &portable, sink));
      STEP(t.finalize_artifact(device, artifact, &binary, sink));
      STEP(t.load_module(device, binary, &module, sink));
      STEP(t.get_kernel(module, "tilerun_test_delay", &kernel, sink));
      STEP(t.get_kernel_property(kernel, TILERUN_KERNEL_PROPERTY_REGISTERS, &property, sink));
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
      STEP(t.copy_from_device(device, nullptr, &value, b, 4, sink));
      STEP(t.synchronize_stream(device, nullptr, sink));
      STEP(t.query_stream(device, nullptr, sink));
      STEP(t.synchronize_event(end, sink));
      STEP(t.query_event(end, sink));
      STEP(t.elapsed_time(start, end, &time, sink));
      STEP(t.synchronize_device(device, sink));
      STEP(t.free(device, stream, b, sink));
      b = 0;
      STEP(t.free_host(device, pinned, sink));
      pinned = nullptr;
#undef STEP
      return TILERUN_STATUS_OK;
    };
    TilerunStatus status = run();
    error = keeper.take(status);
    if (device) {
      t.free(device, stream, a, nullptr);
      t.free(device, stream, b, nullptr);
      if (pinned)
        t.free_host(device, pinned, nullptr);
    }
    t.unload_module(module);
    t.unload_module(portable);
    t.release_artifact(artifact);
    t.release_artifact(binary);
    t.destroy_event(start);
    t.destroy_event(end);
    t.destroy_stream(stream);
    t.close_device(device);
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
