// Loading into this process, and the check of tables.
#include "runtime/plugin/Plugin.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tilerun::plugin;

namespace {

std::string getReason(const std::string &fault) {
  std::string reason;
  auto plugin = Plugin::load(std::string(FAULTY_FOLDER) + "/libtilerun-" + fault + ".so", reason);
  EXPECT_EQ(plugin == nullptr, !reason.empty());
  return reason;
}

TEST(Plugin, LoadsTheNullPlugin) {
  std::string reason;
  auto plugin = Plugin::load(NULL_PLUGIN, reason);
  ASSERT_TRUE(plugin) << reason;
  EXPECT_EQ(plugin->getName(), "null");
  std::vector<DeviceInfo> devices = plugin->getDevices(reason);
  ASSERT_EQ(devices.size(), 1u) << reason;
  EXPECT_EQ(devices[0].id, "null:0");
  EXPECT_EQ(devices[0].target, "null:host");
  EXPECT_EQ(plugin->getTargets(), std::vector<std::string>{"null:host"});
  EXPECT_EQ(plugin->getTable().compile, nullptr);
}

TEST(Plugin, SaysWhyATableIsNoUse) {
  const std::string minor = std::to_string(TILERUN_PLUGIN_ABI_MINOR), ours = "1." + minor;
  const struct {
    const char *fault;
    std::string text;
  } cases[] = {
      {"missing-symbol", "does not export tilerunPluginEntry"},
      {"major-too-old", "too old: its plugin ABI is 0." + minor + ", this runtime's is " + ours},
      {"major-too-new", "too new: its plugin ABI is 2." + minor + ", this runtime's is " + ours},
      {"needs-newer-host", "too new: it needs a runtime with plugin ABI 1." +
                               std::to_string(TILERUN_PLUGIN_ABI_MINOR + 3)},
      {"null-table", "refuses this runtime's plugin ABI " + ours},
      {"small-table", "its table has 64 bytes; plugin ABI " + ours + " has 360 at least"},
      {"bad-name", "its name is missing or has characters other than"},
      {"no-get-devices", "has no get_devices"},
      {"unresolved-symbol", "tilerunThisIsDefinedNowhere"},
  };
  for (const auto &[fault, text] : cases)
    EXPECT_NE(getReason(fault).find(text), std::string::npos) << fault << ": " << getReason(fault);
}

TEST(Plugin, TakesNewerMinorVersions) { EXPECT_EQ(getReason("newer-minor"), ""); }

TEST(Plugin, RefusesIdsOfOthers) {
  std::string reason;
  auto plugin = Plugin::load(FAULTY_FOLDER "/libtilerun-foreign-ids.so", reason);
  ASSERT_TRUE(plugin) << reason;
  EXPECT_TRUE(plugin->getDevices(reason).empty());
  EXPECT_NE(reason.find("'cuda:0', which does not begin with 'faulty:'"), std::string::npos);
}

TEST(Plugin, ToldWhyThereAreNoDevices) {
  std::string reason;
  auto plugin = Plugin::load(FAULTY_FOLDER "/libtilerun-no-devices.so", reason);
  ASSERT_TRUE(plugin) << reason;
  EXPECT_TRUE(plugin->getDevices(reason).empty());
  EXPECT_NE(reason.find("libdriver.so.1 was not found"), std::string::npos);
}

TEST(Plugin, OldTablesGetNullEntries) {
  // As if this runtime were newer than the plugin: memory past its size is not read.
  std::string reason;
  auto plugin = Plugin::load(NULL_PLUGIN, reason);
  ASSERT_TRUE(plugin) << reason;
  TilerunPlugin table = plugin->getTable();
  auto adopted = Plugin::adopt(&table, "table", reason);
  ASSERT_TRUE(adopted) << reason;
  EXPECT_EQ(adopted->getTable().launch, table.launch);
  table.struct_size = offsetof(TilerunPlugin, launch);
  EXPECT_FALSE(Plugin::adopt(&table, "table", reason));
  EXPECT_NE(reason.find("has 352 bytes"), std::string::npos) << reason;
}

TEST(ErrorKeeper, KeepsWhatIsReported) {
  ErrorKeeper keeper;
  std::string text = "it broke";
  TilerunErrorInfo info = {sizeof(info), TILERUN_STATUS_DRIVER, "call()", "x:0",
                           "WORD",       text.c_str()};
  keeper.getSink()->report(keeper.getSink()->user, &info);
  text = "changed";
  Error error = keeper.take(TILERUN_STATUS_DRIVER);
  EXPECT_EQ(error.message, "it broke");
  EXPECT_EQ(error.call + error.device + error.driverWord, "call()x:0WORD");
  EXPECT_EQ(keeper.take(TILERUN_STATUS_FAULT).message, "fault (the plugin gives no reason)");
}

TEST(StatusName, EveryStatusHasOne) {
  EXPECT_EQ(getStatusName(TILERUN_STATUS_OUT_OF_MEMORY), "out of memory");
  EXPECT_EQ(getStatusName(99), "status 99");
}

} // namespace
