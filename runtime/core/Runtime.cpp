// The search for devices by name.
#include "runtime/core/Runtime.h"

#include <algorithm>
#include <optional>

using namespace tilerun;
using namespace tilerun::core;

Status Runtime::loadPlugin(const std::string &path) {
  (void)getPlugins();
  std::shared_ptr<const plugin::Plugin> loaded;
  std::string reason = plugin::checkTrust(path, options.trustAll);
  if (reason.empty())
    loaded = plugin::Plugin::load(path, reason);
  if (!loaded)
    return Status(TILERUN_STATUS_INCOMPATIBLE, "plugin '" + path + "' cannot be used: " + reason);
  std::lock_guard lock(mutex);
  for (const plugin::FoundPlugin &other : plugins)
    if (other.plugin && other.plugin->getName() == loaded->getName())
      return Status::invalid("plugin '" + path + "': another plugin '" + loaded->getName() +
                             "' is loaded already, from '" + other.path + "'");
  plugins.push_back({path, plugin::FoundPlugin::Origin::Explicit, std::move(loaded), ""});
  return {};
}

std::vector<plugin::FoundPlugin> Runtime::getPlugins() {
  std::lock_guard lock(mutex);
  if (!searched)
    plugins = plugin::discoverPlugins(options);
  searched = true;
  return plugins;
}

std::vector<Runtime::Candidate> Runtime::findDevices(const std::string &onlyPlugin,
                                                     std::string &reasons) {
  std::vector<Candidate> out;
  for (const plugin::FoundPlugin &found : getPlugins()) {
    std::string name = found.plugin ? found.plugin->getName() : found.path;
    if (!onlyPlugin.empty() && found.plugin && name != onlyPlugin)
      continue;
    std::string reason = found.reason;
    if (found.plugin)
      for (plugin::DeviceInfo &info : found.plugin->getDevices(reason))
        out.push_back({found.plugin, std::move(info)});
    if (!reason.empty())
      reasons += "; " + name + (found.plugin ? " has no device: " : " was skipped: ") + reason;
  }
  return out;
}

void Runtime::listDevices(const std::function<void(const plugin::DeviceInfo &)> &each) {
  std::string reasons;
  for (const Candidate &candidate : findDevices("", reasons))
    each(candidate.info);
}

/// The first device that is not a fallback; the first of all if there is none.
Status Runtime::openDefault(const std::vector<Candidate> &candidates, const DeviceOptions &options,
                            std::shared_ptr<Device> &device) {
  auto isFallback = [](const Device &opened) {
    return opened.getNumber(TILERUN_DEVICE_PROPERTY_FALLBACK, 0) != 0;
  };
  std::optional<Status> first;
  std::shared_ptr<Device> fallback;
  for (const Candidate &candidate : candidates) {
    std::shared_ptr<Device> opened;
    Status status = Device::open(candidate.plugin, candidate.info, options, opened);
    // It may only refuse the options; then it is still a fallback.
    std::shared_ptr<Device> plain = opened;
    if (!status.isOk())
      (void)Device::open(candidate.plugin, candidate.info, DeviceOptions(), plain);
    if (!plain || !isFallback(*plain)) {
      device = std::move(opened);
      return status;
    }
    if (!first) {
      first = std::move(status);
      fallback = std::move(opened);
    }
  }
  device = std::move(fallback);
  return std::move(*first);
}

Status Runtime::openDevice(const std::string &id, const DeviceOptions &options,
                           std::shared_ptr<Device> &device) {
  std::string kind = id.substr(0, id.find(':'));
  std::string reasons;
  std::vector<Candidate> candidates = findDevices(kind, reasons);
  if (id.empty() && !candidates.empty())
    return openDefault(candidates, options, device);
  auto matches = [&](const Candidate &candidate) {
    return candidate.info.id == id || candidate.info.uuid == id ||
           candidate.plugin->getName() == id;
  };
  auto it = std::find_if(candidates.begin(), candidates.end(), matches);
  if (it != candidates.end())
    return Device::open(it->plugin, it->info, options, device);
  std::string known;
  reasons.clear();
  for (const Candidate &candidate : findDevices("", reasons))
    known += (known.empty() ? "" : ", ") + candidate.info.id;
  return Status(TILERUN_STATUS_UNAVAILABLE,
                (id.empty() ? std::string("no device") : "no device '" + id + "'") +
                    "; available: " + (known.empty() ? "none" : known) + reasons);
}

Status Runtime::findCompiler(const std::string &target,
                             std::shared_ptr<const plugin::Plugin> &plugin) {
  const std::string kind = target.substr(0, target.find(':'));
  std::string known, reasons;
  for (const plugin::FoundPlugin &found : getPlugins()) {
    if (!found.plugin) {
      reasons += "; " + found.path + " was skipped: " + found.reason;
    } else if (!found.plugin->getTable().compile) {
      reasons += "; plugin '" + found.plugin->getName() + "' has no compiler";
    } else if (found.plugin->getName() == kind) {
      plugin = found.plugin;
      return {};
    } else {
      known += (known.empty() ? "'" : ", '") + found.plugin->getName() + "'";
    }
  }
  return Status(TILERUN_STATUS_UNAVAILABLE,
                "no plugin compiles for '" + target + "'; " +
                    (known.empty() ? "no plugin was found" : "plugins compile for " + known) +
                    reasons);
}
