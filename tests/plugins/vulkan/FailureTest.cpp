// The Vulkan plugin over a loader that fails: reasons for having no device, the handling of each
// failing call, and the loss of a device.
#include "runtime/plugin/Probe.h"
#include "tests/plugins/vulkan/DeviceTest.h"

using namespace std::chrono_literals;
using namespace vulkan_test;

namespace {

// In a child, as the plugin opens its loader once per process.
std::string getReason(std::initializer_list<std::pair<const char *, const char *>> environment) {
  setenv("TILERUN_VULKAN_LOADER", FAKE_LOADER, 1);
  useLavapipe();
  for (auto [name, value] : environment)
    setenv(name, value, 1);
  ProbeReport report = probe(PROBE_HELPER, DRIVER_PLUGIN, 60s);
  for (auto [name, value] : environment)
    unsetenv(name);
  setenv("TILERUN_VULKAN_LOADER", FAKE_LOADER, 1);
  EXPECT_EQ(report.reason, "");
  EXPECT_EQ(report.devices.empty(), !report.noDevices.empty());
  return report.noDevices;
}

#define EXPECT_HAS(text, part)                                                                     \
  EXPECT_NE((text).find(part), std::string::npos) << "in '" << (text) << "'"

TEST(VulkanLoader, ReasonsForHavingNoDevice) {
  EXPECT_EQ(getReason({}), "");
  EXPECT_HAS(getReason({{"TILERUN_VULKAN_LOADER", "/nonexistent/libvulkan.so.1"}}),
             "the Vulkan loader library was not found: /nonexistent/libvulkan.so.1");
  EXPECT_HAS(getReason({{"TILERUN_VULKAN_LOADER", NULL_PLUGIN}}), "is not a Vulkan loader");
  EXPECT_HAS(
      getReason({{"FAKE_VULKAN_VERSION", "1.1.126"}}),
      "the Vulkan loader is too old: it is for Vulkan 1.1.126, and 1.3.0 or later is needed");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_FAIL", "vkCreateInstance=-9"}}),
             "VK_ERROR_INCOMPATIBLE_DRIVER");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_FAIL", "vkCreateInstance=-9"}}), "found no driver");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_DEVICES", "0"}}), "reports no device");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_FAIL", "vkEnumeratePhysicalDevices=-3"}}),
             "VK_ERROR_INITIALIZATION_FAILED");
}

TEST(VulkanLoader, ADeviceThatLacksSomethingIsRefusedByName) {
  std::string reason = getReason({{"FAKE_VULKAN_DEVICE_VERSION", "1.2.131"}});
  EXPECT_HAS(reason, "it has Vulkan 1.2.131, and 1.3.0 or later is needed");
  EXPECT_HAS(reason, "llvmpipe");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_WITHOUT", "bufferDeviceAddress"}}),
             "it lacks bufferDeviceAddress");
  EXPECT_HAS(getReason({{"FAKE_VULKAN_WITHOUT", "shaderInt64,bufferDeviceAddress"}}),
             "it lacks bufferDeviceAddress, shaderInt64");
}

TEST_F(Devices, EverythingIsReleased) {
  int before = countAlive();
  Error error;
  ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  EXPECT_EQ(countAlive(), before);
  EXPECT_EQ(before, 0);
}

// Every call that a program makes fails once, at any point: it is reported or compensated, nothing
// leaks, and the next program runs.
TEST_F(Devices, EachCallOfEachFunctionFailsOnce) {
  unsigned injected = 0, reported = 0;
  for (const char *function : kFunctions) {
    Error error;
    int before = countCalls(function);
    if (before < 0)
      continue;
    ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
    int calls = countCalls(function) - before;
    for (int skip = 0; skip < calls; ++skip)
      for (int result : {int(VK_ERROR_OUT_OF_DEVICE_MEMORY), int(VK_ERROR_UNKNOWN)}) {
        fail(function, result, skip, 1);
        TilerunStatus status = runAll(error);
        if (status) {
          EXPECT_FALSE(error.message.empty());
          // Commands that were recorded and cannot be submitted are the one thing that loses it.
          if (std::strcmp(function, "vkEndCommandBuffer") != 0)
            EXPECT_NE(status, TILERUN_STATUS_DEVICE_LOST) << function << ": " << error.message;
          EXPECT_NE(error.message.find(function), std::string::npos)
              << function << ": " << error.message;
          ++reported;
        }
        reset();
        EXPECT_EQ(countAlive(), 0) << function << " after " << skip;
        ASSERT_EQ(runAll(error), TILERUN_STATUS_OK)
            << function << " after " << skip << ": " << error.message;
        ++injected;
      }
  }
  EXPECT_GE(injected, 60u);
  EXPECT_GE(reported, 40u);
}

TEST_F(Devices, EachCallMayTellOfALoss) {
  unsigned lost = 0;
  for (const char *function : kFunctions) {
    Error error;
    int before = countCalls(function);
    ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
    if (before < 0 || countCalls(function) == before)
      continue;
    fail(function, VK_ERROR_DEVICE_LOST, 0, 1);
    lost += runAll(error) == TILERUN_STATUS_DEVICE_LOST;
    reset();
    ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << function << ": " << error.message;
    EXPECT_EQ(countAlive(), 0) << function;
  }
  EXPECT_GE(lost, 12u);
}

TEST_F(Devices, ALostDeviceSaysSoUntilItIsOpenedAgain) {
  const TilerunPlugin &t = table();
  for (const char *function : {"vkWaitSemaphores", "vkQueueSubmit2"}) {
    Device device;
    TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
    TilerunAddress counter = device.allocate(4);
    ErrorKeeper keeper;
    const TilerunErrorSink *sink = keeper.getSink();
    bool submitting = std::strcmp(function, "vkQueueSubmit2") == 0;
    if (submitting)
      fail(function, VK_ERROR_DEVICE_LOST, 0, 1);
    TilerunStatus status = device.delay(kernel, nullptr, counter, 20'000'000, sink);
    if (!submitting) {
      ASSERT_EQ(status, TILERUN_STATUS_OK);
      fail(function, VK_ERROR_DEVICE_LOST, 0, 1);
      status = t.synchronize_stream(device.handle, nullptr, sink);
    }
    EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST) << function;
    Error error = keeper.take(status);
    EXPECT_EQ(error.driverWord, "VK_ERROR_DEVICE_LOST");
    EXPECT_EQ(error.device, "vulkan:0");
    EXPECT_HAS(error.message, "'tilerun_test_delay'");
    EXPECT_HAS(error.message, "close it and open it again");

    TilerunAddress other = 0;
    uint32_t word = 0;
    TilerunPluginStream *stream = nullptr;
    TilerunPluginEvent *event = nullptr;
    void *pinned = nullptr;
    auto expectLost = [&](TilerunStatus got, const char *what) {
      EXPECT_EQ(got, TILERUN_STATUS_DEVICE_LOST) << what;
      Error said = keeper.take(got);
      EXPECT_HAS(said.message, "'tilerun_test_delay'");
    };
#define EXPECT_LOST(call) expectLost(call, #call)
    EXPECT_LOST(t.get_device_state(device.handle, sink));
    EXPECT_LOST(t.synchronize_device(device.handle, sink));
    EXPECT_LOST(t.allocate(device.handle, nullptr, 16, &other, sink));
    EXPECT_LOST(t.free(device.handle, nullptr, counter, sink));
    EXPECT_LOST(t.allocate_host(device.handle, 16, &pinned, sink));
    EXPECT_LOST(t.fill(device.handle, nullptr, counter, 0, 4, 4, sink));
    EXPECT_LOST(t.copy_to_device(device.handle, nullptr, counter, &word, 4, sink));
    EXPECT_LOST(t.copy_from_device(device.handle, nullptr, &word, counter, 4, sink));
    EXPECT_LOST(t.copy_on_device(device.handle, nullptr, counter, counter, 4, sink));
    EXPECT_LOST(t.create_stream(device.handle, &stream, sink));
    EXPECT_LOST(t.create_event(device.handle, 0, &event, sink));
    EXPECT_LOST(t.synchronize_stream(device.handle, nullptr, sink));
    EXPECT_LOST(t.query_stream(device.handle, nullptr, sink));
    EXPECT_LOST(device.delay(kernel, nullptr, counter, 0, sink));
#undef EXPECT_LOST
    // A new handle is a new device even while the old one is still open.
    reset();
    {
      Device again;
      EXPECT_EQ(t.get_device_state(again.handle, nullptr), TILERUN_STATUS_OK);
      again.allocate(64);
    }
    device.close();
    EXPECT_EQ(countAlive(), 0) << function;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  }
}

TEST_F(Devices, OneDeviceLostTheOtherGoesOn) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  Device first(0), second(1);
  TilerunAddress there = first.allocate(64), here = second.allocate(64);
  ASSERT_EQ(t.fill(first.handle, nullptr, there, 1, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_device(first.handle, keeper.getSink()), TILERUN_STATUS_OK);
  fail("vkQueueSubmit2", VK_ERROR_DEVICE_LOST, 0, 1);
  EXPECT_EQ(t.fill(first.handle, nullptr, there, 1, 4, 64, keeper.getSink()),
            TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(t.fill(second.handle, nullptr, here, 1, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.synchronize_device(second.handle, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunStatus status =
      t.copy_from_peer(second.handle, nullptr, here, first.handle, there, 64, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(keeper.take(status).device, "vulkan:0");
}

TEST_F(Devices, OutOfDeviceMemoryLeavesAllUsable) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunAddress kept = device.allocate(64), address = 99;
  ErrorKeeper keeper;
  fail("vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY, 0, 1000);
  TilerunStatus status =
      t.allocate(device.handle, nullptr, uint64_t(200) << 20, &address, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY);
  Error error = keeper.take(status);
  EXPECT_EQ(address, 99u);
  EXPECT_EQ(error.driverWord, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
  EXPECT_HAS(error.message, "vkAllocateMemory");
  EXPECT_HAS(error.message, "209715200 bytes were requested");
  reset();
  uint32_t in = 7, out = 0;
  EXPECT_EQ(t.copy_to_device(device.handle, nullptr, kept, &in, 4, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.copy_from_device(device.handle, nullptr, &out, kept, 4, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(out, 7u);
  device.allocate(uint64_t(200) << 20);
}

TEST_F(Devices, ARejectedPipelineIsACompileErrorOrTheDriversAndNoMore) {
  const TilerunPlugin &t = table();
  for (int result : {int(VK_ERROR_INVALID_SHADER_NV), int(VK_ERROR_UNKNOWN)}) {
    Device device;
    ErrorKeeper keeper;
    const TilerunPluginArtifact *artifact = nullptr;
    ASSERT_EQ(t.get_self_test("tilerun_test_add", &artifact, nullptr), TILERUN_STATUS_OK);
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    fail("vkCreateComputePipelines", result, 0, 1000);
    TilerunStatus status = t.load_module(device.handle, artifact, &module, keeper.getSink());
    if (!status)
      status = t.get_kernel(module, "tilerun_test_add", &kernel, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
    Error error = keeper.take(status);
    EXPECT_HAS(error.message, "vkCreateComputePipelines");
    EXPECT_FALSE(kernel);
    t.unload_module(module);
    t.release_artifact(artifact);
    reset();
    EXPECT_TRUE(device.load("tilerun_test_add"));
  }
  EXPECT_EQ(countAlive(), 0);
}

} // namespace
