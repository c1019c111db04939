// Tries a plugin in a child process: one that crashes, hangs or exits while it is loaded or asked
// for its devices costs this process nothing. The child is the helper `tilerun-plugin-probe`.
#pragma once

#include "runtime/plugin/Plugin.h"

#include <chrono>

namespace tilerun::plugin {

struct ProbeReport {
  std::string
      reason; ///< Why it cannot be used; empty if it can. The following fields are then set.
  std::string name;
  std::string version;
  std::string abi; ///< "1.0"
  std::string description;
  std::vector<std::string> targets;
  std::vector<DeviceInfo> devices;
  std::string noDevices; ///< Why there are none.
};

/// Runs `helper` on `file` and waits up to `timeout` for its report, and for its end, at which the
/// plugin's destructors run, as they will at the host's; then the child is killed. Any thread.
ProbeReport probe(const std::string &helper, const std::string &file,
                  std::chrono::milliseconds timeout);

/// The helper's whole work: loads the plugin and writes the report to `fd`. Gives the exit status.
int runProbe(const char *file, int fd);

/// Where a helper lies in an installation and in a build tree; empty if it is not there.
std::string findHelper(const std::string &name);
/// The same for `tilerun-plugin-probe`.
std::string findProbeHelper();

/// The folder of the executable or library that holds this code.
std::string getOwnFolder();

} // namespace tilerun::plugin
