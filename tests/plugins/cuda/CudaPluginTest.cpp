// The CUDA plugin over a fake driver: reasons for having no device, and what becomes of each call
// of the driver that fails.
#include "plugins/cuda/Driver.h"
#include "runtime/plugin/Probe.h"
#include "tests/plugins/cuda/FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <set>

using namespace tilerun::plugin;
using namespace std::chrono_literals;

namespace {

// In a child, as the plugin opens its driver once per process.
std::string getReason(std::initializer_list<std::pair<const char *, const char *>> environment) {
  setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
  for (auto [name, value] : environment)
    setenv(name, value, 1);
  ProbeReport report = probe(PROBE_HELPER, CUDA_PLUGIN, 60s);
  for (auto [name, value] : environment)
    unsetenv(name);
  EXPECT_EQ(report.reason, "");
  EXPECT_EQ(report.devices.empty(), !report.noDevices.empty());
  return report.noDevices;
}

TEST(CudaDriver, ReasonsForHavingNoDevice) {
  EXPECT_EQ(getReason({}), "");
  EXPECT_NE(getReason({{"TILERUN_CUDA_DRIVER", "/nonexistent/libcuda.so.1"}})
                .find("the CUDA driver library was not found: /nonexistent/libcuda.so.1"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_VERSION", "11040"}})
                .find("too old: it is for CUDA 11.4, and 11.8 or later is needed"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_INIT", "100"}}).find("cuInit(0): CUDA_ERROR_NO_DEVICE"),
            std::string::npos);
  EXPECT_NE(getReason({{"FAKE_CUDA_DEVICES", "0"}}).find("driver 13.0 shows no device"),
            std::string::npos);
  // A library that is something else.
  EXPECT_NE(getReason({{"TILERUN_CUDA_DRIVER", NULL_PLUGIN}}).find("has no function cuInit"),
            std::string::npos);
}

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
  ~Cuda() override { reset(); }

  const TilerunPlugin &table() { return plugin->getTable(); }

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
    const TilerunPluginArtifact *artifact = nullptr;
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
      STEP(t.load_module(device, artifact, &module, sink));
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
    t.release_artifact(artifact);
    t.destroy_event(start);
    t.destroy_event(end);
    t.destroy_stream(stream);
    t.close_device(device);
    EXPECT_TRUE(status || value == 21) << value;
    return status;
  }

  static std::shared_ptr<const Plugin> plugin;
  static decltype(&fakeCudaFail) fail;
  static decltype(&fakeCudaReset) reset;
  static decltype(&fakeCudaCountAlive) countAlive;
  static decltype(&fakeCudaCountCalls) countCalls;
};
std::shared_ptr<const Plugin> Cuda::plugin;
decltype(&fakeCudaFail) Cuda::fail;
decltype(&fakeCudaReset) Cuda::reset;
decltype(&fakeCudaCountAlive) Cuda::countAlive;
decltype(&fakeCudaCountCalls) Cuda::countCalls;

TEST_F(Cuda, EverythingIsReleased) {
  Error error;
  ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(Cuda, EachFailingDriverCallIsReportedAndLeavesNothing) {
  // Functions whose failure is not an error of the scenario: they only release or only describe.
  const std::set<std::string> quiet = {"cuInit",
                                       "cuDriverGetVersion",
                                       "cuGetErrorName",
                                       "cuGetErrorString",
                                       "cuCtxGetCurrent",
                                       "cuCtxPopCurrent",
                                       "cuDevicePrimaryCtxRelease",
                                       "cuDevicePrimaryCtxReset",
                                       "cuMemAlloc",
                                       "cuMemFree",
                                       "cuMemcpyPeerAsync",
                                       "cuStreamDestroy",
                                       "cuEventDestroy",
                                       "cuModuleUnload",
                                       "cuFuncSetAttribute",
                                       "cuCtxPushCurrent"};
  size_t injected = 0;
  for (const char *function : {
#define NAME(member, name, parameters) #member,
           CUDA_FUNCTION_LIST(NAME)
#undef NAME
       }) {
    if (quiet.count(function))
      continue;
    int before = countCalls(function);
    fail(function, 304 /* an operating system call failed */, 0, 1);
    Error error;
    TilerunStatus status = runAll(error);
    EXPECT_GT(countCalls(function), before) << function << " is never called";
    EXPECT_TRUE(status == TILERUN_STATUS_DRIVER || status == TILERUN_STATUS_UNAVAILABLE)
        << function << ": " << getStatusName(status) << ": " << error.message;
    EXPECT_NE(error.message.find(function), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("error 304"), std::string::npos) << error.message;
    reset();
    EXPECT_EQ(countAlive(), 0) << function;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << function << ": " << error.message;
    ++injected;
  }
  EXPECT_GE(injected, 30u);
}

TEST_F(Cuda, OutOfMemoryInTheMiddle) {
  fail("cuMemAllocAsync", cuda::kOutOfMemory, 1, 1);
  Error error;
  EXPECT_EQ(runAll(error), TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(error.driverWord, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(error.device, "cuda:0");
  EXPECT_NE(error.call.find("cuMemAllocAsync"), std::string::npos);
  EXPECT_NE(error.message.find("64 bytes were wanted"), std::string::npos);
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(Cuda, LossIsSaidByEveryCallUntilReopened) {
  for (int code : {int(cuda::kIllegalAddress), int(cuda::kLaunchFailed),
                   int(cuda::kEccUncorrectable), int(cuda::kAssert), 715, 716}) {
    fail("cuStreamSynchronize", code, 0, 1);
    Error error;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_DEVICE_LOST) << code;
    EXPECT_NE(error.message.find("'tilerun_test_delay'"), std::string::npos) << error.message;
    EXPECT_EQ(countAlive(), 0);
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  }
}

TEST_F(Cuda, OneDeviceLostTheOtherGoesOn) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *first = nullptr, *second = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.open_device(1, nullptr, &second, keeper.getSink()), TILERUN_STATUS_OK);
  fail("cuCtxSynchronize", cuda::kIllegalAddress, 0, 1);
  EXPECT_EQ(t.synchronize_device(first, keeper.getSink()), TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(t.synchronize_device(second, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  EXPECT_EQ(t.allocate(first, nullptr, 16, &address, keeper.getSink()), TILERUN_STATUS_DEVICE_LOST);
  EXPECT_EQ(t.allocate(second, nullptr, 16, &address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(second, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  t.close_device(first);
  t.close_device(second);
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(Cuda, RejectedPtxCarriesTheDriversLog) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  const char *text = "nonsense";
  TilerunPluginArtifact artifact = {
      sizeof(artifact),     0,      reinterpret_cast<const uint8_t *>(text), std::strlen(text),
      "cuda:ptx-8.0:sm_80", nullptr};
  TilerunPluginModule *module = nullptr;
  TilerunStatus status = t.load_module(device, &artifact, &module, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
  Error error = keeper.take(status);
  EXPECT_EQ(error.driverWord, "CUDA_ERROR_INVALID_PTX");
  EXPECT_NE(error.message.find("fake ptxas: line 1: no .version"), std::string::npos);
  t.close_device(device);
}

TEST_F(Cuda, CompatibilityStrings) {
  const TilerunPlugin &t = table();
  TilerunPluginDevice *device = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, nullptr), TILERUN_STATUS_OK);
  for (const char *good :
       {"cuda:ptx-7.0:sm_80", "cuda:ptx-8.0:sm_90a", "cuda:ptx-9.0:sm_90", "cuda:sass:sm_90"})
    EXPECT_EQ(t.check_compatibility(device, good, nullptr), TILERUN_STATUS_OK) << good;
  for (const char *bad :
       {"", "cuda", "cuda:ptx-8.0:sm_100", "cuda:ptx-8.0:sm_80a", "cuda:ptx-10.0:sm_90",
        "cuda:sass:sm_80", "cuda:sass:sm_90x", "hip:gfx942", "cuda:ptx-8.0:sm_90 "})
    EXPECT_EQ(t.check_compatibility(device, bad, nullptr), TILERUN_STATUS_INCOMPATIBLE) << bad;
  EXPECT_EQ(t.check_compatibility(device, nullptr, nullptr), TILERUN_STATUS_INCOMPATIBLE);
  t.close_device(device);
}

TEST_F(Cuda, ThreadsKeepTheirContext) {
  int pushes = countCalls("cuCtxPushCurrent"), pops = countCalls("cuCtxPopCurrent");
  Error error;
  ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  EXPECT_GT(countCalls("cuCtxPushCurrent"), pushes);
  EXPECT_EQ(countCalls("cuCtxPushCurrent") - pushes, countCalls("cuCtxPopCurrent") - pops);
}

} // namespace
