// The tests of a plugin on plugins/stream_driver over its fake driver, which injects failures. The
// cases of StreamDriverTest.cpp are the same for every plugin; a test program has them besides its
// own, and says what its driver calls things.
#pragma once

#include "tests/plugins/PluginUse.h"

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace stream_driver_test {

using namespace tilerun::plugin;
using plugin_test::waitForChild;

/// A driver and its fake.
struct DriverNames {
  const char *kind;     ///< "cuda"
  const char *plugin;   ///< Paths of the files.
  const char *fake;     ///<
  const char *variable; ///< Of the environment, that names the driver: "TILERUN_CUDA_DRIVER".
  const char *controls; ///< Prefix of the fake's controls: "fakeCuda".
  const char *revive;   ///< Variable: whether the fake gives a lost device back.
  std::vector<const char *> functions; ///< All that the plugin may call.
  /// Those whose failure is not an error of a program: they only release or describe, or the
  /// program does not call them.
  std::set<std::string> quiet;
  /// Those whose failure leaks, because they release.
  std::set<std::string> leaking;
  std::vector<int> losses; ///< Codes that mean a lost device; the first is the fake's.
  int outOfMemory;
  const char *outOfMemoryWord; ///< "CUDA_ERROR_OUT_OF_MEMORY"
  const char *allocate;        ///< "cuMemAllocAsync"
  const char *waitForStream, *waitForDevice, *launch;
};
/// Defined by each test program.
const DriverNames &getNames();

/// Two devices, with 2 GiB each.
class StreamDriver : public testing::Test {
protected:
  static void SetUpTestSuite();
  ~StreamDriver() override;

  static const TilerunPlugin &table() { return plugin->getTable(); }
  /// Everything that a program does with a device; OK, or the first error. Releases all of it.
  static TilerunStatus runAll(Error &error);
  /// The reason for having no device, in a child, as the plugin opens its driver once per process.
  static std::string
  getReason(const char *probe,
            std::initializer_list<std::pair<const char *, const char *>> environment);

  static inline std::shared_ptr<const Plugin> plugin;
  static inline void *library = nullptr; ///< The fake driver.
  static inline void (*fail)(const char *function, int error, int skip, int times);
  static inline void (*reset)();
  static inline int (*countAlive)();
  static inline int (*countCalls)(const char *function);
};

/// A device with one kernel of the self-test.
class StreamDriverLaunch : public StreamDriver {
protected:
  void open(const char *kernelName, uint32_t sharedBytes = 0);
  TilerunPluginKernel *getKernel(const char *name);
  TilerunStatus launchDelay(TilerunPluginKernel *kernel, TilerunPluginStream *stream,
                            TilerunAddress address, uint32_t sharedBytes = 0, uint32_t flags = 0);
  TilerunStatus launchFault(TilerunPluginKernel *kernel, TilerunPluginStream *stream);
  void close();

  ErrorKeeper keeper;
  TilerunPluginDevice *device = nullptr;
  const TilerunPluginArtifact *artifact = nullptr;
  std::vector<TilerunPluginKernelInfo> infos;
  TilerunPluginModule *module = nullptr;
};

/// What this thread has allocated so far, in the plugin and in the fake driver too. Always 0 with
/// sanitizers, which bring their own malloc.
unsigned long countAllocations();

} // namespace stream_driver_test
