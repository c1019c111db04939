// The plugin for Vulkan devices: its table and its entry. Devices, memory, copies, streams and
// events have a file each, and so have modules, launches and compiling.
#include "plugins/vulkan/Launch.h"

static const TilerunPlugin &getTable() {
  static const TilerunPlugin table = [] {
    TilerunPlugin made = {};
    made.struct_size = sizeof(TilerunPlugin);
    made.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
    made.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
    made.name = "vulkan";
    made.version = "0.1.0";
    made.description = "any device with Vulkan 1.3";
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
  return table;
}

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  if (!host || host->abi_major != TILERUN_PLUGIN_ABI_MAJOR)
    return nullptr;
  vulkan::setHost(host);
  return &getTable();
}
