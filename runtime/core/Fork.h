// Devices in a child of fork. The driver's threads and its connection to a device stay with the
// parent, so that a call on a device which the parent has opened may wait forever in the child.
// Such calls are refused, unless the device says that it can go on (the property SURVIVES_FORK).
#pragma once

#include "runtime/include/tilerun/plugin.h"

#include <string>
#include <type_traits>

namespace tilerun::core {

class Status;

namespace detail {
/// Whether an ancestor of this process had opened devices that do not survive a fork. Written once,
/// in the child, before it has a second thread.
extern constinit bool hasInherited;
bool findInherited(const TilerunPlugin &table);

template <typename T>
concept NamesDevice =
    std::is_same_v<T, TilerunPluginDevice *> || std::is_same_v<T, TilerunPluginDevice **> ||
    std::is_same_v<T, TilerunPluginStream *> || std::is_same_v<T, TilerunPluginEvent *> ||
    std::is_same_v<T, TilerunPluginModule *> || std::is_same_v<T, TilerunPluginKernel *>;
} // namespace detail

/// Notes that this process has opened a device of a plugin, which does not survive a fork. The name
/// in the table stands for the plugin. Any thread.
void noteOpened(const TilerunPlugin &table, const std::string &id);

/// Whether an ancestor of this process opened such a device of the plugin: its handles can be
/// neither used nor released here, and no device of it can be opened. Any thread.
inline bool isInherited(const TilerunPlugin &table) {
  return detail::hasInherited && detail::findInherited(table);
}

/// UNAVAILABLE, for a call of an entry of such a plugin.
Status makeInheritedError(const TilerunPlugin &table, const char *entry);

} // namespace tilerun::core
