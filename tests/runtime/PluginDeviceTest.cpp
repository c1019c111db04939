// Plugins' devices behind the C++ interface, and in the registry.
#include "runtime/PluginDevice.h"

#include "runtime/plugin/Plugin.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace tilerun;

namespace {

std::unique_ptr<Device> openFirst(const char *path) {
  std::string reason;
  auto plugin = plugin::Plugin::load(path, reason);
  EXPECT_TRUE(plugin) << reason;
  auto devices = plugin->getDevices(reason);
  EXPECT_FALSE(devices.empty()) << reason;
  return llvm::cantFail(openPluginDevice(plugin, devices.at(0)));
}

std::string getText(llvm::Error error) { return llvm::toString(std::move(error)); }

class PluginDevice : public testing::TestWithParam<const char *> {
protected:
  static void SetUpTestSuite() { setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1); }
  std::unique_ptr<Device> device = openFirst(GetParam());
};

TEST_P(PluginDevice, Properties) {
  const DeviceProperties &p = device->getProperties();
  EXPECT_TRUE(p.id == "null:0" || p.id == "cuda:0") << p.id;
  EXPECT_TRUE(p.arch == "host" || p.arch == "sm_90a") << p.arch;
  EXPECT_GE(p.memoryBytes, uint64_t(1) << 30);
  EXPECT_GE(p.numUnits, 1u);
  EXPECT_FALSE(p.supportsChecks);
  EXPECT_EQ(p.maxGrid, (std::array<uint64_t, 3>{2147483647, 65535, 65535}));
}

TEST_P(PluginDevice, MemoryRoundTrip) {
  DeviceAddress address = llvm::cantFail(device->allocate(1000, "x"));
  EXPECT_EQ(address % 256, 0u);
  std::vector<uint8_t> in(1000), out(1000);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint8_t>(i * 7);
  llvm::cantFail(device->copyIn(address, in));
  llvm::cantFail(device->copyOut(out, address));
  EXPECT_EQ(in, out);
  llvm::cantFail(device->poison(address));
  llvm::cantFail(device->copyOut(out, address));
  EXPECT_EQ(out, std::vector<uint8_t>(1000, 0xFF));
  llvm::cantFail(device->free(address));
}

TEST_P(PluginDevice, ErrorsKeepTheirKind) {
  llvm::Expected<DeviceAddress> huge = device->allocate(uint64_t(1) << 62, "x");
  ASSERT_FALSE(huge);
  std::string text;
  DeviceErrorKind kind{};
  llvm::handleAllErrors(huge.takeError(), [&](const DeviceError &error) {
    text = error.getMessage();
    kind = error.getKind();
  });
  EXPECT_EQ(kind, DeviceErrorKind::OutOfMemory);
  EXPECT_NE(text.find(device->getProperties().id), std::string::npos) << text;
  EXPECT_NE(getText(device->free(12345)).find("no allocation begins at 12345"), std::string::npos);
  EXPECT_NE(getText(device->poison(12345)).find("no allocation"), std::string::npos);
}

TEST_P(PluginDevice, NoCompilerIsSaid) {
  uint8_t bytes[] = {1, 2, 3};
  auto kernel = device->load(bytes, "k");
  ASSERT_FALSE(kernel);
  EXPECT_NE(getText(kernel.takeError()).find("has no compile"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Plugins, PluginDevice, testing::Values(NULL_PLUGIN, CUDA_PLUGIN),
                         [](const auto &info) { return info.index ? "cuda" : "null"; });

TEST(Registry, OpensDevicesByUuid) {
  setenv("TILERUN_CUDA_DRIVER", FAKE_CUDA, 1);
  setenv("TILERUN_PLUGIN_PATH", CUDA_PLUGIN, 1);
  DeviceRegistry registry;
  registry.addLater(addPluginDevices);
  auto byId = registry.open("cuda:0");
  ASSERT_TRUE(static_cast<bool>(byId)) << getText(byId.takeError());
  const std::string uuid = (*byId)->getProperties().uuid;
  ASSERT_NE(uuid, "");
  EXPECT_FALSE(llvm::is_contained(registry.list(), uuid));
  auto byUuid = registry.open(uuid);
  ASSERT_TRUE(static_cast<bool>(byUuid)) << getText(byUuid.takeError());
  EXPECT_EQ((*byUuid)->getProperties().id, "cuda:0");
  // No device answers to the uuid that others lack.
  EXPECT_NE(getText(registry.open("").takeError()).find("no device ''"), std::string::npos);
  unsetenv("TILERUN_PLUGIN_PATH");
}

TEST(Registry, FindsPluginsLateAndTellsReasons) {
  std::string path = std::string(NULL_PLUGIN) + ":/nonexistent/libtilerun-abacus.so";
  setenv("TILERUN_PLUGIN_PATH", path.c_str(), 1);
  DeviceRegistry registry;
  int calls = 0;
  registry.add("known", [&]() -> llvm::Expected<std::unique_ptr<Device>> {
    return makeDeviceError(DeviceErrorKind::Unavailable, "not today");
  });
  registry.addLater([&](DeviceRegistry &r) {
    ++calls;
    addPluginDevices(r);
  });
  EXPECT_EQ(getText(registry.open("known").takeError()), "not today");
  EXPECT_EQ(calls, 0); // A known device costs no search.
  auto null = registry.open("null:0");
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(static_cast<bool>(null)) << getText(null.takeError());
  EXPECT_EQ((*null)->getProperties().id, "null:0");
  for (const char *id : {"abacus", "abacus:0"}) {
    std::string reason = getText(registry.open(id).takeError());
    EXPECT_NE(reason.find("was skipped: it cannot be read"), std::string::npos) << reason;
  }
  EXPECT_NE(getText(registry.open("other:0").takeError()).find("no device 'other:0'; available: "),
            std::string::npos);
  EXPECT_EQ(calls, 1);
  unsetenv("TILERUN_PLUGIN_PATH");
}

} // namespace
