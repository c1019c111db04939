// The caching allocator: which streams may reuse which blocks and when, and its state after
// failures.
#include "tests/runtime/core/TestPlugin.h"

#include <random>
#include <thread>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

class MemoryPoolTest : public testing::Test {
protected:
  void SetUp() override {
    device = openTestDevice();
    ASSERT_OK(Stream::create(device, first));
    ASSERT_OK(Stream::create(device, second));
  }
  MemoryPool &pool() { return device->getPool(); }
  TilerunAddress allocate(const Stream &stream, uint64_t bytes) {
    TilerunAddress address = 0;
    EXPECT_OK(pool().allocate(stream, bytes, address));
    EXPECT_EQ(address % 256, 0u);
    return address;
  }
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> first, second;
};

TEST_F(MemoryPoolTest, AStreamReusesItsOwnAtOnce) {
  getFaults().eventsPend = true;
  TilerunAddress a = allocate(*first, 1000);
  ASSERT_OK(pool().free(*first, a));
  int calls = getCounters().allocate;
  EXPECT_EQ(allocate(*first, 900), a);
  EXPECT_EQ(getCounters().allocate, calls);
  MemoryPool::Statistics s = pool().getStatistics();
  EXPECT_EQ(s.numAllocations, 2u);
  EXPECT_EQ(s.numReused, 1u);
  EXPECT_EQ(s.allocated, 900u);
  EXPECT_EQ(s.inBlocks, 1024u);
  EXPECT_EQ(s.peakAllocated, 1000u);
}

TEST_F(MemoryPoolTest, AnotherStreamWaitsForTheEvent) {
  getFaults().eventsPend = true;
  (void)allocate(*second, 100); // Both streams are known.
  TilerunAddress a = allocate(*first, 30 << 20);
  ASSERT_OK(pool().free(*first, a));
  TilerunAddress b = allocate(*second, 30 << 20);
  EXPECT_NE(b, a);
  ASSERT_OK(pool().free(*second, b));
  getFaults().eventsPend = false;
  // Its own comes first; then the other one's.
  EXPECT_EQ(allocate(*second, 30 << 20), b);
  EXPECT_EQ(allocate(*second, 30 << 20), a);
}

TEST_F(MemoryPoolTest, BlocksOfADestroyedStreamAreForEverybody) {
  TilerunAddress a = allocate(*first, 5 << 20);
  ASSERT_OK(pool().free(*first, a));
  getFaults().eventsPend = true;
  first.reset();
  TilerunAddress b = allocate(*second, 5 << 20);
  EXPECT_NE(b, a);
  getFaults().eventsPend = false;
  EXPECT_EQ(allocate(*second, 15 << 20), b + (5 << 20)); // Its own blocks come first.
  EXPECT_EQ(allocate(*second, 5 << 20), a);
}

TEST_F(MemoryPoolTest, SmallOnesShareASegmentAndMerge) {
  std::vector<TilerunAddress> addresses;
  for (int i = 0; i < 16; ++i)
    addresses.push_back(allocate(*first, 100 << 10));
  EXPECT_EQ(getCounters().allocate, 1);
  EXPECT_EQ(pool().getStatistics().held, uint64_t(2) << 20);
  // In an order that leaves holes on both sides.
  for (int i : {1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14})
    ASSERT_OK(pool().free(*first, addresses[i]));
  EXPECT_EQ(pool().getStatistics().inBlocks, 0u);
  // One whole block again.
  EXPECT_EQ(allocate(*first, 1 << 20), addresses[0]);
  EXPECT_EQ(getCounters().allocate, 1);
}

TEST_F(MemoryPoolTest, TrimGivesBackWhatIsFree) {
  TilerunAddress a = allocate(*first, 100), b = allocate(*first, 50 << 20);
  ASSERT_OK(pool().free(*first, b));
  EXPECT_EQ(getHeldBytes(), uint64_t(52) << 20);
  ASSERT_OK(pool().trim(0));
  EXPECT_EQ(getHeldBytes(), uint64_t(2) << 20); // `a` is in use.
  EXPECT_EQ(pool().getStatistics().held, uint64_t(2) << 20);
  ASSERT_OK(pool().free(*second, a));
  ASSERT_OK(pool().trim(uint64_t(2) << 20)); // As much as that may stay.
  EXPECT_EQ(getHeldBytes(), uint64_t(2) << 20);
  ASSERT_OK(pool().trim(0));
  EXPECT_EQ(getHeldBytes(), 0u);
}

TEST_F(MemoryPoolTest, OutOfMemoryTrimsAndTriesOnce) {
  getFaults().memoryLimit = uint64_t(64) << 20;
  TilerunAddress a = allocate(*first, 40 << 20);
  ASSERT_OK(pool().free(*first, a));
  getFaults().eventsPend = true; // Nothing can be taken over; the driver must be asked.
  TilerunAddress b = allocate(*second, 60 << 20);
  EXPECT_EQ(getHeldBytes(), uint64_t(60) << 20);
  EXPECT_EQ(pool().getStatistics().numOutOfMemory, 1u);
  TilerunAddress c = 0;
  expectError(pool().allocate(*second, 30 << 20, c), TILERUN_STATUS_OUT_OF_MEMORY,
              "62914560 bytes are allocated through it");
  EXPECT_EQ(c, 0u);
  // Freed and usable after.
  ASSERT_OK(pool().free(*second, b));
  c = allocate(*second, 30 << 20);
  ASSERT_OK(second->fill(c, 7, 1, 30 << 20));
  ASSERT_OK(pool().free(*second, c));
}

TEST_F(MemoryPoolTest, OutOfMemoryTakesPendingBlocksOfOthers) {
  getFaults().memoryLimit = uint64_t(40) << 20;
  TilerunAddress a = allocate(*first, 40 << 20);
  ASSERT_OK(pool().free(*first, a));
  getFaults().eventsPend = true;
  int synchronized = getCounters().synchronizeDevice;
  EXPECT_EQ(allocate(*second, 40 << 20), a);
  EXPECT_EQ(getCounters().synchronizeDevice, synchronized + 1);
}

TEST_F(MemoryPoolTest, AnInjectedFailureIsMendedOrTold) {
  getFaults().outOfMemory = 1;
  TilerunAddress a = allocate(*first, 100);
  getFaults().outOfMemory = 2;
  TilerunAddress b = 0;
  expectError(pool().allocate(*first, 70 << 20, b), TILERUN_STATUS_OUT_OF_MEMORY,
              "injected: out of memory");
  ASSERT_OK(pool().free(*first, a));
  expectError(pool().allocate(*first, UINT64_MAX - 5, b), TILERUN_STATUS_OUT_OF_MEMORY,
              "no device has that much memory");
}

TEST_F(MemoryPoolTest, MistakesAreTold) {
  TilerunAddress a = allocate(*first, 0); // Counts as 1: an address of its own.
  EXPECT_NE(a, allocate(*first, 0));
  ASSERT_OK(pool().free(*first, 0));
  expectError(pool().free(*first, a + 256), TILERUN_STATUS_INVALID_ARGUMENT,
              "no allocation begins at");
  ASSERT_OK(pool().free(*first, a));
  expectError(pool().free(*first, a), TILERUN_STATUS_INVALID_ARGUMENT, "is free already");
}

TEST_F(MemoryPoolTest, RangesStayInTheirAllocation) {
  TilerunAddress a = allocate(*first, 1000);
  ASSERT_OK(pool().checkRange("copy to", a, 1000));
  ASSERT_OK(pool().checkRange("copy to", a + 999, 1));
  // Inside the block, which was rounded up, and far outside.
  expectError(
      pool().checkRange("copy to", a, 1001), TILERUN_STATUS_INVALID_ARGUMENT,
      "copy to null:0: 1001 bytes from byte 0 of an allocation of 1000 bytes leave it by 1");
  expectError(pool().checkRange("fill of", a + 1010, 4), TILERUN_STATUS_INVALID_ARGUMENT,
              "leave it by 4 bytes");
  expectError(first->fill(a + 8, 0, 1, UINT64_MAX), TILERUN_STATUS_INVALID_ARGUMENT, "leave it by");
  ASSERT_OK(pool().free(*first, a));
  expectError(first->fill(a, 0, 1, 4), TILERUN_STATUS_INVALID_ARGUMENT, "freed before?");
  // Nothing to do, whatever the addresses are.
  int calls = getCounters().all;
  ASSERT_OK(first->fill(3, 0, 3, 0));
  ASSERT_OK(first->copyToDevice(a, nullptr, 0));
  ASSERT_OK(first->copyFromDevice(nullptr, 5, 0));
  ASSERT_OK(first->copyOnDevice(1, 2, 0));
  ASSERT_OK(first->copyFrom(*second, 1, 2, 0));
  EXPECT_EQ(getCounters().all, calls);
}

TEST_F(MemoryPoolTest, OthersGoOnWhileItWaits) {
  TilerunAddress a = allocate(*first, 5 << 20), b = allocate(*first, 50 << 20);
  TilerunAddress c = allocate(*second, 100);
  ASSERT_OK(pool().free(*first, b));
  getFaults().eventsPend = true;
  getFaults().holdDevice = true;
  int waits = getCounters().synchronizeDevice;
  std::thread trimming([&] { EXPECT_OK(pool().trim(0)); });
  while (getCounters().synchronizeDevice == waits)
    std::this_thread::yield();
  // The trim waits for the device; neither of these waits for the trim.
  ASSERT_OK(pool().free(*first, a));
  ASSERT_OK(pool().free(*second, c));
  getFaults().holdDevice = false;
  trimming.join();
  // Blocks freed before the wait are returned; later ones may have pending work.
  EXPECT_EQ(getHeldBytes(), uint64_t(22) << 20);
  EXPECT_NE(allocate(*second, 5 << 20), a);
  EXPECT_EQ(allocate(*first, 5 << 20), a);
}

TEST_F(MemoryPoolTest, WithoutThePoolEachIsTheDrivers) {
  first.reset();
  second.reset();
  device = openTestDevice(/*usePool=*/false);
  const Stream &stream = device->getDefaultStream();
  TilerunAddress a = allocate(stream, 1000);
  EXPECT_EQ(getHeldBytes(), 1000u);
  ASSERT_OK(pool().free(stream, a));
  EXPECT_EQ(getHeldBytes(), 0u);
  EXPECT_EQ(pool().getStatistics().allocated, 0u);
  expectError(pool().free(stream, a), TILERUN_STATUS_INVALID_ARGUMENT, "no allocation begins at");
}

TEST_F(MemoryPoolTest, NothingLeaks) {
  for (int i = 0; i < 100; ++i)
    (void)allocate(i % 2 ? *first : *second, 1 + 40000 * i);
  void *host = nullptr;
  ASSERT_OK(device->allocateHost(100, host));
  first.reset();
  second.reset();
  device.reset();
  EXPECT_EQ(getHeldBytes(), 0u);
  EXPECT_EQ(getCounters().createEvent, getCounters().destroyEvent);
  EXPECT_EQ(getCounters().close, 1);
}

// No two live allocations overlap, whatever happens; several threads, each with its own stream.
TEST_F(MemoryPoolTest, RandomUseByThreads) {
  constexpr int kThreads = 8, kSteps = 3000;
  auto work = [&](int number) {
    std::mt19937_64 random(number);
    std::unique_ptr<Stream> stream;
    ASSERT_OK(Stream::create(device, stream));
    std::vector<std::pair<TilerunAddress, uint64_t>> live;
    auto check = [&](std::pair<TilerunAddress, uint64_t> block) {
      // The null device's memory is the host's.
      auto *bytes = reinterpret_cast<uint8_t *>(block.first);
      for (uint64_t at : {uint64_t(0), block.second / 2, block.second - 1})
        ASSERT_EQ(bytes[at], number + 1) << "thread " << number;
    };
    for (int i = 0; i < kSteps; ++i) {
      if (live.size() < 20 && random() % 2) {
        uint64_t bytes = 1 + random() % (uint64_t(1) << random() % 22);
        TilerunAddress address = 0;
        ASSERT_OK(device->getPool().allocate(*stream, bytes, address));
        auto *data = reinterpret_cast<uint8_t *>(address);
        for (uint64_t at : {uint64_t(0), bytes / 2, bytes - 1})
          data[at] = static_cast<uint8_t>(number + 1);
        live.push_back({address, bytes});
      } else if (!live.empty()) {
        size_t which = random() % live.size();
        check(live[which]);
        ASSERT_OK(device->getPool().free(*stream, live[which].first));
        live.erase(live.begin() + static_cast<ptrdiff_t>(which));
      }
      if (random() % 500 == 0)
        ASSERT_OK(device->getPool().trim(0));
    }
    for (auto block : live) {
      check(block);
      ASSERT_OK(device->getPool().free(*stream, block.first));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(pool().getStatistics().allocated, 0u);
  EXPECT_EQ(pool().getStatistics().inBlocks, 0u);
  ASSERT_OK(pool().trim(0));
  EXPECT_EQ(getHeldBytes(), 0u);
}

} // namespace
