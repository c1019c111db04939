// Variables of the environment that drivers read, too.
#pragma once

#include <cstdlib>
#include <string_view>

namespace tilerun::plugin_support {

/// Whether it is set, and not to "0".
inline bool isSwitchedOn(const char *name) {
  const char *value = std::getenv(name);
  return value && *value && std::string_view(value) != "0";
}

} // namespace tilerun::plugin_support
