// Modules and launches: every kind of argument, grids, properties of kernels.
#include "tests/conformance/Suite.h"

#include <algorithm>
#include <bit>

using namespace tilerun;
using namespace tilerun::conformance;

static Outcome add(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_add", kernel, launch));
  for (int32_t n : {1, 31, 128, 1000, 100003}) {
    size_t bytes = static_cast<size_t>(n) * 4;
    std::vector<int32_t> a(n), b(n), out(n + 1, -7);
    for (int32_t i = 0; i < n; ++i) {
      a[i] = i * 3 - n;
      b[i] = INT32_MAX - i;
    }
    TilerunAddress pa, pb, po;
    TRY(c.allocate(bytes, pa));
    TRY(c.allocate(bytes, pb));
    TRY(c.allocate(bytes + 4, po));
    TRY(c.write(pa, a.data(), bytes));
    TRY(c.write(pb, b.data(), bytes));
    TRY(c.write(po, out.data(), bytes + 4));
    Arguments arguments;
    arguments.add(po).add(pa).add(pb).add(n).setIn(launch);
    launch.grid[0] = (static_cast<uint32_t>(n) + launch.threads - 1) / launch.threads;
    CALL(c, launch, kernel, nullptr, &launch);
    TRY(c.read(out.data(), po, bytes + 4));
    for (int32_t i = 0; i < n; ++i)
      EXPECT(out[i] ==
                 static_cast<int32_t>(static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i])),
             "n = " + std::to_string(n) + ", element " + std::to_string(i) + " is " +
                 std::to_string(out[i]));
    EXPECT(out[n] == -7, "the kernel wrote past its end");
  }
  return {};
}

static Outcome arguments(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_arguments", kernel, launch));
  TilerunAddress address;
  uint64_t out[7] = {};
  TRY(c.allocate(sizeof(out), address));
  const struct {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint16_t f16; // Its bits.
    float f32;
    double f64;
  } samples[] = {
      {1, 2, 3, 4, 0x3C00, 1.5f, 2.25},
      {-1, -2, -3, -4, 0xBC00, -1.5f, -0.0},
      {INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, 0x7E00, 1e-42f, 5e-324},
      {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX, 0x7BFF, 3.4e38f, 1.7e308},
  };
  for (const auto &s : samples) {
    Arguments packed;
    packed.add(address).add(s.i8).add(s.i16).add(s.i32).add(s.i64).add(s.f16).add(s.f32).add(s.f64);
    packed.setIn(launch);
    CALL(c, launch, kernel, nullptr, &launch);
    TRY(c.read(out, address, sizeof(out)));
    const uint64_t want[7] = {static_cast<uint8_t>(s.i8),
                              static_cast<uint16_t>(s.i16),
                              static_cast<uint32_t>(s.i32),
                              static_cast<uint64_t>(s.i64),
                              s.f16,
                              std::bit_cast<uint32_t>(s.f32),
                              std::bit_cast<uint64_t>(s.f64)};
    for (int i = 0; i < 7; ++i)
      EXPECT(out[i] == want[i], "argument " + std::to_string(i + 1) + " arrived as " +
                                    std::to_string(out[i]) + ", not " + std::to_string(want[i]));
  }
  return {};
}

static Outcome argumentsAreCopied(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_delay", kernel, launch));
  TilerunAddress address;
  TRY(c.allocate(4, address));
  CALL(c, fill, c.device, nullptr, address, 0, 4, 4);
  for (int i = 0; i < 4; ++i) {
    auto packed = std::make_unique<Arguments>();
    packed->add(address).add<int64_t>(1'000'000).setIn(launch);
    CALL(c, launch, kernel, nullptr, &launch);
  } // The packed bytes are gone, the launches may still wait.
  int32_t value = 0;
  TRY(c.read(&value, address, 4));
  EXPECT(value == 4, "a launch read its arguments too late");
  return {};
}

static Outcome grids(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_grid", kernel, launch));
  const uint32_t all[][3] = {{1, 1, 1}, {7, 1, 1},    {1, 5, 1},    {1, 1, 3},
                             {5, 3, 2}, {1000, 2, 1}, {3, 1000, 2}, {2, 2, 1000}};
  for (const auto &grid : all) {
    size_t count = size_t(grid[0]) * grid[1] * grid[2];
    std::vector<int32_t> out(count + 1, -1);
    TilerunAddress address;
    TRY(c.allocate(out.size() * 4, address));
    TRY(c.write(address, out.data(), out.size() * 4));
    Arguments packed;
    packed.add(address).setIn(launch);
    for (int axis = 0; axis < 3; ++axis)
      launch.grid[axis] = grid[axis];
    CALL(c, launch, kernel, nullptr, &launch);
    TRY(c.read(out.data(), address, out.size() * 4));
    size_t i = 0;
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x, ++i)
          EXPECT(out[i] == static_cast<int32_t>(x + 1024 * y + 1048576 * z),
                 "program " + std::to_string(i) + " wrote " + std::to_string(out[i]));
    EXPECT(out[count] == -1, "there were too many programs");
  }
  return {};
}

// The kernel's grid is not the caller's, which it gets as a derived parameter.
static Outcome persistent(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch prepared;
  std::optional<plugin::LaunchPlan> plan;
  TRY(c.loadKernel("tilerun_test_persistent", kernel, prepared, &plan));
  EXPECT(plan, "the kernel has no details");
  const uint32_t all[][3] = {{1, 1, 1}, {7, 5, 3}, {1, 1, 100}, {20000, 1, 1}};
  for (const auto &grid : all) {
    const uint32_t count = grid[0] * grid[1] * grid[2];
    for (uint32_t n : {count, count / 2, count + 1}) {
      std::vector<int32_t> out(count + 1, -1);
      TilerunAddress address;
      TRY(c.allocate(out.size() * 4, address));
      TRY(c.write(address, out.data(), out.size() * 4));
      TilerunPluginLaunch launch = prepared;
      Arguments packed;
      packed.add(address).add(n).setIn(launch);
      std::copy(grid, grid + 3, launch.grid);
      plugin::LaunchPlan::Words words;
      const std::string refused = plan->apply(launch, words).reason;
      EXPECT(refused.empty(), refused);
      EXPECT(launch.grid[1] == 1 && launch.grid[2] == 1, "a persistent grid has several axes");
      CALL(c, launch, kernel, nullptr, &launch);
      TRY(c.read(out.data(), address, out.size() * 4));
      for (uint32_t v = 0; v <= count; ++v)
        EXPECT(out[v] == (v < std::min(n, count) ? int32_t(v % launch.grid[0] + 1) : -1),
               "element " + std::to_string(v) + " of " + std::to_string(count) + " is " +
                   std::to_string(out[v]) + " with " + std::to_string(launch.grid[0]) +
                   " programs");
    }
  }
  return {};
}

static Outcome clusters(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  std::optional<plugin::LaunchPlan> plan;
  TRY(c.loadKernel("tilerun_test_cluster", kernel, launch, &plan));
  EXPECT(plan && plan->getClusterSize() == 2, "the kernel's clusters do not have two programs");
  TilerunPropertyValue most = {sizeof(most), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_MAX_CLUSTER, &most);
  if (most.number < 2)
    return unsupported("a cluster of this device has one program");
  int32_t out[6];
  TilerunAddress address;
  TRY(c.allocate(sizeof(out), address));
  Arguments packed;
  packed.add(address).setIn(launch);
  launch.grid[0] = 6;
  plugin::LaunchPlan::Words words;
  EXPECT(!plan->apply(launch, words), "six programs are three clusters");
  CALL(c, launch, kernel, nullptr, &launch);
  TRY(c.read(out, address, sizeof(out)));
  for (int x = 0; x < 6; ++x)
    EXPECT(out[x] == x % 2, "program " + std::to_string(x) + " has place " +
                                std::to_string(out[x]) + " in its cluster");
  return {};
}

static Outcome manyLaunches(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_delay", kernel, launch));
  TilerunAddress address;
  TRY(c.allocate(4, address));
  CALL(c, fill, c.device, nullptr, address, 0, 4, 4);
  Arguments packed;
  packed.add(address).add<int64_t>(0).setIn(launch);
  for (int i = 0; i < 5000; ++i)
    CALL(c, launch, kernel, nullptr, &launch);
  int32_t value = 0;
  TRY(c.read(&value, address, 4));
  EXPECT(value == 5000, std::to_string(value) + " of 5000 launches ran");
  return {};
}

static Outcome kernelProperties(Context &c) {
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_add", kernel, launch));
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  CALL(c, get_kernel_property, kernel, TILERUN_KERNEL_PROPERTY_MAX_THREADS, &value);
  EXPECT(value.type == TILERUN_VALUE_U64 && value.number >= launch.threads,
         "fewer threads are possible than the kernel wants");
  return {};
}

static Outcome sameKernelTwice(Context &c) {
  TilerunPluginKernel *first, *second;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel("tilerun_test_add", first, launch));
  TRY(c.loadKernel("tilerun_test_add", second, launch));
  EXPECT(first != second, "two modules share a kernel");
  return {};
}

static Outcome selfTests(Context &c) {
  // Every self-test kernel that exists must load; one that does not is named.
  std::string missing;
  for (const char *name : {
#define NAME(name, text) #name,
           TILERUN_SELF_TEST_LIST(NAME)
#undef NAME
       }) {
    TilerunPluginKernel *kernel;
    TilerunPluginLaunch launch;
    Outcome outcome = c.loadKernel(name, kernel, launch);
    if (outcome.kind == Outcome::Kind::Fail)
      return outcome;
    if (outcome.kind == Outcome::Kind::Unsupported)
      missing += std::string(" ") + name;
  }
  return missing.empty() ? Outcome() : unsupported("the plugin does not offer" + missing);
}

// A self-test artifact that is compiled completely, and released with this object.
struct Finalized {
  explicit Finalized(Context &c) : c(c) {}
  ~Finalized() {
    if (portable)
      c.table.release_artifact(portable);
    if (binary)
      c.table.release_artifact(binary);
  }
  Finalized(const Finalized &) = delete;
  Finalized &operator=(const Finalized &) = delete;
  Outcome make(const char *name) {
    CALL(c, get_self_test, name, &portable);
    CALL(c, finalize_artifact, c.device, portable, &binary);
    return {};
  }
  Context &c;
  const TilerunPluginArtifact *portable = nullptr, *binary = nullptr;
};

static Outcome finalized(Context &c) {
  Finalized artifacts(c);
  TRY(artifacts.make("tilerun_test_add"));
  const TilerunPluginArtifact &binary = *artifacts.binary;
  EXPECT(binary.num_bytes && binary.num_kernels == artifacts.portable->num_kernels,
         "the binary has other kernels than what it was made of");
  TilerunPropertyValue value = {sizeof(value), 0, 0, nullptr};
  CALL(c, get_device_property, c.device, TILERUN_DEVICE_PROPERTY_BINARY_COMPATIBILITY, &value);
  EXPECT(value.type == TILERUN_VALUE_STRING && std::string(value.string) == binary.compatibility,
         std::string("the binary is for '") + binary.compatibility + "'");
  CALL(c, check_compatibility, c.device, binary.compatibility);
  // A binary stays a binary, and a copy of its bytes works as well.
  const TilerunPluginArtifact *again = nullptr;
  CALL(c, finalize_artifact, c.device, &binary, &again);
  std::vector<uint8_t> bytes(again->bytes, again->bytes + again->num_bytes);
  c.table.release_artifact(again);
  TilerunPluginArtifact stored = binary;
  stored.bytes = bytes.data();
  stored.num_bytes = bytes.size();
  TilerunPluginKernel *kernel;
  TilerunPluginLaunch launch;
  TRY(c.loadKernel(stored, "tilerun_test_add", kernel, launch));
  int32_t in[2] = {40, 2}, out = 0;
  TilerunAddress pin, pout;
  TRY(c.allocate(sizeof(in), pin));
  TRY(c.allocate(sizeof(out), pout));
  TRY(c.write(pin, in, sizeof(in)));
  Arguments arguments;
  arguments.add(pout).add(pin).add(pin + 4).add(int32_t(1)).setIn(launch);
  CALL(c, launch, kernel, nullptr, &launch);
  TRY(c.read(&out, pout, sizeof(out)));
  EXPECT(out == 42, "the kernel gives " + std::to_string(out));
  return {};
}

static Outcome finalizedGarbage(Context &c) {
  Finalized artifacts(c);
  TRY(artifacts.make("tilerun_test_add"));
  const char *text = "no code";
  TilerunPluginArtifact garbage = *artifacts.portable;
  garbage.bytes = reinterpret_cast<const uint8_t *>(text);
  garbage.num_bytes = 7;
  const TilerunPluginArtifact *out = nullptr;
  CALL_FAILS(c, TILERUN_STATUS_COMPILE, finalize_artifact, c.device, &garbage, &out);
  EXPECT(!out, "a failed call has written through its out parameter");
  garbage.compatibility = "abacus:1";
  CALL_FAILS(c, TILERUN_STATUS_INCOMPATIBLE, finalize_artifact, c.device, &garbage, &out);
  return {};
}

std::vector<Case> conformance::getLaunchCases() {
  return {{"launches", "self-tests", selfTests},
          {"launches", "add", add},
          {"launches", "finalized", finalized},
          {"launches", "finalized-garbage", finalizedGarbage},
          {"launches", "argument-kinds", arguments},
          {"launches", "arguments-are-copied", argumentsAreCopied},
          {"launches", "grids", grids},
          {"launches", "persistent", persistent},
          {"launches", "clusters", clusters},
          {"launches", "many", manyLaunches},
          {"launches", "kernel-properties", kernelProperties},
          {"launches", "same-kernel-twice", sameKernelTwice}};
}
