// A loaded plugin, and what every user of the C ABI needs: a sink that keeps the error.
//
// Rules of this folder: no compiler framework, no exceptions; a failure is a value with a reason
// that a person can act upon. Nothing here lets a bad plugin take the process down as long as it is
// probed first (Probe.h).
#pragma once

#include "runtime/include/tilerun/plugin.h"

#include <memory>
#include <string>
#include <vector>

namespace tilerun::plugin {

/// An error that a plugin reported.
struct Error {
  TilerunStatus status = TILERUN_STATUS_OK;
  std::string message;
  std::string call;
  std::string device;
  std::string driverWord;
};

/// Keeps the error of one call: `table.f(…, errors.sink())`. For one thread at a time.
class ErrorKeeper {
public:
  ErrorKeeper();
  ErrorKeeper(const ErrorKeeper &) = delete;
  ErrorKeeper &operator=(const ErrorKeeper &) = delete;
  const TilerunErrorSink *getSink() const { return &sink; }
  /// The error of a call that returned `status`; never without a message.
  Error take(TilerunStatus status);

private:
  TilerunErrorSink sink;
  Error error;
};

/// "out of memory"; "status 99" for one that this version does not know.
const char *findStatusName(TilerunStatus status); ///< Null for a number that has none.
std::string getStatusName(TilerunStatus status);

/// A device that a plugin offers.
struct DeviceInfo {
  uint32_t ordinal = 0;
  std::string id;
  std::string uuid;
  std::string name;
  std::string target;
};

/// A form of a kernel that a plugin can give instead of code: a value of its option "emit".
struct Phase {
  std::string name, description;
  std::string comment; ///< The start of a comment line; "" if there is none.
  bool isBinary = false;
  bool takesLocations = false; ///< The option "locations".
};

/// A loaded plugin with a valid table. Stays loaded until the process ends, because
/// drivers leave threads and handlers behind. Immutable; any thread may use it.
class Plugin {
public:
  /// Loads into this process: runs the plugin's constructors and its entry, the first time. Null
  /// with a reason if it cannot be used. `path` may be relative. Any thread.
  static std::shared_ptr<const Plugin> load(const std::string &path, std::string &reason);

  /// Takes a table that is in this process already. Null with a reason, as above.
  static std::shared_ptr<const Plugin> adopt(const TilerunPlugin *table, std::string path,
                                             std::string &reason);

  /// The table at its full size: entries that an older plugin lacks are null.
  const TilerunPlugin &getTable() const { return table; }
  /// The table as the plugin gave it, which may be shorter; for audits.
  const TilerunPlugin &getOwnTable() const { return *own; }
  const std::string &getPath() const { return path; }
  std::string getName() const { return table.name; }

  /// The devices at present. Empty, with a reason, if there is none.
  std::vector<DeviceInfo> getDevices(std::string &reason) const;
  /// The targets that it compiles for.
  std::vector<std::string> getTargets() const;
  /// The phases that a target can be compiled to, the most useful one first. Empty with a reason if
  /// they are unknown.
  std::vector<Phase> getPhases(const std::string &target, std::string &reason) const;

private:
  Plugin(const TilerunPlugin *own, const TilerunPlugin &table, std::string path)
      : own(own), table(table), path(std::move(path)) {}
  const TilerunPlugin *own; ///< The plugin's, which lives as long as it is loaded.
  TilerunPlugin table;
  std::string path;
};

/// Takes lines of plugins' logs, with TILERUN_LOG_*; from any thread.
using LogHandler = void (*)(int32_t level, const char *text) noexcept;
/// Null, as at first: warnings go to stderr. For the whole process.
void setLogHandler(LogHandler handler);

/// Why a table cannot be used by this version of the runtime; empty if it can.
std::string checkTable(const TilerunPlugin *table);

/// Says why an artifact from a plugin cannot be read; empty if it can. Null is not an artifact.
std::string checkArtifact(const TilerunPluginArtifact *artifact);

} // namespace tilerun::plugin
