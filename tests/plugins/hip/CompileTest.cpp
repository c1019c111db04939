// The compile entry of the plugin for AMD GPUs, through the ABI.
#include "plugins/hip/Artifact.h"
#include "plugins/hip/SelfTestObjects.h"
#include "plugins/support/PackedArguments.h"
#include "runtime/plugin/LaunchPlan.h"
#include "tests/plugins/PluginUse.h"

#include <cstdlib>
#include <set>
#include <span>

using namespace tilerun::plugin;

namespace {

constexpr const char *kAdd = R"(
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"},
               %n: i32 {tile.name = "n"}, %s: f16 {tile.name = "s"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p mask %m : tensor<256x!tile.ptr<f32>>
  %e = tile.fp_cast %s : f16 -> f32
  %es = tile.splat %e : f32 -> tensor<256xf32>
  %r = arith.addf %v, %es : tensor<256xf32>
  tile.store %p, %r mask %m : tensor<256x!tile.ptr<f32>>
  return
}
)";

class Compile : public plugin_test::CompileTest {
protected:
  static void SetUpTestSuite() { load(HIP_PLUGIN); }
};

TEST_F(Compile, MetadataSaysHowToLaunch) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942", {{"num-warps", "2"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(getBytes().substr(0, 4), "\x7f"
                                     "ELF");
  EXPECT_STREQ(artifact->compatibility, "hip:gfx942:cov5");
  ASSERT_EQ(artifact->num_kernels, 1u);
  const TilerunPluginKernelInfo &kernel = artifact->kernels[0];
  EXPECT_STREQ(kernel.name, "add");
  EXPECT_EQ(kernel.threads, 128u); // Of 64 lanes each.
  EXPECT_EQ(kernel.shared_bytes, 0u);
  ASSERT_EQ(kernel.num_parameters, 3u);
  EXPECT_EQ(kernel.parameters[0].kind, TILERUN_ARGUMENT_POINTER);
  EXPECT_EQ(kernel.parameters[0].bits, 64);
  EXPECT_STREQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[1].kind, TILERUN_ARGUMENT_INTEGER);
  EXPECT_EQ(kernel.parameters[2].kind, TILERUN_ARGUMENT_FLOAT);
  EXPECT_EQ(kernel.parameters[2].bits, 16);
  ASSERT_EQ(compile(kAdd, "hip:gfx1100", {{"num-warps", "2"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(artifact->kernels[0].threads, 64u);
  // Features are part of what a device must have.
  ASSERT_EQ(compile(kAdd, "hip:gfx942:xnack-:sramecc+"), TILERUN_STATUS_OK) << message;
  EXPECT_STREQ(artifact->compatibility, "hip:gfx942:sramecc+:xnack-:cov5");
}

TEST_F(Compile, EmitsEachPhase) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942", {{"emit", "amdgcn"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getBytes().find("amdgcn-amd-amdhsa--gfx942"), std::string::npos);
  // To look at, not to load.
  EXPECT_STREQ(artifact->compatibility, "hip:text");
  EXPECT_EQ(artifact->kernels[0].threads, 256u);
  ASSERT_EQ(compile(kAdd, "hip:gfx942", {{"emit", "hsaco"}}), TILERUN_STATUS_OK) << message;
  const std::string phase = getBytes();
  ASSERT_EQ(compile(kAdd, "hip:gfx942"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(getBytes(), phase);
  expectPhases(kAdd, "hip:gfx942",
               "amdgcn, hsaco, resources, resources-json, llvm, simt, shared-memory, "
               "shared-memory-json, layout, schedule, expand, "
               "timeline, timeline-json, passes, passes-json, remarks, remarks-json",
               "hip:gfx906",
               "get_phases on hip: unknown AMD architecture 'gfx906'; known are gfx90a, gfx942, "
               "gfx950, gfx1030, gfx1100, gfx1101, gfx1102, gfx1150, gfx1151, gfx1200, gfx1201");
}

TEST_F(Compile, EveryTargetThatIsListedCompiles) {
  std::vector<std::string> targets = plugin->getTargets();
  EXPECT_EQ(targets.size(), 11u);
  for (const std::string &target : targets)
    EXPECT_EQ(compile(kAdd, target.c_str()), TILERUN_STATUS_OK) << target << ": " << message;
}

// A device that kernels can be compiled for can be tested.
TEST_F(Compile, EveryTargetHasSelfTests) {
  std::set<std::string> tested;
  for (const hip::SelfTestObject *object = hip::kSelfTestObjects; object->target; ++object)
    tested.insert(std::string("hip:") + object->target);
  const std::vector<std::string> targets = plugin->getTargets();
  EXPECT_EQ(tested, std::set<std::string>(targets.begin(), targets.end()));
}

// Registers leave room for the waves that the option asks for.
TEST_F(Compile, WavesLimitRegisters) {
  ASSERT_EQ(compile(kAdd, "hip:gfx942", {{"emit", "llvm"}, {"waves-per-eu", "4"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_NE(getBytes().find("\"amdgpu-waves-per-eu\"=\"4\""), std::string::npos);
}

TEST_F(Compile, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(compile("nonsense", "hip:gfx942"), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("compile on hip: for hip:gfx942: "), std::string::npos) << message;
  EXPECT_EQ(compile(kAdd, "hip:gfx42"), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("unknown AMD architecture 'gfx42'"), std::string::npos) << message;
  EXPECT_EQ(compile(kAdd, "hip:gfx1100:xnack+"), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("gfx1100 has no feature 'xnack'"), std::string::npos) << message;
  // 32 waves of 64 lanes are more threads than a program has.
  EXPECT_EQ(compile(kAdd, "hip:gfx942", {{"num-warps", "32"}}), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("2048 threads"), std::string::npos) << message;
  const struct {
    TilerunPluginOption option;
    const char *text;
  } cases[] = {
      {{"num-warps", "3"}, "option 'num-warps' is '3', which is not a power of two"},
      {{"num-ctas", "16"}, "option 'num-ctas' is '16', not 1, 2, 4 or 8"},
      {{"waves-per-eu", "17"}, "option 'waves-per-eu' is '17', not a number from 0 to 16"},
      {{"matrix-instr-nonkdim", "8"}, "option 'matrix-instr-nonkdim' is '8', not 0, 16 or 32"},
      {{"kpack", "3"}, "option 'kpack' is '3', not a number from 1 to 2"},
      {{"xcds", "65"}, "option 'xcds' is '65', not a number from 0 to 64"},
      {{"turns", "maybe"}, "option 'turns' is 'maybe', not auto, off or on"},
      {{"evictions", "never"}, "option 'evictions' is 'never', not auto, off or on"},
      {{"prefetch", "1"}, "option 'prefetch' is '1', not auto, off or on"},
      {{"buffers", "large"}, "option 'buffers' is 'large', not auto, off or on"},
      {{"async-copies", "2"}, "option 'async-copies' is '2', not true or false"},
      {{"num-wraps", "4"}, "unknown option 'num-wraps'; options are num-warps"}};
  for (const auto &[option, text] : cases) {
    EXPECT_EQ(compile(kAdd, "hip:gfx942", {option}), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
  EXPECT_EQ(compile(kAdd, "hip:gfx942", {{"waves-per-eu", "9"}}), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("waves_per_eu must be 1 to 8 on gfx942, but is 9"), std::string::npos)
      << message;
}

//===----------------------------------------------------------------------===//
// What a launch passes besides the arguments
//===----------------------------------------------------------------------===//

constexpr const char *kGrid = R"(
func.func @grid(%out: !tile.ptr<i32> {tile.name = "out"}, %x: i8 {tile.name = "x"})
    attributes {tile.kernel} {
  %n = tile.num_programs 1
  tile.store %out, %n : !tile.ptr<i32>
  return
}
)";

constexpr const char *kSays = R"(
func.func @says(%out: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sgt, %x, %zero : i32
  tile.assert %ok, "x must be positive" : i1
  tile.print "x " : %x signed [true] : i32
  tile.store %out, %x : !tile.ptr<i32>
  return
}
)";

constexpr const char *kBoth = R"(
func.func @both(%out: !tile.ptr<i32>, %x: i8) attributes {tile.kernel} {
  %n = tile.num_programs 2
  tile.print "n " : %n signed [true] : i32
  tile.store %out, %n : !tile.ptr<i32>
  return
}
)";

TEST_F(Compile, TheGridIsADerivedParameterOfEachAxis) {
  ASSERT_EQ(compile(kAdd, "hip:gfx1100"), TILERUN_STATUS_OK) << message;
  ASSERT_TRUE(artifact->details[0]);
  EXPECT_EQ(artifact->details[0]->lanes, 32u);
  EXPECT_EQ(artifact->details[0]->num_derived, 0u);
  ASSERT_EQ(compile(kGrid, "hip:gfx942"), TILERUN_STATUS_OK) << message;
  const TilerunPluginKernelDetails &details = *artifact->details[0];
  EXPECT_EQ(checkDetails(artifact->kernels[0], &details), "");
  EXPECT_EQ(details.lanes, 64u);
  ASSERT_EQ(details.num_derived, 3u);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_STREQ(details.derived[axis]->form, "words");
    EXPECT_EQ(details.derived[axis]->num_words, 1u);
    EXPECT_EQ(details.derived[axis]->steps[0].operation, uint32_t(TILERUN_STEP_GRID));
    EXPECT_EQ(details.derived[axis]->steps[0].value, axis);
  }
}

TEST_F(Compile, CodeBringsWhatItsKernelMaySay) {
  ASSERT_EQ(compile(kSays, "hip:gfx942"), TILERUN_STATUS_OK) << message;
  EXPECT_STREQ(artifact->compatibility, "hip:gfx942:cov5");
  hip::ArtifactContent content;
  std::string reason;
  const std::string bytes = getBytes();
  ASSERT_TRUE(hip::decodeArtifact(bytes, content, reason)) << reason;
  EXPECT_EQ(content.code.substr(0, 4), "\x7f"
                                       "ELF");
  ASSERT_EQ(content.sites.size(), 2u);
  EXPECT_EQ(content.sites[0].text, "x must be positive");
  EXPECT_EQ(content.sites[1].arguments.back(), 'i');
  // The phase is the code object alone.
  ASSERT_EQ(compile(kSays, "hip:gfx942", {{"emit", "hsaco"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(getBytes(), content.code);
}

// The runtime lays arguments out as the code object says: a launch that passes others is refused by
// the fake one.
TEST_F(Compile, LaunchesPassWhatTheCodeTakes) {
  setenv("TILERUN_HIP_DRIVER", FAKE_HIP, 1);
  const TilerunPlugin &t = plugin->getTable();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  TilerunAddress out = 0;
  ASSERT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK)
      << keeper.take(TILERUN_STATUS_UNAVAILABLE).message;
  ASSERT_EQ(t.allocate(device, nullptr, 1024, &out, keeper.getSink()), TILERUN_STATUS_OK);
  for (const char *text : {kAdd, kGrid, kSays, kBoth}) {
    ASSERT_EQ(compile(text, "hip:gfx942"), TILERUN_STATUS_OK) << message;
    const TilerunPluginKernelInfo &info = artifact->kernels[0];
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    ASSERT_EQ(t.load_module(device, artifact, &module, keeper.getSink()), TILERUN_STATUS_OK)
        << keeper.take(TILERUN_STATUS_COMPILE).message;
    ASSERT_EQ(t.get_kernel(module, info.name, &kernel, keeper.getSink()), TILERUN_STATUS_OK);
    // A pointer, an integer, and what else there is.
    char arguments[16] = {};
    std::memcpy(arguments, &out, sizeof(out));
    arguments[8] = 1;
    const std::span parameters(info.parameters, info.num_parameters);
    const uint64_t bytes = tilerun::plugin_support::getPackedBytes(parameters);
    ASSERT_LE(bytes, sizeof(arguments));
    TilerunPluginLaunch launch = {sizeof(launch),
                                  {2, 3, 4},
                                  info.threads,
                                  info.shared_bytes,
                                  arguments,
                                  bytes,
                                  0,
                                  0,
                                  nullptr,
                                  nullptr,
                                  {},
                                  0};
    LaunchPlan::Words words;
    const LaunchPlan plan(info, *artifact->details[0], 4);
    ASSERT_EQ(plan.apply(launch, words).reason, "");
    const TilerunStatus status = t.launch(kernel, nullptr, &launch, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_OK) << info.name << ": " << keeper.take(status).message;
    EXPECT_EQ(t.synchronize_device(device, keeper.getSink()), TILERUN_STATUS_OK) << info.name;
    t.unload_module(module);
  }
  t.free(device, nullptr, out, nullptr);
  t.close_device(device);
}

} // namespace
