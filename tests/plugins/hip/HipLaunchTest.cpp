// Launches over the fake runtime: grids, shared memory, what a launch costs, and streams that are
// captured into graphs.
#include "tests/plugins/hip/HipTest.h"

#include <dlfcn.h>
#include <map>

using namespace tilerun::plugin;
using namespace hip_test;
using stream_driver_test::countAllocations;

namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(HipLaunch, GridsOfTooManyThreadsAreRefused) {
  open("tilerun_test_add");
  struct {
    uint64_t out = 0, a = 0, b = 0;
    int32_t n = 0;
  } arguments;
  TilerunPluginLaunch launch = {sizeof(launch), {1u << 25, 1, 1}, 128, 0, &arguments, 28, 0, 0,
                                nullptr,        nullptr,          {},  0};
  TilerunPluginKernel *kernel = getKernel("tilerun_test_add");
  int calls = countCalls("hipModuleLaunchKernel");
  TilerunStatus status = table().launch(kernel, nullptr, &launch, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message,
             "hipModuleLaunchKernel(a grid of 2^32 threads or more, …) on hip:0");
  EXPECT_EQ(countCalls("hipModuleLaunchKernel"), calls);
  launch.grid[0] -= 1;
  EXPECT_EQ(table().launch(kernel, nullptr, &launch, keeper.getSink()), TILERUN_STATUS_OK);
  close();
}

TEST_F(HipLaunch, TooMuchSharedMemorySaysByHowMuch) {
  open("tilerun_test_delay", 64 << 10);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  EXPECT_EQ(launchDelay(kernel, nullptr, address, 64 << 10), TILERUN_STATUS_OK);
  TilerunStatus status = launchDelay(kernel, nullptr, address, (64 << 10) + 7);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message, "65536 are possible: 7 too many");
  table().free(device, nullptr, address, nullptr);
  close();
  // A kernel that needs more than the device has is refused when it is fetched.
  open("tilerun_test_delay", (64 << 10) + 1);
  status = table().get_kernel(module, "tilerun_test_delay", &kernel, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message, "65536 are possible: 1 too many");
  close();
}

TEST_F(HipLaunch, KernelsTellTheirResources) {
  open("tilerun_test_add");
  TilerunPluginKernel *kernel = getKernel("tilerun_test_add");
  auto get = [&](uint32_t property) -> uint64_t {
    TilerunPropertyValue value = {sizeof(value), 0, 12345, nullptr};
    EXPECT_EQ(table().get_kernel_property(kernel, property, &value, nullptr), TILERUN_STATUS_OK);
    return value.number;
  };
  EXPECT_EQ(get(TILERUN_KERNEL_PROPERTY_MAX_THREADS), 128u);
  EXPECT_GT(get(TILERUN_KERNEL_PROPERTY_REGISTERS), 0u);
  EXPECT_LT(get(TILERUN_KERNEL_PROPERTY_REGISTERS), 64u);
  EXPECT_EQ(get(TILERUN_KERNEL_PROPERTY_STATIC_SHARED), 0u);
  EXPECT_EQ(get(TILERUN_KERNEL_PROPERTY_LOCAL_BYTES), 0u);
  close();
}

// A warm launch: two calls of the runtime, nothing allocated.
TEST_F(HipLaunch, WarmLaunchesDoNothingElse) {
  open("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  std::map<std::string, int> before;
  for (const char *function : kFunctions)
    before[function] = countCalls(function);
  unsigned long allocated = countAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(launchDelay(kernel, nullptr, address), TILERUN_STATUS_OK);
  allocated = countAllocations() - allocated;
  for (const auto &[function, calls] : before) {
    bool used = function == "hipModuleLaunchKernel" || function == "hipGetDevice";
    EXPECT_EQ(countCalls(function.c_str()) - calls, used ? 100 : 0) << function;
  }
  EXPECT_EQ(allocated, 0u);
  table().free(device, nullptr, address, nullptr);
  close();
}

// Without memory pools, memory is allocated at once and freed after the stream's work.
TEST_F(HipLaunch, DevicesWithoutMemoryPools) {
  setenv("FAKE_HIP_POOLS", "0", 1);
  open("tilerun_test_delay");
  unsetenv("FAKE_HIP_POOLS");
  int plain = countCalls("hipMalloc"), queued = countCalls("hipMallocAsync"),
      waits = countCalls("hipStreamSynchronize"), freed = countCalls("hipFree");
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().free(device, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(countCalls("hipMalloc"), plain + 1);
  EXPECT_EQ(countCalls("hipMallocAsync"), queued);
  EXPECT_EQ(countCalls("hipStreamSynchronize"), waits + 1);
  EXPECT_EQ(countCalls("hipFree"), freed + 1);
  close();
  EXPECT_EQ(countAlive(), 0);
}

// A framework captures its stream, which the plugin has adopted: launches go into the graph, calls
// that no graph can hold are made beside it, and waiting is refused without ending the capture.
TEST_F(HipLaunch, CapturesGoOn) {
  const TilerunPlugin &t = table();
  setenv("FAKE_HIP_POOLS", "0", 1);
  open("tilerun_test_delay");
  unsetenv("FAKE_HIP_POOLS");
  TilerunAddress address = 0, other = 0;
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunPluginKernel *kernel = getKernel("tilerun_test_delay");
  using hip::hipStream_t;
  auto get = [&](auto *&function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    ASSERT_TRUE(function);
  };
  int (*create)(hipStream_t *, unsigned) = nullptr;
  int (*begin)(hipStream_t, int) = nullptr;
  int (*getStatus)(hipStream_t, int *) = nullptr;
  int (*end)(hipStream_t, int *) = nullptr;
  int (*destroy)(hipStream_t) = nullptr;
  get(create, "hipStreamCreateWithFlags");
  get(begin, "hipStreamBeginCapture");
  get(getStatus, "hipStreamIsCapturing");
  get(end, "hipStreamEndCapture");
  get(destroy, "hipStreamDestroy");
  hipStream_t foreign = nullptr;
  ASSERT_EQ(create(&foreign, 0), 0);
  TilerunPluginStream *stream = nullptr;
  ASSERT_EQ(t.adopt_stream(device, reinterpret_cast<uint64_t>(foreign), &stream, nullptr),
            TILERUN_STATUS_OK);
  TilerunPluginEvent *start = nullptr, *event = nullptr;
  ASSERT_EQ(t.create_event(device, TILERUN_EVENT_TIMING, &start, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_event(device, TILERUN_EVENT_TIMING, &event, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.record_event(start, nullptr, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(begin(foreign, 0), 0);
  auto expectGoesOn = [&](const char *after) {
    int captureStatus = 0;
    EXPECT_EQ(getStatus(foreign, &captureStatus), 0);
    EXPECT_EQ(captureStatus, hip::kCaptureActive) << "the capture was ended by " << after;
  };

  EXPECT_EQ(launchDelay(kernel, stream, address), TILERUN_STATUS_OK);
  void *pinned = nullptr;
  TilerunPluginModule *second = nullptr;
  EXPECT_EQ(t.allocate(device, nullptr, 64, &other, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(device, nullptr, other, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.allocate_host(device, 64, &pinned, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free_host(device, pinned, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.load_module(device, artifact, &second, keeper.getSink()), TILERUN_STATUS_OK);
  t.unload_module(second);
  expectGoesOn("memory or modules");
  // Waits for work that is not captured.
  EXPECT_EQ(t.synchronize_stream(device, nullptr, keeper.getSink()), TILERUN_STATUS_OK);
  expectGoesOn("synchronize_stream");
  EXPECT_EQ(t.query_stream(device, nullptr, keeper.getSink()), TILERUN_STATUS_OK);
  expectGoesOn("query_stream");
  EXPECT_EQ(t.synchronize_event(start, keeper.getSink()), TILERUN_STATUS_OK);
  expectGoesOn("synchronize_event");
  EXPECT_EQ(t.query_event(start, keeper.getSink()), TILERUN_STATUS_OK);
  expectGoesOn("query_event");
  // Waits for work that is captured.
  TilerunStatus status = t.synchronize_stream(device, stream, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message,
             "hipStreamSynchronize(stream) on hip:0: hipErrorStreamCaptureUnsupported: ");
  EXPECT_EQ(t.query_stream(device, stream, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(t.record_event(event, stream, keeper.getSink()), TILERUN_STATUS_OK);
  status = t.synchronize_event(event, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message,
             "hipEventSynchronize(event) on hip:0: hipErrorCapturedEvent: ");
  EXPECT_EQ(t.query_event(event, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  double milliseconds = 0;
  EXPECT_EQ(t.elapsed_time(start, event, &milliseconds, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  expectGoesOn("an event that was recorded in it");
  // Freeing on it would wait.
  EXPECT_EQ(t.free(device, stream, address, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(launchDelay(kernel, stream, address), TILERUN_STATUS_OK);
  EXPECT_EQ(t.get_device_state(device, nullptr), TILERUN_STATUS_OK);

  int launches = 0;
  EXPECT_EQ(end(foreign, &launches), 0) << "the capture was ended";
  EXPECT_EQ(launches, 2);
  // An event of the capture still is none to wait for, until it is recorded again.
  EXPECT_EQ(t.query_event(event, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(t.record_event(event, stream, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.synchronize_event(event, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.elapsed_time(start, event, &milliseconds, nullptr), TILERUN_STATUS_OK);
  // Only a wait for the whole device ends a capture, and fails.
  ASSERT_EQ(begin(foreign, 0), 0);
  EXPECT_EQ(t.synchronize_device(device, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(end(foreign, &launches), 0);
  t.destroy_event(start);
  t.destroy_event(event);
  // Afterwards the stream is an ordinary one again, and stays the caller's.
  EXPECT_EQ(t.synchronize_stream(device, stream, keeper.getSink()), TILERUN_STATUS_OK);
  t.destroy_stream(stream);
  EXPECT_EQ(t.free(device, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(destroy(foreign), 0);
  close();
  EXPECT_EQ(countAlive(), 0);
}

} // namespace
