// Artifacts for several architectures: compiled by the plugin, chosen from when they are loaded on
// emulated devices, and run there.
#include "plugins/hip/CodeObject.h"
#include "runtime/plugin/LaunchPlan.h"
#include "tests/plugins/PluginUse.h"

#include <cstdlib>

using namespace tilerun::plugin;

namespace {

// x[i] += n for 256 numbers.
constexpr const char *kAdd = R"(
func.func @add(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<i32>>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %r = arith.addi %v, %ns : tensor<256xi32>
  tile.store %p, %r : tensor<256x!tile.ptr<i32>>
  return
}
)";
constexpr const char *kSays = R"(
func.func @says(%out: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sgt, %x, %zero : i32
  tile.assert %ok, "x must be positive" : i1
  tile.store %out, %x : !tile.ptr<i32>
  return
}
)";

class Bundle : public plugin_test::CompileTest {
protected:
  static void SetUpTestSuite() {
    setenv("TILERUN_HIP_DRIVER", AMDSIM_LIBRARY, 1);
    setenv("TILERUN_AMDSIM", "gfx942,gfx1100,gfx90a", 1);
    load(HIP_PLUGIN);
  }

  /// Loads what was compiled on the device of this number, and launches it over 256 numbers, each
  /// of them its index before; the first error.
  std::string run(uint32_t ordinal, int32_t n, std::vector<int32_t> &numbers) {
    const TilerunPlugin &t = plugin->getTable();
    ErrorKeeper keeper;
    TilerunPluginDevice *device = nullptr;
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    TilerunAddress x = 0;
    const auto compute = [&]() -> TilerunStatus {
      PLUGIN_TEST_TRY(t.open_device(ordinal, nullptr, &device, keeper.getSink()));
      PLUGIN_TEST_TRY(t.load_module(device, artifact, &module, keeper.getSink()));
      const TilerunPluginKernelInfo &info = artifact->kernels[0];
      PLUGIN_TEST_TRY(t.get_kernel(module, info.name, &kernel, keeper.getSink()));
      numbers.resize(256);
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<int32_t>(i);
      PLUGIN_TEST_TRY(t.allocate(device, nullptr, 1024, &x, keeper.getSink()));
      PLUGIN_TEST_TRY(t.copy_to_device(device, nullptr, x, numbers.data(), 1024, keeper.getSink()));
      struct {
        TilerunAddress x;
        int64_t n;
      } arguments = {x, n};
      TilerunPluginLaunch launch = {sizeof(launch),
                                    {1, 1, 1},
                                    info.threads,
                                    info.shared_bytes,
                                    &arguments,
                                    12,
                                    0,
                                    0,
                                    nullptr,
                                    nullptr,
                                    {},
                                    0};
      LaunchPlan::Words words;
      const LaunchPlan plan(info, *artifact->details[0], 4);
      EXPECT_EQ(plan.apply(launch, words).reason, "");
      PLUGIN_TEST_TRY(t.launch(kernel, nullptr, &launch, keeper.getSink()));
      PLUGIN_TEST_TRY(
          t.copy_from_device(device, nullptr, numbers.data(), x, 1024, keeper.getSink()));
      return t.synchronize_device(device, keeper.getSink());
    };
    const TilerunStatus status = compute();
    const std::string message = keeper.take(status).message;
    if (x)
      t.free(device, nullptr, x, nullptr);
    t.unload_module(module);
    if (device)
      t.close_device(device);
    return status ? message : "";
  }

  void expectSums(uint32_t ordinal) {
    std::vector<int32_t> numbers;
    ASSERT_EQ(run(ordinal, 1000, numbers), "");
    for (size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(numbers[i], 1000 + int32_t(i)) << i;
  }
};

TEST_F(Bundle, IsOneFileForWavesOf64And32Lanes) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942,gfx1100", {{"num-warps", "2"}}), TILERUN_STATUS_OK)
      << message;
  EXPECT_STREQ(artifact->compatibility, "hip:bundle:cov5");
  EXPECT_EQ(artifact->kernels[0].threads, 128u);
  EXPECT_EQ(artifact->details[0]->lanes, 64u);
  std::string reason;
  const std::string bytes = getBytes();
  const std::string_view first =
      hip::findCodeObject(bytes, hip::TargetId::parse("gfx942:sramecc+:xnack-"), reason);
  const std::string_view second =
      hip::findCodeObject(bytes, hip::TargetId::parse("gfx1100"), reason);
  EXPECT_EQ(reason, "");
  EXPECT_FALSE(first.empty() || second.empty());
  EXPECT_NE(first, second);
  // Each device takes its own, with as many waves.
  expectSums(0);
  expectSums(1);
  // The phase is the file that HIP's loaders take, which is the same here.
  ASSERT_EQ(compile(kAdd, "hip:gfx942,gfx1100", {{"num-warps", "2"}, {"emit", "hsaco"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(getBytes(), bytes);
}

// The first one's number of threads is less than the second needs, or more.
TEST_F(Bundle, OrderDoesNotMatter) {
  ASSERT_EQ(compile(kAdd, "hip:gfx1100,hip:gfx90a,gfx942"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(artifact->details[0]->lanes, 32u);
  for (uint32_t ordinal : {0, 1, 2})
    expectSums(ordinal);
}

TEST_F(Bundle, KernelsThatAssert) {
  ASSERT_EQ(compile(kSays, "hip:gfx1100,gfx942"), TILERUN_STATUS_OK) << message;
  for (uint32_t ordinal : {0, 1}) {
    std::vector<int32_t> numbers;
    EXPECT_EQ(run(ordinal, 7, numbers), "");
    EXPECT_EQ(numbers[0], 7);
    EXPECT_NE(run(ordinal, 0, numbers).find("x must be positive"), std::string::npos);
  }
}

TEST_F(Bundle, AnotherArchitectureIsAnError) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942,gfx1100"), TILERUN_STATUS_OK) << message;
  std::vector<int32_t> numbers;
  const std::string error = run(2, 1, numbers);
  EXPECT_NE(error.find("the bundle has code for gfx942, gfx1100, but not for gfx90a"),
            std::string::npos)
      << error;
  // A code object alone says what the device is.
  ASSERT_EQ(compile(kAdd, "hip:gfx942"), TILERUN_STATUS_OK) << message;
  const std::string alone = run(1, 1, numbers);
  EXPECT_NE(alone.find("hip:gfx942:cov5"), std::string::npos) << alone;
  EXPECT_NE(alone.find("the device is gfx1100"), std::string::npos) << alone;
}

TEST_F(Bundle, OneThatIsCutOffIsAnError) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942,gfx1100"), TILERUN_STATUS_OK) << message;
  auto *cut = const_cast<TilerunPluginArtifact *>(artifact);
  const uint64_t whole = cut->num_bytes;
  std::vector<int32_t> numbers;
  for (uint64_t size : {uint64_t(10), uint64_t(40), whole / 4, whole / 2}) {
    cut->num_bytes = size;
    const std::string error = run(1, 1, numbers);
    EXPECT_TRUE(error.find("cut off, or damaged") != std::string::npos ||
                error.find("neither an ELF file nor a bundle") != std::string::npos)
        << size << ": " << error;
  }
  cut->num_bytes = whole;
  expectSums(1);
}

TEST_F(Bundle, MistakesInTheTarget) {
  const struct {
    const char *target, *text;
  } cases[] = {
      {"hip:gfx942,gfx42", "unknown AMD architecture 'gfx42'"},
      {"hip:gfx942,", "unknown AMD architecture ''"},
      {"hip:gfx942,hip:gfx942", "'hip:gfx942,hip:gfx942' has gfx942 twice"},
      // A device with xnack would take either.
      {"hip:gfx942,gfx1100,gfx942:xnack+",
       "'hip:gfx942,gfx1100,gfx942:xnack+' has gfx942 and gfx942:xnack+, which is "
       "ambiguous: code that does not say 'xnack' runs with any setting of it; give gfx942 "
       "that feature everywhere or nowhere"},
      {"hip:gfx942:sramecc+:xnack-,gfx942:xnack+", "code that does not say 'sramecc' runs"}};
  for (const auto &[target, text] : cases) {
    EXPECT_EQ(compile(kAdd, target), TILERUN_STATUS_INVALID_ARGUMENT) << target;
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
  // With other features it is another architecture.
  EXPECT_EQ(compile(kAdd, "hip:gfx942:xnack-,gfx942:xnack+"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(compile(kAdd, "hip:gfx942,gfx1100", {{"emit", "amdgcn"}}),
            TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("target hip:gfx942,gfx1100 names several architectures"),
            std::string::npos)
      << message;
  std::string reason;
  const std::vector<Phase> phases = plugin->getPhases("hip:gfx942,gfx1100", reason);
  ASSERT_EQ(phases.size(), 1u) << reason;
  EXPECT_EQ(phases[0].name, "hsaco");
  // An error in one of them names it.
  EXPECT_EQ(compile(kAdd, "hip:gfx1100,gfx942", {{"num-warps", "32"}}), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("for hip:gfx942: "), std::string::npos) << message;
}

} // namespace
