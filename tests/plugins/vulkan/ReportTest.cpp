// Prints and assertions of kernels on a device: lines on stdout, and faults at the next wait.
#include "tests/plugins/vulkan/KernelTest.h"

#include <algorithm>
#include <atomic>
#include <sstream>
#include <thread>

using namespace vulkan_test;

namespace {

constexpr const char *kPrint = R"(
func.func @print(%x: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : i32 -> tensor<4xi32>
  %sum = arith.addi %i, %xs : tensor<4xi32>
  tile.print "sum 100% " : %sum signed [true] : tensor<4xi32>
  %f = arith.sitofp %x : i32 to f32
  %h = arith.constant 0.5 : f32
  %g = arith.mulf %f, %h : f32
  tile.print "half " : %g signed [true] : f32
  return
}
)";

constexpr const char *kAssert = R"(
func.func @check(%out: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sgt, %x, %zero : i32
  tile.assert %ok, "x must be positive" : i1
  tile.store %out, %x : !tile.ptr<i32>
  return
}
)";

class Reports : public Kernels {
protected:
  static std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    std::sort(lines.begin(), lines.end()); // Threads print in any order.
    return lines;
  }
};

TEST_F(Reports, LinesAreOnStdoutAfterAWait) {
  TilerunPluginKernel *kernel = load(compile(kPrint));
  ASSERT_TRUE(kernel);
  testing::internal::CaptureStdout();
  TilerunStatus first = launch(kernel, Arguments().add(7), {2, 1, 1});
  TilerunStatus waited = synchronize();
  std::vector<std::string> lines = split(testing::internal::GetCapturedStdout());
  EXPECT_EQ(first, TILERUN_STATUS_OK) << takeMessage(first);
  EXPECT_EQ(waited, TILERUN_STATUS_OK);
  std::vector<std::string> expected;
  for (int program = 0; program < 2; ++program) {
    std::string pid = "pid (" + std::to_string(program) + ", 0, 0) ";
    for (int i = 0; i < 4; ++i)
      expected.push_back(pid + "idx (" + std::to_string(i) + ") sum 100% " + std::to_string(7 + i));
    expected.push_back(pid + "idx () half 3.500000");
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(lines, expected);
  // Once, and no more.
  testing::internal::CaptureStdout();
  synchronize();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(Reports, LaunchesInARowKeepTheirOrder) {
  TilerunPluginKernel *kernel = load(compile(kPrint));
  ASSERT_TRUE(kernel);
  // More than may wait to be read.
  constexpr int kRounds = 150;
  testing::internal::CaptureStdout();
  for (int i = 0; i < kRounds; ++i)
    EXPECT_EQ(launch(kernel, Arguments().add(2 * i)), TILERUN_STATUS_OK);
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  std::istringstream stream(testing::internal::GetCapturedStdout());
  int next = 0;
  for (std::string line; std::getline(stream, line);)
    if (line.find("half") != std::string::npos) {
      EXPECT_EQ(line, "pid (0, 0, 0) idx () half " + std::to_string(next) + ".000000");
      ++next;
    }
  EXPECT_EQ(next, kRounds);
}

TEST_F(Reports, AFailedAssertionIsAFaultAndTheDeviceGoesOn) {
  TilerunPluginKernel *kernel = load(compile(kAssert));
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  ASSERT_EQ(launch(kernel, Arguments().add(out).add(-3), {4, 1, 1}), TILERUN_STATUS_OK);
  TilerunStatus status = synchronize();
  EXPECT_EQ(status, TILERUN_STATUS_FAULT);
  std::string message = takeMessage(status);
  EXPECT_NE(message.find("assertion failed: x must be positive"), std::string::npos) << message;
  EXPECT_NE(message.find("in kernel 'check', program ("), std::string::npos) << message;
  EXPECT_NE(message.find(info.id), std::string::npos) << message;
  // Reported once; the program ended there, and others continue.
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  EXPECT_EQ(table().get_device_state(device, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(read<int32_t>(out, 1)[0], -1); // As it was filled: nothing was stored.
  ASSERT_EQ(launch(kernel, Arguments().add(out).add(9)), TILERUN_STATUS_OK);
  EXPECT_EQ(read<int32_t>(out, 1)[0], 9);
}

TEST_F(Reports, EveryWaitTellsAFault) {
  const TilerunPlugin &t = table();
  TilerunPluginKernel *kernel = load(compile(kAssert));
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  TilerunPluginStream *stream = nullptr;
  TilerunPluginEvent *event = nullptr;
  ASSERT_EQ(t.create_stream(device, &stream, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(t.create_event(device, 0, &event, keeper.getSink()), TILERUN_STATUS_OK);
  auto fail = [&] {
    ASSERT_EQ(launch(kernel, Arguments().add(out).add(0), {1, 1, 1}, stream), TILERUN_STATUS_OK);
  };
  fail();
  EXPECT_EQ(t.synchronize_stream(device, stream, keeper.getSink()), TILERUN_STATUS_FAULT);
  fail();
  ASSERT_EQ(t.record_event(event, stream, keeper.getSink()), TILERUN_STATUS_OK);
  EXPECT_EQ(t.synchronize_event(event, keeper.getSink()), TILERUN_STATUS_FAULT);
  fail();
  EXPECT_EQ(t.synchronize_device(device, keeper.getSink()), TILERUN_STATUS_FAULT);
  fail();
  TilerunStatus status = TILERUN_STATUS_NOT_READY;
  while (status == TILERUN_STATUS_NOT_READY)
    status = t.query_stream(device, stream, keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_FAULT);
  EXPECT_EQ(t.synchronize_stream(device, stream, keeper.getSink()), TILERUN_STATUS_OK);
  t.destroy_event(event);
  t.destroy_stream(stream);
}

// Reports of a stream's work that was in flight when it was destroyed come with the device's next
// wait.
TEST_F(Reports, StreamsThatEndBusyTellLater) {
  const TilerunPlugin &t = table();
  TilerunPluginKernel *kernel = load(compile(kAssert));
  ASSERT_TRUE(kernel);
  TilerunAddress out = allocate(4);
  TilerunPluginStream *stream = nullptr;
  ASSERT_EQ(t.create_stream(device, &stream, keeper.getSink()), TILERUN_STATUS_OK);
  ASSERT_EQ(launch(kernel, Arguments().add(out).add(0), {1, 1, 1}, stream), TILERUN_STATUS_OK);
  t.destroy_stream(stream);
  EXPECT_EQ(synchronize(), TILERUN_STATUS_FAULT);
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
}

TEST_F(Reports, ManyThreads) {
  const TilerunPlugin &t = table();
  TilerunPluginKernel *kernel = load(compile(kPrint));
  ASSERT_TRUE(kernel);
  constexpr int kThreads = 4, kRounds = 40;
  testing::internal::CaptureStdout();
  std::vector<std::thread> workers;
  std::atomic<int> failures{0};
  for (int worker = 0; worker < kThreads; ++worker)
    workers.emplace_back([&, worker] {
      // Half of them share the device's own stream.
      TilerunPluginStream *stream = nullptr;
      if (worker % 2)
        failures += t.create_stream(device, &stream, nullptr) != TILERUN_STATUS_OK;
      TilerunPluginLaunch order = {sizeof(order), {1, 1, 1}, threads, sharedBytes,
                                   nullptr,       4,         0,       0,
                                   nullptr,       nullptr,   {},      0};
      for (int round = 0; round < kRounds; ++round) {
        int32_t value = 1000 * worker + round;
        order.arguments = &value;
        failures += t.launch(kernel, stream, &order, nullptr) != TILERUN_STATUS_OK;
        if (round % 8 == 7)
          failures += t.synchronize_stream(device, stream, nullptr) != TILERUN_STATUS_OK;
      }
      t.destroy_stream(stream);
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(synchronize(), TILERUN_STATUS_OK);
  std::vector<std::string> lines = split(testing::internal::GetCapturedStdout());
  EXPECT_EQ(failures, 0);
  // Every line complete, and once.
  std::vector<std::string> expected;
  for (int worker = 0; worker < kThreads; ++worker)
    for (int round = 0; round < kRounds; ++round) {
      int value = 1000 * worker + round;
      for (int i = 0; i < 4; ++i)
        expected.push_back("pid (0, 0, 0) idx (" + std::to_string(i) + ") sum 100% " +
                           std::to_string(value + i));
      expected.push_back("pid (0, 0, 0) idx () half " + std::to_string(value / 2) +
                         (value % 2 ? ".500000" : ".000000"));
    }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(lines, expected);
}

} // namespace
