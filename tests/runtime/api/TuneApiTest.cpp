// Additions of version 1.2 of the API, on the interpreter: tuning, kernels from resolved sources,
// stages of compilation, the language's names, and launches on the host's own memory.
#include "tests/runtime/api/ApiTest.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

using namespace tilerun;
using namespace tilerun::test;

static const char *const kAccumulate = R"(import triton
import triton.language as tl


@triton.jit
def accumulate(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)
)";

namespace {
class Tuning : public testing::Test {
protected:
  Runtime runtime = makeRuntime();
  Device device = runtime.open("cpu");
  Stream stream = device.createStream();
  Kernel kernel = runtime.loadText("accumulate.py", kAccumulate, "accumulate");
  std::vector<float> ones = std::vector<float>(100, 1.0f);
  Buffer<float> x{stream, ones}, out{stream, ones};

  TuneConfig make(int block, uint32_t warps = 4) const {
    return makeTuneConfig({(100 + block - 1) / block}, {.numWarps = warps}, x, out, 100, block);
  }
  static TuneOptions quick() { return {.warmupMilliseconds = 1, .repMilliseconds = 1}; }
};
} // namespace

TEST_F(Tuning, MemoryIsAsItWas) {
  const TuneConfig configs[] = {make(16), make(64)};
  TuneOptions options = quick();
  options.memory = {restoredAfterRuns(out)};
  TuneResult result = runtime.tune(stream, kernel, configs, options);
  EXPECT_LT(result.best, 2u);
  EXPECT_GT(result.milliseconds, 0);
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(out.read(), ones);
  options.memory = {clearedBeforeRuns(out)};
  runtime.tune(stream, kernel, configs, options);
  EXPECT_EQ(out.read(), ones); // One run's sum on zeros.
}

TEST_F(Tuning, FailuresAreToldAndSkipped) {
  const TuneConfig configs[] = {make(1 << 21), make(16, 3), make(32)};
  std::map<uint32_t, std::string> told;
  TuneOptions options = quick();
  options.memory = {restoredAfterRuns(out)};
  options.progress = [&](const TilerunTuneProgress &progress) {
    EXPECT_EQ(progress.num_configs, 3u);
    EXPECT_EQ(progress.best, progress.index < 2 ? 3u : 2u);
    told[progress.index] = progress.message;
  };
  TuneResult result = runtime.tune(stream, kernel, configs, options);
  EXPECT_EQ(result.best, 2u);
  EXPECT_EQ(result.failed, 2u);
  EXPECT_CONTAINS(told[0], "the range has 2097152 elements, more than 1048576");
  EXPECT_CONTAINS(told[1], "num_warps is 3");
  EXPECT_EQ(told[2], "");
  EXPECT_EQ(out.read(), ones);
}

TEST_F(Tuning, NoneWorks) {
  const TuneConfig configs[] = {make(1 << 21), make(1 << 22)};
  Error error = getError([&] { runtime.tune(stream, kernel, configs, quick()); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
  EXPECT_CONTAINS(error.what(), "none of 2 configurations works; the first one: ");
  EXPECT_CONTAINS(error.what(), "accumulate.py:7:");
  error = getError([&] { runtime.tune(stream, kernel, {}, quick()); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
}

TEST_F(Tuning, HooksStandAroundEachRun) {
  TuneConfig config = make(16);
  TilerunCompileOptions compile = config.options.get();
  TilerunTuneConfig given = {
      sizeof(given), {7, 1, 1}, kernel.get(), &compile, config.arguments.data(), 4, 0};
  int counts[2] = {0, 0};
  TilerunTuneOptions options = {};
  options.struct_size = sizeof(options);
  options.warmup_ms = options.rep_ms = 1;
  options.user = counts;
  options.before = [](void *user, uint32_t) -> TilerunStatus {
    return ++static_cast<int *>(user)[0], TILERUN_STATUS_OK;
  };
  options.after = [](void *user, uint32_t) -> TilerunStatus {
    return ++static_cast<int *>(user)[1], TILERUN_STATUS_OK;
  };
  TilerunTuneResult result = {};
  result.struct_size = sizeof(result);
  check(tilerunTuneKernel(runtime.get(), stream.get(), &given, 1, &options, &result));
  // The first run and a measured one; more if they take less than a millisecond.
  EXPECT_GE(counts[0], 2);
  EXPECT_EQ(counts[0], counts[1]);
  options.before = [](void *, uint32_t) -> TilerunStatus { return TILERUN_STATUS_INTERNAL; };
  EXPECT_EQ(tilerunTuneKernel(runtime.get(), stream.get(), &given, 1, &options, &result),
            TILERUN_STATUS_INTERNAL);
  EXPECT_CONTAINS(tilerunGetErrorMessage(), "the caller's hook ended");
}

TEST_F(Tuning, HooksInCpp) {
  const TuneConfig configs[] = {make(16), make(64)};
  int running = -1, runs = 0;
  TuneOptions options = quick();
  options.memory = {restoredAfterRuns(out)};
  options.before = [&](uint32_t config) {
    EXPECT_EQ(running, -1);
    running = static_cast<int>(config);
    return config == 1;
  };
  options.after = [&](uint32_t config) {
    EXPECT_EQ(running, static_cast<int>(config));
    running = -1;
    return ++runs > 0;
  };
  options.progress = [&](const TilerunTuneProgress &progress) {
    EXPECT_EQ(progress.status, progress.index ? TILERUN_STATUS_OK : TILERUN_STATUS_INTERNAL);
    running = -1;
  };
  TuneResult result = runtime.tune(stream, kernel, configs, options);
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.failed, 1u);
  EXPECT_GE(runs, 2);
  EXPECT_EQ(out.read(), ones);
}

TEST_F(Tuning, BadCallsAreRefused) {
  TilerunTuneResult result = {};
  result.struct_size = sizeof(result);
  TilerunTuneConfig config = {sizeof(config), {1, 1, 1}, nullptr, nullptr, nullptr, 0, 0};
  auto refused = [&](const TilerunTuneConfig *configs, uint32_t count,
                     const TilerunTuneOptions *options, const char *part) {
    EXPECT_EQ(tilerunTuneKernel(runtime.get(), stream.get(), configs, count, options, &result),
              TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(tilerunGetErrorMessage(), part);
  };
  refused(nullptr, 1, nullptr, "configs is null");
  refused(&config, 1, nullptr, "configs[0] lacks kernel or arguments");
  refused(&config, 0, nullptr, "tuning needs at least one configuration");
  config.kernel = kernel.get();
  TilerunTuneOptions options = {};
  refused(&config, 1, &options, "struct_size is 0");
  options.struct_size = sizeof(options);
  options.flags = 8;
  refused(&config, 1, &options, "options->flags has 8");
  options.flags = 0;
  options.num_threads = 1025;
  refused(&config, 1, &options, "num_threads is 1025");
  options.num_threads = 0;
  options.reserved2 = 5;
  refused(&config, 1, &options, "options: reserved is 5, not 0");
  options.reserved2 = 0;
  options.num_memory = 1;
  refused(&config, 1, &options, "num_memory is 1, but memory is null");
  TilerunTuneMemory memory = {sizeof(memory), 1, 0, 5};
  options.memory = &memory;
  refused(&config, 1, &options, "memory[0] has bytes, but no address");
}

TEST_F(Tuning, ProgressTellsHowFarItIs) {
  const TuneConfig configs[] = {make(16), make(1 << 21), make(64, 4), make(32)};
  TuneOptions options = quick();
  options.threads = 3;
  std::vector<TilerunTuneProgress> all;
  options.progress = [&](const TilerunTuneProgress &progress) { all.push_back(progress); };
  TuneResult result = runtime.tune(stream, kernel, configs, options);
  ASSERT_EQ(all.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i].index, i); // On the CPU all are compiled before.
    EXPECT_EQ(all[i].num_done, i + 1);
    EXPECT_EQ(all[i].num_compiled, 4u);
    EXPECT_EQ(all[i].pruned, 0u);
    EXPECT_GE(all[i].elapsed_ms, i ? all[i - 1].elapsed_ms : 0);
    EXPECT_GE(all[i].remaining_ms, 0);
  }
  EXPECT_GT(all[0].remaining_ms, 0);
  EXPECT_EQ(all[3].remaining_ms, 0);
  EXPECT_EQ(all[3].best, result.best);
  EXPECT_EQ(all[3].best_milliseconds, result.milliseconds);
}

TEST_F(Tuning, TheLogIsToldByTheCallingThread) {
  std::string source = kAccumulate;
  source.insert(source.find("    i = "), "    tl.static_print('block', BLOCK)\n");
  struct Told {
    std::thread::id own = std::this_thread::get_id();
    std::vector<std::string> texts;
    bool isElsewhere = false;
  } told;
  TilerunRuntimeOptions given = {};
  given.struct_size = sizeof(given);
  given.cache_folder = "";
  given.user = &told;
  given.log = [](void *user, int32_t, const char *text) {
    auto &told = *static_cast<Told *>(user);
    told.isElsewhere |= std::this_thread::get_id() != told.own;
    told.texts.emplace_back(text);
  };
  Runtime own(given);
  Kernel loaded = own.loadText("accumulate.py", source, "accumulate");
  const TuneConfig configs[] = {make(16), make(32), make(64), make(128)};
  TuneOptions options = quick();
  options.threads = 4;
  own.tune(stream, loaded, configs, options);
  EXPECT_FALSE(told.isElsewhere);
  EXPECT_EQ(told.texts,
            (std::vector<std::string>{"block 16\n", "block 32\n", "block 64\n", "block 128\n"}));
}

TEST_F(Tuning, CompilesAlone) {
  const TuneConfig configs[] = {make(1 << 21), make(64), make(32)};
  TuneOptions options = quick();
  options.compileOnly = true;
  options.before = [](uint32_t) {
    ADD_FAILURE() << "a hook was called";
    return true;
  };
  TuneResult result = runtime.tune(stream, kernel, configs, options);
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(result.milliseconds, 0);
  EXPECT_FALSE(result.fromCache);
  EXPECT_EQ(out.read(), ones);
}

TEST_F(Tuning, ACallerThatWaitsCanEndIt) {
  // Each is compiled for itself, and takes some time.
  constexpr uint32_t kConfigs = 60;
  std::string source = kAccumulate;
  source.replace(source.find("BLOCK: tl"), 5, "BLOCK: tl.constexpr, NUMBER");
  source += "    for k in tl.static_range(400):\n"
            "        tl.store(out + i, tl.load(out + i) * (k + NUMBER))\n";
  Kernel slow = runtime.loadText("slow.py", source, "accumulate");
  std::vector<TuneConfig> configs;
  for (uint32_t i = 0; i < kConfigs; ++i)
    configs.push_back(makeTuneConfig({1}, {}, x, out, 100, 16, i));
  TuneOptions options = quick();
  options.threads = 2;
  options.waiting = [&](const TilerunTuneProgress &progress) {
    EXPECT_EQ(progress.index, kConfigs);
    EXPECT_EQ(progress.status, TILERUN_STATUS_NOT_READY);
    EXPECT_EQ(progress.num_done, 0u);
    EXPECT_LT(progress.num_compiled, kConfigs);
    return false;
  };
  Error error = getError([&] { runtime.tune(stream, slow, configs, options); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INTERNAL);
  EXPECT_CONTAINS(error.what(), "the caller ended the tuning");
  EXPECT_EQ(out.read(), ones);
}

TEST_F(Tuning, LaunchesHaveFlagsAndRanges) {
  const int64_t shape[] = {100}, strides[] = {1};
  auto rangeOf = [&](const std::vector<float> &array) {
    return TilerunMemoryRange{reinterpret_cast<uintptr_t>(array.data()), 400, shape, strides, 1, 0};
  };
  auto pointerTo = [](std::vector<float> &array) {
    return Pointer<float>{reinterpret_cast<uintptr_t>(array.data())};
  };
  TilerunDeviceOptions opening = {sizeof(opening), TILERUN_DEVICE_HOST_MEMORY, 0};
  Device shared = runtime.open("cpu", opening);
  Stream own = shared.createStream();
  // More than an unchecked launch reads past its end.
  std::vector<float> in(228, 1), to(228, 1);
  const TilerunMemoryRange ranges[5] = {rangeOf(in), rangeOf(to)};
  std::vector<std::string> told;
  TuneOptions options = quick();
  options.memory = {{sizeof(TilerunTuneMemory), 1, reinterpret_cast<uintptr_t>(to.data()), 912}};
  options.progress = [&](const TilerunTuneProgress &progress) {
    told.emplace_back(progress.message);
  };
  auto tune = [&](CompileOptions compile) {
    told.clear();
    // The first one's n is more than the tensors have.
    const TuneConfig configs[] = {
        makeTuneConfig({2}, compile, pointerTo(in), pointerTo(to), 128, 64),
        makeTuneConfig({2}, compile, pointerTo(in), pointerTo(to), 100, 64)};
    return runtime.tune(own, kernel, configs, options);
  };
  TuneResult result = tune({.ranges = std::span(ranges).first(4)});
  EXPECT_EQ(result.best, 1u);
  EXPECT_EQ(result.failed, 1u);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_CONTAINS(told[0], "accumulate.py:8:23: read of 4 bytes at 'out'[100], outside of its "
                           "shape [100]; is the mask too wide?");
  EXPECT_EQ(told[1], "");
  EXPECT_EQ(to, std::vector<float>(228, 1));
  EXPECT_EQ(tune({.boundsChecks = false, .ranges = std::span(ranges).first(4)}).failed, 0u);
  EXPECT_EQ(tune({}).failed, 0u); // Nobody knows these arrays.
  EXPECT_EQ(getError([&] { tune({.ranges = ranges}); }).what(),
            std::string("5 ranges for 4 arguments"));
  // So have launches in C++.
  Error error = getError([&] {
    kernel.launchWith(own, {2}, {.ranges = std::span(ranges).first(4)}, pointerTo(in),
                      pointerTo(to), 128, 64);
    own.synchronize();
  });
  EXPECT_EQ(error.status(), TILERUN_STATUS_FAULT);
}

TEST_F(Tuning, BadLaunchesAreRefused) {
  const TuneConfig made = make(64);
  TilerunTuneConfig config = {
      sizeof(config), {2, 1, 1}, kernel.get(), nullptr, made.arguments.data(), 4, 0};
  TilerunMemoryRange ranges[4] = {};
  TilerunTuneLaunch launch = {sizeof(launch), 0, ranges};
  const TilerunTuneLaunch *launches[] = {&launch};
  TilerunTuneOptions options = {};
  options.struct_size = sizeof(options);
  options.warmup_ms = options.rep_ms = 1;
  options.launches = launches;
  TilerunTuneResult result = {};
  result.struct_size = sizeof(result);
  auto tune = [&] {
    return tilerunTuneKernel(runtime.get(), stream.get(), &config, 1, &options, &result);
  };
  auto refused = [&](const char *part) {
    EXPECT_EQ(tune(), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(tilerunGetErrorMessage(), part);
  };
  check(tune());
  launch.flags = 4;
  refused("launches[0].flags are 4; 1, 2 and 8 are the only ones");
  launch.flags = 0;
  ranges[1].reserved = 3;
  refused("launches[0].ranges[1]: reserved is 3, not 0");
  launch.struct_size = 8;
  refused("launches[0]->struct_size is 8");
  // An older caller's struct has only the fields of version 1.6.
  options.struct_size = offsetof(TilerunTuneOptions, launches);
  check(tune());
  options.struct_size -= 8;
  refused("struct_size is 64");
}

TEST_F(Tuning, ChoicesAreKept) {
  std::random_device random;
  auto folder = std::filesystem::temp_directory_path() /
                ("tilerun-tuning-" + std::to_string(random()) + std::to_string(random()));
  TilerunRuntimeOptions given = {};
  given.struct_size = sizeof(given);
  given.cache_folder = folder.c_str();
  const TuneConfig configs[] = {make(16), make(64)};
  auto tune = [&](TuneOptions options, std::span<const TuneConfig> some) {
    Runtime own(given);
    Kernel loaded = own.loadText("accumulate.py", kAccumulate, "accumulate");
    return own.tune(stream, loaded, some, options);
  };
  TuneResult first = tune(quick(), configs), again = tune(quick(), configs);
  EXPECT_FALSE(first.fromCache);
  EXPECT_TRUE(again.fromCache);
  EXPECT_EQ(again.best, first.best);
  EXPECT_EQ(again.milliseconds, first.milliseconds);
  // Another key is another entry.
  EXPECT_FALSE(tune(quick(), std::span(configs).first(1)).fromCache);
  TuneOptions other = quick();
  other.key = "n=100";
  EXPECT_FALSE(tune(other, configs).fromCache);
  EXPECT_TRUE(tune(other, configs).fromCache);
  other.refresh = true;
  EXPECT_FALSE(tune(other, configs).fromCache);
  other = quick();
  other.forget = true;
  EXPECT_FALSE(tune(other, configs).fromCache);
  std::filesystem::remove_all(folder);
}

TEST_F(Tuning, WhatAHookEndedIsNotKept) {
  // As an interrupt does: some configurations were never measured.
  std::random_device random;
  auto folder = std::filesystem::temp_directory_path() /
                ("tilerun-ended-" + std::to_string(random()) + std::to_string(random()));
  TilerunRuntimeOptions given = {};
  given.struct_size = sizeof(given);
  given.cache_folder = folder.c_str();
  const TuneConfig made[] = {make(16), make(64)};
  auto tune = [&](bool ended) {
    Runtime own(given);
    Kernel loaded = own.loadText("accumulate.py", kAccumulate, "accumulate");
    TilerunCompileOptions compile = made[0].options.get();
    TilerunTuneConfig configs[2];
    for (int i = 0; i < 2; ++i)
      configs[i] = {
          sizeof(configs[i]), {7, 1, 1}, loaded.get(), &compile, made[i].arguments.data(), 4, 0};
    TilerunTuneOptions options = {};
    options.struct_size = sizeof(options);
    options.warmup_ms = options.rep_ms = 1;
    options.user = &ended;
    options.before = [](void *user, uint32_t config) -> TilerunStatus {
      return config == 1 && *static_cast<bool *>(user) ? TILERUN_STATUS_INTERNAL
                                                       : TILERUN_STATUS_OK;
    };
    TilerunTuneResult result = {};
    result.struct_size = sizeof(result);
    check(tilerunTuneKernel(own.get(), stream.get(), configs, 2, &options, &result));
    return result;
  };
  TilerunTuneResult ended = tune(true);
  EXPECT_EQ(ended.best, 0u);
  EXPECT_EQ(ended.num_failed, 1u);
  EXPECT_FALSE(tune(false).from_cache);
  EXPECT_TRUE(tune(false).from_cache);
  std::filesystem::remove_all(folder);
}

//===----------------------------------------------------------------------===//
// Sources, stages, names, host memory
//===----------------------------------------------------------------------===//

static TilerunSource makeSource(const char *module, const char *path, const std::string &text) {
  return {sizeof(TilerunSource), 0, module, path, text.c_str(), text.size()};
}

TEST(Sources, ImportsFindTheOthersAndNothingElse) {
  Runtime runtime = makeRuntime();
  std::string kernel = "@triton.jit\ndef k(out):\n    tl.store(out, helper(1))\n"
                       "import triton.language as tl\nfrom _two import helper\n";
  std::string two =
      "\n\n@triton.jit\ndef helper(x):\n    return x + AMOUNT\nfrom _three import AMOUNT\n";
  std::string three = "AMOUNT = 41\n";
  const TilerunSource sources[] = {makeSource("_one", "a.py", kernel),
                                   makeSource("_two", "a.py", two),
                                   makeSource("_three", "c.py", three)};
  TilerunKernel *handle = nullptr;
  check(tilerunLoadKernelSources(runtime.get(), sources, 3, "k", &handle));
  Kernel loaded(handle);
  Stream stream = runtime.open("cpu").createStream();
  Buffer<int32_t> out(stream, 1);
  loaded.launch(stream, {1}, out);
  EXPECT_EQ(out.read()[0], 42);

  check(tilerunLoadKernelSources(runtime.get(), sources, 2, "k", &handle));
  Error error = getError([&] { Kernel(handle).launch(stream, {1}, out); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
  EXPECT_CONTAINS(error.what(), "a.py:5:");
  EXPECT_CONTAINS(error.what(), "AMOUNT");

  EXPECT_EQ(tilerunLoadKernelSources(runtime.get(), sources, 0, "k", &handle),
            TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(tilerunLoadKernelSources(runtime.get(), sources, 3, "none", &handle),
            TILERUN_STATUS_NOT_FOUND);
  TilerunSource bad = sources[0];
  bad.path = nullptr;
  EXPECT_EQ(tilerunLoadKernelSources(runtime.get(), &bad, 1, "k", &handle),
            TILERUN_STATUS_INVALID_ARGUMENT);
}

TEST(Stages, TextOfATargetThatIsNotHere) {
  Runtime runtime = makeRuntime();
  Kernel kernel = runtime.loadText("accumulate.py", kAccumulate, "accumulate");
  const char *signature = "x=*fp32:16, out=*fp32:16, n=i32, BLOCK=128";
  auto emit = [&](const char *target, const char *stage) {
    std::string text;
    check(tilerunEmitKernel(
        runtime.get(), kernel.get(), target, signature, nullptr, stage,
        [](void *user, const TilerunPluginArtifact *artifact) {
          static_cast<std::string *>(user)->assign(reinterpret_cast<const char *>(artifact->bytes),
                                                   artifact->num_bytes);
        },
        &text));
    return text;
  };
  EXPECT_CONTAINS(emit("cuda:sm_90a", "ptx"), ".target sm_90a");
  EXPECT_CONTAINS(emit("cuda:sm_80", "tile"), "tile.load");
  EXPECT_FALSE(emit("cpu:interpreter", "").empty());
  Error error = getError([&] { emit("abacus:1", "tile"); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_UNAVAILABLE);
  EXPECT_CONTAINS(error.what(), "no plugin compiles for 'abacus:1'; plugins compile for 'cpu'");
  EXPECT_CONTAINS(getError([&] { emit("cuda:sm_90a", "poem"); }).what(), "'poem'");

  // From tile IR, which has one signature.
  const std::string tile = emit("cuda:sm_90a", "tile");
  kernel = runtime.loadBytecode({reinterpret_cast<const uint8_t *>(tile.data()), tile.size()},
                                "accumulate");
  error = getError([&] { emit("cuda:sm_90a", "ptx"); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_CONTAINS(error.what(), "is tile IR, which has one signature: give none");
  signature = "";
  EXPECT_CONTAINS(emit("cuda:sm_90a", "tile"), "tile.load");
  EXPECT_EQ(emit("cuda:sm_90a", "writes"), "out\n");
  EXPECT_CONTAINS(emit("cuda:sm_90a", "ptx"), ".entry accumulate(");
}

TEST(Language, NamesAreListed) {
  std::map<std::string, std::string> kinds;
  auto list = [&](const char *path) {
    kinds.clear();
    check(tilerunListLanguage(
        path,
        [](void *user, const TilerunLanguageName *name) {
          (*static_cast<std::map<std::string, std::string> *>(user))[name->name] = name->kind;
        },
        &kinds));
  };
  list("triton.language");
  EXPECT_EQ(kinds["load"], "function");
  EXPECT_EQ(kinds["softmax"], "function");
  EXPECT_EQ(kinds["float32"], "dtype");
  EXPECT_EQ(kinds["math"], "namespace");
  EXPECT_EQ(kinds["TRITON_MAX_TENSOR_NUMEL"], "constant");
  list("triton.language.extra.libdevice");
  EXPECT_EQ(kinds["tanh"], "function");
  list("nothing");
  EXPECT_TRUE(kinds.empty());
}

TEST(HostMemory, IsUsedInPlace) {
  Runtime runtime = makeRuntime();
  TilerunDeviceOptions options = {sizeof(options), TILERUN_DEVICE_HOST_MEMORY, 0};
  Device device = runtime.open("cpu", options);
  Stream stream = device.stream();
  Kernel kernel = runtime.loadText("accumulate.py", kAccumulate, "accumulate");
  std::vector<float> x(50, 2), out(50, 1);
  Pointer<float> in{reinterpret_cast<uintptr_t>(x.data())};
  Pointer<float> to{reinterpret_cast<uintptr_t>(out.data())};
  kernel.launch(stream, {1}, in, to, 50, 64);
  stream.synchronize();
  EXPECT_EQ(out, std::vector<float>(50, 3));
  // Tuning restores the host's memory, too.
  const TuneConfig configs[] = {makeTuneConfig({1}, {}, in, to, 50, 64),
                                makeTuneConfig({4}, {}, in, to, 50, 16)};
  TuneOptions tuning = {.warmupMilliseconds = 1, .repMilliseconds = 1};
  tuning.memory = {{sizeof(TilerunTuneMemory), 1, to.address, 200}};
  runtime.tune(stream, kernel, configs, tuning);
  EXPECT_EQ(out, std::vector<float>(50, 3));

  Error error = getError([&] { runtime.open("cuda", options); });
  EXPECT_EQ(error.status(), TILERUN_STATUS_UNSUPPORTED);
  EXPECT_CONTAINS(error.what(), "cannot use the host's memory");
}
