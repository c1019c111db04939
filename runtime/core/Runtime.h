// The plugins and devices of a process: searched for when they are first asked for.
#pragma once

#include "runtime/core/Device.h"
#include "runtime/plugin/Discovery.h"
#include "runtime/plugin/Trace.h"

#include <functional>

namespace tilerun::core {

class Runtime {
public:
  explicit Runtime(plugin::DiscoveryOptions options) : options(std::move(options)) {
    Trace::startFromEnvironment();
  }

  /// Loads one more plugin, without a trial in a child process.
  Status loadPlugin(const std::string &path);
  /// All files that were looked at.
  std::vector<plugin::FoundPlugin> getPlugins();
  /// Calls back with each device there is now, in the order of the plugins.
  void listDevices(const std::function<void(const plugin::DeviceInfo &)> &each);
  /// By id, UUID form or kind; empty: the first device that is not a CPU, else the CPU.
  Status openDevice(const std::string &id, const DeviceOptions &options,
                    std::shared_ptr<Device> &device);
  /// The plugin that compiles for a target, by the target's kind.
  Status findCompiler(const std::string &target, std::shared_ptr<const plugin::Plugin> &plugin);

private:
  struct Candidate {
    std::shared_ptr<const plugin::Plugin> plugin;
    plugin::DeviceInfo info;
  };
  std::vector<Candidate> findDevices(const std::string &onlyPlugin, std::string &reasons);
  static Status openDefault(const std::vector<Candidate> &candidates, const DeviceOptions &options,
                            std::shared_ptr<Device> &device);

  const plugin::DiscoveryOptions options;
  std::mutex mutex; ///< Guards what follows; held during the search.
  bool searched = false;
  std::vector<plugin::FoundPlugin> plugins;
};

} // namespace tilerun::core
