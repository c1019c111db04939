// The common part of all plugins' tables, and their entry point.
#pragma once

#include "tilerun/plugin.h"

namespace tilerun::plugin_support {

inline TilerunPlugin makeTable(const char *name, const char *version, const char *description) {
  TilerunPlugin table = {};
  table.struct_size = sizeof(TilerunPlugin);
  table.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
  table.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
  table.name = name;
  table.version = version;
  table.description = description;
  return table;
}

/// Null for a host of another major version. The first three fields are the same in every version,
/// so that looking at them is always safe.
inline const TilerunPlugin *giveTable(const TilerunPluginHost *host, const TilerunPlugin &table) {
  return host && host->abi_major == TILERUN_PLUGIN_ABI_MAJOR ? &table : nullptr;
}

} // namespace tilerun::plugin_support
