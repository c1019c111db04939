// The Vulkan plugin when memory is exhausted: its objects stay usable, and all memory comes back.
#include "tests/plugins/vulkan/DeviceTest.h"

#include <chrono>

using namespace vulkan_test;

namespace {

class FullDevice : public Devices {
protected:
  static uint64_t getFree(Device &device) {
    TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
    EXPECT_EQ(table().get_device_property(device.handle, TILERUN_DEVICE_PROPERTY_MEMORY_FREE,
                                          &value, nullptr),
              TILERUN_STATUS_OK);
    return value.number;
  }
  // Until no more of that size is available.
  static void take(Device &device, uint64_t bytes, std::vector<TilerunAddress> &all) {
    for (TilerunAddress address = 0;;) {
      TilerunStatus status = table().allocate(device.handle, nullptr, bytes, &address, nullptr);
      if (status) {
        EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY);
        return;
      }
      all.push_back(address);
    }
  }
};

// Whatever the size of the allocations that fill it. Each of these takes memory of the plugin's
// own: the bytes around a fill's words, staging after running work, the first time on a stream.
TEST_F(FullDevice, IsUsable) {
  const TilerunPlugin &t = table();
  for (uint64_t bytes : {uint64_t(200) << 20, uint64_t(1) << 20}) {
    Device device;
    TilerunPluginKernel *kernel = device.load("tilerun_test_delay");
    std::vector<TilerunAddress> all;
    take(device, bytes, all);
    take(device, 256 << 10, all);
    ASSERT_GT(all.size(), 4u);
    EXPECT_LT(getFree(device), uint64_t(1) << 20);
    ErrorKeeper keeper;
    const TilerunErrorSink *sink = keeper.getSink();
    TilerunPluginStream *stream = nullptr;
    ASSERT_EQ(t.create_stream(device.handle, &stream, sink), TILERUN_STATUS_OK);
    std::vector<uint8_t> in(100'000, 7), out(in.size());
    TilerunStatus status = t.fill(device.handle, stream, all[0] + 1, 3, 1, 17, sink);
    ASSERT_EQ(status, TILERUN_STATUS_OK) << keeper.take(status).message;
    ASSERT_EQ(t.fill(device.handle, stream, all[2], 0, 4, 4, sink), TILERUN_STATUS_OK);
    ASSERT_EQ(device.delay(kernel, stream, all[2], 2'000'000, sink), TILERUN_STATUS_OK);
    status = t.copy_to_device(device.handle, stream, all[1], in.data(), in.size(), sink);
    ASSERT_EQ(status, TILERUN_STATUS_OK) << keeper.take(status).message;
    status = t.copy_from_device(device.handle, stream, out.data(), all[1], out.size(), sink);
    ASSERT_EQ(status, TILERUN_STATUS_OK) << keeper.take(status).message;
    EXPECT_EQ(in, out);
    EXPECT_EQ(t.synchronize_stream(device.handle, stream, sink), TILERUN_STATUS_OK);
    t.destroy_stream(stream);
    for (TilerunAddress address : all)
      EXPECT_EQ(t.free(device.handle, nullptr, address, nullptr), TILERUN_STATUS_OK);
  }
}

// Memory that held small allocations counts as free again, and goes back to the driver except for
// an eighth, which stays for the next ones.
TEST_F(FullDevice, ComesBackAsAWhole) {
  const TilerunPlugin &t = table();
  Device device;
  const uint64_t before = getFree(device);
  std::vector<TilerunAddress> all;
  take(device, 100'000, all);
  ASSERT_GT(all.size(), 1000u);
  EXPECT_LT(getFree(device), before / 8);
  int blocks = countAlive();
  for (TilerunAddress address : all)
    EXPECT_EQ(t.free(device.handle, nullptr, address, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(getFree(device), before);
  EXPECT_LT(countAlive(), blocks / 2);
  device.allocate(before / 2);
}

// Checking each of 50,000 holes took milliseconds per allocation.
TEST_F(FullDevice, HolesDoNotSlowAllocations) {
  const TilerunPlugin &t = table();
  Device device;
  std::vector<TilerunAddress> all(100'000), more(2'000);
  for (TilerunAddress &address : all)
    ASSERT_EQ(t.allocate(device.handle, nullptr, 4000, &address, nullptr), TILERUN_STATUS_OK);
  for (size_t i = 0; i < all.size(); i += 2)
    ASSERT_EQ(t.free(device.handle, nullptr, all[i], nullptr), TILERUN_STATUS_OK);
  const auto begin = std::chrono::steady_clock::now();
  for (TilerunAddress &address : more)
    ASSERT_EQ(t.allocate(device.handle, nullptr, 1000, &address, nullptr), TILERUN_STATUS_OK);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

} // namespace
