// Operations that the API allows from any thread, at the same time: runtimes, plugins, devices,
// loading, compiling for this and other targets, launching, tuning and releasing, over one folder
// of kept artifacts. Results are compared; in the build with ThreadSanitizer it also reports
// unordered accesses.
#include "tests/runtime/api/ApiTest.h"

#include <atomic>
#include <barrier>
#include <filesystem>
#include <optional>
#include <random>
#include <thread>

using namespace tilerun;
using namespace tilerun::test;

namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def scale(x, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_print("factor", FACTOR)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)
)";

constexpr size_t kThreads = 8, kRounds = 24, kElements = 50;

/// Objects that all threads use. Members are used from any thread, except the numbers passed to
/// them.
class ApiThreads : public testing::Test {
protected:
  static std::string makeFolder() {
    std::string folder = testing::TempDir() + "/tilerun-threads-XXXXXX";
    EXPECT_TRUE(mkdtemp(folder.data()));
    return folder;
  }
  Runtime makeRuntimeWithCache() {
    setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
    return Runtime(TilerunRuntimeOptions{
        sizeof(TilerunRuntimeOptions), 0, nullptr, nullptr, folder.c_str(), this,
        [](void *user, int32_t, const char *text) {
          if (std::string_view(text).find("factor") != std::string_view::npos)
            ++static_cast<ApiThreads *>(user)->numPrinted;
        },
        0, 0});
  }
  ~ApiThreads() override { std::filesystem::remove_all(folder); }

  std::string emit(const Kernel &kernel, const char *target, const char *stage) const {
    std::string out;
    TilerunCompileOptions options = CompileOptions().get();
    check(tilerunEmitKernel(
        runtime.get(), kernel.get(), target, "x=*fp32:16, n=i32, FACTOR=3, BLOCK=64", &options,
        stage,
        [](void *user, const TilerunPluginArtifact *artifact) {
          static_cast<std::string *>(user)->assign(reinterpret_cast<const char *>(artifact->bytes),
                                                   artifact->num_bytes);
        },
        &out));
    return out;
  }

  // The jobs. `number` is the thread's, `round` counts its jobs.

  /// Some constants for all threads, so that several ask for the same code while it is compiled.
  void launchShared(size_t, size_t round) {
    const Device &device = round % 2 ? cpu : other;
    Stream stream = device.createStream();
    Buffer<float> x(stream, std::vector<float>(kElements, 2.0f));
    auto factor = static_cast<int>(2 + round % 5);
    shared.launch(stream, {2}, x, kElements, factor, 32);
    EXPECT_EQ(x.read(), std::vector<float>(kElements, 2.0f * static_cast<float>(factor)));
  }

  /// A kernel, a device and a specialization of its own, released in two orders.
  void loadAndUnload(size_t number, size_t round) {
    Kernel kernel = runtime.loadText("own" + std::to_string(round % 3) + ".py", kSource, "scale");
    Device device = runtime.open("cpu");
    Stream stream = device.createStream();
    Specialization special = kernel.specialize(device, "x=*fp32, n=i32, FACTOR=7, BLOCK=64");
    Kernel bound = kernel.bind("FACTOR=" + std::to_string(number) + ", BLOCK=64");
    Buffer<float> x(stream, std::vector<float>(kElements, 3.0f));
    if (round % 2)
      kernel = {};
    special.launch(stream, {1}, x, typed<int32_t>(kElements));
    device = {};
    EXPECT_EQ(x.read(), std::vector<float>(kElements, 21.0f));
    if (round % 3)
      special = {};
    bound.launch(stream, {1}, x, kElements);
    EXPECT_EQ(x.read(), std::vector<float>(kElements, 21.0f * static_cast<float>(number)));
  }

  void tune(size_t, size_t round) {
    Stream stream = cpu.createStream();
    std::vector<float> before(kElements, 5.0f);
    Buffer<float> x(stream, before);
    const TuneConfig configs[] = {makeTuneConfig({2}, {}, x, kElements, 2, 32),
                                  makeTuneConfig({1}, {.numWarps = 2}, x, kElements, 2, 64)};
    TuneOptions options = {.warmupMilliseconds = 1, .repMilliseconds = 1};
    options.key = std::to_string(round % 2);
    options.refresh = round % 3 == 0;
    options.memory = {restoredAfterRuns(x)};
    size_t told = 0;
    options.progress = [&](const TilerunTuneProgress &) { ++told; };
    TuneResult result = runtime.tune(stream, shared, configs, options);
    EXPECT_LT(result.best, 2u);
    EXPECT_EQ(result.failed, 0u);
    EXPECT_EQ(told, result.fromCache ? 0u : 2u);
    EXPECT_EQ(x.read(), before);
  }

  void makeAnotherRuntime(size_t, size_t) {
    std::optional<Runtime> mine = makeRuntimeWithCache();
    EXPECT_EQ(mine->compilerKey(), key);
    mine->loadPlugin(NULL_PLUGIN);
    EXPECT_EQ(mine->open("null:0").id(), "null:0");
    EXPECT_EQ(mine->plugins().size(), runtime.plugins().size() + 1);
    Device device = mine->open("cpu");
    Kernel kernel = mine->loadText("scale.py", kSource, "scale");
    Stream stream = device.createStream();
    mine.reset(); // Objects made from it stay valid.
    Buffer<float> x(stream, std::vector<float>(kElements, 2.0f));
    kernel.launch(stream, {2}, x, kElements, 4, 32);
    EXPECT_EQ(x.read(), std::vector<float>(kElements, 8.0f));
  }

  void listDevices(size_t, size_t) {
    bool isThere = false;
    for (const DeviceDescription &device : runtime.devices())
      isThere |= device.id == "cuda:1";
    EXPECT_TRUE(isThere);
    TilerunMemoryStatistics memory = cuda.memory();
    EXPECT_GE(memory.peak_allocated, memory.bytes_allocated);
    EXPECT_GE(memory.bytes_held, memory.bytes_allocated);
  }

  void emitForOthers(size_t, size_t round) {
    EXPECT_EQ(emit(shared, "cuda:sm_90a", "ptx"), ptx);
    if (round % 2)
      EXPECT_EQ(emit(shared, "cuda:sm_80", "tile"), tile);
  }

  /// On the fake driver, whose kernel adds; memory of the pool goes from stream to stream.
  void launchOnTheDriver(size_t number, size_t round) {
    Stream stream = cuda.createStream();
    size_t n = 1 + (number * 31 + round * 17) % 128;
    Buffer<int32_t> a(stream, std::vector<int32_t>(n, 3)), b(stream, std::vector<int32_t>(n, 4));
    Buffer<int32_t> out(stream, n);
    add.launch(stream, {1}, out, a, b, typed<int32_t>(static_cast<int32_t>(n)), 128);
    Event done = cuda.createEvent();
    done.record(stream);
    cuda.stream().wait(done);
    EXPECT_EQ(out.read(), std::vector<int32_t>(n, 7));
    if (round % 4 == 0)
      cuda.trimMemory();
  }

  /// Each thread sees its own mistake.
  void failToCompile(size_t number, size_t round) {
    std::string name = "unknown_" + std::to_string(number) + "_" + std::to_string(round);
    Kernel kernel = runtime.loadText(name + ".py",
                                     "import triton\nimport triton.language as tl\n@triton.jit\n"
                                     "def bad(out):\n    tl.store(out, " +
                                         name + ")\n",
                                     "bad");
    Stream stream = cpu.createStream();
    Buffer<float> out(stream, 1);
    Error error = getError([&] { kernel.launch(stream, {1}, out); });
    EXPECT_EQ(error.status(), TILERUN_STATUS_COMPILE);
    EXPECT_CONTAINS(error.what(), "'" + name + "'");
    EXPECT_CONTAINS(tilerunGetErrorMessage(), name);
  }

  const std::string folder = makeFolder();
  std::atomic<size_t> numPrinted = 0;
  Runtime runtime = makeRuntimeWithCache();
  Device cpu = runtime.open("cpu"), other = runtime.open("cpu"), cuda = runtime.open("cuda:0");
  Kernel shared = runtime.loadText("scale.py", kSource, "scale");
  Kernel add = runtime.loadText("add.py", kAddSource, "tilerun_test_add");
  const std::string key = runtime.compilerKey(), ptx = emit(shared, "cuda:sm_90a", "ptx"),
                    tile = emit(shared, "cuda:sm_80", "tile");
};

TEST_F(ApiThreads, EverythingAtOnce) {
  using Self = ApiThreads_EverythingAtOnce_Test;
  using Job = void (Self::*)(size_t, size_t);
  const Job jobs[] = {&Self::launchShared,       &Self::loadAndUnload, &Self::tune,
                      &Self::makeAnotherRuntime, &Self::listDevices,   &Self::emitForOthers,
                      &Self::launchOnTheDriver,  &Self::failToCompile};
  std::barrier start(static_cast<ptrdiff_t>(kThreads));
  std::vector<std::thread> threads;
  for (size_t number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      std::mt19937 random(static_cast<uint32_t>(number));
      start.arrive_and_wait();
      for (size_t round = 0; round < kRounds; ++round) {
        // The first job by all at once, then each in an order of its own.
        size_t job = round == 0 ? 0 : random() % std::size(jobs);
        try {
          (this->*jobs[job])(number, round);
        } catch (const Error &error) {
          ADD_FAILURE() << "job " << job << " of thread " << number << ", round " << round << ": "
                        << error.what();
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(numPrinted, 0u);
}

} // namespace
