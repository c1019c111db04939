// The search for plugins.
#include "runtime/plugin/Discovery.h"

#include "runtime/plugin/Child.h"
#include "runtime/plugin/ElfFile.h"
#include "runtime/plugin/Trust.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace tilerun;
using namespace tilerun::plugin;
namespace fs = std::filesystem;

void DiscoveryOptions::setSearchPath(const std::string &text) {
  searchPath = split(text, ':');
  std::erase(searchPath, "");
}

DiscoveryOptions DiscoveryOptions::fromEnvironment() {
  DiscoveryOptions options;
  if (const char *path = secure_getenv("TILERUN_PLUGIN_PATH"))
    options.setSearchPath(path);
  const char *trust = secure_getenv("TILERUN_PLUGIN_TRUST");
  options.trustAll = trust && std::string_view(trust) == "all";
  // Relative to an executable in bin/, or to a library in lib/.
  std::string own = getOwnFolder();
  std::error_code error;
  for (const char *place : {"/../lib/tilerun/plugins", "/tilerun/plugins"})
    if (!own.empty() && fs::is_directory(own + place, error)) {
      options.builtinFolder = fs::weakly_canonical(own + place, error).string();
      break;
    }
  options.probeHelper = findProbeHelper();
  return options;
}

std::string plugin::checkTrust(const std::string &path, bool trustAll) {
  std::string others = trustAll ? "" : trust::findOthersOnPath(path);
  if (others.empty())
    return "";
  return "others can change it: " + others +
         "; make it yours alone (chown, chmod go-w), or trust it by TILERUN_PLUGIN_TRUST=all";
}

static std::vector<std::string>
getPluginFiles(const std::string &folder, const DiscoveryOptions &options, std::string &reason) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    bool named = name.compare(0, 11, "libtilerun-") == 0 && name.size() > 14 &&
                 name.compare(name.size() - 3, 3, ".so") == 0;
    if (named && (options.onlyName.empty() || name == "libtilerun-" + options.onlyName + ".so"))
      files.push_back(it->path().string());
  }
  if (error)
    reason = "it cannot be listed: " + error.message();
  std::sort(files.begin(), files.end());
  return files;
}

namespace {

class Search {
public:
  explicit Search(const DiscoveryOptions &options) : options(options) {}

  void addFile(const std::string &path, FoundPlugin::Origin origin) {
    FoundPlugin &entry = found.emplace_back(FoundPlugin{path, origin, nullptr, ""});
    // The file's own faults first: they need no child, and their reasons are clearer.
    entry.reason = checkElfFile(path, TILERUN_PLUGIN_ENTRY);
    if (entry.reason.empty() && origin != FoundPlugin::Origin::BuiltIn)
      entry.reason = checkTrust(path, options.trustAll);
    if (!entry.reason.empty())
      return;
    if (origin != FoundPlugin::Origin::BuiltIn && options.probeUnknown) {
      entry.reason = probeFile(path);
      if (!entry.reason.empty())
        return;
    }
    std::shared_ptr<const Plugin> plugin = Plugin::load(path, entry.reason);
    if (!plugin)
      return;
    for (const FoundPlugin &other : found)
      if (other.plugin && other.plugin->getName() == plugin->getName()) {
        entry.reason = "plugin '" + plugin->getName() + "' is loaded from '" + other.path +
                       "', which comes before it";
        return;
      }
    entry.plugin = std::move(plugin);
  }

  void addFolder(const std::string &folder, FoundPlugin::Origin origin) {
    std::string reason;
    if (origin != FoundPlugin::Origin::BuiltIn)
      reason = checkTrust(folder, options.trustAll);
    if (!reason.empty()) {
      found.push_back({folder, origin, nullptr, reason});
      return;
    }
    for (const std::string &file : getPluginFiles(folder, options, reason))
      addFile(file, origin);
    if (!reason.empty())
      found.push_back({folder, origin, nullptr, reason});
  }

  std::vector<FoundPlugin> found;

private:
  std::string probeFile(const std::string &path) const {
    if (options.probeHelper.empty())
      return "it cannot be tried safely: the helper tilerun-plugin-probe is not installed";
    return probe(options.probeHelper, path, options.probeTimeout).reason;
  }
  const DiscoveryOptions &options;
};

} // namespace

std::vector<FoundPlugin> plugin::discoverPlugins(const DiscoveryOptions &options) {
  Search search(options);
  for (const std::string &file : options.files)
    search.addFile(file, FoundPlugin::Origin::Explicit);
  for (const std::string &entry : options.searchPath) {
    std::error_code error;
    if (fs::is_directory(entry, error))
      search.addFolder(entry, FoundPlugin::Origin::SearchPath);
    else
      search.addFile(entry, FoundPlugin::Origin::SearchPath);
  }
  if (!options.builtinFolder.empty())
    search.addFolder(options.builtinFolder, FoundPlugin::Origin::BuiltIn);
  return std::move(search.found);
}
