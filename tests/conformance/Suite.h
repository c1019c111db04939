// The conformance suite: the requirements on a plugin, as cases that run on any plugin file. It
// knows the ABI header and the standard library alone, so it can be carried to a machine with a
// device.
//
// Rules: a case opens what it needs and releases it; its outcome says what happened: a missing
// entry or an UNSUPPORTED status is *unsupported*, with the reason, never a silent pass.
#pragma once

#include "runtime/plugin/LaunchPlan.h"
#include "runtime/plugin/Plugin.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::conformance {

struct Outcome {
  enum class Kind { Pass, Fail, Unsupported };
  Kind kind = Kind::Pass;
  std::string text; ///< The error, or why it is not supported.
};
Outcome fail(std::string text);
Outcome unsupported(std::string reason);

/// What a case works with: one plugin, one of its devices, opened for the case.
class Context {
public:
  Context(const plugin::Plugin &plugin, plugin::DeviceInfo info)
      : plugin(plugin), table(plugin.getTable()), info(std::move(info)) {}
  ~Context() { release(); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  Outcome open();
  /// Releases everything that was made here, children first, and closes the device.
  void release();

  /// Turns a status into an outcome: pass, unsupported, or a failure with the plugin's message.
  Outcome judge(TilerunStatus status, const char *call);
  const TilerunErrorSink *sink() { return errors.getSink(); }
  /// The last error that came; cleared by reading.
  plugin::Error takeError(TilerunStatus status) { return errors.take(status); }

  Outcome allocate(uint64_t bytes, TilerunAddress &address);
  Outcome makeStream(TilerunPluginStream *&stream);
  Outcome makeEvent(uint32_t flags, TilerunPluginEvent *&event);
  /// A self-test kernel and its launch with the right threads and shared memory; the grid is 1.
  /// `plan` receives what the kernel's details add to launches.
  Outcome loadKernel(const char *name, TilerunPluginKernel *&kernel, TilerunPluginLaunch &launch,
                     std::optional<plugin::LaunchPlan> *plan = nullptr);
  /// The same from an artifact, which is not released here.
  Outcome loadKernel(const TilerunPluginArtifact &artifact, const char *name,
                     TilerunPluginKernel *&kernel, TilerunPluginLaunch &launch);
  /// Copies and waits.
  Outcome write(TilerunAddress to, const void *from, uint64_t bytes);
  Outcome read(void *to, TilerunAddress from, uint64_t bytes);

  const plugin::Plugin &plugin;
  const TilerunPlugin &table;
  const plugin::DeviceInfo info;
  TilerunPluginDevice *device = nullptr;

private:
  plugin::ErrorKeeper errors;
  std::vector<TilerunAddress> addresses;
  std::vector<TilerunPluginStream *> streams;
  std::vector<TilerunPluginEvent *> events;
  std::vector<TilerunPluginModule *> modules;
};

struct Case {
  const char *group; ///< "memory"
  const char *name;  ///< "copy-round-trip"
  Outcome (*run)(Context &context);
  bool losesDevice = false; ///< Runs last, with nothing else open.
};

std::vector<Case> getDeviceCases();
std::vector<Case> getMemoryCases();
std::vector<Case> getStreamCases();
std::vector<Case> getLaunchCases();
std::vector<Case> getErrorCases();
std::vector<Case> getThreadCases();
/// All of them, those that lose the device last.
std::vector<Case> getAllCases();

/// Packs launch arguments as the ABI says: each at the next multiple of its size.
class Arguments {
public:
  template <typename T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto *begin = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
    return *this;
  }
  void setIn(TilerunPluginLaunch &launch) const {
    launch.arguments = bytes.data();
    launch.num_bytes = bytes.size();
  }

private:
  std::vector<uint8_t> bytes;
};

} // namespace tilerun::conformance

/// Ends the case unless `outcome` is a pass.
#define TRY(outcome)                                                                               \
  do {                                                                                             \
    ::tilerun::conformance::Outcome out_ = (outcome);                                              \
    if (out_.kind != ::tilerun::conformance::Outcome::Kind::Pass)                                  \
      return out_;                                                                                 \
  } while (false)

/// Calls an entry of the table: `CALL(c, fill, c.device, nullptr, …)`; the sink is added.
#define CALL(context, entry, ...)                                                                  \
  do {                                                                                             \
    if (!(context).table.entry)                                                                    \
      return ::tilerun::conformance::unsupported("the plugin has no " #entry);                     \
    TRY((context).judge((context).table.entry(__VA_ARGS__, (context).sink()), #entry));            \
  } while (false)

/// Ends the case with a failure unless `condition` holds.
#define EXPECT(condition, text)                                                                    \
  do {                                                                                             \
    if (!(condition))                                                                              \
      return ::tilerun::conformance::fail(std::string(text) + " (" #condition " does not hold)");  \
  } while (false)

/// The call must fail with `wanted`, and its error must have a message.
#define CALL_FAILS(context, wanted, entry, ...)                                                    \
  do {                                                                                             \
    if (!(context).table.entry)                                                                    \
      return ::tilerun::conformance::unsupported("the plugin has no " #entry);                     \
    TRY(::tilerun::conformance::expectFailure(                                                     \
        (context), wanted, (context).table.entry(__VA_ARGS__, (context).sink()), #entry));         \
  } while (false)

namespace tilerun::conformance {
Outcome expectFailure(Context &context, TilerunStatus wanted, TilerunStatus status,
                      const char *call);
} // namespace tilerun::conformance
