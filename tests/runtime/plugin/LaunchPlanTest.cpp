// Additions of kernels' details to launches, and every reason to refuse them.
#include "runtime/plugin/LaunchPlan.h"
#include "runtime/plugin/Plugin.h"

#include <gtest/gtest.h>

using namespace tilerun::plugin;

namespace {

using Steps = std::vector<TilerunPluginStep>;
constexpr TilerunPluginStep kWord = {TILERUN_STEP_WORD, 0, 0};
constexpr TilerunPluginStep constant(int64_t value) { return {TILERUN_STEP_CONSTANT, 0, value}; }
constexpr TilerunPluginStep argument(int64_t index) { return {TILERUN_STEP_ARGUMENT, 0, index}; }
constexpr TilerunPluginStep grid(int64_t axis) { return {TILERUN_STEP_GRID, 0, axis}; }
constexpr TilerunPluginStep binary(uint32_t operation) { return {operation, 0, 0}; }

class LaunchPlanTest : public testing::Test {
protected:
  void setSteps(Steps to, uint32_t words) {
    steps = std::move(to);
    derived.steps = steps.data();
    derived.num_steps = static_cast<uint32_t>(steps.size());
    derived.num_words = words;
    details.num_derived = 1;
  }
  std::string check() const { return checkDetails(kernel, &details); }
  /// The words that the steps compute, one for each step kWord.
  std::vector<int64_t> compute(Steps to, std::string *refused = nullptr) {
    size_t words = static_cast<size_t>(std::count_if(
        to.begin(), to.end(), [](auto &step) { return step.operation == TILERUN_STEP_WORD; }));
    setSteps(std::move(to), static_cast<uint32_t>(words));
    EXPECT_EQ(check(), "");
    const LaunchPlan plan(kernel, details, 1);
    TilerunPluginLaunch launch = makeLaunch();
    LaunchPlan::Words storage;
    const LaunchPlan::Refusal refusal = plan.apply(launch, storage);
    isOfArguments = refusal.isOfArguments;
    if (refused)
      *refused = refusal.reason;
    else
      EXPECT_EQ(refusal.reason, "");
    if (!launch.derived)
      return {};
    const auto *begin = reinterpret_cast<const int64_t *>(launch.derived[0]);
    return {begin, begin + words};
  }
  TilerunPluginLaunch makeLaunch() {
    TilerunPluginLaunch launch = {};
    launch.struct_size = sizeof(launch);
    launch.grid[0] = 3;
    launch.grid[1] = 5;
    launch.grid[2] = 7;
    launch.arguments = &packed;
    launch.num_bytes = sizeof(packed);
    return launch;
  }

  struct {
    uint64_t pointer = 0xFFFF800000001000;
    int8_t small = -3;
    int32_t number = 1000;
    float fraction = 0.5f;
  } packed;
  const TilerunPluginParameter parameters[4] = {
      {sizeof(*parameters), TILERUN_ARGUMENT_POINTER, 64, "p"},
      {sizeof(*parameters), TILERUN_ARGUMENT_INTEGER, 8, "s"},
      {sizeof(*parameters), TILERUN_ARGUMENT_INTEGER, 32, "n"},
      {sizeof(*parameters), TILERUN_ARGUMENT_FLOAT, 32, "f"}};
  const TilerunPluginKernelInfo kernel = {sizeof(kernel), 4, "k", parameters, 160, 0};
  Steps steps;
  bool isOfArguments = false; ///< Of the latest refusal.
  TilerunPluginDerived derived = {sizeof(derived), 0, "words", nullptr, 0, 0};
  const TilerunPluginDerived *pointers[LaunchPlan::kMostDerived + 1] = {&derived};
  TilerunPluginKernelDetails details = {sizeof(details), 0, pointers, 32, {}, 0, 0};
};

TEST_F(LaunchPlanTest, ComputesWords) {
  EXPECT_EQ(compute({argument(0), kWord, argument(1), kWord, argument(2), kWord}),
            (std::vector<int64_t>{int64_t(0xFFFF800000001000), -3, 1000}));
  EXPECT_EQ(compute({grid(0), kWord, grid(1), kWord, grid(2), kWord}),
            (std::vector<int64_t>{3, 5, 7}));
  const struct {
    uint32_t operation;
    int64_t a, b, result;
  } cases[] = {{TILERUN_STEP_ADD, INT64_MAX, 1, INT64_MIN},
               {TILERUN_STEP_SUBTRACT, 3, 5, -2},
               {TILERUN_STEP_MULTIPLY, -3, 5, -15},
               {TILERUN_STEP_CEIL_DIVIDE, 10, 5, 2},
               {TILERUN_STEP_CEIL_DIVIDE, 11, 5, 3},
               {TILERUN_STEP_CEIL_DIVIDE, -11, 5, -2},
               {TILERUN_STEP_CEIL_DIVIDE, INT64_MIN, 1, INT64_MIN},
               {TILERUN_STEP_MINIMUM, -1, 1, -1},
               {TILERUN_STEP_MAXIMUM, -1, 1, 1}};
  for (const auto &[operation, a, b, result] : cases)
    EXPECT_EQ(compute({constant(a), constant(b), binary(operation), kWord}),
              std::vector<int64_t>{result})
        << operation << " of " << a << " and " << b;
  std::string refused;
  compute({constant(1), grid(0), constant(3), binary(TILERUN_STEP_SUBTRACT),
           binary(TILERUN_STEP_CEIL_DIVIDE), kWord},
          &refused);
  EXPECT_EQ(refused, "a derived parameter divides by less than 1");
}

TEST_F(LaunchPlanTest, RequiredNumbersAreNotNegative) {
  const TilerunPluginStep require = binary(TILERUN_STEP_REQUIRE);
  EXPECT_EQ(compute({argument(2), require, constant(0), require, grid(0), kWord}),
            std::vector<int64_t>{3});
  std::string refused;
  compute({argument(2), require, argument(1), require, grid(0), kWord}, &refused);
  EXPECT_EQ(refused,
            "a size or a stride is negative, or larger than its code can do, or there are too "
            "many programs");
  EXPECT_TRUE(isOfArguments);
  EXPECT_TRUE(LaunchPlan(kernel, details, 1).hasRequirements());
  // Other refusals are nothing that other code can do.
  compute({constant(1), constant(0), binary(TILERUN_STEP_CEIL_DIVIDE), kWord}, &refused);
  EXPECT_FALSE(isOfArguments);
  EXPECT_FALSE(LaunchPlan(kernel, details, 1).hasRequirements());
  setSteps({require}, 0);
  EXPECT_EQ(check(), "derived parameter 0: step 0 finds too few numbers on the stack");
}

TEST_F(LaunchPlanTest, PersistentGrids) {
  details.grid_policy = TILERUN_GRID_PERSISTENT;
  auto getPrograms = [&](uint64_t units, uint32_t perUnit, uint32_t cluster) {
    details.programs_per_unit = perUnit;
    details.cluster[0] = cluster;
    EXPECT_EQ(check(), "");
    TilerunPluginLaunch launch = makeLaunch(); // 105 programs.
    LaunchPlan::Words storage;
    EXPECT_EQ(LaunchPlan(kernel, details, units).apply(launch, storage).reason, "");
    EXPECT_EQ(launch.grid[1] * launch.grid[2], 1u);
    EXPECT_EQ(launch.cluster[0], std::max(cluster, 1u));
    return launch.grid[0];
  };
  EXPECT_EQ(getPrograms(132, 1, 0), 105u);
  EXPECT_EQ(getPrograms(132, 1, 2), 106u); // One of them has nothing to do.
  EXPECT_EQ(getPrograms(33, 2, 1), 66u);
  EXPECT_EQ(getPrograms(33, 1, 2), 32u);
  EXPECT_EQ(getPrograms(0, 1, 4), 4u); // A device that does not report its units.
  EXPECT_EQ(getPrograms(UINT32_MAX, UINT32_MAX, 1), 105u);
}

/// As many times the caller's programs are launched on axis x as one has blocks.
TEST_F(LaunchPlanTest, ProgramsOfBlocks) {
  details.cluster[0] = 4;
  details.grid_policy = TILERUN_GRID_BLOCKS;
  EXPECT_EQ(check(), "");
  TilerunPluginLaunch launch = makeLaunch(); // 105 programs.
  const uint32_t grid[3] = {launch.grid[0], launch.grid[1], launch.grid[2]};
  LaunchPlan::Words storage;
  LaunchPlan plan(kernel, details, 132);
  EXPECT_EQ(plan.getBlocks(), 4u);
  EXPECT_EQ(plan.apply(launch, storage).reason, "");
  EXPECT_EQ(launch.grid[0], grid[0] * 4);
  EXPECT_EQ(launch.grid[1], grid[1]);
  EXPECT_EQ(launch.grid[2], grid[2]);
  EXPECT_EQ(launch.cluster[0] * 100 + launch.cluster[1] * 10 + launch.cluster[2], 411u);
  launch.grid[0] = 536870912;
  EXPECT_EQ(plan.apply(launch, storage).reason,
            "the grid has 536870912 programs on axis 0, each of which runs on 4 blocks: too many");
  launch.grid[0] = 536870911;
  EXPECT_EQ(plan.apply(launch, storage).reason, "");
  EXPECT_EQ(launch.grid[0], 2147483644u);
  // Persistent, units are counted for blocks.
  details.grid_policy |= TILERUN_GRID_PERSISTENT;
  details.programs_per_unit = 1;
  EXPECT_EQ(check(), "");
  auto countBlocks = [&](uint64_t units, uint32_t programs) {
    TilerunPluginLaunch persistent = makeLaunch();
    std::fill_n(persistent.grid, 3, programs);
    EXPECT_EQ(LaunchPlan(kernel, details, units).apply(persistent, storage).reason, "");
    EXPECT_EQ(persistent.grid[1] * persistent.grid[2], 1u);
    return persistent.grid[0];
  };
  EXPECT_EQ(countBlocks(132, 2), 32u);
  EXPECT_EQ(countBlocks(133, 100), 132u);
  EXPECT_EQ(countBlocks(1, 100), 4u);
  EXPECT_EQ(countBlocks(132, UINT32_MAX), 132u);
  details.cluster[1] = 2;
  EXPECT_EQ(check(), "its grid is persistent, which has one axis, and its clusters have several");
  details.grid_policy = TILERUN_GRID_BLOCKS;
  EXPECT_EQ(check(), "the blocks of a program are on one axis, and its clusters have several");
}

TEST_F(LaunchPlanTest, GridsAreWholeClusters) {
  details.cluster[1] = 5;
  TilerunPluginLaunch launch = makeLaunch();
  LaunchPlan::Words storage;
  EXPECT_EQ(LaunchPlan(kernel, details, 1).apply(launch, storage).reason, "");
  EXPECT_EQ(launch.cluster[0] * 100 + launch.cluster[1] * 10 + launch.cluster[2], 151u);
  EXPECT_EQ(launch.derived, nullptr);
  launch.grid[1] = 6;
  EXPECT_EQ(LaunchPlan(kernel, details, 1).apply(launch, storage).reason,
            "the grid has 6 programs on axis 1, which are not whole clusters of 5");
}

TEST_F(LaunchPlanTest, SaysWhatIsWrong) {
  EXPECT_EQ(checkDetails(kernel, nullptr), "");
  EXPECT_EQ(check(), "");
  auto expect = [&](auto TilerunPluginKernelDetails::*field, auto value, const char *text) {
    const TilerunPluginKernelDetails before = details;
    details.*field = value;
    EXPECT_EQ(check(), text);
    details = before;
  };
  using Details = TilerunPluginKernelDetails;
  expect(&Details::struct_size, 36u, "the struct_size of its details is 36, not at least 40");
  expect(&Details::lanes, 64u, "its 160 threads are not whole warps of 64 lanes");
  expect(&Details::grid_policy, 4u, "its grid policy is 4, which this runtime does not know");
  expect(&Details::grid_policy, 1u, "its grid is persistent with 0 programs on a unit");
  expect(&Details::num_derived, 17u, "it has 17 derived parameters; 16 are possible");
  expect(&Details::num_derived, 2u, "derived parameter 1: it is missing");
  details.num_derived = 1;
  expect(&Details::derived, nullptr, "it has 1 derived parameters and no list of them");
  details.num_derived = 0;
  details.cluster[0] = details.cluster[1] = 9;
  EXPECT_EQ(check(), "its clusters have more than 64 programs");
  details.cluster[0] = UINT32_MAX;
  EXPECT_EQ(check(), "its clusters have more than 64 programs");
  details.cluster[0] = details.grid_policy = details.programs_per_unit = 1;
  EXPECT_EQ(check(), "its grid is persistent, which has one axis, and its clusters have several");
}

TEST_F(LaunchPlanTest, SaysWhatIsWrongWithSteps) {
  auto expect = [&](Steps wrong, uint32_t words, const std::string &text) {
    setSteps(std::move(wrong), words);
    EXPECT_EQ(check(), "derived parameter 0: " + text);
  };
  expect({binary(12)}, 0, "step 0 has the operation 12, which this runtime does not know");
  expect({constant(1), binary(TILERUN_STEP_ADD)}, 0, "step 1 finds too few numbers on the stack");
  expect({kWord}, 1, "step 0 finds too few numbers on the stack");
  expect({grid(3)}, 0, "step 0 asks for axis 3 of the grid");
  expect({grid(-1)}, 0, "step 0 asks for axis -1 of the grid");
  expect({argument(4)}, 0, "step 0 asks for argument 4 of 4");
  expect({argument(-1)}, 0, "step 0 asks for argument -1 of 4");
  expect({argument(3)}, 0, "step 0 asks for argument 3, a floating-point number");
  expect({constant(1), constant(2), kWord}, 1, "its steps leave 1 numbers on the stack");
  expect({constant(1), kWord}, 2, "its steps give 1 words, not 2");
  expect(Steps(17, constant(0)), 0,
         "step 16 puts more on the stack than the 16 numbers that are possible");
  setSteps({constant(1), kWord}, 1);
  derived.form = "";
  EXPECT_EQ(check(), "derived parameter 0: it has no form");
  derived.form = "words";
  derived.steps = nullptr;
  EXPECT_EQ(check(), "derived parameter 0: it has 2 steps and no list of them");
  derived.struct_size = 16;
  EXPECT_EQ(check(), "derived parameter 0: its struct_size is 16, not at least 32");
  derived.struct_size = sizeof(derived);
  Steps many;
  for (int i = 0; i < 257; ++i) {
    many.push_back(constant(i));
    many.push_back(kWord);
  }
  setSteps(many, 257);
  EXPECT_EQ(check(), "its derived parameters have 257 words; 256 are possible");
}

// Details are checked where artifacts enter the runtime.
TEST_F(LaunchPlanTest, ArtifactsAreRefused) {
  const uint8_t byte = 0;
  const TilerunPluginKernelDetails *list[] = {&details};
  TilerunPluginArtifact artifact = {sizeof(artifact), 1, &byte, 1, "x:1", &kernel, list};
  EXPECT_EQ(checkArtifact(&artifact), "");
  details.lanes = 64;
  EXPECT_EQ(checkArtifact(&artifact), "kernel 0: its 160 threads are not whole warps of 64 lanes");
  // A plugin of an earlier version ends before the details.
  artifact.struct_size = offsetof(TilerunPluginArtifact, details);
  EXPECT_EQ(checkArtifact(&artifact), "");
  EXPECT_EQ(getDetails(artifact, 0), nullptr);
}

} // namespace
