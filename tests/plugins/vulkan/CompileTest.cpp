// The compile entry of the plugin, through the ABI; it needs neither driver nor device.
#include "tests/plugins/PluginUse.h"

using namespace tilerun::plugin;

namespace {

constexpr const char *kAdd = R"(
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"},
               %n: i32 {tile.name = "n"}, %s: f32 {tile.name = "s"}) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p mask %m : tensor<256x!tile.ptr<f32>>
  %es = tile.splat %s : f32 -> tensor<256xf32>
  %r = arith.addf %v, %es : tensor<256xf32>
  tile.store %p, %r mask %m : tensor<256x!tile.ptr<f32>>
  return
}
)";

constexpr const char *kSum = R"(
func.func @sum(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<f32>>
  %sum = tile.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  return
}
)";

class Compile : public plugin_test::CompileTest {
protected:
  static void SetUpTestSuite() { load(VULKAN_PLUGIN); }
};

TEST_F(Compile, MetadataSaysHowToLaunch) {
  ASSERT_EQ(compile(kAdd, "vulkan:1.3,subgroup=8", {{"num-warps", "2"}, {"num-stages", "1"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(getBytes().substr(0, 8), "tilerunV");
  ASSERT_EQ(artifact->num_kernels, 1u);
  const TilerunPluginKernelInfo &kernel = artifact->kernels[0];
  EXPECT_STREQ(kernel.name, "add");
  // A warp has 32 threads, whatever the device's subgroups have.
  EXPECT_EQ(kernel.threads, 64u);
  ASSERT_EQ(kernel.num_parameters, 3u);
  EXPECT_EQ(kernel.parameters[0].kind, TILERUN_ARGUMENT_POINTER);
  EXPECT_EQ(kernel.parameters[0].bits, 64);
  EXPECT_STREQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[1].kind, TILERUN_ARGUMENT_INTEGER);
  EXPECT_EQ(kernel.parameters[1].bits, 32);
  EXPECT_EQ(kernel.parameters[2].kind, TILERUN_ARGUMENT_FLOAT);
  EXPECT_EQ(kernel.parameters[2].bits, 32);
}

TEST_F(Compile, TheCompatibilityNamesWhatIsUsed) {
  ASSERT_EQ(compile(kAdd, "vulkan:1.3,subgroup=16,f16,f64,i8,shuffle"), TILERUN_STATUS_OK)
      << message;
  // The kernel uses none of these features.
  EXPECT_STREQ(artifact->compatibility, "vulkan:1.3,subgroup=16,threads=128");
}

TEST_F(Compile, EmitsTheTextOfAPhase) {
  const char *target = "vulkan:1.3";
  ASSERT_EQ(compile(kAdd, target, {{"emit", "simt"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getBytes().find("simt.thread_id"), std::string::npos);
  // Text is not to be loaded, but says how its code would be launched.
  EXPECT_STREQ(artifact->compatibility, "vulkan:text");
  EXPECT_EQ(artifact->kernels[0].threads, 128u);
  ASSERT_EQ(compile(kAdd, target, {{"emit", "spirv-dialect"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getBytes().find("spirv.func @add"), std::string::npos);
  ASSERT_EQ(compile(kAdd, target, {{"emit", "spirv-asm"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getBytes().find("OpEntryPoint GLCompute"), std::string::npos);
  ASSERT_EQ(compile(kAdd, target, {{"emit", "spirv"}}), TILERUN_STATUS_OK) << message;
  const std::string words = getBytes();
  EXPECT_EQ(words.substr(0, 4), std::string("\x03\x02\x23\x07"));
  EXPECT_EQ(words.size() % 4, 0u);
  // It equals the container's contents.
  ASSERT_EQ(compile(kAdd, target), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getBytes().find(words), std::string::npos);
  expectPhases(kAdd, target,
               "spirv-asm, spirv, spirv-dialect, simt, shared-memory, shared-memory-json, layout, "
               "schedule, expand, timeline, "
               "timeline-json, passes, passes-json, remarks, remarks-json",
               "cuda:sm_80",
               "get_phases on vulkan: 'cuda:sm_80' is not a Vulkan target; targets begin with "
               "'vulkan:1.3'");
}

TEST_F(Compile, SameRequestSameBytes) {
  ASSERT_EQ(compile(kAdd, "vulkan:1.3"), TILERUN_STATUS_OK) << message;
  std::string first = getBytes();
  ASSERT_EQ(compile(kAdd, "vulkan:1.3"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(first, getBytes());
}

TEST_F(Compile, EveryTargetThatIsListedCompiles) {
  std::vector<std::string> targets = plugin->getTargets();
  EXPECT_GE(targets.size(), 1u);
  for (const std::string &target : targets)
    EXPECT_EQ(compile(kAdd, target.c_str()), TILERUN_STATUS_OK) << target << ": " << message;
}

TEST_F(Compile, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(compile("nonsense", "vulkan:1.3"), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("compile on vulkan: for vulkan:1.3: "), std::string::npos) << message;
  for (const char *target : {"", "1.3", "abacus:1", "vulkan:1.2", "cuda:sm_80"}) {
    EXPECT_EQ(compile(kAdd, target), TILERUN_STATUS_INVALID_ARGUMENT) << target;
    EXPECT_NE(message.find("targets begin with 'vulkan:1.3'"), std::string::npos) << message;
  }
  EXPECT_EQ(compile(kAdd, "vulkan:1.3,f17"), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("'f17' is not a word of a Vulkan target; words are subgroup=…"),
            std::string::npos)
      << message;
  const struct {
    TilerunPluginOption option;
    const char *text;
  } cases[] = {{{"num-warps", "3"}, "option 'num-warps' is '3', which is not a power of two"},
               {{"num-warps", "64"}, "option 'num-warps' is '64', not a number from 1 to 32"},
               {{"num-warps", "-1"}, "option 'num-warps' is '-1', not a number from 1 to 32"},
               {{"maxnreg", "16"}, "option 'maxnreg' is '16', not a number from 24 to 255"},
               {{"num-ctas", "16"}, "option 'num-ctas' is '16', not 1, 2, 4 or 8"},
               {{"debug", "yes"}, "option 'debug' is 'yes', not true or false"},
               {{"num-wraps", "4"},
                "unknown option 'num-wraps'; options are num-warps (warps of 32 threads "
                "in a program), num-stages"}};
  for (const auto &[option, text] : cases) {
    EXPECT_EQ(compile(kAdd, "vulkan:1.3", {option}), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
}

TEST_F(Compile, TooManyThreadsSayWhatWouldDo) {
  EXPECT_EQ(compile(kAdd, "vulkan:1.3,threads=256", {{"num-warps", "16"}}), TILERUN_STATUS_COMPILE);
  EXPECT_NE(
      message.find("would run in 512 threads with num_warps=16, but vulkan:1.3 allows 256 in a "
                   "program, which is 256 fewer; use num_warps=8 or less"),
      std::string::npos)
      << message;
  EXPECT_EQ(compile(kAdd, "vulkan:1.3,threads=256", {{"num-warps", "8"}}), TILERUN_STATUS_OK)
      << message;
}

TEST_F(Compile, TooMuchSharedMemorySaysByHowMuch) {
  // The sum over 1024 threads of four warps needs shared memory; this target has almost none.
  EXPECT_EQ(compile(kSum, "vulkan:1.3,shared=4"), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("bytes of shared memory, but vulkan:1.3 has 4"), std::string::npos)
      << message;
  EXPECT_NE(message.find("508 too few; use smaller blocks"), std::string::npos) << message;
  ASSERT_EQ(compile(kSum, "vulkan:1.3"), TILERUN_STATUS_OK) << message;
  EXPECT_GT(artifact->kernels[0].shared_bytes, 4u);
}

TEST_F(Compile, TextIsNotTrusted) {
  // Bytes that are not a module, in several ways.
  for (const char *text : {"", "{", "MLïR", "module {", "func.func @f() { return }"}) {
    EXPECT_EQ(compile(text, "vulkan:1.3"), TILERUN_STATUS_COMPILE) << text;
    EXPECT_NE(message.find("for vulkan:1.3"), std::string::npos) << message;
  }
}

} // namespace
