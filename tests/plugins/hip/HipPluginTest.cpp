// The HIP plugin over a fake runtime: reasons for having no device, versions of the runtime,
// properties. The failures of each call are tests/plugins/fake/StreamDriverCases.cpp.
#include "tests/plugins/hip/HipTest.h"

#include <cstdio>
#include <dlfcn.h>

using namespace tilerun::plugin;
using namespace hip_test;
using plugin_test::waitForChild;

const stream_driver_test::DriverNames &stream_driver_test::getNames() {
  static const DriverNames names = {
      .kind = "hip",
      .plugin = HIP_PLUGIN,
      .fake = FAKE_HIP,
      .variable = "TILERUN_HIP_DRIVER",
      .controls = "fakeHip",
      .revive = "FAKE_HIP_REVIVE",
      .functions = kFunctions,
      .quiet = {"hipInit", "hipDriverGetVersion", "hipGetErrorName", "hipGetErrorString",
                "hipGetDeviceProperties", "hipSetDevice", "hipDeviceReset",
                "hipThreadExchangeStreamCaptureMode", "hipMalloc", "hipFree", "hipMemcpyPeerAsync",
                "hipStreamDestroy", "hipEventDestroy", "hipModuleUnload"},
      .leaking = {"hipGetDevice", "hipSetDevice", "hipFreeAsync", "hipStreamDestroy",
                  "hipEventDestroy", "hipModuleUnload"},
      .losses = {hip::kIllegalAddress, hip::kLaunchFailure, hip::kEccNotCorrectable, hip::kAssert,
                 hip::kLaunchTimeOut, hip::kContextIsDestroyed},
      .outOfMemory = hip::kOutOfMemory,
      .outOfMemoryWord = "hipErrorOutOfMemory",
      .allocate = "hipMallocAsync",
      .waitForStream = "hipStreamSynchronize",
      .waitForDevice = "hipDeviceSynchronize",
      .launch = "hipModuleLaunchKernel"};
  return names;
}

namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// Three kinds of failure, each with its own message: no driver; a driver without a device; and a
// driver that is too old for the code (OldRuntimeTest.cpp).
TEST_F(Hip, ReasonsForHavingNoDevice) {
  auto getReason = [](std::initializer_list<std::pair<const char *, const char *>> environment) {
    return Hip::getReason(PROBE_HELPER, environment);
  };
  EXPECT_EQ(getReason({}), "");
  EXPECT_HAS(getReason({{"TILERUN_HIP_DRIVER", "/nonexistent/libamdhip64.so"}}),
             "the HIP runtime library was not found: /nonexistent/libamdhip64.so");
  // Both calls may be the one that says that there is no device, by either of two numbers.
  for (const char *call : {"FAKE_HIP_INIT", "FAKE_HIP_COUNT"})
    for (const char *error : {"100", "101"})
      EXPECT_HAS(getReason({{call, error}}), "the HIP runtime 6.4 finds no device: /dev/kfd");
  EXPECT_HAS(getReason({{"FAKE_HIP_DEVICES", "0"}}), "the HIP runtime 6.4 finds no device: ");
  EXPECT_HAS(getReason({{"FAKE_HIP_INIT", "999"}}), "hipInit(0): hipErrorUnknown: a text");
  EXPECT_HAS(getReason({{"FAKE_HIP_COUNT", "304"}}), "hipGetDeviceCount(&count): error 304: ");
  EXPECT_HAS(getReason({{"FAKE_HIP_VERSION", "40312345"}}),
             "too old: it is version 4.3, and 5.2 or later is needed");
  // A library that is not a driver.
  EXPECT_HAS(getReason({{"TILERUN_HIP_DRIVER", NULL_PLUGIN}}), "has no function hipInit");
  // A struct that the older name may fill in either form is not read.
  EXPECT_HAS(getReason({{"TILERUN_HIP_DRIVER", FAKE_HIP_5}}),
             "has no function hipGetDevicePropertiesR0600");
  // A name that is none means another form of the struct.
  EXPECT_HAS(getReason({{"FAKE_HIP_ARCH", "Instinct"}}),
             "reading gcnArchName of the device's properties on hip:0: ");
}

TEST_F(Hip, DevicesAndProperties) {
  std::string reason;
  std::vector<DeviceInfo> devices = plugin->getDevices(reason);
  ASSERT_EQ(devices.size(), 2u) << reason;
  EXPECT_EQ(devices[0].id, "hip:0");
  // Features are not part of what to compile for.
  EXPECT_EQ(devices[0].target, "hip:gfx942");
  // The runtime gives the number's digits as letters.
  EXPECT_EQ(devices[0].uuid, "hip:GPU-00ab42cd17ef3355");
  EXPECT_EQ(devices[1].uuid, "");
  const TilerunPlugin &t = table();
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(1, nullptr, &device, nullptr), TILERUN_STATUS_OK);
  const std::pair<uint32_t, uint64_t> numbers[] = {
      {TILERUN_DEVICE_PROPERTY_WARP_SIZE, 64},
      {TILERUN_DEVICE_PROPERTY_UNITS, 4},
      {TILERUN_DEVICE_PROPERTY_MAX_SHARED, 65536},
      {TILERUN_DEVICE_PROPERTY_MAX_THREADS, 1024},
      {TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL, uint64_t(2) << 30},
      {TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY, 1}};
  for (auto [property, expected] : numbers) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    EXPECT_EQ(t.get_device_property(device, property, &value, nullptr), TILERUN_STATUS_OK)
        << property;
    EXPECT_EQ(value.number, expected) << property;
  }
  const std::pair<uint32_t, const char *> texts[] = {
      {TILERUN_DEVICE_PROPERTY_NAME, "Fake Instinct"},
      {TILERUN_DEVICE_PROPERTY_ARCH, "gfx942"},
      {TILERUN_DEVICE_PROPERTY_DRIVER_VERSION, "6.4"},
      {TILERUN_DEVICE_PROPERTY_PCI_ADDRESS, "0000:c1:00.0"}};
  for (auto [property, expected] : texts) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    EXPECT_EQ(t.get_device_property(device, property, &value, nullptr), TILERUN_STATUS_OK)
        << property;
    EXPECT_STREQ(value.string, expected);
  }
  // Code objects are final, and no device has clusters.
  for (uint32_t property :
       {TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, TILERUN_DEVICE_PROPERTY_MAX_CLUSTER}) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    EXPECT_EQ(t.get_device_property(device, property, &value, nullptr), TILERUN_STATUS_UNSUPPORTED);
  }
  EXPECT_FALSE(t.finalize_artifact);
  t.close_device(device);
}

TEST_F(Hip, ThreadsKeepTheirDevice) {
  const TilerunPlugin &t = table();
  auto getDevice = reinterpret_cast<hip::hipError_t (*)(int *)>(dlsym(library, "hipGetDevice"));
  auto setDevice = reinterpret_cast<hip::hipError_t (*)(int)>(dlsym(library, "hipSetDevice"));
  for (int mine : {0, 1}) {
    ASSERT_EQ(setDevice(mine), 0);
    TilerunPluginDevice *device = nullptr;
    TilerunAddress address = 0;
    ASSERT_EQ(t.open_device(1, nullptr, &device, nullptr), TILERUN_STATUS_OK);
    ASSERT_EQ(t.allocate(device, nullptr, 64, &address, nullptr), TILERUN_STATUS_OK);
    TilerunPluginPointerInfo info = {};
    info.struct_size = sizeof(info);
    ASSERT_EQ(t.get_pointer_info(device, address + 5, &info, nullptr), TILERUN_STATUS_OK);
    EXPECT_TRUE(info.accessible && !info.on_host && !info.other_device);
    EXPECT_EQ(info.base, address);
    EXPECT_EQ(info.num_bytes, 64u);
    ASSERT_EQ(t.free(device, nullptr, address, nullptr), TILERUN_STATUS_OK);
    t.close_device(device);
    int now = -1;
    EXPECT_EQ(getDevice(&now), 0);
    EXPECT_EQ(now, mine);
  }
  setDevice(0);
  EXPECT_EQ(countAlive(), 0);
}

// In a child, because a release that fails leaks for good.
TEST_F(Hip, EachChangeOfTheDeviceFailsOnce) {
  if (waitForChild())
    return;
  auto setDevice = reinterpret_cast<hip::hipError_t (*)(int)>(dlsym(library, "hipSetDevice"));
  int failed = 0;
  for (int skip = 0; skip < 1000; ++skip) {
    ASSERT_EQ(setDevice(1), 0);
    const int before = countCalls("hipSetDevice");
    fail("hipSetDevice", 304, skip, 1);
    Error error;
    const TilerunStatus status = runAll(error);
    reset();
    // Each entry changes it and changes it back; the latter is the end of a call that has worked.
    if (skip % 2 == 0 && status)
      EXPECT_NE(error.message.find("hipSetDevice(handle) on hip:0: error 304"), std::string::npos)
          << skip << ": " << error.message;
    failed += status != TILERUN_STATUS_OK;
    if (countCalls("hipSetDevice") - before <= skip)
      break; // There are no more.
  }
  EXPECT_GE(failed, 25);
  std::fflush(stdout);
  _exit(HasFailure());
}

TEST_F(Hip, MemoryOfOthersIsTold) {
  const TilerunPlugin &t = table();
  TilerunPluginDevice *first = nullptr, *second = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &first, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.open_device(1, nullptr, &second, nullptr), TILERUN_STATUS_OK);
  TilerunAddress here = 0, there = 0;
  void *pinned = nullptr;
  ASSERT_EQ(t.allocate(first, nullptr, 64, &here, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.allocate(second, nullptr, 64, &there, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.allocate_host(second, 64, &pinned, nullptr), TILERUN_STATUS_OK);
  auto ask = [&](const void *pointer) {
    TilerunPluginPointerInfo info = {};
    info.struct_size = sizeof(info);
    TilerunStatus status =
        t.get_pointer_info(first, reinterpret_cast<TilerunAddress>(pointer), &info, nullptr);
    return status              ? "unknown"
           : info.on_host      ? "host"
           : info.other_device ? "other"
           : info.accessible   ? "own"
                               : "wrong";
  };
  EXPECT_STREQ(ask(reinterpret_cast<void *>(here)), "own");
  EXPECT_STREQ(ask(reinterpret_cast<void *>(there)), "other");
  EXPECT_STREQ(ask(pinned), "host");
  EXPECT_STREQ(ask(&here), "unknown");
  // Copies between devices name both.
  int calls = countCalls("hipMemcpyPeerAsync");
  EXPECT_EQ(t.copy_from_peer(first, nullptr, here, second, there, 64, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("hipMemcpyPeerAsync"), calls + 1);
  t.free(first, nullptr, here, nullptr);
  t.free(second, nullptr, there, nullptr);
  t.free_host(second, pinned, nullptr);
  t.close_device(first);
  t.close_device(second);
  EXPECT_EQ(countAlive(), 0);
}

// Debian's package has a real runtime of ROCm 5.2: on a machine without a GPU, loading it must say
// so, and neither crash nor hang. (scripts/setup installs it.)
TEST_F(Hip, DebiansRuntimeFindsNoDevice) {
  const std::string reason = getReason(PROBE_HELPER, {{"TILERUN_HIP_DRIVER", "libamdhip64.so.5"}});
  if (reason.empty())
    GTEST_SKIP() << "there is an AMD GPU";
  EXPECT_HAS(reason, "the HIP runtime 5.2 finds no device: ");
}

} // namespace
