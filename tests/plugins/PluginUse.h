// Shared by the tests of plugins with a driver: compiling through the ABI, child processes, and a
// program that uses a device, each of whose calls is made to fail.
#pragma once

#include "runtime/plugin/Plugin.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plugin_test {

using namespace tilerun::plugin;

/// Forks. True in the parent, once the child has ended as it should.
inline bool waitForChild() {
  pid_t child = fork();
  if (child == 0)
    return false;
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "see above; status " << status;
  return true;
}

/// The compile entry of a plugin, which needs neither driver nor device.
class CompileTest : public testing::Test {
protected:
  static void load(const char *path) {
    std::string reason;
    plugin = Plugin::load(path, reason);
    ASSERT_TRUE(plugin) << reason;
    ASSERT_TRUE(plugin->getTable().compile);
  }
  ~CompileTest() override { plugin->getTable().release_artifact(artifact); }

  TilerunStatus compile(const char *text, const char *target,
                        std::vector<TilerunPluginOption> options = {}) {
    plugin->getTable().release_artifact(artifact);
    artifact = nullptr;
    TilerunPluginCompileRequest request = {sizeof(request),
                                           static_cast<uint32_t>(options.size()),
                                           reinterpret_cast<const uint8_t *>(text),
                                           std::strlen(text),
                                           target,
                                           options.data()};
    ErrorKeeper keeper;
    TilerunStatus status = plugin->getTable().compile(&request, &artifact, keeper.getSink());
    message = keeper.take(status).message;
    return status;
  }
  /// The plugin lists these phases of a target, compiles to each, and to no other.
  void expectPhases(const char *text, const char *target, const std::string &names,
                    const std::string &wrongTarget, const std::string &error) {
    std::string reason, told, withLocations;
    for (const Phase &phase : plugin->getPhases(target, reason)) {
      told += (told.empty() ? "" : ", ") + phase.name;
      EXPECT_FALSE(phase.description.empty()) << phase.name;
      ASSERT_EQ(compile(text, target, {{"emit", phase.name.c_str()}}), TILERUN_STATUS_OK)
          << message;
      const bool hasNul = getBytes().find('\0') != std::string::npos;
      EXPECT_EQ(hasNul, phase.isBinary) << phase.name;
      EXPECT_EQ(phase.comment.empty(), phase.isBinary) << phase.name;
      const std::string plain = getBytes();
      EXPECT_EQ(plain.find("loc("), std::string::npos) << phase.name;
      ASSERT_EQ(compile(text, target, {{"emit", phase.name.c_str()}, {"locations", "true"}}),
                TILERUN_STATUS_OK)
          << message;
      if (phase.takesLocations)
        EXPECT_NE(getBytes().find("loc("), std::string::npos) << phase.name;
      else
        EXPECT_EQ(getBytes(), plain) << phase.name;
      withLocations += phase.takesLocations ? " " + phase.name : "";
    }
    EXPECT_EQ(reason, "");
    EXPECT_EQ(told, names);
    // Every form of IR as MLIR prints it.
    for (const char *name : {"simt", "layout", "schedule", "expand"})
      EXPECT_NE((withLocations + " ").find(" " + std::string(name) + " "), std::string::npos)
          << withLocations;
    EXPECT_EQ(compile(text, target, {{"emit", "wasm"}}), TILERUN_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(message.find("option 'emit' is 'wasm', but this target can emit " + names),
              std::string::npos)
        << message;
    EXPECT_TRUE(plugin->getPhases(wrongTarget, reason).empty());
    EXPECT_EQ(reason, error);
  }
  std::string getBytes() const {
    return {reinterpret_cast<const char *>(artifact->bytes), artifact->num_bytes};
  }

  static inline std::shared_ptr<const Plugin> plugin;
  const TilerunPluginArtifact *artifact = nullptr;
  std::string message;
};

#define PLUGIN_TEST_TRY(...)                                                                       \
  if (TilerunStatus status = __VA_ARGS__)                                                          \
  return status

/// A program's handles on a device. The functions that every plugin's test calls alike are here;
/// each returns the first error.
struct DeviceUse {
  explicit DeviceUse(const TilerunPlugin &table) : t(table) {}

  TilerunStatus open() {
    PLUGIN_TEST_TRY(t.get_devices([](void *, const TilerunPluginDeviceInfo *) {}, nullptr, sink));
    PLUGIN_TEST_TRY(t.open_device(0, nullptr, &device, sink));
    PLUGIN_TEST_TRY(
        t.get_device_property(device, TILERUN_DEVICE_PROPERTY_MEMORY_FREE, &property, sink));
    PLUGIN_TEST_TRY(t.create_stream(device, &stream, sink));
    PLUGIN_TEST_TRY(t.create_event(device, TILERUN_EVENT_TIMING, &start, sink));
    return t.create_event(device, TILERUN_EVENT_TIMING, &end, sink);
  }

  /// Launches the self-test kernel, which adds 1 to the number at `a`, and reads the number back by
  /// way of `b`, with every way to wait.
  TilerunStatus launch(TilerunPluginKernel *kernel, int32_t &result) {
    struct {
      uint64_t out;
      int64_t ns;
    } arguments = {a, 0};
    TilerunPluginLaunch launch = {sizeof(launch), {1, 1, 1},         1,  0,
                                  &arguments,     sizeof(arguments), 0,  0,
                                  nullptr,        nullptr,           {}, 0};
    PLUGIN_TEST_TRY(t.record_event(start, stream, sink));
    PLUGIN_TEST_TRY(t.launch(kernel, stream, &launch, sink));
    PLUGIN_TEST_TRY(t.record_event(end, stream, sink));
    PLUGIN_TEST_TRY(t.wait_event(device, nullptr, end, sink));
    PLUGIN_TEST_TRY(t.copy_on_device(device, nullptr, b, a, 4, sink));
    PLUGIN_TEST_TRY(t.copy_from_device(device, nullptr, &result, b, 4, sink));
    PLUGIN_TEST_TRY(t.synchronize_stream(device, nullptr, sink));
    PLUGIN_TEST_TRY(t.query_stream(device, nullptr, sink));
    PLUGIN_TEST_TRY(t.synchronize_event(end, sink));
    PLUGIN_TEST_TRY(t.query_event(end, sink));
    PLUGIN_TEST_TRY(t.elapsed_time(start, end, &time, sink));
    PLUGIN_TEST_TRY(t.free(device, stream, b, sink));
    b = 0;
    PLUGIN_TEST_TRY(t.synchronize_device(device, sink));
    PLUGIN_TEST_TRY(t.free_host(device, pinned, sink));
    pinned = nullptr;
    return TILERUN_STATUS_OK;
  }

  /// The error of `status`; everything is given back.
  Error release(TilerunStatus status) {
    Error error = keeper.take(status);
    if (device) {
      t.synchronize_device(device, nullptr);
      t.free(device, stream, a, nullptr);
      t.free(device, stream, b, nullptr);
      if (pinned)
        t.free_host(device, pinned, nullptr);
    }
    t.unload_module(module);
    t.release_artifact(artifact);
    t.destroy_event(start);
    t.destroy_event(end);
    t.destroy_stream(stream);
    t.close_device(device);
    return error;
  }

  const TilerunPlugin &t;
  ErrorKeeper keeper;
  const TilerunErrorSink *sink = keeper.getSink();
  TilerunPluginDevice *device = nullptr;
  TilerunPluginStream *stream = nullptr;
  TilerunPluginEvent *start = nullptr, *end = nullptr;
  TilerunPluginModule *module = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  TilerunAddress a = 0, b = 0;
  void *pinned = nullptr;
  double time = 0;
  TilerunPropertyValue property = {sizeof(property), 0, 0, nullptr};
};

} // namespace plugin_test
