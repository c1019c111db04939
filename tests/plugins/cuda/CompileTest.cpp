// The compile entry of the full CUDA plugin, through the ABI; it needs neither driver nor device.
#include "runtime/plugin/LaunchPlan.h"
#include "tests/plugins/PluginUse.h"

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

/// A sum of products, for schedules.
constexpr const char *kProducts = R"(
func.func @products(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32, %out: !tile.ptr<f32>)
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %po = tile.addptr %os, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %po, %r : tensor<32x32x!tile.ptr<f32>>
  return
}
)";

/// A sum of products of boxes, in a tile of the third axis of the grid.
constexpr const char *kTiles = R"(
func.func @tiles(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32, %s: i32 {tile.divisibility = 16 : i64},
                 %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 64 : i32
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %id = tile.program_id 2
  %first = arith.muli %id, %size : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %lines = arith.addi %firsts, %range : tensor<64xi32>
  %column = tile.expand_dims %lines axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %starts = arith.muli %column, %ss : tensor<64x1xi32>
  %starts2 = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %xs, %starts2 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %isLine = arith.cmpi slt, %lines, %ns : tensor<64xi32>
  %isLine1 = tile.expand_dims %isLine axis 1 : tensor<64xi1> -> tensor<64x1xi1>
  %isLine2 = tile.broadcast %isLine1 : tensor<64x1xi1> -> tensor<64x64xi1>
  %r = scf.for %i = %zero to %n step %size iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %k = arith.addi %is, %range : tensor<64xi32>
    %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %row2 = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
    %isIn = arith.cmpi slt, %k, %ns : tensor<64xi32>
    %isIn1 = tile.expand_dims %isIn axis 0 : tensor<64xi1> -> tensor<1x64xi1>
    %isIn2 = tile.broadcast %isIn1 : tensor<1x64xi1> -> tensor<64x64xi1>
    %m = arith.andi %isLine2, %isIn2 : tensor<64x64xi1>
    %pa = tile.addptr %p, %row2 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %a = tile.load %pa mask %m : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %po = tile.addptr %os, %starts2 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %po, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
)";

/// Two loops over a row.
constexpr const char *kRow = R"(
func.func @row(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.constant 4096 : i32
  %none = arith.constant dense<0.0> : tensor<4096xf32>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<4096xi32>
  %sum = scf.for %i = %zero to %n step %size iter_args(%acc = %none) -> (tensor<4096xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<4096xi32>
    %place = arith.addi %is, %range : tensor<4096xi32>
    %p = tile.addptr %xs, %place : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
    %m = arith.cmpi slt, %place, %ns : tensor<4096xi32>
    %v = tile.load %p mask %m : tensor<4096x!tile.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  scf.for %i = %zero to %n step %size : i32 {
    %is = tile.splat %i : i32 -> tensor<4096xi32>
    %place = arith.addi %is, %range : tensor<4096xi32>
    %p = tile.addptr %xs, %place : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
    %q = tile.addptr %outs, %place : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
    %m = arith.cmpi slt, %place, %ns : tensor<4096xi32>
    %v = tile.load %p mask %m : tensor<4096x!tile.ptr<f32>>
    %product = arith.mulf %sum, %v : tensor<4096xf32>
    tile.store %q, %product mask %m : tensor<4096x!tile.ptr<f32>>
  }
  return
}
)";

class Compile : public plugin_test::CompileTest {
protected:
  static void SetUpTestSuite() { load(FULL_CUDA_PLUGIN); }
  std::string getPtx() const { return getBytes(); }
};

TEST_F(Compile, MetadataSaysHowToLaunch) {
  ASSERT_EQ(compile(kAdd, "cuda:sm_90a", {{"num-warps", "2"}, {"num-stages", "1"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_NE(getPtx().find(".visible .entry add("), std::string::npos);
  EXPECT_NE(getPtx().find(".target sm_90a"), std::string::npos);
  // The version of the compatibility string is that of the text.
  const std::string ptx = getPtx(), compatibility = artifact->compatibility;
  ASSERT_EQ(compatibility.substr(0, 9), "cuda:ptx-");
  size_t end = compatibility.find(':', 9);
  EXPECT_EQ(compatibility.substr(end), ":sm_90a");
  EXPECT_NE(ptx.find(".version " + compatibility.substr(9, end - 9) + "\n"), std::string::npos);
  ASSERT_EQ(artifact->num_kernels, 1u);
  const TilerunPluginKernelInfo &kernel = artifact->kernels[0];
  EXPECT_STREQ(kernel.name, "add");
  EXPECT_EQ(kernel.threads, 64u);
  ASSERT_EQ(kernel.num_parameters, 3u);
  EXPECT_EQ(kernel.parameters[0].kind, TILERUN_ARGUMENT_POINTER);
  EXPECT_EQ(kernel.parameters[0].bits, 64);
  EXPECT_STREQ(kernel.parameters[0].name, "x");
  EXPECT_EQ(kernel.parameters[1].kind, TILERUN_ARGUMENT_INTEGER);
  EXPECT_EQ(kernel.parameters[1].bits, 32);
  EXPECT_EQ(kernel.parameters[2].kind, TILERUN_ARGUMENT_FLOAT);
  EXPECT_EQ(kernel.parameters[2].bits, 16);
}

TEST_F(Compile, EmitsTheTextOfAPhase) {
  ASSERT_EQ(compile(kAdd, "cuda:sm_80", {{"emit", "simt"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getPtx().find("simt.thread_id"), std::string::npos);
  // Text is not to be loaded, but says how its code would be launched.
  EXPECT_STREQ(artifact->compatibility, "cuda:text");
  EXPECT_EQ(artifact->kernels[0].threads, 128u);
  ASSERT_EQ(compile(kAdd, "cuda:sm_80", {{"emit", "llvm"}}), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getPtx().find("define ptx_kernel void @add("), std::string::npos);
  ASSERT_EQ(compile(kAdd, "cuda:sm_80", {{"emit", "ptx"}}), TILERUN_STATUS_OK) << message;
  std::string ptx = getPtx();
  ASSERT_EQ(compile(kAdd, "cuda:sm_80"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(ptx, getPtx());
  expectPhases(kAdd, "cuda:sm_80",
               "ptx, llvm, simt, shared-memory, shared-memory-json, layout, schedule, expand, "
               "timeline, timeline-json, passes, passes-json, remarks, remarks-json",
               "cuda:sm_12",
               "get_phases on cuda: unknown NVIDIA architecture 'sm_12'; known are sm_75, sm_80, "
               "sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_120, sm_120a");
}

TEST_F(Compile, SameRequestSameBytes) {
  ASSERT_EQ(compile(kAdd, "cuda:sm_80"), TILERUN_STATUS_OK) << message;
  std::string first = getPtx();
  ASSERT_EQ(compile(kAdd, "cuda:sm_80"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(first, getPtx());
}

TEST_F(Compile, EveryTargetThatIsListedCompiles) {
  std::vector<std::string> targets = plugin->getTargets();
  EXPECT_GE(targets.size(), 8u);
  for (const std::string &target : targets)
    EXPECT_EQ(compile(kAdd, target.c_str()), TILERUN_STATUS_OK) << target << ": " << message;
}

TEST_F(Compile, FollowsASchedule) {
  EXPECT_EQ(compile(kAdd, "cuda:sm_80", {{"schedule", "loop 3: none"}, {"schedule-name", "mine"}}),
            TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("loop 3 is not in kernel 'add', which has no 'for' loop"),
            std::string::npos)
      << message;
  ASSERT_EQ(compile(kAdd, "cuda:sm_80", {{"schedule", "# nothing"}}), TILERUN_STATUS_OK) << message;
}

TEST_F(Compile, RolesAreMoreThreads) {
  ASSERT_EQ(compile(kProducts, "cuda:sm_90a", {{"num-warps", "2"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(artifact->kernels[0].threads, 64u);
  ASSERT_EQ(
      compile(kProducts, "cuda:sm_90a",
              {{"num-warps", "2"}, {"schedule", "loop #0: slots=3 roles=producer:2,consumer"}}),
      TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(artifact->kernels[0].threads, 128u);
  EXPECT_NE(getPtx().find(".reqntid 128"), std::string::npos);
}

TEST_F(Compile, BlocksOfAProgramAreACluster) {
  // Operands that are one tensor would be needed whole and in parts.
  std::string tiles = kTiles;
  const std::string product = "%d = tile.dot %a, %a,";
  tiles.replace(tiles.find(product), product.size(),
                "%b = tile.load %pa mask %m : tensor<64x64x!tile.ptr<f16>>\n"
                "    %d = tile.dot %a, %b,");
  ASSERT_EQ(compile(tiles.c_str(), "cuda:sm_90a", {{"num-ctas", "2"}, {"tma", "off"}}),
            TILERUN_STATUS_OK)
      << message;
  ASSERT_TRUE(artifact->details && artifact->details[0]);
  EXPECT_EQ(artifact->details[0]->grid_policy, uint32_t(TILERUN_GRID_BLOCKS));
  EXPECT_EQ(artifact->details[0]->cluster[0], 2u);
  EXPECT_EQ(artifact->details[0]->num_derived, 0u);
  EXPECT_NE(getPtx().find(".reqnctapercluster 2, 1, 1"), std::string::npos);
  ASSERT_EQ(compile(tiles.c_str(), "cuda:sm_90a",
                    {{"num-ctas", "2"}, {"tma", "on"}, {"persistent", "on"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(artifact->details[0]->grid_policy,
            uint32_t(TILERUN_GRID_BLOCKS | TILERUN_GRID_PERSISTENT));
  EXPECT_EQ(artifact->details[0]->cluster[0], 2u);
  // Without clusters it is the code for one block.
  ASSERT_EQ(compile(tiles.c_str(), "cuda:sm_80", {{"num-ctas", "2"}}), TILERUN_STATUS_OK)
      << message;
  const std::string code(getPtx());
  ASSERT_EQ(compile(tiles.c_str(), "cuda:sm_80"), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(code, getPtx());
}

TEST_F(Compile, PersistentProgramsGetTheCallersGrid) {
  ASSERT_EQ(compile(kTiles, "cuda:sm_90a", {{"tma", "on"}, {"persistent", "off"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(artifact->details[0]->grid_policy, uint32_t(TILERUN_GRID_AS_GIVEN));
  EXPECT_EQ(artifact->details[0]->num_derived, 1u);
  ASSERT_EQ(compile(kTiles, "cuda:sm_90a", {{"tma", "on"}, {"persistent", "on"}}),
            TILERUN_STATUS_OK)
      << message;
  const TilerunPluginKernelDetails &details = *artifact->details[0];
  EXPECT_EQ(details.grid_policy, uint32_t(TILERUN_GRID_PERSISTENT));
  // 160 threads, of which each may take 255 registers.
  EXPECT_EQ(details.programs_per_unit, 1u);
  ASSERT_EQ(details.num_derived, 2u);
  EXPECT_STREQ(details.derived[0]->form, "words");
  EXPECT_STREQ(details.derived[1]->form, "tensor-map");
  // With fewer registers more programs run at a time.
  ASSERT_EQ(
      compile(kTiles, "cuda:sm_90a", {{"tma", "on"}, {"persistent", "on"}, {"maxnreg", "128"}}),
      TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(artifact->details[0]->programs_per_unit, 3u);
  // The words are the caller's grid; more programs than 30 bits count are other code's.
  LaunchPlan plan(artifact->kernels[0], *artifact->details[0], /*units=*/132);
  std::vector<uint64_t> arguments{4096, uint64_t(64) << 32 | 512, 4096, 0};
  TilerunPluginLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.arguments = arguments.data();
  launch.grid[0] = 5, launch.grid[1] = 7, launch.grid[2] = 40;
  LaunchPlan::Words storage;
  EXPECT_EQ(plan.apply(launch, storage).reason, "");
  EXPECT_EQ(launch.grid[0], 132u * 3);
  EXPECT_EQ(launch.grid[1] * launch.grid[2], 1u);
  EXPECT_EQ(std::vector<uint64_t>(launch.derived[0], launch.derived[0] + 3),
            (std::vector<uint64_t>{5, 7, 40}));
  launch.grid[0] = 32768, launch.grid[1] = 32768, launch.grid[2] = 1;
  EXPECT_TRUE(plan.apply(launch, storage).isOfArguments);
}

// Rows of 192 KiB are twelve iterations; shorter ones are other code's, which has no such limit.
TEST_F(Compile, RowsThatTheCacheKeepsTakeOtherCode) {
  ASSERT_EQ(compile(kRow, "cuda:sm_90a", {{"num-warps", "16"}}), TILERUN_STATUS_OK) << message;
  const TilerunPluginKernelInfo &kernel = artifact->kernels[0];
  EXPECT_EQ(kernel.shared_bytes, 14u * 16 * 1024);
  ASSERT_TRUE(artifact->details && artifact->details[0]);
  ASSERT_EQ(artifact->details[0]->num_derived, 1u);
  EXPECT_EQ(artifact->details[0]->derived[0]->num_words, 0u);
  LaunchPlan plan(kernel, *artifact->details[0], /*units=*/132);
  EXPECT_TRUE(plan.hasRequirements());
  std::vector<uint64_t> arguments{4096, 8192, 0};
  TilerunPluginLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.arguments = arguments.data();
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  LaunchPlan::Words storage;
  arguments[2] = 11 * 4096 + 1;
  EXPECT_EQ(plan.apply(launch, storage).reason, "");
  arguments[2] = 11 * 4096;
  EXPECT_TRUE(plan.apply(launch, storage).isOfArguments);

  ASSERT_EQ(compile(kRow, "cuda:sm_90a", {{"num-warps", "16"}, {"tma", "off"}}), TILERUN_STATUS_OK)
      << message;
  EXPECT_LT(artifact->kernels[0].shared_bytes, 1024u);
  EXPECT_FALSE(artifact->details && artifact->details[0]);
  // Asked for, it is for all rows.
  ASSERT_EQ(compile(kRow, "cuda:sm_90a", {{"tma", "off"}, {"retain", "on"}}), TILERUN_STATUS_OK)
      << message;
  EXPECT_EQ(artifact->kernels[0].shared_bytes, 14u * 16 * 1024);
  EXPECT_FALSE(artifact->details && artifact->details[0]);
}

// A mask by a quotient of an index.
constexpr const char *kQuotient = R"(
func.func @part(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %size = arith.constant 1024 : i32
  %pid = tile.program_id 1
  %first = arith.muli %pid, %size : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %firsts = tile.splat %first : i32 -> tensor<1024xi32>
  %i = arith.addi %firsts, %range : tensor<1024xi32>
  %columns = arith.constant dense<32000> : tensor<1024xi32>
  %row = arith.divsi %i, %columns : tensor<1024xi32>
  %rows = arith.constant dense<1023> : tensor<1024xi32>
  %mask = arith.cmpi slt, %row, %rows : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  tile.store %px, %zero mask %mask : tensor<1024x!tile.ptr<f32>>
  return
})";

TEST_F(Compile, ManyProgramsTakeOtherCode) {
  ASSERT_EQ(compile(kQuotient, "cuda:sm_80"), TILERUN_STATUS_OK) << message;
  EXPECT_NE(getPtx().find("st.global.v4"), std::string::npos);
  ASSERT_TRUE(artifact->details && artifact->details[0]);
  ASSERT_EQ(artifact->details[0]->num_derived, 1u);
  EXPECT_EQ(artifact->details[0]->derived[0]->num_words, 0u);
  LaunchPlan plan(artifact->kernels[0], *artifact->details[0], /*units=*/108);
  EXPECT_TRUE(plan.hasRequirements());
  uint64_t arguments[] = {4096};
  TilerunPluginLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.arguments = arguments;
  // Times 1024, this many are 2^31 indices.
  launch.grid[0] = 1u << 30, launch.grid[1] = 1u << 21, launch.grid[2] = 1;
  LaunchPlan::Words storage;
  EXPECT_EQ(plan.apply(launch, storage).reason, "");
  launch.grid[1] = (1u << 21) + 1;
  EXPECT_TRUE(plan.apply(launch, storage).isOfArguments);

  // Code for any launch knows less of the mask; a promise is not checked.
  ASSERT_EQ(compile(kQuotient, "cuda:sm_80", {{"tma", "off"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(getPtx().find("st.global.v4"), std::string::npos);
  EXPECT_FALSE(artifact->details && artifact->details[0]);
  ASSERT_EQ(compile(kQuotient, "cuda:sm_80", {{"tma", "off"}, {"few-programs", "on"}}),
            TILERUN_STATUS_OK)
      << message;
  EXPECT_NE(getPtx().find("st.global.v4"), std::string::npos);
  EXPECT_FALSE(artifact->details && artifact->details[0]);
}

TEST_F(Compile, EmitsRemarks) {
  ASSERT_EQ(compile(kAdd, "cuda:sm_80", {{"emit", "remarks-json"}}), TILERUN_STATUS_OK) << message;
  EXPECT_EQ(getPtx().substr(0, 1), "[");
}

TEST_F(Compile, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(compile("nonsense", "cuda:sm_80"), TILERUN_STATUS_COMPILE);
  EXPECT_NE(message.find("compile on cuda: for cuda:sm_80: "), std::string::npos) << message;
  EXPECT_EQ(compile(kAdd, "cuda:sm_42"), TILERUN_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(message.find("unknown NVIDIA architecture"), std::string::npos) << message;
  const struct {
    TilerunPluginOption option;
    const char *text;
  } cases[] = {{{"num-warps", "3"}, "option 'num-warps' is '3', which is not a power of two"},
               {{"maxnreg", "300"}, "option 'maxnreg' is '300', not a number from 24 to 255"},
               {{"maxnreg", "16"}, "option 'maxnreg' is '16', not a number from 24 to 255"},
               {{"num-ctas", "16"}, "option 'num-ctas' is '16', not 1, 2, 4 or 8"},
               {{"num-warps", "64"}, "option 'num-warps' is '64', not a number from 1 to 32"},
               {{"debug", "yes"}, "option 'debug' is 'yes', not true or false"},
               {{"operands-across-k", "register"},
                "option 'operands-across-k' is 'register', not auto, registers or copies"},
               {{"num-wraps", "4"},
                "unknown option 'num-wraps'; options are num-warps (warps of 32 threads "}};
  for (const auto &[option, text] : cases) {
    EXPECT_EQ(compile(kAdd, "cuda:sm_80", {option}), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  }
}

} // namespace
