// The CUDA plugin over a fake driver: reasons for having no device, and what becomes of each call
// of the driver that fails.
#include "plugins/cuda/Driver.h"
#include "runtime/plugin/Probe.h"
#include "tests/plugins/cuda/FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tilerun::plugin;
using namespace std::chrono_literals;

// Counts what this thread allocates, in the plugin and in the fake driver too: their malloc is this
// one. Sanitizers bring their own, and then nothing is counted.
static thread_local unsigned long numAllocations = 0;
static unsigned long countAllocations() { return numAllocations; }
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
extern "C" void *__libc_malloc(size_t bytes);
extern "C" __attribute__((visibility("default"))) void *malloc(size_t bytes) {
  ++numAllocations;
  return __libc_malloc(bytes);
}
#endif

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
                                       "cuLinkDestroy",
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

// Every call that a program makes fails once, wherever in its course: the process goes on.
// In a child, because a release that fails leaves something behind for good.
TEST_F(Cuda, EachCallOfEachDriverFunctionFailsOnce) {
  if (waitForChild())
    return;
  // What cannot be given back stays in the fake driver's count.
  const std::set<std::string> leaking = {"cuDevicePrimaryCtxRelease",
                                         "cuCtxDestroy",
                                         "cuStreamDestroy",
                                         "cuEventDestroy",
                                         "cuModuleUnload",
                                         "cuLinkDestroy",
                                         "cuCtxPushCurrent",
                                         "cuCtxPopCurrent",
                                         "cuCtxGetCurrent",
                                         "cuMemFreeAsync"};
  unsigned injected = 0;
  for (const char *function : {
#define NAME(member, name, parameters) #member,
           CUDA_FUNCTION_LIST(NAME)
#undef NAME
       }) {
    Error error;
    int before = countCalls(function);
    ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
    int calls = countCalls(function) - before;
    for (int skip = 0; skip < calls; ++skip) {
      int alive = countAlive();
      fail(function, 304, skip, 1);
      TilerunStatus status = runAll(error);
      EXPECT_TRUE(status == TILERUN_STATUS_OK || !error.message.empty());
      reset();
      if (!leaking.count(function))
        EXPECT_EQ(countAlive(), alive) << function << " after " << skip;
      alive = countAlive();
      EXPECT_EQ(runAll(error), TILERUN_STATUS_OK)
          << function << " after " << skip << ": " << error.message;
      EXPECT_EQ(countAlive(), alive) << function << " after " << skip;
      ++injected;
    }
  }
  EXPECT_GE(injected, 150u);
  std::fflush(stdout);
  _exit(HasFailure());
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

TEST_F(Cuda, BinariesCompileOnce) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr, *other = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPropertyValue property = {sizeof(property), 0, 0, nullptr};
  ASSERT_EQ(t.get_device_property(device, TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, &property,
                                  keeper.getSink()),
            TILERUN_STATUS_OK);
  EXPECT_EQ(std::string(property.string).rfind("cuda:sass:sm_90a:driver-13.0", 0), 0u)
      << property.string;
  const TilerunPluginArtifact *ptx = nullptr, *binary = nullptr, *again = nullptr;
  ASSERT_EQ(t.get_self_test("tilerun_test_add", &ptx, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.finalize_artifact(device, ptx, &binary, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_STREQ(binary->compatibility, property.string);
  ASSERT_EQ(binary->num_kernels, ptx->num_kernels);
  for (uint32_t i = 0; i < ptx->num_kernels; ++i) {
    EXPECT_STREQ(binary->kernels[i].name, ptx->kernels[i].name);
    ASSERT_EQ(binary->kernels[i].num_parameters, ptx->kernels[i].num_parameters);
    for (uint32_t p = 0; p < ptx->kernels[i].num_parameters; ++p)
      EXPECT_STREQ(binary->kernels[i].parameters[p].name, ptx->kernels[i].parameters[p].name);
  }
  // A binary is taken as it is, and loads on another handle without compiling.
  ASSERT_EQ(t.finalize_artifact(device, binary, &again, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(again->num_bytes, binary->num_bytes);
  EXPECT_EQ(std::memcmp(again->bytes, binary->bytes, binary->num_bytes), 0);
  t.release_artifact(binary);
  t.close_device(device);
  ASSERT_EQ(t.open_device(1, nullptr, &other, keeper.getSink()), TILERUN_STATUS_OK);
  int compiled = countCalls("compile");
  TilerunPluginModule *module = nullptr;
  ASSERT_EQ(t.load_module(other, again, &module, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("compile"), compiled);
  t.unload_module(module);
  // Another driver's is refused.
  TilerunPluginArtifact foreign = *again;
  foreign.compatibility = "cuda:sass:sm_90a:driver-12.4";
  EXPECT_EQ(t.load_module(other, &foreign, &module, keeper.getSink()), TILERUN_STATUS_INCOMPATIBLE);
  // The log of a text that is none.
  TilerunPluginArtifact garbage = *ptx;
  const char *text = "nonsense";
  garbage.bytes = reinterpret_cast<const uint8_t *>(text);
  garbage.num_bytes = std::strlen(text);
  const TilerunPluginArtifact *none = nullptr;
  TilerunStatus status = t.finalize_artifact(other, &garbage, &none, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_COMPILE);
  EXPECT_NE(keeper.take(status).message.find("fake ptxas: line 1: no .version"), std::string::npos);
  EXPECT_FALSE(none);
  t.release_artifact(again);
  t.release_artifact(ptx);
  t.close_device(other);
  EXPECT_EQ(countAlive(), 0);
}

// A device with one kernel of the self-test, and room for its arguments.
class CudaLaunch : public Cuda {
protected:
  void open(const char *kernelName, uint32_t sharedBytes = 0) {
    const TilerunPlugin &t = table();
    ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
    ASSERT_EQ(t.get_self_test(kernelName, &artifact, keeper.getSink()), TILERUN_STATUS_OK);
    infos.assign(artifact->kernels, artifact->kernels + artifact->num_kernels);
    for (TilerunPluginKernelInfo &info : infos)
      info.shared_bytes = sharedBytes;
    TilerunPluginArtifact changed = *artifact;
    changed.kernels = infos.data();
    ASSERT_EQ(t.load_module(device, &changed, &module, keeper.getSink()), TILERUN_STATUS_OK);
  }
  TilerunPluginKernel *getKernel(const char *name) {
    TilerunPluginKernel *kernel = nullptr;
    EXPECT_EQ(table().get_kernel(module, name, &kernel, keeper.getSink()), TILERUN_STATUS_OK);
    return kernel;
  }
  TilerunStatus launchDelay(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                            TilerunAddress address, uint32_t sharedBytes = 0) {
    struct {
      uint64_t out;
      int64_t ns;
    } arguments = {address, 0};
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1},  1,
                                  sharedBytes,    &arguments, sizeof(arguments)};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  TilerunStatus launchFault(TilerunPluginKernel *kernel, TilerunPluginStream *stream) {
    uint64_t address = 16;
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1, 0, &address, sizeof(address)};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  void close() {
    table().unload_module(module);
    table().release_artifact(artifact);
    table().close_device(device);
    module = nullptr;
    device = nullptr;
  }
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  std::vector<TilerunPluginKernelInfo> infos;
  TilerunPluginModule *module = nullptr;
};

TEST_F(CudaLaunch, TooMuchSharedMemorySaysByHowMuch) {
  open("tilerun_test_delay", 100 << 10);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  int attributes = countCalls("cuFuncSetAttribute");
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 100 << 10), TILERUN_STATUS_OK);
  TilerunStatus status = launchDelay(kernel, nullptr, address, (100 << 10) + 7);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("'tilerun_test_delay' wants 102407 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("102400 are possible: 7 too many"), std::string::npos) << message;
  // No launch asks again.
  EXPECT_EQ(countCalls("cuFuncSetAttribute"), attributes + 1);
  close();
  // More than the device has is found when the kernel is fetched.
  open("tilerun_test_delay", (227 << 10) + 1);
  status = table().get_kernel(module, "tilerun_test_delay", &kernel, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("232448 are possible: 1 too many"), std::string::npos) << message;
  close();
}

TEST_F(CudaLaunch, MemoryRunsOutAndComesBack) {
  open("tilerun_test_delay");
  std::vector<TilerunAddress> addresses;
  TilerunStatus status = TILERUN_STATUS_OK;
  for (TilerunAddress address = 0; addresses.size() < 100; addresses.push_back(address)) {
    status = table().allocate(device, nullptr, uint64_t(256) << 20, &address, keeper.getSink());
    if (status)
      break;
  }
  EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(addresses.size(), 8u);
  EXPECT_NE(keeper.take(status).message.find("268435456 bytes were wanted"), std::string::npos);
  for (TilerunAddress address : addresses)
    EXPECT_EQ(table().free(device, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(launchDelay(getKernel("tilerun_test_delay"), nullptr, address), TILERUN_STATUS_OK);
  close();
}

// A warm launch: two calls of the driver, nothing pushed, nothing allocated.
TEST_F(CudaLaunch, WarmLaunchesDoNothingElse) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
  using Push = cuda::CUresult (*)(cuda::CUcontext);
  using Pop = cuda::CUresult (*)(cuda::CUcontext *);
  auto push = reinterpret_cast<Push>(dlsym(library, "cuCtxPushCurrent_v2"));
  auto pop = reinterpret_cast<Pop>(dlsym(library, "cuCtxPopCurrent_v2"));
  uint64_t native = 0;
  ASSERT_EQ(table().get_native_context(device, &native, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(push(reinterpret_cast<cuda::CUcontext>(native)), 0);
  ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  std::map<std::string, int> before;
  for (const char *function : {
#define NAME(member, name, parameters) #member,
           CUDA_FUNCTION_LIST(NAME)
#undef NAME
       })
    before[function] = countCalls(function);
  unsigned long allocated = countAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  allocated = countAllocations() - allocated;
  for (const auto &[function, calls] : before) {
    bool used = function == "cuLaunchKernel" || function == "cuCtxGetCurrent";
    EXPECT_EQ(countCalls(function.c_str()) - calls, used ? 100 : 0) << function;
  }
  EXPECT_EQ(allocated, 0u);
  cuda::CUcontext popped;
  ASSERT_EQ(pop(&popped), 0);
  close();
}

TEST_F(CudaLaunch, LossNamesTheKernelsThatWereUnderWay) {
  setenv("FAKE_CUDA_REVIVE", "1", 1);
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginKernel *delay = getKernel("tilerun_test_delay");
  TilerunPluginKernel *fault = getKernel("tilerun_test_fault");
  TilerunAddress address = 0;
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginStream *first = nullptr, *second = nullptr;
  ASSERT_EQ(t.create_stream(device, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_stream(device, &second, keeper.getSink()), TILERUN_STATUS_OK);
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(launchDelay(delay, first, address), TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_stream(device, first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(launchFault(fault, second), TILERUN_STATUS_OK);
  TilerunStatus status = t.synchronize_stream(device, first, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  // What was synchronized is not accused, and the fault need not be on the stream that tells it.
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  EXPECT_EQ(message.find("tilerun_test_delay"), std::string::npos) << message;
  // Every later call repeats it.
  status = t.get_device_state(device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  EXPECT_NE(keeper.take(status).message.find("'tilerun_test_fault'"), std::string::npos);
  EXPECT_EQ(launchDelay(delay, first, address), TILERUN_STATUS_DEVICE_LOST);
  t.destroy_stream(first);
  t.destroy_stream(second);
  close();
  EXPECT_EQ(countAlive(), 0);
  // Several candidates: all of them, of streams that are gone as well.
  open("tilerun_test_delay");
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_stream(device, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(launchDelay(getKernel("tilerun_test_delay"), nullptr, address), TILERUN_STATUS_OK);
  ASSERT_EQ(launchFault(getKernel("tilerun_test_fault"), first), TILERUN_STATUS_OK);
  t.destroy_stream(first);
  status = t.synchronize_device(device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("under way: 'tilerun_test_delay', 'tilerun_test_fault'"),
            std::string::npos)
      << message;
  close();
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(CudaLaunch, AFreshContextWorksAfterALossIfTheDriverGivesOne) {
  const TilerunPlugin &t = table();
  setenv("FAKE_CUDA_REVIVE", "1", 1);
  TilerunPluginDevice *other = nullptr;
  ASSERT_EQ(t.open_device(1, nullptr, &other, keeper.getSink()), TILERUN_STATUS_OK);
  for (int round = 0; round < 3; ++round) {
    open("tilerun_test_fault");
    ASSERT_EQ(launchFault(getKernel("tilerun_test_fault"), nullptr), TILERUN_STATUS_OK);
    EXPECT_EQ(t.synchronize_device(device, keeper.getSink()), TILERUN_STATUS_DEVICE_LOST);
    EXPECT_EQ(t.synchronize_device(other, keeper.getSink()), TILERUN_STATUS_OK);
    close();
    Error error;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  }
  // A driver that gives none: told, with what to do and what lost it. Other devices go on.
  unsetenv("FAKE_CUDA_REVIVE");
  TilerunStatus status = t.open_device(0, nullptr, &device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("start a new process"), std::string::npos) << message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  EXPECT_EQ(t.synchronize_device(other, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  EXPECT_EQ(t.allocate(other, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(other, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  t.close_device(other);
  EXPECT_EQ(countAlive(), 0);
}

// Any call may be the one that tells of a loss. In a child, as above.
TEST_F(Cuda, EachDriverCallMayTellOfALoss) {
  if (waitForChild())
    return;
  unsigned lost = 0;
  for (const char *function : {
#define NAME(member, name, parameters) #member,
           CUDA_FUNCTION_LIST(NAME)
#undef NAME
       }) {
    fail(function, cuda::kIllegalAddress, 0, 1);
    Error error;
    lost += runAll(error) == TILERUN_STATUS_DEVICE_LOST;
    reset();
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << function << ": " << error.message;
  }
  EXPECT_GE(lost, 30u);
  std::fflush(stdout);
  _exit(HasFailure());
}

} // namespace
