// The plugin for Vulkan devices: its table and its entry. Devices, memory, copies, streams and
// events have a file each, and so have modules, launches and compiling.
#include "plugins/support/Table.h"
#include "plugins/vulkan/Launch.h"

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  using namespace tilerun::plugin_support;
  static const TilerunPlugin table = [] {
    TilerunPlugin made = makeTable("vulkan", "0.1.0", "any device with Vulkan 1.3");
    vulkan::addCompileEntries(made);
    vulkan::addSelfTestEntries(made);
    vulkan::addDeviceEntries(made);
    vulkan::addMemoryEntries(made);
    vulkan::addCopyEntries(made);
    vulkan::addStreamEntries(made);
    vulkan::addEventEntries(made);
    vulkan::addModuleEntries(made);
    vulkan::addLaunchEntries(made);
    return made;
  }();
  const TilerunPlugin *given = giveTable(host, table);
  if (given)
    vulkan::setHost(host);
  return given;
}
