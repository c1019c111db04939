// The HIP plugin over runtimes of the form of ROCm 5, each in a process of its own, because a
// plugin opens its driver once.
#include "tests/plugins/PluginUse.h"

#include <cstdio>
#include <cstdlib>

using namespace tilerun::plugin;
using plugin_test::waitForChild;

namespace {

std::shared_ptr<const Plugin> loadPlugin(const char *version) {
  setenv("TILERUN_HIP_DRIVER", FAKE_HIP_5, 1);
  setenv("FAKE_HIP_VERSION", version, 1);
  std::string reason;
  std::shared_ptr<const Plugin> plugin = Plugin::load(HIP_PLUGIN, reason);
  EXPECT_TRUE(plugin) << reason;
  return plugin;
}

// Opens a device of such a runtime and loads code of version 5; "" if that works.
std::string loadOver(const char *version, std::string &target) {
  std::string reason;
  const std::shared_ptr<const Plugin> plugin = loadPlugin(version);
  const std::vector<DeviceInfo> devices = plugin->getDevices(reason);
  if (devices.empty())
    return reason;
  target = devices[0].target;
  const TilerunPlugin &t = plugin->getTable();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  TilerunPluginModule *module = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  auto run = [&]() -> TilerunStatus {
    PLUGIN_TEST_TRY(t.open_device(0, nullptr, &device, keeper.getSink()));
    PLUGIN_TEST_TRY(t.get_self_test("tilerun_test_add", &artifact, keeper.getSink()));
    return t.load_module(device, artifact, &module, keeper.getSink());
  };
  const TilerunStatus status = run();
  const std::string message =
      std::string(getStatusName(status)) + ": " + keeper.take(status).message;
  t.release_artifact(artifact);
  t.unload_module(module);
  t.close_device(device);
  return status ? message : "";
}

// In a child.
void expectMessage(const char *version, const char *expected) {
  std::string target;
  const std::string message = loadOver(version, target);
  EXPECT_EQ(target, "hip:gfx942");
  EXPECT_NE(message.find(expected), std::string::npos) << message;
  std::fflush(stdout);
  _exit(testing::Test::HasFailure());
}

TEST(OldRuntime, IsTooOldForTheCode) {
  if (waitForChild())
    return;
  expectMessage("50221153",
                "incompatible: check_compatibility on hip:0: the artifact is for "
                "'hip:bundle:cov5': the driver is too old for this code object: it is HIP 5.2, and "
                "code objects of version 5 need ROCm 6.0 or later");
}

// A release is named for version 5 alone; a later version needs a later one.
TEST(OldRuntime, IsTooOldForLaterVersions) {
  if (waitForChild())
    return;
  const std::shared_ptr<const Plugin> plugin = loadPlugin("50221153");
  const TilerunPlugin &t = plugin->getTable();
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  EXPECT_EQ(t.open_device(0, nullptr, &device, keeper.getSink()), TILERUN_STATUS_OK);
  const TilerunStatus status = t.check_compatibility(device, "hip:gfx942:cov6", keeper.getSink());
  EXPECT_EQ(status, TILERUN_STATUS_INCOMPATIBLE);
  EXPECT_EQ(
      keeper.take(status).message,
      "check_compatibility on hip:0: the artifact is for 'hip:gfx942:cov6': the driver is too "
      "old for this code object: it is HIP 5.2, and code objects of version 6 need a later "
      "one");
  t.close_device(device);
  std::fflush(stdout);
  _exit(testing::Test::HasFailure());
}

// ROCm 5 numbers the kinds of memory otherwise.
TEST(OldRuntime, TellsTheHostsMemory) {
  if (waitForChild())
    return;
  const std::shared_ptr<const Plugin> plugin = loadPlugin("50700000");
  const TilerunPlugin &t = plugin->getTable();
  TilerunPluginDevice *device = nullptr, *other = nullptr;
  EXPECT_EQ(t.open_device(0, nullptr, &device, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.open_device(1, nullptr, &other, nullptr), TILERUN_STATUS_OK);
  TilerunAddress own = 0, others = 0;
  void *pinned = nullptr;
  EXPECT_EQ(t.allocate(device, nullptr, 64, &own, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.allocate(other, nullptr, 64, &others, nullptr), TILERUN_STATUS_OK);
  EXPECT_EQ(t.allocate_host(device, 64, &pinned, nullptr), TILERUN_STATUS_OK);
  auto expectInfo = [&](TilerunAddress address, bool isOnHost, bool isOthers) {
    TilerunPluginPointerInfo info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(t.get_pointer_info(device, address, &info, nullptr), TILERUN_STATUS_OK);
    EXPECT_EQ(info.on_host != 0, isOnHost);
    EXPECT_EQ(info.other_device != 0, isOthers);
    EXPECT_EQ(info.base, address);
  };
  expectInfo(own, false, false);
  expectInfo(others, false, true);
  expectInfo(reinterpret_cast<TilerunAddress>(pinned), true, false);
  t.free(device, nullptr, own, nullptr);
  t.free(other, nullptr, others, nullptr);
  t.free_host(device, pinned, nullptr);
  t.close_device(other);
  t.close_device(device);
  std::fflush(stdout);
  _exit(testing::Test::HasFailure());
}

// Whether a version in between takes the code is the runtime's to say.
TEST(OldRuntime, SaysThatItIsTooOldForTheCode) {
  if (waitForChild())
    return;
  expectMessage("50700000",
                "compile error: hipModuleLoadData(&handle, image) on hip:0: "
                "hipErrorSharedObjectInitFailed: a text of the fake runtime; the driver is too old "
                "for this code object: it is HIP 5.7, and code objects of version 5 need ROCm 6.0");
}

} // namespace
