// The device `cpu` as its users see it: properties, memory, registry.
#include "tests/backends/interpreter/Harness.h"

#include <cmath>
#include <set>
#include <thread>

using namespace tilerun;
using namespace tilerun::harness;

namespace {

TEST(CpuDevice, Properties) {
  Machine machine;
  const DeviceProperties &properties = machine.device->getProperties();
  EXPECT_EQ(properties.id, "cpu");
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.numUnits, 1u);
  EXPECT_GT(properties.memoryBytes, uint64_t(1) << 20);
  EXPECT_TRUE(properties.supportsChecks);
}

TEST(CpuDevice, OpensThroughTheRegistry) {
  DeviceRegistry registry;
  registry.add("cpu", createCpuDevice);
  auto device = registry.open("cpu");
  ASSERT_TRUE(bool(device));
  EXPECT_EQ((*device)->getProperties().id, "cpu");
  auto missing = registry.open("cuda:0");
  ASSERT_FALSE(bool(missing));
  auto [kind, text] = takeError(missing.takeError());
  EXPECT_EQ(kind, DeviceErrorKind::Unavailable);
  EXPECT_NE(text.find("cpu"), std::string::npos);
}

TEST(CpuDevice, AllocationsAreAlignedDistinctAndApart) {
  Machine machine;
  std::set<DeviceAddress> seen;
  for (uint64_t bytes : {0, 0, 1, 100, 1 << 20}) {
    const DeviceAddress address = machine.allocate(bytes);
    EXPECT_NE(address, 0u);
    EXPECT_EQ(address % 256, 0u);
    EXPECT_TRUE(seen.insert(address).second);
  }
}

TEST(CpuDevice, CopiesThereAndBack) {
  Machine machine;
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 7);
  const DeviceAddress address = machine.put(bytes);
  EXPECT_EQ(machine.get<uint8_t>(address, 1000), bytes);
  ASSERT_FALSE(machine.device->copyIn(address + 10, std::vector<uint8_t>{1, 2, 3}));
  EXPECT_EQ(machine.get<uint8_t>(address + 9, 5),
            (std::vector<uint8_t>{63, 1, 2, 3, uint8_t(13 * 7)}));
}

TEST(CpuDevice, CopiesOutsideAnAllocationAreErrors) {
  Machine machine;
  const DeviceAddress address = machine.allocate(16, "small");
  std::vector<uint8_t> bytes(17);
  auto refused = [](llvm::Error error) {
    ASSERT_TRUE(bool(error));
    EXPECT_EQ(takeError(std::move(error)).first, DeviceErrorKind::InvalidArgument);
  };
  refused(machine.device->copyIn(address, bytes));
  refused(machine.device->copyOut(bytes, address));
  refused(machine.device->copyIn(address + 1, llvm::ArrayRef(bytes).take_front(16)));
  refused(machine.device->copyIn(0, bytes));
  refused(machine.device->copyIn(UINT64_MAX - 4, bytes));
  EXPECT_FALSE(machine.device->copyIn(address + 16, {}));
}

TEST(CpuDevice, FreeingTwiceOrElsewhereIsAnError) {
  Machine machine;
  const DeviceAddress address = machine.allocate(16, "buffer");
  EXPECT_EQ(takeError(machine.device->free(address + 8)).first, DeviceErrorKind::InvalidArgument);
  ASSERT_FALSE(machine.device->free(address));
  auto [kind, text] = takeError(machine.device->free(address));
  EXPECT_EQ(kind, DeviceErrorKind::InvalidArgument);
  EXPECT_NE(text.find("'buffer' was freed"), std::string::npos) << text;
  std::vector<uint8_t> bytes(4);
  EXPECT_EQ(takeError(machine.device->copyOut(bytes, address)).first,
            DeviceErrorKind::InvalidArgument);
  EXPECT_EQ(takeError(machine.device->poison(address)).first, DeviceErrorKind::InvalidArgument);
}

TEST(CpuDevice, TooMuchMemoryIsAnErrorThatChangesNothing) {
  Machine machine;
  for (uint64_t bytes :
       {UINT64_MAX, uint64_t(1) << 62, machine.device->getProperties().memoryBytes + 1}) {
    auto address = machine.device->allocate(bytes, "huge");
    ASSERT_FALSE(bool(address));
    EXPECT_EQ(takeError(address.takeError()).first, DeviceErrorKind::OutOfMemory);
  }
  EXPECT_NE(machine.allocate(16), 0u);
}

TEST(CpuDevice, PoisonIsNanInEveryFloat) {
  Machine machine;
  const DeviceAddress address = machine.put(std::vector<double>{1, 2});
  ASSERT_FALSE(machine.device->poison(address));
  EXPECT_TRUE(std::isnan(machine.get<double>(address, 2)[1]));
  EXPECT_TRUE(std::isnan(machine.get<float>(address, 4)[3]));
  EXPECT_EQ(machine.get<uint16_t>(address, 1)[0], 0xffff); // NaN in float16 and bfloat16.
}

TEST(CpuDevice, KernelsKnowTheirSignature) {
  Machine machine;
  auto kernel = machine.load(
      "func.func @name(%a: i32, %b: f32) attributes {tile.kernel} {\n  return\n}", "name");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->getName(), "name");
  EXPECT_EQ(kernel->getNumArguments(), 2u);
}

TEST(CpuDevice, SeveralThreadsMayUseIt) {
  Machine machine;
  auto kernel = machine.load(R"(
func.func @k(%x: !tile.ptr<i32>, %v: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %p = tile.addptr %x, %pid : !tile.ptr<i32>, i32
  tile.store %p, %v : !tile.ptr<i32>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const DeviceAddress x = llvm::cantFail(machine.device->allocate(64, "x"));
        llvm::cantFail(machine.device->launch(*kernel, {ptr(x), num(t)}, grid(16)));
        std::vector<uint8_t> bytes(64);
        llvm::cantFail(machine.device->copyOut(bytes, x));
        EXPECT_EQ(bytes[60], t);
        llvm::cantFail(machine.device->free(x));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
