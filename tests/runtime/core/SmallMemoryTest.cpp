// Specialization on the size of the memory behind pointers, over the test plugin: which launches
// get the code for small memory, and that no other one does.
#include "tests/runtime/core/Hooks.h"
#include "tests/runtime/core/TestPlugin.h"

#include "runtime/core/PointerCheck.h"

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

class SmallMemory : public testing::Test {
protected:
  void SetUp() override { open(true); }
  void open(bool usesSmall) {
    device = openSmall(usesSmall);
    program = TestProgram::makeAdd();
    kernel = std::make_unique<Kernel>(program);
    for (TilerunAddress *address : {&out, &a, &b})
      ASSERT_OK(device->getPool().allocate(stream(), kBytes, *address));
  }
  static std::shared_ptr<Device> openSmall(bool usesSmall) {
    auto plugin = getTestPlugin();
    getFaults().usesSmall = usesSmall;
    std::string reason;
    std::shared_ptr<Device> device;
    EXPECT_OK(Device::open(plugin, plugin->getDevices(reason).at(0), {}, device));
    return device;
  }
  const Stream &stream() { return device->getDefaultStream(); }
  std::vector<TilerunArgument> arguments() {
    return {pointerTo(out), pointerTo(a), pointerTo(b), integer(96), integer(128)};
  }
  /// A launch that says how large the memory of `a` is, and how much of it is before the pointer.
  Status launch(uint64_t bytes, uint64_t before = 0) {
    TilerunMemoryRange ranges[5] = {};
    ranges[1] = {a - before, bytes, nullptr, nullptr, 0, 0};
    return launch(ranges);
  }
  Status launch(const TilerunMemoryRange *ranges = nullptr) {
    const uint32_t grid[3] = {1, 1, 1};
    auto all = arguments();
    return kernel->launch(stream(), grid, kDefaults, all.data(), 5, 0, ranges);
  }
  /// Of `a`, as the last signature has it.
  std::string last() {
    std::string text = program->signatures.back();
    const size_t begin = text.find("a=") + 2;
    return text.substr(begin, text.find(',', begin) - begin);
  }

  static constexpr uint64_t kBytes = 4096;
  std::shared_ptr<Device> device;
  std::shared_ptr<TestProgram> program;
  std::unique_ptr<Kernel> kernel;
  TilerunAddress out = 0, a = 0, b = 0;
};

TEST_F(SmallMemory, IsAFactOfThePool) {
  ASSERT_OK(launch());
  EXPECT_EQ(program->signatures.back(),
            "out=*i32:16:small, a=*i32:16:small, b=*i32:16:small, n=i32:16, BLOCK=128");
  // A pointer into the middle of an allocation.
  a += 4;
  ASSERT_OK(launch());
  EXPECT_EQ(last(), "*i32:small");
}

TEST_F(SmallMemory, BelowAtAndAboveTheBound) {
  constexpr uint64_t kBound = uint64_t(1) << 31;
  ASSERT_OK(launch(kBound - 1));
  EXPECT_EQ(last(), "*i32:16:small");
  ASSERT_OK(launch(kBound));
  EXPECT_EQ(last(), "*i32:16");
  ASSERT_OK(launch(kBound + 1));
  ASSERT_OK(launch(kBound * 4));
  EXPECT_EQ(program->numCompiled, 2); // Two kinds of code, each compiled once.
  ASSERT_OK(launch(kBound - 1));
  ASSERT_OK(launch(kBytes));
  ASSERT_OK(launch());
  ASSERT_OK(launch(kBound));
  EXPECT_EQ(program->numCompiled, 2);
}

TEST_F(SmallMemory, OffsetsBeforeThePointerHaveABound) {
  constexpr uint64_t kBytes = TILERUN_SMALL_BYTES, kBefore = TILERUN_SMALL_BEFORE;
  ASSERT_OK(launch(kBytes, kBefore));
  EXPECT_EQ(last(), "*i32:16:small");
  ASSERT_OK(launch(kBytes, kBefore + 1));
  EXPECT_EQ(last(), "*i32:16");
  // Code subtracts as much from the address, which must not wrap.
  const TilerunMemoryRange low = {16, 64, nullptr, nullptr, 0, 0};
  EXPECT_FALSE(PointerCheck(*device).isSmall(16, &low));
}

TEST_F(SmallMemory, OfWhichNobodyKnowsTheSizeIsNotSmall) {
  alignas(256) static int32_t foreign[256];
  getFaults().foreignBegin = reinterpret_cast<TilerunAddress>(foreign);
  getFaults().foreignBytes = sizeof(foreign);
  a = reinterpret_cast<TilerunAddress>(foreign);
  ASSERT_OK(launch()); // The driver's range may be a part of what the host mapped.
  EXPECT_EQ(last(), "*i32:16");
  ASSERT_OK(launch(sizeof(foreign)));
  EXPECT_EQ(last(), "*i32:16:small");
  // A range that the pointer is not in says nothing about it.
  ASSERT_OK(launch(sizeof(foreign), 2 * sizeof(foreign)));
  EXPECT_EQ(program->numCompiled, 2);
  EXPECT_FALSE(PointerCheck(*device).isSmall(0, nullptr));
}

TEST_F(SmallMemory, FreedMemoryIsForgotten) {
  ASSERT_OK(launch());
  const TilerunAddress kept = a;
  ASSERT_OK(device->getPool().free(stream(), a));
  EXPECT_FALSE(PointerCheck(*device).isSmall(kept, nullptr));
  expectError(launch(), TILERUN_STATUS_INVALID_ARGUMENT, "that is not allocated");
}

TEST_F(SmallMemory, OnlyDevicesThatUseItAndParametersThatMay) {
  open(false);
  ASSERT_OK(launch());
  EXPECT_EQ(last(), "*i32:16");
  ASSERT_OK(launch(uint64_t(1) << 32));
  EXPECT_EQ(program->numCompiled, 1);
  device = openSmall(true);
  std::vector<SourceParameter> parameters = TestProgram::makeAdd()->getParameters();
  parameters[1].specialize = false;
  program = std::make_shared<TestProgram>("tilerun_test_add", parameters);
  kernel = std::make_unique<Kernel>(program);
  for (TilerunAddress *address : {&out, &a, &b})
    ASSERT_OK(device->getPool().allocate(stream(), kBytes, *address));
  ASSERT_OK(launch());
  EXPECT_EQ(program->signatures.back(),
            "out=*i32:16:small, a=*i32, b=*i32:16:small, n=i32:16, BLOCK=128");
}

TEST_F(SmallMemory, PreparationIsForTheSameCode) {
  TilerunMemoryRange ranges[5] = {};
  ranges[1] = {a, uint64_t(1) << 33, nullptr, nullptr, 0, 0};
  auto all = arguments();
  ASSERT_OK(kernel->prepare(*device, kDefaults, all.data(), 5, ranges));
  EXPECT_EQ(last(), "*i32:16");
  ASSERT_OK(launch(ranges));
  EXPECT_EQ(program->numCompiled, 1);
  std::string signature;
  ASSERT_OK(kernel->describe(all.data(), 5, signature)); // For no device.
  EXPECT_EQ(signature, "out=*i32:16, a=*i32:16, b=*i32:16, n=i32:16, BLOCK=128");
}

TEST_F(SmallMemory, ASpecializationRefusesWhatIsKnownToBeLarger) {
  std::shared_ptr<Specialization> special;
  ASSERT_OK(kernel->specialize(*device, "out=*i32, a=*i32:16:small, b=*i32, n=i32, BLOCK=128",
                               kDefaults, special));
  const uint32_t grid[3] = {1, 1, 1};
  auto run = [&](TilerunAddress address, uint64_t bytes, uint64_t before = 0) {
    TilerunArgument all[] = {pointerTo(out), pointerTo(address), pointerTo(b), integer(96)};
    TilerunMemoryRange ranges[4] = {};
    ranges[1] = {bytes ? address - before : 0, bytes, nullptr, nullptr, 0, 0};
    return Kernel::launchSpecialized(*special, stream(), grid, all, 4, 0, ranges);
  };
  ASSERT_OK(run(a, 0));
  ASSERT_OK(run(a, TILERUN_SMALL_BYTES));
  expectError(run(a, uint64_t(1) << 31), TILERUN_STATUS_INVALID_ARGUMENT,
              "parameter 'a' is compiled for memory below 2 GiB (':small'), with at most 2047 MiB "
              "of it before the pointer; it has 2147483648 bytes, 0 of them before");
  expectError(run(a, TILERUN_SMALL_BYTES, TILERUN_SMALL_BEFORE + 16),
              TILERUN_STATUS_INVALID_ARGUMENT, "2146435088 of them before");
  alignas(256) static int32_t foreign[256];
  getFaults().foreignBegin = reinterpret_cast<TilerunAddress>(foreign);
  getFaults().foreignBytes = sizeof(foreign);
  ASSERT_OK(run(reinterpret_cast<TilerunAddress>(foreign), 0)); // The caller has promised it.
}

TEST_F(SmallMemory, WarmLaunchesAllocateNothingAndTakeNoLock) {
  ASSERT_OK(launch());
  auto measure = [&](auto &&call) {
    HookCounts before = getHookCounts();
    call();
    HookCounts after = getHookCounts();
    return HookCounts{after.allocations - before.allocations, after.locks - before.locks};
  };
  const uint32_t grid[3] = {1, 1, 1};
  alignas(8) uint8_t packed[32] = {};
  std::shared_ptr<Specialization> special;
  ASSERT_OK(kernel->specialize(*device, "out=*i32, a=*i32:small, b=*i32, n=i32, BLOCK=128",
                               kDefaults, special));
  auto direct = special->executable;
  HookCounts plugin = measure([&] { EXPECT_OK(direct->launch(stream(), grid, packed)); });
  auto all = arguments();
  HookCounts warm = measure([&] {
    (void)kernel->launch(stream(), grid, kDefaults, all.data(), 5);
    (void)Kernel::launchSpecialized(*special, stream(), grid, all.data(), 4);
  });
  EXPECT_EQ(warm.allocations, 0u);
  EXPECT_EQ(warm.locks, 2 * plugin.locks);
}

} // namespace
