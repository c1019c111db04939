// The Vulkan plugin on lavapipe: bytes of copies and fills, order of streams, threads, two devices.
// The same runs over a device whose memory the host does not see (FAKE_VULKAN_DISCRETE).
#include "plugins/vulkan/Timestamps.h"
#include "tests/plugins/vulkan/DeviceTest.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

using namespace vulkan_test;

namespace {

std::vector<uint8_t> makeBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

class Order : public Devices {};

TEST_F(Order, FillsTouchTheirBytesAlone) {
  const TilerunPlugin &t = table();
  Device device;
  constexpr uint64_t kSize = 64;
  TilerunAddress base = device.allocate(kSize);
  for (uint32_t width : {1u, 2u, 4u})
    for (uint64_t offset = 0; offset < 6; ++offset)
      for (uint64_t bytes = 0; bytes <= 20; bytes += width) {
        const uint32_t pattern = 0xA1B2C3D4;
        std::vector<uint8_t> want(kSize, 0x55), got(kSize);
        for (uint64_t i = 0; i < bytes; ++i)
          want[offset + i] = reinterpret_cast<const uint8_t *>(&pattern)[i % width];
        ASSERT_EQ(t.fill(device.handle, nullptr, base, 0x55, 1, kSize, nullptr), TILERUN_STATUS_OK);
        ASSERT_EQ(t.fill(device.handle, nullptr, base + offset, pattern, width, bytes, nullptr),
                  TILERUN_STATUS_OK);
        ASSERT_EQ(t.copy_from_device(device.handle, nullptr, got.data(), base, kSize, nullptr),
                  TILERUN_STATUS_OK);
        ASSERT_EQ(want, got) << width << " " << offset << " " << bytes;
      }
}

// After a running kernel, so that the host cannot copy itself.
TEST_F(Order, CopiesOfAnyAlignmentBehindWork) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  TilerunAddress counter = device.allocate(4);
  constexpr size_t kSize = 12 << 20; // More than the staging ring.
  TilerunAddress a = device.allocate(kSize), b = device.allocate(kSize);
  void *pinned = nullptr;
  ASSERT_EQ(t.allocate_host(device.handle, kSize, &pinned, nullptr), TILERUN_STATUS_OK);
  uint32_t seed = 1;
  for (size_t bytes : {size_t(1), size_t(3), size_t(70), size_t(4097), size_t(65537),
                       size_t(1 << 20) + 5, size_t(9 << 20) + 7}) {
    for (size_t offset : {0, 1, 6}) {
      std::vector<uint8_t> in = makeBytes(bytes, ++seed), out(bytes);
      ASSERT_EQ(device.delay(kernel, nullptr, counter, 2'000'000, nullptr), TILERUN_STATUS_OK);
      ASSERT_EQ(t.copy_to_device(device.handle, nullptr, a + offset, in.data(), bytes, nullptr),
                TILERUN_STATUS_OK);
      std::vector<uint8_t> kept = in;
      std::fill(in.begin(), in.end(), uint8_t(0)); // It is pageable: the call has read it.
      ASSERT_EQ(t.copy_on_device(device.handle, nullptr, b + 3, a + offset, bytes, nullptr),
                TILERUN_STATUS_OK);
      ASSERT_EQ(t.copy_from_device(device.handle, nullptr, out.data(), b + 3, bytes, nullptr),
                TILERUN_STATUS_OK);
      ASSERT_TRUE(kept == out) << bytes << " at " << offset << ", seed " << seed;
      // And through pinned memory, without a wait.
      auto *host = static_cast<uint8_t *>(pinned);
      std::copy(kept.begin(), kept.end(), host + offset);
      ASSERT_EQ(t.copy_to_device(device.handle, nullptr, b, host + offset, bytes, nullptr),
                TILERUN_STATUS_OK);
      ASSERT_EQ(t.copy_from_device(device.handle, nullptr, host, b, bytes, nullptr),
                TILERUN_STATUS_OK);
      ASSERT_EQ(t.synchronize_stream(device.handle, nullptr, nullptr), TILERUN_STATUS_OK);
      ASSERT_TRUE(std::equal(kept.begin(), kept.end(), host)) << bytes << " at " << offset;
    }
  }
  ASSERT_EQ(t.free_host(device.handle, pinned, nullptr), TILERUN_STATUS_OK);
}

TEST_F(Order, RangesOutsideMemoryAreRefused) {
  const TilerunPlugin &t = table();
  Device device;
  uint8_t bytes[16] = {};
  for (TilerunAddress wrong : {TilerunAddress(64), TilerunAddress(UINT64_MAX - 4)}) {
    ErrorKeeper keeper;
    TilerunStatus status =
        t.copy_to_device(device.handle, nullptr, wrong, bytes, 16, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(keeper.take(status).message.find(std::to_string(wrong)), std::string::npos);
    EXPECT_EQ(t.copy_from_device(device.handle, nullptr, bytes, wrong, 16, nullptr),
              TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(t.fill(device.handle, nullptr, wrong, 0, 1, 16, nullptr),
              TILERUN_STATUS_INVALID_ARGUMENT);
  }
  EXPECT_EQ(t.free_host(device.handle, bytes, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
}

TEST_F(Order, PinnedMemoryIsKnown) {
  const TilerunPlugin &t = table();
  Device device;
  void *pinned = nullptr;
  ASSERT_EQ(t.allocate_host(device.handle, 100, &pinned, nullptr), TILERUN_STATUS_OK);
  TilerunPluginPointerInfo info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(
      t.get_pointer_info(device.handle, reinterpret_cast<uint64_t>(pinned) + 99, &info, nullptr),
      TILERUN_STATUS_OK);
  EXPECT_TRUE(info.on_host);
  EXPECT_EQ(info.num_bytes, 100u);
  ASSERT_EQ(t.free_host(device.handle, pinned, nullptr), TILERUN_STATUS_OK);
}

// Memory that is freed while work runs becomes available to others only once that work is done.
TEST_F(Order, MemoryIsFreedInTheOrderOfTheStream) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  TilerunPluginStream *other = nullptr;
  ASSERT_EQ(t.create_stream(device.handle, &other, nullptr), TILERUN_STATUS_OK);
  constexpr uint64_t kBytes = 40 << 20;
  TilerunAddress counter = device.allocate(4), first = 0, second = 0, third = 0;
  ASSERT_EQ(t.allocate(device.handle, other, kBytes, &first, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(device.delay(kernel, other, counter, 100'000'000, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.free(device.handle, other, first, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.free(device.handle, other, first, nullptr), TILERUN_STATUS_INVALID_ARGUMENT);
  ASSERT_EQ(t.allocate(device.handle, nullptr, kBytes, &second, nullptr), TILERUN_STATUS_OK);
  EXPECT_NE(second, first) << "another stream got memory that is still in use";
  ASSERT_EQ(t.allocate(device.handle, other, kBytes, &third, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(third, first) << "the same stream did not get its memory back";
  ASSERT_EQ(t.free(device.handle, nullptr, second, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.free(device.handle, other, third, nullptr), TILERUN_STATUS_OK);
  t.destroy_stream(other);
  EXPECT_EQ(t.synchronize_device(device.handle, nullptr), TILERUN_STATUS_OK);
}

TEST_F(Order, EventsThatHaveNoTimeAreRefusedBeforeTheOthersAreDone) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  TilerunAddress counter = device.allocate(4);
  TilerunPluginEvent *events[3] = {};
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(t.create_event(device.handle, i == 2 ? 0 : TILERUN_EVENT_TIMING, &events[i], nullptr),
              TILERUN_STATUS_OK);
  ASSERT_EQ(device.delay(kernel, nullptr, counter, 50'000'000, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.record_event(events[0], nullptr, nullptr), TILERUN_STATUS_OK);
  double time = -1;
  EXPECT_EQ(t.elapsed_time(events[0], events[0], &time, nullptr), TILERUN_STATUS_NOT_READY);
  for (int other : {1, 2}) {
    EXPECT_EQ(t.elapsed_time(events[0], events[other], &time, nullptr),
              TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(t.elapsed_time(events[other], events[0], &time, nullptr),
              TILERUN_STATUS_INVALID_ARGUMENT);
  }
  EXPECT_EQ(time, -1);
  for (TilerunPluginEvent *event : events)
    t.destroy_event(event);
}

TEST_F(Order, EventsOrderStreamsOfTwoDevices) {
  const TilerunPlugin &t = table();
  Device first(0), second(1);
  TilerunPluginKernel *kernel = first.load("tilerun_test_delay");
  TilerunAddress from = first.allocate(4), to = second.allocate(4);
  int32_t value = 41, got = 0;
  ASSERT_EQ(t.copy_to_device(first.handle, nullptr, from, &value, 4, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(first.delay(kernel, nullptr, from, 30'000'000, nullptr), TILERUN_STATUS_OK);
  TilerunPluginEvent *event = nullptr;
  ASSERT_EQ(t.create_event(first.handle, 0, &event, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.record_event(event, nullptr, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.wait_event(second.handle, nullptr, event, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.copy_from_peer(second.handle, nullptr, to, first.handle, from, 4, nullptr),
            TILERUN_STATUS_OK);
  ASSERT_EQ(t.copy_from_device(second.handle, nullptr, &got, to, 4, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(got, 42);
  t.destroy_event(event);
}

// Runs `work(i)` in threads.
template <typename Work> void inThreads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] { work(i); });
  for (std::thread &thread : threads)
    thread.join();
}

// Each waits for the other, so that each keeps the other alive; the host waits for neither.
TEST_F(Order, StreamsThatWaitForEachOtherEnd) {
  const TilerunPlugin &t = table();
  const int before = countAlive();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  TilerunAddress counter = device.allocate(4);
  TilerunPluginStream *streams[2] = {};
  TilerunPluginEvent *events[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(t.create_stream(device.handle, &streams[i], nullptr), TILERUN_STATUS_OK);
    ASSERT_EQ(t.create_event(device.handle, 0, &events[i], nullptr), TILERUN_STATUS_OK);
  }
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(device.delay(kernel, streams[i % 2], counter, 3'000'000, nullptr), TILERUN_STATUS_OK);
    ASSERT_EQ(t.record_event(events[i % 2], streams[i % 2], nullptr), TILERUN_STATUS_OK);
    ASSERT_EQ(t.wait_event(device.handle, streams[1 - i % 2], events[i % 2], nullptr),
              TILERUN_STATUS_OK);
  }
  for (TilerunPluginStream *stream : streams)
    while (t.query_stream(device.handle, stream, nullptr) == TILERUN_STATUS_NOT_READY)
      std::this_thread::yield();
  for (int i = 0; i < 2; ++i) {
    t.destroy_event(events[i]);
    t.destroy_stream(streams[i]);
  }
  // As `close`, but without waiting.
  t.unload_module(std::exchange(device.module, nullptr));
  t.close_device(std::exchange(device.handle, nullptr));
  EXPECT_EQ(countAlive(), before);
}

TEST_F(Order, ThreadsShareAStream) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  TilerunAddress counter = device.allocate(4);
  ASSERT_EQ(t.fill(device.handle, nullptr, counter, 0, 4, 4, nullptr), TILERUN_STATUS_OK);
  constexpr int kThreads = 4, kLaunches = 200;
  inThreads(kThreads, [&](int i) {
    for (int k = 0; k < kLaunches; ++k) {
      EXPECT_EQ(device.delay(kernel, nullptr, counter, 0, nullptr), TILERUN_STATUS_OK);
      if (k % 50 == i)
        EXPECT_EQ(t.synchronize_stream(device.handle, nullptr, nullptr), TILERUN_STATUS_OK);
    }
  });
  int32_t got = 0;
  ASSERT_EQ(t.copy_from_device(device.handle, nullptr, &got, counter, 4, nullptr),
            TILERUN_STATUS_OK);
  EXPECT_EQ(got, kThreads * kLaunches);
}

TEST_F(Order, ThreadsWithStreamsAndEventsOfTheirOwn) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  constexpr int kThreads = 4, kRounds = 40;
  TilerunAddress counters = device.allocate(4 * kThreads);
  ASSERT_EQ(t.fill(device.handle, nullptr, counters, 0, 4, 4 * kThreads, nullptr),
            TILERUN_STATUS_OK);
  ASSERT_EQ(t.synchronize_device(device.handle, nullptr), TILERUN_STATUS_OK);
  inThreads(kThreads, [&](int i) {
    const TilerunAddress counter = counters + 4 * static_cast<uint64_t>(i);
    for (int round = 0; round < kRounds; ++round) {
      TilerunPluginStream *a = nullptr, *b = nullptr;
      TilerunPluginEvent *event = nullptr;
      ASSERT_EQ(t.create_stream(device.handle, &a, nullptr), TILERUN_STATUS_OK);
      ASSERT_EQ(t.create_stream(device.handle, &b, nullptr), TILERUN_STATUS_OK);
      ASSERT_EQ(t.create_event(device.handle, TILERUN_EVENT_TIMING, &event, nullptr),
                TILERUN_STATUS_OK);
      EXPECT_EQ(device.delay(kernel, a, counter, 100'000, nullptr), TILERUN_STATUS_OK);
      EXPECT_EQ(t.record_event(event, a, nullptr), TILERUN_STATUS_OK);
      t.destroy_stream(a); // Its work still counts.
      EXPECT_EQ(t.wait_event(device.handle, b, event, nullptr), TILERUN_STATUS_OK);
      EXPECT_EQ(device.delay(kernel, b, counter, 0, nullptr), TILERUN_STATUS_OK);
      int32_t got = 0;
      EXPECT_EQ(t.copy_from_device(device.handle, b, &got, counter, 4, nullptr), TILERUN_STATUS_OK);
      EXPECT_EQ(got, 2 * (round + 1));
      t.destroy_event(event);
      t.destroy_stream(b);
    }
  });
}

// Many launches are in flight although the host waits for none.
TEST_F(Order, WorkRunsWithoutBeingWaitedFor) {
  const TilerunPlugin &t = table();
  Device device;
  TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
  void *pinned = nullptr;
  ASSERT_EQ(t.allocate_host(device.handle, 64, &pinned, nullptr), TILERUN_STATUS_OK);
  auto *flag = static_cast<volatile int32_t *>(pinned);
  *flag = 0;
  TilerunAddress counter = device.allocate(4);
  ASSERT_EQ(t.fill(device.handle, nullptr, counter, 0, 4, 4, nullptr), TILERUN_STATUS_OK);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(device.delay(kernel, nullptr, counter, 1'000'000, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.copy_from_device(device.handle, nullptr, pinned, counter, 4, nullptr),
            TILERUN_STATUS_OK);
  for (int i = 0; i < 1000 && *flag != 10; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(*flag, 10) << "a batch was never submitted";
  ASSERT_EQ(t.synchronize_device(device.handle, nullptr), TILERUN_STATUS_OK);
  ASSERT_EQ(t.free_host(device.handle, pinned, nullptr), TILERUN_STATUS_OK);
}

TEST(VulkanTimestamps, WrapAround) {
  EXPECT_EQ(vulkan::getElapsed(10, 30, 64, 1.0), 20.0);
  EXPECT_EQ(vulkan::getElapsed(30, 10, 64, 1.0), -20.0);
  EXPECT_EQ(vulkan::getElapsed(10, 30, 36, 2.5), 50.0);
  // 36 bits: the clock has wrapped around, and the bits above the valid ones are arbitrary.
  const uint64_t most = (uint64_t(1) << 36) - 1;
  EXPECT_EQ(vulkan::getElapsed(most - 4, 5, 36, 1.0), 10.0);
  EXPECT_EQ(vulkan::getElapsed(most - 4, 5 | uint64_t(0xABC) << 40, 36, 1.0), 10.0);
  EXPECT_EQ(vulkan::getElapsed(UINT64_MAX - 1, 2, 64, 1.0), 4.0);
}

} // namespace
