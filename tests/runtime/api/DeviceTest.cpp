// The public API on a device whose work really runs later than the calls return: values of every
// kind of scalar, the pool under many streams, memory that runs out, foreign streams, threads. The
// device is TILERUN_TEST_DEVICE (cpu if that is not set), so that the same program is carried to
// machines with a GPU.
#include <tilerun/tilerun.hpp>

#include <barrier>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace tilerun;

namespace {

constexpr const char *kSource = R"(import triton
import triton.language as tl


@triton.jit
def fill(out, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, value, mask=i < n)


@triton.jit
def add_to(out, a, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + value, mask=mask)


@triton.jit
def scalars(out, i, u, f, h, b, d, flag, wide: tl.int64):
    tl.store(out + 0, i)
    tl.store(out + 1, u)
    tl.store(out + 2, f)
    tl.store(out + 3, h)
    tl.store(out + 4, b)
    tl.store(out + 5, d)
    tl.store(out + 6, flag)
    tl.store(out + 7, wide * 1000000)


@triton.jit
def product(out, a, b, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def ids(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at, x + 100 * y + 10000 * z)
)";

class OnDevice : public testing::Test {
protected:
  static const char *getId() {
    const char *id = std::getenv("TILERUN_TEST_DEVICE");
    return id ? id : "cpu";
  }
  Kernel load(const std::string &name) { return runtime.loadText("device.py", kSource, name); }
  static Grid cover(size_t n) { return {static_cast<uint32_t>((n + 255) / 256)}; }

  Runtime runtime;
  Device device = runtime.open(getId());
  Stream stream = device.createStream();
};

TEST_F(OnDevice, ScalarsOfEveryType) {
  Kernel kernel = load("scalars");
  Buffer<double> out(stream, 8);
  kernel.launch(stream, {}, out, typed<int8_t>(-128), uint64_t(1) << 63, 0.1f, typed<Half>(0.1),
                typed<BFloat16>(0.1), 0.1, true, 3000);
  EXPECT_EQ(out.read(), (std::vector<double>{-128, 9223372036854775808.0, double(0.1f),
                                             0.0999755859375, 0.10009765625, 0.1, 1, 3e9}));
  kernel.launch(stream, {}, out, typed<int16_t>(-300), typed<uint8_t>(255), 0.5f,
                typed<Half>(-65504.0), typed<BFloat16>(3e38), -1e300, false, -1);
  std::vector<double> values = out.read();
  EXPECT_EQ(values[0], -300);
  EXPECT_EQ(values[1], 255);
  EXPECT_EQ(values[3], -65504);
  EXPECT_EQ(values[5], -1e300);
  EXPECT_EQ(values[6], 0);
  EXPECT_EQ(values[7], -1e6);
}

TEST_F(OnDevice, GridsOfThreeAxes) {
  Buffer<int32_t> out(stream, 5 * 3 * 2);
  load("ids").launch(stream, {5, 3, 2}, out);
  std::vector<int32_t> values = out.read();
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        EXPECT_EQ(values[static_cast<size_t>((z * 3 + y) * 5 + x)], x + 100 * y + 10000 * z);
}

// A float32 product without a word on precision is tf32 on NVIDIA GPUs, and exact elsewhere.
TEST_F(OnDevice, ProductsHaveTheTargetsPrecision) {
  constexpr size_t n = 32;
  Buffer<float> a(stream, std::vector<float>(n * n, 1 + 1.0f / 4096)),
      b(stream, std::vector<float>(n * n, 1.0f)), out(stream, n * n);
  load("product").launch(stream, {}, out, a, b, 32);
  bool isCuda = device.target().substr(0, 5) == "cuda:";
  EXPECT_EQ(out.read(), std::vector<float>(n * n, isCuda ? 32.0f : 32.0f + 32.0f / 4096));
}

// Memory is freed while work that uses it still runs, and is reused by others.
TEST_F(OnDevice, ThePoolKeepsStreamsApart) {
  bool isCpu = std::string(getId()).substr(0, 3) == "cpu";
  const int threads = 8, rounds = isCpu ? 10 : 100;
  const size_t most = isCpu ? 20000 : 4000000;
  Kernel fill = load("fill").bind("BLOCK=256"), addTo = load("add_to").bind("BLOCK=256");
  std::vector<std::thread> workers;
  for (int number = 0; number < threads; ++number)
    workers.emplace_back([&, number] {
      std::mt19937_64 random(static_cast<uint64_t>(number));
      Stream own = device.createStream(), other;
      for (int round = 0; round < rounds; ++round) {
        if (round % 8 == 0)
          other = device.createStream(); // The old one is destroyed with work in flight.
        size_t n = 1 + random() % most;
        int32_t value = static_cast<int32_t>(random() % 1000000);
        auto count = typed<int32_t>(static_cast<int32_t>(n));
        Buffer<int32_t> result(own, n);
        {
          Buffer<int32_t> temporary(own, n);
          fill.launch(own, cover(n), temporary, count, typed<int32_t>(value));
          addTo.launch(own, cover(n), result, temporary, count, typed<int32_t>(round));
        } // Freed in the order of the stream, at once.
        {
          Buffer<int32_t> noise(other, n);
          fill.launch(other, cover(n), noise, count, typed<int32_t>(-1));
        }
        std::vector<int32_t> values = result.read();
        for (size_t i = 0; i < n; i += 1 + i / 16)
          ASSERT_EQ(values[i], value + round)
              << "thread " << number << ", round " << round << ", element " << i << " of " << n;
        ASSERT_EQ(values[n - 1], value + round);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  device.synchronize();
  EXPECT_EQ(device.memory().bytes_allocated, 0u);
  EXPECT_GT(device.memory().num_reused, device.memory().num_driver_allocations);
}

TEST_F(OnDevice, MemoryRunsOutAndComesBack) {
  if (std::string(getId()).substr(0, 3) == "cpu") {
    // The host's memory would run out; one request that is too large has the same effect.
    TilerunAddress address = 0;
    EXPECT_EQ(tilerunAllocate(stream.get(), uint64_t(1) << 60, &address),
              TILERUN_STATUS_OUT_OF_MEMORY);
  } else {
    uint64_t total = device.number(TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL), taken = 0;
    std::vector<TilerunAddress> blocks;
    const uint64_t size = total / 16;
    for (TilerunAddress address = 0;
         tilerunAllocate(stream.get(), size, &address) == TILERUN_STATUS_OK; taken += size)
      blocks.push_back(address);
    EXPECT_EQ(tilerunGetError(nullptr), TILERUN_STATUS_OUT_OF_MEMORY) << tilerunGetErrorMessage();
    EXPECT_GT(taken, total / 2);
    for (TilerunAddress address : blocks)
      check(tilerunFree(stream.get(), address));
    // Of another size: free memory must be given back first.
    TilerunAddress large = 0;
    check(tilerunAllocate(stream.get(), taken - size, &large));
    check(tilerunFree(stream.get(), large));
    device.trimMemory();
    EXPECT_EQ(device.memory().bytes_held, 0u);
  }
  Buffer<int32_t> out(stream, 100);
  load("fill").launch(stream, {1}, out, 100, 42, 256);
  EXPECT_EQ(out.read(), std::vector<int32_t>(100, 42));
}

TEST_F(OnDevice, SixtyFourThreadsWithOneNewKernel) {
  Kernel fill = load("fill");
  constexpr int kThreads = 64;
  std::barrier start(kThreads);
  std::vector<std::thread> workers;
  for (int number = 0; number < kThreads; ++number)
    workers.emplace_back([&, number] {
      Stream own = device.createStream();
      Buffer<int32_t> out(own, 64);
      start.arrive_and_wait();
      fill.launch(own, {1}, out, 64, typed<int32_t>(number), 64);
      EXPECT_EQ(out.read(), std::vector<int32_t>(64, number));
    });
  for (std::thread &worker : workers)
    worker.join();
}

TEST_F(OnDevice, EventsMeasureAndForeignStreamsWork) {
  Kernel fill = load("fill");
  const size_t n = 1 << 16;
  Buffer<int32_t> out(stream, n);
  Event start = device.createEvent(), end = device.createEvent();
  auto count = typed<int32_t>(static_cast<int32_t>(n));
  fill.launch(stream, cover(n), out, count, 1, 256);
  start.record(stream);
  for (int i = 0; i < 10; ++i)
    fill.launch(stream, cover(n), out, count, 5, 256);
  end.record(stream);
  EXPECT_GT(start.millisecondsTo(end), 0.0);
  if (uint64_t native = stream.native()) {
    Stream adopted = device.adoptStream(native);
    fill.launch(adopted, cover(n), out, count, 6, 256);
    EXPECT_EQ(out.read(), std::vector<int32_t>(n, 6));
  }
  Stream second = device.createStream();
  second.wait(end);
  second.synchronize();
}

TEST_F(OnDevice, CopiesBetweenDevicesAndHost) {
  Device cpu = runtime.open("cpu"), again = runtime.open(getId());
  Stream host = cpu.createStream(), other = again.createStream();
  std::vector<int32_t> values(3000000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i * 2654435761u);
  Buffer<int32_t> a(host, values), b(stream, values.size()), c(other, values.size()),
      d(host, values.size());
  b.copyFrom(a);
  c.copyFrom(b);
  b.fillZero();
  d.copyFrom(c);
  EXPECT_TRUE(d.read() == values);
  EXPECT_EQ(b.read(), std::vector<int32_t>(values.size()));
}

TEST_F(OnDevice, MistakesAreCaughtBeforeTheDevice) {
  Kernel fill = load("fill");
  Buffer<int32_t> out(stream, 100);
  const uint32_t grid[3] = {1, 1, 1};
  auto launch = [&](TilerunArgument target, const uint32_t *programs) {
    TilerunArgument all[] = {target, makeArgument(100), makeArgument(7), makeArgument(256)};
    TilerunLaunchOptions options = {
        sizeof(options), {programs[0], programs[1], programs[2]}, nullptr, 0, 0, nullptr};
    return tilerunLaunch(stream.get(), fill.get(), &options, all, 4);
  };
  alignas(16) static int32_t onHost[4];
  EXPECT_EQ(launch(makeArgument(Pointer<int32_t>{reinterpret_cast<uint64_t>(onHost)}), grid),
            TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(tilerunGetErrorMessage()).find("parameter 'out'"), std::string::npos)
      << tilerunGetErrorMessage();
  const uint32_t none[3] = {1, 0, 1};
  EXPECT_EQ(launch(makeArgument(out), none), TILERUN_STATUS_INVALID_ARGUMENT);
  TilerunAddress freed = 0;
  check(tilerunAllocate(stream.get(), 100, &freed));
  check(tilerunFree(stream.get(), freed));
  EXPECT_EQ(launch(makeArgument(Pointer<int32_t>{freed}), grid), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(launch(makeArgument(out), grid), TILERUN_STATUS_OK) << tilerunGetErrorMessage();
  EXPECT_EQ(out.read(), std::vector<int32_t>(100, 7));
  EXPECT_FALSE(device.isLost());
}

} // namespace
