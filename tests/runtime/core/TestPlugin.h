// A plugin in this process for tests of the runtime: the null plugin's device, with every call
// counted, failures on demand, events that pass when the test says so, and a compiler whose
// "bytecode" is the name of a self-test kernel.
#pragma once

#include "runtime/core/Kernel.h"
#include "runtime/core/MemoryPool.h"

#include <gtest/gtest.h>

#include <functional>

namespace tilerun::core::test {

struct Counters {
  std::atomic<int> allocate{0}, free{0}, launch{0}, load{0}, unload{0}, pointerInfo{0},
      createEvent{0}, destroyEvent{0}, synchronizeDevice{0}, open{0}, close{0};
  /// Of every entry of the table.
  std::atomic<int> all{0};
};

/// Resets counters and failures, and gives the plugin. One for the process.
std::shared_ptr<const plugin::Plugin> getTestPlugin();
Counters &getCounters();

/// Failures, until the next getTestPlugin().
struct Faults {
  std::atomic<int> outOfMemory{0};          ///< The number of allocations that fail.
  std::atomic<uint64_t> memoryLimit{0};     ///< Most bytes that the driver gives; 0: no bound.
  std::atomic<bool> eventsPend{false};      ///< No event has passed.
  std::atomic<int> refusedModules{0};       ///< The number of modules that are not loaded.
  std::atomic<bool> holdDevice{false};      ///< Waits for the device do not end.
  std::atomic<bool> isSilentOnForks{false}; ///< No property SURVIVES_FORK.
  std::atomic<bool> usesSmall{false};       ///< It has the property USES_SMALL.
  std::atomic<bool> isGpu{false};           ///< Not on the host's cores; warps of 64 threads.
  std::atomic<double> milliseconds{0};      ///< Between any two events; 0: as measured.
  std::atomic<double> spread{0};            ///< Of these: every other one is longer by this share.
  std::atomic<uint64_t> foreignBegin{0}, foreignBytes{0}; ///< A foreign allocation,
  std::atomic<bool> foreignElsewhere{false};              ///< on another device.
};
Faults &getFaults();
/// Bytes that the driver has given and not got back.
uint64_t getHeldBytes();

std::shared_ptr<Device> openTestDevice(bool usePool = true);

/// A program whose kernel is a self-test kernel, with the parameters that a test gives.
class TestProgram : public Program {
public:
  TestProgram(std::string name, std::vector<SourceParameter> parameters)
      : name(std::move(name)), parameters(std::move(parameters)) {}
  /// tilerun_test_add(out, a, b, n, BLOCK: constexpr).
  static std::shared_ptr<TestProgram> makeAdd();

  const std::string &getName() const override { return name; }
  const std::vector<SourceParameter> &getParameters() const override { return parameters; }
  Status parseSignature(const std::string &text,
                        std::vector<SignatureEntry> &entries) const override;
  Status compile(const Device &device, const std::string &signature,
                 const TilerunCompileOptions &options, CompiledArtifact &artifact) override;
  void refuse(const Device &, const std::string &, const TilerunCompileOptions &) override {
    ++numRefused;
  }

  std::atomic<int> numCompiled{0}, numRefused{0};
  std::atomic<bool> fromCache{false};  ///< Its artifacts claim to come from a cache.
  std::function<void()> onCompile;     ///< Called in the middle of each.
  std::atomic<int> failures{0};        ///< The number of compilations that fail.
  std::atomic<int> milliseconds{0};    ///< Each takes at least that.
  uint32_t sharedBytes = 0;            ///< The kernel's claimed requirements.
  uint32_t threads = 0, cluster = 0;   ///< The same; 0: its own.
  std::vector<std::string> signatures; ///< All that were asked for; read by one thread at the end.

private:
  std::mutex mutex; ///< Guards `signatures` while it grows.
  std::string name;
  std::vector<SourceParameter> parameters;
};

TilerunArgument pointerTo(TilerunAddress address, uint16_t dtype = TILERUN_DTYPE_I32);
TilerunArgument integer(int64_t value, uint16_t dtype = TILERUN_DTYPE_AUTO);
TilerunArgument number(double value, uint16_t dtype = TILERUN_DTYPE_AUTO);

constexpr TilerunCompileOptions kDefaults = {
    sizeof(TilerunCompileOptions), 4, 3, 0, 0, 0, 1, 0, nullptr};

#define ASSERT_OK(expression)                                                                      \
  do {                                                                                             \
    ::tilerun::core::Status status_ = (expression);                                                \
    ASSERT_TRUE(status_.isOk()) << status_.getMessage();                                           \
  } while (false)
#define EXPECT_OK(expression)                                                                      \
  do {                                                                                             \
    ::tilerun::core::Status status_ = (expression);                                                \
    EXPECT_TRUE(status_.isOk()) << status_.getMessage();                                           \
  } while (false)

/// Expects a failure with a code and a part of its message.
void expectError(const Status &status, TilerunStatus code, const std::string &part);

} // namespace tilerun::core::test
