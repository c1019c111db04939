// Checking the details of kernels, and computing what they add to a launch.
#include "runtime/plugin/LaunchPlan.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace tilerun::plugin;

static constexpr size_t kMostStack = 16;

// The sizes in version 1.4 of the structs that may grow.
static constexpr size_t kDerivedSize =
    offsetof(TilerunPluginDerived, reserved) + sizeof(TilerunPluginDerived::reserved);
static constexpr size_t kDetailsSize = offsetof(TilerunPluginKernelDetails, programs_per_unit) +
                                       sizeof(TilerunPluginKernelDetails::programs_per_unit);

const TilerunPluginKernelDetails *tilerun::plugin::getDetails(const TilerunPluginArtifact &artifact,
                                                              uint32_t kernel) {
  return TILERUN_HAS(TilerunPluginArtifact, &artifact, details) ? artifact.details[kernel]
                                                                : nullptr;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

// How a step changes the stack; 0 operands and 0 results for an unknown step.
static std::pair<size_t, size_t> getEffect(uint32_t operation) {
  if (operation >= TILERUN_STEP_CONSTANT && operation <= TILERUN_STEP_GRID)
    return {0, 1};
  if (operation >= TILERUN_STEP_ADD && operation <= TILERUN_STEP_MAXIMUM)
    return {2, 1};
  return operation == TILERUN_STEP_WORD || operation == TILERUN_STEP_REQUIRE
             ? std::pair<size_t, size_t>(1, 0)
             : std::pair<size_t, size_t>(0, 0);
}

static std::string checkSteps(const TilerunPluginKernelInfo &kernel,
                              const TilerunPluginDerived &derived) {
  size_t stack = 0, words = 0;
  for (uint32_t i = 0; i < derived.num_steps; ++i) {
    const TilerunPluginStep &step = derived.steps[i];
    const std::string what = "step " + std::to_string(i);
    auto [operands, results] = getEffect(step.operation);
    if (operands + results == 0)
      return what + " has the operation " + std::to_string(step.operation) +
             ", which this runtime does not know";
    if (stack < operands)
      return what + " finds too few numbers on the stack";
    stack += results - operands;
    words += step.operation == TILERUN_STEP_WORD;
    if (stack > kMostStack)
      return what + " puts more on the stack than the " + std::to_string(kMostStack) +
             " numbers that are possible";
    if (step.operation == TILERUN_STEP_GRID && (step.value < 0 || step.value > 2))
      return what + " asks for axis " + std::to_string(step.value) + " of the grid";
    if (step.operation == TILERUN_STEP_ARGUMENT &&
        (step.value < 0 || step.value >= int64_t(kernel.num_parameters)))
      return what + " asks for argument " + std::to_string(step.value) + " of " +
             std::to_string(kernel.num_parameters);
    if (step.operation == TILERUN_STEP_ARGUMENT &&
        kernel.parameters[step.value].kind == TILERUN_ARGUMENT_FLOAT)
      return what + " asks for argument " + std::to_string(step.value) +
             ", a floating-point number";
  }
  if (stack)
    return "its steps leave " + std::to_string(stack) + " numbers on the stack";
  return words == derived.num_words ? ""
                                    : "its steps give " + std::to_string(words) + " words, not " +
                                          std::to_string(derived.num_words);
}

static std::string checkDerived(const TilerunPluginKernelInfo &kernel,
                                const TilerunPluginDerived *derived) {
  if (!derived)
    return "it is missing";
  if (derived->struct_size < kDerivedSize)
    return "its struct_size is " + std::to_string(derived->struct_size) + ", not at least " +
           std::to_string(kDerivedSize);
  if (!derived->form || !*derived->form)
    return "it has no form";
  if (derived->num_steps && !derived->steps)
    return "it has " + std::to_string(derived->num_steps) + " steps and no list of them";
  return checkSteps(kernel, *derived);
}

std::string tilerun::plugin::checkDetails(const TilerunPluginKernelInfo &kernel,
                                          const TilerunPluginKernelDetails *details) {
  if (!details)
    return "";
  if (details->struct_size < kDetailsSize)
    return "the struct_size of its details is " + std::to_string(details->struct_size) +
           ", not at least " + std::to_string(kDetailsSize);
  if (details->lanes && kernel.threads % details->lanes)
    return "its " + std::to_string(kernel.threads) + " threads are not whole warps of " +
           std::to_string(details->lanes) + " lanes";
  uint64_t cluster = 1;
  for (uint32_t programs : details->cluster)
    cluster *= std::clamp<uint32_t>(programs, 1, LaunchPlan::kMostCluster + 1);
  if (cluster > LaunchPlan::kMostCluster)
    return "its clusters have more than " + std::to_string(LaunchPlan::kMostCluster) + " programs";
  constexpr uint32_t kPolicies = TILERUN_GRID_PERSISTENT | TILERUN_GRID_BLOCKS;
  const bool isPersistent = details->grid_policy & TILERUN_GRID_PERSISTENT;
  if (details->grid_policy > kPolicies)
    return "its grid policy is " + std::to_string(details->grid_policy) +
           ", which this runtime does not know";
  if (isPersistent && !details->programs_per_unit)
    return "its grid is persistent with 0 programs on a unit";
  if (details->grid_policy && (details->cluster[1] > 1 || details->cluster[2] > 1))
    return std::string(isPersistent ? "its grid is persistent, which has one axis"
                                    : "the blocks of a program are on one axis") +
           ", and its clusters have several";
  if (details->num_derived > LaunchPlan::kMostDerived)
    return "it has " + std::to_string(details->num_derived) + " derived parameters; " +
           std::to_string(LaunchPlan::kMostDerived) + " are possible";
  if (details->num_derived && !details->derived)
    return "it has " + std::to_string(details->num_derived) +
           " derived parameters and no list of them";
  uint64_t words = 0;
  for (uint32_t i = 0; i < details->num_derived; ++i) {
    if (std::string wrong = checkDerived(kernel, details->derived[i]); !wrong.empty())
      return "derived parameter " + std::to_string(i) + ": " + wrong;
    words += details->derived[i]->num_words;
  }
  return words <= LaunchPlan::kMostWords
             ? ""
             : "its derived parameters have " + std::to_string(words) + " words; " +
                   std::to_string(LaunchPlan::kMostWords) + " are possible";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LaunchPlan::LaunchPlan(const TilerunPluginKernelInfo &kernel,
                       const TilerunPluginKernelDetails &details, uint64_t units)
    : mostBlocks(details.grid_policy & TILERUN_GRID_PERSISTENT
                     ? std::max<uint64_t>(units, 1) * details.programs_per_unit
                     : 0),
      ofProgram(details.grid_policy & TILERUN_GRID_BLOCKS ? std::max(details.cluster[0], 1u) : 1) {
  for (int axis = 0; axis < 3; ++axis)
    cluster[axis] = std::max(details.cluster[axis], 1u);
  uint32_t offset = 0;
  for (uint32_t i = 0; i < kernel.num_parameters; ++i) {
    uint32_t bytes = std::max(kernel.parameters[i].bits / 8, 1);
    offset = (offset + bytes - 1) / bytes * bytes;
    parameters.push_back({offset, bytes});
    offset += bytes;
  }
  for (uint32_t i = 0; i < details.num_derived; ++i) {
    const TilerunPluginDerived &from = *details.derived[i];
    derived.push_back({{from.steps, from.steps + from.num_steps}, from.num_words});
  }
}

// An integer of the packed arguments, sign-extended.
static uint64_t readArgument(const uint8_t *bytes, uint32_t count) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, count);
  uint32_t unused = 64 - count * 8;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

static uint64_t combine(uint32_t operation, uint64_t x, uint64_t y) {
  const auto a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  switch (operation) {
  case TILERUN_STEP_ADD:
    return x + y;
  case TILERUN_STEP_SUBTRACT:
    return x - y;
  case TILERUN_STEP_MULTIPLY:
    return x * y;
  case TILERUN_STEP_CEIL_DIVIDE:
    return static_cast<uint64_t>(a / b + (a % b > 0));
  case TILERUN_STEP_MINIMUM:
    return static_cast<uint64_t>(std::min(a, b));
  default:
    return static_cast<uint64_t>(std::max(a, b));
  }
}

LaunchPlan::Refusal LaunchPlan::compute(const Derived &parameter, const TilerunPluginLaunch &launch,
                                        const uint32_t grid[3], uint64_t *words) const {
  uint64_t stack[kMostStack];
  uint64_t *top = stack; // One past the last number.
  const auto *packed = static_cast<const uint8_t *>(launch.arguments);
  for (const TilerunPluginStep &step : parameter.steps) {
    if (getEffect(step.operation).first == 2) {
      --top;
      if (step.operation == TILERUN_STEP_CEIL_DIVIDE && static_cast<int64_t>(*top) < 1)
        return {"a derived parameter divides by less than 1"};
      top[-1] = combine(step.operation, top[-1], top[0]);
    } else if (step.operation == TILERUN_STEP_WORD) {
      *words++ = *--top;
    } else if (step.operation == TILERUN_STEP_REQUIRE) {
      if (static_cast<int64_t>(*--top) < 0) [[unlikely]]
        return {"a size or a stride is negative, or larger than its code can do, or there are too "
                "many programs",
                true};
    } else if (step.operation == TILERUN_STEP_ARGUMENT) {
      const Parameter &from = parameters[static_cast<size_t>(step.value)];
      *top++ = readArgument(packed + from.offset, from.bytes);
    } else {
      *top++ = step.operation == TILERUN_STEP_GRID ? grid[step.value]
                                                   : static_cast<uint64_t>(step.value);
    }
  }
  return {};
}

bool LaunchPlan::hasRequirements() const {
  return std::any_of(derived.begin(), derived.end(), [](const Derived &parameter) {
    return std::any_of(parameter.steps.begin(), parameter.steps.end(),
                       [](const auto &step) { return step.operation == TILERUN_STEP_REQUIRE; });
  });
}

LaunchPlan::Refusal LaunchPlan::apply(TilerunPluginLaunch &launch, Words &storage) const {
  const uint32_t grid[3] = {launch.grid[0], launch.grid[1], launch.grid[2]};
  uint64_t *words = storage.words;
  for (size_t i = 0; i < derived.size(); ++i) {
    if (Refusal refusal = compute(derived[i], launch, grid, words)) [[unlikely]]
      return refusal;
    storage.derived[i] = words;
    words += derived[i].numWords;
  }
  if (!derived.empty())
    launch.derived = storage.derived;
  std::copy(cluster, cluster + 3, launch.cluster);
  if (mostBlocks) {
    const uint64_t size = cluster[0];
    // Whole clusters: programs beyond the requested ones have nothing to do.
    const uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
    const uint64_t all = std::min<uint64_t>(programs, uint64_t(1) << 40) * ofProgram;
    const uint64_t wanted = (all + size - 1) / size * size;
    const uint64_t most = std::max(std::min<uint64_t>(mostBlocks, 1u << 30) / size * size, size);
    launch.grid[0] = static_cast<uint32_t>(std::min(wanted, most));
    launch.grid[1] = launch.grid[2] = 1;
    return {};
  }
  if (ofProgram > 1) {
    const uint64_t blocks = uint64_t(grid[0]) * ofProgram;
    if (blocks > INT32_MAX)
      return {"the grid has " + std::to_string(grid[0]) +
              " programs on axis 0, each of which runs " + "on " + std::to_string(ofProgram) +
              " blocks: too many"};
    launch.grid[0] = static_cast<uint32_t>(blocks);
    return {};
  }
  for (int axis = 0; axis < 3; ++axis)
    if (grid[axis] % cluster[axis])
      return {"the grid has " + std::to_string(grid[axis]) + " programs on axis " +
              std::to_string(axis) + ", which are not whole clusters of " +
              std::to_string(cluster[axis])};
  return {};
}
