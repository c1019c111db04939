// The self-test kernels of the null device.
#include "NullKernels.h"

#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>

namespace {

constexpr uint32_t kThreads = 128;

constexpr TilerunPluginParameter parameter(uint16_t kind, uint16_t bits, const char *name) {
  return {sizeof(TilerunPluginParameter), kind, bits, name};
}
constexpr TilerunPluginParameter pointer(const char *name) {
  return parameter(TILERUN_ARGUMENT_POINTER, 64, name);
}
constexpr TilerunPluginParameter integer(uint16_t bits, const char *name) {
  return parameter(TILERUN_ARGUMENT_INTEGER, bits, name);
}
constexpr TilerunPluginParameter floating(uint16_t bits, const char *name) {
  return parameter(TILERUN_ARGUMENT_FLOAT, bits, name);
}

// Takes one argument after the other from the packed bytes.
class Reader {
public:
  explicit Reader(const TilerunPluginLaunch &launch)
      : bytes(static_cast<const uint8_t *>(launch.arguments)) {}
  template <typename T> T next() {
    offset = (offset + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, bytes + offset, sizeof(T));
    offset += sizeof(T);
    return value;
  }
  template <typename T> T *nextPointer() {
    return reinterpret_cast<T *>(static_cast<uintptr_t>(next<uint64_t>()));
  }

private:
  const uint8_t *bytes;
  size_t offset = 0;
};

bool runAdd(const TilerunPluginLaunch &launch) {
  Reader reader(launch);
  auto *out = reader.nextPointer<int32_t>();
  auto *a = reader.nextPointer<const int32_t>();
  auto *b = reader.nextPointer<const int32_t>();
  int64_t n = reader.next<int32_t>();
  int64_t threads = int64_t(launch.grid[0]) * launch.threads;
  for (int64_t i = 0; i < n && i < threads; ++i)
    out[i] = static_cast<int32_t>(static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i]));
  return true;
}

bool runArguments(const TilerunPluginLaunch &launch) {
  Reader reader(launch);
  auto *out = reader.nextPointer<uint64_t>();
  out[0] = reader.next<uint8_t>();
  out[1] = reader.next<uint16_t>();
  out[2] = reader.next<uint32_t>();
  out[3] = reader.next<uint64_t>();
  out[4] = reader.next<uint16_t>();
  out[5] = reader.next<uint32_t>();
  out[6] = reader.next<uint64_t>();
  return true;
}

bool runGrid(const TilerunPluginLaunch &launch) {
  auto *out = Reader(launch).nextPointer<int32_t>();
  for (uint32_t z = 0; z < launch.grid[2]; ++z)
    for (uint32_t y = 0; y < launch.grid[1]; ++y)
      for (uint32_t x = 0; x < launch.grid[0]; ++x)
        *out++ = static_cast<int32_t>(x + (y << 10) + (z << 20));
  return true;
}

bool runDelay(const TilerunPluginLaunch &launch) {
  Reader reader(launch);
  auto *out = reader.nextPointer<int32_t>();
  std::this_thread::sleep_for(std::chrono::nanoseconds(reader.next<int64_t>()));
  ++*out;
  return true;
}

bool runPersistent(const TilerunPluginLaunch &launch) {
  auto *out = Reader(launch).nextPointer<int32_t>();
  const uint64_t *words = launch.derived[0];
  for (uint32_t program = 0; program < launch.grid[0]; ++program)
    for (uint64_t v = program; v < words[3]; v += launch.grid[0])
      out[v] = static_cast<int32_t>(program + 1);
  return true;
}

bool runCluster(const TilerunPluginLaunch &launch) {
  auto *out = Reader(launch).nextPointer<int32_t>();
  for (uint32_t x = 0; x < launch.grid[0]; ++x)
    out[x] = static_cast<int32_t>(x % launch.cluster[0]);
  return true;
}

bool runFault(const TilerunPluginLaunch &) { return false; }

constexpr TilerunPluginParameter kAdd[] = {pointer("out"), pointer("a"), pointer("b"),
                                           integer(32, "n")};
constexpr TilerunPluginParameter kArguments[] = {
    pointer("out"),     integer(8, "i8"),    integer(16, "i16"),  integer(32, "i32"),
    integer(64, "i64"), floating(16, "f16"), floating(32, "f32"), floating(64, "f64")};
constexpr TilerunPluginParameter kGrid[] = {pointer("out")};
constexpr TilerunPluginParameter kDelay[] = {pointer("out"), integer(64, "ns")};
constexpr TilerunPluginParameter kPersistent[] = {pointer("out"), integer(32, "n")};
constexpr TilerunPluginParameter kFault[] = {pointer("address")};

constexpr TilerunPluginStep kGridAndCount[] = {
    {TILERUN_STEP_GRID, 0, 0},     {TILERUN_STEP_WORD, 0, 0}, {TILERUN_STEP_GRID, 0, 1},
    {TILERUN_STEP_WORD, 0, 0},     {TILERUN_STEP_GRID, 0, 2}, {TILERUN_STEP_WORD, 0, 0},
    {TILERUN_STEP_ARGUMENT, 0, 1}, {TILERUN_STEP_GRID, 0, 0}, {TILERUN_STEP_GRID, 0, 1},
    {TILERUN_STEP_MULTIPLY, 0, 0}, {TILERUN_STEP_GRID, 0, 2}, {TILERUN_STEP_MULTIPLY, 0, 0},
    {TILERUN_STEP_MINIMUM, 0, 0},  {TILERUN_STEP_WORD, 0, 0}};
constexpr TilerunPluginDerived kGridWords = {sizeof(kGridWords),       4, "words", kGridAndCount,
                                             std::size(kGridAndCount), 0};
constexpr const TilerunPluginDerived *kDerived[] = {&kGridWords};
constexpr TilerunPluginKernelDetails kPersistentDetails = {
    sizeof(kPersistentDetails), 1, kDerived, 1, {}, TILERUN_GRID_PERSISTENT, 4};
constexpr TilerunPluginKernelDetails kClusterDetails = {
    sizeof(kClusterDetails), 0, nullptr, 1, {2, 1, 1}, TILERUN_GRID_AS_GIVEN, 0};

template <uint32_t count>
constexpr null::TestKernel
testKernel(const char *name, const TilerunPluginParameter (&parameters)[count], uint32_t threads,
           bool (*run)(const TilerunPluginLaunch &launch),
           const TilerunPluginKernelDetails *details = nullptr) {
  return {{sizeof(TilerunPluginKernelInfo), count, name, parameters, threads, 0}, details, run};
}

constexpr null::TestKernel kKernels[] = {
    testKernel("tilerun_test_add", kAdd, kThreads, runAdd),
    testKernel("tilerun_test_arguments", kArguments, 1, runArguments),
    testKernel("tilerun_test_grid", kGrid, 1, runGrid),
    testKernel("tilerun_test_delay", kDelay, 1, runDelay),
    testKernel("tilerun_test_fault", kFault, 1, runFault),
    testKernel("tilerun_test_persistent", kPersistent, 1, runPersistent, &kPersistentDetails),
    testKernel("tilerun_test_cluster", kGrid, 1, runCluster, &kClusterDetails),
};

} // namespace

const null::TestKernel *null::findTestKernel(std::string_view name) {
  for (const TestKernel &kernel : kKernels)
    if (kernel.info.name == name)
      return &kernel;
  return nullptr;
}

uint64_t null::getPackedBytes(const TilerunPluginKernelInfo &info) {
  uint64_t offset = 0;
  for (uint32_t i = 0; i < info.num_parameters; ++i) {
    uint64_t bytes = info.parameters[i].bits < 8 ? 1 : info.parameters[i].bits / 8;
    offset = (offset + bytes - 1) / bytes * bytes + bytes;
  }
  return offset;
}
