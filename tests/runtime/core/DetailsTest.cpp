// Kernels whose details say more than an ordinary kernel's: from the artifact through a launch of
// the runtime to the device.
#include "tests/runtime/core/TestPlugin.h"

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

std::shared_ptr<TestProgram> makeProgram(const char *name, std::vector<const char *> names) {
  std::vector<SourceParameter> parameters(names.size());
  for (size_t i = 0; i < names.size(); ++i)
    parameters[i].name = names[i];
  return std::make_shared<TestProgram>(name, std::move(parameters));
}

class DetailsTest : public testing::Test {
protected:
  void SetUp() override {
    device = openTestDevice();
    ASSERT_OK(device->getPool().allocate(stream(), kBytes, out));
    ASSERT_OK(stream().fill(out, 0xFF, 1, kBytes));
  }
  const Stream &stream() { return device->getDefaultStream(); }
  const int32_t *getOut() { return reinterpret_cast<const int32_t *>(out); }
  Status launch(Kernel &kernel, std::vector<TilerunArgument> arguments,
                std::array<uint32_t, 3> grid) {
    return kernel.launch(stream(), grid.data(), kDefaults, arguments.data(),
                         static_cast<uint32_t>(arguments.size()));
  }
  static constexpr uint64_t kBytes = 4096;
  std::shared_ptr<Device> device;
  TilerunAddress out = 0;
};

// The null device has one unit and the kernel four programs on each; the caller asks for 30.
TEST_F(DetailsTest, PersistentKernelsKnowTheCallersGrid) {
  Kernel kernel(makeProgram("tilerun_test_persistent", {"out", "n"}));
  ASSERT_OK(launch(kernel, {pointerTo(out), integer(29)}, {2, 3, 5}));
  for (int v = 0; v < 31; ++v)
    EXPECT_EQ(getOut()[v], v < 29 ? v % 4 + 1 : -1) << v;
  // Another launch has other words.
  ASSERT_OK(stream().fill(out, 0xFF, 1, kBytes));
  ASSERT_OK(launch(kernel, {pointerTo(out), integer(29)}, {3, 1, 1}));
  for (int v = 0; v < 5; ++v)
    EXPECT_EQ(getOut()[v], v < 3 ? v + 1 : -1) << v;
}

TEST_F(DetailsTest, ClustersReachTheDevice) {
  Kernel kernel(makeProgram("tilerun_test_cluster", {"out"}));
  ASSERT_OK(launch(kernel, {pointerTo(out)}, {6, 1, 1}));
  for (int x = 0; x < 7; ++x)
    EXPECT_EQ(getOut()[x], x < 6 ? x % 2 : -1) << x;
  expectError(launch(kernel, {pointerTo(out)}, {5, 1, 1}), TILERUN_STATUS_INVALID_ARGUMENT,
              "kernel 'tilerun_test_cluster': the grid has 5 programs on axis 0, which are not "
              "whole clusters of 2");
}

// Plans apply and refuse as without a trace, and the launch of a kernel without one is recorded
// too.
TEST_F(DetailsTest, RecordedLaunchesAreCompletedAsOthersAre) {
  Kernel persistent(makeProgram("tilerun_test_persistent", {"out", "n"}));
  Kernel cluster(makeProgram("tilerun_test_cluster", {"out"}));
  Kernel plain(TestProgram::makeAdd());
  ASSERT_TRUE(Trace::start());
  const Status planned = launch(persistent, {pointerTo(out), integer(29)}, {2, 3, 5});
  std::vector<int32_t> got(getOut(), getOut() + 31);
  const Status refused = launch(cluster, {pointerTo(out)}, {5, 1, 1});
  const Status added = launch(
      plain, {pointerTo(out), pointerTo(out), pointerTo(out), integer(8), integer(128)}, {1, 1, 1});
  std::vector<Trace::Event> events;
  uint64_t dropped = 0;
  ASSERT_TRUE(Trace::stop(events, dropped));
  ASSERT_OK(planned);
  for (int v = 0; v < 31; ++v)
    EXPECT_EQ(got[v], v < 29 ? v % 4 + 1 : -1) << v;
  expectError(refused, TILERUN_STATUS_INVALID_ARGUMENT,
              "kernel 'tilerun_test_cluster': the grid has 5 programs on axis 0, which are not "
              "whole clusters of 2");
  ASSERT_OK(added);
  EXPECT_EQ(getOut()[0], 2 * got[0]);
  std::vector<std::string> launches;
  for (const Trace::Event &event : events)
    if (std::string(event.category) == "launch")
      launches.push_back(event.name + ": " + event.notes.back().second);
  EXPECT_EQ(launches, (std::vector<std::string>{"tilerun_test_persistent: 2 x 3 x 5",
                                                "tilerun_test_cluster: 5 x 1 x 1",
                                                "tilerun_test_add: 1 x 1 x 1"}));
}

TEST_F(DetailsTest, LargerClustersThanTheDeviceHasAreRefused) {
  std::shared_ptr<TestProgram> program = makeProgram("tilerun_test_cluster", {"out"});
  program->cluster = 4;
  Kernel kernel(program);
  expectError(launch(kernel, {pointerTo(out)}, {8, 1, 1}), TILERUN_STATUS_INVALID_ARGUMENT,
              "kernel 'tilerun_test_cluster' has clusters of 4 programs; null:0 takes 2 at most");
}

// The artifact determines a program's threads, whatever num_warps says (4 here).
TEST_F(DetailsTest, ThreadsAreTheArtifacts) {
  std::shared_ptr<TestProgram> program = TestProgram::makeAdd();
  program->threads = 160;
  Kernel kernel(program);
  const std::vector<TilerunArgument> arguments = {pointerTo(out), pointerTo(out), pointerTo(out),
                                                  integer(200), integer(128)};
  ASSERT_OK(stream().fill(out, 1, 4, kBytes));
  ASSERT_OK(launch(kernel, arguments, {1, 1, 1}));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(getOut()[i], i < 160 ? 2 : 1) << i;
}

} // namespace
