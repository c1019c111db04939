// Kernels over the test plugin: specialization, single compilation, warm launches, validation.
#include "tests/runtime/core/Hooks.h"
#include "tests/runtime/core/TestPlugin.h"

#include <barrier>
#include <thread>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

class KernelTest : public testing::Test {
protected:
  void SetUp() override {
    device = openTestDevice();
    program = TestProgram::makeAdd();
    kernel = std::make_unique<Kernel>(program);
    for (TilerunAddress *address : {&out, &a, &b})
      ASSERT_OK(device->getPool().allocate(stream(), kBytes, *address));
    ASSERT_OK(stream().fill(a, 3, 4, kBytes));
    ASSERT_OK(stream().fill(b, 4, 4, kBytes));
  }
  const Stream &stream() { return device->getDefaultStream(); }
  std::vector<TilerunArgument> arguments(int64_t n = 96) {
    return {pointerTo(out), pointerTo(a), pointerTo(b), integer(n), integer(128)};
  }
  Status launch(const std::vector<TilerunArgument> &arguments, uint32_t x = 1, uint32_t y = 1,
                uint32_t z = 1) {
    const uint32_t grid[3] = {x, y, z};
    return kernel->launch(stream(), grid, kDefaults, arguments.data(),
                          static_cast<uint32_t>(arguments.size()));
  }
  void expectSums(int count) { expectSums(out, count); }
  static void expectSums(TilerunAddress out, int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(reinterpret_cast<int32_t *>(out)[i], 7) << i;
  }
  /// The same with an output of the calling thread's own.
  std::vector<TilerunArgument> ownArguments(int64_t n = 96) {
    auto all = arguments(n);
    TilerunAddress own = 0;
    EXPECT_OK(device->getPool().allocate(stream(), kBytes, own));
    all[0] = pointerTo(own);
    return all;
  }

  static constexpr uint64_t kBytes = 4096;
  std::shared_ptr<Device> device;
  std::shared_ptr<TestProgram> program;
  std::unique_ptr<Kernel> kernel;
  TilerunAddress out = 0, a = 0, b = 0;
};

TEST_F(KernelTest, LaunchesAndSpecializes) {
  ASSERT_OK(launch(arguments()));
  expectSums(96);
  ASSERT_OK(launch(arguments(32))); // The same facts.
  ASSERT_OK(launch(arguments(33))); // Not a multiple of 16.
  ASSERT_OK(launch(arguments(34)));
  EXPECT_EQ(program->signatures,
            (std::vector<std::string>{"out=*i32:16, a=*i32:16, b=*i32:16, n=i32:16, BLOCK=128",
                                      "out=*i32:16, a=*i32:16, b=*i32:16, n=i32, BLOCK=128"}));
  auto shifted = arguments();
  shifted[1] = pointerTo(a + 4);
  ASSERT_OK(launch(shifted));
  shifted[4] = integer(64);
  ASSERT_OK(launch(shifted));
  EXPECT_EQ(program->numCompiled, 4);
  EXPECT_EQ(program->signatures.back(), "out=*i32:16, a=*i32, b=*i32:16, n=i32:16, BLOCK=64");
}

TEST_F(KernelTest, WarmLaunchesAllocateNothingAndTakeNoLock) {
  auto all = arguments();
  std::shared_ptr<Specialization> special;
  ASSERT_OK(kernel->specialize(*device, "out=*i32:16, a=*i32:16, b=*i32:16, n=i32:16, BLOCK=128",
                               kDefaults, special));
  const uint32_t grid[3] = {1, 1, 1};
  // The null plugin's own entry takes a lock of its own.
  ASSERT_OK(launch(all));
  auto measure = [&](auto &&call) {
    HookCounts before = getHookCounts();
    call();
    HookCounts after = getHookCounts();
    return HookCounts{after.allocations - before.allocations, after.locks - before.locks};
  };
  auto direct = special->executable;
  alignas(8) uint8_t packed[32] = {};
  std::memcpy(packed, &out, 8);
  HookCounts plugin = measure([&] { EXPECT_OK(direct->launch(stream(), grid, packed)); });
  EXPECT_EQ(plugin.allocations, 0u);
  int before = getCounters().all;
  constexpr int kLaunches = 100;
  HookCounts warm = measure([&] {
    for (int i = 0; i < kLaunches; ++i)
      (void)launch(all);
  });
  EXPECT_EQ(warm.allocations, 0u);
  EXPECT_EQ(warm.locks, kLaunches * plugin.locks);
  // Only the launch itself calls the plugin.
  EXPECT_EQ(getCounters().all - before, kLaunches);
  before = getCounters().all;
  HookCounts warmSpecial = measure([&] {
    for (int i = 0; i < kLaunches; ++i)
      (void)Kernel::launchSpecialized(*special, stream(), grid, all.data(), 4);
  });
  EXPECT_EQ(warmSpecial.allocations, 0u);
  EXPECT_EQ(warmSpecial.locks, kLaunches * plugin.locks);
  EXPECT_EQ(getCounters().all - before, kLaunches);
  // The counters do count.
  HookCounts cold = measure([&] { (void)launch(arguments(35)); });
  if (hasHooks()) {
    EXPECT_GT(cold.allocations, 0u);
    EXPECT_GT(cold.locks, plugin.locks);
  }
}

TEST_F(KernelTest, SixtyFourThreadsCompileOnce) {
  constexpr int kThreads = 64;
  program->milliseconds = 30;
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      auto all = ownArguments();
      start.arrive_and_wait();
      for (int k = 0; k < 5; ++k) {
        Status status = launch(all);
        EXPECT_TRUE(status.isOk()) << status.getMessage();
        good += status.isOk();
      }
      expectSums(all[0].value.address, 96);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, kThreads * 5);
  EXPECT_EQ(program->numCompiled, 1);
  EXPECT_EQ(getCounters().load, 1);
}

TEST_F(KernelTest, AFailureGoesToAllThatWaitAndIsForgotten) {
  constexpr int kThreads = 64;
  program->milliseconds = 100;
  program->failures = 1;
  std::barrier start(kThreads);
  std::mutex mutex;
  std::map<std::string, int> messages;
  int good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      auto all = ownArguments();
      start.arrive_and_wait();
      Status status = launch(all);
      std::lock_guard lock(mutex);
      if (status.isOk()) {
        ++good; // One that came after the failure.
        return;
      }
      EXPECT_EQ(status.getCode(), TILERUN_STATUS_COMPILE);
      ++messages[status.getMessage()];
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages.begin()->first.find("error: injected 1\n  x = \n      ^"), std::string::npos);
  EXPECT_EQ(messages.begin()->second + good, kThreads);
  ASSERT_OK(launch(arguments()));
  EXPECT_EQ(program->numCompiled, 2);
}

TEST_F(KernelTest, ManySpecializationsByManyThreads) {
  constexpr int kThreads = 16, kConstants = 40;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      auto all = ownArguments();
      for (int k = 0; k < kConstants * 3; ++k) {

        all[4] = integer(1 + (k + i * 7) % kConstants);
        EXPECT_OK(launch(all));
      }
    });

  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(program->numCompiled, kConstants);
}

// Everything that a program does, on one device, by threads with a stream each.
TEST_F(KernelTest, EverythingByThreads) {
  constexpr int kThreads = 12, kRounds = 60;
  auto work = [&](int number) {
    std::unique_ptr<Stream> own, other;
    std::unique_ptr<Event> event;
    ASSERT_OK(Stream::create(device, own));
    ASSERT_OK(Event::create(device, TILERUN_EVENT_TIMING, event));
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_OK(Stream::create(device, other));
      int32_t n = 1 + (number * 37 + round * 11) % 128;
      std::vector<int32_t> x(static_cast<size_t>(n), number), y(static_cast<size_t>(n), round);
      uint64_t bytes = static_cast<uint64_t>(n) * 4;
      MemoryPool &pool = device->getPool();
      TilerunAddress sum = 0, left = 0, right = 0;
      for (TilerunAddress *address : {&sum, &left, &right})
        ASSERT_OK(pool.allocate(*own, bytes, *address));
      ASSERT_OK(own->copyToDevice(left, x.data(), bytes));
      ASSERT_OK(own->copyToDevice(right, y.data(), bytes));
      ASSERT_OK(own->fill(sum, 0xFF, 1, bytes));
      std::vector<TilerunArgument> all = {pointerTo(sum), pointerTo(left), pointerTo(right),
                                          integer(n, TILERUN_DTYPE_I32), integer(128)};
      const uint32_t grid[3] = {1, 1, 1};
      ASSERT_OK(kernel->launch(*own, grid, kDefaults, all.data(), 5));
      ASSERT_OK(event->record(*own));
      ASSERT_OK(event->wait(*other));
      ASSERT_OK(other->copyFromDevice(x.data(), sum, bytes));
      ASSERT_OK(other->synchronize());
      ASSERT_EQ(x, std::vector<int32_t>(static_cast<size_t>(n), number + round));
      ASSERT_OK(event->synchronize());
      ASSERT_OK(pool.free(*other, sum));
      ASSERT_OK(pool.free(*own, left));
      ASSERT_OK(pool.free(*own, right));
      other.reset();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(program->numCompiled, 4); // By facts: n is a multiple of 16 or not.
  ASSERT_OK(device->synchronize());
}

TEST_F(KernelTest, ValidationNamesTheParameter) {
  auto expectRefused = [&](std::vector<TilerunArgument> arguments, const std::string &part) {
    int before = getCounters().launch;
    expectError(launch(arguments), TILERUN_STATUS_INVALID_ARGUMENT, part);
    EXPECT_EQ(getCounters().launch, before);
  };
  auto with = [&](size_t index, TilerunArgument argument) {
    auto all = arguments();
    all[index] = argument;
    return all;
  };
  auto all = arguments();
  all.push_back(integer(1));
  expectRefused(all, "kernel 'tilerun_test_add' takes 5 arguments, 6 were passed");
  all.resize(3);
  expectRefused(all, "3 arguments were passed; missing 'n', 'BLOCK' (tl.constexpr)");
  expectRefused(with(0, pointerTo(out, TILERUN_DTYPE_AUTO)),
                "parameter 'out' is given a pointer without the type of its elements");
  expectRefused(with(3, integer(300, TILERUN_DTYPE_I8)),
                "parameter 'n' is of type i8, which cannot hold it; the integer 300 as i8 was");
  expectRefused(with(3, integer(3, TILERUN_DTYPE_FP32)), "is given an integer as fp32");
  expectRefused(with(3, number(3, TILERUN_DTYPE_I32)), "is given a number as i32");
  expectRefused(with(4, pointerTo(out)), "parameter 'BLOCK' is a tl.constexpr, which takes");
  TilerunArgument text = {TILERUN_ARGUMENT_STRING, 0, 0, {}};
  text.value.text = "relu";
  expectRefused(with(3, text), "parameter 'n' is not a tl.constexpr");
  expectRefused(with(3, {99, 0, 0, {}}), "an argument of an unknown kind");
  std::string longText(20000, 'x');
  text.value.text = longText.c_str();
  expectRefused(with(4, text), "hold more text than a launch can have");

  const uint32_t most = device->getLimits().maxGrid[1];
  expectError(launch(arguments(), 0), TILERUN_STATUS_INVALID_ARGUMENT,
              "the grid has 0 programs on axis 0; null:0 takes 1 to 2147483647");
  expectError(launch(arguments(), 1, most + 1), TILERUN_STATUS_INVALID_ARGUMENT,
              "the grid has 65536 programs on axis 1; null:0 takes 1 to 65535");
  ASSERT_OK(launch(arguments(), 1, most, 1));
}

TEST_F(KernelTest, PointersAreChecked) {
  int x = 0;
  auto expectRefused = [&](TilerunAddress address, const std::string &part) {
    auto all = arguments();
    all[1] = pointerTo(address);
    expectError(launch(all), TILERUN_STATUS_INVALID_ARGUMENT, part);
  };
  ASSERT_OK(launch(arguments()));
  expectRefused(reinterpret_cast<TilerunAddress>(&x) / 16 * 16,
                "which is memory that null:0 does not know");
  ASSERT_OK(device->getPool().free(stream(), a));
  expectRefused(a, "memory of null:0 that is not allocated");
  expectRefused(a + 64, "parameter 'a' is at 0x");
  // The same block for another size is a new allocation.
  TilerunAddress again = 0;
  ASSERT_OK(device->getPool().allocate(stream(), kBytes, again));
  EXPECT_EQ(again, a);
  ASSERT_OK(launch(arguments()));
  // Null: an empty tensor's.
  auto all = arguments(0);
  for (int i = 0; i < 3; ++i)
    all[i] = pointerTo(0);
  ASSERT_OK(launch(all));
}

TEST_F(KernelTest, ForeignPointersAreAskedAboutOnce) {
  alignas(256) static int32_t foreign[256];
  getFaults().foreignBegin = reinterpret_cast<TilerunAddress>(foreign);
  getFaults().foreignBytes = sizeof(foreign);
  auto all = arguments();
  all[1] = pointerTo(reinterpret_cast<TilerunAddress>(foreign));
  for (int i = 0; i < 10; ++i)
    ASSERT_OK(launch(all));
  EXPECT_EQ(getCounters().pointerInfo, 1);
  std::thread([&] { ASSERT_OK(launch(all)); }).join();
  EXPECT_EQ(getCounters().pointerInfo, 2); // Each thread for itself.
  alignas(256) static int32_t elsewhere[256];
  getFaults().foreignBegin = reinterpret_cast<TilerunAddress>(elsewhere);
  getFaults().foreignElsewhere = true;
  all[1] = pointerTo(reinterpret_cast<TilerunAddress>(elsewhere));
  expectError(launch(all), TILERUN_STATUS_INVALID_ARGUMENT, "memory of another device");
}

TEST_F(KernelTest, ASpecializationChecksItsFacts) {
  std::shared_ptr<Specialization> special;
  ASSERT_OK(kernel->specialize(*device, "out=*i32:16, a=*i32, b=*i32:16, n=i32:16, BLOCK=128",
                               kDefaults, special));
  EXPECT_EQ(special->executable->getThreads(), 128u);
  const uint32_t grid[3] = {1, 1, 1};
  auto expectRefused = [&](std::vector<TilerunArgument> arguments, const std::string &part) {
    expectError(Kernel::launchSpecialized(*special, stream(), grid, arguments.data(),
                                          static_cast<uint32_t>(arguments.size())),
                TILERUN_STATUS_INVALID_ARGUMENT, part);
  };
  std::vector<TilerunArgument> good = {pointerTo(out), pointerTo(a + 4), pointerTo(b), integer(32)};
  ASSERT_OK(Kernel::launchSpecialized(*special, stream(), grid, good.data(), 4));
  expectSums(32);
  auto with = [&](size_t index, TilerunArgument argument) {
    auto all = good;
    all[index] = argument;
    return all;
  };
  expectRefused({}, "takes 4 arguments at run time, 0 were passed");
  expectRefused(with(0, pointerTo(out + 4)), "parameter 'out' is compiled for multiples of 16");
  expectRefused(with(3, integer(33)), "multiples of 16, which 33 is not; the integer 33 was");
  expectRefused(with(0, pointerTo(out, TILERUN_DTYPE_FP32)),
                "parameter 'out' is a pointer to i32; a pointer to fp32 was passed");
  expectRefused(with(0, integer(1)), "parameter 'out' is a pointer; the integer 1 was passed");
  expectRefused(with(3, number(1)), "parameter 'n' is an integer; the number 1 was passed");
  expectRefused(with(3, integer(int64_t(1) << 40)), "of type i32, which cannot hold it");
  // Another opening of the device is another device.
  std::shared_ptr<Device> other = openTestDevice();
  expectError(Kernel::launchSpecialized(*special, other->getDefaultStream(), grid, good.data(), 4),
              TILERUN_STATUS_INVALID_ARGUMENT, "specialized for another device");
}

TEST_F(KernelTest, BoundConstantsAreLeftOut) {
  std::shared_ptr<Kernel> bound;
  ASSERT_OK(kernel->bind("BLOCK=256", bound));
  EXPECT_EQ(bound->getParameters().size(), 4u);
  auto all = arguments();
  const uint32_t grid[3] = {1, 1, 1};
  ASSERT_OK(bound->launch(stream(), grid, kDefaults, all.data(), 4));
  EXPECT_EQ(program->signatures.back(), "out=*i32:16, a=*i32:16, b=*i32:16, n=i32:16, BLOCK=256");
  expectSums(96);
  std::shared_ptr<Kernel> more;
  expectError(bound->bind("BLOCK=1", more), TILERUN_STATUS_INVALID_ARGUMENT,
              "has no parameter 'BLOCK' that could be bound");
  expectError(bound->bind("n=i32", more), TILERUN_STATUS_INVALID_ARGUMENT,
              "can only be bound to a constant");
}

TEST_F(KernelTest, TooMuchSharedMemoryIsSaidBeforeLoading) {
  program->sharedBytes = 1 << 20;
  expectError(launch(arguments()), TILERUN_STATUS_INVALID_ARGUMENT,
              "needs 1048576 bytes of shared memory in a program; null:0 has 49152: use smaller");
  EXPECT_EQ(getCounters().load, 0);
  EXPECT_EQ(program->numRefused, 0);
  program->sharedBytes = 0;
  ASSERT_OK(launch(arguments()));
}

TEST_F(KernelTest, WhatTheDriverRefusesIsNotGivenAgain) {
  getFaults().refusedModules = 1;
  expectError(launch(arguments()), TILERUN_STATUS_COMPILE, "the driver refuses the module");
  EXPECT_EQ(program->numRefused, 1);
  ASSERT_OK(launch(arguments()));
  EXPECT_EQ(program->numCompiled, 2);
  EXPECT_EQ(program->numRefused, 1);
}

TEST_F(KernelTest, WhatACacheKeptIsCompiledAnewOnce) {
  program->fromCache = true;
  getFaults().refusedModules = 1;
  ASSERT_OK(launch(arguments()));
  expectSums(96);
  EXPECT_EQ(program->numCompiled, 2);
  EXPECT_EQ(program->numRefused, 1);
  getFaults().refusedModules = 2;
  expectError(launch(arguments(33)), TILERUN_STATUS_COMPILE, "the driver refuses the module");
  EXPECT_EQ(program->numCompiled, 4);
  EXPECT_EQ(program->numRefused, 3);
}

TEST_F(KernelTest, NoOptionRunsIntoAnother) {
  auto all = arguments();
  const uint32_t grid[3] = {1, 1, 1};
  const TilerunPluginOption red = {"colour", "red"}, blue = {"colour", "blue"},
                            split = {"colourred", ""}, both[] = {red, {"shape", "round"}};
  const TilerunCompileOptions options[] = {
      {0, 4, 3, 0, 0, 0, 1, 0, nullptr},     {0, 4, 3, 65536, 0, 0, 1, 0, nullptr},
      {0, 4, 3, 0, 1, 0, 1, 0, nullptr},     {0, 4, 65539, 0, 0, 0, 1, 0, nullptr},
      {0, 65540, 3, 0, 0, 0, 1, 0, nullptr}, {0, 3, 4, 0, 0, 0, 1, 0, nullptr},
      {0, 4, 3, 1, 0, 0, 1, 0, nullptr},     {0, 4, 3, 0, 0, 1, 1, 0, nullptr},
      {0, 4, 3, 0, 0, 0, 65537, 0, nullptr}, {0, 4, 3, 0, 0, 0, 1, 1, &red},
      {0, 4, 3, 0, 0, 0, 1, 1, &blue},       {0, 4, 3, 0, 0, 0, 1, 1, &split},
      {0, 4, 3, 0, 0, 0, 1, 2, both}};
  for (int round = 0; round < 2; ++round)
    for (const TilerunCompileOptions &each : options)
      ASSERT_OK(kernel->launch(stream(), grid, each, all.data(), 5));
  EXPECT_EQ(program->numCompiled, static_cast<int>(std::size(options)));
}

TEST_F(KernelTest, ALaunchFromItsOwnCompilationIsRefused) {
  Status inner;
  program->onCompile = [&] {
    if (program->numCompiled == 1)
      inner = launch(arguments());
  };
  ASSERT_OK(launch(arguments()));
  expectError(inner, TILERUN_STATUS_INVALID_ARGUMENT,
              "launched from a callback of its own compilation");
  ASSERT_OK(launch(arguments()));
  EXPECT_EQ(program->numCompiled, 1);
}

TEST_F(KernelTest, TruthValuesAreZeroOrOne) {
  std::shared_ptr<Specialization> special;
  ASSERT_OK(kernel->specialize(*device, "out=*i32, a=*i32, b=*i32, n=i32, BLOCK=128", kDefaults,
                               special));
  const uint32_t grid[3] = {1, 1, 1};
  for (int64_t value : {int64_t(2), int64_t(256), int64_t(-1)}) {
    TilerunArgument truth = {TILERUN_ARGUMENT_BOOL, 0, 0, {}};
    truth.value.integer = value;
    std::string wanted = "neither 0 nor 1; the boolean " + std::to_string(value) + " was passed";
    for (size_t place : {size_t(3), size_t(4)}) {
      auto all = arguments();
      all[place] = truth;
      expectError(launch(all), TILERUN_STATUS_INVALID_ARGUMENT, wanted);
    }
    auto all = arguments();
    all[3] = truth;
    expectError(Kernel::launchSpecialized(*special, stream(), grid, all.data(), 4),
                TILERUN_STATUS_INVALID_ARGUMENT, "boolean");
  }
}

TEST_F(KernelTest, ALostDeviceHasAWayBack) {
  ASSERT_OK(launch(arguments()));
  std::shared_ptr<Device> other = openTestDevice();
  {
    std::vector<SourceParameter> parameters(1);
    parameters[0].name = "address";
    Kernel fault(std::make_shared<TestProgram>("tilerun_test_fault", parameters));
    TilerunArgument argument = pointerTo(out);
    const uint32_t grid[3] = {1, 1, 1};
    ASSERT_OK(fault.launch(stream(), grid, kDefaults, &argument, 1));
  }
  expectError(stream().synchronize(), TILERUN_STATUS_DEVICE_LOST, "tilerun_test_fault");
  expectError(device->getState(), TILERUN_STATUS_DEVICE_LOST, "tilerun_test_fault");
  expectError(launch(arguments()), TILERUN_STATUS_DEVICE_LOST, "tilerun_test_fault");
  // The pool's own memory is lost, too; objects can be released.
  ASSERT_OK(device->getPool().free(stream(), a));
  expectError(device->getPool().allocate(stream(), kBytes, a), TILERUN_STATUS_DEVICE_LOST,
              "tilerun_test_fault");
  // Other devices stay usable; the kernel stays, and is loaded again where it is needed.
  device = openTestDevice();
  for (TilerunAddress *address : {&out, &a, &b})
    ASSERT_OK(device->getPool().allocate(stream(), kBytes, *address));
  ASSERT_OK(stream().fill(a, 3, 4, kBytes));
  ASSERT_OK(stream().fill(b, 4, 4, kBytes));
  ASSERT_OK(launch(arguments()));
  expectSums(96);
  ASSERT_OK(other->getState());
}

TEST_F(KernelTest, KernelsAndDevicesGoInAnyOrder) {
  ASSERT_OK(launch(arguments()));
  kernel.reset(); // Unloads.
  EXPECT_EQ(getCounters().unload, 1);
  kernel = std::make_unique<Kernel>(program);
  ASSERT_OK(launch(arguments()));
  device.reset(); // Unloads and closes, though the kernel lives.
  EXPECT_EQ(getCounters().unload, 2);
  EXPECT_EQ(getCounters().close, 1);
  kernel.reset();
  EXPECT_EQ(getCounters().unload, 2);
}

} // namespace
