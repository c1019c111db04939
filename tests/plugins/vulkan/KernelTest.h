// Shared by the tests of kernels: a device with the validation layer on, and kernels from the text
// of tile IR. Tests run on the first device of the driver that VK_DRIVER_FILES names, which is
// lavapipe by default; without one they fail.
#pragma once

#include "runtime/plugin/Plugin.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mutex>

namespace vulkan_test {

using namespace tilerun::plugin;

/// Packs arguments as the ABI says.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto *begin = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
    return *this;
  }
  std::vector<uint8_t> bytes;
};

class Kernels : public testing::Test {
protected:
  static void SetUpTestSuite() {
    if (plugin)
      return;
    setenv("TILERUN_VULKAN_VALIDATION", "1", 0);
    if (*VULKAN_TEST_DRIVER) {
      // Loaders before 1.3.207 know the second name only.
      setenv("VK_DRIVER_FILES", VULKAN_TEST_DRIVER, 0);
      setenv("VK_ICD_FILENAMES", std::getenv("VK_DRIVER_FILES"), 0);
    }
    const char *path = std::getenv("TILERUN_TEST_PLUGIN"); // On another machine, say.
    if (!path)
      path = VULKAN_PLUGIN;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    auto entry = reinterpret_cast<TilerunPluginEntry>(dlsym(library, TILERUN_PLUGIN_ENTRY));
    ASSERT_TRUE(entry);
    static const TilerunPluginHost host = {sizeof(host),
                                           TILERUN_PLUGIN_ABI_MAJOR,
                                           TILERUN_PLUGIN_ABI_MINOR,
                                           0,
                                           nullptr,
                                           [](void *, int32_t level, const char *text) {
                                             std::lock_guard lock(logMutex);
                                             if (level >= TILERUN_LOG_WARNING)
                                               warnings += std::string(text) + "\n";
                                           }};
    std::string reason;
    plugin = Plugin::adopt(entry(&host), path, reason);
    ASSERT_TRUE(plugin) << reason;
  }
  void SetUp() override {
    std::string reason;
    std::vector<DeviceInfo> devices = plugin->getDevices(reason);
    ASSERT_FALSE(devices.empty()) << "no Vulkan device: " << reason;
    info = devices.front();
    ASSERT_EQ(table().open_device(info.ordinal, nullptr, &device, keeper.getSink()),
              TILERUN_STATUS_OK)
        << keeper.take(TILERUN_STATUS_OK).message;
  }
  void TearDown() override {
    if (!device)
      return;
    table().synchronize_device(device, nullptr);
    for (TilerunPluginModule *module : modules)
      table().unload_module(module);
    for (TilerunAddress address : addresses)
      table().free(device, nullptr, address, nullptr);
    table().synchronize_device(device, nullptr);
    table().close_device(device);
    // The validation layer reports nothing.
    std::lock_guard lock(logMutex);
    EXPECT_EQ(warnings, "");
    warnings.clear();
  }

  static const TilerunPlugin &table() { return plugin->getTable(); }
  std::string takeMessage(TilerunStatus status) { return keeper.take(status).message; }

  /// Null with a failure of the test.
  const TilerunPluginArtifact *compile(const std::string &text,
                                       std::vector<TilerunPluginOption> options = {}) {
    TilerunPluginCompileRequest request = {sizeof(request),
                                           static_cast<uint32_t>(options.size()),
                                           reinterpret_cast<const uint8_t *>(text.data()),
                                           text.size(),
                                           info.target.c_str(),
                                           options.data()};
    const TilerunPluginArtifact *artifact = nullptr;
    TilerunStatus status = table().compile(&request, &artifact, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    return artifact;
  }
  /// Loads the artifact's first kernel, and releases the artifact.
  TilerunPluginKernel *load(const TilerunPluginArtifact *artifact) {
    if (!artifact)
      return nullptr;
    TilerunPluginModule *module = nullptr;
    TilerunPluginKernel *kernel = nullptr;
    TilerunStatus status = table().load_module(device, artifact, &module, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    if (module) {
      modules.push_back(module);
      status = table().get_kernel(module, artifact->kernels[0].name, &kernel, keeper.getSink());
      EXPECT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
      threads = artifact->kernels[0].threads;
      sharedBytes = artifact->kernels[0].shared_bytes;
    }
    table().release_artifact(artifact);
    return kernel;
  }
  TilerunPluginKernel *loadSelfTest(const char *name) {
    const TilerunPluginArtifact *artifact = nullptr;
    EXPECT_EQ(table().get_self_test(name, &artifact, keeper.getSink()), TILERUN_STATUS_OK);
    return load(artifact);
  }
  /// Launches the kernel that was loaded last.
  TilerunStatus launch(TilerunPluginKernel *kernel, const Arguments &arguments,
                       std::array<uint32_t, 3> grid = {1, 1, 1},
                       TilerunPluginStream *stream = nullptr) {
    TilerunPluginLaunch launch = {sizeof(launch),
                                  {grid[0], grid[1], grid[2]},
                                  threads,
                                  sharedBytes,
                                  arguments.bytes.data(),
                                  arguments.bytes.size(),
                                  0,
                                  0,
                                  nullptr,
                                  nullptr,
                                  {},
                                  0};
    return table().launch(kernel, stream, &launch, keeper.getSink());
  }
  TilerunAddress allocate(uint64_t bytes) {
    TilerunAddress address = 0;
    TilerunStatus status = table().allocate(device, nullptr, bytes, &address, keeper.getSink());
    EXPECT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    if (!status) {
      addresses.push_back(address);
      EXPECT_EQ(table().fill(device, nullptr, address, 0xFF, 1, bytes, keeper.getSink()),
                TILERUN_STATUS_OK);
    }
    return address;
  }
  template <typename T> std::vector<T> read(TilerunAddress from, size_t count) {
    std::vector<T> out(count);
    TilerunStatus status = table().copy_from_device(device, nullptr, out.data(), from,
                                                    count * sizeof(T), keeper.getSink());
    if (!status)
      status = synchronize();
    EXPECT_EQ(status, TILERUN_STATUS_OK) << takeMessage(status);
    return out;
  }
  TilerunStatus synchronize() { return table().synchronize_device(device, keeper.getSink()); }

  static std::shared_ptr<const Plugin> plugin;
  static std::mutex logMutex;
  static std::string warnings;
  DeviceInfo info;
  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  uint32_t threads = 1, sharedBytes = 0;

private:
  std::vector<TilerunPluginModule *> modules;
  std::vector<TilerunAddress> addresses;
};

} // namespace vulkan_test
