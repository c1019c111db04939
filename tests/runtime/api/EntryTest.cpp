// Promises of every entry of the API: no exception leaves it, no size is trusted, no reserved field
// is ignored, and a child of a fork works or is refused, and never hangs.
#include "tests/runtime/api/ApiTest.h"
#include "tests/runtime/core/Hooks.h"

#include <atomic>
#include <climits>
#include <csignal>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::test;

namespace {

void expectRefused(TilerunStatus status, const char *part) {
  EXPECT_EQ(status, TILERUN_STATUS_INVALID_ARGUMENT) << part;
  EXPECT_CONTAINS(tilerunGetErrorMessage(), part);
}

//===----------------------------------------------------------------------===//
// Sizes and reserved fields
//===----------------------------------------------------------------------===//

TEST(Sizes, OfTextsAndModules) {
  Runtime runtime = makeRuntime();
  TilerunKernel *kernel = nullptr;
  for (uint64_t size :
       {UINT64_MAX, UINT64_MAX - 1, uint64_t(INT64_MAX), (uint64_t(64) << 20) + 1}) {
    std::string number = std::to_string(size);
    expectRefused(tilerunLoadKernelText(runtime.get(), "k.py", "x", size, "k", &kernel),
                  ("num_bytes is " + number + "; the maximum is 67108864").c_str());
    TilerunSource source = {sizeof(source), 0, "k", "k.py", "x", size};
    expectRefused(tilerunLoadKernelSources(runtime.get(), &source, 1, "k", &kernel),
                  ("sources[0].num_bytes is " + number).c_str());
    if (size > uint64_t(1) << 30)
      expectRefused(tilerunLoadKernelBytecode(runtime.get(), "x", size, "k", &kernel),
                    ("num_bytes is " + number).c_str());
  }
  TilerunSource source = {sizeof(source), 0, "k", "k.py", "x", 1};
  expectRefused(tilerunLoadKernelSources(runtime.get(), &source, UINT32_MAX, "k", &kernel),
                "num_sources is 4294967295; the maximum is 65536");
  EXPECT_EQ(kernel, nullptr);
}

TEST(Sizes, OfListsAndMemory) {
  TilerunRuntimeOptions options = {};
  options.struct_size = sizeof(options);
  const char *file = NULL_PLUGIN;
  options.plugins = &file;
  options.num_plugins = UINT32_MAX;
  TilerunRuntime *made = nullptr;
  expectRefused(tilerunCreateRuntime(&options, &made), "num_plugins is 4294967295");
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    TilerunAddress address = 0;
    void *pointer = nullptr;
    for (uint64_t size : {UINT64_MAX, UINT64_MAX - 4096, uint64_t(INT64_MAX)}) {
      EXPECT_EQ(tilerunAllocate(stream.get(), size, &address), TILERUN_STATUS_OUT_OF_MEMORY);
      EXPECT_EQ(tilerunAllocateHost(device.get(), size, &pointer), TILERUN_STATUS_OUT_OF_MEMORY);
    }
    TilerunArgument arguments[1] = {makeArgument(1)};
    TilerunLaunchOptions launch = {sizeof(launch), {1, 1, 1}, nullptr, 0, 0, nullptr};
    expectRefused(tilerunLaunch(stream.get(), kernel.get(), &launch, arguments, UINT32_MAX),
                  "4294967295");
    expectRefused(tilerunDescribeArguments(
                      kernel.get(), arguments, UINT32_MAX, [](void *, const char *) {}, nullptr),
                  "4294967295");
    TilerunTuneConfig config = {sizeof(config), {1, 1, 1}, kernel.get(), nullptr, arguments, 1, 0};
    TilerunTuneOptions tuning = {};
    tuning.struct_size = sizeof(tuning);
    TilerunTuneResult result = {};
    result.struct_size = sizeof(result);
    auto tune = [&](uint32_t count) {
      return tilerunTuneKernel(runtime.get(), stream.get(), &config, count, &tuning, &result);
    };
    expectRefused(tune(UINT32_MAX), "num_configs is 4294967295");
    TilerunTuneMemory memory = {sizeof(memory), 2, 1, 1};
    tuning.memory = &memory;
    tuning.num_memory = UINT32_MAX;
    expectRefused(tune(1), "num_memory is 4294967295");
    tuning.num_memory = 1;
    expectRefused(tune(1), "memory[0].restore is 2, neither 0 nor 1");
    TilerunEvent *event = nullptr;
    expectRefused(tilerunCreateEvent(device.get(), 6, &event), "flags have 6; 1 is the only one");
  }
}

TEST(Reserved, IsRefusedEverywhere) {
  Runtime runtime = makeRuntime();
  TilerunRuntimeOptions options = {};
  options.struct_size = sizeof(options);
  options.reserved = 7;
  TilerunRuntime *made = nullptr;
  expectRefused(tilerunCreateRuntime(&options, &made), "options: reserved is 7, not 0");
  TilerunSource source = {sizeof(source), 7, "k", "k.py", "x", 1};
  TilerunKernel *none = nullptr;
  expectRefused(tilerunLoadKernelSources(runtime.get(), &source, 1, "k", &none),
                "sources[0]: reserved is 7, not 0");
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  Device device = runtime.open("cuda");
  Stream stream = device.createStream();
  Buffer<int32_t> out(stream, 96), a(stream, 96), b(stream, 96);
  TilerunArgument arguments[] = {makeArgument(out), makeArgument(a), makeArgument(b),
                                 makeArgument(typed<int32_t>(96)), makeArgument(128)};
  auto launch = [&](uint32_t reserved) {
    TilerunLaunchOptions given = {sizeof(given), {1, 1, 1}, nullptr, 0, reserved, nullptr};
    return tilerunLaunch(stream.get(), kernel.get(), &given, arguments, 5);
  };
  check(launch(0));
  expectRefused(launch(7), "options: reserved is 7, not 0");
  TilerunTuneConfig config = {sizeof(config), {1, 1, 1}, kernel.get(), nullptr, arguments, 5, 7};
  TilerunTuneOptions tuning = {};
  tuning.struct_size = sizeof(tuning);
  TilerunTuneResult result = {};
  result.struct_size = sizeof(result);
  expectRefused(tilerunTuneKernel(runtime.get(), stream.get(), &config, 1, &tuning, &result),
                "configs[0]: reserved is 7, not 0");
  config.reserved = 0;
  tuning.reserved = 7;
  expectRefused(tilerunTuneKernel(runtime.get(), stream.get(), &config, 1, &tuning, &result),
                "options: reserved is 7, not 0");
  // Of pointers, integers and constants.
  Specialization special = kernel.specialize(device, "out=*i32, a=*i32, b=*i32, n=i32, BLOCK=128");
  const uint32_t grid[3] = {1, 1, 1};
  check(tilerunLaunchSpecialized(stream.get(), special.get(), grid, arguments, 4));
  for (int i : {0, 3, 4}) {
    arguments[i].reserved = 7;
    expectRefused(launch(0), "given an argument whose field 'reserved' is 7, not 0");
    if (i < 4)
      expectRefused(tilerunLaunchSpecialized(stream.get(), special.get(), grid, arguments, 4),
                    "given an argument whose field 'reserved' is 7, not 0");
    arguments[i].reserved = 0;
  }
  check(launch(0));
}

TEST(Sizes, OfRanges) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  const int64_t numbers[] = {4, 4};
  for (const char *id : {"cpu", "cuda"}) {
    SCOPED_TRACE(id);
    Device device = runtime.open(id);
    Stream stream = device.createStream();
    Buffer<int32_t> out(stream, 96), a(stream, 96), b(stream, 96);
    TilerunArgument arguments[] = {makeArgument(out), makeArgument(a), makeArgument(b),
                                   makeArgument(typed<int32_t>(96)), makeArgument(128)};
    auto launch = [&](const TilerunMemoryRange &first) {
      TilerunMemoryRange ranges[5] = {};
      ranges[1] = first;
      TilerunLaunchOptions given = {sizeof(given), {1, 1, 1}, nullptr, 0, 0, ranges};
      return tilerunLaunch(stream.get(), kernel.get(), &given, arguments, 5);
    };
    TilerunAddress at = a.pointer().address;
    check(launch({at, 384, nullptr, nullptr, 0, 0}));
    expectRefused(launch({at, 384, nullptr, nullptr, 0, 7}), "ranges[1]: reserved is 7, not 0");
    expectRefused(launch({at, 384, numbers, numbers, UINT32_MAX, 0}),
                  "ranges[1].rank is 4294967295; the maximum is 64");
    expectRefused(launch({at, 384, numbers, nullptr, 2, 0}),
                  "ranges[1] has a shape or strides without the other");
    expectRefused(launch({at, UINT64_MAX, nullptr, nullptr, 0, 0}),
                  "ranges[1] leaves the address space");
  }
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

// Fails each allocation of each call in turn; no lock stays locked.
TEST(Exceptions, NoMemoryIsAStatus) {
  if (!core::test::hasHooks())
    GTEST_SKIP() << "a sanitizer has the allocator";
  Runtime runtime = makeRuntime();
  runtime.loadPlugin(NULL_PLUGIN);
  Device device = runtime.open("null");
  Stream stream = device.createStream();
  const std::pair<const char *, std::function<TilerunStatus()>> calls[] = {
      {"tilerunCreateRuntime",
       [] {
         TilerunRuntimeOptions options = {};
         options.struct_size = sizeof(options);
         options.cache_folder = "";
         TilerunRuntime *made = nullptr;
         TilerunStatus status = tilerunCreateRuntime(&options, &made);
         tilerunDestroyRuntime(made);
         return status;
       }},
      {"tilerunOpenDevice",
       [&] {
         TilerunDevice *made = nullptr;
         TilerunStatus status = tilerunOpenDevice(runtime.get(), "null:0", nullptr, &made);
         tilerunCloseDevice(made);
         return status;
       }},
      {"tilerunCreateStream",
       [&] {
         TilerunStream *made = nullptr;
         TilerunStatus status = tilerunCreateStream(device.get(), &made);
         tilerunDestroyStream(made);
         return status;
       }},
      {"tilerunAllocate",
       [&] {
         TilerunAddress address = 0;
         TilerunStatus status = tilerunAllocate(stream.get(), 40 << 20, &address);
         return status ? status : tilerunFree(stream.get(), address);
       }},
  };
  for (const auto &[name, call] : calls) {
    SCOPED_TRACE(name);
    uint64_t number = 1;
    for (; number < 10'000; ++number) {
      core::test::failAllocation(number);
      TilerunStatus status = call();
      bool failed = core::test::hasFailedAllocation();
      core::test::failAllocation(0);
      if (!failed) {
        EXPECT_EQ(status, TILERUN_STATUS_OK) << tilerunGetErrorMessage();
        break;
      }
      // A container may do without.
      if (status)
        EXPECT_EQ(status, TILERUN_STATUS_OUT_OF_MEMORY) << number;
    }
    EXPECT_GT(number, 1u);
    EXPECT_EQ(call(), TILERUN_STATUS_OK) << tilerunGetErrorMessage();
  }
}

TEST(Exceptions, OfACallbackEndTheCall) {
  Runtime runtime = makeRuntime();
  auto raise = [](void *, const TilerunLanguageName *) { throw std::runtime_error("enough"); };
  EXPECT_EQ(tilerunListLanguage("triton.language", raise, nullptr), TILERUN_STATUS_INTERNAL);
  EXPECT_STREQ(tilerunGetErrorMessage(), "tilerunListLanguage: enough");
  auto strange = [](void *, const TilerunLanguageName *) { throw 3; };
  EXPECT_EQ(tilerunListLanguage("triton.language", strange, nullptr), TILERUN_STATUS_INTERNAL);
  EXPECT_CONTAINS(tilerunGetErrorMessage(), "unknown type");
}

// A thread that ends itself in a callback is not stopped by it.
TEST(Exceptions, AThreadMayEndInACallback) {
  std::atomic<bool> returned = false;
  std::thread thread([&] {
    (void)tilerunListLanguage(
        "triton.language", [](void *, const TilerunLanguageName *) { pthread_exit(nullptr); },
        nullptr);
    returned = true;
  });
  thread.join();
  EXPECT_FALSE(returned);
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

// Runs `work` in a child; its exit status, or -1 for one that had to be ended.
int runChild(const std::function<int()> &work) {
  pid_t child = fork();
  if (child == 0) {
    // An exception would unwind into the parent's test, whose threads the child does not have.
    try {
      _exit(work());
    } catch (const std::exception &error) {
      std::fprintf(stderr, "the child: %s\n", error.what());
      _exit(99);
    }
  }
  int status = 0;
  for (int i = 0; i < 3000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    usleep(10'000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

bool addsRight(const Kernel &add, const Device &device) {
  Stream stream = device.createStream();
  Buffer<int32_t> out(stream, 96), a(stream, std::vector<int32_t>(96, 2)),
      b(stream, std::vector<int32_t>(96, 3));
  add.launch(stream, {1}, out, a, b, 96, 128);
  return out.read() == std::vector<int32_t>(96, 5);
}

// Where a user may have no more threads, the calling one does all.
TEST(Exceptions, NoThreadIsNoFailure) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root becomes a user without processes";
  Runtime runtime = makeRuntime();
  Device cpu = runtime.open("cpu");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  ASSERT_TRUE(addsRight(add, cpu));
  EXPECT_EQ(runChild([&] {
              const rlimit one = {1, 1};
              if (setrlimit(RLIMIT_NPROC, &one) || setuid(54321))
                return 2;
              pthread_t thread;
              auto nothing = [](void *) -> void * { return nullptr; };
              if (!pthread_create(&thread, nullptr, nothing, nullptr))
                return 3;
              Stream stream = cpu.createStream();
              Buffer<int32_t> out(stream, 4096), a(stream, std::vector<int32_t>(4096, 2)),
                  b(stream, std::vector<int32_t>(4096, 3));
              add.launch(stream, {32}, out, a, b, 4096, 128);
              return out.read() == std::vector<int32_t>(4096, 5) ? 0 : 1;
            }),
            0);
}

TEST(Forks, AChildOfABusyParentIsRight) {
  Runtime runtime = makeRuntime();
  Device cpu = runtime.open("cpu");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  ASSERT_TRUE(addsRight(add, cpu));
  std::atomic<bool> stop = false;
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop)
        wrong += !addsRight(add, cpu);
    });
  for (int i = 0; i < 60; ++i)
    ASSERT_EQ(runChild([&] { return addsRight(add, cpu) && addsRight(add, cpu) ? 0 : 1; }), 0) << i;
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(Forks, AChildIsToldOfAThreadThatStayed) {
  Runtime runtime = makeRuntime();
  Device cpu = runtime.open("cpu");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  static std::atomic<bool> inside, leave;
  inside = leave = false;
  std::thread thread([&] {
    check(tilerunListPlugins(
        runtime.get(),
        [](void *, const TilerunPluginFile *) {
          inside = true;
          while (!leave)
            usleep(1000);
        },
        nullptr));
  });
  while (!inside)
    usleep(1000);
  EXPECT_EQ(runChild([&] {
              TilerunStream *stream = nullptr;
              TilerunStatus status = tilerunCreateStream(cpu.get(), &stream);
              std::string text = tilerunGetErrorMessage();
              TilerunRuntime *made = nullptr;
              bool right = status == TILERUN_STATUS_UNAVAILABLE &&
                           text.find("tilerunCreateStream: this process was forked while another "
                                     "thread of its parent was in tilerunListPlugins") == 0 &&
                           tilerunCreateRuntime(nullptr, &made) == TILERUN_STATUS_UNAVAILABLE;
              tilerunReleaseKernel(add.get()); // No wait, and no crash.
              // A child of its own is refused, too.
              return right && runChild([&] {
                                return tilerunCreateStream(cpu.get(), &stream) ==
                                               TILERUN_STATUS_UNAVAILABLE
                                           ? 0
                                           : 1;
                              }) == 0
                         ? 0
                         : 1;
            }),
            0);
  leave = true;
  thread.join();
  EXPECT_TRUE(addsRight(add, cpu));
  EXPECT_EQ(runChild([&] { return addsRight(add, cpu) ? 0 : 1; }), 0);
}

// The thread that forks is in the child, too.
TEST(Forks, InACallback) {
  Runtime runtime = makeRuntime();
  Device cpu = runtime.open("cpu");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  struct Use {
    const Kernel &add;
    const Device &cpu;
    int result = -2;
  } use{add, cpu};
  check(tilerunListLanguage(
      "triton.language",
      [](void *user, const TilerunLanguageName *) {
        Use &use = *static_cast<Use *>(user);
        if (use.result == -2)
          use.result = runChild([&] { return addsRight(use.add, use.cpu) ? 0 : 1; });
      },
      &use));
  EXPECT_EQ(use.result, 0);
}

} // namespace
