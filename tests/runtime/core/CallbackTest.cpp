// Exceptions of the host's callbacks do not pass through the plugin: it may be written in C, or
// have a C++ library of its own, and its frames have nothing that an exception of the host's could
// unwind.
#include "runtime/core/Status.h"
#include "tests/runtime/core/Hooks.h"

#include <exception>
#include <gtest/gtest.h>
#include <new>

using namespace tilerun;

namespace {

int numCalls = 0;       ///< Of callbacks, which came back as they should.
bool wasPassed = false; ///< An exception has passed a plugin's frame.

/// Stands in each function of the plugin, around its calls of the host.
struct PluginFrame {
  const int before = std::uncaught_exceptions();
  ~PluginFrame() { wasPassed |= std::uncaught_exceptions() > before; }
};

// Longer than what a std::string keeps in itself.
constexpr const char *kLong = "a text that is long enough to have memory of its own";

TilerunStatus fail(const TilerunErrorSink *sink) {
  PluginFrame frame;
  const TilerunErrorInfo info = {sizeof(info), TILERUN_STATUS_DRIVER, kLong, kLong, kLong, kLong};
  sink->report(sink->user, &info);
  ++numCalls;
  return TILERUN_STATUS_DRIVER;
}

TilerunStatus getDevices(TilerunDeviceCallback each, void *user, const TilerunErrorSink *) {
  PluginFrame frame;
  for (uint32_t i = 0; i < 3; ++i) {
    const TilerunPluginDeviceInfo info = {sizeof(info), i,     "callbacks:a long name of a device",
                                          kLong,        kLong, kLong};
    each(user, &info);
    ++numCalls;
  }
  return TILERUN_STATUS_OK;
}

TilerunStatus getTargets(void (*each)(void *, const char *), void *user, const TilerunErrorSink *) {
  PluginFrame frame;
  each(user, kLong);
  ++numCalls;
  return TILERUN_STATUS_OK;
}

TilerunStatus getPhases(const char *, void (*each)(void *, const TilerunPluginPhase *), void *user,
                        const TilerunErrorSink *) {
  PluginFrame frame;
  const TilerunPluginPhase phase = {sizeof(phase), 0, kLong, kLong, kLong};
  each(user, &phase);
  ++numCalls;
  return TILERUN_STATUS_OK;
}

TilerunPlugin makeTable() {
  TilerunPlugin table = {};
  table.struct_size = sizeof(table);
  table.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
  table.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
  table.name = "callbacks";
  table.get_devices = getDevices;
  table.get_targets = getTargets;
  table.get_phases = getPhases;
  table.get_device_state = [](TilerunPluginDevice *, const TilerunErrorSink *sink) {
    return fail(sink);
  };
  return table;
}

/// Runs `call`, whose callbacks are called `wanted` times, again and again, with another allocation
/// of it failing each time, until none does.
template <typename Call> void failEachAllocation(int wanted, Call call) {
  uint64_t number = 0, failures = 0;
  for (bool hasFailed = true; hasFailed; failures += hasFailed) {
    SCOPED_TRACE("allocation " + std::to_string(++number));
    numCalls = 0;
    wasPassed = false;
    core::test::failAllocation(number);
    try {
      call();
    } catch (const std::bad_alloc &) { // NOLINT(bugprone-empty-catch): what was asked for
    }
    hasFailed = core::test::hasFailedAllocation();
    core::test::failAllocation(0);
    EXPECT_FALSE(wasPassed);
    // All or, if it failed before the plugin was called, none.
    if (numCalls)
      EXPECT_EQ(numCalls, wanted);
  }
  EXPECT_GT(failures, 1u);
}

class Callbacks : public testing::Test {
protected:
  void SetUp() override {
    if (!core::test::hasHooks())
      GTEST_SKIP() << "this build has allocators of a sanitizer";
    plugin = plugin::Plugin::adopt(&table, "callbacks", reason);
    ASSERT_TRUE(plugin) << reason;
  }
  const TilerunPlugin table = makeTable();
  std::string reason;
  std::shared_ptr<const plugin::Plugin> plugin;
};

TEST_F(Callbacks, OfDevicesThrowNothing) {
  failEachAllocation(3, [&] { (void)plugin->getDevices(reason); });
  EXPECT_EQ(plugin->getDevices(reason).size(), 3u);
}

TEST_F(Callbacks, OfTargetsThrowNothing) {
  failEachAllocation(1, [&] { (void)plugin->getTargets(); });
  EXPECT_EQ(plugin->getTargets(), std::vector<std::string>{kLong});
}

TEST_F(Callbacks, OfPhasesThrowNothing) {
  const std::string target = "callbacks:x";
  failEachAllocation(1, [&] { (void)plugin->getPhases(target, reason); });
  EXPECT_EQ(plugin->getPhases(target, reason).size(), 1u);
}

TEST_F(Callbacks, OfErrorsThrowNothing) {
  failEachAllocation(1, [] {
    plugin::ErrorKeeper errors;
    (void)errors.take(fail(errors.getSink()));
  });
  failEachAllocation(1, [&] { (void)TILERUN_CALL(table, get_device_state, nullptr); });
}

} // namespace
