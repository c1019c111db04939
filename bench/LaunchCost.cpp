// The host's cost of a launch: through the C++ API, and by cuLaunchKernel itself in the same
// program, context and stream. Prints both and their ratio; of devices that are not CUDA's, the
// first alone. Usage: launch-cost [DEVICE]
//
// The driver is opened at run time, as the plugin does it (TILERUN_CUDA_DRIVER names another one).
// Rounds of the two alternate; a round is short enough for the driver's queue, and the median of
// the rounds counts, so that neither a full queue nor another process decides.
#include <tilerun/tilerun.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

namespace {

// The kernel of both sides. The fake driver of the tests knows one of this name and meaning.
constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)
)";
constexpr const char *kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry tilerun_test_add(
  .param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n
)
{
  ret;
}
)";

constexpr int kLaunches = 400; // Of a round.
constexpr int kRounds = 101;
constexpr uint32_t kElements = 96;

// The driver functions that this program needs.
struct Driver {
  int (*setCurrent)(void *context);
  int (*loadModule)(void **module, const void *image, unsigned, int *, void **);
  int (*unloadModule)(void *module);
  int (*getFunction)(void **function, void *module, const char *name);
  int (*launch)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                unsigned blockY, unsigned blockZ, unsigned shared, void *stream, void **parameters,
                void **extra);
};

bool openDriver(Driver &driver) {
  const char *name = std::getenv("TILERUN_CUDA_DRIVER");
  void *library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  auto find = [&](auto &function, const char *symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    return function != nullptr;
  };
  // The fake driver has no cuCtxSetCurrent; pushing does the same here.
  return (find(driver.setCurrent, "cuCtxSetCurrent") ||
          find(driver.setCurrent, "cuCtxPushCurrent_v2")) &&
         find(driver.loadModule, "cuModuleLoadDataEx") &&
         find(driver.unloadModule, "cuModuleUnload") &&
         find(driver.getFunction, "cuModuleGetFunction") && find(driver.launch, "cuLaunchKernel");
}

// Microseconds of one launch in a round.
template <typename Launch> double measure(const tilerun::Stream &stream, const Launch &launch) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i)
    launch();
  auto end = std::chrono::steady_clock::now();
  stream.synchronize();
  return std::chrono::duration<double, std::micro>(end - start).count() / kLaunches;
}

double getMedian(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void require(int error, const char *call) {
  if (!error)
    return;
  std::fprintf(stderr, "launch-cost: %s gives error %d\n", call, error);
  std::exit(1);
}

} // namespace

static int run(const char *id) {
  tilerun::Runtime runtime;
  tilerun::Device device = runtime.open(id);
  tilerun::Stream stream = device.createStream();
  tilerun::Kernel add = runtime.loadText("launch-cost.py", kSource, "tilerun_test_add");
  std::vector<int32_t> ones(kElements, 1);
  tilerun::Buffer<int32_t> out(stream, kElements), a(stream, ones), b(stream, ones);
  auto launchOurs = [&] { add.launch(stream, {1}, out, a, b, kElements, 128); };
  tilerun::Specialization special =
      add.specialize(device, "out=*i32:16, a=*i32:16, b=*i32:16, n=i32:16, BLOCK=128");
  auto launchSpecial = [&] { special.launch(stream, {1}, out, a, b, kElements); };
  launchOurs();
  if (out.read() != std::vector<int32_t>(kElements, 2)) {
    std::fprintf(stderr, "launch-cost: the kernel's results are wrong\n");
    return 1;
  }

  if (std::string_view(id).substr(0, 4) != "cuda") {
    // Other drivers' own launches are not comparable: they record now and submit later.
    std::vector<double> ours, specialized;
    for (int i = 0; i < kRounds; ++i) {
      ours.push_back(measure(stream, launchOurs));
      specialized.push_back(measure(stream, launchSpecial));
    }
    std::printf("%s (%s), median of %d rounds of %d launches:\n", device.id().c_str(),
                device.name().c_str(), kRounds, kLaunches);
    std::printf("  Kernel::launch, specialized by call %7.3f us\n", getMedian(ours));
    std::printf("  Specialization::launch              %7.3f us\n", getMedian(specialized));
    return 0;
  }

  Driver driver = {};
  if (!openDriver(driver)) {
    std::fprintf(stderr, "launch-cost: the CUDA driver cannot be opened\n");
    return 1;
  }
  require(driver.setCurrent(reinterpret_cast<void *>(device.nativeContext())), "cuCtxSetCurrent");
  void *module = nullptr, *function = nullptr;
  require(driver.loadModule(&module, kPtx, 0, nullptr, nullptr), "cuModuleLoadDataEx");
  require(driver.getFunction(&function, module, "tilerun_test_add"), "cuModuleGetFunction");
  auto *native = reinterpret_cast<void *>(stream.native());
  struct {
    uint64_t out, a, b;
    uint32_t n;
  } values = {out.pointer().address, a.pointer().address, b.pointer().address, kElements};
  size_t size = 28;
  void *parameters[] = {&values.out, &values.a, &values.b, &values.n};
  void *extra[] = {reinterpret_cast<void *>(1), &values, reinterpret_cast<void *>(2), &size,
                   nullptr};
  int failure = 0;
  auto launchRaw = [&](void **params, void **packed) {
    return [&, params, packed] {
      failure |= driver.launch(function, 1, 1, 1, 128, 1, 1, 0, native, params, packed);
    };
  };
  auto launchParameters = launchRaw(parameters, nullptr), launchPacked = launchRaw(nullptr, extra);
  launchParameters();
  bool hasParameters = failure == 0; // The fake driver takes packed arguments only.
  failure = 0;

  for (int i = 0; i < 5; ++i) { // Warms up all of them.
    measure(stream, launchOurs);
    measure(stream, launchPacked);
  }
  std::vector<double> ours, specialized, raw, packed;
  for (int i = 0; i < kRounds; ++i) {
    ours.push_back(measure(stream, launchOurs));
    if (hasParameters)
      raw.push_back(measure(stream, launchParameters));
    specialized.push_back(measure(stream, launchSpecial));
    packed.push_back(measure(stream, launchPacked));
  }
  require(failure, "cuLaunchKernel");
  double base = getMedian(hasParameters ? raw : packed);
  std::printf("%s (%s), median of %d rounds of %d launches:\n", device.id().c_str(),
              device.name().c_str(), kRounds, kLaunches);
  if (hasParameters)
    std::printf("  cuLaunchKernel, kernelParams        %7.3f us\n", base);
  std::printf("  cuLaunchKernel, packed arguments    %7.3f us\n", getMedian(packed));
  std::printf("  Kernel::launch, specialized by call %7.3f us  %.3f x raw\n", getMedian(ours),
              getMedian(ours) / base);
  std::printf("  Specialization::launch              %7.3f us  %.3f x raw\n",
              getMedian(specialized), getMedian(specialized) / base);
  require(driver.unloadModule(module), "cuModuleUnload");
  return 0;
}

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : "cuda:0");
  } catch (const tilerun::Error &error) {
    std::fprintf(stderr, "launch-cost: %s\n", error.what());
    return 1;
  }
}
