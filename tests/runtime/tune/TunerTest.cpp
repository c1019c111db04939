// Tuning over the test plugin: what is compiled while something is measured, the choice whatever
// is ready first, and configurations that fail, are pruned or are dropped. A configuration's number
// of stages tells which one is compiled.
#include "runtime/tune/Tuner.h"
#include "runtime/tune/Stopwatch.h"
#include "tests/runtime/core/TestPlugin.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <random>
#include <sys/wait.h>
#include <thread>

using namespace tilerun;
using namespace tilerun::core;
using namespace tilerun::core::test;

namespace {

/// Its compilations call the test with the configuration's number.
class HookedProgram : public TestProgram {
public:
  explicit HookedProgram(std::vector<SourceParameter> parameters)
      : TestProgram("tilerun_test_add", std::move(parameters)) {}
  Status compile(const Device &device, const std::string &signature,
                 const TilerunCompileOptions &options, CompiledArtifact &artifact) override {
    if (hook)
      TILERUN_TRY(hook(options.num_stages));
    return TestProgram::compile(device, signature, options, artifact);
  }
  std::function<Status(size_t config)> hook;
};

class TunerTest : public testing::Test {
protected:
  void open(bool isGpu) {
    getTestPlugin();
    device = nullptr;
    auto plugin = getTestPlugin();
    getFaults().isGpu = isGpu;
    std::string reason;
    ASSERT_OK(Device::open(plugin, plugin->getDevices(reason).at(0), DeviceOptions(), device));
    EXPECT_EQ(device->runsOnHost(), !isGpu);
    program = std::make_shared<HookedProgram>(TestProgram::makeAdd()->getParameters());
    kernel = std::make_unique<Kernel>(program);
    TilerunAddress memory[3];
    for (TilerunAddress &address : memory)
      ASSERT_OK(device->getPool().allocate(device->getDefaultStream(), 4096, address));
    arguments = {pointerTo(memory[0]), pointerTo(memory[1]), pointerTo(memory[2]), integer(96),
                 integer(128)};
    options.warmupMilliseconds = options.repMilliseconds = 1;
    options.numThreads = 4;
    options.before = [this](size_t index) {
      current = index;
      if (index < times.size())
        getFaults().milliseconds = times[index];
      return Status();
    };
    options.progress = [this](size_t index, const tune::Measurement &,
                              const tune::Progress &progress) {
      order.push_back(index);
      last = progress;
    };
  }
  Status tune(size_t count) {
    configs.clear();
    for (uint32_t i = 0; i < count; ++i) {
      TilerunCompileOptions compile = kDefaults;
      compile.num_stages = i;
      configs.push_back({kernel.get(), {1, 1, 1}, compile, arguments.data(), 5});
    }
    if (change)
      change();
    order.clear();
    return tune::tune(device->getDefaultStream(), configs, options, result);
  }

  std::shared_ptr<Device> device;
  std::shared_ptr<HookedProgram> program;
  std::unique_ptr<Kernel> kernel;
  std::vector<TilerunArgument> arguments;
  std::vector<tune::Config> configs;
  std::function<void()> change; ///< Of `configs`, before they are tuned.
  tune::Options options;
  tune::Result result;
  std::vector<double> times; ///< Of each configuration's runs.
  std::vector<size_t> order; ///< In which they were reported.
  tune::Progress last;
  std::atomic<size_t> current{SIZE_MAX}; ///< The one that runs.
};

TEST_F(TunerTest, OthersAreCompiledWhileOneIsMeasured) {
  open(/*isGpu=*/true);
  times = {2, 1};
  // The second is ready once the first runs.
  program->hook = [&](size_t config) {
    while (config == 1 && current != 0)
      std::this_thread::yield();
    return Status();
  };
  ASSERT_OK(tune(2));
  EXPECT_EQ(order, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.milliseconds, 1);
  EXPECT_EQ(program->numCompiled, 2);
  EXPECT_EQ(last.numDone, 2u);
  EXPECT_EQ(last.numCompiled, 2u);
  EXPECT_EQ(last.bestMilliseconds, 1);
  EXPECT_EQ(last.secondsLeft, 0);
}

TEST_F(TunerTest, ReadyOnesDoNotWaitForASlowOne) {
  open(/*isGpu=*/true);
  times = {1, 1, 1};
  std::atomic<bool> isOpen{false};
  program->hook = [&](size_t config) {
    while (config == 0 && !isOpen)
      std::this_thread::yield();
    return Status();
  };
  auto note = options.progress;
  options.progress = [&](size_t index, const tune::Measurement &m, const tune::Progress &p) {
    note(index, m, p);
    isOpen = order.size() == 2;
  };
  ASSERT_OK(tune(3));
  EXPECT_EQ(order.back(), 0u);
  EXPECT_EQ(result.best, 0u); // Of equal ones the first, though it came last.
}

TEST_F(TunerTest, TheChoiceDoesNotDependOnTheOrder) {
  open(/*isGpu=*/true);
  times = {3, 2, 2, 3};
  std::vector<size_t> ready = {0, 1, 2, 3};
  do {
    kernel = std::make_unique<Kernel>(program); // Nothing is compiled.
    std::atomic<size_t> numReady{0};
    program->hook = [&](size_t config) {
      while (ready[numReady] != config)
        std::this_thread::yield();
      // Another one may be measured before the next is ready.
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (numReady < 3)
        ++numReady;
      return Status();
    };
    ASSERT_OK(tune(4));
    EXPECT_EQ(result.best, 1u);
    EXPECT_EQ(result.measurements.size(), 4u);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(result.measurements[i].milliseconds, times[i]);
  } while (std::next_permutation(ready.begin(), ready.end()));
}

TEST_F(TunerTest, OnTheHostAllAreCompiledBefore) {
  open(/*isGpu=*/false);
  program->milliseconds = 2;
  options.before = [&](size_t) {
    EXPECT_EQ(program->numCompiled, 6);
    EXPECT_EQ(getCounters().load, 6);
    return Status();
  };
  ASSERT_OK(tune(6));
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
}

TEST_F(TunerTest, NothingIsMeasuredLongerThanItTakesToKnow) {
  open(/*isGpu=*/true);
  options.warmupMilliseconds = 0;
  options.repMilliseconds = 100;
  options.numThreads = 1; // In their order.
  times = {1, 1.004, 1.05, 2, 3, 0.5};
  std::vector<int> runs(times.size());
  options.before = [&](size_t index) {
    getFaults().milliseconds = times[index];
    ++runs[index];
    return Status();
  };
  ASSERT_OK(tune(times.size()));
  EXPECT_EQ(result.best, 5u);
  // One that loads, one and three; then a batch, unless it is far behind.
  EXPECT_EQ(runs, (std::vector<int>{21, 21, 21, 21, 5, 21}));
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(result.measurements[i].rough, i >= 2 && i <= 4) << i;
    EXPECT_EQ(result.measurements[i].milliseconds, times[i]);
  }
}

TEST_F(TunerTest, WhatIsUncertainIsMeasuredOn) {
  open(/*isGpu=*/true);
  options.warmupMilliseconds = 25;
  options.repMilliseconds = 200;
  options.numThreads = 1;
  std::vector<int> runs(2);
  // The second one's runs differ by 4 %, so that its median is known to half a percent by none.
  options.before = [&](size_t index) {
    getFaults().milliseconds = 1;
    getFaults().spread = index == 0 ? 0 : 0.04;
    ++runs[index];
    return Status();
  };
  ASSERT_OK(tune(2));
  EXPECT_EQ(runs[0], 5 + 25 + 16); // The device was not warm.
  EXPECT_GE(runs[1], 100);         // Fewer than 196 where the host takes longer than they say.
  EXPECT_LE(runs[1], 5 + 200 + 26);
  EXPECT_FALSE(result.measurements[1].rough);
}

// What fails, or is far behind at once, warms no device; and a run that was disturbed does not end
// a measurement of few.
TEST_F(TunerTest, OnlyWorkWarmsADevice) {
  open(/*isGpu=*/true);
  options.warmupMilliseconds = 25;
  options.repMilliseconds = 100;
  options.numThreads = 1;
  times = {1, 1, 1};
  std::vector<int> runs(3);
  options.before = [&](size_t index) {
    getFaults().milliseconds = times[index];
    ++runs[index];
    return index == 0 ? Status::invalid("it does not run") : Status();
  };
  ASSERT_OK(tune(3));
  EXPECT_EQ(runs[1], 5 + 25 + 16);
}

TEST(MedianInterval, IsOfOrderStatistics) {
  std::vector<double> numbers(16);
  std::iota(numbers.rbegin(), numbers.rend(), 1);
  const tune::MedianInterval interval = tune::getMedianInterval(numbers);
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.median, 9);
  EXPECT_EQ(interval.high, 15);
  const tune::MedianInterval few = tune::getMedianInterval({3, 1, 2});
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.median, 2);
  EXPECT_EQ(few.high, 3);
}

// Of 4,000 samples of a skewed distribution some 40 may miss its median, which is 1.
TEST(MedianInterval, ContainsTheMedian) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> distribution(0, 0.5);
  for (size_t count : {8, 16, 23, 64, 301}) {
    int missed = 0;
    for (int i = 0; i < 4000; ++i) {
      std::vector<double> numbers(count);
      std::generate(numbers.begin(), numbers.end(), [&] { return distribution(random); });
      const tune::MedianInterval interval = tune::getMedianInterval(std::move(numbers));
      missed += interval.low > 1 || interval.high < 1;
    }
    EXPECT_LE(missed, 60) << count;
    EXPECT_GE(missed, 8) << count;
  }
}

TEST_F(TunerTest, OneThreadCompilesEachBeforeItIsMeasured) {
  for (bool isGpu : {false, true}) {
    open(isGpu);
    options.numThreads = 1;
    const std::thread::id own = std::this_thread::get_id();
    program->hook = [&](size_t config) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      EXPECT_EQ(order.size(), config);
      return Status();
    };
    ASSERT_OK(tune(3));
    EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2}));
  }
}

TEST_F(TunerTest, FailuresCostOnlyThemselves) {
  open(/*isGpu=*/true);
  times = {4, 3, 2, 1};
  program->hook = [](size_t config) -> Status {
    if (config == 3)
      throw std::bad_alloc();
    return config == 2 ? Status(TILERUN_STATUS_COMPILE, "it needs more shared memory than there is")
                       : Status();
  };
  ASSERT_OK(tune(4));
  EXPECT_EQ(result.best, 1u);
  EXPECT_TRUE(result.measurements[0].status.isOk());
  expectError(result.measurements[2].status, TILERUN_STATUS_COMPILE, "more shared memory");
  expectError(result.measurements[3].status, TILERUN_STATUS_OUT_OF_MEMORY, "out of memory");
  EXPECT_FALSE(result.measurements[2].pruned);
  // What failed is not compiled again by a launch.
  EXPECT_EQ(program->numCompiled, 2);
}

TEST_F(TunerTest, TheFirstFailureIsToldIfNoneWorks) {
  open(/*isGpu=*/true);
  std::atomic<int> numTold{0};
  options.progress = [&](size_t, const tune::Measurement &, const tune::Progress &) { ++numTold; };
  program->hook = [&](size_t config) {
    while (config == 0 && numTold < 2) // It fails last.
      std::this_thread::yield();
    return Status(TILERUN_STATUS_COMPILE, "failure " + std::to_string(config));
  };
  expectError(tune(3), TILERUN_STATUS_COMPILE,
              "none of 3 configurations works; the first one: failure 0");
}

TEST_F(TunerTest, HooksHearOfWhatDoesNotCompile) {
  open(/*isGpu=*/true);
  std::vector<size_t> begun, ended;
  options.before = [&](size_t index) { return begun.push_back(index), Status(); };
  options.after = [&](size_t index) { return ended.push_back(index), Status(); };
  program->hook = [](size_t config) {
    return config == 0 ? Status(TILERUN_STATUS_COMPILE, "no") : Status();
  };
  ASSERT_OK(tune(2));
  EXPECT_EQ(std::count(begun.begin(), begun.end(), 0), 1);
  EXPECT_EQ(std::count(ended.begin(), ended.end(), 0), 0);
  EXPECT_GT(std::count(ended.begin(), ended.end(), 1), 1);
}

TEST_F(TunerTest, WhatCannotFitIsNotCompiled) {
  open(/*isGpu=*/true);
  change = [&] {
    configs[0].grid[1] = 1 << 30;
    configs[1].options.num_warps = 64;
    configs[2].numArguments = 7;
    configs[3].refused = Status::invalid("the caller knows better");
  };
  ASSERT_OK(tune(5));
  EXPECT_EQ(program->numCompiled, 1);
  EXPECT_EQ(result.best, 4u);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(result.measurements[i].pruned, i < 4) << i;
  expectError(result.measurements[0].status, TILERUN_STATUS_INVALID_ARGUMENT,
              "the grid has 1073741824 programs on axis 1; null:0 takes 1 to ");
  expectError(result.measurements[1].status, TILERUN_STATUS_INVALID_ARGUMENT,
              "would have 2048 threads in a program with num_warps=64; null:0 takes 1024 at most: "
              "use num_warps=32 or less");
  expectError(result.measurements[2].status, TILERUN_STATUS_INVALID_ARGUMENT,
              "takes 5 arguments, 7 were passed");
  expectError(result.measurements[3].status, TILERUN_STATUS_INVALID_ARGUMENT, "knows better");
}

TEST_F(TunerTest, TheNumberOfWarpsChangesNothingOnTheInterpreter) {
  open(/*isGpu=*/false);
  change = [&] { configs[0].options.num_warps = 1 << 20; };
  ASSERT_OK(tune(1));
}

TEST_F(TunerTest, ACallerThatWaitsCanEndIt) {
  open(/*isGpu=*/true);
  std::atomic<bool> isEnded{false};
  program->hook = [&](size_t) {
    while (!isEnded)
      std::this_thread::yield();
    return Status();
  };
  options.waiting = [&](const tune::Progress &progress) {
    EXPECT_EQ(progress.numDone, 0u);
    EXPECT_EQ(progress.best, 50u);
    isEnded = true;
    return Status(TILERUN_STATUS_UNAVAILABLE, "enough");
  };
  expectError(tune(50), TILERUN_STATUS_UNAVAILABLE, "enough");
  EXPECT_TRUE(order.empty());
  EXPECT_LT(program->numCompiled, 50);
  EXPECT_EQ(getCounters().launch, 0);
}

TEST_F(TunerTest, CompilingAloneRunsNothing) {
  open(/*isGpu=*/true);
  options.compileOnly = true;
  options.before = [](size_t) -> Status {
    ADD_FAILURE() << "a hook was called";
    return {};
  };
  program->hook = [](size_t config) {
    return config == 0 ? Status(TILERUN_STATUS_COMPILE, "no") : Status();
  };
  ASSERT_OK(tune(3));
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(getCounters().launch, 0);
  EXPECT_EQ(getCounters().load, 2);
  // A launch finds the code.
  const uint32_t grid[3] = {1, 1, 1};
  ASSERT_OK(
      kernel->launch(device->getDefaultStream(), grid, configs[2].options, arguments.data(), 5));
  EXPECT_EQ(program->numCompiled, 2);
}

TEST_F(TunerTest, AForkInACallbackEndsTheChildsTuningAlone) {
  const pid_t parent = getpid();
  // On the host all threads have ended before, and the child goes on, too.
  for (auto [isGpu, inProgress] : {std::pair(true, false), {true, true}, {false, false}}) {
    open(isGpu);
    pid_t child = 0;
    std::atomic<bool> isForked{false};
    program->hook = [&, isGpu](size_t config) {
      while (isGpu && config && !isForked) // They are compiled while it forks.
        std::this_thread::yield();
      return Status();
    };
    auto forkOnce = [&] {
      if (!isForked)
        child = fork();
      isForked = true;
    };
    options.before = [&, inProgress](size_t) {
      if (!inProgress)
        forkOnce();
      return Status();
    };
    options.progress = [&, inProgress](size_t, const tune::Measurement &, const tune::Progress &) {
      if (inProgress)
        forkOnce();
    };
    Status status = tune(4);
    if (getpid() != parent)
      _exit(isGpu ? status.getCode() != TILERUN_STATUS_UNAVAILABLE ||
                        status.getMessage().find("forked by a callback") == std::string::npos
                  : !status.isOk());
    ASSERT_OK(status);
    int ended = 0;
    ASSERT_EQ(waitpid(child, &ended, 0), child);
    EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << isGpu << inProgress;
  }
}

TEST_F(TunerTest, WrapsCompilationsAndHandsThemOver) {
  open(/*isGpu=*/true);
  const std::thread::id own = std::this_thread::get_id();
  std::atomic<int> wrapped{0};
  std::vector<size_t> handed;
  options.around = [&](size_t, const std::function<void()> &compile) {
    ++wrapped;
    compile();
  };
  options.compiled = [&](size_t index) {
    EXPECT_EQ(std::this_thread::get_id(), own);
    handed.push_back(index);
  };
  ASSERT_OK(tune(8));
  EXPECT_EQ(wrapped, 8);
  EXPECT_EQ(handed, order);
}

TEST_F(TunerTest, WrongThreadsOfTheEnvironment) {
  open(/*isGpu=*/true);
  options.numThreads = 0;
  setenv("TILERUN_COMPILE_THREADS", "none", 1);
  expectError(tune(2), TILERUN_STATUS_INVALID_ARGUMENT, "TILERUN_COMPILE_THREADS is 'none'");
  unsetenv("TILERUN_COMPILE_THREADS");
}

} // namespace
