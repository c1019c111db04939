// The whole table of a plugin over a stream driver, except for the compiler's entries.
#pragma once

#include "plugins/stream_driver/Memory.h"
#include "plugins/stream_driver/Modules.h"
#include "plugins/stream_driver/Streams.h"
#include "plugins/support/Table.h"

namespace tilerun::stream_driver {

template <typename D> TilerunPlugin makeTable(const char *version, const char *description) {
  TilerunPlugin table = plugin_support::makeTable(D::kName, version, description);
  addDeviceEntries<D>(table);
  addMemoryEntries<D>(table);
  addStreamEntries<D>(table);
  addModuleEntries<D>(table);
  return table;
}

} // namespace tilerun::stream_driver
