// Prints and assertions of kernels over the fake runtime: lines on stdout, and faults at the next
// wait.
#include "plugins/hip/Artifact.h"
#include "plugins/support/OwnedArtifact.h"
#include "runtime/plugin/LaunchPlan.h"
#include "tests/plugins/hip/HipTest.h"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>

using namespace tilerun::plugin;
using namespace hip_test;
using plugin_test::waitForChild;
using tilerun::backend::DebugSite;
using tilerun::plugin_support::OwnedArtifact;

namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

/// An artifact with the kernels of Says.ll.
std::unique_ptr<OwnedArtifact> makeArtifact() {
  std::ifstream file(SAYS_CODE, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  const std::vector<DebugSite> sites = {
      {DebugSite::Kind::Print, "x is %d\n", "i", "", 0, 0},
      {DebugSite::Kind::Assert, "x must not be negative", "", "says.py", 7, 3}};
  auto artifact =
      std::make_unique<OwnedArtifact>(hip::encodeArtifact(sites, code), "hip:gfx942:cov5");
  const TilerunPluginParameter x = {sizeof(x), TILERUN_ARGUMENT_INTEGER, 32, "x"};
  artifact->addKernel({sizeof(TilerunPluginKernelInfo), 1, "test_says", &x, 1, 0});
  artifact->addKernel({sizeof(TilerunPluginKernelInfo), 1, "test_says_grid", &x, 1, 0});
  TilerunPluginKernelDetails details = {};
  details.struct_size = sizeof(details);
  artifact->addDetails(1, details);
  for (int axis = 0; axis < 3; ++axis)
    artifact->addDerived("words", {{TILERUN_STEP_GRID, 0, axis}, {TILERUN_STEP_WORD, 0, 0}});
  return artifact;
}

/// A device with these kernels.
class HipReports : public Hip {
protected:
  // Not SetUp, because children that inject failures open it, too.
  TilerunStatus open() {
    artifact = makeArtifact();
    PLUGIN_TEST_TRY(table().open_device(0, nullptr, &device, keeper.getSink()));
    PLUGIN_TEST_TRY(table().load_module(device, &artifact->get(), &module, keeper.getSink()));
    return table().get_kernel(module, "test_says", &kernel, keeper.getSink());
  }
  void close() {
    table().unload_module(module);
    table().close_device(device);
    module = nullptr;
    device = nullptr;
  }
  TilerunStatus launch(int32_t x, TilerunPluginStream *stream = nullptr) {
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1,  0, &x, sizeof(x), 0, 0,
                                  nullptr,        nullptr,   {}, 0};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  TilerunStatus synchronize() { return table().synchronize_device(device, keeper.getSink()); }

  ErrorKeeper keeper;
  std::unique_ptr<OwnedArtifact> artifact;
  TilerunPluginDevice *device = nullptr;
  TilerunPluginModule *module = nullptr;
  TilerunPluginKernel *kernel = nullptr;
};

TEST_F(HipReports, LinesAreOnStdoutAfterAWait) {
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  testing::internal::CaptureStdout();
  EXPECT_EQ(launch(7), TILERUN_STATUS_OK);
  EXPECT_EQ(launch(8), TILERUN_STATUS_OK);
  std::fflush(stdout);
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is 7\nx is 8\n");
  // Once, and no more.
  testing::internal::CaptureStdout();
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  close();
  EXPECT_EQ(countAlive(), 0);
}

// With the grid's size before the buffer.
TEST_F(HipReports, TheBufferComesAfterDerivedParameters) {
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  ASSERT_EQ(table().get_kernel(module, "test_says_grid", &kernel, keeper.getSink()),
            TILERUN_STATUS_OK);
  const TilerunPluginArtifact &given = artifact->get();
  const LaunchPlan plan(given.kernels[1], *given.details[1], 4);
  int32_t x = 100;
  TilerunPluginLaunch launch = {sizeof(launch), {2, 3, 4}, 1,  0, &x, sizeof(x), 0, 0,
                                nullptr,        nullptr,   {}, 0};
  LaunchPlan::Words words;
  ASSERT_EQ(plan.apply(launch, words).reason, "");
  testing::internal::CaptureStdout();
  EXPECT_EQ(table().launch(kernel, nullptr, &launch, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is 124\n");
  close();
}

TEST_F(HipReports, LaunchesInARowKeepTheirOrder) {
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  // More than may wait to be read.
  std::string expected;
  testing::internal::CaptureStdout();
  for (int i = 0; i < 150; ++i) {
    EXPECT_EQ(launch(i), TILERUN_STATUS_OK);
    expected += "x is " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
  close();
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(HipReports, EveryWaitTellsAFailedAssertionAndTheDeviceGoesOn) {
  const TilerunPlugin &t = table();
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  TilerunPluginStream *stream = nullptr, *other = nullptr;
  TilerunPluginEvent *event = nullptr;
  ASSERT_EQ(t.create_stream(device, &stream, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_stream(device, &other, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_event(device, 0, &event, nullptr), TILERUN_STATUS_OK);
  testing::internal::CaptureStdout();
  auto expectFault = [&](TilerunStatus status, const std::string &call) {
    EXPECT_EQ(status, TILERUN_STATUS_FAULT) << call;
    const std::string message = keeper.take(status).message;
    EXPECT_HAS(message, call + " on hip:0: assertion: says.py:7:3: assertion failed: x must not be "
                               "negative; in kernel 'test_says', program (0, 0, 0)");
    EXPECT_EQ(t.get_device_state(device, nullptr), TILERUN_STATUS_OK);
  };
  auto fail = [&] { ASSERT_EQ(launch(-3, stream), TILERUN_STATUS_OK); };
  fail();
  // Not the wait for another stream.
  EXPECT_EQ(t.synchronize_stream(device, other, keeper.getSink()), TILERUN_STATUS_OK);
  expectFault(t.synchronize_stream(device, stream, keeper.getSink()),
              "hipStreamSynchronize(stream)");
  EXPECT_EQ(t.synchronize_stream(device, stream, keeper.getSink()), TILERUN_STATUS_OK);
  fail();
  ASSERT_EQ(t.record_event(event, stream, nullptr), TILERUN_STATUS_OK);
  expectFault(t.synchronize_event(event, keeper.getSink()), "hipEventSynchronize(event)");
  fail();
  expectFault(synchronize(), "hipDeviceSynchronize()");
  fail();
  expectFault(t.query_stream(device, stream, keeper.getSink()), "hipStreamQuery(stream)");
  // Of a stream that ended meanwhile.
  fail();
  t.destroy_stream(stream);
  expectFault(t.synchronize_stream(device, other, keeper.getSink()),
              "hipStreamSynchronize(stream)");
  testing::internal::GetCapturedStdout();
  t.destroy_event(event);
  t.destroy_stream(other);
  close();
  EXPECT_EQ(countAlive(), 0);
}

// Messages that nobody waits for are freed with the device.
TEST_F(HipReports, DevicesCloseWithUnreadMessages) {
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  EXPECT_EQ(launch(1), TILERUN_STATUS_OK);
  close();
  EXPECT_EQ(countAlive(), 0);
}

// A graph would write the messages of every run to one buffer, which nothing reads.
TEST_F(HipReports, GraphsTakeNoKernelWithMessages) {
  ASSERT_EQ(open(), TILERUN_STATUS_OK);
  TilerunPluginStream *stream = nullptr;
  uint64_t native = 0;
  ASSERT_EQ(table().create_stream(device, &stream, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(table().get_native_stream(device, stream, &native, nullptr), TILERUN_STATUS_OK);
  auto *const handle = reinterpret_cast<hip::hipStream_t>(native);
  using Begin = int (*)(hip::hipStream_t, int);
  using End = int (*)(hip::hipStream_t, int *);
  ASSERT_EQ(reinterpret_cast<Begin>(dlsym(library, "hipStreamBeginCapture"))(handle, 0), 0);
  TilerunStatus status = launch(1, stream);
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_HAS(keeper.take(status).message,
             "hipModuleLaunchKernel(a kernel that prints or asserts, …) on hip:0: "
             "hipErrorStreamCaptureUnsupported: ");
  int launches = 0;
  EXPECT_EQ(reinterpret_cast<End>(dlsym(library, "hipStreamEndCapture"))(handle, &launches), 0);
  EXPECT_EQ(launches, 0);
  table().destroy_stream(stream);
  close();
}

// In a child, because what cannot be released leaks.
TEST_F(HipReports, EachCallFailsOnce) {
  if (waitForChild())
    return;
  const std::set<std::string> leaking = {"hipFree",        "hipHostFree",  "hipEventDestroy",
                                         "hipGetDevice",   "hipSetDevice", "hipStreamDestroy",
                                         "hipModuleUnload"};
  auto run = [&]() -> TilerunStatus {
    auto all = [&]() -> TilerunStatus {
      PLUGIN_TEST_TRY(open());
      for (int i = 0; i < 2; ++i) {
        PLUGIN_TEST_TRY(launch(i));
        PLUGIN_TEST_TRY(synchronize());
      }
      return launch(3);
    };
    testing::internal::CaptureStdout();
    const TilerunStatus status = all();
    close();
    testing::internal::GetCapturedStdout();
    return status;
  };
  int injected = 0;
  for (const char *function : kFunctions) {
    const int before = countCalls(function);
    EXPECT_EQ(run(), TILERUN_STATUS_OK);
    const int calls = countCalls(function) - before;
    for (int skip = 0; skip < calls; ++skip, ++injected) {
      const int alive = countAlive();
      fail(function, 304, skip, 1);
      const TilerunStatus status = run();
      EXPECT_TRUE(status == TILERUN_STATUS_OK || !keeper.take(status).message.empty()) << function;
      reset();
      if (!leaking.count(function))
        EXPECT_EQ(countAlive(), alive) << function << " after " << skip;
      EXPECT_EQ(run(), TILERUN_STATUS_OK) << function << " after " << skip;
    }
  }
  EXPECT_GE(injected, 50);
  std::fflush(stdout);
  _exit(HasFailure());
}

} // namespace
