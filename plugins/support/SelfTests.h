// The self-test kernels of the ABI: how artifacts describe them, the same for every plugin.
#pragma once

#include "plugins/support/Error.h"
#include "plugins/support/OwnedArtifact.h"

#include <iterator>
#include <string_view>

namespace tilerun::plugin_support {

namespace self_test {
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

inline constexpr TilerunPluginParameter kAdd[] = {pointer("out"), pointer("a"), pointer("b"),
                                                  integer(32, "n")};
inline constexpr TilerunPluginParameter kArguments[] = {
    pointer("out"),     integer(8, "i8"),    integer(16, "i16"),  integer(32, "i32"),
    integer(64, "i64"), floating(16, "f16"), floating(32, "f32"), floating(64, "f64")};
inline constexpr TilerunPluginParameter kOut[] = {pointer("out")};
inline constexpr TilerunPluginParameter kDelay[] = {pointer("out"), integer(64, "ns")};
inline constexpr TilerunPluginParameter kFault[] = {pointer("address")};
inline constexpr TilerunPluginParameter kPersistent[] = {pointer("out"), integer(32, "n")};

template <uint32_t count>
constexpr TilerunPluginKernelInfo
describe(const char *name, const TilerunPluginParameter (&parameters)[count], uint32_t threads) {
  return {sizeof(TilerunPluginKernelInfo), count, name, parameters, threads, 0};
}

// The grid's three axes, and min(n, the product of them).
inline constexpr TilerunPluginStep kSteps[] = {
    {TILERUN_STEP_GRID, 0, 0},     {TILERUN_STEP_WORD, 0, 0}, {TILERUN_STEP_GRID, 0, 1},
    {TILERUN_STEP_WORD, 0, 0},     {TILERUN_STEP_GRID, 0, 2}, {TILERUN_STEP_WORD, 0, 0},
    {TILERUN_STEP_ARGUMENT, 0, 1}, {TILERUN_STEP_GRID, 0, 0}, {TILERUN_STEP_GRID, 0, 1},
    {TILERUN_STEP_MULTIPLY, 0, 0}, {TILERUN_STEP_GRID, 0, 2}, {TILERUN_STEP_MULTIPLY, 0, 0},
    {TILERUN_STEP_MINIMUM, 0, 0},  {TILERUN_STEP_WORD, 0, 0}};
inline constexpr TilerunPluginDerived kWords = {
    sizeof(TilerunPluginDerived), 4, "words", kSteps, std::size(kSteps), 0};
inline constexpr const TilerunPluginDerived *kDerived[] = {&kWords};
inline constexpr TilerunPluginKernelDetails kPersistentDetails = {
    sizeof(TilerunPluginKernelDetails), 1, kDerived, 1, {}, TILERUN_GRID_PERSISTENT, 4};
inline constexpr TilerunPluginKernelDetails kClusterDetails = {
    sizeof(TilerunPluginKernelDetails), 0, nullptr, 1, {2, 1, 1}, TILERUN_GRID_AS_GIVEN, 0};
} // namespace self_test

inline constexpr TilerunPluginKernelInfo kSelfTests[] = {
    self_test::describe("tilerun_test_add", self_test::kAdd, 128),
    self_test::describe("tilerun_test_arguments", self_test::kArguments, 1),
    self_test::describe("tilerun_test_grid", self_test::kOut, 1),
    self_test::describe("tilerun_test_delay", self_test::kDelay, 1),
    self_test::describe("tilerun_test_fault", self_test::kFault, 1),
    // TILERUN_DETAIL_TEST_LIST
    self_test::describe("tilerun_test_persistent", self_test::kPersistent, 1),
    self_test::describe("tilerun_test_cluster", self_test::kOut, 1)};
inline constexpr const TilerunPluginKernelDetails *kSelfTestDetails[] = {
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    &self_test::kPersistentDetails,
    &self_test::kClusterDetails};

/// Its index in both lists; -1 for an unknown name.
constexpr int findSelfTest(std::string_view name) {
  for (size_t i = 0; i < std::size(kSelfTests); ++i)
    if (name == kSelfTests[i].name)
      return static_cast<int>(i);
  return -1;
}

/// The entry get_self_test: `getCode` returns the code of kSelfTests[i] and its compatibility
/// string. `kind`: of the plugin, for the error.
template <typename GetCode>
TilerunStatus giveSelfTest(const char *kind, const char *name, GetCode getCode,
                           const TilerunPluginArtifact **artifact, const TilerunErrorSink *sink) {
  const int found = findSelfTest(name);
  if (found < 0)
    return fail(sink, TILERUN_STATUS_NOT_FOUND, "get_self_test", kind,
                std::string("self-test kernel '") + name + "' does not exist");
  auto [code, compatibility] = getCode(found);
  auto owned = std::make_unique<OwnedArtifact>(std::move(code), compatibility);
  owned->addKernel(kSelfTests[found], kSelfTestDetails[found]);
  *artifact = OwnedArtifact::give(std::move(owned));
  return TILERUN_STATUS_OK;
}

} // namespace tilerun::plugin_support
