// What every plugin on plugins/stream_driver does when calls of its driver fail, and when devices
// are lost.
#include "tests/plugins/fake/StreamDriverTest.h"

#include <cstdio>
#include <cstdlib>

using namespace tilerun::plugin;
using namespace stream_driver_test;

namespace {

TEST_F(StreamDriver, EverythingIsReleased) {
  Error error;
  ASSERT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(StreamDriver, EachFailingDriverCallIsReportedAndLeavesNothing) {
  const std::set<std::string> &quiet = getNames().quiet;
  size_t injected = 0;
  for (const char *function : getNames().functions) {
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

// Every call that a program makes fails once, at any point: the process continues. In a child,
// because a release that fails leaks for good.
TEST_F(StreamDriver, EachCallOfEachDriverFunctionFailsOnce) {
  if (waitForChild())
    return;
  // Objects that cannot be released stay in the fake driver's count.
  const std::set<std::string> &leaking = getNames().leaking;
  unsigned injected = 0;
  for (const char *function : getNames().functions) {
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
  EXPECT_GE(injected, 100u);
  std::fflush(stdout);
  _exit(HasFailure());
}

TEST_F(StreamDriver, OutOfMemoryInTheMiddle) {
  const DriverNames &names = getNames();
  fail(names.allocate, names.outOfMemory, 1, 1);
  Error error;
  EXPECT_EQ(runAll(error), TILERUN_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(error.driverWord, names.outOfMemoryWord);
  EXPECT_EQ(error.device, std::string(names.kind) + ":0");
  EXPECT_NE(error.call.find(names.allocate), std::string::npos);
  EXPECT_NE(error.message.find("64 bytes were requested"), std::string::npos);
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(StreamDriver, LossIsSaidByEveryCallUntilReopened) {
  for (int code : getNames().losses) {
    fail(getNames().waitForStream, code, 0, 1);
    Error error;
    EXPECT_EQ(runAll(error), TILERUN_STATUS_DEVICE_LOST) << code;
    EXPECT_NE(error.message.find("'tilerun_test_delay'"), std::string::npos) << error.message;
    EXPECT_EQ(countAlive(), 0);
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << error.message;
  }
}

TEST_F(StreamDriver, OneDeviceLostTheOtherGoesOn) {
  const TilerunPlugin &t = table();
  ErrorKeeper keeper;
  TilerunPluginDevice *first = nullptr, *second = nullptr;
  ASSERT_EQ(t.open_device(0, nullptr, &first, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.open_device(1, nullptr, &second, keeper.getSink()), TILERUN_STATUS_OK);
  fail(getNames().waitForDevice, getNames().losses[0], 0, 1);
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

// Any call may be the one that reports a loss. In a child, as above.
TEST_F(StreamDriver, EachDriverCallMayTellOfALoss) {
  if (waitForChild())
    return;
  unsigned lost = 0;
  for (const char *function : getNames().functions) {
    fail(function, getNames().losses[0], 0, 1);
    Error error;
    lost += runAll(error) == TILERUN_STATUS_DEVICE_LOST;
    reset();
    EXPECT_EQ(runAll(error), TILERUN_STATUS_OK) << function << ": " << error.message;
  }
  EXPECT_GE(lost, 30u);
  std::fflush(stdout);
  _exit(HasFailure());
}

TEST_F(StreamDriverLaunch, MemoryRunsOutAndComesBack) {
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
  EXPECT_NE(keeper.take(status).message.find("268435456 bytes were requested"), std::string::npos);
  for (TilerunAddress address : addresses)
    EXPECT_EQ(table().free(device, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  ASSERT_EQ(table().allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(table().fill(device, nullptr, address, 0, 4, 64, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(launchDelay(getKernel("tilerun_test_delay"), nullptr, address), TILERUN_STATUS_OK);
  close();
}

TEST_F(StreamDriverLaunch, LossNamesTheKernelsThatWereUnderWay) {
  setenv(getNames().revive, "1", 1);
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
  // Synchronized work is not named, and the fault need not be on the stream that reports it.
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

// With several devices, one's fault may be the answer to every call on the others.
TEST_F(StreamDriverLaunch, LossWithNothingUnderWayMayBeAnothers) {
  setenv(getNames().revive, "1", 1);
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginKernel *delay = getKernel("tilerun_test_delay");
  TilerunAddress address = 0;
  ASSERT_EQ(t.allocate(device, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launchDelay(delay, nullptr, address), TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_stream(device, nullptr, keeper.getSink()), TILERUN_STATUS_OK);
  fail(getNames().launch, getNames().losses[0], 0, 1);
  TilerunStatus status = launchDelay(delay, nullptr, address);
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  std::string message = keeper.take(status).message;
  EXPECT_EQ(message.find("in kernel"), std::string::npos) << message;
  EXPECT_NE(message.find("another device of this process may have been the cause"),
            std::string::npos)
      << message;
  close();
  // A kernel that was in flight is named, and one that was not even launched is not.
  open("tilerun_test_fault");
  TilerunPluginKernel *fault = getKernel("tilerun_test_fault");
  ASSERT_EQ(launchFault(fault, nullptr), TILERUN_STATUS_OK);
  status = launchFault(fault, nullptr);
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  message = keeper.take(status).message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  close();
  EXPECT_EQ(countAlive(), 0);
}

TEST_F(StreamDriverLaunch, ElementsOfAnotherSizeAreRefused) {
  setenv(getNames().revive, "1", 1); // Other tests lost the device.
  const TilerunPlugin &t = table();
  open("tilerun_test_delay");
  TilerunPluginArtifact changed = *artifact;
  changed.kernels = infos.data();
  auto expectRefused = [&](const std::string &text) {
    TilerunPluginModule *none = nullptr;
    TilerunStatus status = t.load_module(device, &changed, &none, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = keeper.take(status).message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
    const TilerunPluginArtifact *binary = nullptr;
    if (t.finalize_artifact)
      EXPECT_EQ(t.finalize_artifact(device, &changed, &binary, nullptr),
                TILERUN_STATUS_INVALID_ARGUMENT);
  };
  infos[0].struct_size += 8;
  expectRefused("kernel 0 of the artifact has the struct_size 40, not 32, which is fixed");
  infos[0].struct_size -= 8;
  std::vector<TilerunPluginParameter> parameters(infos[0].parameters,
                                                 infos[0].parameters + infos[0].num_parameters);
  parameters[1].struct_size = 24;
  infos[0].parameters = parameters.data();
  expectRefused("parameter 1 of kernel 0 of the artifact has the struct_size 24, not 16");
  close();
}

TEST_F(StreamDriverLaunch, DerivedParametersThatCannotBePassedAreRefused) {
  setenv(getNames().revive, "1", 1); // Other tests lost the device.
  const TilerunPlugin &t = table();
  open("tilerun_test_persistent");
  // Conformance launches it with its words.
  TilerunPluginKernel *kernel = getKernel("tilerun_test_persistent");
  const struct {
    uint64_t out = 0;
    int32_t n = 0;
  } arguments;
  TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1}, 1,  0, &arguments, 12, 0, 0,
                                nullptr,        nullptr,   {}, 0};
  auto expectRefused = [&](TilerunStatus status, const std::string &text) {
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    std::string message = keeper.take(status).message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expectRefused(t.launch(kernel, nullptr, &launch, keeper.getSink()),
                "the launch lacks the derived parameters: kernel 'tilerun_test_persistent'");
  TilerunPluginModule *none = nullptr;
  TilerunPluginDerived map = *artifact->details[0]->derived[0];
  map.form = "tensor-book";
  const TilerunPluginDerived *derived[] = {&map};
  TilerunPluginKernelDetails changed = *artifact->details[0];
  changed.derived = derived;
  const TilerunPluginKernelDetails *details[] = {&changed};
  TilerunPluginArtifact other = *artifact;
  other.details = details;
  expectRefused(t.load_module(device, &other, &none, keeper.getSink()),
                "kernel 0 of the artifact has a derived parameter of the form 'tensor-book', which "
                "this plugin does not know");
  map.form = "words";
  infos[0].num_parameters = 512;
  std::vector<TilerunPluginParameter> many(512, *infos[0].parameters);
  infos[0].parameters = many.data();
  other.kernels = infos.data();
  expectRefused(t.load_module(device, &other, &none, keeper.getSink()),
                "kernel 0 of the artifact has more than 512 parameters, some of which are derived");
  close();
}

TEST_F(StreamDriverLaunch, ADeviceThatDoesNotExistIsNamedBesideThoseThatDo) {
  TilerunPluginDevice *none = nullptr;
  const TilerunStatus status = table().open_device(7, nullptr, &none, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_UNAVAILABLE);
  EXPECT_FALSE(none);
  EXPECT_EQ(keeper.take(status).message, std::string("open_device on ") + getNames().kind +
                                             ": device 7 does not exist; the devices are 0 to 1");
}

TEST_F(StreamDriverLaunch, AFreshContextWorksAfterALossIfTheDriverGivesOne) {
  const TilerunPlugin &t = table();
  setenv(getNames().revive, "1", 1);
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
  // A driver that gives none: reported, with a remedy and the kernel that lost it. Other devices
  // stay usable.
  unsetenv(getNames().revive);
  TilerunStatus status = t.open_device(0, nullptr, &device, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
  std::string message = keeper.take(status).message;
  EXPECT_NE(message.find("start a new process"), std::string::npos) << message;
  EXPECT_NE(message.find("in kernel 'tilerun_test_fault'"), std::string::npos) << message;
  for (int round = 0; round < 2; ++round) {
    status = t.open_device(0, nullptr, &device, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_DEVICE_LOST);
    EXPECT_EQ(keeper.take(status).message, message) << "the text grows with each attempt";
  }
  EXPECT_EQ(t.synchronize_device(other, keeper.getSink()), TILERUN_STATUS_OK);
  TilerunAddress address = 0;
  EXPECT_EQ(t.allocate(other, nullptr, 64, &address, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(other, nullptr, address, keeper.getSink()), TILERUN_STATUS_OK);
  t.close_device(other);
  EXPECT_EQ(countAlive(), 0);
}

} // namespace
