// Finds plugins and loads those that can be used: files named by the caller, then
// TILERUN_PLUGIN_PATH (files and folders, separated by ':'), then the built-in folder. Of two with
// the same name the first wins, so that a user can replace a built-in one by a newer one.
#pragma once

#include "runtime/plugin/Probe.h"

namespace tilerun::plugin {

struct DiscoveryOptions {
  std::vector<std::string> files;      ///< Explicit ones.
  std::vector<std::string> searchPath; ///< Files, and folders with libtilerun-*.so.
  std::string builtinFolder;           ///< Trusted as this code itself: not probed.
  bool trustAll = false;               ///< Also files that other users than root can change.
  bool probeUnknown = true;            ///< Plugins that are not built in start in a child.
  std::string probeHelper;             ///< Where it is missing, unknown plugins are not loaded.
  std::chrono::milliseconds probeTimeout{20000};
  std::string onlyName; ///< Only libtilerun-NAME.so of folders; empty: all.

  /// Entries are separated by ':'.
  void setSearchPath(const std::string &text);

  /// The environment's and the installation's. TILERUN_PLUGIN_{PATH,TRUST} are ignored in a
  /// set-user-id process.
  static DiscoveryOptions fromEnvironment();
};

/// A file that was looked at.
struct FoundPlugin {
  enum class Origin { Explicit, SearchPath, BuiltIn };
  std::string path;
  Origin origin;
  std::shared_ptr<const Plugin> plugin; ///< Null if it was skipped.
  std::string reason;                   ///< Why it was skipped.
};

/// Why a plugin's file, or a folder of plugins, is not to be trusted, as others can change it;
/// empty if it is.
std::string checkTrust(const std::string &path, bool trustAll);

/// Looks for plugins now. Files come in the order above, those of a folder by name.
std::vector<FoundPlugin> discoverPlugins(const DiscoveryOptions &options);

} // namespace tilerun::plugin
